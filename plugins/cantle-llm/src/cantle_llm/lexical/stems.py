"""The stems of words: the one door to snowballstemmer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

__all__ = ["stemmer"]

_ALGORITHMS = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "pt": "portuguese",
}
_KEPT = 1 << 15
"""So many words are remembered with their stems."""


class _Stemmers(threading.local):
    """The stemmers of one thread: a stemmer works on a word inside of itself, so that two threads cannot share one."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}


_own = _Stemmers()


def stemmer(language: str | None) -> Callable[[str], str]:
    """The function that takes a folded word to its stem (Snowball, Porter 2001); for an unknown language, itself.

    Any number of threads may use it at the same time.
    """
    return partial(_stem, language) if language in _ALGORITHMS else str


@lru_cache(_KEPT)
def _stem(language: str, word: str) -> str:
    import snowballstemmer  # type: ignore[import-untyped]

    if language not in _own.made:
        _own.made[language] = snowballstemmer.stemmer(_ALGORITHMS[language])
    return str(_own.made[language].stemWord(word))
