"""The words of a text as rankers compare them: lower case, accents folded, no stop words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

__all__ = ["LANGUAGES", "fold", "terms"]

LANGUAGES = ("pt", "en", "es")

_WORDS = re.compile(r"\w+")


def fold(text: str) -> str:
    """The text in lower case and without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))


def terms(text: str, stop_words: Collection[str] = (), least: int = 3) -> list[str]:
    """The words of a text that are no stop words and have at least `least` letters."""
    return [word for word in _WORDS.findall(fold(text)) if len(word) >= least and word not in stop_words]
