"""Options of the extractors, and how their values are read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from cantle.errors import OptionError, UnusedOptionWarning

from ..warn import warn
from .prompts import PROMPTS

__all__ = ["SUMMARIES", "Options"]

SUMMARIES = ("self", "prev", "next")


class Options:
    """The options of one field, read one by one. Every error names the field and the option.

    With `warns` false what has no effect is passed over.
    """

    def __init__(self, field: str, given: Mapping[str, Any], known: Collection[str], *, warns: bool = True) -> None:
        self._field, self._warns = field, warns
        for key in given:
            if key not in known:
                close = get_close_matches(str(key), known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise OptionError(f"extract[{field!r}] has no option {key!r}.{hint} It takes: {', '.join(known)}.")
        self._given: dict[str, Any] = {name: value for name, value in given.items() if value is not None}

    def _wrong(self, name: str, wanted: str) -> OptionError:
        return OptionError(f"extract[{self._field!r}]: {name} must be {wanted}, got {self._given[name]!r}.")

    def _warn(self, message: str) -> None:
        if self._warns:
            warn(f"extract[{self._field!r}]: {message}", UnusedOptionWarning)

    def any(self, name: str) -> Any:
        """The value as it is; None where none is given."""
        return self._given.get(name)

    def text(self, name: str, *, blank: bool = True) -> str | None:
        """A string; None where none is given."""
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "a string")
        if value is not None and not blank and not value.strip():
            raise self._wrong(name, "a name, not blank")
        return value

    def template(self, name: str) -> str | None:
        """A prompt with placeholders; one that does not show the text is a warning."""
        value = self.text(name)
        if value is not None and "{context}" not in value:
            self._warn(f"{name} has no {{context}}, so the model does not see the text.")
        return value

    def flag(self, name: str) -> bool:
        """True or False; False where nothing is given."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise self._wrong(name, "True or False")
        return value

    def unused(self, name: str, why: str) -> None:
        """A flag that is taken and does nothing: True is a warning."""
        if self.flag(name):
            self._warn(f"{name} has no effect: {why}. Leave it out.")

    def count(self, name: str, default: int, *, zero: bool = True) -> int:
        """A whole number of at least 1; with `zero` 0 is taken too."""
        value = self._given.get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # as JSON of other programs may write it
        if isinstance(value, bool) or not isinstance(value, int) or value < (0 if zero else 1):
            raise self._wrong(name, "a whole number greater than 0" + (", or 0" if zero else ""))
        return value

    def summaries(self) -> frozenset[str]:
        """Whose summaries are wanted."""
        value = self._given.get("summaries", ["self"])
        given = [value] if isinstance(value, str) else value
        good = ", ".join(map(repr, SUMMARIES))
        if not isinstance(given, list | tuple | set | frozenset) or not any(one in SUMMARIES for one in given):
            raise self._wrong("summaries", f"a list of {good}")
        unknown = [one for one in given if one not in SUMMARIES]
        if unknown:
            self._warn(f"summaries has {unknown[0]!r}, which has no effect. It may have {good}.")
        return frozenset(one for one in given if one in SUMMARIES)

    def language(self) -> str | None:
        """The language of the prompts; None where it is to be found out."""
        value = self._given.get("language")
        if value is not None and not (isinstance(value, str) and value in PROMPTS):
            raise self._wrong("language", f"one of {', '.join(map(repr, PROMPTS))}")
        return value
