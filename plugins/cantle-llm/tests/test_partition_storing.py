"""`persist`: where a result goes, and the name of a data set."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from partition_example import ANSWER, EXAMPLE, NAME, check_example, client, modelled

from cantle import Source
from cantle_llm import (
    ModelWarning,
    PartitionResult,
    Persisted,
    PersistError,
    partition,
)
from cantle_llm.testing import Asked, Fault, ScriptedServer


def test_a_store_gets_the_result_and_a_name_when_it_asks() -> None:
    def persist(result: PartitionResult, name: Callable[[], str]) -> Persisted:
        ids = tuple(f"c{i}" for i, _ in enumerate(result.blocks))
        return Persisted(dataset_id=7, dataset_created=True, dataset_name=name(), chunk_ids=ids, count=len(ids))

    def answer(asked: Asked) -> Any:
        return ANSWER if asked.schema else '"A hero\'s tale"\n'

    with ScriptedServer(answer) as server, client(server) as asking:
        result = partition(EXAMPLE, client=asking, persist=persist)
        assert len(server.requests) == 2
        assert "Chapter 1 – The Beginning" in server.requests[1].prompt
        assert "blocked the path" not in server.requests[1].prompt
    assert result.to_dict()["persisted"] == {
        "datasetId": 7,
        "avatarId": None,
        "datasetCreated": True,
        "datasetName": "A hero's tale",
        "chunkIds": ["c0", "c1", "c2"],
        "count": 3,
    }
    assert result.usage.calls == 2
    assert result.audit_log[-1] == "[partition] 3 block(s) stored in data set 7"
    lexical = partition(EXAMPLE, persist=persist).persisted
    assert lexical is not None
    assert lexical.dataset_name == "Chapter 1. The Beginning (+2)"


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (["Tides"], "Tides"),
        (["Tides", "Tides"], "Tides"),
        (["Tides.", "Locks", "Tides"], "Tides (+1)"),
        (["", "Tides"], "Tides"),
        (["", " "], "a.txt"),
        (
            ["How the water of the northern estuaries rises and falls with the Moon", *map(str, range(11))],
            "How the water of the northern estuaries rises and… (+11)",
        ),
        (["x" * 500, "b"], f"{'x' * 54}… (+1)"),
        (["a " + "潮" * 500], f"a {'潮' * 57}…"),
        (["a\nb\x1b c\ud800"], "a b c"),
    ],
)
def test_a_name_without_a_model_is_the_first_label_and_a_count(labels: list[str], name: str) -> None:
    result = partition(Source("One.\n\nTwo.", source="a.txt"))
    block = result.blocks[0]
    result.blocks = tuple(replace(block, label=label) for label in labels)
    assert result.name() == name
    assert len(name) <= 60


def test_a_name_that_the_model_does_not_give() -> None:
    with ScriptedServer(lambda asked: ANSWER if asked.schema else Fault.refusal()) as server, client(server) as asking:
        result = partition(EXAMPLE, client=asking)
        assert len(server.requests) == 1
        with pytest.warns(ModelWarning, match="made of the labels"):
            assert result.name() == NAME
        assert result.usage.calls == 2
    assert partition(Source("", source="a.txt")).name() == "a.txt"
    assert partition("").name() == "Untitled"


def test_a_partition_that_failed_is_not_stored() -> None:
    stored: list[Any] = []
    few = {"blocks": [{"ranges": [[0, 0]], "label": "a"}]}
    with pytest.warns(ModelWarning, match="min_coverage"):
        result = modelled(few, persist=lambda result, name: stored.append(result))
    assert (stored, result.persisted) == ([], None)
    assert result.audit_log[-1] == "[partition] Not stored: the partition failed"


def test_a_result_that_cannot_be_stored_is_not_lost() -> None:
    def full(result: PartitionResult, name: Callable[[], str]) -> Persisted:
        raise OSError("the disk is full")

    with pytest.raises(PersistError, match="OSError: the disk is full") as caught:
        modelled(persist=full)
    check_example(caught.value.result)
    assert caught.value.result.usage.calls == 1
    assert isinstance(caught.value.__cause__, OSError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.result) == (str(caught.value), caught.value.result)
    with pytest.raises(PersistError, match=r"must return a cantle_llm\.Persisted, got int") as caught:
        partition(EXAMPLE, persist=lambda result, name: 7)  # type: ignore[arg-type, return-value]
    check_example(caught.value.result)
