"""Values from the command line: `key=value` options, sizes, names that the shell completes.

And the options that commands share: how to cut (`cutting`, `sizing`) and how to read (`reading`).
"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Callable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ..files import KINDS, decode
from ..strategy import snake_case

__all__ = [
    "KIND",
    "KINDS_OF_TEXT",
    "LENGTH",
    "SECONDS",
    "SIZE",
    "STRATEGY",
    "cutting",
    "merged",
    "parsed",
    "reading",
    "sizing",
    "unknown_kind",
]

KINDS_OF_TEXT = tuple(dict.fromkeys([*KINDS.values(), "pdf", "text"]))
"""The kinds that cantle itself knows; plugins may know others."""


if TYPE_CHECKING:  # generic to type checkers only: old releases of click cannot subscript it
    _NameType = click.ParamType[str]
    _SizeType = click.ParamType[Any]
else:
    _NameType = _SizeType = click.ParamType


class _Name(_NameType):
    """A name that the registry checks, since its error says more; the shell completes it."""

    def _names(self) -> Iterable[str]:
        return ()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a broken plugin must not write into the command line
            return [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]


class _StrategyName(_Name):
    name = "name"

    def _names(self) -> Iterable[str]:
        from ..plugins import registry

        return registry().strategies()


class _LengthName(_Name):
    name = "name"

    def _names(self) -> Iterable[str]:
        from ..lengths import names
        from ..tokenizers.encodings import MODELS

        return [*names(), *MODELS]


class _KindName(_Name):
    name = "kind"

    def _names(self) -> Iterable[str]:
        return _kinds()


class _Size(_SizeType):
    """A number, or two with a comma between them."""

    name = "n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            numbers = [_number(part) for part in value.split(",")]
        except ValueError:
            numbers = []
        if not 1 <= len(numbers) <= 2:
            self.fail(f"{value!r} is no size. Give a number such as 512, or a range such as 200,800.", param, ctx)
        return numbers[0] if len(numbers) == 1 else tuple(numbers)


class _Seconds(click.FloatRange):
    """A time, above 0."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        if not isfinite(seconds):
            self.fail(f"{value!r} is no time. Give seconds, such as 60; for no limit leave it out.", param, ctx)
        return seconds


KIND = _KindName()
STRATEGY = _StrategyName()
LENGTH = _LengthName()
SECONDS = _Seconds()
SIZE = _Size()


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def parsed(pairs: Iterable[str]) -> dict[str, Any]:
    """Options from `key=value`: JSON where the value is JSON, else a string; camelCase names too.

    True, False (in any case) and None are taken as well: so the options are documented.
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise click.BadParameter(
                f'{pair!r} is no key=value. Examples: separator_position=end, \'separators=["\\n\\n", " "]\'.',
                param_hint="--option",
            )
        if key in options:
            raise click.BadParameter(f"{key!r} is given twice.", param_hint="--option")
        options[key] = _value(value)
    return snake_case(options)


def _value(text: str) -> Any:
    if text == "None":
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _kinds() -> list[str]:
    from ..plugins import registry

    return sorted({*KINDS_OF_TEXT, *registry().kinds()})


def unknown_kind(kind: str) -> str:
    """What to say of a kind that neither cantle nor a strategy of a plugin knows; nothing of one that is known."""
    if kind in KINDS_OF_TEXT or kind in (kinds := _kinds()):
        return ""
    from difflib import get_close_matches

    close = get_close_matches(kind.lower(), kinds, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    known = ", ".join(kinds)
    return f"kind {kind!r} is cut as plain text, unless a plugin knows it.{hint} Known: {known}."


def merged(options: dict[str, Any], **flags: Any) -> dict[str, Any]:
    """The options with those flags that were given; both for one option is a usage error."""
    for name, (flag, value) in flags.items():
        if value is None:
            continue
        if name in options:
            raise click.UsageError(f"{name} is given twice: by {flag} and by --option. Keep one.")
        options[name] = value
    return options


Function = Callable[..., Any]

_KIND = f"The kind of all files, whatever their suffix: {', '.join(sorted(KINDS_OF_TEXT))}, or one of a plugin."


def cutting(function: Function) -> Function:
    """Add -s/--strategy and the options of `sizing`: the function gets `strategy` (or None) and `options`."""
    add = click.option("-s", "--strategy", type=STRATEGY, help="How to cut; see `cantle strategies`. Default: by kind.")
    return add(sizing(function))


def sizing(function: Function) -> Function:
    """Add -n/--max-size, --overlap, -l/--length and -O/--option: the function gets `options`, those given, by name."""

    @functools.wraps(function)
    def call(max_size: Any, overlap: Any, length: str | None, pairs: tuple[str, ...], **rest: Any) -> Any:
        options = merged(
            parsed(pairs),
            max_size=("--max-size", max_size),
            overlap=("--overlap", overlap),
            length_function=("--length", length),
        )
        return function(options=options, **rest)

    for add in (
        click.option("-O", "--option", "pairs", multiple=True, metavar="KEY=VALUE", help="Any option of the strategy."),
        click.option(
            "-l", "--length", type=LENGTH, help="What sizes count: characters, bytes, words, cl100k_base, ..."
        ),
        click.option("--overlap", type=SIZE, help="How much of a chunk the next one repeats, at most."),
        click.option("-n", "--max-size", type=SIZE, help="The limit of a chunk, overlap included; or a range MIN,MAX."),
    ):
        call = add(call)
    return call


def reading(function: Function) -> Function:
    """Add -k/--kind, --encoding and --front-matter: the function gets `read`, arguments of `MDocument.from_file`."""

    @functools.wraps(function)
    def call(kind: str | None, encoding: str | None, front_matter: str, **rest: Any) -> Any:
        if encoding is not None:
            decode(b"", "", encoding)  # an unknown one is wrong usage, not the fault of every file
        return function(read={"kind": kind, "encoding": encoding, "front_matter": front_matter}, **rest)

    for add in (
        click.option(
            "--front-matter",
            type=click.Choice(["read", "keep"]),
            default="read",
            show_default=True,
            help="YAML front matter goes into the metadata; `keep` leaves its lines in the chunks too.",
        ),
        click.option("--encoding", help="The encoding of all files. Default: found out, and UTF-8."),
        click.option("-k", "--kind", type=KIND, help=_KIND),
    ):
        call = add(call)
    return call
