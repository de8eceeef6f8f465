"""The example of the service that we mirror: its request by curl, every field of its answer, blocks in the database."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cantle_llm import Client
from cantle_llm.testing import Asked, ScriptedServer
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from service_parts import ANSWER, TEXT, Embeddings, bearer, serving, settings, store_url, vector_of

PATH = "/api/externalAPIs/public/smartSplit/partition"
NAME = "Journey of a hero"

KEYS = {
    "success", "blocks", "coverage", "totalLines", "sessionsUsed", "fallbackUsed", "failedSessions", "reasoning",
    "auditLog", "persisted", "uncoveredLines", "costControl",
}  # fmt: skip


def answered(asked: Asked) -> Any:
    """A partition, or a name for a dataset."""
    return ANSWER if "lines-" in asked.prompt else NAME


def posted(url: str, body: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    """What the service answers to curl, or to httpx where there is no curl."""
    curl = shutil.which("curl")
    if curl is None:
        response = httpx.post(url, json=body, headers=headers, timeout=60)
        response.raise_for_status()
        return dict(response.json())
    command = [curl, "-sS", "--fail-with-body", "--max-time", "60", "-X", "POST", url]
    for name, value in {**headers, "Content-Type": "application/json"}.items():
        command += ["-H", f"{name}: {value}"]
    done = subprocess.run([*command, "-d", json.dumps(body)], capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return dict(json.loads(done.stdout))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty store."""
    return store_url(request.param, tmp_path)


def test_the_example_is_answered_with_every_field_and_true_values() -> None:
    with (
        ScriptedServer(answered, usage=lambda asked, text: (480, 95)) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", provider="openai", retries=0) as client,
        serving(client=client) as service,
    ):
        found = posted(service + PATH, {"text": TEXT}, bearer())
        same = posted(service + "/v1/partition", {"text": TEXT}, bearer())
    assert found.keys() == KEYS == same.keys()
    assert found["success"] is True
    assert [block["label"] for block in found["blocks"]] == [one["label"] for one in ANSWER["blocks"]]
    assert [block["text"] for block in found["blocks"]] == [TEXT[0:98], TEXT[100:179], TEXT[181:268]]
    for block in found["blocks"]:
        assert "\n\n".join(TEXT[start:end] for start, end in block["ranges"]) == block["text"]
        assert (block["start"], block["end"]) == (block["ranges"][0][0], block["ranges"][-1][1])
    assert found["coverage"] == 1.0
    assert found["totalLines"] == 7
    assert found["sessionsUsed"] == 1
    assert found["fallbackUsed"] is False
    assert found["failedSessions"] == 0
    assert found["reasoning"] == "By the headings of chapters."
    assert found["auditLog"] == [
        "[SmartSplit] Iniciando particionamento de texto...",
        "[SmartSplit] Texto dividido em 7 linha(s)",
        "[SmartSplit] 1 sessão(ões) de IA necessária(s)",
        "[SmartSplit] 3 bloco(s) montado(s)",
        "[SmartSplit] Cobertura: 100.0% (7/7)",
        "[SmartSplit] Particionamento concluído com sucesso",
    ]
    assert found["persisted"] is None
    assert found["uncoveredLines"] == {"count": 0, "indices": [], "ranges": [], "lines": []}
    assert found["costControl"] == {
        "usage": {
            "inputTokens": 480,
            "outputTokens": 95,
            "totalTokens": 575,
            "isEstimated": False,
            "source": "smart_split_aggregate",
        },
        "cost": {
            "inputCost": 0.000048,
            "outputCost": 0.000038,
            "totalCost": 0.000086,
            "currency": "USD",
            "pricingMissing": False,
            "matchedPricingKey": "openai:gpt-4.1-nano",
        },
        "control": {"decision": "allow", "reasons": []},
        "references": {"caller": "smartSplit", "provider": "openai", "model": "gpt-4.1-nano"},
        "reconciliation": None,
    }
    assert same["auditLog"][-1] == "[partition] Partition finished"
    assert {**same, "auditLog": None} == {**found, "auditLog": None}


