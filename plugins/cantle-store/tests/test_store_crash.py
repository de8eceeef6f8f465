"""A process that is killed while it writes loses nothing, doubles nothing, and leaves nothing half done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantle_store import Store

KILLS = int(os.environ.get("CANTLE_STORE_TEST_KILLS", "0"))
"""So often at least; without it as often as some seconds allow."""

SECONDS = 4.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_store_is_as_before_or_after_a_sync_that_is_killed(
    shared_urls: Callable[[], str], snapshot: Callable[..., Any], fresh: Callable[..., Any], edits: Any
) -> None:
    url, seed, chance = shared_urls(), 7, random.Random(7)
    state: Any = {}
    ever: dict[str, Any] = {}
    number = kills = inside = 0
    program = Path(__file__).with_name("store_killed.py")
    with subprocess.Popen(
        [sys.executable, str(program), url, str(seed)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        end = time.monotonic() + SECONDS
        while kills < max(KILLS, 5) or (not KILLS and time.monotonic() < end):
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            at, did = kill_one(process, chance)
            kills += 1
            for done in range(number, did + 1):
                state = edits.after(state, edits.edit(seed, done))
            number = max(number, did + 1)
            for one in (edits.edit(seed, done) for done in range(max(at, did) + 1)):
                if one.chunks:
                    ever.setdefault(one.dataset, one)
            with Store(url) as store:
                found = snapshot(store)
                possible = [fresh(state, ever.values())]
                if at > did and found["chunks"] != possible[0]["chunks"]:
                    inside += 1
                possible.append(fresh(edits.after(state, edits.edit(seed, number)), ever.values()))
                told = [
                    {name: rows for name, rows in one.items() if name not in MADE_FIRST} for one in (found, *possible)
                ]
                assert told[0] in told[1:]
                edits.do(store, edits.edit(seed, number), edits.Counting())  # and it is taken up where it ended
                state = edits.after(state, edits.edit(seed, number))
                ever.update(
                    {one.dataset: one for one in [edits.edit(seed, number)] if one.chunks and one.dataset not in ever}
                )
                number += 1
                done_now = snapshot(store)
                wanted = fresh(state, ever.values())
                assert {name: done_now[name] for name in wanted if name not in MADE_FIRST} == {
                    name: wanted[name] for name in wanted if name not in MADE_FIRST
                }
        process.stdin.close()
    assert kills >= 5


MADE_FIRST = {"avatars", "datasets", "hosts"}
"""What a sync makes before its own transaction: a dataset may be there without its first document."""


def kill_one(process: Any, chance: random.Random) -> tuple[int, int]:
    """Let it work for a moment, and kill it: the last edit that it was at, and the last that it did (-1: none)."""
    at = did = -1
    pid = 0
    for line in process.stdout:
        word, _, value = line.strip().partition(" ")
        if word == "pid":
            pid = int(value)
        elif word == "at":
            at = int(value)
        elif word == "did":
            did = int(value)
        elif word == "dead":
            break
        if pid > 0 and at >= 0:
            time.sleep(chance.uniform(0, 0.08))
            os.kill(pid, signal.SIGKILL)
            pid = -1
    return at, did
