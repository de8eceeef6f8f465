"""`cantle contextualize`: notes for the chunks of files, on the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from scripted_contextualize import Run, block_of, rows
from scripted_extraction import TEXT, Setup

from cantle.cli import cli
from cantle_llm.commands import client_options
from cantle_llm.testing import Asked, Fault, ScriptedServer


def test_notes_stand_before_the_text_and_in_the_metadata(run: Run, model: Setup) -> None:
    result = run("--price", "1,2")
    assert result.exit_code == 0, result.stderr
    found = rows(result)
    assert [row["metadata"]["context"] for row in found] == ["About Tide.", "About High.", "About The."]
    assert found[0]["text"] == "About Tide.\n\nTide tables list the times."
    assert found[0]["prefix"] == "About Tide.\n\n"
    read = sum(len(m["content"].split()) for asked in model.server.requests for m in asked.messages)
    assert result.stderr == f"3 calls, {read:,} tokens in and 6 out, ${(read + 12) / 1e6:.6f}\n"


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv", "txt", "parquet"])
def test_outputs_are_those_of_chunk(suffix: str, run: Run, here: Path) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    result = run("-o", f"out.{suffix}")
    assert (result.exit_code, result.stdout) == (0, "")
    written = (here / f"out.{suffix}").read_bytes()
    if suffix == "jsonl":
        assert [json.loads(line)["metadata"]["context"] for line in written.splitlines()][1] == "About High."
    elif suffix == "json":
        assert json.loads(written)[1]["prefix"] == "About High.\n\n"
    elif suffix == "csv":
        assert next(csv.DictReader(io.StringIO(written.decode())))["prefix"] == "About Tide.\n\n"
    elif suffix == "txt":
        assert b"\nAbout The.\n\nThe datum" in written
    else:
        pytest.importorskip("pyarrow")
        assert written[:4] == b"PAR1"


def test_options_of_chunk_are_taken(run: Run) -> None:
    Path("a.md").write_text("# Tides\n\nTwice a day.\n", encoding="utf-8")
    result = run("-s", "structural-context", "-n", "400", "--source", "mine", files=("a.md",))
    (row,) = rows(result)
    assert row["source"] == "mine"
    assert row["prefix"].endswith("About #.\n\n") or row["prefix"].endswith("About Twice.\n\n")
    result = run("-k", "text", files=("-",), input="From standard input.")
    assert rows(result)[0]["metadata"]["context"] == "About From."


def test_answers_are_kept_in_the_cache_and_asked_for_once(run: Run, model: Setup, tmp_path: Path) -> None:
    first, second = run(), run()
    assert first.stdout == second.stdout
    assert second.stderr == "0 calls, 3 answers on file\n"
    assert len(model.prompts) == 3
    (kept,) = [path for path in tmp_path.rglob("answers.jsonl") if "work" not in path.parts[-3:]]
    assert len(kept.read_text().splitlines()) == 3
    replayed = run("--replay")
    assert (replayed.exit_code, replayed.stdout) == (0, first.stdout)


def test_a_file_of_answers_of_ones_own(run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    run("--answers", "mine.jsonl")
    assert len(Path("mine.jsonl").read_text().splitlines()) == 3
    monkeypatch.setenv("CANTLE_LLM_ANSWERS", "mine.jsonl")
    run()
    assert len(model.prompts) == 3
    run("--no-answers")
    assert len(model.prompts) == 6
    assert len(Path("mine.jsonl").read_text().splitlines()) == 3


def test_nothing_is_kept_without_answers(run: Run, model: Setup, tmp_path: Path) -> None:
    run("--no-answers")
    run("--no-answers")
    assert len(model.prompts) == 6
    assert not list(tmp_path.rglob("answers.jsonl"))


def test_what_failed_is_told_and_asked_for_again(run: Run, model: Setup) -> None:
    model.answer = lambda asked: Fault.http(500, "down") if block_of(asked) == "High" else "ok"
    result = run("-o", "out.jsonl")
    assert result.exit_code == 1
    assert "Warning: No note for chunk t.txt#1-" in result.stderr
    assert "2 calls, 1 failed, " in result.stderr
    wanted = "Error: 1 of 3 chunks has no note. Run the same command again: only these are asked for.\n"
    assert result.stderr.endswith(wanted)
    assert result.stderr.count("no note.") == 1
    kept = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert [row["metadata"].get("context") for row in kept] == ["ok", None, "ok"]
    model.answer = lambda asked: "late"
    result = run("-o", "out.jsonl")
    assert result.exit_code == 0
    assert "1 call, 2 answers on file, " in result.stderr
    assert len(model.prompts) == 4


def test_chunks_without_a_single_note_replace_no_file(run: Run, model: Setup) -> None:
    Path("out.jsonl").write_text("before")
    model.answer = lambda asked: Fault.http(401, "wrong key")
    result = run("-o", "out.jsonl")
    assert result.exit_code == 1
    assert "Error: The run was stopped: The key is missing, wrong" in result.stderr
    assert "left unread" not in result.stderr
    assert "3 of 3 chunks have no note." in result.stderr
    assert Path("out.jsonl").read_text() == "before"


def test_a_budget_ends_the_run_and_says_why(run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("b.txt").write_text(TEXT, encoding="utf-8")
    monkeypatch.setenv("CANTLE_LLM_MAX_OUTPUT_TOKENS", "100")
    model.server._usage = lambda asked, text: (1, 100)
    result = run("--price", "0,1000", "--budget", "0.25", "--concurrency", "1", files=("t.txt", "b.txt"))
    assert result.exit_code == 1
    assert [row["metadata"].get("context") for row in rows(result)] == ["About Tide.", "About High.", None]
    assert "2 calls, 1 failed, 2 tokens in and 200 out, $0.200000\n" in result.stderr
    assert "Stopped: budget_exceeded: The limit is 0.25 USD; 0.2 are spent" in result.stderr
    said = "Error: The run was stopped: The call could exceed the spending limit. 1 document left unread. 1 of 3 chunks"
    assert said in result.stderr
    assert "Warning" not in result.stderr


def test_a_dry_run_asks_nothing(run: Run, model: Setup) -> None:
    result = run("--dry-run", "--price", "1,2")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "3 calls of m, 0 notes on file"
    assert lines[1].endswith(
        " tokens in, at most 12,288 out (4,096 an answer: no limit is set, --max-output-tokens sets one)"
    )
    assert lines[2].startswith("At most $0.02")
    assert model.prompts == []
    run()
    assert run("--dry-run").stdout == "0 calls of m, 3 notes on file\n"
    assert json.loads(run("--dry-run", "-f", "json").stdout)["recorded"] == 3
    assert run("--dry-run", "-f", "csv").exit_code == 2


def test_a_dry_run_needs_no_key(here: Path) -> None:
    result = CliRunner().invoke(cli, ["contextualize", "t.txt", "--model", "gpt-4.1-nano", "--dry-run"])
    assert result.exit_code == 0, result.stderr
    assert "(openai:gpt-4.1-nano)" in result.stdout
    unknown = CliRunner().invoke(cli, ["contextualize", "t.txt", "--model", "no-such", "--dry-run"])
    assert unknown.stdout.endswith("The price of the model is not known; give it with --price IN,OUT.\n")


def test_the_price_of_a_model_that_is_not_known(run: Run) -> None:
    assert "the price of m is not known (--price gives it)" in run().stderr


def test_a_template_and_a_language(run: Run, model: Setup) -> None:
    Path("prompt.txt").write_text("\ufeffAbout {chunk} in {document}?", encoding="utf-8")
    model.answer = lambda asked: "ok"
    run("--template", "prompt.txt", "--document-max-chars", "4")
    assert "About Tide tables list the times. in Tide?" in model.prompts
    run("--language", "pt")
    assert model.server.requests[-1].system.startswith("Preparas")


def test_quiet_says_nothing_but_errors(run: Run, model: Setup) -> None:
    assert run("-q").stderr == ""
    model.answer = lambda asked: Fault.http(500, "down")
    result = run("-q", "--no-answers")
    assert result.stderr == "Error: 3 of 3 chunks have no note.\n"


def test_files_that_cannot_be_read_are_told_and_the_others_done(run: Run, here: Path) -> None:
    result = run(files=("nowhere.txt", "t.txt"))
    assert result.exit_code == 1
    assert len(rows(result)) == 3
    assert "Error: nowhere.txt: No such file or directory" in result.stderr
    assert result.stderr.endswith("Error: 1 of 2 documents failed.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-answers", "--replay"], "--no-answers and --replay exclude each other"),
        (["--no-answers", "--answers", "a"], "--no-answers and --answers exclude each other"),
        (["--budget", "much"], "budget must be"),
        (["--budget", "1"], "A budget needs the price of the model"),
        (["--price", "1"], "price must be two numbers"),
        (["--concurrency", "0"], "0 is not in the range"),
        (["-O", "workers=2"], "workers is no option of a strategy"),
        (["-O", "no_such=2"], "no_such"),
        (["-o", "t.txt"], "t.txt is read and would be replaced"),
        (["-o", ""], "A name is empty"),
        (["--template", "nowhere"], "nowhere"),
        (["--language", "de"], "'de' is not one of"),
        (["--replay", "--answers", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--answers", "t.txt"], "answers must be a file that an earlier run wrote"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, run: Run, model: Setup) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.stderr
    assert message in result.stderr
    assert model.prompts == []


def test_a_cache_that_cannot_be_written_to(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no-directory").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "no-directory"))
    if client_options.default_answers().startswith(str(tmp_path / "no-directory")):  # as on Linux
        result = run()
        assert result.exit_code == 2
        assert "Name another file with --answers, or keep none: --no-answers." in result.stderr
    assert run("--no-answers").exit_code == 0


def test_without_a_model_or_a_key(here: Path) -> None:
    result = CliRunner().invoke(cli, ["contextualize", "t.txt"])
    assert (result.exit_code, "No model is named. Give --model NAME" in result.stderr) == (2, True)
    result = CliRunner().invoke(cli, ["contextualize", "t.txt", "--model", "m"])
    assert (result.exit_code, "No key is given. Set CANTLE_LLM_API_KEY" in result.stderr) == (2, True)


def test_settings_may_stand_in_variables(here: Path, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    model.answer = lambda asked: "ok"
    monkeypatch.setenv("CANTLE_LLM_MODEL", "from-env")
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    assert CliRunner().invoke(cli, ["contextualize", "t.txt"]).exit_code == 0
    assert model.server.requests[0].body["model"] == "from-env"


def test_what_a_model_writes_does_not_command_the_terminal(run: Run, model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "wrong \x1b[2J key")
    assert "\x1b" not in run().stderr


def test_help_has_examples() -> None:
    result = CliRunner().invoke(cli, ["contextualize", "--help"])
    assert result.exit_code == 0
    assert "cantle contextualize docs/ --model gpt-4.1-nano --dry-run" in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_run_can_be_taken_up_again(here: Path) -> None:
    """Two calls are answered and kept, the third hangs until Ctrl-C; the next run asks for what is missing."""
    process: subprocess.Popen[str] | None = None

    def answer(asked: Asked) -> Any:
        if asked.number == 2:
            assert process is not None
            process.send_signal(signal.SIGINT)
        return f"About {block_of(asked)}."

    command = [sys.executable, "-m", "cantle", "contextualize", "t.txt", "-s", "character", "--model", "m"]
    more = ["--concurrency", "1", "--answers", "a.jsonl", "-o", "out.jsonl"]
    with ScriptedServer(answer) as server:
        arguments = [*command, "--base-url", server.url, *more]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, stderr = process.communicate(timeout=120)
        assert process.returncode == 130, stderr
        assert "The answers so far are in " in stderr
        assert "a.jsonl. Run the same command again: only what is missing is asked for." in stderr
        assert "Traceback" not in stderr
        assert not Path("out.jsonl").exists()
        kept = len(Path("a.jsonl").read_text().splitlines())
        assert kept >= 2
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        assert f"{kept} answers on file" in done.stderr
    assert len(Path("out.jsonl").read_text().splitlines()) == 3


def test_a_missing_file_costs_itself_alone_whatever_is_there_already(run: Run, here: Path) -> None:
    (here / "out.jsonl").write_text("earlier\n")
    result = run("missing.md", "-o", "out.jsonl")
    assert result.exit_code == 1
    assert "missing.md" in result.stderr
    assert len((here / "out.jsonl").read_text().splitlines()) == 3
