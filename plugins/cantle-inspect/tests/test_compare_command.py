"""`cantle compare`: the same counts in every format, options of one strategy and of all, errors, exit codes."""

from __future__ import annotations

import csv
import io
import json
import re
import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cantle import MDocument
from cantle.cli import cli
from cantle.errors import OptionError, UnknownLengthError
from cantle_inspect import compare
from cantle_inspect.commands.compare import command, split_options

DOCUMENTS = Path(__file__).parent / "documents"
TIDE = DOCUMENTS / "tide-tables.md"


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, list(arguments), input=stdin)


def test_the_same_cuts_in_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    found = json.loads(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "json").stdout)
    assert found["units"] == {"sentence": 16, "table": 1, "code": 1}
    by_name = {row["strategy"]: row for row in found["strategies"]}
    assert list(by_name) == ["markdown", "structural-context", "recursive", "sentence"]
    for name, row in by_name.items():
        document = MDocument.from_file(TIDE)
        language = {"language": "any"} if name == "sentence" else {}
        chunks = document.chunk(name, max_size=150, overlap=0, **language)
        sizes = sorted(len(text) for text in chunks.texts)
        assert row["totalChunks"] == len(chunks)
        assert row["cuts"] == len(chunks) - 1
        assert (row["sizes"]["min"], row["sizes"]["max"]) == (sizes[0], sizes[-1])
        assert row["limitUsed"] == pytest.approx(sum(sizes) / len(sizes) / 150, abs=1e-4)
        assert row["configHash"] == chunks.config_hash
        assert row["dropped"] == {"front-matter": 45}
        own = {"language": "any"} if name == "sentence" else {}
        assert row["options"] == {"maxSize": 150, **own} | ({"overlap": 0} if name in ("markdown", "recursive") else {})
    table = list(csv.DictReader(io.StringIO(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "csv").stdout)))
    assert [int(row["tableCuts"]) for row in table] == [
        by_name[row["strategy"]]["cutsInside"]["table"]["cuts"] for row in table
    ]
    shown = run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "table").stdout
    assert "max_size=150, sizes in characters" in shown
    lines = {line[:20].strip(): line[20:].split() for line in shown.splitlines()}
    assert " ".join(lines[""]) == "markdown, overlap=0 structural-context recursive, overlap=0 sentence, language='any'"
    assert lines["chunks"] == [str(row["totalChunks"]) for row in by_name.values()]
    assert lines["largest"] == [str(row["sizes"]["max"]) for row in by_name.values()]
    assert lines["cuts in tables"][::2] == [str(row["cutsInside"]["table"]["cuts"]) for row in by_name.values()]


def test_what_a_kind_cannot_have_is_not_counted() -> None:
    found = compare(MDocument.from_json('{"a": "One. Two three four."}'), options={"max_size": 12})
    assert found.units == {}
    assert found.to_dict()["strategies"][0]["cutsInside"]["sentence"] == {"cuts": None, "share": None}
    assert "characters.</p>" in found.to_html()
    result = run("-", "-k", "json", "-f", "table", stdin='{"a": "One. Two."}').stdout
    assert [line.split()[-1] for line in result.splitlines() if line.startswith("cuts in")] == ["–", "–", "–"]
    text = compare(MDocument.from_text("One. Two."), ["recursive"])
    assert (text.rows[0].measured, text.units) == ({"sentence"}, {"sentence": 2})


