"""`chunk_table`: a row is what `MDocument.chunk` makes of the document, whatever batch it is in."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.commands import to_json
from cantle.errors import DocumentError, OptionError
from cantle.testing import html_documents, json_documents, latex_documents, markdown_documents, texts
from cantle_dataset import SCHEMA_VERSION, Chunker, chunk_table, schema

STRATEGIES: list[tuple[str | None, dict[str, Any]]] = [
    ("recursive", {"max_size": 30, "overlap": 7}),
    ("recursive", {"max_size": 12, "overlap": 3, "length_function": "cl100k_base", "explain": True}),
    ("character", {"separator": " ", "max_size": 30}),
    ("token", {"max_size": 6, "overlap": 2}),
    ("sentence", {"max_size": 40, "add_start_index": True}),
    ("markdown", {"headers": [("#", "h1"), ("##", "h2")]}),
    ("semantic-markdown", {"join_threshold": 20}),
    ("html", {"headers": [("h1", "one"), ("h2", "two")]}),
    ("latex", {"max_size": 50}),
    ("structural-context", {"max_size": 60}),
    ("json", {"max_size": 40}),
    (None, {}),
]
KIND = {"html": "html", "json": "json", "latex": "latex"}
TEXTS = {"html": html_documents(), "json": json_documents(), "latex": latex_documents()}


def expected(document: MDocument, strategy: str | None, options: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows, by nothing but `to_dict()`."""
    chunks = document.chunk(strategy, **options)
    rows = []
    for chunk in chunks:
        row = {name: replaced(value) for name, value in chunk.to_dict().items()}
        row |= {"document_id": row["source"], "chunk_id": row["key"], "config_hash": chunks.config_hash, "error": None}
        row["metadata"] = to_json(chunk.metadata, sort_keys=True)
        rows.append({name: row[name] for name in schema().names})
    return rows


