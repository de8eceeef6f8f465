"""`Chunks.to_columns()` and `to_arrow()`: the values of `to_dicts()`, in lists."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, OffsetMap, Registry, Source, hookimpl
from cantle.arrow import _schema, flat
from cantle.errors import OptionError

pa = pytest.importorskip("pyarrow")

TEXT = (
    "# One\n\nAll about tides. All about ferries.\n\n## Two\n\nAll about tides.\n\n"
    "- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)
STRATEGIES: list[tuple[str | None, dict[str, Any]]] = [
    ("recursive", {"max_size": 20}),
    ("recursive", {"max_size": 20, "overlap": 5, "explain": True, "add_start_index": True}),
    ("token", {"max_size": 4, "overlap": 1}),
    ("sentence", {"max_size": 20, "explain": True}),
    ("markdown", {"headers": [("#", "h1"), ("##", "h2")]}),
    ("markdown", {"max_size": 20}),
    ("structural-context", {"max_size": 40}),
    (None, {}),
]


def rows(columns: dict[str, Any], count: int) -> list[dict[str, Any]]:
    return [{name: plain(values[i]) for name, values in columns.items()} for i in range(count)]


def plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return value._asdict()
    return [plain(item) for item in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES)
@pytest.mark.parametrize("text", ["", " \n", TEXT, TEXT * 3, "\ud800 lone\n\n\ud800 lone\n\nNUL \0 \ufeff"])
def test_columns_are_the_dictionaries_turned(strategy: str | None, options: dict[str, Any], text: str) -> None:
    document = MDocument.from_markdown(text, metadata={"lang": "en", "tags": ["a", "b"]}, source="x\ud800:y")
    fresh = [document.chunk(strategy, **options) for _ in range(4)]
    expected = fresh[0].to_dicts()
    assert rows(fresh[1].to_columns(), len(expected)) == expected
    asked, arrow = fresh[2], fresh[3].to_arrow()
    list(asked)  # all are made
    assert rows(asked.to_columns(), len(expected)) == expected
    assert arrow.equals(pa.Table.from_pylist(flat(asked), schema=_schema(pa, False)))
    assert rows(pickle.loads(pickle.dumps(asked)).to_columns(), len(expected)) == expected


def test_what_was_changed_in_a_chunk_is_in_the_columns() -> None:
    chunks = MDocument(TEXT, metadata={"a": 1}).chunk("recursive", max_size=20)
    chunks[1].metadata["mine"] = True
    chunks[2].prefix = "Tides: "
    chunks[0].oversize = True
    assert rows(chunks.to_columns(), len(chunks)) == chunks.to_dicts()
    assert chunks.to_columns(["prefix"])["prefix"][:3] == ["", "", "Tides: "]
    assert "mine" not in chunks.to_columns(["metadata"])["metadata"][0]


def test_chunks_of_a_rewritten_text() -> None:
    class Upper:
        @hookimpl
        def prepare_source(self, source: Source) -> tuple[Source, OffsetMap]:
            text = source.text.replace("tides", "TIDES!")
            at, edits = source.text.find("tides"), []
            while at >= 0:
                edits.append((at, at + 5, 6))
                at = source.text.find("tides", at + 5)
            return Source(text, source.kind, source.metadata, source.source), OffsetMap.from_edits(
                len(source.text), edits
            )

    host = Registry({"recursive": "cantle.strategies.recursive", "upper": Upper()})
    chunks = MDocument(TEXT, metadata={"a": [1]}).chunk("recursive", plugins=host, max_size=20)
    assert any(spans for spans in chunks.to_columns(["spans"])["spans"])
    assert rows(chunks.to_columns(), len(chunks)) == chunks.to_dicts()


def test_chunks_that_a_strategy_made_itself() -> None:
    made = [Chunk("ab", 0, 2, path=("x",), metadata={"n": 1}), Chunk("b", 1, 2, overlap=1, prefix="p")]
    chunks = Chunks(Source("ab", metadata={"m": 2}), made)
    assert rows(chunks.to_columns(), 2) == chunks.to_dicts()


def test_only_what_is_asked_for() -> None:
    chunks = MDocument(TEXT).chunk("recursive", max_size=20)
    assert list(chunks.to_columns(["end", "start"])) == ["end", "start"]
    assert not any(chunks._items)
    with pytest.raises(OptionError, match=r"no field 'score'; there are: id, key, "):
        chunks.to_columns(["score"])
