"""The group of commands: ours and those of plugins, and what becomes of errors."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from ..errors import CantleError, CantleWarning, OptionError, PluginError, UnknownLengthError, UnknownStrategyError

__all__ = ["COMMANDS", "Cli", "Failure"]

_NAMES = ("chunk", "strategies", "plugins", "diff", "doctor", "completion")

COMMANDS = {name: f"cantle.cli.{name}:command" for name in _NAMES}
"""Our commands: name -> `module:attribute`."""


class Failure(click.ClickException):
    """Ends the command with one line `Error: ...` on standard error and an exit code."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance


class Cli(click.Group):
    """Imports a command when it is run; turns errors of cantle into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Our commands, then those of plugins."""
        with _own_warnings():
            try:
                more = [name for name in _registered() if name not in COMMANDS]
            except CantleError as error:
                click.echo(f"Warning: {error}", err=True)
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
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
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
    """Let SIGTERM, which `timeout` and service managers send, clean up as an exception does."""

    def end(*_: Any) -> None:
        raise SystemExit(143)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _own_warnings() -> Iterator[None]:
    """Show warnings of cantle as one line; those of others as Python does."""
    show = warnings.showwarning

    def line(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, CantleWarning):
            click.echo(f"Warning: {message}", err=True)
        else:
            show(message, category, *rest, **more)

    with warnings.catch_warnings():
        warnings.showwarning = line
        yield