def replaced(value: Any) -> Any:
    if isinstance(value, list):
        return [replaced(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_rows_are_the_chunks_in_any_batches(strategy: str | None, options: dict[str, Any], data: Any) -> None:
    kind = KIND.get(strategy or "", "markdown")
    made = data.draw(st.lists(TEXTS.get(strategy or "", st.one_of(texts(), markdown_documents())), max_size=5))
    made = [utf8(text) for text in made]
    documents = [
        MDocument(text, kind, {"n": i, "tags": ["a", None]}, f"doc:{i}")
        for i, text in enumerate(made)
        if strategy != "json" or _is_json(text)
    ]
    table = pa.table(
        {
            "id": pa.array([d.source for d in documents], pa.string()),
            "text": pa.array([d.text for d in documents], pa.large_string()),
            "n": pa.array([d.metadata["n"] for d in documents], pa.int64()),
            "tags": pa.array([["a", None]] * len(documents), pa.list_(pa.string())),
        }
    )
    wanted = [row for document in documents for row in expected(document, strategy, options)]
    chunker = Chunker(strategy, kind=kind, metadata=["n", "tags"], **options)
    assert chunker(table).to_pylist() == wanted
    cuts = sorted(data.draw(st.lists(st.integers(0, len(documents)), max_size=3)))
    again = pickle.loads(pickle.dumps(chunker))
    parts = [again(table.slice(a, b - a)) for a, b in zip([0, *cuts], [*cuts, len(documents)], strict=True)]
    assert all(part.schema.equals(schema(), check_metadata=True) for part in parts)
    assert [row for part in parts for row in part.to_pylist()] == wanted


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_the_schema_says_its_version() -> None:
    made = schema()
    assert made.metadata == {b"cantle.schema": str(SCHEMA_VERSION).encode()}
    assert made.names == [
        *("document_id", "chunk_id", "index", "text", "content", "prefix", "start", "end", "spans", "overlap"),
        *("path", "hash", "embed_hash", "oversize", "config_hash", "metadata", "error"),
    ]
    assert made.field("start").type == pa.int64()


COLUMN_TYPES = ["string", "large_string", "string_view", "binary", "large_binary", "binary_view", "dictionary"]


@pytest.mark.parametrize("kind", COLUMN_TYPES)
def test_every_type_of_text(kind: str) -> None:
    values = ["Tides.", None, "Über 🦆\r\n\r\nferries"]
    binary = kind.endswith(("binary", "binary_view"))
    plain = pa.array([v.encode() if binary and v is not None else v for v in values])
    column = plain.dictionary_encode() if kind == "dictionary" else plain.cast(getattr(pa, kind)())
    batch = pa.table({"id": [7, 8, 9], "text": column})
    made = chunk_table(batch, "recursive", max_size=6)
    assert [(row["document_id"], row["text"]) for row in made.to_pylist()] == [
        (id, chunk.text)
        for id, value in (("7", values[0]), ("9", values[2]))
        for chunk in MDocument(str(value)).chunk("recursive", max_size=6)
    ]


def test_no_documents_no_text_and_no_rows() -> None:
    empty = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    assert chunk_table(empty, "recursive").num_rows == 0
    assert chunk_table(empty, "recursive").schema.equals(schema())
    nothing = pa.table({"id": ["a", "b"], "text": pa.array([None, " \n"])})
    assert chunk_table(nothing, "recursive").num_rows == 0
    nulls = pa.table({"id": ["a"], "text": pa.nulls(1)})
    assert chunk_table(nulls, "recursive").num_rows == 0


def test_ids_from_texts_are_the_same_in_all_batches() -> None:
    table = pa.table({"text": ["one", "two", "one"]})
    chunker = Chunker("recursive", document_id=None)
    whole = chunker(table).to_pylist()
    assert whole == [row for i in range(3) for row in chunker(table.slice(i, 1)).to_pylist()]
    assert whole[0] == whole[2]
    assert whole[0]["document_id"] == "7692c3ad3540bb80"  # sha256("one")
    assert whole[0]["chunk_id"].startswith("7692c3ad3540bb80:7692c3ad3540bb80")


def test_metadata_from_columns_and_json_and_structs() -> None:
    table = pa.table(
        {
            "id": ["a", "b"],
            "text": ["Tides", "Ferries"],
            "json": ['{"lang": "en", "n": [1, {"x": null}]}', None],
            "struct": [{"lang": "en"}, {"lang": "pt"}],
            "map": pa.array([[("lang", "en")], []], pa.map_(pa.string(), pa.string())),
        }
    )

    def metadata(**options: Any) -> list[Any]:
        return [json.loads(row) for row in chunk_table(table, "recursive", **options).column("metadata").to_pylist()]

    assert metadata() == [{}, {}]
    assert metadata(metadata="json") == [{"lang": "en", "n": [1, {"x": None}]}, {}]
    assert metadata(metadata="struct") == [{"lang": "en"}, {"lang": "pt"}]
    assert metadata(metadata="map") == [{"lang": "en"}, {}]
    assert metadata(metadata=("struct", "json"))[1] == {"struct": {"lang": "pt"}, "json": None}


@pytest.mark.parametrize("wrong", ["[1]", "{", "3", "[" * 100_000])
def test_metadata_that_is_no_object(wrong: str) -> None:
    table = pa.table({"id": ["a", "b"], "text": ["x", "y"], "meta": [wrong, "{}"]})
    made = chunk_table(table, "recursive", metadata="meta", errors="collect").to_pylist()
    assert made[0]["error"].startswith("DocumentError: the metadata in the column 'meta' is no JSON")
    assert made[1]["text"] == "y"


def test_declared_metadata() -> None:
    table = pa.table({"id": ["a", "b"], "text": ["# One\n\nTides", "Ferries"], "lang": ["en", None]})
    declared = pa.schema([("lang", pa.string()), ("h1", pa.string()), ("never", pa.int32())])
    options: dict[str, Any] = {"kind": "markdown", "metadata": ["lang"], "headers": [("#", "h1")]}
    made = chunk_table(table, "markdown", metadata_schema=declared, **options)
    assert made.schema.field("metadata").type == pa.struct(list(declared))
    assert made.column("metadata").to_pylist() == [
        {"lang": "en", "h1": "One", "never": None},
        {"lang": None, "h1": None, "never": None},
    ]
    with pytest.raises(DocumentError, match=r"metadata has the field 'h1', which is not declared; declared are: lang"):
        chunk_table(table, "markdown", metadata_schema=pa.schema([("lang", pa.string())]), **options)
    with pytest.raises(DocumentError, match=r"does not fit the declared fields .*Declare another type"):
        chunk_table(table, "markdown", metadata_schema=pa.struct([("lang", pa.int8()), ("h1", pa.string())]), **options)
    never = pa.schema([("lang", pa.string()), ("h1", pa.string()), pa.field("never", pa.int8(), nullable=False)])
    with pytest.raises(DocumentError, match="no field 'never', which is declared as never null"):
        chunk_table(table, "markdown", metadata_schema=never, **options)


def test_an_undeclared_field_deep_inside_is_not_lost_silently() -> None:
    table = pa.table({"id": ["a"], "text": ["x"], "meta": ['{"who": [{"name": "A", "age": 3}]}']})
    inner = pa.struct([("who", pa.list_(pa.struct([("name", pa.string())])))])
    with pytest.raises(DocumentError, match=r"metadata.who\[\] has the field 'age'"):
        chunk_table(table, "recursive", metadata="meta", metadata_schema=inner)


def test_kept_columns_are_repeated() -> None:
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "text": ["one two", None, "three"],
            "url": pa.array(["u", "v", None]).dictionary_encode(),
            "at": pa.array([1, 2, 3], pa.timestamp("ns")),
            "who": [[{"n": 1}], [], None],
        }
    )
    made = chunk_table(pa.concat_tables([table, table.slice(0, 0)]), "recursive", max_size=4, keep=["who", "url", "at"])
    assert made.schema.names[-3:] == ["who", "url", "at"]
    assert made.schema.field("at").type == pa.timestamp("ns")
    assert made.column("url").to_pylist() == ["u", "u", None, None]
    assert made.column("who").to_pylist()[0] == [{"n": 1}]
    views = table.append_column("view", table.column("url").cast(pa.string()).cast(pa.string_view()))
    kept = chunk_table(views, "recursive", keep=["view"]).column("view")
    assert (kept.type, kept.to_pylist()) == (pa.string_view(), ["u", None])
    chunker = Chunker("recursive", keep=["url"])
    assert chunker.columns == ["id", "text", "url"]
    with pytest.raises(OptionError, match="give the schema of those to schema_for"):
        _ = chunker.schema
    assert chunker.schema_for(table.schema).field("url").type == table.schema.field("url").type


