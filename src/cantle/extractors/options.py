"""The values of the options of extractors. Every error names the field and the option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checks import shown
from ..errors import OptionError, UnusedOptionWarning
from ..warn import warn
from ..words import LANGUAGES

__all__ = ["Options"]

_SUMMARIES = {
    "self": ("section_summary", 0),
    "prev": ("prev_section_summary", -1),
    "next": ("next_section_summary", 1),
}
"""What may be asked for: the key that it goes under, and how far away the chunk is whose summary it is."""


class Options:
    """The options of one field; None means that none is given. `quiet`: values are checked, nothing warns."""

    def __init__(self, field: str, given: Mapping[str, Any], *, quiet: bool = False) -> None:
        self._field, self._quiet = field, quiet
        self._given = {name: value for name, value in given.items() if value is not None}

    def _wrong(self, name: str, wanted: str) -> OptionError:
        return OptionError(f"extract[{self._field!r}]: {name} must be {wanted}, got {shown(self._given[name])}.")

    def count(self, name: str, default: int, *, least: int) -> int:
        """A whole number from `least` on; 5.0 is one, as JSON of other programs may write it."""
        value = self._given.get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self._wrong(name, "a whole number greater than 0" + ("" if least else ", or 0"))
        return value

    def language(self) -> str | None:
        """A language that we have words of, `"any"`, or None."""
        value = self._given.get("language")
        if value is not None and value != "any" and value not in LANGUAGES:
            good = ", ".join(map(repr, LANGUAGES))
            raise self._wrong("language", f"one of {good}, or 'any' for all of them")
        return value

    def summaries(self) -> list[tuple[str, int]]:
        """Keys and distances of the summaries that are wanted. One good name is enough, others warn."""
        value = self._given.get("summaries", ["self"])
        given = [value] if isinstance(value, str) else value
        good = ", ".join(map(repr, _SUMMARIES))
        if not isinstance(given, list | tuple | set | frozenset) or not any(name in given for name in _SUMMARIES):
            raise self._wrong("summaries", f"a list of {good}")
        for name in given:
            if name not in tuple(_SUMMARIES) and not self._quiet:
                warn(
                    f"extract[{self._field!r}]: summaries has {name!r}, which has no effect. It may have {good}.",
                    UnusedOptionWarning,
                )
        return [place for name, place in _SUMMARIES.items() if name in given]
