"""The options of a `ContextRetrievalChunker`: how they are read, and what is in force for one call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..errors import CantleWarning, OptionError, UnusedOptionWarning
from ..lengths import Length, resolve
from ..tokenizers import ENCODINGS, MODELS
from ..warn import warn
from ..whitespace import BLANKS

__all__ = [
    "DEFAULTS",
    "DEFAULT_ENCODING",
    "Settings",
    "boolean",
    "embed",
    "encoding",
    "given",
    "given_twice",
    "named",
    "resolved",
    "text",
    "unit",
    "whole",
]

DEFAULT_ENCODING = "cl100k_base"
LEAST_SIZE, MOST_SIZE = 32, 200_000
DEFAULTS = {"chars": (1024, 128), "tokens": (256, 32)}
_MOST = 2**31 - 1
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?Infinity|NaN")


@dataclass(frozen=True)
class Settings:
    """Options as they were given; `None` is a size that was not. `resolved` makes them those in force."""

    chunk_size: int | None = None
    overlap: int | None = None
    min_chunk_size: int = -1
    unit: str = "chars"
    embed: str = "full"
    encoding: str = DEFAULT_ENCODING
    prepend_heading: bool = True
    heading_path: bool = True
    split_on_headings: bool = True
    strip_data_uri: bool = True
    strip_html_comments: bool = True
    source: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def tokens(self) -> Length:
        """What counts tokens."""
        return resolve(self.encoding)

    @cached_property
    def length(self) -> Length:
        """What the sizes are counted in: UTF-16 units or tokens."""
        return self.tokens if self.unit == "tokens" else resolve("utf16")

    @property
    def size(self) -> int:
        """`chunk_size`, where it is in force."""
        assert self.chunk_size is not None
        return self.chunk_size

    @property
    def repeat(self) -> int:
        """`overlap`, where it is in force."""
        assert self.overlap is not None
        return self.overlap


_WHOLE = ("chunk_size", "overlap", "min_chunk_size")
_BOOLEAN = ("prepend_heading", "heading_path", "split_on_headings", "strip_data_uri", "strip_html_comments")
_TEXT = ("unit", "embed", "encoding", "source")
_KNOWN = {name.replace("_", ""): name for name in (*_WHOLE, *_TEXT, *_BOOLEAN, "metadata")}


def whole(name: str, value: Any) -> int | None:
    """A whole number from a number or from text that is one, cut towards zero; None when it cannot be read.

    Raises `OptionError` for what is neither a number nor text.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip(BLANKS)):
            return None
        value = value.strip(BLANKS)
    elif isinstance(value, int):
        return max(-_MOST - 1, min(_MOST, value))
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be a whole number such as 320, got {value!r}.") from None
    return 0 if number != number else int(max(-_MOST - 1, min(_MOST, number)))


def boolean(name: str, value: Any) -> bool:
    """True, 1, and the texts "true" and "1" are true, every other text or number is false; a warning if it is odd."""
    if not isinstance(value, bool | int | float | str):
        raise OptionError(f"{name} must be True or False, got {value!r}.")
    shown = value.lower() if isinstance(value, str) else value
    if shown not in (True, False, "true", "false", "1", "0", "no"):
        _odd(name, value, "False", ["True", "False"])
    return shown in (True, "true", "1")


def text(name: str, value: Any) -> str:
    """A string; numbers are written out."""
    if isinstance(value, bool | int | float):
        return str(value)
    if not isinstance(value, str):
        raise OptionError(f"{name} must be a string, got {value!r}.")
    return value


def unit(value: str) -> str:
    """`tokens` in any letter case, else `chars`; a warning if it is neither."""
    return _choice("unit", value, ["chars", "tokens"])


def embed(value: str) -> str:
    """`context` or `content` in any letter case, else `full`; a warning if it is none of them."""
    return _choice("embed", value, ["full", "context", "content"])