def test_a_wrong_value_of_an_own_option_is_a_row_with_the_options_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    arguments = (str(TIDE), "-s", "recursive:max_size=-5,overlap=0", "-s", "recursive", "-l", "words")
    result = run(*arguments, "-f", "json")
    assert result.exit_code == 1
    row = json.loads(result.stdout)["strategies"][0]
    assert row["options"] == {"lengthFunction": "words", "maxSize": -5, "overlap": 0}
    assert "max_size must be" in row["error"]
    table = run(*arguments, "-f", "table").stdout
    assert "max_size=-5" in table
    assert re.search(r"^error +max_size must be a number greater than 0, got -5\. *$", table, re.MULTILINE)
    line = next(csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert line["options"] == "length_function='words', max_size=-5, overlap=0"
    assert line["error"] == row["error"]
    page = compare(MDocument.from_file(TIDE), [("recursive", {"max_size": -5})]).to_html()
    assert "recursive, max_size=-5" in page


def test_a_wrong_common_option_is_one_error() -> None:
    document = MDocument.from_file(TIDE)
    with pytest.raises(OptionError, match="max_size"):
        compare(document, options={"max_size": 0})
    with pytest.raises(UnknownLengthError):
        compare(document, options={"length_function": "nope"})
    one = compare(document, ["recursive", "sentence"], options={"language": "pt"})
    assert [bool(row.error) for row in one.rows] == [True, False]
    own = compare(document, [("recursive", {"max_size": 20}), "recursive"], options={"overlap": 100})
    assert [bool(row.error) for row in own.rows] == [True, False]
    result = CliRunner().invoke(cli, ["compare", str(TIDE), "-n", "0"])
    assert result.stderr.count("Error") == 1
    assert result.stdout == ""


def test_what_is_behind_a_colon_is_not_blamed_on_another_option() -> None:
    result = CliRunner().invoke(cli, ["compare", str(TIDE), "-s", "recursive:foo"])
    assert "Invalid value for -s: 'recursive:foo': 'foo' is no key=value." in result.stderr
    assert "--option" not in result.stderr


@pytest.mark.parametrize("width", ["0", "-3", "wide", "", "1e3"])
def test_a_width_that_is_none_is_a_hundred(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (str(TIDE), "-s", "recursive", "-f", "table")
    monkeypatch.delenv("COLUMNS", raising=False)
    usual = run(*arguments).stdout
    monkeypatch.setenv("COLUMNS", width)
    assert run(*arguments).stdout == usual


def test_options_behind_a_colon() -> None:
    assert split_options("max_size=400,overlap=0") == ["max_size=400", "overlap=0"]
    assert split_options('separators=["a,b", "\\"],", "]"], max_size=3') == [
        'separators=["a,b", "\\"],", "]"]',
        "max_size=3",
    ]
    assert split_options("max_size=[100,400],explain=true") == ["max_size=[100,400]", "explain=true"]
    assert split_options("") == []


def test_the_command_writes_a_page_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: asked.append(url) or True)
    result = run(str(TIDE), "-s", "recursive", "-s", "recursive:max_size=200,overlap=0", "-o", "a.html", "-f", "json")
    assert result.exit_code == 0
    assert result.stderr == "Wrote a.html: 2 columns.\n"
    assert len(json.loads(result.stdout)["strategies"]) == 2
    assert "recursive, max_size=200, overlap=0" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert run(str(TIDE), "--open").exit_code == 0
    assert asked == [(tmp_path / "tide-tables.compare.html").as_uri()]
    result = run("-", "-k", "markdown", "-o", "-", stdin="# A\n\nOne.\n")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stdout.endswith("</html>\n")


def test_a_strategy_that_fails_is_shown_and_the_exit_code_says_so() -> None:
    result = run(str(TIDE), "-s", "json", "-s", "recursive", "-f", "table")
    assert result.exit_code == 1
    assert "recursive" in result.stdout
    assert "json: the document is not JSON" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["-n", "0"],
        ["-l", "nope"],
        ["-s", "recursive", "--overlap", "600"],
        ["-O", "explain=3"],
        ["-s", "recursive", "-s", "sentence:max_size=-1", "-n", "0"],
        ["-o", "table.csv"],
        ["-o", "page.chart", "-f", "json"],
        ["-s", "recu"],
        ["-s", "recursive:"],
        ["-s", ":max_size=3"],
        ["-s", "recursive:max_size"],
        ["-s", "recursive", "-O", "foo=1"],
        ["-s", "recursive:foo=1"],
        ["-o", "-", "--open"],
        ["-o", "-", "-f", "json"],
        ["-o", str(TIDE)],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["compare", str(TIDE), *arguments])
    assert result.exit_code == 2, result.output
    assert "Error: " in result.stderr
