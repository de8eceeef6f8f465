"""`cantle chunk` on many files: documents that take too long or kill a worker, the order, memory, the last line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli

PLUGIN = '''
import os, time
from dataclasses import dataclass
from typing import ClassVar
from cantle import Chunk, hookimpl

@dataclass(frozen=True, kw_only=True)
class Poisoned:
    """One chunk, unless the text says otherwise."""
    name: ClassVar[str] = "poisoned"
    def split(self, source):
        if "DIE" in source.text:
            os._exit(3)
        if "SLEEP" in source.text:
            time.sleep(600)
        if "SLOW" in source.text:
            time.sleep(1)
        yield Chunk(source.text, 0, len(source.text))

@hookimpl
def register_strategies():
    return [Poisoned]
'''


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty documents, with the working directory beside them, and a plugin that processes find."""
    monkeypatch.chdir(tmp_path)
    info = Path("plugin", "cantle_poisoned-1.0.dist-info")
    info.mkdir(parents=True)
    Path("plugin", "cantle_poisoned.py").write_text(PLUGIN, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cantle-poisoned\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[cantle]\npoisoned = cantle_poisoned\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "plugin"))
    monkeypatch.setenv("CANTLE_PLUGINS", "poisoned")
    Path("docs").mkdir()
    for i in range(40):
        Path("docs", f"{i:02}.txt").write_text(f"text {i}", "utf-8")
    return tmp_path / "docs"


def process(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cantle", "chunk", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)


def here(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["chunk", *arguments], prog_name="cantle")


def sources(output: str) -> list[str]:
    return [json.loads(line)["source"] for line in output.splitlines()]


EVERY = [f"docs/{i:02}.txt" for i in range(40)]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_document_that_takes_too_long_costs_a_line(docs: Path, workers: str) -> None:
    (docs / "07.txt").write_text("SLEEP", "utf-8")
    done = process("docs", "-s", "poisoned", "--timeout", "2", "-w", workers)
    assert done.returncode == 1
    assert sources(done.stdout) == [name for name in EVERY if name != "docs/07.txt"]
    *said, error, total = done.stderr.splitlines()
    assert said == []
    assert error.startswith("Error: docs/07.txt: ")
    assert "2" in error
    assert total == "Error: 1 of 40 documents failed."


def test_a_document_that_kills_its_worker_costs_a_line(docs: Path) -> None:
    (docs / "07.txt").write_text("DIE", "utf-8")
    done = process("docs", "-s", "poisoned", "-w", "2")
    assert done.returncode == 1
    assert sources(done.stdout) == [name for name in EVERY if name != "docs/07.txt"]
    *said, error, total = done.stderr.splitlines()
    assert all(line.startswith("Warning: ") for line in said)
    assert error.startswith("Error: docs/07.txt: ")
    assert total == "Error: 1 of 40 documents failed."


def test_poisoned_documents_are_tried_again_by_resume(docs: Path) -> None:
    (docs / "07.txt").write_text("SLEEP", "utf-8")
    (docs / "30.txt").write_text("DIE", "utf-8")
    command = ["docs", "-s", "poisoned", "-w", "2", "-o", "out.jsonl", "--resume", "--timeout"]
    done = process(*command, "2")
    assert done.returncode == 1
    assert "38 of 40 documents are kept" in done.stderr
    assert sources(Path("out.jsonl").read_text("utf-8")) == [
        name for name in EVERY if name not in ("docs/07.txt", "docs/30.txt")
    ]
    (docs / "07.txt").write_text("text", "utf-8")
    (docs / "30.txt").write_text("text", "utf-8")
    done = process(*command, "60")
    assert (done.returncode, done.stderr) == (0, "38 of 40 documents were done before.\n")
    assert sources(Path("out.jsonl").read_text("utf-8")) == EVERY


def test_unordered_writes_what_is_done_first(docs: Path) -> None:
    (docs / "00.txt").write_text("SLOW", "utf-8")
    ordered = process("docs", "-s", "poisoned", "-w", "2")
    assert (ordered.returncode, sources(ordered.stdout)) == (0, EVERY)
    for _ in range(5):  # on a slow machine the second worker may begin late
        done = process("docs", "-s", "poisoned", "-w", "2", "--unordered")
        assert done.returncode == 0
        if sources(done.stdout) != EVERY:
            break
    assert sources(done.stdout) != EVERY
    assert sorted(done.stdout.splitlines()) == sorted(ordered.stdout.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--timeout", "0"], "0.0 is not in the range x>0"),
        (["--timeout", "-1"], "-1.0 is not in the range x>0"),
        (["--timeout", "nan"], "'nan' is no time. Give seconds, such as 60; for no limit leave it out."),
        (["--timeout", "inf"], "'inf' is no time."),
        (["--timeout", "soon"], "'soon' is not a valid"),
        (["-O", "timeout=5"], "timeout is no option of a strategy"),
        (["-O", "sha256=true"], "sha256 is no option of a strategy"),
    ],
)
def test_wrong_usage(docs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str) -> None:
    monkeypatch.setenv("CANTLE_PLUGINS", "off")
    result = here("docs", *arguments)
    assert (result.exit_code, result.stdout, message in result.stderr) == (2, "", True), result.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs pseudo-terminals")
def test_the_last_line_on_a_terminal_has_the_rate(docs: Path) -> None:
    for path in docs.iterdir():
        path.write_text("some words in a line\n" * 400, "utf-8")
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "cantle", "chunk", "docs", "-n", "100", "-o", "out.jsonl"]
    running = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 4096):
            shown += block
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert running.wait(60) == 0
    count = Path("out.jsonl").read_text("utf-8").count("\n")
    last = shown.decode("utf-8").replace("\r", "").rstrip("\n").rpartition("\n")[2]
    line = re.search(rf"40 documents, {count} chunks, 0\.3 MB, (\d+\.\d) MB/s$", last)
    assert line is not None, last
    assert float(line[1]) > 0


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4")
@pytest.mark.parametrize("arguments", [[], ["--resume"], ["-f", "json"]])
def test_memory_does_not_grow_with_the_files(docs: Path, arguments: list[str]) -> None:
    peaks = []
    for count in (20, 400):
        for i in range(count):
            (docs / f"{i}.md").write_text("# Some title\n\n" + "Some words in a line.\n" * 2500, "utf-8")
        peaks.append(peak("docs", "-s", "recursive", "-n", "2000", "-o", "out.jsonl", *arguments))
    assert peaks[1] - peaks[0] < 20 << 20  # of 22 MB of text, twice in the output


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4")
def test_documents_that_fail_are_not_held(docs: Path) -> None:
    peaks = []
    for count in (20, 400):
        for i in range(count):
            (docs / f"{i}.json").write_text(f'[{i}, "' + "some words " * 13_000, "utf-8")
        peaks.append(peak("docs", "-o", "out.jsonl", code=1))
    assert peaks[1] - peaks[0] < 20 << 20  # of 57 MB


def peak(*arguments: str, code: int = 0) -> int:
    """The most memory that a run had, in bytes."""
    running = subprocess.Popen([sys.executable, "-m", "cantle", "chunk", *arguments], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == code
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
