"""`cantle chunk --stream` writes what `cantle chunk` writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cantle.cli import cli
from cantle.testing.hostile import PROSE

TEXT = "---\ntitle: A\n---\n" + "".join(f"Part {i}.\r\n\r\n{PROSE}\nthe same\n\n" for i in range(40))


def cut(*arguments: str, code: int = 0, stdin: str | bytes | None = None) -> str:
    result = CliRunner().invoke(cli, ["chunk", *arguments], input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, "utf-8", newline="")
    return str(path)


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "text"])
@pytest.mark.parametrize("strategy", ["recursive", "token", "sentence", "structural-context"])
def test_the_same_output(format: str, strategy: str, file: str) -> None:
    options = (file, "-s", strategy, "-n", "60", "-f", format, "-O", "explain=true")
    assert cut(*options, "--stream") == cut(*options)


def test_parquet(file: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    cut(file, "-n", "60", "-o", str(tmp_path / "a.parquet"))
    cut(file, "-n", "60", "-o", str(tmp_path / "b.parquet"), "--stream")
    tables = [parquet.read_table(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    assert tables[0].equals(tables[1])


def test_standard_input() -> None:
    for more in ((), ("--source", "x.txt"), ("-k", "text")):
        options = ("-", "-n", "60", "-f", "jsonl", *more)
        assert cut(*options, "--stream", stdin=TEXT) == cut(*options, stdin=TEXT)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"")
    for format in ("json", "csv", "jsonl"):
        assert cut(str(path), "-f", format, "--stream") == cut(str(path), "-f", format)


@pytest.mark.parametrize(
    "options", [["-w", "2"], ["--timeout", "3"], ["--unordered"], ["--relations"], ["--strict"]], ids=" ".join
)
def test_options_that_are_not_for_it(options: list[str], file: str) -> None:
    said = cut(file, "--stream", "-f", "jsonl", *options, code=2)
    assert f"{options[0].replace('-w', '--workers')} is not for --stream" in said


def test_wrong_usage(file: str, tmp_path: Path) -> None:
    assert "--stream cuts one text" in cut(file, file, "--stream", code=2)
    assert "--stream cuts one text" in cut(str(tmp_path), "--stream", code=2)
    assert "'json' needs the whole text" in cut(file, "--stream", "-s", "json", code=2)
    assert "would be replaced" in cut(file, "--stream", "-o", file, code=2)
    assert "max_sise" in cut(file, "--stream", "-O", "max_sise=3", code=2)
    assert "extract needs all chunks" in cut(file, "--stream", "-O", 'extract={"title": true}', code=2)


def test_what_fails_leaves_no_file(tmp_path: Path) -> None:
    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_bytes(b"some words " * 300_000 + b"\xff")
    said = cut(str(path), "--stream", "-n", "100", "-o", str(out), code=1)
    assert "a.txt is not utf-8: byte 0xff at offset 3300000" in said
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]
    assert "nope.txt: No such file" in cut(str(tmp_path / "nope.txt"), "--stream", code=1)
    assert "standard input is not utf-8" in cut("-", "--stream", code=1, stdin=b"ab \xff")


def test_a_long_text_through_a_pipe() -> None:
    code = "import sys\nfor i in range(20_000): sys.stdout.write(f'Paragraph {i} with some more words in it.\\n\\n')"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as text:
        command = [sys.executable, "-m", "cantle", "chunk", "-", "--stream", "-n", "200", "-f", "jsonl"]
        done = subprocess.run(command, stdin=text.stdout, capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["index"] for row in rows] == list(range(len(rows)))
    assert rows[0]["lines"] == [1, 1, 7, 39]
    assert rows[-1]["content"].endswith("Paragraph 19999 with some more words in it.")
    assert rows[-1]["lines"][2] == 39_999
