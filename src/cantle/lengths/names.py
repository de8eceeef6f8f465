"""Length functions by name: ours, OpenAI's encodings and models, and those of plugins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from ..errors import OptionError, UnknownLengthError
from .arithmetic import ByteLength, CharacterLength, Utf16Length, WordLength
from .base import Length
from .calls import CallLength, EncodeLength
from .tokens import TokenLength

__all__ = ["add_provider", "names", "resolve"]

_BUILTIN: dict[str, Callable[[], Length]] = {
    "characters": CharacterLength,
    "utf16": Utf16Length,
    "bytes": ByteLength,
    "words": WordLength,
}
_made: dict[str, Length] = {}
_providers: list[tuple[Callable[[str], Length | None], Callable[[], Iterable[str]]]] = []


def add_provider(find: Callable[[str], Length | None], known: Callable[[], Iterable[str]]) -> None:
    """Let `find(name)` answer for names that are not ours; the plugin host does."""
    _providers.append((find, known))


def names() -> list[str]:
    """All names, models left out."""
    from ..tokenizers.encodings import ENCODINGS

    return [*_BUILTIN, *ENCODINGS, *(name for _, known in _others() for name in known())]


def _others() -> list[tuple[Callable[[str], Length | None], Callable[[], Iterable[str]]]]:
    """Who else knows names. The plugin host is above us; a name that is not ours is the reason to import it."""
    import_module("cantle.plugins")
    return _providers


def resolve(value: Any) -> Length:
    """The length function that a name, a `Length`, a callable or an object with `encode` stands for.

    Raises `UnknownLengthError` for a name, `OptionError` for anything else.
    """
    if isinstance(value, str):
        return _made.get(value) or _named(value)
    if isinstance(value, type):
        name = value.__qualname__
        raise OptionError(f"length_function must be a length function, not the class {name}. Give {name}() instead.")
    if callable(getattr(value, "measure", None)) and callable(value):
        return value  # type: ignore[no-any-return]
    if callable(getattr(value, "encode", None)):
        return EncodeLength(value)
    if callable(value):
        return CallLength(value)
    raise OptionError(
        "length_function must be a name, a function from str to int, or an object with encode(), "
        f"got {value!r}. Names: {', '.join(names())}."
    )


def _named(name: str) -> Length:
    from ..tokenizers.encodings import ENCODINGS, MODELS

    if name in _BUILTIN:
        _made[name] = _BUILTIN[name]()
    elif name in ENCODINGS or name in MODELS:
        _made[name] = TokenLength(MODELS.get(name, name))
    else:
        for find, _ in _others():  # not kept: a registry may change
            found = find(name)
            if found is not None:
                return found
        raise UnknownLengthError(name, names())
    return _made[name]
