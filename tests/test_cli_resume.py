"""`cantle chunk --resume` in real processes, which are killed, interrupted or run out of disk."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

PLUGIN = '''
import os, time
from dataclasses import dataclass
from typing import ClassVar
from cantle import Chunk, hookimpl

@dataclass(frozen=True, kw_only=True)
class Noted:
    """A chunk a line; every document that is cut is noted in a file."""
    name: ClassVar[str] = "noted"
    slow: float = 0.0
    def split(self, source):
        with open(os.environ["NOTES"], "a") as file:
            file.write(source.source + "\\n")
        time.sleep(self.slow)
        if "BREAK" in source.text:
            raise ValueError("it broke")
        if "DIE" in source.text:
            os._exit(3)
        if "SLEEP" in source.text:
            time.sleep(600)
        at = 0
        for line in source.text.splitlines(keepends=True):
            if line.strip():
                yield Chunk(line, at, at + len(line))
            at += len(line)

@hookimpl
def register_strategies():
    return [Noted]
'''


class Place:
    """A directory with documents, and a plugin that notes what is cut."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.docs = path / "docs"
        self.docs.mkdir()
        plugin = path / "plugin"
        info = plugin / "cantle_noted-1.0.dist-info"
        info.mkdir(parents=True)
        (plugin / "cantle_noted.py").write_text(PLUGIN, "utf-8")
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: cantle-noted\nVersion: 1.0\n"
            "Requires-Dist: cantle>=0\nRequires-Dist: Click>=8\nRequires-Dist: rich; extra == 'more'\n",
            "utf-8",
        )
        (info / "entry_points.txt").write_text("[cantle]\nnoted = cantle_noted\n", "utf-8")
        self.notes = path / "notes.txt"
        self.env = {**os.environ, "PYTHONPATH": str(plugin), "CANTLE_PLUGINS": "noted", "NOTES": str(self.notes)}

    def write(self, count: int) -> None:
        for i in range(count):
            (self.docs / f"{i:03}.md").write_text(f"# Title {i}\n\n" + f"Line of document {i}.\n" * (i % 7), "utf-8")

    def start(self, *arguments: str, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "cantle", "chunk", *arguments],
            cwd=self.path,
            env=self.env,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            **more,
        )

    def run(self, *arguments: str, **more: Any) -> tuple[int, str]:
        with self.start(*arguments, **more) as running:
            said = running.communicate(timeout=120)[1]
        return running.returncode, said

    def cut(self) -> list[str]:
        """What was cut since this was asked last."""
        found = self.notes.read_text("utf-8").split() if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return found

    def done(self, out: str) -> int:
        """How many documents the journal holds."""
        try:
            return (self.path / f"{out}.partial.journal").read_bytes().count(b"\n") - 1
        except FileNotFoundError:
            return -1

    def left(self) -> set[str]:
        return {p.name for p in self.path.iterdir()} - {"docs", "plugin", "notes.txt"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANTLE_PLUGINS", "off")
    return Place(tmp_path)


def by_default() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # what runs in the background may ignore it


posix = pytest.mark.skipif(os.name == "nt", reason="needs signals and process groups")


# -- interrupted ------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("format", "workers"), [("jsonl", "1"), ("json", "2"), ("csv", "1"), ("txt", "2"), ("parquet", "2")]
)
def test_after_kill_9_the_result_is_that_of_one_run(place: Place, format: str, workers: str) -> None:
    place.write(40)
    command = ["docs", "-s", "noted", "-O", "slow=0.01", "-o", f"out.{format}", "--resume", "-w", workers]
    with place.start(*command) as running:
        while running.poll() is None and place.done(f"out.{format}") < 10:
            time.sleep(0.002)
        running.kill()
        assert running.stderr is not None
        running.stderr.read()  # until the workers have ended too
    assert running.returncode == -signal.SIGKILL
    assert place.left() == {f"out.{format}.partial", f"out.{format}.partial.journal"}
    kept = place.done(f"out.{format}")
    assert kept >= 10
    place.cut()

    (place.docs / "001.md").write_text("Changed.\n", "utf-8")
    (place.docs / "002.md").unlink()
    (place.docs / "003.md").rename(place.docs / "zzz.md")
    (place.docs / "000b.md").write_text("Added.\n", "utf-8")
    os.utime(place.docs / "004.md", (1, 1))  # its bytes are the same
    code, said = place.run(*command)
    assert (code, said) == (0, f"{kept - 3} of 40 documents were done before.\n")
    again = place.cut()
    assert len(again) == 40 - (kept - 3)
    assert {"docs/001.md", "docs/zzz.md", "docs/000b.md"} <= set(again)
    assert place.left() == {f"out.{format}"}
    assert place.run("docs", "-s", "noted", "-O", "slow=0.01", "-o", f"one.{format}") == (0, "")
    assert (place.path / f"out.{format}").read_bytes() == (place.path / f"one.{format}").read_bytes()


