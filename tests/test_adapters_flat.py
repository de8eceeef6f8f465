"""`pack(flat=True)`: lists and dictionaries of a strategy out of sight; and what was the document's is known again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cantle import Chunk, MDocument
from cantle.adapters import RECORD, pack, unpack
from cantle.errors import DocumentError

TEXT = "# Harbour\n\nOpen in summer.\n\n## Berths\n\n- A\n- B\n"


def test_lists_of_a_strategy_are_in_the_record() -> None:
    document = MDocument.from_markdown(TEXT, metadata={"tags": ["a"], "n": {"x": 1}}, source="s")
    chunks = document.chunk("structural-context", max_size=40)
    assert any("blocks" in chunk.metadata for chunk in chunks)
    for chunk in chunks:
        flat, plain = pack(chunk, {}, flat=True), pack(chunk, {})
        assert "blocks" not in flat
        assert plain["blocks"] == chunk.metadata["blocks"]
        assert (flat["tags"], flat["n"]) == (["a"], {"x": 1})  # the document's own
        for made in (flat, plain):
            assert unpack(chunk.text, json.loads(json.dumps(made))) == chunk


def test_what_is_the_documents_is_known_again() -> None:
    document = MDocument.from_markdown(TEXT, metadata={"tags": ["a"]}, source="s")
    for chunk in document.chunk("structural-context", max_size=40):
        back = unpack(chunk.text, pack(chunk, {"tags": 3}))
        assert back.own_metadata == chunk.own_metadata
        assert pack(back, {}, flat=True) == pack(chunk, {}, flat=True)


@pytest.mark.parametrize("value", [(1, 2), [(1, 2)], {1: 2}, [float("nan")], "text", None, True], ids=repr)
def test_what_would_come_back_as_another_value_stays(value: Any) -> None:
    chunk = Chunk("a", 0, 1, metadata={"own": value})
    made = pack(chunk, {}, flat=True)
    assert repr(made["own"]) == repr(value)
    assert repr(unpack("a", made).metadata) == repr(chunk.metadata)


def test_a_name_that_is_shown_too() -> None:
    chunk = Chunk("a", 0, 1, metadata={"own": [1], "other": [2]})
    made = pack(chunk, {"own": "shown"}, flat=True)
    assert made["own"] == "shown"
    assert "other" not in made
    assert unpack("a", made) == chunk


def test_broken_records() -> None:
    made = pack(Chunk("a", 0, 1, metadata={"own": 1}), {})
    record = json.loads(made[RECORD])
    with pytest.raises(DocumentError, match="wrong kind"):
        unpack("a", {**made, RECORD: json.dumps({**record, "own": "own"})})
    assert unpack("a", {**made, RECORD: json.dumps({**record, "own": [["own"], 3]})}).metadata == {"own": 1}
