"""`contextualize`: the file that keeps the notes, and progress."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from scripted_clients import (
    COUNTS,
    DOCUMENT,
    TEMPLATE,
    WAYS,
    Client,
    dictionaries,
)

from cantle import MDocument, contextualize
from cantle.errors import ContextWarning, OptionError

# The file of notes


@WAYS
@COUNTS
def test_a_run_is_taken_up_again(run: Any, concurrency: int, tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"

    class Dies(BaseException):
        pass

    client, first = Client(lambda user: Dies() if "block 3" in user else f"n {user[-1]}"), dictionaries(6)
    with pytest.raises(Dies):
        run(client, DOCUMENT, first, template=TEMPLATE, resume=notes, concurrency=concurrency)
    kept = {json.loads(line)["chunk"] for line in notes.read_text().splitlines()}
    assert {"d#0", "d#1"} <= kept
    again, second = Client(lambda user: f"n {user[-1]}"), dictionaries(6)
    run(again, DOCUMENT, second, template=TEMPLATE, resume=str(notes), concurrency=concurrency)
    assert [c["context"] for c in second] == [f"n {i}" for i in range(6)]
    assert len(again.messages) == 6 - len(kept)
    assert {f"d#{user[-1]}" for user in again.users} == {f"d#{i}" for i in range(6)} - kept
    third = dictionaries(6)
    run(Client(lambda user: AssertionError()), DOCUMENT, third, template=TEMPLATE, resume=notes)
    assert third == second


def test_what_changes_the_answer_changes_the_key(tmp_path: Path) -> None:
    base: dict[str, Any] = {"template": TEMPLATE, "system": "s", "model": "m", "resume": tmp_path / "n"}
    changes: list[dict[str, Any]] = [
        {},
        {"template": "{chunk}"},
        {"system": "t"},
        {"model": "o"},
        {"temperature": 0.5},
        {"document_max_chars": 3},
    ]
    for number, change in enumerate(changes):
        client = Client(lambda user: "n")
        contextualize(client, DOCUMENT, dictionaries(1), **{**base, **change})
        assert len(client.messages) == 1, number
        contextualize(client, DOCUMENT, dictionaries(1), **{**base, **change})
        assert len(client.messages) == 1, number
    # Not what the answer does not depend on.
    client = Client(lambda user: "n")
    contextualize(client, DOCUMENT, dictionaries(1, id="other"), embed="content", concurrency=2, **base)
    assert not client.messages


NAMED: dict[str, Any] = {"resume_key": "chunk", "system": "s", "model": "m", "template": TEMPLATE}


def test_notes_may_outlive_a_change_elsewhere_in_the_document(tmp_path: Path) -> None:
    text = "# A\n\nFirst part.\n\n# B\n\nSecond part.\n\n# C\n\nThird part."
    for key, asked in (("prompt", 3), ("chunk", 1)):
        notes = tmp_path / key
        for version, count in ((text, 3), (text.replace("Second", "New"), asked)):
            client = Client(lambda user: f"n {len(user)}")
            doc = MDocument.from_markdown(version, source="d")
            chunks = doc.chunk("structural-context", max_size=40, min_chunk_size=0)
            new = contextualize(client, None, chunks, resume=notes, resume_key=key)
            assert len(client.messages) == count
            assert all(chunk.metadata["context"] for chunk in new)


@pytest.mark.parametrize(
    "change",
    [
        {"template": "{chunk}"},
        {"system": "t"},
        {"system": " "},
        {"model": "o"},
        {"temperature": 0.5},
        {"content": "block 0 "},
        {"breadcrumb": "S > T"},
        {"heading": "U"},
        {"id": "e#0"},
        {"resume_key": "prompt"},
    ],
)
def test_what_is_in_the_key_of_a_chunk(change: dict[str, Any], tmp_path: Path) -> None:
    client = Client(lambda user: "n")
    contextualize(client, DOCUMENT, dictionaries(1), resume=tmp_path / "n", **NAMED)
    contextualize(client, f"More. {DOCUMENT}", dictionaries(1, id="d#7"), resume=tmp_path / "n", **NAMED)
    contextualize(client, DOCUMENT, dictionaries(1), resume=tmp_path / "n", document_max_chars=3, **NAMED)
    assert len(client.messages) == 1
    fields = {name: value for name, value in change.items() if name in ("content", "breadcrumb", "heading", "id")}
    options = {name: value for name, value in change.items() if name not in fields}
    contextualize(client, DOCUMENT, dictionaries(1, **fields), resume=tmp_path / "n", **{**NAMED, **options})
    assert len(client.messages) == 2


def test_the_built_in_prompt_has_a_key_without_the_document(tmp_path: Path) -> None:
    client = Client(lambda user: "n")
    options: dict[str, Any] = {"resume": tmp_path / "n", "resume_key": "chunk"}
    contextualize(client, "block 0 \ud800", dictionaries(1, content="block 0 \ud800"), **options)
    contextualize(client, "block 0 \ud800 and more", dictionaries(1, content="block 0 \ud800"), **options)
    assert len(client.messages) == 1
    contextualize(client, "block 0 \ud800", dictionaries(1, content="block 0 \ud800"), language="pt", **options)
    assert len(client.messages) == 2


def test_a_torn_line_is_passed_over_and_the_next_begins_anew(tmp_path: Path) -> None:
    notes = tmp_path / "n"
    contextualize(Client(), DOCUMENT, dictionaries(3), template=TEMPLATE, resume=notes)
    whole = notes.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (1, 12, len(lines[2]) - 1, len(lines[2])):
        notes.write_bytes(b"".join(lines[:2]) + lines[2][:-cut])
        client, chunks = Client(), dictionaries(3)
        contextualize(client, DOCUMENT, chunks, template=TEMPLATE, resume=notes)
        assert len(client.messages) == (0 if cut == 1 else 1), cut  # the line break alone was missing
        assert all(c["context"] for c in chunks)
        contextualize(Client(lambda user: AssertionError()), DOCUMENT, dictionaries(3), template=TEMPLATE, resume=notes)
    notes.write_bytes(b'{"k')
    contextualize(Client(), DOCUMENT, dictionaries(1), template=TEMPLATE, resume=notes)
    contextualize(Client(lambda user: AssertionError()), DOCUMENT, dictionaries(1), template=TEMPLATE, resume=notes)
    lines = notes.read_bytes().splitlines(keepends=True)
    other = lines[1].replace(b'"key": "', b'"key": "0')
    notes.write_bytes(
        other
        + b'{"key": 1, "note": 2}\n'
        + lines[1].replace(b"note of block 0", b"")
        + b"[" * 100_000
        + b"\n\xff\n"
        + lines[1]
    )
    contextualize(Client(lambda user: AssertionError()), DOCUMENT, dictionaries(1), template=TEMPLATE, resume=notes)


def test_a_file_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    client = Client()
    for text in ("# Mine\n", "\n# Mine", '{\n  "key": "a"\n}', "{}", '{"note": "a"}\n'):
        other = tmp_path / "report.md"
        other.write_text(text)
        with pytest.raises(OptionError, match=r"which begins with b'.*\. Nothing was written to it"):
            contextualize(client, DOCUMENT, dictionaries(), resume=other)
        assert other.read_text() == text
    for path in (tmp_path, tmp_path / "nowhere" / "n"):
        with pytest.raises(OptionError, match="resume must be the path of a file to write notes to"):
            contextualize(client, DOCUMENT, dictionaries(), resume=path)
    assert not client.messages


def test_concurrent_appends_are_whole_lines(tmp_path: Path) -> None:
    notes = tmp_path / "n"

    def work(n: int) -> None:
        client = Client(lambda user: f"{user} " * 500)
        contextualize(client, f"block 0 {n}", dictionaries(20), template=TEMPLATE, resume=notes, concurrency=4)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Who opens the file while another writes may see half a line, and begins a new one: an empty one, that is.
    entries = [json.loads(line) for line in notes.read_text().splitlines() if line]
    assert len({entry["key"] for entry in entries}) == len(entries) == 80


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_notes_that_cannot_be_written_are_not_lost() -> None:
    chunks = dictionaries(1)
    with pytest.warns(ContextWarning, match="note of chunk d#0 is not in the resume file: OSError"):
        contextualize(Client(lambda user: "n"), DOCUMENT, chunks, resume="/dev/full", fail_fast=True)
    assert chunks[0]["context"] == "n"


# Progress


@WAYS
@COUNTS
def test_progress_is_told(run: Any, concurrency: int, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    thread = threading.current_thread()

    def progress(done: int, total: int) -> None:
        assert threading.current_thread() is thread
        told.append((done, total))

    options: dict[str, Any] = {"progress": progress, "concurrency": concurrency, "resume": tmp_path / "n"}
    run(Client(), DOCUMENT, [*dictionaries(4), *dictionaries(1, context="skipped")], **options)
    assert told == [(i, 4) for i in range(1, 5)]
    run(Client(), DOCUMENT, dictionaries(4), **options)
    assert told[4:] == told[:4]


def test_the_bar_is_drawn_on_terminals_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contextualize(Client(), DOCUMENT, dictionaries(2), progress=True)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    contextualize(Client(), DOCUMENT, dictionaries(2), progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert "Chunks" in err
    assert "2 notes" in err
