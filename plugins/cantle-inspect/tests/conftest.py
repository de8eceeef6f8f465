"""Commands as they are run in a terminal, each where a test may write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli
from cantle.cli.group import Cli
from cantle_inspect.commands.eval import command as eval_command

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"

Run = Callable[..., Result]


@pytest.fixture
def all_plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty current directory, and every plugin that is installed."""
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run_preview(all_plugins: None) -> Run:
    """`cantle preview`: `run_preview(*arguments, **environment)`."""

    def call(*arguments: str, **env: str) -> Result:
        return CliRunner(env=env).invoke(cli, ["preview", *arguments], prog_name="cantle")

    return call


@pytest.fixture
def preview_answer(run_preview: Run) -> Callable[..., dict[str, Any]]:
    """The JSON of a `cantle preview` that ends well."""

    def call(*arguments: str) -> dict[str, Any]:
        result = run_preview(*arguments)
        assert result.exit_code == 0, result.stderr
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    return call


@pytest.fixture
def nucleo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example in the current directory."""
    directory = tmp_path / "nucleo"
    shutil.copytree(NUCLEO, directory)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return directory


@pytest.fixture
def run_eval(nucleo: Path) -> Run:
    """`cantle eval` on the copy of the example."""
    group = Cli("cantle", commands={"eval": eval_command})
    group.get_command = lambda ctx, name: {"eval": eval_command}.get(name)  # type: ignore[method-assign]

    def call(*arguments: str, golden: str = "nucleo/golden-questions.json") -> Result:
        return CliRunner().invoke(group, ["eval", golden, "nucleo", *arguments])

    return call
