"""Batches made larger and smaller, and stretches of files: every row once, in order, within the limits."""

from __future__ import annotations

import json
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from cantle_dataset.files.pieces import lengths, pieces
from cantle_dataset.files.reading import Files, opened

TABLE = pa.table({"id": [str(i) for i in range(60)], "text": ["t" * (i % 7) for i in range(60)]})


@settings(max_examples=150, deadline=None)
@given(
    sizes=st.lists(st.lists(st.integers(0, 60), max_size=8), max_size=8),
    size=st.integers(1, 100),
    rows=st.integers(1, 30),
    borders=st.lists(st.integers(0, 60), max_size=4),
)
def test_pieces(sizes: list[list[int]], size: int, rows: int, borders: list[int]) -> None:
    at = 0
    batches = []
    for part in sizes:
        texts = pa.array(["x" * n for n in part], pa.string())
        batches.append(pa.RecordBatch.from_arrays([pa.array(range(at, at + len(part))), texts], ["id", "text"]))
        at += len(part)
    borders = sorted(borders)
    made = list(pieces(iter(batches), "text", size=size, rows=rows, borders=borders))
    assert [i for piece in made for i in piece.column("id").to_pylist()] == list(range(at))
    start, ends = 0, set(borders)
    for piece, following in zip_longest(made, made[1:]):
        held = int(lengths(piece, "text").sum())
        assert 0 < piece.num_rows <= rows
        assert piece.num_rows == 1 or held <= size
        assert not any(start < border < start + piece.num_rows for border in borders)
        start += piece.num_rows
        if following is not None and start not in ends:  # it could have taken no more
            more = int(lengths(following, "text")[0])
            assert piece.num_rows == rows or held >= size or held + more > size


@pytest.mark.parametrize(
    "kind", ["string", "large_string", "string_view", "binary", "large_binary", "binary_view", "dictionary"]
)
def test_lengths_are_bytes(kind: str) -> None:
    plain = pa.array(["ü", None, "", "abc"])
    column = plain.dictionary_encode() if kind == "dictionary" else plain.cast(getattr(pa, kind)())
    batch = pa.RecordBatch.from_arrays([pa.array(["no"]), column.slice(0, 1)], ["id", "text"])
    assert list(lengths(batch, "text")) == [2]
    assert list(lengths(pa.RecordBatch.from_arrays([column], ["text"]), "text")) == [2, 0, 0, 3]
    assert list(lengths(batch, "other")) == [0]
    assert list(lengths(batch, None)) == [0]


def written(format: str, folder: Path) -> Files:
    names = []
    for i, (start, count) in enumerate([(0, 17), (17, 0), (17, 20), (37, 23)]):
        part, name = TABLE.slice(start, count), folder / f"{i}.{format}"
        names.append(str(name))
        if format == "parquet":
            parquet.write_table(part, name, row_group_size=6)
        elif format == "arrow":
            with pa.ipc.new_file(str(name), part.schema) as writer:
                writer.write_table(part, max_chunksize=5)
        elif format == "arrows":
            with pa.ipc.new_stream(str(name), part.schema) as writer:
                writer.write_table(part, max_chunksize=5)
        else:
            name.write_text("".join(json.dumps(row) + "\n" for row in part.to_pylist()))
    return opened(names, "arrow" if format == "arrows" else format, (), ["id", "text"])


@pytest.fixture(scope="module", params=["parquet", "arrow", "arrows", "jsonl"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    return written(request.param, tmp_path_factory.mktemp(request.param))


@settings(max_examples=40, deadline=None)
@given(start=st.integers(0, 60), count=st.one_of(st.none(), st.integers(0, 60)))
def test_stretches_of_files(files: Files, start: int, count: int | None) -> None:
    stop = None if count is None else min(60, start + count)
    found = [row for batch in files.batches(start, stop) for row in batch.to_pylist()]
    assert found == TABLE.slice(start, None if stop is None else stop - start).to_pylist()
    assert files.rows() == sum(rows for rows, _ in files.stretches()) == 60


def test_batches_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle_dataset.files import jsonl, reading

    monkeypatch.setattr(reading, "BATCH_BYTES", 100)
    monkeypatch.setattr(jsonl, "BATCH_BYTES", 100)
    for format in ("parquet", "jsonl"):
        (tmp_path / format).mkdir()
        for batch in written(format, tmp_path / format).batches():
            assert int(lengths(batch, "text").sum()) <= 110
    paths = [str(tmp_path / "parquet" / f"{i}.parquet") for i in range(4)]
    documents = opened(paths, "documents", ["a", "b", "c", "d"], [])
    assert [batch.num_rows for batch in documents.batches()] == [1, 1, 1, 1]
    assert [row["document_id"] for batch in documents.batches(1, 3) for row in batch.to_pylist()] == ["b", "c"]


def test_an_empty_file_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    found = opened([str(tmp_path / "none.jsonl")], "jsonl", (), ["id", "text"], [])
    assert (found.rows(), list(found.batches()), found.schema.names) == (0, [], ["id", "text"])
