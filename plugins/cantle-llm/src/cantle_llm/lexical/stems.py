"""The stems of words: the one door to snowballstemmer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

__all__ = ["stemmer"]

_ALGORITHMS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
}


@cache
def stemmer(language: str | None) -> Callable[[str], str]:
    """The function that takes a folded word to its stem (Snowball, Porter 2001); for an unknown language, itself."""
    if language not in _ALGORITHMS:
        return str
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer(_ALGORITHMS[language]).stemWord  # type: ignore[no-any-return]