def _choice(name: str, value: str, good: list[str]) -> str:
    if value.lower() in good:
        return value.lower()
    _odd(name, value, repr(good[0]), [repr(each) for each in good])
    return good[0]


def _odd(name: str, value: object, taken: str, good: list[str]) -> None:
    warn(f"{name} must be {' or '.join(good)}, got {value!r}, which acts as {taken}.", UnusedOptionWarning)


def encoding(value: str) -> str:
    """The encoding of that name or of the model of that name; else a warning, and the default one."""
    if value in ENCODINGS:
        return value
    if value in MODELS:
        return MODELS[value]
    warn(
        f"No encoding or model is named {value!r}: {DEFAULT_ENCODING} counts the tokens. "
        f"Encodings: {', '.join(ENCODINGS)}; models such as gpt-4o.",
        CantleWarning,
    )
    return DEFAULT_ENCODING


def given(options: Mapping[str, Any] | None, *more: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call, from a mapping and arguments, by our names. What is None or an empty string is left out.

    Names are read without regard to letter case and underscores. An unknown one is an `UnusedOptionWarning`; one given
    twice is an `OptionError`.
    """
    found: dict[str, Any] = {}
    spelt: dict[str, Any] = {}
    if options is not None and not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping such as {{'chunk_size': 320}}, got {options!r}.")
    for source in (options or {}, *more):
        for key, value in source.items():
            name = _KNOWN.get(str(key).lower().replace("_", ""))
            if name is None:
                warn(
                    f"The option {key!r} is not known and has no effect. Known options: {', '.join(_KNOWN.values())}.",
                    UnusedOptionWarning,
                )
            elif name in found:
                raise given_twice(name, spelt[name], key)
            elif value is not None and value != "":
                found[name], spelt[name] = value, key
    return found


def named(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of the class by our names. Raises `OptionError` for an unknown one and for one given twice."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        name = _KNOWN.get(key.lower().replace("_", ""))
        if name is None:
            raise OptionError(
                f"ContextRetrievalChunker has no setting {key!r}. It takes: {', '.join(_KNOWN.values())}."
            )
        if name in found:
            raise given_twice(
                name, next(each for each in settings if _KNOWN[each.lower().replace("_", "")] == name), key
            )
        found[name] = value
    return found


def given_twice(name: str, first: object, second: object) -> OptionError:
    """The error for an option that comes in two spellings, or in a mapping and as an argument."""
    how = f"as {first!r} and as {second!r}" if first != second else f"both times as {first!r}"
    return OptionError(f"The option {name} is given twice, {how}. Keep one.")


def resolved(base: Settings, options: Mapping[str, Any]) -> Settings:
    """What is in force for one call: the options as `given` gives them over those of the instance."""
    changes: dict[str, Any] = {}
    for name, value in options.items():
        if name in _WHOLE:
            number = whole(name, value)
            if number is None:
                warn(
                    f"{name} must be a whole number such as 320, got {value!r}, which has no effect.",
                    UnusedOptionWarning,
                )
            else:
                changes[name] = number
        elif name in _BOOLEAN:
            changes[name] = boolean(name, value)
        elif name in _TEXT:
            changes[name] = text(name, value)
        elif isinstance(value, Mapping):
            changes[name] = value
        else:
            raise OptionError(f"metadata must be a mapping of names to values, got {value!r}.")
    settings = replace(base, **changes)
    in_force = unit(settings.unit)
    size, overlap = DEFAULTS[in_force]
    size = settings.chunk_size if settings.chunk_size is not None else size
    size = max(LEAST_SIZE, min(MOST_SIZE, size))
    overlap = settings.overlap if settings.overlap is not None else overlap
    least = settings.min_chunk_size
    return replace(
        settings,
        chunk_size=size,
        overlap=max(0, min(size // 2, overlap)),
        min_chunk_size=size // 4 if least < 0 else min(least, size),
        unit=in_force,
        embed=embed(settings.embed),
        encoding=encoding(settings.encoding),
    )
