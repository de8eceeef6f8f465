"""`cantle contextualize`: what it refuses, so that nothing is paid for or lost unasked, and what a dry run does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scripted_contextualize import Run, rows
from scripted_extraction import Setup

from cantle.cli import cli
from cantle_llm.commands import client_options


@pytest.mark.parametrize(
    "fields",
    [
        {"questions": True},
        {"schema": {"schema": {"type": "object"}}},
        {"summary": {"by": "llm"}},
        {"summary": {"llm": "m"}},
        {"title": {"nodes": 3, "language": "en"}},
        {"keywords": {"promptTemplate": "K {context}"}},
    ],
)
@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--replay", "--answers", "kept.jsonl"], ["--budget", "0"]])
def test_fields_that_ask_a_model_are_wrong_usage(
    fields: dict[str, Any], more: list[str], run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("kept.jsonl").write_text("")
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)  # what the client of the variables would ask
    monkeypatch.setenv("CANTLE_LLM_MODEL", "m")
    monkeypatch.setenv("CANTLE_LLM_PRICE", "1,1")
    result = run("-O", f"extract={json.dumps(fields)}", *more)
    assert result.exit_code == 2, result.stderr
    assert "asks a model. `cantle contextualize` asks for notes alone. Do that with `cantle chunk`." in result.stderr
    assert model.prompts == []
    assert result.stdout == ""


@pytest.mark.parametrize("options", [["-O", "engine=model"], ["-O", "model=other"]])
def test_a_strategy_that_asks_a_model_is_wrong_usage(
    options: list[str], run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    monkeypatch.setenv("CANTLE_LLM_MODEL", "m")
    result = run("-s", "partition", *options, "--dry-run")
    assert (result.exit_code, "partition with a model asks one" in result.stderr) == (2, True)
    assert model.prompts == []
    assert run("-s", "partition", "--dry-run").exit_code == 0


def test_fields_without_a_model_are_extracted(run: Run) -> None:
    result = run("-O", 'extract={"keywords": true, "summary": true}')
    assert result.exit_code == 0, result.stderr
    assert {"context", "excerpt_keywords", "section_summary"} <= set(rows(result)[0]["metadata"])


@pytest.mark.parametrize("command", ["contextualize", "partition"])
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("how", ["option", "variable", "default", "link"])
def test_the_file_of_answers_is_not_replaced(
    command: str, there: bool, how: str, run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Path("kept.jsonl") if how != "default" else Path(client_options.default_answers())
    kept.parent.mkdir(parents=True, exist_ok=True)
    if there:
        kept.write_text('{"key": "k", "answer": "paid for"}\n')
    out, more = str(kept), ["--answers", str(kept)] if how in ("option", "link") else []
    if how == "variable":
        monkeypatch.setenv("CANTLE_LLM_ANSWERS", str(kept.absolute()))
    if how == "link":
        if os.name == "nt":
            pytest.skip("links take a privilege there")
        Path("other.jsonl").symlink_to(kept)
        out = "other.jsonl"
    given = [command, "t.txt", "--model", "m", "--base-url", model.server.url, *more, "-o", out]
    result = CliRunner().invoke(cli, given, prog_name="cantle")
    assert result.exit_code == 2, result.stderr
    assert "is the file of answers, and would be replaced" in result.stderr
    assert kept.exists() is there
    assert not there or "paid for" in kept.read_text()
    assert model.prompts == []


def test_a_dry_run_leaves_nothing_behind(run: Run, here: Path) -> None:
    before = sorted(here.parent.rglob("*"))
    assert run("--dry-run").exit_code == 0
    assert run("--dry-run", "--answers", "new/a.jsonl").exit_code == 0
    assert sorted(here.parent.rglob("*")) == before


def test_a_dry_run_takes_no_output(run: Run) -> None:
    result = run("--dry-run", "-o", "out.jsonl")
    assert (result.exit_code, "--dry-run writes no chunks" in result.stderr) == (2, True)
    assert run("--dry-run", "-o", "-").exit_code == 0


def test_a_dry_run_of_a_replay_asks_nothing(run: Run) -> None:
    run("--answers", "a.jsonl")
    lines = Path("a.jsonl").read_text().splitlines(keepends=True)
    Path("a.jsonl").write_text("".join(lines[:2]))
    result = run("--dry-run", "--replay", "--answers", "a.jsonl")
    assert result.stdout == "0 calls in replay, 2 notes on file, 1 missing\n"
    found = json.loads(run("--dry-run", "--replay", "--answers", "a.jsonl", "-f", "json").stdout)
    assert (found["calls"], found["recorded"], found["missing"]) == (0, 2, 1)


def test_a_dry_run_says_that_answers_may_be_asked_for_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "more, which is not counted" not in run("--dry-run").stdout
    monkeypatch.setenv("CANTLE_LLM_REASKS", "1")
    assert run("--dry-run").stdout.endswith(
        "An answer of no use is asked for up to once more, which is not counted here.\n"
    )
    monkeypatch.setenv("CANTLE_LLM_REASKS", "3")
    assert "up to 3 times more" in run("--dry-run").stdout


def test_only_errors_about_the_file_of_answers_name_another(run: Run) -> None:
    result = run("--budget", "much")
    assert "budget must be" in result.stderr
    assert "--answers" not in result.stderr.replace("cantle contextualize --help", "")
    result = run("--replay")  # where nothing was ever asked
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith("Name another file with --answers.")
