"""The group of commands: ours and those of plugins, and what becomes of errors."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from ..errors import (
    CantleError,
    CantleWarning,
    GuessedEncodingWarning,
    OptionError,
    PluginError,
    UnknownLengthError,
    UnknownStrategyError,
)
from .tables import printable

__all__ = ["COMMANDS", "Cli", "Failure"]

_NAMES = ("chunk", "strategies", "plugins", "diff", "doctor", "completion")

COMMANDS = {name: f"cantle.cli.{name}:command" for name in _NAMES}
"""Our commands: name -> `module:attribute`."""


class Failure(click.ClickException):
    """Ends the command with one line `Error: ...` on standard error and an exit code."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(printable(message))
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance


class Cli(click.Group):
    """Imports a command when it is run; turns errors of cantle into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our commands, then those of plugins."""
        with _own_warnings():
            try:
                more = [name for name in _registered() if name not in COMMANDS]
            except CantleError as error:
                click.echo(f"Warning: {printable(str(error))}", err=True)
                more = []
        return [*COMMANDS, *more]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported; a plugin's that cannot be imported says so when it is run."""
        if cmd_name in COMMANDS:
            return _imported(COMMANDS[cmd_name])
        with _own_warnings():
            try:
                target = _registered().get(cmd_name)
            except CantleError as error:
                return _broken(cmd_name, error)
        if target is None:
            return None
        try:
            return _imported(target)
        except Exception as error:  # a stranger's module may raise anything
            reason = f"command {cmd_name!r} of a plugin cannot be loaded from {target}: {type(error).__name__}: {error}"
            return _broken(cmd_name, PluginError(reason))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was asked for; of one that is not there the nearest is named."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = f" Did you mean {close[0]!r}?" if close and "Did you mean" not in error.message else ""
            raise click.UsageError(f"{error.message}{hint}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; see the module `cantle.cli` for exit codes."""
        try:
            with _own_warnings(), _orderly_end():
                result = super().invoke(ctx)
                sys.stdout.flush()
                return result
        except CantleError as error:
            usage = isinstance(error, OptionError | UnknownStrategyError | UnknownLengthError)
            raise Failure(str(error), 2 if usage else 1) from error
        except BrokenPipeError:
            # The reader has gone, as in `| head`. Nothing is left to say, not at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            raise click.exceptions.Exit(141) from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF):  # nothing more can be written at exit either
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            where = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{where}{error.strerror or error}") from error
        except KeyboardInterrupt as error:
            click.echo("\n".join(["\nInterrupted.", *getattr(error, "__notes__", ())]), err=True)
            raise click.exceptions.Exit(130) from None


def _registered() -> dict[str, str]:
    from ..plugins import registry

    return registry().commands()


def _imported(target: str) -> click.Command:
    module, _, name = target.partition(":")
    command = getattr(import_module(module), name or "command")
    if not isinstance(command, click.Command):
        raise PluginError(f"{target} is no click command")
    return command


def _broken(name: str, error: CantleError) -> click.Command:
    def fail(**_: Any) -> None:
        raise error

    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, short_help=f"(broken) {error}", context_settings=anything)


@contextmanager
def _orderly_end() -> Iterator[None]:
    """Let SIGTERM (service managers) and SIGHUP (a terminal that closes) clean up as an exception does."""

    def end(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    # An ignored signal, as nohup leaves it, stays ignored.
    before = {n: signal.signal(n, end) for n in numbers if signal.getsignal(n) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _own_warnings() -> Iterator[None]:
    """Show warnings of cantle as one line; those of others as Python does."""
    show = warnings.showwarning

    def line(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, CantleWarning):
            text = str(message)
            guess = re.search(r"\bencoding='([\w-]+)'(?!.*encoding=')", text)
            if guess and issubclass(category, GuessedEncodingWarning):
                text += f" On the command line: --encoding {guess[1]}."
            click.echo(f"Warning: {printable(text)}", err=True)
        else:
            show(message, category, *rest, **more)

    with warnings.catch_warnings():
        warnings.showwarning = line
        yield
