"""Why a cut is where it is: a sentence for every kind of cut that a strategy gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, Chunks, Cut, MDocument, Source
from cantle_inspect import explained, measured
from cantle_inspect.report.reasons import why

DOCUMENTS = Path(__file__).parent / "documents"


class Json:
    name = "json"


def said(*cut: Any, last: bool = False, oversize: bool = False, strategy: object = None) -> str:
    text = "one two"
    chunks = Chunks(
        Source(text), [Chunk("one", 0, 3, cut=Cut(*cut), oversize=oversize), *([] if last else [Chunk("two", 4, 7)])]
    )
    chunks.strategy = strategy
    return why(chunks[0], chunks, measured(chunks))


CASES = [
    (("end", 0), "Ends where a part of the document ends that is cut by itself."),
    (("heading", 0), "Ends before a heading; the strongest kind of border (level 0)."),
    (("heading", 1, "h2"), "Ends before a heading (h2); level 1: no stronger one fits."),
    (("separator", 0, "\n\n"), "Ends at a blank line, where a paragraph ends; the strongest kind of border (level 0)."),
    (("separator", 1, "\n"), "Ends at the end of a line; level 1: no stronger one fits."),
    (("separator", 2, " "), "Ends between two words; level 2: no stronger one fits."),
    (("separator", 0, "--"), "Ends at the separator “--”; the strongest kind of border (level 0)."),
    (("separator", 3, "\n\\d+\t"), "Ends at the separator “\\n\\\\d+\\t”; level 3: no stronger one fits."),
    (("characters", 3), "Ends between two characters."),
    (("tokens", 0), "Ends where the window of tokens is full."),
    (("row", 0), "Ends before a row of a table or a line of code."),
    (("section", 2, "subsection"), "Ends before a section (subsection); level 2: no stronger one fits."),
    (("preamble", 0), "Ends where the preamble ends."),
    (("sentence", 0), "Ends where a sentence ends; the strongest kind of border (level 0)."),
    (("verse", 1, "Gen 1"), "Ends at a border of the kind “verse” (Gen 1); level 1: no stronger one fits."),
]


@pytest.mark.parametrize(("cut", "sentence"), CASES)
def test_a_cut_in_words(cut: tuple[Any, ...], sentence: str) -> None:
    assert said(*cut) == sentence


def test_the_last_chunk_ends_with_the_document() -> None:
    assert said("end", 0, last=True) == "Ends with the document."


def test_in_json_the_level_is_a_depth() -> None:
    assert said("value", 2, strategy=Json()) == "Ends behind a complete value at depth 2."
    assert said("separator", 1, " ", strategy=Json()) == "Ends inside a string, between two words at depth 1."
    assert said("end", 0, last=True, strategy=Json()) == "Ends with the document."


def test_a_chunk_above_the_limit_says_that_cutting_was_forbidden() -> None:
    assert said("end", 0, last=True, oversize=True).endswith("above the limit, since cutting it was forbidden.")


def test_characters_name_the_limit() -> None:
    chunks = explained(MDocument.from_text("x" * 50), "recursive", {"max_size": 20, "overlap": 0})
    expected = "Ends between two characters: nothing better fits in 20 characters."
    assert why(chunks[0], chunks, measured(chunks)) == expected


def test_without_a_reason_nothing_is_said() -> None:
    chunks = MDocument.from_text("one two").chunk("recursive")
    assert why(chunks[0], chunks, measured(chunks)) == ""


@pytest.mark.parametrize(
    "strategy",
    [
        *("character", "html", "json", "latex", "markdown", "recursive", "semantic-markdown", "sentence"),
        *("structural-context", "token"),
    ],
)
def test_every_kind_that_a_built_in_strategy_gives_has_words_of_its_own(strategy: str) -> None:
    suffix = {"html": ".html", "json": ".json", "latex": ".tex"}.get(strategy)
    seen = 0
    for path in sorted(DOCUMENTS.iterdir()):
        if suffix and path.suffix != suffix:
            continue
        for size in (30, 60, 120, 400):
            options = {"max_size": size} | ({} if strategy == "json" else {"overlap": 0})
            chunks = explained(MDocument.from_file(path), strategy, options)
            sizes = measured(chunks)
            for chunk in chunks:
                words = why(chunk, chunks, sizes)
                assert words.startswith("Ends ")
                assert "of the kind" not in words
                seen += 1
    assert seen


def test_explain_is_given_where_it_is_taken_and_can_be_declined() -> None:
    document = MDocument.from_text("one two three")
    assert all(chunk.cut for chunk in explained(document, "recursive", {"max_size": 5}))
    assert not any(chunk.cut for chunk in explained(document, "recursive", {"max_size": 5, "explain": False}))
    assert all(chunk.cut for chunk in explained(document, options={"separators": [" "], "max_size": 5}))
