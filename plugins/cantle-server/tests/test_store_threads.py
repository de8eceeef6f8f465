"""Threads for the store, and requests to it at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import anyio.to_thread
import httpx
import pytest
from service import Service

from cantle_server import Problem
from cantle_server.api.tenant import in_thread
from cantle_store import NotFoundError


def test_a_call_that_nobody_waits_for_keeps_its_thread_and_one_that_waits_for_a_thread_goes() -> None:
    began, go, late = Event(), Event(), Event()

    def block() -> None:
        began.set()
        go.wait()

    async def run() -> None:
        limiter = anyio.to_thread.current_default_thread_limiter()
        limiter.total_tokens = 1
        first = asyncio.create_task(in_thread(block))
        while not began.is_set():
            await asyncio.sleep(0.01)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):  # at once: its client is gone, or its time is up
            await first
        assert limiter.borrowed_tokens == 1
        second = asyncio.create_task(in_thread(late.set))
        await asyncio.sleep(0.05)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        go.set()
        assert await in_thread(lambda: 7) == 7
        assert not late.is_set()
        assert limiter.borrowed_tokens == 0

    asyncio.run(run())


def test_what_is_raised_comes_as_a_problem() -> None:
    def fail() -> None:
        raise NotFoundError("a name")

    async def run() -> None:
        with pytest.raises(Problem, match="not there any more"):
            await in_thread(fail)
        with pytest.raises(ZeroDivisionError):
            await in_thread(lambda: 1 // 0)

    asyncio.run(run())


def test_of_requests_at_once_for_one_name_one_makes_it_and_the_others_are_told(tmp_path: Path) -> None:
    with Service(store=f"sqlite:///{tmp_path / 'chunks.db'}") as running:

        def make(path: str) -> int:
            with httpx.Client(base_url=running.url, trust_env=False, timeout=60) as client:
                headers = {"Authorization": f"Bearer {running.token()}"}
                return client.post(path, json={"name": "same"}, headers=headers).status_code

        with ThreadPoolExecutor(8) as threads:
            assert sorted(threads.map(make, ["/v1/datasets"] * 8)) == [201, *[409] * 7]
        assert [make("/v1/avatars"), make("/v1/avatars")] == [201, 200]
