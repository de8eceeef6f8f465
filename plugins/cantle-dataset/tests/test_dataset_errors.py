"""`chunk_table`: what fails, how it is told, and that it costs nobody else; time-outs and crashes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from cantle import CantleError, Chunk, Source, registry
from cantle.errors import CantleWarning, DocumentError, OptionError, UnknownStrategyError
from cantle_dataset import BatchTooLargeError, Chunker, chunk_table


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


def test_what_a_strategy_makes_wrongly_costs_its_document_alone() -> None:
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


def test_warnings_without_end_come_back_bounded(strategies: Any) -> None:
    with pytest.warns(UserWarning, match="flood") as caught:
        Chunker(strategies.Poisoned(), timeout=60)(pa.table({"id": ["a"], "text": ["FLOOD"]}))
    assert [str(one.message) for one in caught] == [f"flood {i}" for i in range(1000)]