def test_files_are_read_where_the_chunker_runs(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nlang: en\n---\n# Tides\n\nHigh.\n", encoding="utf-8")
    (tmp_path / "b.html").write_text("<h1>Ferries</h1><p>Low.", encoding="utf-8")
    paths = [str(tmp_path / "a.md"), str(tmp_path / "b.html"), str(tmp_path / "gone.md"), None]
    table = pa.table({"id": ["a", "b", "c", "d"], "file": paths})
    made = chunk_table(table, path="file", errors="collect").to_pylist()
    assert [row["document_id"] for row in made] == ["a", "b", "c"]
    assert json.loads(made[0]["metadata"])["lang"] == "en"
    assert made[2]["error"].startswith("FileNotFoundError: ")
    plain = chunk_table(table.slice(0, 1), path="file", document_id=None).to_pylist()
    assert plain[0]["document_id"] == paths[0]
    assert plain[0]["config_hash"] == MDocument.from_file(paths[0] or "").chunk().config_hash


def test_kinds_from_a_column() -> None:
    table = pa.table(
        {"id": ["a", "b", "c"], "text": ["# A\n\nx", '{"a": 1}', "plain"], "k": ["markdown", "json", None]}
    )
    made = chunk_table(table, kind="k").to_pylist()
    hashes = {row["document_id"]: row["config_hash"] for row in made}
    for id, kind, text in zip("abc", ("markdown", "json", "text"), table.column("text").to_pylist(), strict=True):
        assert hashes[id] == MDocument(text, kind).chunk().config_hash
    assert Chunker(kind="k").config_hash is None
    assert Chunker().config_hash == hashes["c"]
    assert Chunker("recursive", max_size=9).config_hash == MDocument("x").chunk("recursive", max_size=9).config_hash


def test_importing_the_plugin_loads_no_arrow() -> None:
    code = (
        "import sys, cantle_dataset\n"
        "assert not {'pyarrow', 'numpy', 'click', 'ray', 'pyspark', 'dask', 'duckdb'} & set(sys.modules), sys.modules\n"
        "cantle_dataset.Chunker\n"
        "assert not {'ray', 'pyspark', 'dask', 'duckdb', 'pandas'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "CANTLE_PLUGINS": "off"})
