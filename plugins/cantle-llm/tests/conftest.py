"""Tests know no key and no address but their own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # modules that tests share

from scripted_extraction import Setup


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the machine has a say."""
    for name in list(os.environ):
        if name.startswith(("CANTLE_LLM_", "OPENAI_")) or name.lower() in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture
def model() -> Iterator[Setup]:
    """A server whose answers a test sets, and clients for it."""
    setup = Setup()
    with setup.server:
        yield setup
        for client in setup.clients:
            client.close()
