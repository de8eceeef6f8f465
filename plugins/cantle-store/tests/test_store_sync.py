"""Sync: what is written, what is not, and what the embedder is asked for."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import select, text

from cantle import MDocument
from cantle.errors import DocumentError
from cantle_store import DimensionError, EmbedderError, NotFoundError, Store, StoreError
from cantle_store.database import sqlite
from cantle_store.tables import ChunkRow

GUIDE = """# Leave

Employees have thirty days of leave a year.

# Travel

Trips are booked by the travel office. Trips above 500 need a signature.

# Badges

Lost badges are reported to the reception.
"""


def chunks_of(text: str, **metadata: Any) -> Any:
    return MDocument.from_markdown(text, metadata=metadata, source="guide.md").chunk(max_size=80)


def pieces(*texts: str, **metadata: Any) -> list[dict[str, Any]]:
    return [{"text": one, "metadata": metadata} for one in texts]


def texts(store: Store, dataset: str, source: str | None = None) -> list[str]:
    return [chunk.text for chunk in store.chunks(dataset, source)]


def test_a_first_sync_keeps_every_field_of_every_chunk(store: Store, counting: Any) -> None:
    chunks = chunks_of(GUIDE, dept="hr")
    synced = store.sync("docs", "guide.md", chunks, counting, origin="/docs/guide.md")
    assert (synced.new, synced.changed, synced.kept, synced.gone) == (len(chunks), 0, 0, 0)
    assert (synced.embedded, synced.wrote) == (len(chunks), True)
    kept = list(store.chunks("docs", "guide.md"))
    assert tuple(chunk.id for chunk in kept) == synced.chunk_ids
    for mine, given in zip(kept, chunks.to_dicts(), strict=True):
        shown = mine.to_dict()
        names = ("key", "index", "source", "text", "content", "prefix", "start", "end", "overlap", "hash", "embed_hash")
        assert {name: shown[name] for name in names} == {name: given[name] for name in names}
        assert list(mine.path) == given["path"]
        assert mine.metadata == given["metadata"]
        assert mine.config_hash == chunks.config_hash
        assert mine.embedding is not None
        assert len(mine.embedding) == 8
    assert synced.dataset == store.dataset("docs")
    assert (synced.dataset.embedder, synced.dataset.dimension) == ("counting", 8)
    assert (synced.dataset.documents, synced.dataset.chunks) == (1, len(chunks))
    (document,) = store.documents("docs")
    assert (document.source, document.metadata, document.origin) == ("guide.md", {"dept": "hr"}, "/docs/guide.md")
    assert (document.chunks, document.config_hash) == (len(chunks), chunks.config_hash)


def writes(store: Store) -> Any:
    """Something that is another value after any write to the database."""
    with store.database.read() as connection:
        if not store.database.is_postgres:
            raw = connection.connection.dbapi_connection
            assert raw is not None
            return raw.total_changes
        found = []
        for table in (
            "hosts",
            "avatars",
            "datasets",
            "documents",
            "document_labels",
            "chunks",
            "chunk_labels",
            "roles",
        ):
            found += connection.execute(text(f"SELECT xmin::text, xmax::text, ctid::text FROM {table}")).all()
        return found


def test_a_second_sync_writes_nothing_at_all(store: Store, counting: Any, store_url: str) -> None:
    odd = {
        "nan": math.nan,
        "day": datetime.date(2026, 1, 2),
        "pair": (1, 2),
        "set": {2, 1},
        "deep": {"b": [1], "a": {}},
    }
    chunks = chunks_of(GUIDE, **odd)
    store.sync("docs", "guide.md", chunks, counting)
    before, asked = writes(store), len(counting.asked)
    for _ in range(3):
        synced = store.sync("docs", "guide.md", chunks_of(GUIDE, **odd), counting)
        assert (synced.new, synced.changed, synced.kept, synced.gone) == (0, 0, len(chunks), 0)
        assert not synced.wrote
    assert writes(store) == before
    assert len(counting.asked) == asked
    if store_url.startswith("sqlite:///"):  # nor does another connection see a change of the file
        with closing(sqlite._module().connect(store_url.removeprefix("sqlite:///"), isolation_level=None)) as watching:
            version = watching.execute("PRAGMA data_version").fetchone()
            store.sync("docs", "guide.md", chunks, counting)
            assert watching.execute("PRAGMA data_version").fetchone() == version
            store.sync("docs", "other.md", chunks, counting)
            assert watching.execute("PRAGMA data_version").fetchone() != version


def test_only_what_changed_is_embedded_and_written(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one", "two", "three"), counting)
    before = {chunk.text: chunk for chunk in store.chunks("docs")}
    counting.asked.clear()
    synced = store.sync("docs", "a", pieces("zero", "one", "three"), counting)
    assert (synced.new, synced.changed, synced.kept, synced.gone, synced.embedded) == (1, 1, 1, 1, 1)
    assert counting.asked == ["zero"]
    after = {chunk.text: chunk for chunk in store.chunks("docs")}
    assert list(after) == ["zero", "one", "three"]
    assert after["three"] == before["three"]
    assert (after["one"].id, after["one"].created) == (before["one"].id, before["one"].created)
    assert (after["one"].index, before["one"].index) == (1, 0)
    assert after["one"].updated > before["one"].updated


def test_the_same_text_is_embedded_once_in_a_dataset(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("same", "same", "one"), counting)
    assert counting.asked == ["same", "one"]
    synced = store.sync("docs", "b", pieces("one", "same", "two", "two"), counting)
    assert counting.asked == ["same", "one", "two"]
    assert (synced.new, synced.embedded) == (4, 1)
    assert len({chunk.id for chunk in store.chunks("docs")}) == 7
    by_text = {chunk.text: set() for chunk in store.chunks("docs")}  # type: dict[str, set[Any]]
    for chunk in store.chunks("docs"):
        by_text[chunk.text].add(tuple(chunk.embedding or ()))
    assert all(len(vectors) == 1 for vectors in by_text.values())
    store.sync("other", "a", pieces("same"), counting)  # another dataset may have another embedder
    assert counting.asked[-1] == "same"


def test_a_document_that_is_renamed_is_not_embedded_again(store: Store, counting: Any) -> None:
    store.sync("docs", "old.md", pieces("one", "two"), counting)
    counting.asked.clear()
    store.sync("docs", "new.md", pieces("one", "two"), counting)
    store.delete("old.md")
    assert counting.asked == []
    assert [chunk.source for chunk in store.chunks("docs")] == ["new.md", "new.md"]
    assert all(chunk.embedding for chunk in store.chunks("docs"))


def test_metadata_alone_change_without_the_embedder(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one"), counting, metadata={"dept": "hr"})
    counting.asked.clear()
    synced = store.sync("docs", "a", pieces("one"), counting, metadata={"dept": "it", "level": 1})
    assert (synced.changed, synced.embedded, counting.asked) == (1, 0, [])
    assert [chunk.metadata for chunk in store.chunks("docs")] == [{"dept": "it", "level": 1}]
    assert store.documents("docs")[0].metadata == {"dept": "it", "level": 1}
    assert not store.search("one", where={"dept": "hr"}, mode="text")
    assert store.search("one", where={"dept": "it"}, mode="text")


@pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0, False), ("1", 1), (None, "None")])
def test_values_that_python_calls_equal_are_told_apart(store: Store, old: Any, new: Any) -> None:
    store.sync("docs", "a", pieces("one"), metadata={"x": old})
    assert store.sync("docs", "a", pieces("one"), metadata={"x": new}).wrote
    (kept,) = [chunk.metadata["x"] for chunk in store.chunks("docs")]
    assert (type(kept), kept) == (type(new), new)


def test_whose_a_value_is_can_change_while_the_chunk_stays(store: Store, snapshot: Callable[..., Any]) -> None:
    store.sync("docs", "a", pieces("one", dept="hr"), metadata={"dept": "hr"})
    synced = store.sync("docs", "a", pieces("one", dept="hr"), metadata={})
    assert (synced.kept, synced.wrote) == (1, True)
    held = snapshot(store)
    assert {(row["key"], row["value"]) for row in held["chunk_labels"]} == {("dept", "hr"), ("dept", "*")}
    assert held["document_labels"] == []


def test_without_an_embedder_there_are_no_vectors_until_there_is_one(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one", "two"))
    assert store.dataset("docs").dimension is None
    synced = store.sync("docs", "a", pieces("one", "two"), counting)
    assert (synced.changed, synced.embedded) == (2, 2)
    assert store.dataset("docs").dimension == 8
    assert all(chunk.embedding for chunk in store.chunks("docs"))
    synced = store.sync("docs", "a", pieces("one", "two"))  # and they stay when it is left out once
    assert not synced.wrote
    assert all(chunk.embedding for chunk in store.chunks("docs"))


def test_the_embedder_is_asked_in_batches(store: Store, counting: Any) -> None:
    synced = store.sync("docs", "a", pieces(*(f"text {n}" for n in range(1234))), counting)
    assert synced.embedded == len(counting.asked) == 1234
    assert texts(store, "docs") == [f"text {n}" for n in range(1234)]


def test_an_empty_document_is_a_document(store: Store, counting: Any) -> None:
    synced = store.sync("docs", "a", [], counting, metadata={"x": 1})
    assert (synced.new, synced.wrote, synced.chunk_ids) == (0, True, ())
    assert not store.sync("docs", "a", [], counting, metadata={"x": 1}).wrote
    assert [(one.source, one.chunks) for one in store.documents("docs")] == [("a", 0)]


class Other:
    name = "other"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 2.0, 3.0] for _ in texts]


def test_another_embedder_is_refused_before_it_is_asked(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one"), counting)
    with pytest.raises(
        EmbedderError, match=r"vectors of 'counting'.*those of 'other'.*store.reembed\('docs', embedder\)"
    ):
        store.sync("docs", "a", pieces("two"), Other())
    assert texts(store, "docs") == ["one"]


def test_vectors_of_another_length_are_refused(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one"), counting)
    other = Other()
    other.name = "counting"
    with pytest.raises(DimensionError, match=r"vectors of 3 numbers.*vectors of 8"):
        store.sync("docs", "a", pieces("one", "two"), other)
    assert texts(store, "docs") == ["one"]


def test_an_embedder_that_fails_changes_nothing(store: Store, snapshot: Callable[..., Any]) -> None:
    def fails(given: list[str]) -> list[list[float]]:
        raise OSError("no answer")

    with pytest.raises(EmbedderError, match="no answer"):
        store.sync("docs", "a", pieces("one"), fails)
    assert store.datasets() == []
    store.create_dataset("docs")
    with pytest.raises(EmbedderError, match="no answer"):
        store.sync("docs", "a", pieces("one"), fails)
    assert store.documents("docs") == []
    assert store.dataset("docs").dimension is None


def test_reembed_puts_all_vectors_of_another_embedder_in(store: Store, counting: Any) -> None:
    store.sync("docs", "a", pieces("one", "two", "one"), counting)
    store.sync("docs", "b", pieces("three"), counting)
    made = store.reembed("docs", Other())
    assert (made.embedder, made.dimension) == ("other", 3)
    assert {tuple(chunk.embedding or ()) for chunk in store.chunks("docs")} == {(1.0, 2.0, 3.0)}
    assert store.sync("docs", "b", pieces("three", "four"), Other()).embedded == 1
    store.create_dataset("empty")
    assert store.reembed("empty", Other()).embedder is None


def test_reembed_that_fails_changes_nothing(store: Store, counting: Any, snapshot: Callable[..., Any]) -> None:
    store.sync("docs", "a", pieces(*map(str, range(700))), counting)
    before, left = snapshot(store), [2]

    def fails(given: list[str]) -> list[list[float]]:
        left[0] -= 1
        if not left[0]:
            raise OSError("no answer")
        return [[1.0] for _ in given]

    with pytest.raises(EmbedderError, match="no answer"):
        store.reembed("docs", fails)
    assert snapshot(store) == before


@pytest.mark.parametrize(
    "chunks",
    ["text", None, 3, {"text": "x"}, [3], [{"txt": "x"}], [{"text": 3}], [{"text": "x", "start": -1}],
     [{"text": "x", "start": True}], [{"text": "x", "path": "ab"}], [{"text": "x", "spans": [[1]]}],
     [{"text": "x", "metadata": 3}], [{"text": "x", "end": 2**63}], [{"text": "x", "prefix": None}]],
)  # fmt: skip
def test_what_is_no_chunk_is_refused(store: Store, chunks: Any) -> None:
    with pytest.raises(DocumentError):
        store.sync("docs", "a", chunks)
    assert store.datasets() == []


def test_dictionaries_that_say_more_or_less(store: Store) -> None:
    store.sync("docs", "a", [{"content": "b", "prefix": "a > "}, {"text": "x y", "content": "y", "more": object()}])
    assert [(one.text, one.content, one.prefix) for one in store.chunks("docs")] == [
        ("a > b", "b", "a > "),
        ("x y", "y", ""),
    ]
    assert not store.sync("docs", "a", [{"content": "b", "prefix": "a > "}, {"text": "x y", "content": "y"}]).wrote


def test_metadata_of_a_document_are_what_its_chunks_have_in_common(store: Store) -> None:
    given = [{"text": "1", "metadata": {"a": 1, "b": True, "c": "x"}}, {"text": "2", "metadata": {"a": 1, "b": 1}}]
    store.sync("docs", "a", given)
    assert store.documents("docs")[0].metadata == {"a": 1}
    assert [one.metadata for one in store.chunks("docs")] == [{"a": 1, "b": True, "c": "x"}, {"a": 1, "b": 1}]


def test_a_dataset_is_made_by_name_but_not_by_an_object_that_is_gone(store: Store) -> None:
    made = store.create_dataset("docs")
    with pytest.raises(StoreError, match="There is a dataset 'docs' already"):
        store.create_dataset("docs")
    assert store.create_dataset("docs", exist_ok=True) == made
    store.delete_dataset(made)
    with pytest.raises(NotFoundError):
        store.sync(made, "a", pieces("one"))
    assert store.sync("docs", "a", pieces("one")).dataset.id == made.id


def test_chunks_are_read_while_others_write(store: Store) -> None:
    store.sync("docs", "a", pieces(*map(str, range(1200))))
    reading = store.chunks("docs")
    assert next(reading).text == "0"
    store.sync("docs", "a", pieces(*map(str, range(600))))
    assert [chunk.text for chunk in reading] == [str(n) for n in range(1, 600)]
    with store.database.read() as connection:
        assert connection.execute(select(ChunkRow.pk)).all()


def test_what_is_new_was_updated_when_it_was_made(store: Store) -> None:
    store.sync("docs", "a", [{"text": "one"}, {"text": "two"}])
    made = [store.dataset("docs"), *store.documents("docs"), *store.chunks("docs")]
    assert all(one.updated == one.created for one in made)
    store.sync("docs", "a", [{"text": "two"}, {"text": "one"}])
    assert all(one.updated > one.created for one in [*store.documents("docs"), *store.chunks("docs")])
