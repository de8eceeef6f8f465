"""Any text, in linear time."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from cantle.words import fold, keywords, language_of, summary, words

HOSTILE = [
    *(
        "a ",
        "A. ",
        "a",
        "a'",
        "l'",
        "1,",
        "_a",
        "-",
        "\u0301",
        "a\u0301\u0316",
        "中",
        "中。",
        "\u0e01",
        "<",
        "<a ",
        "\\a",
    ),
    *("@a", "&a", "](", "](a", "[a", "# a\n", "```\n", "<!--", "\\begin{", "w w, ", "\ud800", "\x00", "\n\n"),
]
CALLS: dict[str, Callable[[str], object]] = {
    "words": lambda text: sum(1 for _ in words(text)),
    "fold": fold,
    "language_of": language_of,
    "keywords": lambda text: keywords(text, 100),
    "summary": lambda text: summary(text, sentences=3),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("unit", HOSTILE)
def test_time_is_linear(unit: str, call: str) -> None:
    text = unit * (40_000 // len(unit))
    before = time.process_time()
    CALLS[call](text)
    assert time.process_time() - before < 6  # some 0.5 s at most; quadratic time would be minutes
