"""Page numbers and overlap ranges of pieces, beside those of Haystack's own splitter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from haystack import Document
from haystack.components.preprocessors import DocumentSplitter

from cantle import Chunk, Source
from cantle_haystack import CantleDocumentSplitter

GUIDE = """# Harbour guide

For skippers who come for the first time.

## Berths

Nine metres at A1 to A8, and twelve at B1. Boats of more than twelve metres lie alongside.

## Tides

Low water at six in the morning. High water at noon, half an hour later each day.
"""


def split(text: str, meta: dict[str, Any] | None = None, **options: Any) -> list[Document]:
    strategy = options.pop("strategy", "recursive")
    made = CantleDocumentSplitter(strategy, **options).run([Document(content=text, meta=meta or {})])
    return made["documents"]


# -- pages -----------------------------------------------------------------------------------------

PAGES = {
    "One.\fTwo.\fThree.": [1, 2, 3],
    "\fTwo.": [2],
    "One.\f\f\fFour.": [1, 4],
    "One.\n\n\f\n\nTwo.": [1, 2],
    "One.\f": [1],
    "One and\fa half.\fThree.": [1, 2, 3],
}


@pytest.mark.parametrize("text", PAGES, ids=ascii)
def test_pages_as_haystack_counts_them(text: str) -> None:
    made = split(text, strategy="recursive", max_size=10)
    pages = [document.meta["page_number"] for document in made]
    assert pages == PAGES[text]
    own = DocumentSplitter(split_by="function", splitting_function=lambda _: [d.content or "" for d in made])
    theirs = own.run([Document(content=text)])["documents"]
    if all("page_number" in document.meta for document in theirs):  # older releases leave it out here
        assert [document.meta["page_number"] for document in theirs] == pages


def test_pages_count_on_from_the_parents() -> None:
    made = split("One.\fTwo.", {"page_number": 7}, max_size=5, overlap=0)
    assert [document.meta["page_number"] for document in made] == [7, 8]
    again = CantleDocumentSplitter("recursive", max_size=3, overlap=0).run(made)["documents"]
    assert {document.meta["page_number"] for document in again} == {7, 8}
    assert [document.meta["page_number"] for document in split("a", {"page_number": True}, max_size=5, overlap=0)] == [
        1
    ]
    assert [document.meta["page_number"] for document in split("a", {"page_number": "iv"}, max_size=5, overlap=0)] == [
        1
    ]


def test_a_page_that_the_strategy_tells() -> None:
    pages = ["Harbour 1\n\nLow water at six.", "Harbour 2\n\nHigh water at noon.", "Harbour 3\n\nNo water at all."]
    made = split("\f".join(pages), kind="pdf", strategy="structural-context", max_size=40)
    told = {document.meta["page_number"]: document.meta["page"] for document in made}
    assert told == {1: 1, 2: 2, 3: 3}
    made = split("\f".join(pages), {"page_number": 11}, kind="pdf", strategy="structural-context", max_size=40)
    assert {document.meta["page_number"] for document in made} == {11, 12, 13}


def test_a_page_in_the_parents_meta_is_not_the_strategys() -> None:
    assert [document.meta["page_number"] for document in split("One.\fTwo.", {"page": 4}, max_size=5, overlap=0)] == [
        1,
        2,
    ]


def test_many_pages_take_linear_time() -> None:
    text = "\f".join(f"Page {i}." for i in range(20_000))
    made = split(text, strategy="recursive", max_size=30, separators=["\f"])
    assert made[-1].meta["page_number"] == 1 + text[: made[-1].meta["split_idx_start"]].count("\f")


# -- overlap ---------------------------------------------------------------------------------------

SENTENCES = " ".join(f"Boat {i} lies at berth {i % 7} today." for i in range(12))


def check_overlaps(made: list[Document]) -> int:
    by_id = {document.id: document for document in made}
    found = 0
    for number, document in enumerate(made):
        for entry in document.meta["_split_overlap"]:
            other = by_id[entry["doc_id"]]
            assert abs(made.index(other) - number) == 1
            start, end = entry["range"]
            common = (other.content or "")[start:end]
            assert common
            assert common in (document.content or "")
            back = [e for e in other.meta["_split_overlap"] if e["doc_id"] == document.id]
            assert len(back) == 1
            begin, finish = back[0]["range"]
            assert (document.content or "")[begin:finish] == common
            found += 1
    return found


@pytest.mark.parametrize("prefix", ["content", "meta"])
@pytest.mark.parametrize("strategy", ["recursive", "sentence", "structural-context", "token"])
def test_overlaps(strategy: str, prefix: str) -> None:
    text = f"# Boats\n\n{SENTENCES}\n\n{SENTENCES}" if strategy == "structural-context" else SENTENCES
    options = {"kind": "markdown"} if strategy == "structural-context" else {}
    made = split(text, strategy=strategy, max_size=100, overlap=35, prefix=prefix, **options)
    assert check_overlaps(made) >= 2
    assert all(document.meta["_split_overlap"] for document in made[1:-1]) or strategy == "structural-context"


def test_overlaps_as_haystack_writes_them() -> None:
    own = DocumentSplitter(split_by="word", split_length=9, split_overlap=4)
    wanted = own.run([Document(content=SENTENCES)])["documents"]

    @dataclass(frozen=True, kw_only=True)
    class Same:
        """Cuts where Haystack does."""

        name: ClassVar[str] = "same"

        def split(self, source: Source) -> list[Chunk]:
            end, chunks = 0, []
            for document in wanted:
                start = document.meta["split_idx_start"]
                content = document.content or ""
                chunks.append(Chunk(content, start, start + len(content), overlap=max(0, end - start)))
                end = start + len(content)
            return chunks

    made = split(SENTENCES, strategy=Same())
    names = {one.id: other.id for one, other in zip(wanted, made, strict=True)}
    for one, other in zip(wanted, made, strict=True):
        assert other.content == one.content
        assert {n: other.meta[n] for n in ("split_id", "split_idx_start", "page_number")} == {
            n: one.meta[n] for n in ("split_id", "split_idx_start", "page_number")
        }
        assert other.meta["_split_overlap"] == [
            {"doc_id": names[entry["doc_id"]], "range": entry["range"]} for entry in one.meta["_split_overlap"]
        ]


def test_no_overlap_no_entry() -> None:
    assert all("_split_overlap" not in document.meta for document in split(GUIDE, max_size=60, overlap=0))
    made = CantleDocumentSplitter("recursive", max_size=60, overlap=20).run(
        [Document(content=SENTENCES), Document(content="Short.")]
    )["documents"]
    assert made[-1].content == "Short."
    assert "_split_overlap" not in made[-1].meta
