"""`cantle partition`: formats, options, exit codes, costs, going on after an interruption."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle import read_jsonl
from cantle.cli import cli
from cantle_llm.testing import Asked, Fault, ScriptedServer

LINE = re.compile(r"^(\d+): (.*)$", re.MULTILINE)
TEXT = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n"
)


def one_block(asked: Asked) -> dict[str, Any]:
    found = LINE.findall(asked.prompt)
    return {"blocks": [{"ranges": [[0, len(found) - 1]], "label": f"All of {len(found)}"}], "reasoning": ""}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("CANTLE_LLM_RETRIES", "0")
    monkeypatch.setenv("CANTLE_LLM_REASKS", "0")
    path = tmp_path / "tale.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(*arguments: object, stdin: str | None = None) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as outside of tests: they are lines on standard error
        return CliRunner().invoke(cli, ["partition", *map(str, arguments)], input=stdin, prog_name="cantle")


def test_without_a_model(file: Path) -> None:
    result = run(file, "-f", "text")
    assert result.exit_code == 0, result.output
    assert result.stdout.split("\n") == [
        "block  sentences  characters  label",
        "0      0-1        0:98        Chapter 1. The Beginning.",
        "1      2-4        100:179     Chapter 2. The Challenge.",
        "",
    ]
    assert result.stderr == "2 blocks, 5 sentences, 100.0% covered\n"
    assert run(file, "-f", "text", "-q").stderr == ""


def test_json_is_the_report(file: Path, tmp_path: Path) -> None:
    result = run(file)
    found = json.loads(result.stdout)
    assert (found["success"], found["totalLines"], len(found["blocks"])) == (True, 5, 2)
    out = tmp_path / "out.json"
    assert run(file, "-o", out).stdout == ""
    assert json.loads(out.read_text(encoding="utf-8")) == found


def test_jsonl_is_chunks(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run(file, "-o", out).exit_code == 0
    rows = list(read_jsonl(out))
    assert len(rows) == 2
    assert '"label": "Chapter 2. The Challenge."' in out.read_text(encoding="utf-8")


def test_standard_input_and_kinds() -> None:
    result = run("-", "--kind", "markdown", "-f", "text", stdin="# One\n\nA sentence.\n\n# Two\n\nAnother one.\n")
    assert "One" in result.stdout
    assert "Two" in result.stdout


def test_a_model_is_asked_once(file: Path) -> None:
    with ScriptedServer(one_block) as server:
        asked = ("--model", "gpt-4.1-nano", "--base-url", server.url, "--provider", "openai", "-f", "json")
        first, second, replayed = run(file, *asked), run(file, "-e", "model", *asked), run(file, *asked, "--replay")
        assert len(server.requests) == 1
        other = run(file, *asked, "--no-answers")
        assert len(server.requests) == 2
    assert [result.exit_code for result in (first, second, replayed, other)] == [0, 0, 0, 0], first.output
    cost = json.loads(first.stdout)["costControl"]["cost"]["totalCost"]
    assert "1 session, 1 call, " in first.stderr
    assert f"1 session, 0 calls, 1 answer on file (${cost:f} when asked for)\n" in second.stderr
    found = json.loads(first.stdout)
    assert found["blocks"][0]["label"] == "All of 5"
    assert found["costControl"]["cost"]["totalCost"] > 0
    assert json.loads(second.stdout)["blocks"] == json.loads(replayed.stdout)["blocks"] == found["blocks"]


def test_options_are_passed_on(file: Path) -> None:
    with ScriptedServer(one_block) as server:
        result = run(
            *(file, "--model", "m", "--base-url", server.url, "-f", "json", "--no-answers"),
            *("--max-lines-per-session", 2, "--overlap-lines", 0, "--max-words-per-line", 5, "--language", "pt"),
            *("--max-chars-per-chunk", 1000, "--min-coverage", 0.5, "--uncovered", "nearest"),
            *("--fallback-max-chars-per-block", 100),
        )
        prompts = [asked.prompt for asked in server.requests]
    found = json.loads(result.stdout)
    assert found["totalLines"] > 5
    assert found["sessionsUsed"] == len(prompts) == -(-found["totalLines"] // 2)
    assert all("em português" in prompt for prompt in prompts)


def test_failures_are_exit_code_1_and_the_result_is_there(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with ScriptedServer(lambda asked: Fault.refusal()) as server:
        result = run(file, "--model", "m", "--base-url", server.url, "-o", out)
    assert result.exit_code == 1
    assert "tale.txt: 1 of 1 session(s) with the model failed (refused)" in result.stderr
    assert "no session was answered, 1 session" in result.stderr
    assert "covered" not in result.stderr
    assert "Error: no session was answered; 1 of 1 session failed: the model refused." in result.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["fallbackUsed"] is True


def test_coverage_below_the_threshold(file: Path) -> None:
    few = {"blocks": [{"ranges": [[0, 0]], "label": "a\x1b[2J"}], "reasoning": ""}
    with ScriptedServer(lambda asked: few) as server:
        result = run(file, "--model", "m", "--base-url", server.url, "-f", "text")
        near = run(file, "--model", "m", "--base-url", server.url, "-f", "text", "--uncovered", "nearest")
    assert result.exit_code == 1
    assert "the model left out 4 of 5 sentences (--uncovered nearest" in result.stderr
    assert "a [2J" in result.stdout
    assert "\x1b" not in result.output
    assert near.exit_code == 1
    assert "0      0-4" in near.stdout


def test_a_wrong_key(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_LLM_API_KEY", "wrong")
    with ScriptedServer(one_block, key="right") as server:
        result = run(file, "--model", "m", "--base-url", server.url)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "Error: The key is missing, wrong" in result.stderr


def test_a_budget(file: Path) -> None:
    with ScriptedServer(one_block) as server:
        result = run(file, "--model", "m", "--base-url", server.url, "--budget", "0", "--price", "1,1", "-f", "json")
        assert not server.requests
    assert result.exit_code == 1
    assert "stopped: " in result.stderr
    assert json.loads(result.stdout)["costControl"]["control"]["decision"] == "stop"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-e", "model"], "No model is named"),
        (["--model", "m"], "No key is given"),
        (["--budget", "1"], "--budget is for a model"),
        (["-e", "lexical", "--model", "m"], "--model is for a model"),
        (["--replay"], "--replay is for a model"),
        (["--answers", "a.jsonl"], "--answers is for a model"),
        (["-e", "magic"], "'magic' is not one of"),
        (["--min-coverage", "90"], "--min-coverage"),
        (["--language", "xx"], "--language"),
        (["-f", "parquet"], "parquet"),
        (["-o", "x.parquet"], "says nothing of the format"),
        (["-o", ""], "A name is empty"),
        (["--max-words-per-line", "0"], "--max-words-per-line"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, file: Path) -> None:
    result = run(file, *arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stdout == ""


def test_several_files_and_directories(file: Path) -> None:
    for given in ((file, file), (file.parent,)):
        result = run(*given)
        assert result.exit_code == 2
        assert "cantle partition divides one file" in result.stderr
        assert "cantle chunk" in result.stderr
        assert "; do cantle partition" in result.stderr
    assert run().exit_code == 2


def test_the_file_is_not_replaced(file: Path) -> None:
    assert "is read and would be replaced" in run(file, "-o", file).stderr
    assert file.read_text(encoding="utf-8") == TEXT
    assert run(file.with_name("none.txt")).exit_code == 1


def test_an_option_without_effect_is_told(file: Path) -> None:
    result = run(file, "--min-coverage", "0.5")
    assert result.exit_code == 0
    assert "Warning: min_coverage has no effect with the lexical engine" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_an_interruption_says_how_to_go_on(tmp_path: Path) -> None:
    file, kept = tmp_path / "long.txt", tmp_path / "kept.jsonl"
    file.write_text("\n".join(f"Sentence {i} is here." for i in range(40)), encoding="utf-8")
    reached, go_on = threading.Event(), threading.Event()

    def answer(asked: Asked) -> Any:
        if asked.number >= 5:
            reached.set()
            go_on.wait(60)
        return one_block(asked)

    with ScriptedServer(answer) as server:
        command = [sys.executable, "-m", "cantle", "partition", str(file), "--model", "m", "--base-url", server.url]
        command += [
            "--max-lines-per-session",
            "2",
            "--overlap-lines",
            "0",
            "--concurrency",
            "2",
            "--answers",
            str(kept),
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert reached.wait(120)
            process.send_signal(signal.SIGINT)
            go_on.set()
            out, said = process.communicate(timeout=120)
        finally:
            process.kill()
        if process.returncode == 0:
            pytest.skip("the run was over before the signal came")
        assert process.returncode == 130
        assert out == ""
        assert f"The answers so far are in {kept}. Run the same command again" in said
        asked = len(server.requests)
        assert asked < 20
        again = subprocess.run(command, capture_output=True, text=True, check=True)
        assert len(server.requests) == 20
        assert f"20 sessions, {20 - asked} calls, {asked} answers on file" in again.stderr
        assert len(json.loads(again.stdout)["blocks"]) == 20


def test_where_nothing_can_be_written_nothing_is_asked(file: Path) -> None:
    with ScriptedServer(one_block) as server:
        result = run(file, "--model", "m", "--base-url", server.url, "--no-answers", "-o", "none/such.json")
        assert (result.exit_code, len(server.requests)) == (2, 0)
    assert "Cannot write none/such.json" in result.stderr
