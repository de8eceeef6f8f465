"""What a run would cost, before it: `cantle partition --dry-run` and `estimate_partition`; what helps a newcomer."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from scripted_contextualize import Run, block_of
from scripted_extraction import TEXT, Setup

import cantle_llm
from cantle import MDocument
from cantle.cli import cli
from cantle.errors import OptionError
from cantle_llm import Client, contextualize, estimate_notes, estimate_partition, partition
from cantle_llm.commands import contextualize as command


def cantle(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="cantle")


def test_a_dry_run_of_partition_asks_nothing_and_needs_no_key(here: Path) -> None:
    given = ["partition", "t.txt", "--model", "gpt-4.1-nano", "--max-lines-per-session", "1", "--dry-run"]
    before = sorted(here.parent.rglob("*"))
    result = cantle(*given)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "3 calls of gpt-4.1-nano, 0 answers on file"
    assert " tokens in, at most 12,288 out" in lines[1]
    assert re.fullmatch(r"At most \$0\.00\d+ \(openai:gpt-4\.1-nano\)", lines[2])
    assert json.loads(cantle(*given, "-f", "json").stdout)["calls"] == 3
    assert sorted(here.parent.rglob("*")) == before
    for wrong in (["-f", "jsonl"], ["-o", "out.json"], ["-e", "lexical"]):
        assert cantle(*given, *wrong).exit_code == 2
    assert "costs nothing" in cantle("partition", "t.txt", "--dry-run").stderr


def test_an_estimate_of_partition_is_what_is_asked_then(model: Setup, tmp_path: Path) -> None:
    model.answer = lambda asked: {"blocks": [{"ranges": [[0, 0]], "label": "One"}], "reasoning": ""}
    client = model.client(price=(1, 2), answers=tmp_path / "a", max_output_tokens=50)
    more: dict[str, Any] = {"max_lines_per_session": 1, "language": "en"}
    found = estimate_partition(TEXT, client, **more)
    assert (found.calls, found.output_tokens, found.is_bounded, len(model.prompts)) == (3, 150, True, 0)
    assert found.cost == Decimal(found.input_tokens + 2 * 150) / 1_000_000
    partition(TEXT, client=client, **more)
    again = estimate_partition(TEXT, client, **more)
    assert (again.calls, again.recorded, len(model.prompts)) == (0, 3, 3)
    with pytest.raises(OptionError, match="No model is named"):
        estimate_partition(TEXT, Client(api_key="k"))


def test_public_names_are_shown() -> None:
    assert set(cantle_llm.__all__) <= set(dir(cantle_llm))


@pytest.mark.parametrize("function", [contextualize, estimate_notes])
def test_the_order_of_arguments_is_told(function: Any, model: Setup) -> None:
    client, chunks = model.client(), MDocument(TEXT).chunk("character")
    for given in ((client, None, chunks), (client, chunks), (chunks, client, TEXT), ("model", chunks)):
        with pytest.raises(OptionError, match=r"takes \(chunks, client\)"):
            function(*given)
    assert not model.prompts


@pytest.mark.parametrize("name", ["contextualize", "partition"])
def test_help_fits_a_terminal(name: str) -> None:
    result = cantle(name, "--help")
    assert max(map(len, result.stdout.splitlines())) <= 80
    for option in ("--token-budget", "--max-output-tokens", "--timeout", "--dry-run"):
        assert option in result.stdout
    assert "OPENAI_API_KEY" in result.stdout
    assert "OpenAI's own address alone" in " ".join(result.stdout.split())


def test_the_bar_names_the_file_and_where_we_are(run: Run, model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Bar:
        def __init__(self, total: int, items: str, made: str) -> None:
            shown.append((items, total))

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: object) -> None:
            """Nothing is shown."""

        def advance(self, made: int) -> None:
            shown.append(made)

    monkeypatch.setattr(command, "Bar", Bar)
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("One sentence.", encoding="utf-8")
    model.answer = lambda asked: f"About {block_of(asked)}."
    assert run("-o", "out.jsonl", files=("a.txt", "b.txt")).exit_code == 0
    assert shown == [("a.txt, 1 of 2", 1), 1, ("b.txt, 2 of 2", 1), 1]
    shown.clear()
    run("-o", "out.jsonl")
    assert shown == [("t.txt", 3), 1, 1, 1]
    shown.clear()
    run("-o", "out.jsonl", "-q")
    assert shown == []


def test_an_estimate_changes_nothing(model: Setup, tmp_path: Path) -> None:
    """Neither the dictionaries nor the file of notes get what is counted; notes that are there need no call."""
    client, resume = model.client(), tmp_path / "notes.jsonl"
    model.answer = lambda asked: "A note."
    chunks = MDocument(TEXT).chunk("character")
    assert estimate_notes(chunks, client, resume=resume).calls == 3
    assert not resume.exists()
    contextualize(chunks[:2], client, document=TEXT, resume=resume)
    before = resume.read_text()
    assert estimate_notes(chunks, client, document=TEXT, resume=resume).calls == 1
    assert resume.read_text() == before
    rows = [{"content": "Tide tables list the times.", "header": "", "id": "a#0"}]
    assert estimate_notes(rows, client, document=TEXT).calls == 1
    assert rows == [{"content": "Tide tables list the times.", "header": "", "id": "a#0"}]
    with pytest.raises(OptionError, match="resume"):
        estimate_notes(chunks, client, resume=7)
