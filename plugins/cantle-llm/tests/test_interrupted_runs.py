"""Ctrl-C: what is waited for is said, a second one ends at once, and nothing is said to be on file that is not."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_extraction import TEXT, Setup

from cantle import MDocument
from cantle_llm import contextualize, partition
from cantle_llm.testing import Asked, Fault, ScriptedServer

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

SAID = "Waiting for 3 calls that are under way and may be billed. Ctrl-C again ends at once."


def commands(name: str, server: ScriptedServer, *more: str) -> list[str]:
    several = {"contextualize": ["-s", "character"], "partition": ["--max-lines-per-session", "1"]}
    given = [sys.executable, "-m", "cantle", name, "t.txt", "--model", "m", "--base-url", server.url]
    return [*given, *several[name], "--concurrency", "3", "--answers", "a.jsonl", *more]


@pytest.mark.parametrize("name", ["contextualize", "partition"])
def test_a_second_interrupt_ends_at_once(name: str, here: Path) -> None:
    all_there, release = threading.Barrier(4), threading.Event()

    def answer(asked: Asked) -> Any:
        all_there.wait(60)
        release.wait(120)
        return "late"

    with ScriptedServer(answer) as server:
        process = subprocess.Popen(commands(name, server), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            all_there.wait(60)
            process.send_signal(signal.SIGINT)
            lines = []
            while not lines or SAID not in lines[-1]:
                line = process.stderr.readline()
                assert line, lines
                lines.append(line)
            process.send_signal(signal.SIGINT)
            _, rest = process.communicate(timeout=60)  # while nothing is answered
        finally:
            release.set()
            process.kill()
    assert process.returncode == 130
    assert "The answers so far" not in rest  # there are none
    assert "So far: 0 calls." in rest
    assert "Traceback" not in rest
    assert not Path("a.jsonl").exists()


class Stderr(io.StringIO):
    """Standard error that tells once the line on waiting is there."""

    def __init__(self) -> None:
        super().__init__()
        self.said = threading.Event()

    def write(self, text: str) -> int:
        found = super().write(text)
        if "Waiting for" in self.getvalue():
            self.said.set()
        return found


def library(model: Setup, tmp_path: Path) -> dict[str, Callable[[], object]]:
    client = model.client(concurrency=3, answers=tmp_path / "a.jsonl")
    return {
        "partition": lambda: partition(TEXT, client=client, max_lines_per_session=1),
        "contextualize": lambda: contextualize(MDocument(TEXT).chunk("character"), client),
        "extract": lambda: model.extract("summary", llm=client),
    }


@pytest.mark.parametrize("name", ["partition", "contextualize", "extract"])
@pytest.mark.filterwarnings("ignore:The answers so far")
def test_what_is_waited_for_is_said_and_kept(
    name: str, model: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate, stderr = threading.Barrier(3), Stderr()
    monkeypatch.setattr(sys, "stderr", stderr)

    def answer(asked: Asked) -> Any:
        if gate.wait(60) == 0:
            os.kill(os.getpid(), signal.SIGINT)
        assert stderr.said.wait(20)
        return {"blocks": [{"ranges": [[0, 0]], "label": "All"}], "reasoning": ""} if asked.schema else "late"

    model.answer = answer
    with pytest.raises(KeyboardInterrupt):
        library(model, tmp_path)[name]()
    assert SAID in stderr.getvalue()
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 3


class Ticking:
    """Progress that is told when time passes."""

    def __init__(self) -> None:
        self.ticked = threading.Event()

    def __call__(self, done: int, total: int) -> None:
        """Nothing is shown."""

    def tick(self) -> None:
        self.ticked.set()


@pytest.mark.parametrize("name", ["partition", "contextualize", "extract"])
def test_time_passes_while_no_call_ends(name: str, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Ticking()
    monkeypatch.setattr("cantle_llm.extracting.asking.SlowBar.tick", lambda bar: shown.tick())

    def answer(asked: Asked) -> Any:
        assert shown.ticked.wait(20)
        return {"blocks": [{"ranges": [[0, 0]], "label": "All"}], "reasoning": ""} if asked.schema else "late"

    model.answer, client = answer, model.client(concurrency=3)
    if name == "partition":
        partition(TEXT, client=client, max_lines_per_session=1, progress=shown)
    elif name == "contextualize":
        contextualize(MDocument(TEXT).chunk("character"), client, progress=shown)
    else:
        model.extract("summary", llm=client)
    assert shown.ticked.is_set()


def test_extraction_says_that_answers_are_on_file_only_if_there_are_any(model: Setup, tmp_path: Path) -> None:
    client = model.client(concurrency=3, answers=tmp_path / "a.jsonl")

    def answer(asked: Asked) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return Fault.http(500)

    model.answer = answer
    with warnings.catch_warnings(record=True, action="always") as caught, pytest.raises(KeyboardInterrupt):
        MDocument("One.").chunk(extract={"summary": {"by": "llm", "llm": client}})
    assert [str(one.message) for one in caught if "answers so far" in str(one.message)] == []


@pytest.mark.parametrize(("fault", "again"), [(Fault.http(404), False), (Fault.http(400), False), (Fault.cut(), True)])
def test_extraction_gives_only_advice_that_helps(fault: Fault, again: bool, model: Setup, tmp_path: Path) -> None:
    client = model.client(concurrency=1, answers=tmp_path / "a.jsonl")
    model.answer = lambda asked: "fine" if asked.number == 0 else fault
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.extract("summary", llm=client)
    (summed,) = [str(one.message) for one in caught if "got nothing" in str(one.message)]
    assert ("Extract again" in summed) is again
