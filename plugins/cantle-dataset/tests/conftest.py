"""What tests of tables and of the command share."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli


@pytest.fixture(scope="session")
def strategies() -> ModuleType:
    """The module `dataset_strategies`, under that name in this process: workers that are forked know it."""
    name = "dataset_strategies"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture
def cantle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run `cantle ...` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["dataset", *arguments])

    return run
