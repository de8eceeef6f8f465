"""What is counted, logged and told of partitions in a process."""

from __future__ import annotations

from typing import Any

import pytest

from cantle_llm import Client, ModelWarning, PartitionResult, counts, partition
from cantle_llm.testing import Fault, ScriptedServer

TEXT = "One is here. Two is here. Three is here. Four is here. Five is here. Six is here. Seven is here."
ANSWER = {"blocks": [{"ranges": [[0, 6]], "label": "All"}], "reasoning": ""}


def modelled(answer: Any = ANSWER, **more: Any) -> PartitionResult:
    with (
        ScriptedServer(lambda asked: answer) as server,
        Client("m", base_url=server.url, retries=0, reasks=0) as asking,
    ):
        return partition(TEXT, client=asking, **more)


def test_counters() -> None:
    before = counts()
    modelled()
    few = {"blocks": [{"ranges": [[0, 0], [9, 2]], "label": "a"}]}
    with pytest.warns(ModelWarning):
        modelled(few, min_coverage=1)
    with pytest.warns(ModelWarning):
        modelled(Fault.http(500))
    after = counts()
    assert {name: after[name] - before[name] for name in after} == {
        "partitions": 3,
        "sessions": 3,
        "failed_sessions": 1,
        "fallbacks": 1,
        "repairs": 2,
        "coverage_failures": 1,
        "stopped": 0,
    }
    after["partitions"] = 0
    assert counts()["partitions"] == before["partitions"] + 3


def test_failures_are_logged_without_the_text(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.warns(ModelWarning):
        modelled({"blocks": [{"ranges": [[0, 0]], "label": "secret"}]}, caller="mine")
    said = [record.getMessage() for record in caplog.records if record.name == "cantle_llm.partition"]
    assert len(said) == 1
    assert "1 of 7 lines (14.2%)" in said[0]
    assert "caller=mine" in said[0]
    assert "secret" not in said[0]
