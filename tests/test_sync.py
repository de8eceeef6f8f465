"""What changed between two runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, diff
from cantle.errors import DocumentError
from cantle.sync import Diff, read_jsonl


def run(text: str, source: str = "a", **metadata: Any) -> Chunks:
    """A chunk for each paragraph."""
    return MDocument.from_text(text, source=source, metadata=metadata).chunk(max_size=6, overlap=0, separators=["\n\n"])


def sorted_out(found: Diff) -> dict[str, Any]:
    def text(record: Any) -> str:
        return str(record.text if isinstance(record, Chunk) else record["text"])

    pairs = {name: [text(pair.new) for pair in getattr(found, name)] for name in ("kept", "moved")}
    return {**pairs, **{name: [text(r) for r in getattr(found, name)] for name in ("new", "gone", "embed")}}


def test_nothing_changed() -> None:
    found = diff(run("one\n\ntwo"), run("one\n\ntwo"))
    assert found.counts == {"kept": 2, "moved": 0, "new": 0, "gone": 0, "embed": 0}
    assert not found.changed


def test_an_insertion_moves_the_rest_and_embeds_only_itself() -> None:
    found = diff(run("one\n\ntwo"), run("zero\n\none\n\ntwo"))
    assert sorted_out(found) == {"kept": [], "moved": ["one", "two"], "new": ["zero"], "gone": [], "embed": ["zero"]}
    assert found.changed
    assert found.summary() == "0 kept, 2 moved, 1 new, 0 gone; 1 text to embed (4 characters)"


def test_an_edit_is_one_new_and_one_gone() -> None:
    found = diff(run("one\n\ntwo\n\nend"), run("one\n\n2wo\n\nend"))
    assert sorted_out(found) == {"kept": ["one", "end"], "moved": [], "new": ["2wo"], "gone": ["two"], "embed": ["2wo"]}


def test_a_renamed_file_is_moved() -> None:
    found = diff(run("one\n\ntwo", "a"), run("one\n\ntwo", "b"))
    assert found.counts == {"kept": 0, "moved": 2, "new": 0, "gone": 0, "embed": 0}
    assert isinstance(found.moved[0].old, Chunk)
    assert (found.moved[0].old.source, found.moved[0].old.text) == ("a", "one")


def test_changed_metadata_moves() -> None:
    assert diff(run("one", lang="en"), run("one", lang="pt")).counts["moved"] == 1


def test_repeated_texts_are_told_apart_by_their_occurrence() -> None:
    found = diff(run("same\n\nsame"), run("same\n\nsame\n\nsame"))
    assert sorted_out(found) == {"kept": ["same", "same"], "moved": [], "new": ["same"], "gone": [], "embed": []}
    found = diff(run("same\n\nsame\n\nsame"), run("same"))
    assert found.counts == {"kept": 1, "moved": 0, "new": 0, "gone": 2, "embed": 0}


def test_a_new_text_is_embedded_once() -> None:
    found = diff(run("one"), run("new\n\none\n\nnew"))
    assert [record.start for record in found.embed if isinstance(record, Chunk)] == [0]
    assert len(found.new) == 2


def test_documents_without_names_share_keys() -> None:
    old = [*run("one", ""), *run("one", ""), *run("two", "")]
    found = diff(old, [*run("one", ""), *run("one", "")])
    assert found.counts == {"kept": 2, "moved": 0, "new": 0, "gone": 1, "embed": 0}


def test_the_prefix_is_embedded_too() -> None:
    doc = MDocument.from_text("text", source="a")
    old, new = (Chunks(doc, [Chunk("text", 0, 4, prefix=prefix)]) for prefix in ("A\n", "B\n"))
    assert diff(old, new).counts == {"kept": 0, "moved": 0, "new": 1, "gone": 1, "embed": 1}


def test_chunks_compare_with_their_dictionaries(tmp_path: Path) -> None:
    chunks = run("one\n\ntwo", tags=("x", "y"))  # a tuple is a list in JSON
    path = tmp_path / "a.jsonl"
    path.write_text(chunks.to_jsonl(), "utf-8")
    assert diff(chunks.to_dicts(), chunks).counts["kept"] == 2
    assert diff(read_jsonl(path), chunks).counts["kept"] == 2


def test_records_of_others_need_only_a_text() -> None:
    found = diff([{"text": "one"}, {"text": "two"}], [{"text": "two"}, {"text": "three"}])
    assert sorted_out(found) == {"kept": ["two"], "moved": [], "new": ["three"], "gone": ["one"], "embed": ["three"]}


@pytest.mark.parametrize("record", [{}, {"text": 1}, {"content": "a"}])
def test_what_is_no_chunk(record: dict[str, Any]) -> None:
    with pytest.raises(DocumentError, match="record 0 of the new run has no embed_hash and no text"):
        diff([], [record])
    with pytest.raises(
        DocumentError, match="the old run must hold chunks or their dictionaries, got str at position 0"
    ):
        diff(["text"], [])  # type: ignore[list-item]


def test_the_work_grows_with_the_records() -> None:
    """Counted, not timed: the function calls that comparing takes."""

    def calls(count: int) -> int:
        old = [{"text": f"t{i % (count // 2)}", "start": i} for i in range(count)]
        new = [{"text": f"t{i % (count // 2) + 5}", "start": i} for i in range(count)]
        seen = 0

        def tick(frame: object, event: str, argument: object) -> None:
            nonlocal seen
            seen += 1

        sys.setprofile(tick)
        try:
            diff(old, new)
        finally:
            sys.setprofile(None)
        return seen

    assert calls(8000) < 8.8 * calls(1000)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"text": "a"}\n{"text"\n', "line 2: not JSON"),
        (b'\n{"text": "a"}\n[1]\n', "line 3: a chunk must be a JSON object, got list"),
        (b'{"content": "a"}\n', "line 1: the object has no text and no embed_hash"),
        (b'{"text": "caf\xe9"}\n', "line 1: not UTF-8"),
        (b"[" * 100_000, "line 1: not JSON"),
        (b'[\n{"text": "a"},\n{"text"\n]', "line 4: not JSON"),
        (b'[\n{"text": "a"}\n{"text": "b"}\n]', "line 3: not JSON"),
        (b'[{"text": "a"},\n{"text": "caf\xe9"}]', "line 2: not UTF-8"),
        (b'[{"text": "a"}, 1]', "record 1: a chunk must be a JSON object, got int"),
        (b'[{"content": "a"}]', "record 0: the object has no text and no embed_hash"),
        (b"id,key,index\na,b,1\n", "line 1: not JSON"),
        (b"PAR1\x15\x04\x80\xff", "line 1: not UTF-8"),
    ],
)
def test_errors_in_a_file_name_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=f"bad.jsonl, {message}") as caught:
        read_jsonl(path)
    assert str(caught.value).endswith("`cantle diff` reads what `cantle chunk -f jsonl` writes.")


def test_a_file_may_have_a_mark_empty_lines_and_lone_surrogates(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"text": "\ud800"}).encode() + b"\n\n" + b'{"text": "b"}')
    assert [record["text"] for record in read_jsonl(path)] == ["\ud800", "b"]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n "])
def test_a_file_may_be_one_array(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(start + b"[\n" + json.dumps({"text": "\ud800"}).encode() + b',\n{"text": "b"}\n]\n')
    assert [record["text"] for record in read_jsonl(path)] == ["\ud800", "b"]
    path.write_bytes(start + b"[]\n")
    assert read_jsonl(path) == []


def test_the_same_key_with_another_text_is_another_chunk() -> None:
    old, new = {"key": "k", "text": "one"}, {"key": "k", "text": "two"}
    assert diff([old], [new]).counts | {"kept": 0, "new": 1, "gone": 1} == diff([old], [new]).counts


def test_metadata_of_any_kind_is_compared() -> None:
    a = {"text": "one", "metadata": {1: "x", "b": float("nan"), None: {2}}}
    assert len(diff([a], [dict(a)]).kept) == 1
