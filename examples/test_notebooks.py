"""The notebooks beside this file are executed from top to bottom, in their folder, as Jupyter does, and at the root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NOTEBOOKS = sorted(HERE.glob("*.ipynb"))
FRAMEWORKS = {"langchain": "langchain_core", "llama-index": "llama_index.core", "haystack": "haystack"}


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_there_is_one_for_each_framework() -> None:
    assert {*FRAMEWORKS} <= {notebook.stem for notebook in NOTEBOOKS}


def test_it_is_stored_without_outputs(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook.cells]
    assert len(ids) == len({*ids})
    for cell in notebook.cells:
        assert not cell.get("outputs"), cell["id"]
        assert cell.get("execution_count") is None, cell["id"]


@pytest.mark.parametrize("folder", [HERE, HERE.parent], ids=["here", "root"])
def test_it_runs(path: Path, folder: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip(FRAMEWORKS.get(path.stem, "cantle"), exc_type=ImportError)
    notebook = nbformat.read(path, as_version=4)
    offline = {"HAYSTACK_TELEMETRY_ENABLED": "False", "HF_HUB_OFFLINE": "1", "IPYTHONDIR": str(tmp_path)}
    env = os.environ | offline | {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    client = nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=env)
    assert any(cell.get("outputs") for cell in notebook.cells)
