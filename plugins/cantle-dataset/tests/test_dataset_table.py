"""`chunk_table`: a row is what `MDocument.chunk` makes of the document, whatever batch it is in."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument, registry
from cantle.commands import to_json
from cantle.errors import CantleWarning, DocumentError, OptionError, UnknownStrategyError
from cantle.testing import html_documents, json_documents, latex_documents, markdown_documents, texts
from cantle_dataset import SCHEMA_VERSION, BatchTooLargeError, Chunker, chunk_table, schema

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


# -- what goes wrong ------------------------------------------------------------------------------------------------


def bad_table() -> pa.Table:
    texts = pa.array([b"fine", b"\xff\xfe", b"fine too", b"again", b"last"], pa.binary())
    return pa.table({"id": pa.array(["a", "b", None, "a", "e"]), "text": texts, "n": [1, 2, 3, 4, 5]})


def test_errors_collected_have_one_row_in_their_place() -> None:
    made = chunk_table(bad_table(), "recursive", errors="collect", keep=["n"]).to_pylist()
    assert [(row["document_id"], row["chunk_id"].split(":")[-1], row["n"]) for row in made] == [
        ("a", "0", 1),
        ("b", "error", 2),
        (None, "error", 3),
        ("a", "error", 4),
        ("e", "0", 5),
    ]
    assert made[1]["error"] == "DocumentError: the column 'text' holds no UTF-8 there: byte 0xff at offset 0."
    assert "has no id" in made[2]["error"]
    assert "two documents with the id 'a' in one batch" in made[3]["error"]
    assert {name for name, value in made[1].items() if value is not None} == {"document_id", "chunk_id", "error", "n"}


def test_errors_skipped_are_warned_of() -> None:
    with pytest.warns(CantleWarning) as caught:
        made = chunk_table(bad_table(), "recursive", errors="skip")
    assert made.column("document_id").to_pylist() == ["a", "e"]
    assert len(caught) == 3
    assert "b was skipped: DocumentError: the column 'text' holds no UTF-8" in str(caught[0].message)


def test_errors_raised_name_the_document() -> None:
    with pytest.raises(DocumentError, match="holds no UTF-8") as caught:
        chunk_table(bad_table(), "recursive")
    assert "The document is 'b'." in caught.value.__notes__


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"strategy": "nope"}, "No chunking strategy is named 'nope'"),
    ({"strategy": "recursive", "max_sise": 3}, "Did you mean 'max_size'"),
    ({"max_sise": 3}, "Did you mean 'max_size'"),
    ({"text": None}, "text must be the name of a column, got None"),
    ({"document_id": 3}, "document_id must be the name of a column or None"),
    ({"metadata": ["a", 1]}, "metadata must be a list of names"),
    ({"keep": "url"}, "keep must be a list of names of columns, got 'url'"),
    ({"keep": ["text"]}, "'text' cannot be kept: chunks have one of that name"),
    ({"errors": "ignore"}, "errors must be one of 'raise', 'skip', 'collect', got 'ignore'"),
    ({"timeout": 0}, "timeout must be a number of seconds greater than 0"),
    ({"metadata_schema": {"a": "int"}}, "must be 'json', a pyarrow schema or a struct type"),
    ({"plugins": {}}, "plugins must be a Registry or None"),
    ({"extract": {"mood": True}}, "mood"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_options_are_told_in_the_driver(options: dict[str, Any], message: str) -> None:
    from cantle import CantleError

    with pytest.raises(CantleError, match=message):
        Chunker(**options)


COLUMNS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"id": ["a"]}, {}, "no column 'text'; there are: id. Name the right one by text="),
    ({"text": ["a"]}, {}, "no column 'id' for the ids of documents; there are: text. .*document_id=None"),
    ({"id": ["a"], "text": [1]}, {}, "'text' must hold strings, got int64"),
    ({"id": [1.5], "text": ["a"]}, {}, "'id' must hold strings or integers, got double"),
    ({"id": ["a"], "text": ["a"]}, {"kind": "markdwn"}, "kind='markdwn' is no kind .*and no column"),
    ({"id": ["a"], "text": ["a"]}, {"metadata": ["lang"]}, "no column 'lang'; .* by metadata="),
    ({"id": ["a"], "text": ["a"]}, {"keep": ["lang"]}, "no column 'lang' to keep"),
]


@pytest.mark.parametrize(("columns", "options", "message"), COLUMNS, ids=range(len(COLUMNS)))
def test_columns_that_do_not_fit(columns: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        chunk_table(pa.table(columns), "recursive", errors="collect", **options)


def test_two_columns_of_one_name() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array(["a"]), pa.array(["x"]), pa.array(["y"])], ["id", "text", "text"])
    with pytest.raises(OptionError, match="There are 2 columns 'text'"):
        chunk_table(batch, "recursive")


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


def test_what_a_strategy_makes_wrongly_costs_its_document_alone() -> None:
    from collections.abc import Iterator

    from cantle import Chunk, Source

    class Odd:
        name = "odd"

        def split(self, source: Source) -> Iterator[Chunk]:
            path: Any = (1,) if "odd" in source.text else ("one\ud800",)
            yield Chunk(source.text, 0, len(source.text), path=path)

    table = pa.table({"id": ["a", "b", "c"], "text": ["x", "odd", "y"]})
    made = chunk_table(table, Odd(), errors="collect").to_pylist()
    assert [row["path"] for row in made] == [["one?"], None, ["one?"]]
    assert made[1]["error"].startswith("PluginError: the strategy made chunks with a path that is not all strings")


def test_a_third_party_strategy_by_name() -> None:
    if "lines" not in registry().strategies():
        pytest.skip("cantle-example is not installed")
    made = chunk_table(pa.table({"id": ["a"], "text": ["one\ntwo\nthree"]}), "lines")
    assert "".join(made.column("content").to_pylist()).replace("\n", "") == "onetwothree"
    with pytest.raises(UnknownStrategyError):
        Chunker("line")


def test_more_text_than_a_column_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cantle_dataset.rows.MOST", 10)
    table = pa.table({"id": ["a", "b", "c"], "text": ["123456", "7", "1234567"]})
    with pytest.raises(BatchTooLargeError, match="Give fewer documents at once"):
        chunk_table(table, "recursive", errors="collect")
    alone = pa.table({"id": ["a", "b"], "text": ["12345678901", "x"]})  # no smaller batch would help it
    made = chunk_table(alone, "recursive", errors="collect").to_pylist()
    assert made[0]["error"].startswith("BatchTooLargeError: ")
    assert made[1]["text"] == "x"


# -- time-outs and crashes ------------------------------------------------------------------------------------------


def test_a_poisoned_document_fails_alone(strategies: Any) -> None:
    texts = ["one\n\ntwo", "HANG", "three", "DIE", "four", "RAISE", "WARN"]
    table = pa.table({"id": list("abcdefg"), "text": texts})
    chunker = Chunker(strategies.Poisoned(), timeout=3, errors="collect")
    with pytest.warns() as caught:
        made = chunker(table).to_pylist()
    errors = {row["document_id"]: row["error"] for row in made if row["error"] is not None}
    assert list(errors) == ["b", "d", "f"]
    assert errors["b"].startswith("DocumentTimeoutError: ")
    assert errors["d"].startswith("WorkerError: ")
    assert "no good: RAISE" in errors["f"]
    assert [row["text"] for row in made if row["error"] is None] == ["one", "two", "three", "four", "WARN"]
    assert "this text warns" in [str(one.message) for one in caught]
    again = chunker(table.slice(0, 1))  # the same process goes on
    assert again.column("text").to_pylist() == ["one", "two"]
    assert chunker(table.slice(2, 1)).column("text").to_pylist() == ["three"]


def test_a_timeout_changes_no_row() -> None:
    table = pa.table({"id": ["a", "b"], "text": ["# One\n\nTides. " * 5, "Ferries"]})
    options: dict[str, Any] = {"kind": "markdown", "keep": ["id"], "max_size": 20}
    apart = chunk_table(table, "structural-context", timeout=60, **options)
    assert apart.equals(chunk_table(table, "structural-context", **options))
    assert apart.schema.equals(chunk_table(table, "structural-context", **options).schema, check_metadata=True)


def test_a_strategy_that_cannot_be_sent_says_so() -> None:
    class Locked:
        def __init__(self) -> None:
            self.lock = threading.Lock()

        def __call__(self, text: str) -> int:
            return len(text)

    with pytest.raises(OptionError, match=r"cannot be sent to the process that a timeout needs.*leave out timeout"):
        chunk_table(pa.table({"id": ["a"], "text": ["x"]}), "recursive", length_function=Locked(), timeout=9)


def test_importing_the_plugin_loads_no_arrow() -> None:
    code = (
        "import sys, cantle_dataset\n"
        "assert not {'pyarrow', 'numpy', 'click', 'ray', 'pyspark', 'dask', 'duckdb'} & set(sys.modules), sys.modules\n"
        "cantle_dataset.Chunker\n"
        "assert not {'ray', 'pyspark', 'dask', 'duckdb', 'pandas'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "CANTLE_PLUGINS": "off"})
