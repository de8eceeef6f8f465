"""What edits take away leaves the disk of the store after a while, and when the service ends."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from service import Service

WORD = "Zwieselchen"


def traces(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if WORD.lower().encode() in path.read_bytes().lower()]


def edit(service: Service) -> None:
    with service.client() as client:
        dataset = client.post("/v1/datasets", json={"name": "docs"}).json()["id"]
        for text in (f"{WORD} lives in the wood.", "Nobody lives in the wood."):
            answer = client.post(f"/v1/datasets/{dataset}/documents", json={"source": "a.txt", "text": text})
            assert answer.status_code == 200, answer.text


def test_after_a_pause(tmp_path: Path) -> None:
    with Service(store=f"sqlite:///{tmp_path / 'a.db'}", wipe_after=0.2) as service:
        edit(service)
        end = time.monotonic() + 60
        while traces(tmp_path) and time.monotonic() < end:
            time.sleep(0.05)
        assert traces(tmp_path) == []


def test_when_the_service_ends(tmp_path: Path) -> None:
    with Service(store=f"sqlite:///{tmp_path / 'a.db'}", wipe_after=3600) as service:
        edit(service)
        assert traces(tmp_path)
    assert traces(tmp_path) == []


def test_what_an_earlier_service_left(tmp_path: Path) -> None:
    cantle_store = pytest.importorskip("cantle_store")
    with cantle_store.Store(tmp_path / "a.db") as store:
        store.sync("docs", "a.txt", [{"text": WORD}])
        assert store.sync("docs", "a.txt", [{"text": "nobody"}], wipe=False).unwiped
    with Service(store=f"sqlite:///{tmp_path / 'a.db'}", wipe_after=3600):
        pass
    assert traces(tmp_path) == []
