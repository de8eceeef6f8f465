"""Many sessions, hostile texts, and a run that is interrupted."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cantle.text import is_blank
from cantle_llm import Client, PartitionResult, partition
from cantle_llm.testing import Asked, ScriptedServer

LINE = re.compile(r"^(\d+): (.*)$", re.MULTILINE)


def client(server: ScriptedServer, **more: Any) -> Client:
    return Client("m", base_url=server.url, **{"retries": 1, "reasks": 0, "timeout": 60} | more)


def one_block(asked: Asked) -> dict[str, Any]:
    found = LINE.findall(asked.prompt)
    return {"blocks": [{"ranges": [[0, len(found) - 1]], "label": found[0][1]}], "reasoning": ""}


def open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_a_thousand_sessions() -> None:
    text = "\n".join(f"Sentence {i} is here." for i in range(2000))
    told: list[tuple[int, int]] = []
    threads = threading.active_count()
    all_there = threading.Barrier(16)

    def answer(asked: Asked) -> Any:
        if asked.number < 16:
            all_there.wait(60)
        return one_block(asked)

    with ScriptedServer(answer) as server:
        gc.collect()
        files = open_files()
        with client(server, concurrency=16) as asking:
            result = partition(
                text, client=asking, max_lines_per_session=2, overlap_lines=0, progress=lambda *n: told.append(n)
            )
        gc.collect()
        # The server may not yet have closed its ends.
        deadline = time.monotonic() + 20
        while (open_files() > files or threading.active_count() > threads + 1) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert open_files() <= files
        assert threading.active_count() <= threads + 1  # the server's own
        assert len(server.requests) == 1000
        assert server.most_at_once == 16
    assert told == [(i, 1000) for i in range(1, 1001)]
    assert result.sessions_used == 1000
    assert [block.label for block in result.blocks] == [f"Sentence {2 * i} is here." for i in range(1000)]
    assert [block.lines for block in result.blocks] == [((2 * i, 2 * i + 1),) for i in range(1000)]


SCRIPT = """
import sys
from cantle_llm import Client, partition
text = chr(10).join(f"Sentence {i} is here." for i in range(60))
with Client("m", base_url=sys.argv[1], answers=sys.argv[2], retries=0, concurrency=2) as client:
    partition(text, client=client, max_lines_per_session=2, overlap_lines=0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_an_interrupted_run_is_gone_on_with(tmp_path: Path) -> None:
    kept = tmp_path / "answers.jsonl"
    reached, go_on = threading.Event(), threading.Event()

    def answer(asked: Asked) -> Any:
        if asked.number >= 10 and not go_on.is_set():
            reached.set()
            go_on.wait(60)
        return one_block(asked)

    with ScriptedServer(answer) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, server.url, str(kept)], stderr=subprocess.PIPE, text=True
        )
        try:
            assert reached.wait(120)
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)  # the answers under way arrive after the signal, not needed for the test to hold
            go_on.set()
            _, said = process.communicate(timeout=120)
        finally:
            process.kill()
        assert "KeyboardInterrupt" in said
        asked = len(server.requests)
        assert 10 <= asked < 30
        # What was asked for is kept: calls under way were waited for.
        assert kept.read_bytes().count(b"\n") == asked
        text = "\n".join(f"Sentence {i} is here." for i in range(60))
        with client(server, answers=kept) as asking:
            result = partition(text, client=asking, max_lines_per_session=2, overlap_lines=0)
        assert len(server.requests) == 30
        assert (result.replayed, len(result.blocks)) == (asked, 30)


def covered(result: PartitionResult) -> None:
    text = result.source.text
    at = 0
    for start, end in sorted(one for block in result.blocks for one in block.ranges):
        assert is_blank(text[at:start])
        at = end
    assert is_blank(text[at:])


HOSTILE = {
    "one word": "x" * 1_000_000,
    "newlines": "\n" * 1_000_000 + "a",
    "blanks": "a" + " " * 500_000 + "b",
    "marks": "a" + "\u0301" * 200_000,
    "surrogates": "\ud800" * 200_000,
    "no blanks": "漢字" * 30_000,
    "numbers": "7: a\n" * 30_000,
    "controls": "\x1b[2J\u202e\x00 \x85" * 30_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    text = HOSTILE[name]
    with ScriptedServer(one_block) as server, client(server, concurrency=4) as asking:
        result = partition(text, client=asking)
    covered(result)
    assert result.coverage == 1
    assert not result.failures
    assert all(repair.what == "label" for repair in result.repairs)
    covered(partition(text))


def test_time_grows_with_the_length() -> None:
    def seconds(count: int) -> float:
        text = "\n\n".join(f"Sentence {i} is about whales. It goes on, and on." for i in range(count))
        with ScriptedServer(one_block) as server, client(server) as asking:
            began = time.process_time()
            partition(text, client=asking)
            return time.process_time() - began

    seconds(100)
    small, large = min(seconds(500) for _ in range(3)), seconds(4000)
    assert large < 8 * 4 * small + 1
