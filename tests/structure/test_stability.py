"""A change at one place changes few chunks, and chunks are full."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument, diff
from cantle.lengths import resolve

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_size": 200, "overlap": 30},
    {"max_size": 300},
    {"max_size": 100, "overlap": 20, "length_function": "cl100k_base"},
]


def manual(sections: int) -> str:
    parts = ["# Manual\n\nA few words about the manual."]
    for i in range(sections):
        paragraphs = [
            " ".join(f"Sentence {i}.{p}.{s} tells something of its own." for s in range((i * 7 + p * 3) % 6 + 1))
            for p in range(i % 3 + 1)
        ]
        parts.append(f"{'##' if i % 4 else '#'} Section {i}\n\n" + "\n\n".join(paragraphs))
    return "\n\n".join(parts)


TEXTS = {
    "manual": manual(80),
    "harbour-guide.md": (EXAMPLES / "harbour-guide.md").read_text(encoding="utf-8"),
    "tide-tables.md": (EXAMPLES / "tide-tables.md").read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", TEXTS)
def test_a_paragraph_that_is_put_in_near_the_top_changes_few_chunks(name: str, options: dict[str, Any]) -> None:
    text = TEXTS[name]
    at = text.index("\n\n", text.index("\n\n", text.index("# ")) + 2)
    old, new = (
        MDocument.from_markdown(version).chunk("structural-context", **options)
        for version in (text, text[:at] + "\n\nA paragraph that was not there before." + text[at:])
    )
    found = diff(old, new)
    assert 1 <= len(found.new) <= 2
    assert len(found.gone) <= 2
    assert len(found.kept) + len(found.moved) >= len(old) - 2
    if name == "manual":
        assert len(old) > 50


def test_a_section_that_is_put_in_changes_few_chunks() -> None:
    text = TEXTS["manual"]
    at = text.index("# Section 4\n")
    old, new = (
        MDocument.from_markdown(version).chunk("structural-context", max_size=300)
        for version in (text, text[:at] + "## A new one\n\nSome words in it.\n\n" + text[at:])
    )
    assert len(diff(old, new).gone) <= 1


# --- fill ----------------------------------------------------------------------------------------


def unpunctuated(words: int) -> str:
    draw = random.Random(7)
    known = [
        "tide",
        "harbour",
        "pilot",
        "gauge",
        "äußere",
        "range",
        "moon",
        "of",
        "the",
        "a",
        "Größe",
        "42",
        "depth-sounder",
    ]
    return " ".join(draw.choice(known) for _ in range(words))


@pytest.mark.parametrize("overlap", [0, 16, 40])
@pytest.mark.parametrize("length", ["cl100k_base", "o200k_base", "characters", "words"])
def test_unpunctuated_prose_fills_chunks(length: str, overlap: int) -> None:
    measure, size = resolve(length), 128
    chunks = MDocument.from_markdown("# Log\n\n" + unpunctuated(3000)).chunk(
        "structural-context", max_size=size, overlap=overlap, length_function=length
    )
    # The first keeps room for an overlap that it does not have, and the last is what is left.
    sizes = [measure(chunk.text) for chunk in chunks[1:-1]]
    assert len(sizes) > 15
    assert max(sizes) <= size
    assert sum(sizes) / len(sizes) >= 0.95 * size
    assert measure(chunks[0].text) >= 0.95 * (size - overlap) - 8
