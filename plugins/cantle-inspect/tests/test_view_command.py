"""`cantle view`: where the page goes, what is said, and what is refused."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli
from cantle_inspect.commands.view import command

TIDE = Path(__file__).parent / "documents" / "tide-tables.md"


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)], input=stdin)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_goes_beside_where_one_stands(here: Path) -> None:
    result = run(str(TIDE), "-s", "recursive", "-n", "300", "--overlap", "40")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Wrote tide-tables.chunks.html: 7 chunks.\n"
    page = (here / "tide-tables.chunks.html").read_text(encoding="utf-8")
    assert "recursive, max_size=300, overlap=40" in page
    assert "Ends at a blank line" in page


def test_the_page_goes_where_it_is_sent(here: Path) -> None:
    result = run(str(TIDE), "-o", "a.html")
    assert result.stderr.startswith("Wrote a.html: ")
    to_file = (here / "a.html").read_bytes()
    result = run(str(TIDE), "-o", "-")
    assert result.stdout_bytes == to_file
    assert result.stderr == ""


def test_standard_input_is_read(here: Path) -> None:
    result = run("-", "--kind", "markdown", "--source", "notes.md", stdin="# A\n\nOne.\n")
    assert result.exit_code == 0
    assert "<bdi>notes.md</bdi>" in (here / "stdin.chunks.html").read_text(encoding="utf-8")


def test_reading_options_are_used(here: Path) -> None:
    assert run(str(TIDE), "--front-matter", "keep", "-o", "a.html").exit_code == 0
    assert "dropped: front-matter" not in (here / "a.html").read_text(encoding="utf-8")
    assert run(str(TIDE), "-k", "text", "-o", "a.html").exit_code == 0
    assert "Cut by <b><bdi>recursive</bdi></b>" in (here / "a.html").read_text(encoding="utf-8")


def test_explain_can_be_turned_off(here: Path) -> None:
    assert run(str(TIDE), "-O", "explain=false", "-o", "a.html").exit_code == 0
    assert 'class="why"' not in (here / "a.html").read_text(encoding="utf-8")


def test_open_hands_the_page_to_a_browser(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def browser(url: str) -> bool:
        assert (here / "a b.html").exists()
        asked.append(url)
        return len(asked) == 1

    monkeypatch.setattr(webbrowser, "open", browser)
    assert "no browser" not in run(str(TIDE), "-o", "a b.html", "--open").stderr
    assert asked == [(here / "a b.html").as_uri()]
    result = run(str(TIDE), "-o", "a b.html", "--open")
    assert result.exit_code == 0
    assert "Warning: no browser could be started. Open a b.html in one." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "-", "--open"], "--open needs a file"),
        (["-o", ""], "is empty"),
        (["-o", "chunks.csv"], "Give -o a name in .html"),
        (["-o", "NOTES.MD"], "Give -o a name in .html"),
        (["-o", str(TIDE)], "is read and would be replaced"),
    ],
)
def test_wrong_usage_is_refused(arguments: list[str], message: str) -> None:
    before = TIDE.read_bytes()
    result = run(str(TIDE), *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert TIDE.read_bytes() == before


def test_errors_leave_no_page(here: Path) -> None:
    def through(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["view", *arguments])

    result = through(str(TIDE), "-s", "recursvie")
    assert result.exit_code == 2
    assert "Did you mean 'recursive'?" in result.stderr
    assert through(str(TIDE), "-s", "json").exit_code == 1
    assert through("missing.md").exit_code == 2
    assert through(str(here)).exit_code == 2
    assert list(here.iterdir()) == []


def test_help_has_examples() -> None:
    result = run("--help")
    assert "cantle view README.md --open" in result.stdout
    assert "Exit codes" in result.stdout
