"""The command line, by click's runner and as real processes."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import cantle
from cantle import MDocument, Registry
from cantle import plugins as plugin_host
from cantle.cli import cli
from cantle.cli import doctor as doctor_module
from cantle.cli.group import COMMANDS
from cantle.plugins import BUILTIN

MARKDOWN = "---\ntitle: Notes\n---\n# One\n\nSome text of the first part.\n\n## Two\n\nMore text.\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a few documents."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / ".hidden").mkdir()
    (docs / "b.md").write_text(MARKDOWN, "utf-8")
    (docs / "a.txt").write_text("Plain text.", "utf-8")
    (docs / "deep" / "c.html").write_text("<p>A page</p>", "utf-8")
    (docs / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (docs / ".secret.md").write_text("hidden", "utf-8")
    (docs / ".hidden" / "d.md").write_text("hidden", "utf-8")
    return tmp_path


def run(*arguments: str, stdin: str | bytes | None = None, **env: str) -> Result:
    return CliRunner(env=env).invoke(cli, arguments, input=stdin, prog_name="cantle")


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def process(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cantle", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=60, **more)


# -- chunk: input -----------------------------------------------------------------------------------


def test_a_file_in_a_pipe_is_json_lines(here: Path) -> None:
    result = run("chunk", "docs/b.md", "--max-size", "40", "--overlap", "0")
    assert (result.exit_code, result.stderr) == (0, "")
    found = rows(result)
    expected = MDocument.from_file("docs/b.md").chunk(max_size=40, overlap=0)
    assert found == json.loads(json.dumps(expected.to_dicts()))
    assert found[0]["metadata"] == {"title": "Notes"}
    assert all(MARKDOWN[row["start"] : row["end"]] == row["content"] for row in found)


def test_directories_are_walked_in_order_without_hidden_and_unknown_files(here: Path) -> None:
    result = run("chunk", "docs")
    assert result.exit_code == 0
    assert [row["source"] for row in rows(result)] == ["docs/a.txt", "docs/b.md", "docs/deep/c.html"]


def test_a_directory_without_documents_is_a_warning(here: Path) -> None:
    result = run("chunk", "docs/.hidden/../deep", "docs/.hidden", "-q")
    assert result.exit_code == 0
    (here / "empty").mkdir()
    result = run("chunk", "empty")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "Warning: empty holds no document" in result.stderr


def test_standard_input(here: Path) -> None:
    (row,) = rows(run("chunk", "-", "--source", "notes.md", stdin=MARKDOWN))
    assert (row["source"], row["metadata"]) == ("notes.md", {"title": "Notes"})
    (row,) = rows(run("chunk", "-", "--kind", "latex", stdin=MARKDOWN))
    assert (row["source"], row["metadata"]) == ("-", {})
    (row,) = rows(run("chunk", "-", "--encoding", "cp1252", stdin="ação".encode("cp1252")))
    assert row["text"] == "ação"
    assert [row["source"] for row in rows(run("chunk", "docs/a.txt", "-", stdin="x"))] == ["docs/a.txt", "-"]


def test_the_name_of_one_input(here: Path) -> None:
    (row,) = rows(run("chunk", "docs/a.txt", "--source", "mine"))
    assert row["id"].startswith("mine#0-")
    for files in (["docs/a.txt", "docs/b.md"], ["docs"]):
        result = run("chunk", *files, "--source", "mine")
        assert result.exit_code == 2
        assert "--source names one input" in result.stderr


def test_front_matter_can_be_kept(here: Path) -> None:
    (row,) = rows(run("chunk", "docs/b.md", "--front-matter", "keep"))
    assert row["text"].startswith("---\ntitle")


# -- chunk: options ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["-n", "40", "--overlap", "5", "-l", "bytes"],
        ["-O", "max_size=40", "-O", "overlap=5", "-O", "length_function=bytes"],
        ["-O", "maxSize=40", "-O", "overlap=5", "-O", "lengthFunction=bytes"],
        ["-O", "max-size=40", "-O", "overlap=5", "-O", 'length_function="bytes"'],
    ],
)
def test_options_in_every_spelling(here: Path, arguments: list[str]) -> None:
    expected = MDocument.from_file("docs/b.md").chunk("recursive", max_size=40, overlap=5, length_function="bytes")
    found = rows(run("chunk", "docs/b.md", "-s", "recursive", *arguments))
    assert [row["text"] for row in found] == expected.texts


def test_ranges_and_json_values(here: Path) -> None:
    (here / "a.txt").write_text("a|b|c", "utf-8")
    found = rows(run("chunk", "a.txt", "-n", "1,3", "--overlap", "0", "-O", 'separators=["|"]'))
    expected = MDocument.from_text("a|b|c").chunk(max_size=(1, 3), overlap=0, separators=["|"])
    assert [row["text"] for row in found] == expected.texts


def test_booleans_and_none_may_be_written_as_in_python(here: Path) -> None:
    text = "# A\n\n## B\n\nb b b b b b\n\n### C\n\nc c c c c c"
    doc = MDocument.from_markdown(text, source="-")
    for value, heading_path in [("False", False), ("false", False), ("TRUE", True)]:
        pairs = ["-O", "max_size=40", "-O", f"headingPath={value}", "-O", "min_chunk_size=None"]
        found = run("chunk", "-", "-k", "markdown", "-s", "structural-context", *pairs, stdin=text)
        expected = doc.chunk("structural-context", max_size=40, heading_path=heading_path)
        assert [row["prefix"] for row in rows(found)] == [chunk.prefix for chunk in expected]
        assert expected[-1].prefix == ("# A\n## B\n\n" if heading_path else "## B\n\n")
    quoted = run("chunk", "-", "-s", "character", "-O", 'separator="False"', stdin="aFalseb")
    assert [row["text"] for row in rows(quoted)] == ["a", "b"]


def test_a_kind_that_none_knows_warns(here: Path) -> None:
    result = run("chunk", "-", "-k", "pfd", stdin="a")
    assert (result.exit_code, rows(result)[0]["text"]) == (0, "a")
    head, _, known = result.stderr.removesuffix(".\n").partition(" Known: ")
    assert head == "Warning: kind 'pfd' is cut as plain text, unless a plugin knows it. Did you mean 'pdf'?"
    assert {"html", "json", "latex", "markdown", "pdf", "text"} <= {*known.split(", ")}  # and those of plugins
    assert "Did you mean" not in run("chunk", "-", "-k", "novel", stdin="a").stderr
    assert run("chunk", "-", "-k", "pfd", "-q", stdin="a").stderr == ""
    for kind in ("html", "json", "latex", "markdown", "pdf", "text"):
        assert run("chunk", "-", "-k", kind, stdin="[1]").stderr == ""


def test_text_of_a_pdf(here: Path) -> None:
    found = rows(run("chunk", "-", "-k", "pdf", "--source", "a.pdf", stdin="One con-\n1\fclusion.\n2\f"))
    assert [(row["text"], row["metadata"]["pages"], row["source"]) for row in found] == [
        ("One conclusion.", [1, 2], "a.pdf")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-s", "recursve"], "No chunking strategy is named 'recursve'. Did you mean 'recursive'?"),
        (["-l", "cl100k"], "No length function is named 'cl100k'"),
        (["-O", "maxSise=5"], "has no option 'max_sise'. Did you mean 'max_size'?"),
        (["-O", "chunkSize=5"], "has no option 'chunk_size'. Did you mean 'max_size'?"),
        (["-O", "foo=5"], "chunk without a strategy has no option 'foo'. Name one: `cantle strategies NAME` lists"),
        (["-s", "markdown", "-O", "foo=5"], "Strategy 'markdown' has no option 'foo'"),
        (["-O", "max_size"], "'max_size' is no key=value"),
        (["-O", "max_size=5", "-n", "6"], "max_size is given twice: by --max-size and by --option"),
        (["-O", "max_size=5", "-O", "maxSize=6"], "given twice"),
        (["-n", "much"], "'much' is no size"),
        (["-n", "5", "--overlap", "5"], "overlap must be smaller than max_size"),
        (["-O", "strip_whitespace=1"], "strip_whitespace must be True or False, got 1"),
        (["-f", "xml"], "'xml' is not one of"),
        (["-o", "docs"], "docs is a directory"),
        (["-o", "none/out.jsonl"], "Cannot write none/out.jsonl"),
        (["-w", "0"], "0 is not in the range"),
        (["-O", "workers=2"], "workers is no option of a strategy"),
        (["-o", "docs/b.md"], "docs/b.md is read and would be replaced"),
    ],
)
def test_wrong_usage_is_code_2_and_says_what_is_wrong(here: Path, arguments: list[str], message: str) -> None:
    result = run("chunk", "docs/b.md", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


# -- chunk: output ----------------------------------------------------------------------------------


def test_formats_hold_the_same(here: Path) -> None:
    lines = rows(run("chunk", "docs", "-n", "30", "--overlap", "0"))
    assert json.loads(run("chunk", "docs", "-n", "30", "--overlap", "0", "-f", "json").stdout) == lines
    table = list(csv.DictReader(io.StringIO(run("chunk", "docs", "-n", "30", "--overlap", "0", "-f", "csv").stdout)))
    assert [(row["id"], row["text"], int(row["start"])) for row in table] == [
        (row["id"], row["text"], row["start"]) for row in lines
    ]
    assert json.loads(table[1]["metadata"]) == lines[1]["metadata"]
    text = run("chunk", "docs", "-n", "30", "--overlap", "0", "-f", "text").stdout
    assert [head.split()[0] for head in ("\n" + text).split("\n--- ")[1:]] == [
        f"{row['source']}#{row['index']}" for row in lines
    ]


def test_text_says_where_and_how_long(here: Path) -> None:
    (here / "a.txt").write_text("one\ntwo", "utf-8")
    result = run("chunk", "a.txt", "-f", "text", "-l", "words")
    assert result.stdout == "--- a.txt#0  0-7  lines 1-2  7 characters  2 words\none\ntwo\n\n"


def test_parquet(here: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = rows(run("chunk", "docs", "-n", "30", "--overlap", "0"))
    assert run("chunk", "docs", "-n", "30", "--overlap", "0", "-o", "out.parquet", "-w", "2").exit_code == 0
    table = parquet.read_table("out.parquet").to_pylist()
    assert [row["text"] for row in table] == [row["text"] for row in lines]
    assert json.loads(table[1]["metadata"]) == lines[1]["metadata"]


def test_parquet_without_pyarrow_says_how_to_get_it(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("chunk", "docs", "-o", "out.parquet")
    assert result.exit_code == 1
    assert result.stderr == "Error: Parquet output needs pyarrow. Install it with: pip install 'cantle[arrow]'\n"
    assert not Path("out.parquet").exists()


@pytest.mark.parametrize("format_", ["jsonl", "json", "csv", "parquet"])
def test_relations(here: Path, format_: str) -> None:
    cut = ("chunk", "docs", "-n", "30", "--overlap", "0", "-q")
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
    assert run(*cut, "--relations", "-f", format_, "-o", "out", "-w", "2").exit_code == 0
    if format_ == "parquet":
        from pyarrow import parquet

        found = parquet.read_table("out").to_pylist()
    elif format_ == "csv":
        found = list(csv.DictReader(io.StringIO(Path("out").read_text("utf-8"))))
        found = [
            {**row, "children": json.loads(row["children"]), "section": json.loads(row["section"])} for row in found
        ]
    else:
        text = Path("out").read_text("utf-8")
        found = json.loads(text) if format_ == "json" else [json.loads(line) for line in text.splitlines()]
    expected = MDocument.from_file("docs/b.md").chunk(max_size=30, overlap=0).to_dicts(relations=True)
    names = ("parent", "previous", "next", "children", "section")
    rows_of_b = [[row[name] or None for name in names] for row in found if row["source"] == "docs/b.md"]
    assert rows_of_b == [[row[name] or None for name in names] for row in expected]
    assert any(row["children"] for row in expected)
    assert not set(names) & set(rows(run(*cut))[0])


def test_relations_are_not_for_reading(here: Path) -> None:
    result = run("chunk", "docs", "--relations", "-f", "text")
    assert result.exit_code == 2
    assert "--relations is not for the text format. Give -f jsonl, json, csv or parquet." in result.stderr
    assert run("chunk", "docs", "--relations", "-o", "out.txt").exit_code == 2


def test_no_documents_are_valid_output_in_every_format(here: Path) -> None:
    (here / "empty.txt").write_text("", "utf-8")
    outputs = {f: run("chunk", "empty.txt", "-f", f).stdout for f in ("jsonl", "json", "text", "csv")}
    assert (outputs["jsonl"], outputs["json"], outputs["text"]) == ("", "[]\n", "")
    assert outputs["csv"].startswith("id,key,index,")


def test_the_suffix_of_the_output_gives_the_format(here: Path) -> None:
    run("chunk", "docs", "-o", "out.json")
    assert len(json.loads(Path("out.json").read_text("utf-8"))) == 3
    run("chunk", "docs", "-o", "out.anything")
    assert len(Path("out.anything").read_text("utf-8").splitlines()) == 3


def test_lone_surrogates_and_controls_can_be_written(here: Path) -> None:
    (here / "a.json").write_text('"\\ud800"', "utf-8")
    (here / "b.txt").write_bytes(b"a\x00\x1b[31mb")
    for format_ in ("jsonl", "json", "text", "csv"):
        assert run("chunk", "a.json", "b.txt", "-f", format_).exit_code == 0


def test_a_file_appears_only_when_it_is_complete(here: Path) -> None:
    out = here / "out.jsonl"
    out.write_text("before", "utf-8")
    out.chmod(0o640)
    assert run("chunk", "docs", "none.txt", "--strict", "-o", "out.jsonl").exit_code == 1
    assert run("chunk", "none.txt", "-o", "out.jsonl").exit_code == 1
    assert run("chunk", "docs", "-O", "max_size=0", "-o", "out.jsonl").exit_code == 2
    assert out.read_text("utf-8") == "before"
    assert run("chunk", "docs", "none.txt", "-o", "out.jsonl").exit_code == 1
    assert len(out.read_text("utf-8").splitlines()) == 3
    assert sorted(path.name for path in here.iterdir()) == ["docs", "out.jsonl"]
    if os.name != "nt":
        assert out.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_stays_a_link(here: Path) -> None:
    (here / "real.jsonl").write_text("before", "utf-8")
    (here / "link.jsonl").symlink_to("real.jsonl")
    run("chunk", "docs", "-o", "link.jsonl")
    assert (here / "link.jsonl").is_symlink()
    assert len((here / "real.jsonl").read_text("utf-8").splitlines()) == 3


# -- chunk: errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_bad_file_does_not_lose_the_others(here: Path, workers: str) -> None:
    result = run("chunk", "docs/a.txt", "docs/image.png", "none.txt", "docs/b.md", "-w", workers)
    assert result.exit_code == 1
    assert [row["source"] for row in rows(result)] == ["docs/a.txt", "docs/b.md"]
    errors = result.stderr.splitlines()
    assert errors[0].startswith("Error: docs/image.png is a PNG image, not text")
    assert errors[1:] == ["Error: none.txt: No such file or directory", "Error: 2 of 4 documents failed."]


def test_strict_stops_at_the_first(here: Path) -> None:
    result = run("chunk", "docs/a.txt", "none.txt", "docs/b.md", "--strict")
    assert result.exit_code == 1
    assert [row["source"] for row in rows(result)] == ["docs/a.txt"]
    assert (
        result.stderr == "Error: none.txt: No such file or directory\nStopped there (--strict); no file was written.\n"
    )


def test_bad_standard_input_is_one_failure(here: Path) -> None:
    result = run("chunk", "docs/a.txt", "-", stdin=b"%PDF-1.7")
    assert result.exit_code == 1
    assert len(rows(result)) == 1
    assert "Error: standard input" in result.stderr  # the rest is said by cantle, or by a plugin that reads PDF


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line_and_quiet_hides_them(here: Path) -> None:
    (here / "old.txt").write_bytes("ação".encode("cp1252"))
    result = run("chunk", "old.txt")
    assert result.stderr.startswith("Warning: old.txt is not UTF-8 and declares no encoding; it was read as cp1252.")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith(" On the command line: --encoding cp1252.\n")
    assert run("chunk", "old.txt", "--encoding", "cp1252").stderr == ""
    assert run("chunk", "old.txt", "--quiet").stderr == ""


# -- real processes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "line"), [(["one"], "1 document, 1 chunk\n"), (["one", ""], "2 documents, 1 chunk\n")]
)
def test_a_terminal_is_told_how_many(here: Path, monkeypatch: pytest.MonkeyPatch, texts: list[str], line: str) -> None:
    for i, text in enumerate(texts):
        (here / f"{i}.txt").write_text(text, "utf-8")
    monkeypatch.setattr("cantle.cli.chunk._wants_progress", lambda *_: False)
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda self: True, raising=False)
    assert run("chunk", *(f"{i}.txt" for i in range(len(texts))), "-f", "jsonl").stderr == line


def test_python_m_cantle(here: Path) -> None:
    done = process("chunk", "docs", "-w", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("chunk", "docs").stdout
    assert process("--version").stdout == f"cantle, version {cantle.__version__}\n"
    assert process("chunk", "-", "--kind", "markdown", input="# Olá").stdout.count('"# Olá"') == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_ends_it_quietly(here: Path, unbuffered: str) -> None:
    (here / "big.txt").write_text("some words in a line\n" * 50_000, "utf-8")
    command = [sys.executable, "-m", "cantle", "chunk", "big.txt", "-n", "100"]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert json.loads(running.stdout.readline())["index"] == 0
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 141


@pytest.mark.skipif(os.name == "nt", reason="needs process groups")
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("number", "said", "code"), [(signal.SIGINT, "\nInterrupted.\n", 130), (signal.SIGTERM, "", 143)]
)
def test_signals_leave_nothing_behind(here: Path, workers: str, number: int, said: str, code: int) -> None:
    for i in range(2000):
        (here / "docs" / f"{i}.txt").write_text("some words in a line\n" * 1000, "utf-8")
    command = [sys.executable, "-m", "cantle", "chunk", "docs", "-n", "20", "-o", "out.jsonl", "-w", workers]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # what runs in the background may ignore it
    ) as running:
        while running.poll() is None and not any(path.stat().st_size for path in here.glob(".cantle-*.tmp")):
            pass
        # Ctrl-C reaches the whole group, `kill` one process.
        (os.killpg if number == signal.SIGINT else os.kill)(running.pid, number)
        assert running.stderr is not None
        assert running.stderr.read() == said  # ends when the workers, which hold it too, have ended
    assert running.returncode == code
    assert [path.name for path in here.iterdir()] == ["docs"]


def test_what_help_and_chunking_import() -> None:
    code = "import sys, cantle.cli.chunk; print(*{'rich', 'numpy', 'yaml', 'bs4', 'pyarrow'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


# -- the other commands -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_teaches(name: str) -> None:
    result = run(*([name] if name else []), "--help")
    assert result.exit_code == 0
    assert f"cantle {name}".strip() in result.stdout.split("Usage:")[1]
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert name == "" or "Example" in result.stdout


def test_strategies_come_from_the_code() -> None:
    listed = run("strategies").stdout
    one = run("strategies", "recursive").stdout
    facts = json.loads(run("strategies", "--json").stdout)
    assert all(name in listed for name in facts)
    assert "max_size" in one
    assert "default 4000 length units" in " ".join(one.split())
    assert {"name": "explain", "type": "bool", "default": "False"}.items() <= facts["recursive"]["options"][-1].items()
    result = run("strategies", "recursve")
    assert (result.exit_code, "Did you mean 'recursive'?" in result.stderr) == (2, True)


class Good:
    """A plugin with a loader and commands."""

    @cantle.hookimpl
    def load_document(self, data: bytes | Path, name: str) -> MDocument | None:
        if not name.endswith(".shout"):
            return None
        raw = data.read_bytes() if isinstance(data, Path) else data
        return MDocument.from_text(raw.decode().upper(), metadata={"loud": True})

    @cantle.hookimpl
    def register_commands(self) -> Mapping[str, str]:
        return {"hello": "cantle.cli.completion:command", "broken": "cantle.not_there:command"}


class Bad:
    """A plugin that fails when it is asked."""

    @cantle.hookimpl
    def register_strategies(self) -> list[type[Any]]:
        raise RuntimeError("out of order")


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {name.rpartition(".")[2]: name for name in BUILTIN}
    with pytest.warns(match="Plugin 'bad' is left out"):
        host = Registry({**own, "good": Good(), "bad": Bad()})
    monkeypatch.setattr(plugin_host, "registry", lambda: host)
    for module in ("inputs", "plugins", "strategies"):
        __import__(f"cantle.cli.{module}")
        monkeypatch.setattr(f"cantle.cli.{module}.registry", lambda: host)
    monkeypatch.setattr("cantle.loading.registry", lambda: host)


@pytest.mark.usefixtures("plugged")
def test_plugins_are_listed_with_their_errors() -> None:
    result = run("plugins")
    assert result.exit_code == 1
    assert "commands hello, broken; hooks load_document" in " ".join(result.stdout.split())
    assert "RuntimeError: out of order" in result.stdout
    facts = {plugin["name"]: plugin for plugin in json.loads(run("plugins", "--json").stdout)}
    assert facts["recursive"]["builtin"] is True
    assert facts["good"]["commands"] == ["hello", "broken"]
    assert facts["bad"]["error"] == "RuntimeError: out of order"


@pytest.mark.usefixtures("plugged")
def test_commands_of_plugins_run_and_broken_ones_say_so() -> None:
    shown = run("--help").stdout
    assert "hello" in shown
    assert "(broken)" in shown
    assert "complete" in run("hello", "bash").stdout
    result = run("broken", "--any", "thing")
    assert result.exit_code == 1
    assert result.stderr.startswith(
        "Error: command 'broken' of a plugin cannot be loaded from cantle.not_there:command"
    )


@pytest.mark.usefixtures("plugged")
def test_files_that_a_plugin_reads_are_taken_from_directories(here: Path) -> None:
    (here / "docs" / "x.shout").write_text("hey", "utf-8")
    found = {row["source"]: row for row in rows(run("chunk", "docs"))}
    assert (found["docs/x.shout"]["text"], found["docs/x.shout"]["metadata"]) == ("HEY", {"loud": True})
    assert "docs/image.png" not in found
    (row,) = rows(run("chunk", "-", "--source", "a.shout", stdin="ho"))
    assert (row["text"], row["source"]) == ("HO", "a.shout")


def test_diff(here: Path) -> None:
    run("chunk", "docs/b.md", "-n", "40", "--overlap", "0", "-o", "old.jsonl")
    Path("docs/b.md").write_text(MARKDOWN.replace("More", "Other"), "utf-8")
    run("chunk", "docs/b.md", "-n", "40", "--overlap", "0", "-o", "new.jsonl")
    result = run("diff", "old.jsonl", "new.jsonl")
    assert result.exit_code == 0
    assert "1 new, 1 gone; 1 text to embed" in result.stdout
    assert "\n+ docs/b.md#" in result.stdout
    facts = json.loads(run("diff", "old.jsonl", "new.jsonl", "--json").stdout)
    assert facts["counts"]["embed"] == len(facts["embed"]) == 1
    assert facts["embed"][0]["key"].startswith("docs/b.md:")
    assert run("diff", "--quiet", "old.jsonl", "new.jsonl").exit_code == 1
    assert run("diff", "--quiet", "old.jsonl", "old.jsonl").exit_code == 0
    run("chunk", "docs/b.md", "-n", "40", "--overlap", "0", "-o", "new.json")
    assert run("diff", "--quiet", "new.json", "new.jsonl").exit_code == 0
    Path("bad.jsonl").write_text("{}\n", "utf-8")
    result = run("diff", "old.jsonl", "bad.jsonl")
    assert (result.exit_code, result.stderr.startswith("Error: bad.jsonl, line 1: the object has no text")) == (1, True)
    assert run("diff", "old.jsonl", "none.jsonl").exit_code == 2


def written(name: str, *texts: str, **more: Any) -> str:
    Path(name).write_text("".join(json.dumps({"text": text, "id": "a#0", **more}) + "\n" for text in texts), "utf-8")
    return name


def test_the_legend_of_diff_explains_what_is_there(here: Path) -> None:
    old = written("old.jsonl", "one", "two")
    assert run("diff", old, old).stdout.count("\n") == 1
    assert run("diff", old, written("new.jsonl", "one", "two", "three")).stdout.splitlines()[1:] == [
        "+ a#0  three",
        "+ new, to embed",
    ]
    assert run("diff", old, written("new.jsonl", "one", "one", "three")).stdout.splitlines()[1:] == [
        "= a#0  one",
        "+ a#0  three",
        "- a#0  two",
        "+ new, to embed   = new, its text has a vector   - gone",
    ]
    moved = run("diff", old, written("new.jsonl", "one", "two", start=5)).stdout.splitlines()
    assert moved[1:] == ["moved: the same text at another place or with other metadata; it keeps its vector"]


def test_diff_shows_where_chunks_that_begin_alike_differ(here: Path) -> None:
    begin = "The same words stand at the front of both,\n" * 3
    new = [f"{begin}then new ones and many more of them, too many for a line of this list.", f"{begin}short", "x"]
    result = run("diff", written("old.jsonl", f"{begin}then old ones.", "y"), written("new.jsonl", *new))
    assert result.stdout.splitlines()[1:-1] == [
        "+ a#0  ...front of both, then new ones and many more of them, too many for...",
        "+ a#0  The same words stand at the front of both, The same words stand at ...",
        "+ a#0  x",
        "- a#0  ...front of both, then old ones.",
        "- a#0  y",
    ]


def test_doctor_finds_a_healthy_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_PLUGINS", "off")
    plugin_host.registry.cache_clear()
    result = run("doctor")
    plugin_host.registry.cache_clear()
    assert (result.exit_code, result.stderr) == (0, "")
    assert "cl100k_base: as published" in result.stdout
    assert "CANTLE_PLUGINS: is set to 'off'" in result.stdout
    assert result.stdout.endswith("No problem found.\n")


@pytest.mark.usefixtures("plugged")
def test_doctor_names_problems_and_next_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor_module.VOCABULARIES, "r50k_base", "0" * 64)
    monkeypatch.setitem(doctor_module.VOCABULARIES, "gone", "0" * 64)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    problems = {check["name"]: check for check in json.loads(result.stdout) if check["state"] == "problem"}
    assert problems.keys() == {"r50k_base", "gone", "bad"}
    assert "FileNotFoundError" in problems["gone"]["detail"]
    assert all(check["step"] for check in problems.values())
    assert "3 problems found" in run("doctor").stdout


def test_doctor_lists_the_packages_that_stand_on_cantle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, needs in {
        "adapter": ["cantle", "click>=8", 'no-such-package; python_version < "3"', 'pytest; extra == "test"'],
        "broken": ["cantle>=0.1", "no-such-package>=2"],
        "stranger": ["click", 'cantle; extra == "more"'],
    }.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        lines = [
            "Metadata-Version: 2.1",
            f"Name: {name}",
            "Version: 1.0",
            *(f"Requires-Dist: {need}" for need in needs),
        ]
        (folder / "METADATA").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = {check.name: check for check in doctor_module.checks() if check.group == "Extensions"}
    assert (found["adapter 1.0"].state, found["adapter 1.0"].detail) == ("ok", f"click {version('click')}")
    assert (found["broken 1.0"].state, found["broken 1.0"].detail) == ("problem", "no-such-package not installed")
    assert found["broken 1.0"].step.endswith("pip install no-such-package")
    assert "stranger 1.0" not in found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    assert "_CANTLE_COMPLETE" in run("completion", shell).stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cantle ", "chunk"),
        ("cantle chunk --strategy re", "recursive"),
        ("cantle chunk --length cl", "cl100k_base"),
        ("cantle chunk --length gpt-4o", "gpt-4o-mini"),
        ("cantle chunk -k ", "markdown"),
        ("cantle chunk -k te", "text"),
        ("cantle strategies tok", "token"),
    ],
)
def test_the_shell_completes_names(words: str, found: str) -> None:
    env = {"_CANTLE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    code = "from cantle.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env})
    assert f"plain,{found}" in done.stdout.splitlines()


def test_an_unknown_command() -> None:
    result = run("chnk")
    assert result.exit_code == 2
    assert "No such command 'chnk'. Did you mean 'chunk'?" in result.stderr


def test_an_unknown_encoding_is_wrong_usage(here: Path) -> None:
    (here / "one.txt").write_text("words", "utf-8")
    result = run("chunk", "one.txt", "--encoding", "rot13")
    assert result.exit_code == 2
    assert "encoding must be a text encoding that Python knows" in result.stderr


@pytest.mark.parametrize(("module", "package"), [("regex", "regex"), ("bs4", "beautifulsoup4"), ("yaml", "pyyaml")])
def test_doctor_finds_packages_that_cannot_be_imported(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    result = run("doctor", "--json")
    assert result.exit_code == 1
    (check,) = [check for check in json.loads(result.stdout) if check["name"].lower() == package]
    assert "cannot be imported: ModuleNotFoundError" in check["detail"]
    assert "--force-reinstall" in check["step"]


def test_the_text_format_shows_what_was_extracted(here: Path) -> None:
    plain = run("chunk", "docs/b.md", "-f", "text")
    assert "excerpt_keywords" not in plain.stdout
    shown = run("chunk", "docs/b.md", "-f", "text", "-O", 'extract={"keywords": true, "title": true}').stdout.split(
        "\n"
    )
    assert shown[0] == plain.stdout.split("\n")[0]
    assert shown[1].startswith("    excerpt_keywords: ")
    assert shown[2].startswith("    document_title: ")
    assert "\n".join([shown[0], *shown[3:]]).startswith(plain.stdout.split("\n\n--- ")[0])
