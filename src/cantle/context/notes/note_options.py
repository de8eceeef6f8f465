"""The options of `contextualize`: their names, their defaults, and how values are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from numbers import Real
from typing import Any, TypedDict

from ... import checks
from ...errors import OptionError, UnusedOptionWarning
from ...lengths import LengthLike, resolve
from ...warn import warn
from .. import settings
from .prompts import PROMPTS

__all__ = ["ContextOptions", "NoteOptions", "read_options"]

EMBED = ("full", "context", "content")


class ContextOptions(TypedDict, total=False):
    """The options of `contextualize` as keyword arguments."""

    model: str
    temperature: float
    document_max_chars: int
    template: str
    system: str
    skip_if_present: bool
    fail_fast: bool
    embed: str
    language: str | None
    concurrency: int
    progress: bool | Callable[[int, int], object]
    resume: str | os.PathLike[str] | None
    resume_key: str
    max_size: float | tuple[float, float] | None
    length_function: LengthLike


@dataclass(frozen=True, kw_only=True)
class NoteOptions:
    """The options in force. `template` and `system` are None where the built-in ones are to be taken."""

    model: str = ""
    temperature: float = 0.0
    document_max_chars: int = 60_000
    template: str | None = None
    system: str | None = None
    skip_if_present: bool = True
    fail_fast: bool = False
    embed: str | None = None
    language: str | None = None
    concurrency: int = 1
    progress: bool | Callable[[int, int], object] = False
    resume: str | os.PathLike[str] | None = None
    resume_key: str = "prompt"
    max_size: float | None = None
    length_function: LengthLike = "characters"


_NAMES = {field.name.replace("_", ""): field.name for field in fields(NoteOptions)}


def read_options(options: Mapping[str, Any] | None, more: Mapping[str, Any], *, dictionaries: bool) -> NoteOptions:
    """The options of a mapping and of keyword arguments together.

    Names are taken without regard to case and underscores; None and the empty string count as not given. With
    `dictionaries` values are read as `ContextRetrievalChunker` reads its own, and what is unknown, cannot be read or
    has no effect warns (`UnusedOptionWarning`); with `Chunks` the first two are errors. Raises `OptionError` for a
    wrong value and for an option that is given twice.
    """
    if options is not None and not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping of names to values, got {options!r}.")
    given: dict[str, Any] = {}
    spelt: dict[str, Any] = {}
    for key, value in [*(options or {}).items(), *more.items()]:
        name = _NAMES.get(key.lower().replace("_", "")) if isinstance(key, str) else None
        if name is None:
            _unknown(key, dictionaries)
        elif name in given:
            raise settings.given_twice(name, spelt[name], key)
        else:
            given[name], spelt[name] = value, key
    present = {name: value for name, value in given.items() if value is not None and not _is_empty(value)}
    readers = _READ | _AS_NETUNO if dictionaries else _READ
    values = {name: readers[name](name, value) for name, value in present.items()}
    for name in [name for name, value in values.items() if value is None]:
        message = f"{name} must be a number, got {present[name]!r}."
        if not dictionaries:
            raise OptionError(message)
        warn(f"{message} It has no effect; the default is taken.", UnusedOptionWarning)
        del values[name]
    read = NoteOptions(**values)
    _check_effect(read, present, dictionaries)
    return read


def _is_empty(value: Any) -> bool:
    return isinstance(value, str) and not value


def _unknown(key: object, dictionaries: bool) -> None:
    close = get_close_matches(str(key).lower(), _NAMES, n=1)
    hint = f" Did you mean {_NAMES[close[0]]!r}?" if close else ""
    message = f"contextualize has no option {key!r}.{hint} It takes: {', '.join(_NAMES.values())}."
    if not dictionaries:
        raise OptionError(message)
    warn(f"{message} It has no effect; leave it out.", UnusedOptionWarning)


def _check_effect(read: NoteOptions, given: Mapping[str, Any], dictionaries: bool) -> None:
    """What was given and does nothing."""
    if read.template is not None and read.system is not None and "language" in given:
        warn("language has no effect beside a template and a system message; leave it out.", UnusedOptionWarning)
    if "resume_key" in given and read.resume is None:
        warn("resume_key has no effect without resume; leave it out.", UnusedOptionWarning)
    if read.template is not None and "{chunk}" not in read.template:
        warn(
            "template has no {chunk}, so the model does not see which chunk to write about. Placeholders are "
            "{document}, {chunk}, {breadcrumb} and {heading}.",
            UnusedOptionWarning,
        )
    if dictionaries:
        for name in {"max_size", "length_function"} & given.keys():
            warn(f"{name} has no effect with dictionaries, whose notes are not measured.", UnusedOptionWarning)
        if read.embed is not None and read.embed not in EMBED:
            warn(
                f"embed must be one of {', '.join(map(repr, EMBED))}, in this spelling; {read.embed!r} acts as 'full'.",
                UnusedOptionWarning,
            )
        return
    if read.embed not in (None, "full"):
        raise OptionError(
            f"embed must be 'full' with Chunks, whose text is prefix and content, got {read.embed!r}. "
            "Notes alone are in chunk.metadata['context']."
        )
    if "length_function" in given and read.max_size is None:
        warn("length_function has no effect without max_size; leave it out.", UnusedOptionWarning)


def _string(name: str, value: Any) -> str:
    checks.string(name, value)
    return str(value)


def _boolean(name: str, value: Any) -> bool:
    checks.boolean(name, value)
    return bool(value)


def _temperature(name: str, value: Any) -> float | None:
    """A finite number, from a number or from text that is one; None when it cannot be read."""
    if isinstance(value, bool) or not isinstance(value, Real | str):
        raise OptionError(f"{name} must be a number, got {value!r}.")
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number - number == 0 else None


def _language(name: str, value: Any) -> str:
    checks.choice(name, value, [*PROMPTS, None])
    return str(value)


def _resume_key(name: str, value: Any) -> str:
    checks.choice(name, value, ["prompt", "chunk"])
    return str(value)


def _concurrency(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError(f"{name} must be an integer of at least 1, got {value!r}.")
    return value


def _progress(name: str, value: Any) -> bool | Callable[[int, int], object]:
    if not isinstance(value, bool) and not callable(value):
        raise OptionError(f"{name} must be True, False or a function of (done, total), got {value!r}.")
    return value  # type: ignore[no-any-return]


def _path(name: str, value: Any) -> str | os.PathLike[str]:
    if not isinstance(value, str | os.PathLike):
        raise OptionError(f"{name} must be the path of a JSON Lines file, got {value!r}.")
    return value


def _max_size(name: str, value: Any) -> float:
    """A strategy's `max_size`, so that the same can be given to both; of a pair the upper one counts."""
    number = value[-1] if isinstance(value, tuple | list) and len(value) == 2 else value
    checks.number(name, number, above=0)
    return number  # type: ignore[no-any-return]


def _length_function(name: str, value: Any) -> LengthLike:
    resolve(value)
    return value


_READ: dict[str, Callable[[str, Any], Any]] = {
    "model": _string,
    "temperature": _temperature,
    "document_max_chars": settings.whole,
    "template": _string,
    "system": _string,
    "skip_if_present": _boolean,
    "fail_fast": _boolean,
    "embed": _string,
    "language": _language,
    "concurrency": _concurrency,
    "progress": _progress,
    "resume": _path,
    "resume_key": _resume_key,
    "max_size": _max_size,
    "length_function": _length_function,
}

_AS_NETUNO: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("model", "template", "system", "embed"), settings.text),
    **dict.fromkeys(("skip_if_present", "fail_fast"), settings.boolean),
}
"""Readers of the facade's own, where its options are read too."""
