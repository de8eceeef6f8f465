"""LangChain's indexing API: no duplicates, and only what is new is embedded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_core.vectorstores import InMemoryVectorStore

from cantle_langchain import CantleTextSplitter, document_key, from_documents

PARTS = [f"Part {i} of the text tells something about harbour number {i}." for i in range(8)]


class Indexed:
    """A store with its record manager, fed by `index`."""

    def __init__(self, embedding: Any, **options: Any) -> None:
        self.embedding = embedding
        self.store = InMemoryVectorStore(embedding)
        self.records = InMemoryRecordManager("test")
        self.records.create_schema()
        self.options = {"source_id_key": "source", "key_encoder": document_key, **options}
        self.splitter = CantleTextSplitter("recursive", max_size=80, overlap=0)

    def pieces(self, **texts: list[str]) -> Any:
        joined = ["\n\n".join(parts) for parts in texts.values()]
        return self.splitter.create_documents(joined, [{"source": source} for source in texts])

    def feed(self, **texts: list[str]) -> dict[str, int]:
        """What `index` says; `asked` is what was embedded by it."""
        self.embedding.asked.clear()
        return dict(index(self.pieces(**texts), self.records, self.store, **self.options))

    @property
    def texts(self) -> list[str]:
        return sorted(row["text"] for row in self.store.store.values())


def counts(added: int = 0, skipped: int = 0, deleted: int = 0, updated: int = 0) -> dict[str, int]:
    return {"num_added": added, "num_updated": updated, "num_skipped": skipped, "num_deleted": deleted}


MODES = pytest.mark.parametrize("cleanup", ["incremental", "full", "scoped_full"])


@MODES
def test_the_same_again_embeds_nothing(embedding: Any, cleanup: str) -> None:
    indexed = Indexed(embedding, cleanup=cleanup)
    assert indexed.feed(a=PARTS) == counts(added=8)
    assert sorted(indexed.store.store) == sorted(piece.id for piece in indexed.pieces(a=PARTS))
    assert indexed.feed(a=PARTS) == counts(skipped=8)
    assert embedding.asked == []
    assert indexed.texts == sorted(PARTS)


@MODES
def test_an_insertion_in_front_embeds_the_new_piece_alone(embedding: Any, cleanup: str) -> None:
    indexed = Indexed(embedding, cleanup=cleanup)
    indexed.feed(a=PARTS)
    new = "An entirely new part, which is put before all of the other ones of this text."
    assert indexed.feed(a=[new, *PARTS]) == counts(added=1, skipped=8)
    assert embedding.asked == [new]
    assert indexed.texts == sorted([new, *PARTS])


@MODES
def test_a_change_embeds_the_changed_piece_and_deletes_the_old_one(embedding: Any, cleanup: str) -> None:
    indexed = Indexed(embedding, cleanup=cleanup)
    indexed.feed(a=PARTS)
    changed = [*PARTS[:3], PARTS[3].upper(), *PARTS[4:7]]
    assert indexed.feed(a=changed) == counts(added=1, skipped=6, deleted=2)
    assert embedding.asked == [PARTS[3].upper()]
    assert indexed.texts == sorted(changed)


def test_what_another_source_has_stays_but_for_full(embedding: Any) -> None:
    for cleanup, left in (("incremental", 9), ("scoped_full", 9), ("full", 1)):
        indexed = Indexed(embedding, cleanup=cleanup)
        indexed.feed(a=PARTS, b=PARTS[:1])
        indexed.feed(b=PARTS[:1])
        assert len(indexed.store.store) == left, cleanup


def test_the_same_text_in_two_sources_is_there_twice(embedding: Any) -> None:
    indexed = Indexed(embedding, cleanup="incremental")
    assert indexed.feed(a=PARTS, b=PARTS) == counts(added=16)
    assert indexed.feed(b=PARTS) == counts(skipped=8)


def test_a_repeated_text_of_one_source_is_there_as_often(embedding: Any) -> None:
    indexed = Indexed(embedding, cleanup="incremental")
    assert indexed.feed(a=[PARTS[0], PARTS[0], PARTS[1]]) == counts(added=3)
    assert indexed.feed(a=[PARTS[0], PARTS[0], PARTS[1]]) == counts(skipped=3)
    assert indexed.feed(a=[PARTS[0], PARTS[1]]) == counts(skipped=2, deleted=1)


def test_small_batches_come_to_the_same(embedding: Any) -> None:
    indexed = Indexed(embedding, cleanup="scoped_full", batch_size=3)
    assert indexed.feed(a=PARTS) == counts(added=8)
    assert indexed.feed(a=PARTS[1:]) == counts(skipped=7, deleted=1)


def test_with_a_hash_of_all_metadata_what_moved_is_written_anew(embedding: Any) -> None:
    indexed = Indexed(embedding, cleanup="incremental", key_encoder="sha256")
    assert indexed.feed(a=PARTS) == counts(added=8)
    assert indexed.feed(a=PARTS) == counts(skipped=8)
    assert indexed.feed(a=["New.", *PARTS])["num_deleted"] == 8
    chunks = from_documents(indexed.store.similarity_search(PARTS[3], k=20))
    text = "\n\n".join(["New.", *PARTS])
    assert all(text[chunk.start : chunk.end] == chunk.content for chunk in chunks)
    assert len(chunks) == len(indexed.pieces(a=["New.", *PARTS]))


def test_without_waiting(embedding: Any) -> None:
    indexed = Indexed(embedding, cleanup="incremental")

    async def twice() -> list[dict[str, int]]:
        return [
            dict(await aindex(indexed.pieces(a=parts), indexed.records, indexed.store, **indexed.options))
            for parts in (PARTS, PARTS[1:])
        ]

    assert asyncio.run(twice()) == [counts(added=8), counts(skipped=7, deleted=1)]
