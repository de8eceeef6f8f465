"""Texts made of words, and how texts are compared."""

from __future__ import annotations

from hypothesis import strategies as st

from cantle.words import words


def written(text: str) -> list[str]:
    return [word.text for word in words(text)]


def one_line(text: str) -> str:
    return " ".join(text.split())


PIECES = [
    *(
        "the",
        "of",
        "tide",
        "Tide",
        "tides",
        "Ebb",
        "harbour",
        "l'",
        "l’",
        "Harbour's",
        "water-level\n",
        "max_size",
        "EU",
    ),
    *(".", ",", "!", "\n\n", "#", ">", "-", "```", "漢", "字", "は", "3.14", "1,000-year", "x1", "|", "\t"),
    *("\\section{", "}", "<b>", "&amp;", "http://a.b/c"),
]
SAID = st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join)

TIDES = (
    "# Tides\n\n"
    "The tide tables of a harbour list every high tide and low tide. Read on!\n\n"
    "- My uncle once painted his old boat blue.\n"
    "- A harbour office prints the tide tables of the harbour each year.\n\n"
    "| tide | height |\n|---|---|\n| 1 | 2.2 |\n"
)
