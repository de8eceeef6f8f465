"""`cantle ingest`, `search`, `datasets` and `forget`, run as programs are."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("CANTLE_STORE", f"sqlite:///{tmp_path / 'chunks.db'}")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(cli, list(arguments))
        assert result.exit_code == code, result.output
        return result

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    (made / "sub").mkdir(parents=True)
    (made / "leave.md").write_text("---\ndept: hr\n---\n# Leave\n\n## Days\n\nFérias: 30 days.\n", encoding="utf-8")
    (made / "sub/deploy.md").write_text("---\ndept: sre\n---\n# Deploy\n\nRun make \x1b[31m.\n", encoding="utf-8")
    return made


def test_from_files_to_results_and_away_again(run: Run, folder: Path) -> None:
    said = run("ingest", "docs", "--dataset", "kb", "--json")
    counted: Any = json.loads(said.stdout)
    assert counted["documents"] == {"new": 2, "changed": 0, "kept": 0, "gone": 0}
    assert "Nothing changed" in run("ingest", "docs", "--dataset", "kb").stdout
    found = run("search", "FERIAS", "--dataset", "kb").stdout
    assert "leave.md#" in found
    assert "Férias: 30 days." in found
    (hit,) = json.loads(run("search", "make", "--json").stdout)
    assert (hit["chunk"]["source"], hit["ranks"]) == ("sub/deploy.md", {"text": 1})
    assert "\x1b" not in run("search", "make").stdout
    nothing = run("search", "make", "--where", "dept=hr")
    assert (nothing.stdout, "Nothing was found." in nothing.stderr) == ("", True)
    assert json.loads(run("search", "make days", "--where", "dept=hr", "--where", "dept=sre", "--json").stdout)
    (listed,) = json.loads(run("datasets", "--json").stdout)
    assert (listed["name"], listed["documents"], listed["embedder"]) == ("kb", 2, None)
    assert "sub/deploy.md" in run("datasets", "kb").stdout
    assert "1 document and" in run("forget", "leave.md").stdout
    assert "no document 'leave.md'" in run("forget", "leave.md", code=1).stderr
    assert json.loads(run("forget", "--all", "--dataset", "kb", "--json").stdout)["documents"] == 1
    assert json.loads(run("datasets", "--json").stdout) == []


def test_roles(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "roles.yaml").write_text("sre: {dept: sre}\nboss: '*'\n", encoding="utf-8")
    run("ingest", "docs", "--dataset", "kb", "--roles", "roles.yaml")
    assert run("search", "days", "--role", "sre").stdout == ""
    assert "leave.md" in run("search", "days", "--role", "sre", "--role", "boss").stdout
    assert "no role 'x'" in run("search", "days", "--role", "x", code=2).stderr


def test_a_dry_run_makes_no_file(run: Run, folder: Path, tmp_path: Path) -> None:
    assert "A dry run" in run("ingest", "docs", "--dataset", "kb", "--dry-run").stdout
    assert not (tmp_path / "chunks.db").exists()


def test_what_fails_is_told(run: Run, folder: Path) -> None:
    (folder / "broken.json").write_text("{", encoding="utf-8")
    said = run("ingest", "docs", "--dataset", "kb", code=1)
    assert "Error: broken.json: " in said.stderr
    assert "1 document failed." in said.stderr
    for path in folder.rglob("*.*"):
        path.unlink()
    assert "--allow-empty" in run("ingest", "docs", "--dataset", "kb", code=1).stderr
    run("ingest", "docs", "--dataset", "kb", "--allow-empty")


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "docs"],
        ["ingest", "nope", "--dataset", "kb"],
        ["ingest", "docs", "--dataset", ""],
        ["ingest", "docs", "--dataset", "kb", "--strategy", "nope"],
        ["ingest", "docs", "--dataset", "kb", "--embedder", "nope"],
        ["ingest", "docs", "--dataset", "kb", "--base-url", "http://localhost"],
        ["search", "x", "--where", "dept"],
        ["search", "x", "-k", "0"],
        ["search", "x", "--avatar", "a"],
        ["forget"],
        ["forget", "--all"],
        ["forget", "a", "--all", "--dataset", "kb"],
        ["datasets", "--avatar", "nope"],
    ],
)
def test_wrong_usage(run: Run, folder: Path, arguments: list[str]) -> None:
    run("ingest", "docs", "--dataset", "kb")
    run(*arguments, code=2)


def test_what_is_not_there(run: Run, folder: Path) -> None:
    assert "There is no store" in run("search", "x", code=1).stderr
    run("ingest", "docs", "--dataset", "kb")
    assert "no dataset 'nope'" in run("search", "x", "--dataset", "nope", code=1).stderr


def test_the_embedder_of_a_dataset_is_taken_where_it_is_offline(run: Run, folder: Path) -> None:
    if find_spec("wordllama") is None or find_spec("tokenizers") is None:
        pytest.skip("the extra wordllama is not installed")
    run("ingest", "docs", "--dataset", "kb", "--embedder", "wordllama")
    hits = json.loads(run("search", "holiday", "--dataset", "kb", "--json").stdout)
    assert all("vector" in hit["ranks"] for hit in hits)
    assert hits
    assert run("search", "holiday", "--dataset", "kb", "--mode", "text").stdout == ""
    (folder / "more.md").write_text("# More\n", encoding="utf-8")
    assert "1 text embedded." in run("ingest", "docs", "--dataset", "kb").stdout


def test_vectors_of_an_endpoint_are_compared_only_when_asked(run: Run, folder: Path, tmp_path: Path) -> None:
    from cantle_store import Store, ingest

    class Paid:
        name = "openai:m"

        def embed(self, texts: Any) -> Any:
            return [[1.0, 2.0] for _ in texts]

    with Store(tmp_path / "chunks.db") as store:
        ingest(store, "kb", folder, embedder=Paid())
    said = run("search", "days", "--dataset", "kb")
    assert "--embedder openai:m" in said.stderr
    assert "leave.md" in said.stdout
    assert run("search", "days", "--dataset", "kb", "-q").stderr == ""
    assert "--embedder openai:m" in run("search", "days", "--dataset", "kb", "--mode", "vector", code=1).stderr
    assert "--embedder openai:m" in run("ingest", "docs", "--dataset", "kb").stderr