def test_without_a_model_the_same_fields_are_true_and_cost_nothing() -> None:
    with serving() as service:
        found = posted(service + PATH, {"text": TEXT}, bearer())
    assert found.keys() == KEYS
    assert found["success"] is True
    assert found["coverage"] == 1.0
    assert [block["text"] for block in found["blocks"]] == [TEXT[0:98], TEXT[100:179], TEXT[181:268]]
    assert found["sessionsUsed"] == 0
    cost = found["costControl"]
    assert cost["usage"]["totalTokens"] == 0
    assert cost["cost"]["totalCost"] == 0
    assert cost["references"] == {"caller": "smartSplit", "provider": "cantle", "model": "lexical"}
    assert cost["control"] == {"decision": "allow", "reasons": []}


def test_blocks_are_stored_with_embeddings_in_a_dataset_named_from_the_labels(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `cantle serve --store URL --embedder NAME --model NAME` has it, with keys and addresses from variables."""
    with (
        ScriptedServer(answered, usage=lambda asked, text: (100, 10), key="model-key") as model,
        Embeddings() as endpoint,
    ):
        for name, value in (
            ("CANTLE_LLM_BASE_URL", model.url),
            ("CANTLE_LLM_API_KEY", "model-key"),
            ("CANTLE_LLM_PROVIDER", "openai"),
            ("CANTLE_STORE_EMBEDDER_BASE_URL", endpoint.url),
            ("CANTLE_STORE_EMBEDDER_API_KEY", "embedder-key"),
        ):
            monkeypatch.setenv(name, value)
        own = settings(store=url, embedder="openai:text-embedding-3-large", model="gpt-4.1-nano")
        with serving(own) as service, Store(url) as store:
            found = posted(service + PATH, {"text": TEXT, "options": {"persistChunks": True}}, bearer())
            persisted = found["persisted"]
            mine = store.for_host("acme")
            dataset = mine.dataset(persisted["datasetId"])
            chunks = list(mine.chunks(dataset))
            avatar = mine.main_avatar()
            others = store.for_host("other").datasets()
            prompts = [asked.prompt for asked in model.requests]
            asked, models = list(endpoint.asked), list(endpoint.models)
            same = {"persistChunks": True, "datasetId": dataset.id}
            again = posted(service + PATH, {"text": TEXT, "options": same}, bearer())
            after = list(mine.chunks(dataset))
            asked_after = len(endpoint.asked)
            metrics = httpx.get(f"{service}/metrics", headers=bearer()).text

    assert persisted == {
        "datasetId": dataset.id,
        "avatarId": avatar.id,
        "datasetCreated": True,
        "datasetName": NAME,
        "chunkIds": [chunk.id for chunk in chunks],
        "count": 3,
    }
    assert dataset.name == NAME
    assert dataset.avatar_id == avatar.id
    assert dataset.chunks == 3
    assert [chunk.text for chunk in chunks] == [block["text"] for block in found["blocks"]] == asked
    assert set(models) == {"text-embedding-3-large"}
    for chunk, block in zip(chunks, found["blocks"], strict=True):
        assert chunk.embedding == pytest.approx(vector_of(chunk.text))
        assert (chunk.start, chunk.end) == (block["start"], block["end"])
        assert chunk.metadata["label"] == block["label"]
        assert chunk.metadata["ranges"] == block["ranges"]
        assert chunk.metadata["lines"] == block["lines"]
    assert len(prompts) == 2
    assert all(block["label"] in prompts[1] for block in found["blocks"])
    assert found["costControl"]["usage"]["totalTokens"] == 220  # the name was paid for too
    assert found["auditLog"][-1] == f"[SmartSplit] 3 bloco(s) gravado(s) no dataset {dataset.id}"
    assert others == []

    assert again["persisted"]["datasetCreated"] is False
    assert again["persisted"]["datasetName"] is None
    assert again["persisted"]["chunkIds"] == persisted["chunkIds"]
    assert after == chunks  # nothing was written, times of change included
    assert asked_after == len(asked)  # and nothing embedded
    assert 'cantle_store_chunks_total{change="new"} 3.0' in metrics
    assert 'cantle_store_chunks_total{change="kept"} 3.0' in metrics
    assert "cantle_embedded_texts_total 3.0" in metrics
    assert 'cantle_partition_results_total{engine="model",outcome="ok"} 2.0' in metrics
