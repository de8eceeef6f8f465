"""Extraction at length: processes, interruption, progress, many chunks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from scripted_extraction import TEXT, Setup, part_of

from cantle import MDocument, chunk_many
from cantle_llm.testing import Asked, ScriptedServer

FIELDS = {"summary": {"llm": "m"}}
COMMAND = [sys.executable, "-m", "cantle", "chunk", "t.txt", "-s", "character", "-O", f"extract={json.dumps(FIELDS)}"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    monkeypatch.setenv("CANTLE_LLM_RETRIES", "0")
    monkeypatch.setenv("CANTLE_LLM_ANSWERS", str(tmp_path / "answers.jsonl"))
    monkeypatch.setenv("CANTLE_LLM_CONCURRENCY", "1")
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def kept(here: Path) -> int:
    return len((here / "answers.jsonl").read_text().splitlines())


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_extraction_can_be_taken_up_again(here: Path) -> None:
    process: subprocess.Popen[str] | None = None

    def answer(asked: Asked) -> str:
        if asked.number == 1:
            assert process is not None
            process.send_signal(signal.SIGINT)
        return f"about {part_of(asked.prompt)}"

    with ScriptedServer(answer) as server:
        environment = {**os.environ, "CANTLE_LLM_BASE_URL": server.url}
        process = subprocess.Popen(COMMAND, env=environment, stdout=-1, stderr=-1, text=True)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 130, stderr
        assert "Traceback" not in stderr
        assert f"The answers so far are in {here / 'answers.jsonl'}. Extract again" in stderr
        paid = kept(here)
        assert 1 <= paid <= 2
        done = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert [row["metadata"]["section_summary"] for row in rows] == ["about 0", "about 1", "about 2"]
        assert len(server.requests) <= 4
        assert kept(here) == 3


def test_several_processes_share_the_file_of_answers(here: Path, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    model.answer = lambda asked: f"about {asked.prompt.partition('word')[2].split()[0]}"
    documents = [MDocument(f"word{i}", source=str(i)) for i in range(6)]
    for _ in range(2):
        results = list(chunk_many(documents, workers=2, extract=FIELDS))
        found = [chunk.metadata["section_summary"] for result in results for chunk in result.chunks or []]
        assert found == [f"about {i}" for i in range(6)]
    assert len(model.prompts) == 6
    assert kept(here) == 6


def test_many_chunks_in_order_and_no_thread_is_left(model: Setup) -> None:
    model.answer = lambda asked: asked.prompt.partition("word")[2].split()[0]
    texts = "\n\n".join(f"word{i}" for i in range(300))
    found = model.extract("keywords", text=texts, llm=model.client(concurrency=16))
    assert [chunk.metadata["excerpt_keywords"] for chunk in found] == [str(i) for i in range(300)]
    assert model.server.most_at_once <= 16
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("cantle-llm")]


BAR = """
import sys
from cantle import MDocument
from cantle_llm import Client
from cantle_llm.extracting import progress
from cantle_llm.testing import ScriptedServer

progress._SLOW = float(sys.argv[1])
with ScriptedServer(lambda asked: "ok") as server, Client("m", base_url=server.url, concurrency=1) as client:
    text = "\\n\\n".join(f"word{i}" for i in range(5))
    MDocument(text).chunk("character", extract={"summary": {"llm": client}})
"""


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize(("slow", "shown"), [("0", True), ("1000", False)])
def test_a_bar_appears_on_a_terminal_when_it_takes_long(slow: str, shown: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen([sys.executable, "-c", BAR, slow], stderr=theirs, env=environment)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert process.wait(120) == 0, said
    assert (b"Calls" in said) is shown


def test_no_bar_where_standard_error_is_no_terminal(capfd: pytest.CaptureFixture[str], model: Setup) -> None:
    model.answer = lambda asked: "ok"
    model.extract("summary")
    assert capfd.readouterr() == ("", "")
