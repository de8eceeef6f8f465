"""`cantle chunk --resume`: what is in its files, damaged at any byte, of other settings, of all kinds of documents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle.cli import cli, outputs
from cantle.cli.journal import Journal

FORMATS = ("jsonl", "json", "csv", "txt", "parquet")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory for documents, in the working directory."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    return tmp_path / "docs"


def write(count: int) -> None:
    for i in range(count):
        Path("docs", f"{i:03}.md").write_text(f"# Title {i}\n\n" + f"Line of document {i}.\n" * (i % 7), "utf-8")


def left() -> set[str]:
    """What else is there."""
    return {path.name for path in Path().iterdir()} - {"docs"}


def here(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(cli, ["chunk", *arguments], prog_name="cantle", **more)


posix = pytest.mark.skipif(os.name == "nt", reason="needs links and modes")


# -- damaged ----------------------------------------------------------------------------------------


@pytest.fixture
def failed(docs: Path) -> Path:
    """A run that one document kept from its end: everything else is in the partial file."""
    write(6)
    (docs / "002.md").write_bytes(b"\x00\x01\x02\x03" * 10)
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert result.exit_code == 1
    assert "5 of 6 documents are kept in" in result.stderr
    assert "the same command tries the others again." in result.stderr
    assert "docs/002.md looks like a binary file" in result.stderr
    assert result.stderr.endswith("Error: 1 of 6 documents failed.\n")
    assert left() == {"out.csv", "out.csv.partial", "out.csv.partial.journal"}
    (docs / "002.md").write_text("It is text now.\n", "utf-8")
    assert here("docs", "-n", "30", "-o", "one.csv").exit_code == 0
    return docs


def test_what_failed_is_tried_again(failed: Path) -> None:
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert (result.exit_code, result.stderr) == (0, "5 of 6 documents were done before.\n")
    assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()
    assert left() == {"out.csv", "one.csv"}


@pytest.mark.parametrize("name", ["out.csv.partial", "out.csv.partial.journal"])
def test_a_file_that_ends_anywhere(failed: Path, name: str) -> None:
    shutil.copytree(".", "copy", ignore=shutil.ignore_patterns("copy", "docs"))
    data = Path(name).read_bytes()
    kept = set()
    for end in range(0, len(data), len(data) // 40):
        for file in ("out.csv.partial", "out.csv.partial.journal"):
            shutil.copy(Path("copy", file), file)
        Path(name).write_bytes(data[:end])
        result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
        if result.exit_code == 2:  # only the journal's first line is torn: that happens before the other file is made
            assert b"\n" not in data[:end]
            assert "without a journal that says what is in it" in result.stderr
            continue
        assert result.exit_code == 0, result.output
        assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()
        kept.add(result.stderr)
    assert len(kept) > 3  # from nothing to nearly all


@pytest.mark.parametrize("name", ["out.csv.partial", "out.csv.partial.journal"])
def test_a_byte_that_is_another_is_no_wrong_result(failed: Path, name: str) -> None:
    shutil.copytree(".", "copy", ignore=shutil.ignore_patterns("copy", "docs"))
    data = Path(name).read_bytes()
    for at in range(0, len(data), len(data) // 40):
        for file in ("out.csv.partial", "out.csv.partial.journal"):
            shutil.copy(Path("copy", file), file)
        Path("out.csv").unlink(missing_ok=True)
        Path(name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
        if result.exit_code == 0:
            assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()
        else:
            assert (result.exit_code, name[-7:]) == (2, "journal")
            assert "other settings" in result.stderr or "is no journal of" in result.stderr
            assert not Path("out.csv").exists()


def test_zeros_at_the_end_are_cut_off(failed: Path) -> None:
    """What a file system may leave after a power cut."""
    for name in ("out.csv.partial", "out.csv.partial.journal"):
        with open(name, "ab") as file:
            file.write(bytes(5000))
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert (result.exit_code, result.stderr) == (0, "5 of 6 documents were done before.\n")
    assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()


def test_without_the_partial_file_all_is_cut_again(failed: Path) -> None:
    Path("out.csv.partial").unlink()
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert (result.exit_code, result.stderr) == (0, "")
    assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()


@pytest.mark.parametrize("name", ["out.csv", "out.csv.partial", "out.csv.partial.journal"])
def test_what_is_written_is_not_read(failed: Path, name: str) -> None:
    before = Path(name).read_bytes()
    for path in [name, "./docs/../" + name, "docs/link.md"]:
        Path("docs/link.md").unlink(missing_ok=True)
        if os.name == "posix":
            Path("docs/link.md").symlink_to(Path(name).resolve())
        elif "link" in path:
            continue
        result = here(path, "-o", "out.csv", "--resume")
        assert (result.exit_code, f"{name} is read and would be replaced." in result.stderr) == (2, True)
        assert Path(name).read_bytes() == before


def test_files_of_others_are_left_alone(failed: Path) -> None:
    Path("out.csv.partial.journal").unlink()
    before = Path("out.csv.partial").read_bytes()
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert result.exit_code == 2
    assert "without a journal that says what is in it. Remove it, or rename it." in result.stderr
    assert Path("out.csv.partial").read_bytes() == before
    assert not Path("out.csv.partial.journal").exists()
    for text in ("my notes\n", '{"cantle chunk": 99}\n', "[" * 100_000, '{"a": 1}', "[]\n"):
        Path("out.csv.partial.journal").write_text(text, "utf-8")
        result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
        assert (result.exit_code, "is no journal of `cantle chunk --resume`" in result.stderr) == (2, True)
        assert Path("out.csv.partial.journal").read_text("utf-8") == text


# -- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-n", "31"], "max_size was 30 and is 31."),
        (["-n", "30", "-s", "recursive"], 'strategy was not given and is "recursive".'),
        (["-n", "30", "-f", "jsonl"], 'format was "csv" and is "jsonl".'),
        (["-n", "30", "--relations"], "relations was false and is true."),
        (["-n", "30", "--front-matter", "keep"], 'front_matter was "read" and is "keep".'),
        (["--overlap", "2"], "overlap was not given and is 2; max_size was 30 and is not given."),
    ],
)
def test_other_settings_are_refused(failed: Path, arguments: list[str], said: str) -> None:
    before = [Path(name).read_bytes() for name in sorted(left())]
    result = here("docs", *arguments, "-o", "out.csv", "--resume")
    assert result.exit_code == 2
    assert f"was begun with other settings: {said} Give the same again to go on, or remove it and" in result.stderr
    assert [Path(name).read_bytes() for name in sorted(left())] == before


@pytest.mark.parametrize("key", ["cantle", "python"])
def test_other_versions_are_refused(failed: Path, key: str) -> None:
    journal = Path("out.csv.partial.journal")
    head, _, rest = journal.read_text("utf-8").partition("\n")
    config = json.loads(head)
    journal.write_text(json.dumps({**config, key: "0.0"}) + "\n" + rest, "utf-8")
    result = here("docs", "-n", "30", "-o", "out.csv", "--resume")
    assert result.exit_code == 2
    assert f'other settings: {key} was "0.0" and is "{config[key]}".' in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "--resume keeps what is done beside a file. Give -o FILE."),
        (["--resume", "-o", "-"], "--resume keeps what is done beside a file. Give -o FILE."),
        (["--resume", "-o", "docs"], "docs is a directory"),
        (["--resume", "-o", os.devnull], "is no file that can be replaced"),
        (["--resume", "-o", "none/out.jsonl"], "Cannot write"),
        (["--resume", "-o", "out.jsonl", "-O", "foo=5"], "has no option 'foo'"),
    ],
)
def test_wrong_usage(docs: Path, arguments: list[str], message: str) -> None:
    write(2)
    result = here("docs", *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert left() == set()


# -- documents of other kinds -----------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that gives any bytes")
def test_standard_input_of_any_kind_and_text(docs: Path) -> None:
    command = ["-", "--kind", "\udcff", "-o", "out.jsonl", "--resume", "-q"]
    result = here(*command, input="\0\ufeff\u202e text")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(Path("out.jsonl").read_text("utf-8"))["content"] == "\0\ufeff\u202e text"


def test_standard_input_is_known_by_its_text(docs: Path) -> None:
    Path("bad.txt").write_bytes(bytes(50))
    command = ["-", "bad.txt", "--kind", "markdown", "-o", "out.jsonl", "--resume"]
    assert here(*command, input="# One\n\ntext\n").exit_code == 1
    assert "1 of 2 documents were done before." in here(*command, input="# One\n\ntext\n").stderr
    Path("bad.txt").write_text("good", "utf-8")
    result = here(*command, input="# Two\n\ntext\n")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [json.loads(line)["text"] for line in Path("out.jsonl").read_text("utf-8").splitlines()] == [
        "# Two\n\ntext",
        "good",
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(docs: Path) -> None:
    write(2)
    os.mkfifo("pipe.md")
    writer = threading.Thread(target=lambda: Path("pipe.md").write_text("# From a pipe\n", "utf-8"))
    writer.start()
    result = here("docs", "pipe.md", "-o", "out.jsonl", "--resume")
    writer.join()
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(Path("out.jsonl").read_text("utf-8").splitlines()[-1])["text"] == "# From a pipe"


def test_a_document_twice_is_there_twice(docs: Path) -> None:
    write(3)
    Path("bad.md").write_bytes(bytes(50))
    command = ["docs/001.md", "docs", "docs/001.md", "-n", "20", "bad.md"]
    assert here(*command, "-o", "out.jsonl", "--resume").exit_code == 1
    result = here(*command, "-o", "out.jsonl", "--resume")
    assert (result.exit_code, "5 of 6 documents were done before." in result.stderr) == (1, True)
    assert here(*command, "-o", "one.jsonl").exit_code == 1
    assert Path("out.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any name")
def test_names_that_are_no_utf_8(docs: Path) -> None:
    with open(b"docs/a\xff\n.md", "w") as file:
        file.write("text")
    Path("docs/b.md").write_bytes(bytes(50))
    assert here("docs", "-o", "out.jsonl", "--resume").exit_code == 1
    assert "1 of 2 documents were done before." in here("docs", "-o", "out.jsonl", "--resume").stderr


@posix
def test_links_and_modes_stay(docs: Path) -> None:
    write(3)
    Path("deep").mkdir()
    Path("deep/real.jsonl").write_text("old", "utf-8")
    os.chmod("deep/real.jsonl", 0o600)
    os.symlink("deep/real.jsonl", "out.jsonl")
    Path("docs/bad.md").write_bytes(bytes(50))
    assert here("docs", "-o", "out.jsonl", "--resume").exit_code == 1
    assert {p.name: p.stat().st_mode & 0o777 for p in Path("deep").iterdir()} == dict.fromkeys(
        ["real.jsonl", "real.jsonl.partial", "real.jsonl.partial.journal"], 0o600
    )
    Path("docs/bad.md").unlink()
    assert here("docs", "-o", "out.jsonl", "--resume").exit_code == 0
    assert Path("out.jsonl").is_symlink()
    assert [(p.name, p.stat().st_mode & 0o777) for p in Path("deep").iterdir()] == [("real.jsonl", 0o600)]
    assert Path("out.jsonl").read_text("utf-8").count("\n") == 3


def test_row_groups_are_those_of_one_run(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write(30)
    (docs / "009.md").write_bytes(bytes(50))
    for name, value, least in (("ROWS", 10, 5), ("SIZE", 5000, 5)):
        monkeypatch.setattr(outputs._Parquet, name, value)
        assert here("docs", "-n", "20", "-o", "out.parquet", "--resume").exit_code == 1
        (docs / "009.md").write_text("It is text now.\n", "utf-8")
        assert here("docs", "-n", "20", "-o", "out.parquet", "--resume").exit_code == 0
        assert here("docs", "-n", "20", "-o", "one.parquet").exit_code == 0
        assert Path("out.parquet").read_bytes() == Path("one.parquet").read_bytes()
        assert parquet.ParquetFile("out.parquet").num_row_groups >= least
        (docs / "009.md").write_bytes(bytes(50))


def test_what_a_killed_run_left_of_the_output_goes(failed: Path) -> None:
    Path("out.csv.partial.new").write_text("half of", "utf-8")
    (failed / "000.md").write_text("Changed.\n", "utf-8")
    assert here("docs", "-n", "30", "-o", "one.csv").exit_code == 0
    assert here("docs", "-n", "30", "-o", "out.csv", "--resume").exit_code == 0
    assert Path("out.csv").read_bytes() == Path("one.csv").read_bytes()
    assert left() == {"out.csv", "one.csv"}


def test_strict_keeps_what_was_done(docs: Path) -> None:
    write(6)
    (docs / "003.md").write_bytes(bytes(50))
    result = here("docs", "-o", "out.jsonl", "--resume", "--strict")
    assert (result.exit_code, "no file was written" in result.stderr) == (1, True)
    assert "3 of 6 documents are kept" in result.stderr
    assert left() == {"out.jsonl.partial", "out.jsonl.partial.journal"}


def test_quiet_says_only_errors(docs: Path) -> None:
    write(3)
    Path("docs/bad.md").write_bytes(bytes(50))
    for _ in range(2):
        lines = here("docs", "-o", "out.jsonl", "--resume", "-q").stderr.splitlines()
        assert [line.partition(":")[0] for line in lines] == ["Error", "Error"]


def test_nothing_but_failures_leaves_nothing(docs: Path) -> None:
    Path("docs/bad.md").write_bytes(bytes(50))
    assert here("docs", "-o", "out.jsonl", "--resume").exit_code == 1
    assert left() == set()
    Path("docs/bad.md").write_text("", "utf-8")
    for format in FORMATS:
        assert here("docs", "-o", f"out.{format}", "--resume").exit_code == 0
        assert here("docs", "-o", f"one.{format}").exit_code == 0
        assert Path(f"out.{format}").read_bytes() == Path(f"one.{format}").read_bytes()
    assert left() == {f"{name}.{format}" for name in ("out", "one") for format in FORMATS}


def test_a_journal_is_locked_and_not_one_that_was_removed(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    code = (
        "import sys, pathlib\nfrom cantle.cli.journal import Journal\nfrom cantle.cli.group import Failure\n"
        f"try: Journal(pathlib.Path({str(path)!r}), 0o600)\nexcept Failure as error: print(error.message)\n"
        "else: print('free')"
    )

    def other() -> str:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    journal = Journal(path, 0o600)
    journal.read()  # reading does not unlock it
    assert other().startswith("Another run is at work on journal.")
    journal.begin({})
    journal.shorten(0)
    assert other().startswith("Another run is at work on journal.")
    journal.remove()
    assert not path.exists()
    assert other() == "free\n"
