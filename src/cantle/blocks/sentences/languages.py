"""What differs between languages: abbreviations and words that open sentences, read from `cantle/data`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from importlib.resources import files

__all__ = ["LANGUAGES", "Kind", "Language", "language"]

LANGUAGES = ("en", "pt", "es", "fr", "de", "it")
"""The languages that there is a file of abbreviations for."""


class Kind(IntEnum):
    """What may follow an abbreviation and its period."""

    TITLE = 1  # a name
    INSIDE = 2  # the rest of the sentence
    NUMBER = 3  # a number; otherwise it is a word like any other
    END = 4  # the end of the sentence, if a word that opens sentences follows


_SECTIONS = {"title": Kind.TITLE, "inside": Kind.INSIDE, "number": Kind.NUMBER, "end": Kind.END}


@dataclass(frozen=True)
class Language:
    """The words of one language, or of all together."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    """Abbreviations without their final period, in every case that they are written in."""
    opens: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    coins: frozenset[str] = frozenset()
    """What stands behind an amount, and has a period before the next amount."""
    ordinals: bool = False
    """Whether a number with a period is an ordinal."""


@cache
def language(name: str) -> Language:
    """The words of a language. `any`: those of all, without what other languages use otherwise."""
    if name in LANGUAGES:
        return _language([name], alone=True)
    return _language(LANGUAGES, alone=False)


def _language(names: list[str] | tuple[str, ...], alone: bool) -> Language:
    kinds: dict[str, Kind] = {}
    words: dict[str, set[str]] = {"opens": set(), "said": set(), "coins": set(), "traits": set()}
    for name in names:
        for section, found in _sections(name).items():
            title, _, own = section.partition(" ")
            if own and not alone:
                continue
            kind = _SECTIONS.get(title)
            if kind is None:
                words[title].update(found)
                continue
            for word in found:
                for form in {word} if kind is Kind.TITLE or word.isupper() else _forms(word):
                    kinds.setdefault(form, kind)
    opens, said, coins = (frozenset(words[title]) for title in ("opens", "said", "coins"))
    return Language(kinds, opens, said, coins, "ordinals" in words["traits"])


def _forms(word: str) -> set[str]:
    return {word, word.lower(), word.upper(), word[0].upper() + word[1:]}


@cache
def _sections(name: str) -> dict[str, list[str]]:
    """The sections of a language's file and their words."""
    text = (files("cantle") / "data" / "abbreviations" / f"{name}.txt").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip("[] "), [])
        elif not line.startswith("#"):
            words += line.split()
    return sections
