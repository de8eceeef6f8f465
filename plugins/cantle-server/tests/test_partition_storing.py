"""`/v1/partition` with `persistChunks`: where blocks go, and what becomes of them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cantle_server.app import create_app

sys.path.insert(0, str(Path(__file__).parent))

from partition_parts import URL, Service, running
from service_parts import TEXT, bearer, settings


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """One for all."""
    with running() as found:
        yield found


@pytest.fixture
def shared(service: Service) -> Service:
    """The service, for a host of its own."""
    return service.begin()


@pytest.fixture(scope="module")
def bare() -> Iterator[TestClient]:
    """A service without a store and without a model."""
    with TestClient(create_app(settings())) as http:
        yield http


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"datasetId": "nobody"}, 404),
        ({"datasetId": "FOREIGN_DATASET"}, 404),
        ({"avatarId": "FOREIGN_AVATAR"}, 404),
        ({"avatarId": "nobody"}, 404),
        ({"datasetId": "OWN_DATASET", "avatarId": "OTHER_AVATAR"}, 404),
        ({"datasetId": "OWN_DATASET", "datasetName": "x"}, 422),
        ({"createDatasetIfMissing": False}, 422),
        ({"createDatasetIfMissing": False, "datasetName": "no such"}, 404),
    ],
)
def test_where_blocks_go_is_checked_before_anything_is_paid(
    shared: Service, options: dict[str, Any], status: int
) -> None:
    foreign = shared.root.for_host(f"{shared.host}-foreign")
    ids = {
        "FOREIGN_AVATAR": foreign.main_avatar().id,
        "FOREIGN_DATASET": foreign.create_dataset("theirs").id,
        "OWN_DATASET": shared.store.create_dataset("ours").id,
        "OTHER_AVATAR": shared.store.create_avatar("second").id,
    }
    given = {name: ids.get(str(value), value) for name, value in options.items()}
    response = shared.ask(persistChunks=True, **given)
    assert response.status_code == status, response.text
    assert shared.asked == 0
    assert not shared.embedder.asked
    assert foreign.datasets()[0].documents == 0
    assert len(shared.store.datasets()) == 1


def test_a_foreign_dataset_is_answered_like_one_that_nobody_has(shared: Service) -> None:
    foreign = shared.root.for_host(f"{shared.host}-foreign").create_dataset("theirs").id
    answers = [shared.ask(persistChunks=True, datasetId=one) for one in (foreign, "no-such-dataset-at-all-1234")]
    shapes = [re.sub(r"'[^']+'", "ID", answer.json()["error"]["message"]) for answer in answers]
    assert shapes[0] == shapes[1]
    assert {answer.status_code for answer in answers} == {404}


def test_names_of_new_datasets_are_their_own_and_named_ones_are_found_again(shared: Service) -> None:
    made = [shared.ask(persistChunks=True).json()["persisted"]["datasetName"] for _ in range(3)]
    assert made == ["Journey of a hero", "Journey of a hero 2", "Journey of a hero 3"]
    first = shared.ask(persistChunks=True, datasetName="tales").json()["persisted"]
    again = shared.ask(persistChunks=True, datasetName="tales").json()["persisted"]
    assert (first["datasetCreated"], again["datasetCreated"]) == (True, False)
    assert first["datasetName"] == "tales"
    assert again["datasetName"] is None
    assert first["datasetId"] == again["datasetId"]
    assert first["chunkIds"] == again["chunkIds"]
    avatar = shared.store.create_avatar("second")
    own = shared.ask(persistChunks=True, avatarId=avatar.id).json()["persisted"]
    assert own["avatarId"] == avatar.id
    assert own["datasetName"] == "Journey of a hero"


def test_source_and_metadata_are_those_of_the_document(shared: Service) -> None:
    body = {"text": TEXT, "source": "tales/a.txt", "metadata": {"dept": "hr"}, "options": {"persistChunks": True}}
    persisted = shared.ask(body).json()["persisted"]
    (document,) = shared.store.documents(persisted["datasetId"])
    hits = shared.store.search("mountains", where={"dept": "hr"})
    assert document.source == "tales/a.txt"
    assert document.metadata == {"dept": "hr"}
    assert hits
    assert hits[0].chunk.metadata["label"] == "Mountains in the way"


def test_long_blocks_are_several_chunks_where_that_is_asked_for(shared: Service) -> None:
    text = "\n\n".join("A sentence about one thing only." for _ in range(40))
    shared.answer = lambda asked: {"blocks": [{"ranges": [[0, 39]], "label": "One thing"}], "reasoning": ""}
    options = {"persistChunks": True, "maxCharsPerStoredChunk": 200, "datasetName": "long"}
    body = shared.ask({"text": text, "options": options}).json()
    chunks = list(shared.store.chunks(body["persisted"]["datasetId"]))
    assert len(body["blocks"]) == 1
    assert body["persisted"]["count"] == len(chunks) > 5
    assert all(len(chunk.text) <= 200 and text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert {chunk.metadata["label"] for chunk in chunks} == {"One thing"}


def test_an_embedder_that_fails_costs_the_storing_and_not_the_blocks(shared: Service) -> None:
    shared.embedder.fails = True
    response = shared.ask(persistChunks=True)
    body = response.json()
    assert response.status_code == 200
    assert body["success"] is True
    assert len(body["blocks"]) == 3
    assert body["persisted"] is None
    assert body["persistError"]["code"]
    assert "Once upon" not in json.dumps(body["persistError"]) + json.dumps(body["auditLog"])
    assert shared.store.datasets() == []  # the dataset that was made for it is gone
    ours = shared.store.create_dataset("ours")
    assert shared.ask(persistChunks=True, datasetId=ours.id).json()["persisted"] is None
    assert [one.id for one in shared.store.datasets()] == [ours.id]  # one that was there stays
    assert "cantle_partition_unstored_total" in shared.metrics()
    shared.embedder.fails = False
    assert shared.ask(persistChunks=True, datasetId=ours.id).json()["persisted"]["count"] == 3


def test_a_token_with_roles_divides_and_does_not_store(shared: Service) -> None:
    reader = shared.bearer(roles=["intern"])
    assert shared.ask(headers=reader).status_code == 200
    asked = shared.asked
    response = shared.ask(headers=reader, persistChunks=True)
    assert response.status_code == 403
    assert shared.asked == asked


def test_without_a_store_nothing_is_stored_and_it_is_said(bare: TestClient) -> None:
    response = bare.post(URL, json={"text": TEXT, "options": {"persistChunks": True}}, headers=bearer())
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "no_store"


def test_requests_at_once_make_one_dataset_of_a_name_and_several_without(shared: Service) -> None:
    def ask(options: dict[str, Any]) -> dict[str, Any]:
        return dict(shared.ask(persistChunks=True, engine="lexical", **options).json()["persisted"])

    with ThreadPoolExecutor(8) as pool:
        named = list(pool.map(ask, [{"datasetName": "one"}] * 8))
        free = list(pool.map(ask, [{}] * 8))
    assert len({one["datasetId"] for one in named}) == 1
    assert sum(one["datasetCreated"] for one in named) == 1
    assert len({tuple(one["chunkIds"]) for one in named}) == 1
    assert len({one["datasetId"] for one in free}) == 8
    assert len({one["datasetName"] for one in free}) == 8
    assert {dataset.chunks for dataset in shared.store.datasets()} == {3}
