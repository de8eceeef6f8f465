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
        ["roles", "nope.yaml"],
        ["roles", "docs/leave.md"],
        ["roles", "docs/leave.md", "--clear"],
        ["reembed", "--dataset", "kb"],
        ["reembed", "--embedder", "e5"],
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


def test_files_that_nothing_reads_are_told(run: Run, folder: Path) -> None:
    (folder / "a.xyz").write_text("x", encoding="utf-8")
    said = run("ingest", "docs", "--dataset", "kb")
    assert "1 file was left out, since no installed plugin reads it: a.xyz." in said.stderr
    for number in range(4):
        (folder / f"{number}.zzz").write_text("x", encoding="utf-8")
    said = run("ingest", "docs", "--dataset", "kb", "--json")
    assert "5 files were left out" in said.stderr
    assert "0.zzz, 1.zzz, 2.zzz, ... (4 .zzz, 1 .xyz)." in said.stderr
    assert json.loads(said.stdout)["leftOut"] == ["0.zzz", "1.zzz", "2.zzz", "3.zzz", "a.xyz"]
    assert run("ingest", "docs", "--dataset", "kb", "-q").stderr == ""


def test_names_of_files_that_are_told_make_no_lines_of_their_own(run: Run, folder: Path) -> None:
    try:
        (folder / "a\nError: b.xyz").write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("no file can have such a name here")
    assert len(run("ingest", "docs", "--dataset", "kb").stderr.splitlines()) == 1


def test_the_plugin_that_reads_a_file_is_named() -> None:
    from cantle_store.commands.reports import left_out

    assert left_out(["b/a.PDF", "c.csv"]) == (
        "2 files were left out, since no installed plugin reads them: b/a.PDF, c.csv; .pdf: install cantle-files"
    )


def test_metadata_that_replace_others_and_other_options_are_told(run: Run, folder: Path) -> None:
    said = run("ingest", "docs", "--dataset", "kb", "-m", "dept=hr")
    assert "Warning: -m dept=... replaces another value in 1 document, " in said.stderr
    assert said.stderr.rstrip().endswith("sub/deploy.md.")
    assert run("ingest", "docs", "--dataset", "kb", "-m", "dept=hr", "-q").stderr == ""
    said = run("ingest", "docs", "--dataset", "kb", "-m", "dept=hr", "--max-size", "50", "--dry-run")
    assert "2 documents were cut another way before" in said.stderr
    assert "they would be cut anew" in said.stderr


@pytest.mark.filterwarnings("always::cantle.errors.GuessedEncodingWarning")
def test_warnings_are_told_unless_quiet(run: Run, folder: Path) -> None:
    (folder / "old.txt").write_bytes("Um relatório sobre férias, não lido.".encode("cp1252"))
    assert "--encoding cp1252" in run("ingest", "docs", "--dataset", "kb").stderr
    assert run("ingest", "docs", "--dataset", "kb", "-q").stderr == ""


class Made:
    """Vectors of an embedder of any name."""

    def __init__(self, name: str, size: int = 2) -> None:
        self.name, self.size = name, size

    def embed(self, texts: Any) -> Any:
        return [[1.0] * self.size for _ in texts]


def test_notes_say_what_is_true_of_what_was_asked(run: Run, folder: Path, tmp_path: Path) -> None:
    from cantle_store import Store

    run("ingest", "docs", "--dataset", "kb")
    for arguments in ((), ("--dataset", "kb")):
        assert run("search", "make", *arguments).stderr == ""
        refused = run("search", "make", *arguments, "--mode", "hybrid", code=1).stderr
        assert "has no vectors" in refused or "no dataset of the host has vectors" in refused.lower()
        assert "--mode text" in refused
        assert "cantle reembed --dataset" in refused
    with Store(tmp_path / "chunks.db") as store:
        store.sync("one", "a", [{"text": "make a"}], Made("one-v1"))
        store.sync("two", "b", [{"text": "make b"}], Made("openai:m", 3))
    assert run("search", "make", "--dataset", "kb").stderr == ""
    several = run("search", "make")
    assert "vectors of several embedders ('one' of 'one-v1', 'two' of 'openai:m'). Give --dataset" in several.stderr
    assert "several embedders" in run("search", "make", "--mode", "vector", code=1).stderr
    names = [line.split("  ")[1] for line in several.stdout.splitlines() if not line.startswith(" ")]
    assert sorted(names) == ["kb", "one", "two"]
    assert {hit["dataset"] for hit in json.loads(run("search", "make", "--json").stdout)} == {"kb", "one", "two"}
    assert "  kb  " not in run("search", "make", "--dataset", "kb").stdout
    wrong = run("search", "make", "--dataset", "one", "--embedder", "openai:x", code=1).stderr
    assert "--mode text" in wrong
    assert "with --embedder" in wrong
    for dry in ((), ("--dry-run",)):
        wrong = run("ingest", "docs", "--dataset", "one", "--embedder", "openai:x", *dry, code=1).stderr
        assert "`cantle reembed --dataset one --embedder NAME`" in wrong
        assert "store." not in wrong


