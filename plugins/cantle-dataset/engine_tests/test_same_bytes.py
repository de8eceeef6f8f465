"""The same bytes from one process, from two, from Ray and from Spark: real text, cut into 20,000 documents."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cantle import MDocument, chunk_many
from cantle_dataset import chunk_dataframe, chunk_dataset, chunk_table, schema

CORPORA = Path(__file__).parent / "corpora" / "corpora.tar.xz"
COUNT = 20_000
KINDS = {".md": "markdown", ".tex": "latex"}
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("recursive", {"max_size": 128, "overlap": 16, "length_function": "cl100k_base"}),
    ("structural-context", {"max_size": 600}),
]


@pytest.fixture(scope="module")
def documents() -> list[MDocument]:
    """The text in documents of equal length but the last of each file; the cuts are where they fall."""
    texts: dict[str, str] = {}
    with tarfile.open(CORPORA) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            texts[member.name] = file.read().decode()
    size = sum(map(len, texts.values())) // COUNT
    made = [
        MDocument(text[at : at + size], KINDS.get(Path(name).suffix, "text"), {"file": name}, f"{name}:{at:08}")
        for name, text in texts.items()
        for at in range(0, len(text), size)
    ]
    assert len(made) >= COUNT
    return made[:COUNT]


@pytest.fixture(scope="module")
def table(documents: list[MDocument]) -> pa.Table:
    return pa.table(
        {
            "id": [document.source for document in documents],
            "text": [document.text for document in documents],
            "kind": [document.kind for document in documents],
            "file": [document.metadata["file"] for document in documents],
        }
    )


def written(table: pa.Table) -> bytes:
    """A table sorted by the ids of its chunks, as a stream of Arrow: the bytes that are compared."""
    table = table.sort_by("chunk_id").combine_chunks().replace_schema_metadata(None)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def rows(results: Iterator[Any], config: str) -> pa.Table:
    """Chunks as a table by `to_dict()`, without any code of the plugin but the schema."""
    from cantle.commands import to_json

    made = []
    for chunks in results:
        for chunk in chunks:
            row = chunk.to_dict()
            row |= {"document_id": row["source"], "chunk_id": row["key"], "config_hash": config, "error": None}
            row["metadata"] = to_json(row["metadata"], sort_keys=True)
            made.append(row)
    return pa.Table.from_pylist(made, schema=schema())


@pytest.fixture(scope="module", params=SETTINGS, ids=[name for name, _ in SETTINGS])
def setting(request: pytest.FixtureRequest, documents: list[MDocument]) -> tuple[str, dict[str, Any], bytes]:
    """A strategy, its options, and the bytes that a loop over the documents gives."""
    strategy, options = request.param
    config = documents[0].chunk(strategy, **options).config_hash
    return strategy, options, written(rows((d.chunk(strategy, **options) for d in documents), config))


def test_two_processes(setting: Any, documents: list[MDocument]) -> None:
    strategy, options, expected = setting
    config = documents[0].chunk(strategy, **options).config_hash
    results = chunk_many(documents, strategy, workers=2, ordered=False, **options)
    assert written(rows((result.chunks for result in results), config)) == expected


def test_one_table(setting: Any, table: pa.Table) -> None:
    strategy, options, expected = setting
    made = chunk_table(table, strategy, kind="kind", metadata=("file",), **options)
    assert written(pa.Table.from_batches([made])) == expected


def test_ray(setting: Any, table: pa.Table, ray_session: Any) -> None:
    strategy, options, expected = setting
    dataset = ray_session.data.from_arrow([table.slice(at, 1700) for at in range(0, len(table), 1700)])
    made = chunk_dataset(dataset, strategy, kind="kind", metadata=("file",), batch_size=700, **options)
    made = pa.concat_tables(ray_session.get(made.to_arrow_refs()))
    assert written(made.cast(schema())) == expected


def test_spark(setting: Any, table: pa.Table, spark_session: Any, tmp_path: Path) -> None:
    strategy, options, expected = setting
    frame = spark_session.createDataFrame(table.to_pandas()).repartition(7)
    made = chunk_dataframe(frame, strategy, kind="kind", metadata=("file",), **options).toArrow()
    assert written(made.cast(schema())) == expected
