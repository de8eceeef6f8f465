"""What commands that ask a model say: what a run cost, why it ended, and only such advice as can help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scripted_contextualize import block_of
from scripted_extraction import Setup

from cantle.cli import cli
from cantle.errors import OptionError
from cantle_llm import Client
from cantle_llm.client.answers import key_of
from cantle_llm.testing import Asked, Fault, ScriptedServer

Both = Callable[..., Result]
AGAIN = "un the same command again"


def one_block(asked: Asked) -> Any:
    count = sum(line[:1].isdigit() for line in asked.prompt.split("\n"))
    return {"blocks": [{"ranges": [[0, count - 1]], "label": "All"}], "reasoning": ""}


def answer(asked: Asked) -> Any:
    return one_block(asked) if asked.schema else f"About {block_of(asked)}."


@pytest.fixture(params=["contextualize", "partition"])
def both(request: pytest.FixtureRequest, here: Path, model: Setup) -> Both:
    """Either command for `t.txt` with the scripted model; `both(*arguments)`."""
    model.answer = answer

    def call(*arguments: str, url: str = model.server.url, parts: bool = False) -> Result:
        given = [request.param, "t.txt", "--model", "m", "--base-url", url, *arguments]
        if parts:  # several calls
            one = ["-s", "character"], ["--max-lines-per-session", "1", "--overlap-lines", "0"]
            given += one[request.param == "partition"]
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            return CliRunner().invoke(cli, given, prog_name="cantle")

    return call


@pytest.fixture
def nobody() -> str:
    """An address where nothing listens."""
    with ScriptedServer([]) as server:
        return server.url


def test_a_server_that_is_not_there_is_said_once(both: Both, nobody: str) -> None:
    result = both(url=nobody)
    assert result.exit_code == 1
    assert f"Is a server running at {nobody}" in result.stderr
    assert result.stderr.count("Is a server running") == 1
    assert "No note for chunk" not in result.stderr
    assert AGAIN not in result.stderr


def test_advice_is_given_only_where_it_can_help(both: Both, model: Setup) -> None:
    model.answer = lambda asked: Fault.http(404, "The model m does not exist")
    result = both()
    assert "The model m does not exist." in result.stderr
    assert AGAIN not in result.stderr
    model.answer = lambda asked: Fault.http(400, "No, never")
    assert AGAIN not in both().stderr
    model.answer = lambda asked: Fault.http(500, "down")
    assert AGAIN in both().stderr
    assert AGAIN not in both("--no-answers").stderr


def test_in_replay_nothing_is_asked_however_often(both: Both, model: Setup) -> None:
    Path("a.jsonl").write_text("")
    result = both("--replay", "--answers", "a.jsonl")
    assert result.exit_code == 1
    assert AGAIN not in result.stderr
    assert "without --replay they are asked for" in result.stderr
    assert "(not_recorded)" not in result.stderr.rpartition("Error: ")[2]


@pytest.mark.parametrize("limit", ["budget", "token-budget"])
def test_a_limit_that_leaves_no_room_for_a_call(limit: str, both: Both, model: Setup) -> None:
    result = both(f"--{limit}", "0", "--price", "1,1")
    assert result.exit_code == 1
    assert f"Raise --{limit}." in result.stderr
    assert AGAIN not in result.stderr
    assert "0 are" not in result.stderr
    assert ".;" not in result.stderr
    small = {"budget": "0.000001", "token-budget": "10"}[limit]
    result = both(f"--{limit}", small, "--price", "1,1")
    assert f"Raise --{limit}, or lower --max-output-tokens: " in result.stderr
    assert AGAIN not in result.stderr
    assert not model.prompts


def test_a_limit_that_was_used_up(both: Both, model: Setup) -> None:
    model.server._usage = lambda asked, text: (1, 100)
    result = both(
        *("--price", "0,1000", "--max-output-tokens", "100", "--concurrency", "1", "--budget", "0.15"), parts=True
    )
    assert len(model.prompts) == 1
    assert "Raise --budget and run the same command again" in result.stderr
    assert model.server.requests[0].body["max_tokens"] == 100


def test_answers_on_file_say_what_they_had_cost(both: Both, model: Setup) -> None:
    first, second = both("--price", "1000,1000"), both("--price", "1000,1000")
    spent = first.stderr.rstrip().rpartition("$")[2]
    assert float(spent) > 0
    assert f"0 calls, {len(model.prompts)} answer" in second.stderr
    assert f"on file (${spent} when asked for)\n" in second.stderr
    unpriced = both()
    assert "on file\n" in unpriced.stderr
    assert "price" not in unpriced.stderr  # nothing was asked


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "much"], "--budget must be an amount"),
        (["--budget", "1"], "Give --price IN,OUT"),
        (["--budget", "1"], "--token-budget, needs none"),
        (["--price", "1"], "--price must be two numbers"),
        (
            ["--provider", "opnai"],
            "--provider must be one that the price lists have, got 'opnai'. Did you mean 'openai'?",
        ),
        (["--answers", "t.txt"], "--answers must be a file"),
        (["--token-budget", "-1"], "--token-budget"),
        (["--timeout", "0"], "--timeout"),
        (["--max-output-tokens", "0"], "--max-output-tokens"),
    ],
)
def test_errors_name_options_as_they_are_written(arguments: list[str], said: str, both: Both) -> None:
    result = both(*arguments)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert "price=(" not in result.stderr
    assert "token_budget" not in result.stderr


def test_a_slow_server_and_a_timeout(both: Both, model: Setup) -> None:
    model.answer = lambda asked: Fault.slow(60)
    assert "No answer came in time" in " ".join(both("--timeout", "0.2", "--concurrency", "8").stderr.split()).replace(
        "no answer", "No answer"
    )


def test_a_provider_that_is_not_known_is_an_error_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"got 'zzzzzz'\. Known: anthropic, "):
        Client("m", api_key="k", provider="zzzzzz")
    monkeypatch.setenv("CANTLE_LLM_PROVIDER", "mistrl")
    with pytest.raises(OptionError, match="Did you mean 'mistral'"):
        Client("m", api_key="k")


def test_the_recorded_cost_is_what_the_run_had_paid(model: Setup, tmp_path: Path) -> None:
    model.answer = lambda asked: "fine"
    asked = [[{"role": "user", "content": text}] for text in ("one", "two two")]
    costs = []
    for _ in range(2):
        with Client("gpt-4.1-nano", base_url=model.server.url, answers=tmp_path / "a") as client:
            run = client.run("x")
            for messages in asked:
                run.complete(messages)
            costs.append((run.ledger.cost.total_cost, run.recorded_cost.total_cost, client.recorded_cost.total_cost))
    assert costs[0][0] > 0
    assert costs == [(costs[0][0], 0, 0), (0, costs[0][0], costs[0][0])]


def test_answers_on_file_do_not_depend_on_the_server() -> None:
    one, two = (Client("m", base_url=f"http://{name}.invalid/v1") for name in ("a", "b"))
    messages = [{"role": "user", "content": "hello"}]
    assert key_of(one.request(messages)) == key_of(two.request(messages))


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("command", ["contextualize", "partition"])
def test_an_interruption_says_what_was_spent(command: str, here: Path) -> None:
    process: subprocess.Popen[str] | None = None

    def interrupting(asked: Asked) -> Any:
        if asked.number == 1:
            assert process is not None
            process.send_signal(signal.SIGINT)
        return answer(asked)

    more = ["-s", "character"] if command == "contextualize" else ["--max-lines-per-session", "1"]
    with ScriptedServer(interrupting) as server:
        arguments = [sys.executable, "-m", "cantle", command, "t.txt", "--model", "m", "--base-url", server.url, *more]
        arguments += ["--concurrency", "1", "--answers", "a.jsonl", "--price", "1,1"]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    kept = [json.loads(line) for line in Path("a.jsonl").read_text().splitlines()]
    assert f"So far: {len(kept)} call" in stderr
    assert "$0.00" in stderr
    assert "The answers so far are in " in stderr
