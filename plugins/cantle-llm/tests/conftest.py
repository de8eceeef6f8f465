"""Tests know no key and no address but their own."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli

sys.path.insert(0, str(Path(__file__).parent))  # modules that tests share

from scripted_contextualize import Run, block_of
from scripted_extraction import TEXT, Setup

# A shell starts what runs in the background without Ctrl-C, and so would the processes be that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a document of three chunks, and a cache of its own."""
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("CANTLE_LLM_RETRIES", "0")
    monkeypatch.setenv("CANTLE_LLM_REASKS", "0")
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("t.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path / "work"


@pytest.fixture
def run(here: Path, model: Setup) -> Run:
    """`cantle contextualize t.txt -s character ...` with the scripted model; `run(*arguments)`."""
    model.answer = lambda asked: f"About {block_of(asked)}."

    def call(*arguments: str, files: tuple[str, ...] = ("t.txt",), **more: Any) -> Result:
        given = ["contextualize", *files, "-s", "character", "--model", "m", "--base-url", model.server.url, *arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("default")  # as in a terminal, they are lines
            return CliRunner().invoke(cli, given, prog_name="cantle", **more)

    return call