def test_an_endpoint_that_is_not_there_ends_the_run_and_leaves_nothing(run: Run, folder: Path) -> None:
    asked = ["ingest", "docs", "--dataset", "kb", "--embedder", "openai:m", "--base-url", "http://127.0.0.1:1/v1"]
    said = run(*asked, code=1)
    assert said.stderr.count("no answer") == 1
    assert json.loads(run("datasets", "--json").stdout) == []


def test_the_hosts_that_there_are(run: Run, folder: Path) -> None:
    from cantle_store import Store

    run("ingest", "docs", "--dataset", "kb", "--host", "acme")
    for command in (["datasets"], ["search", "make"], ["roles"]):
        said = run(*command).stderr
        assert said == "There is nothing of host 'default' in this store. There is something of 'acme': give --host.\n"
    with Store(Path("chunks.db")) as store:
        assert store.hosts() == ["acme"]
    assert "kb" in run("datasets", "--store", "chunks.db", "--host", "acme").stdout


def test_roles_are_shown_replaced_and_cleared(run: Run, folder: Path, tmp_path: Path) -> None:
    run("ingest", "docs", "--dataset", "kb")
    assert run("roles").stderr == "Host 'default' has no roles.\n"
    rules = "sre: [{dept: [sre, it]}, {year: 1}]\nboss: '*'\n"
    (tmp_path / "roles.yaml").write_text(rules, encoding="utf-8")
    shown = run("roles", "roles.yaml").stdout
    assert shown == 'boss: *\nsre: {"dept": ["sre", "it"]} or {"year": ["1"]}\n'
    assert run("roles").stdout == shown
    assert run("search", "days", "--role", "sre").stdout == ""
    (tmp_path / "roles.json").write_text(run("roles", "--json").stdout, encoding="utf-8")
    assert run("roles", "roles.json").stdout == shown
    assert run("roles", "--clear").stdout == ""
    assert json.loads(run("roles", "--json").stdout) == {}


def test_reembed_counts_and_says_whose_vectors_there_were(run: Run, folder: Path, tmp_path: Path) -> None:
    from cantle_store import Store

    if find_spec("wordllama") is None or find_spec("tokenizers") is None:
        pytest.skip("the extra wordllama is not installed")
    with Store(tmp_path / "chunks.db") as store:
        store.sync("kb", "a", [{"text": "one"}, {"text": "two"}, {"text": "one"}], Made("made-v1"))
    asked = ["reembed", "--dataset", "kb", "--embedder", "wordllama"]
    assert "3 chunks (2 texts) would get vectors" in run(*asked, "--dry-run").stdout
    assert json.loads(run("datasets", "--json").stdout)[0]["embedder"] == "made-v1"
    said = run(*asked).stdout
    assert "3 chunks (2 texts) got vectors of 'wordllama:" in said
    assert "in place of those of 'made-v1'" in said
    assert json.loads(run(*asked, "--json").stdout)["texts"] == 2
    assert json.loads(run("datasets", "--json").stdout)[0]["embedder"].startswith("wordllama:")


def test_messages_name_options() -> None:
    from cantle_store.commands.speaking import in_options

    for python, shell in {
        "search with mode='text'.": "search with --mode text.",
        "for example encoding='cp1252' (Western)": "for example --encoding cp1252 (Western)",
        "Give the right encoding=, or": "Give the right --encoding, or",
        "with store.reembed('a b', embedder).": "with `cantle reembed --dataset 'a b' --embedder NAME`.",
        "base_url must be an address": "--base-url must be an address",
        "Give the key as api_key, or in X": "Give the key in X",
        "Nothing to say of kinds='a'": "Nothing to say of kinds='a'",
    }.items():
        assert in_options(python) == shell