@posix
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again_at_any_time(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    place.write(120)
    format = ("parquet", "csv")[seed - 1]
    command = ["docs", "-n", "40", "-o", f"out.{format}", "--resume", "-w", str(seed)]
    for _ in range(6):
        with place.start(*command) as running:
            try:
                running.wait(chance.uniform(0.1, 0.6))
            except subprocess.TimeoutExpired:
                running.kill()
            assert running.stderr is not None
            running.stderr.read()
        assert running.returncode in (0, -signal.SIGKILL)
    assert place.run(*command)[0] == 0
    assert place.left() == {f"out.{format}"}
    assert place.run("docs", "-n", "40", "-o", f"one.{format}") == (0, "")
    assert (place.path / f"out.{format}").read_bytes() == (place.path / f"one.{format}").read_bytes()


@posix
@pytest.mark.parametrize(
    ("number", "code", "workers"), [(signal.SIGINT, 130, "1"), (signal.SIGINT, 130, "2"), (signal.SIGTERM, 143, "2")]
)
def test_what_interrupts_says_what_is_kept(place: Place, number: int, code: int, workers: str) -> None:
    place.write(60)
    command = ["docs", "-s", "noted", "-O", "slow=0.02", "-o", "out.jsonl", "--resume", "-w", workers]
    with place.start(*command, preexec_fn=by_default) as running:
        while running.poll() is None and place.done("out.jsonl") < 5:
            time.sleep(0.002)
        (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
        assert running.stderr is not None
        said = running.stderr.read()
    assert running.returncode == code
    kept = place.done("out.jsonl")
    line = (
        f"{kept} of 60 documents are kept in {place.path.resolve() / 'out.jsonl.partial'}: "
        "run the same command again, with --resume, to go on.\n"
    )
    assert said == ("\nInterrupted.\n" if number == signal.SIGINT else "") + line
    assert place.left() == {"out.jsonl.partial", "out.jsonl.partial.journal"}
    assert place.run(*command) == (0, f"{kept} of 60 documents were done before.\n")
    assert place.run("docs", "-s", "noted", "-o", "one.jsonl") == (0, "")
    assert (place.path / "out.jsonl").read_bytes() == (place.path / "one.jsonl").read_bytes()


@posix
def test_two_runs_at_once_are_refused(place: Place) -> None:
    place.write(30)
    command = ["docs", "-s", "noted", "-O", "slow=0.5", "-o", "out.jsonl", "--resume"]
    with place.start(*command) as running:
        while running.poll() is None and place.done("out.jsonl") < 1:
            time.sleep(0.01)
        code, said = place.run(*command)
        running.kill()
        assert running.stderr is not None
        running.stderr.read()
    assert code == 2
    assert "Another run is at work on out.jsonl.partial." in said
    assert place.run(*command[:4], "slow=0", *command[5:])[0] == 2  # other options: nothing is touched
    assert place.done("out.jsonl") >= 1


@posix
def test_a_full_disk_spoils_nothing(place: Place) -> None:
    import resource

    place.write(200)
    command = ["docs", "-o", "out.json", "--resume"]
    assert place.run("docs", "-o", "one.json") == (0, "")
    size = (place.path / "one.json").stat().st_size
    for limit in (size // 3 + 7, size // 2 + 1, size - 1):  # the last one is where all is cut and the output is written
        code, said = place.run(*command, preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
        assert code == 1
        assert "File too large" in said
        assert f"{place.done('out.json')} of 200 documents are kept" in said
        assert not (place.path / "out.json").exists()
    assert place.run(*command) == (0, "200 of 200 documents were done before.\n")
    assert (place.path / "out.json").read_bytes() == (place.path / "one.json").read_bytes()
    assert place.left() == {"out.json", "one.json"}


def test_a_plugin_that_is_gone_is_another_setting(place: Place) -> None:
    place.write(3)
    (place.docs / "bad.md").write_bytes(bytes(50))
    assert place.run("docs", "-o", "out.jsonl", "--resume")[0] == 1
    config = json.loads((place.path / "out.jsonl.partial.journal").read_bytes().partition(b"\n")[0])
    assert config["plugins"] == {"noted": "1.0"}
    assert "click" in config["packages"]  # what the plugin asks for
    assert not {"rich", "cantle"} & config["packages"].keys()
    place.env["CANTLE_PLUGINS"] = "off"
    code, said = place.run("docs", "-o", "out.jsonl", "--resume")
    assert (code, 'noted was "1.0" and is not given.' in said) == (2, True), said
