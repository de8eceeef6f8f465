"""What commands write never replaces what they read, and is no document on the next run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli
from cantle_inspect import read_corpus
from cantle_inspect.commands.shared import outputs

GOLDEN = '[{"question": "Who has the plan?", "source": "a.md"}]'


@pytest.fixture(autouse=True)
def _documents(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.md").write_text("Ana knows the plan.", "utf-8")
    Path("docs/data.json").write_text('{"who": "Ana"}', "utf-8")
    Path("golden.json").write_text(GOLDEN, "utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="cantle")


@pytest.mark.parametrize("name", ["docs/a.md", "docs/../docs/a.md", "docs/data.json", "golden.json", "single.md"])
def test_what_is_read_is_not_replaced(name: str) -> None:
    Path("single.md").write_text("x", "utf-8")
    with pytest.raises(click.UsageError, match=r"would be replaced\. Give --audit another name"):
        outputs({"--audit": name}, ["docs", "single.md"], ["golden.json", None])


def test_golden_questions_among_documents_are_not_replaced() -> None:
    Path("docs/golden.json").write_text(GOLDEN, "utf-8")
    with pytest.raises(click.UsageError, match=r"docs/golden\.json is a document of docs"):
        outputs({"-o": "docs/golden.json"}, ["docs"])


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_links_lead_to_what_is_read() -> None:
    Path("soft.jsonl").symlink_to("docs/a.md")
    os.link("golden.json", "hard.json")
    for name in ("soft.jsonl", "hard.json"):
        with pytest.raises(click.UsageError, match="would be replaced"):
            outputs({"-o": name}, ["docs"], ["golden.json"])


def test_two_outputs_are_two_files() -> None:
    with pytest.raises(click.UsageError, match=r"--output and --audit are one file, \./x\.json\. Name two"):
        outputs({"--output": "x.json", "--audit": "./x.json"}, ["docs"])


@pytest.mark.parametrize(
    ("name", "format"),
    [("docs/out.txt", "table"), ("docs/out.json", "csv"), ("docs/out.md", "json"), ("docs/sub/out.log", "jsonl")],
)
def test_what_would_be_a_document_next_time_is_refused(name: str, format: str) -> None:
    with pytest.raises(click.UsageError, match="would be a document of docs on the next run"):
        outputs({"-o": name}, ["docs"], formats={"-o": format})


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("docs/out.csv", "csv"),
        ("docs/out.json", "json"),
        ("docs/.out.txt", "table"),
        ("docs/.hidden/out.txt", "table"),
        ("out.txt", "table"),
        ("docs-2/out.txt", "table"),
    ],
)
def test_outputs_that_do_no_harm(name: str, format: str) -> None:
    assert outputs({"-o": name, "--audit": None}, ["docs"], formats={"-o": format}) == [Path(name).resolve()]
    assert outputs({"-o": "-"}, ["docs"]) == []


def test_empty_files_may_be_replaced() -> None:
    Path("docs/out.jsonl").touch()
    assert outputs({"-o": "docs/out.jsonl"}, ["docs"])


COMMANDS = {
    "preview": ("preview", "docs", "-q", "plan", "--audit", "docs/audit.jsonl"),
    "eval": ("eval", "golden.json", "docs", "-o", "docs/eval.json", "--audit", "docs/audit.jsonl"),
    "lines": ("eval", "golden.json", "docs", "-o", "docs/eval.jsonl"),
    "sweep": ("eval", "golden.json", "docs", "-o", "docs/sweep.json", "--sweep", "max_size=100,200"),
    "sweep lines": ("eval", "golden.json", "docs", "-o", "docs/sweep.jsonl", "--sweep", "max_size=100,200"),
    "cost": ("cost", "docs", "-o", "docs/cost.json"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_second_run_is_as_the_first(name: str) -> None:
    def state() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in Path("docs").iterdir()}

    first = run(*COMMANDS[name])
    written = state()
    assert first.exit_code == 0, first.output
    assert len(written) > 2
    second = run(*COMMANDS[name])
    assert (second.exit_code, second.stdout, second.stderr) == (0, first.stdout, first.stderr)
    assert state() == written


@pytest.mark.parametrize("name", COMMANDS)
def test_outputs_of_other_runs_are_no_documents(name: str) -> None:
    before = read_corpus("docs")
    assert run(*COMMANDS[name]).exit_code == 0
    after = read_corpus("docs")
    assert after.documents == before.documents
    assert {one.reason for one in after.left_out} <= {
        f"it is an output of cantle {c}" for c in ("preview", "eval", "cost")
    }
    assert len(after.left_out) == len(list(Path("docs").iterdir())) - 2


def test_answers_of_preview_that_were_saved_are_no_documents() -> None:
    saved = run("preview", "docs", "-q", "plan", "-f", "json").stdout
    Path("docs/answer.json").write_text(saved, "utf-8")
    assert [one.source for one in read_corpus("docs").left_out] == ["answer.json"]
    assert json.loads(saved)["stats"]["documents"] == 2
