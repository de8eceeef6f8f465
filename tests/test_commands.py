"""`cantle.commands`: what commands of plugins are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from cantle import commands
from cantle.errors import OptionError

PAGE = Path(__file__).parent.parent / "docs/plugins/commands.md"


def run(decorators: list[Any], arguments: list[str], **more: Any) -> tuple[Any, dict[str, Any]]:
    """What a command with these decorators ends with, and what its function got."""
    got: dict[str, Any] = {}

    def function(**given: Any) -> None:
        got.update(given)

    for add in reversed(decorators):
        function = add(function)
    result = CliRunner().invoke(click.command()(function), arguments, **more)
    return result, got


@pytest.mark.parametrize("name", commands.__all__)
def test_every_name_is_there_and_on_the_page(name: str) -> None:
    assert hasattr(commands, name)
    assert f"`{name}" in PAGE.read_text(encoding="utf-8")


def test_cutting_gives_the_strategy_and_the_options_that_were_given() -> None:
    arguments = ["-s", "recursive", "-n", "200,800", "--overlap", "20", "-l", "words", "-O", "explain=true"]
    result, got = run([commands.cutting], arguments)
    assert result.exit_code == 0
    options = {"max_size": (200, 800), "overlap": 20, "length_function": "words", "explain": True}
    assert got == {"strategy": "recursive", "options": options}


def test_what_is_not_given_is_not_there() -> None:
    assert run([commands.cutting], [])[1] == {"strategy": None, "options": {}}
    assert run([commands.sizing], [])[1] == {"options": {}}


def test_an_option_given_in_two_ways_is_wrong_usage() -> None:
    result, got = run([commands.sizing], ["-n", "5", "-O", "maxSize=6"])
    assert (result.exit_code, got) == (2, {})
    assert "max_size is given twice: by --max-size and by --option. Keep one." in result.output


def test_reading_gives_arguments_of_from_file() -> None:
    result, got = run([commands.reading], ["-k", "html", "--encoding", "cp1252", "--front-matter", "keep"])
    assert result.exit_code == 0
    assert got == {"read": {"kind": "html", "encoding": "cp1252", "front_matter": "keep"}}
    assert run([commands.reading], [])[1] == {"read": {"kind": None, "encoding": None, "front_matter": "read"}}


def test_an_unknown_encoding_is_found_before_a_file_is_read() -> None:
    result, got = run([commands.reading], ["--encoding", "latin-99"])
    assert isinstance(result.exception, OptionError)
    assert got == {}


def test_the_decorators_go_together_in_the_order_in_which_they_stand() -> None:
    result, _ = run([commands.cutting, click.option("--mine"), commands.reading], ["--help"])
    names = ["--strategy", "--max-size", "--overlap", "--length", "--option", "--mine", "--kind", "--encoding"]
    places = [result.output.index(name) for name in names]
    assert places == sorted(places)


def test_a_document_from_a_file_or_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    file.write_text("---\nlang: pt\n---\n# Olá\n", encoding="utf-8")
    read = {"kind": None, "encoding": None, "front_matter": "read"}
    found = commands.document(file, read)
    assert (found.kind, found.source, found.metadata) == ("markdown", file.as_posix(), {"lang": "pt"})

    @click.command()
    def from_standard_input() -> None:
        given = commands.document("-", read, "in.html")
        click.echo(f"{given.kind} {given.source} {given.text}")

    assert CliRunner().invoke(from_standard_input, input="<p>Olá").output == "html in.html <p>Olá\n"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.md", True), ("x/A.TXT", True), ("b.jsonl", True), ("c.png", False), (".hidden.md", False), ("none", False)],
)
def test_names_of_documents(tmp_path: Path, path: str, expected: bool) -> None:
    file = tmp_path / path
    assert commands.is_document(file) is expected  # it need not exist
    file.parent.mkdir(exist_ok=True)
    file.write_text("x", encoding="utf-8")
    assert (file in commands.find([str(tmp_path)])) is expected


def test_json_is_compact_where_it_is_asked_for() -> None:
    value = {"a": [1, float("inf"), "\ud800"], "b": {"c": None}}
    assert commands.to_json(value, compact=True) == r'{"a":[1,"inf","\ud800"],"b":{"c":null}}'
    assert commands.to_json({"a": [1, 2]}) == '{"a": [1, 2]}'
