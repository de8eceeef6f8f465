"""Buckets of requests: refilled with time, bounded in number."""

from __future__ import annotations

import asyncio

import pytest

from cantle_server import Problem
from cantle_server.limits import Gate, Rates
from cantle_server.limits import rates as module


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_fills_with_time() -> None:
    clock = Clock()
    rates = Rates(600, clock)
    assert [rates.take("a") for _ in range(60)] == [0.0] * 60
    assert rates.take("a") == pytest.approx(0.1)
    assert rates.take("b") == 0.0
    clock.now += 0.11
    assert rates.take("a") == 0.0
    assert rates.take("a") > 0
    clock.now += 3600
    assert [rates.take("a") for _ in range(61)].count(0.0) == 60


def test_no_rate_is_no_limit() -> None:
    rates = Rates(0)
    assert not any(rates.take("a") for _ in range(10_000))


def test_tokens_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 100)
    rates = Rates(60, Clock())
    for number in range(1000):
        rates.take(str(number))
    assert len(rates._buckets) == 100


def test_a_gate_lets_so_many_in_and_has_so_many_wait() -> None:
    async def run() -> None:
        gate = Gate(2, 1)
        release = asyncio.Event()

        async def work() -> None:
            async with gate:
                await release.wait()

        tasks = [asyncio.create_task(work()) for _ in range(3)]
        while gate.waiting < 1:
            await asyncio.sleep(0)
        assert gate.inside == 2
        with pytest.raises(Problem) as caught:
            await work()
        assert (caught.value.status, caught.value.code) == (503, "busy")
        tasks[2].cancel()
        while gate.waiting:
            await asyncio.sleep(0)
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (gate.inside, gate.waiting) == (0, 0)
        await work()

    asyncio.run(run())
