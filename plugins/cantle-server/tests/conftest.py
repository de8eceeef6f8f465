"""A service for all tests that change nothing in it; no variable of the machine has a say."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # modules that tests share

from service import Service


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, keys and proxies of the machine are not for tests."""
    for name in list(os.environ):
        if name.startswith(("CANTLE_LLM_", "CANTLE_SERVER_", "OPENAI_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """A service without a store and without a model."""
    with Service(job_timeout=20) as running:
        yield running


@pytest.fixture(scope="session")
def client(service: Service) -> httpx.Client:
    """A client of the host acme."""
    return service.client()
