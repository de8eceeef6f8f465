"""`cantle dataset`: what it reads, writes, says and refuses."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from cantle import MDocument
from cantle.errors import WorkerWarning
from cantle_dataset import Chunker, chunk_table, schema
from cantle_dataset.files import writing

TEXTS = [f"# Tides {i}\n\nAll about tides and ferries. " * (i % 7) for i in range(40)]
ROWS = {"id": [f"doc-{i}" for i in range(40)], "text": TEXTS, "lang": ["en", "pt"] * 20, "n": list(range(40))}


def rows_of(folder: Path | str) -> list[dict[str, Any]]:
    path = Path(folder)
    files = [path] if path.is_file() else sorted(path.glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


def files_of(folder: Path | str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def write_input(format: str, where: Path, table: pa.Table) -> None:
    where.mkdir()
    for i, (start, count) in enumerate([(0, 11), (11, 0), (11, 29)]):
        part = table.slice(start, count)
        name = str(where / f"{i}.{format}")
        if format == "parquet":
            parquet.write_table(part, name, row_group_size=6)
        elif format in ("arrow", "arrows"):
            open_ = pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream
            with open_(name, part.schema) as writer:
                writer.write_table(part, max_chunksize=4)
        else:
            lines = "".join(json.dumps(row) + "\n\n" for row in part.to_pylist()).encode()
            Path(name).write_bytes(gzip.compress(lines) if format == "jsonl.gz" else b"\xef\xbb\xbf" + lines)


@pytest.mark.parametrize("format", ["parquet", "arrow", "arrows", "jsonl", "ndjson", "jsonl.gz"])
def test_every_format_gives_the_rows_of_one_table(cantle: Any, tmp_path: Path, format: str) -> None:
    table = pa.table(ROWS)
    write_input(format, tmp_path / "in", table)
    options = ["-s", "structural-context", "-k", "markdown", "-n", "60", "--metadata-column", "n", "--keep", "lang"]
    result = cantle("in", "out", *options)
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    expected = chunk_table(
        table, "structural-context", kind="markdown", max_size=60, metadata=["n"], keep=["lang"]
    ).to_pylist()
    assert rows_of("out") == expected
    assert result.stderr == f"40 documents, {len(expected)} chunks\n"
    marker = json.loads(Path("out/_SUCCESS").read_text())
    assert marker == {
        "schema": 1,
        "strategy": "structural-context",
        "config_hash": expected[0]["config_hash"],
        "documents": 40,
        "chunks": len(expected),
        "bytes": sum(len(text) for text in TEXTS),
        "failed": 0,
        "parts": {"part-00000.parquet": len(expected)},
    }
    read = parquet.read_schema("out/part-00000.parquet")
    assert read.metadata[b"cantle.schema"] == b"1"
    assert read.names == [*schema().names, "lang"]
    assert parquet.read_table("out").num_rows == len(expected)  # whoever reads the folder finds nothing else


def test_the_same_bytes_from_two_workers(cantle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle_dataset.engines import local

    monkeypatch.setattr(local, "PIECE_ROWS", 3)
    monkeypatch.setattr(writing, "GROUP_ROWS", 10)
    write_input("parquet", tmp_path / "in", pa.table(ROWS))
    options = ["-s", "recursive", "-n", "40", "--keep", "n", "--partitions", "4"]
    assert cantle("in", "one", *options).exit_code == 0
    assert cantle("in", "two", *options, "--workers", "2").exit_code == 0
    assert files_of("one") == files_of("two")
    parts = [parquet.read_table(file).column("n").to_pylist() for file in sorted(Path("one").glob("*.parquet"))]
    assert [(min(part), max(part)) for part in parts] == [(1, 9), (10, 19), (20, 29), (30, 39)]
    assert parquet.read_metadata("one/part-00003.parquet").num_row_groups > 1


def test_parts_end_where_they_are_large_enough(cantle: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle_dataset.engines import local

    monkeypatch.setattr(local, "PIECE_ROWS", 5)
    monkeypatch.setattr(writing, "PART_BYTES", 9_000)
    write_input("parquet", tmp_path / "in", pa.table(ROWS))
    assert cantle("in", "out", "-s", "recursive", "-n", "40").exit_code == 0
    assert len(list(Path("out").glob("part-*.parquet"))) > 2
    assert rows_of("out") == chunk_table(pa.table(ROWS), "recursive", max_size=40).to_pylist()
    assert cantle("in", "all.parquet", "-s", "recursive", "-n", "40").exit_code == 0
    assert rows_of("all.parquet") == rows_of("out")


def test_more_partitions_than_documents(cantle: Any, tmp_path: Path) -> None:
    write_input("parquet", tmp_path / "in", pa.table(ROWS).slice(0, 3))
    assert cantle("in", "out", "--partitions", "5").exit_code == 0
    assert [parquet.read_metadata(file).num_rows for file in sorted(Path("out").glob("*.parquet"))] == [0, 0, 0, 1, 1]


def test_documents_in_a_folder(cantle: Any, tmp_path: Path) -> None:
    (tmp_path / "docs/deep").mkdir(parents=True)
    (tmp_path / "docs/a.md").write_text("---\nlang: en\n---\n# Tides\n\nHigh.\n", encoding="utf-8")
    (tmp_path / "docs/deep/b.txt").write_text("Ferries.\n", encoding="utf-8")
    (tmp_path / "docs/.hidden.md").write_text("no", encoding="utf-8")
    result = cantle("docs", "out", "--workers", "2")
    assert result.exit_code == 0, result.output
    assert [(row["document_id"], row["text"]) for row in rows_of("out")] == [
        ("a.md", "# Tides\n\nHigh."),
        ("deep/b.txt", "Ferries."),
    ]
    expected = MDocument.from_file("docs/a.md", source="a.md").chunk()
    assert rows_of("out")[0]["chunk_id"] == expected[0].key
    assert json.loads(Path("out/_SUCCESS").read_text())["config_hash"] is None  # each kind has its own
    assert cantle("docs/a.md", "one.parquet").exit_code == 0
    assert [row["document_id"] for row in rows_of("one.parquet")] == ["a.md"]


def test_an_input_without_chunks_gives_a_part_without_rows(cantle: Any, tmp_path: Path) -> None:
    write_input("parquet", tmp_path / "in", pa.table(ROWS).slice(0, 0))
    assert cantle("in", "out", "--keep", "n").stderr == "0 documents, 0 chunks\n"
    assert parquet.read_table("out").schema.names == [*schema().names, "n"]
    assert cantle("in", "out.parquet").exit_code == 0
    assert parquet.read_table("out.parquet").num_rows == 0


# -- documents that fail --------------------------------------------------------------------------------------------


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    texts = [b"fine", b"\xff\xfe", b"fine too", b"\xff"]
    table = pa.table({"id": ["a", "b", "c", "d\x1b"], "text": pa.array(texts, pa.binary())})
    parquet.write_table(table, tmp_path / "bad.parquet")
    return tmp_path / "bad.parquet"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_failed_documents_are_skipped_and_listed(cantle: Any, bad: Path, workers: str) -> None:
    result = cantle("bad.parquet", "out", "--workers", workers)
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: b: DocumentError: the column 'text' holds no UTF-8 there: byte 0xff at offset 0.\n"
        "Error: d\ufffd: DocumentError: the column 'text' holds no UTF-8 there: byte 0xff at offset 0.\n"
        "4 documents, 2 chunks\nError: 2 of 4 documents failed.\n"
    )
    assert [row["document_id"] for row in rows_of("out")] == ["a", "c"]
    listed = [json.loads(line) for line in Path("out/_errors.jsonl").read_text().splitlines()]
    assert [row["document_id"] for row in listed] == ["b", "d\x1b"]
    assert json.loads(Path("out/_SUCCESS").read_text())["failed"] == 2
    assert parquet.read_table("out").num_rows == 2


def test_failed_documents_collected_have_rows(cantle: Any, bad: Path) -> None:
    assert cantle("bad.parquet", "out", "--errors", "collect").exit_code == 1
    assert [row["chunk_id"] for row in rows_of("out") if row["error"]] == ["b:error", "d\x1b:error"]
    assert Path("out/_errors.jsonl").exists()
    assert cantle("bad.parquet", "one.parquet", "--errors", "collect").exit_code == 1
    assert len(rows_of("one.parquet")) == 4
    assert len(Path("one.parquet.errors.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_first_failure_ends_a_strict_run(cantle: Any, bad: Path, workers: str) -> None:
    result = cantle("bad.parquet", "out", "--errors", "raise", "--workers", workers)
    assert result.exit_code == 1
    assert "Error: the column 'text' holds no UTF-8" in result.stderr
    assert os.listdir() == ["bad.parquet"]


# -- what is refused ------------------------------------------------------------------------------------------------

REFUSED: list[tuple[list[str], str]] = [
    (["in", "there"], "there is there already. Give another name, or --overwrite"),
    (["in", "there", "--overwrite"], "holds other things than a dataset of cantle"),
    (["in", "in/out"], "is what is read, or one is in the other"),
    (["in", "."], "is there already"),
    (["none", "out"], "none is not there"),
    (["empty", "out"], "holds no file that can be read"),
    (["mixed", "out"], "mixed holds parquet files and others, such as mixed/a.md. Say by --input-format"),
    (["s3://bucket/in", "out"], "is no path of a file or folder"),
    (["in", "s3://bucket/out"], "is no path of a folder"),
    (["in", "out", "--text-column", "body"], "has no column 'body'; there are: id, text, lang, n"),
    (["in", "out", "--text-column", "n"], "'n' must hold strings, got int64"),
    (["in", "out", "--kind", "markdwn"], "has no column 'markdwn'"),
    (["in", "out", "--hash-ids", "--id-column", "id"], "exclude each other"),
    (["in", "out", "--metadata-json", "n", "--metadata-column", "lang"], "exclude each other"),
    (["in", "out", "--address", "auto"], "--address goes with --engine ray"),
    (["in", "out.parquet", "--partitions", "2"], "is one file, which has no partitions"),
    (["in", "out", "-O", "keep=n"], "keep is no option of a strategy"),
    (["in", "out", "-O", "nope=1"], "nope"),
    (["in", "out", "--keep", "text"], "cannot be kept"),
    (["in", "out", "--timeout", "0"], "--timeout"),
    (["docs", "out", "--text-column", "x"], "--text-column is for tables"),
    (["docs", "out", "--keep", "x"], "are for tables"),
    (["docs", "out", "--kind", "markdwn"], "is no kind of documents"),
    (["", "out"], "A name is empty"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=range(len(REFUSED)))
def test_wrong_usage(cantle: Any, tmp_path: Path, arguments: list[str], message: str) -> None:
    write_input("parquet", tmp_path / "in", pa.table(ROWS))
    for name in ("there", "empty", "mixed", "docs"):
        (tmp_path / name).mkdir()
    (tmp_path / "there/mine.txt").write_text("mine")
    for name in ("mixed/a.md", "docs/a.md"):
        (tmp_path / name).write_text("x")
    parquet.write_table(pa.table(ROWS), tmp_path / "mixed/a.parquet")
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    result = cantle(*arguments)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.stderr.split())
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert (tmp_path / "there/mine.txt").read_text() == "mine"


def test_files_that_are_damaged_are_named(cantle: Any, tmp_path: Path) -> None:
    for name in ("a.parquet", "b.arrow"):
        (tmp_path / name).write_bytes(b"PAR1 and nothing else that is right")
        result = cantle(name, "out")
        assert result.exit_code == 1
        assert f"{name} cannot be read: " in result.stderr
    for line, message in (
        ('{"id": 1, "text": "x"}\n{"id"', "line 2: "),
        ("[1]", "line 1 is no JSON object"),
        ("[" * 100_000, "line 1: "),
        ('{"id": 1, "text": "\xff"}', "line 1: "),
    ):
        (tmp_path / "c.jsonl").write_bytes(line.encode("latin-1"))
        result = cantle("c.jsonl", "out")
        assert result.exit_code == 1
        assert f"c.jsonl, {message}" in result.stderr
    assert not (tmp_path / "out").exists()


def test_files_of_other_types_than_the_first(cantle: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    parquet.write_table(pa.table({"id": ["a"], "text": ["x"]}), tmp_path / "in/0.parquet")
    large = pa.table({"id": pa.array(["b"]), "text": pa.array(["y"], pa.large_string()), "more": [1]})
    parquet.write_table(large, tmp_path / "in/1.parquet")
    assert cantle("in", "out").exit_code == 0
    assert [row["text"] for row in rows_of("out")] == ["x", "y"]
    parquet.write_table(pa.table({"id": [1], "text": ["z"]}), tmp_path / "in/2.parquet")
    result = cantle("in", "other")
    assert result.exit_code == 1
    assert "2.parquet: the column 'id' is int64, but string in " in result.stderr


def test_json_lines_with_fields_of_several_types(cantle: Any, tmp_path: Path) -> None:
    lines = [
        {"id": 1, "text": "one", "meta": {"a": [1]}, "k": 1, "f": 1, "mixed": "s"},
        {"id": 2, "text": "lone \ud800", "meta": None, "f": 1.5, "mixed": [1]},
        {"id": 3, "text": None, "k": 2**70},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    keep = [part for name in ("k", "f", "mixed") for part in ("--keep", name)]
    result = cantle("in.jsonl", "out", "--metadata-json", "meta", *keep)
    assert result.exit_code == 0, result.output
    made = rows_of("out")
    assert [(r["document_id"], r["text"], r["k"], r["f"], r["mixed"]) for r in made] == [
        ("1", "one", "1", 1.0, '"s"'),
        ("2", "lone ?", None, 1.5, "[1]"),
    ]
    assert [json.loads(r["metadata"]) for r in made] == [{"a": [1]}, {}]
    assert cantle("in.jsonl", "out2", "--metadata-column", "mixed", "--metadata-column", "f").exit_code == 0
    assert [json.loads(r["metadata"]) for r in rows_of("out2")] == [{"mixed": "s", "f": 1.0}, {"mixed": [1], "f": 1.5}]


def test_overwrite_replaces_a_dataset_when_all_is_done(cantle: Any, tmp_path: Path, bad: Path) -> None:
    write_input("parquet", tmp_path / "in", pa.table(ROWS))
    assert cantle("in", "out", "--partitions", "3").exit_code == 0
    before = files_of("out")
    assert cantle("bad.parquet", "out", "--overwrite", "--errors", "raise").exit_code == 1
    assert files_of("out") == before
    assert cantle("in", "out", "--overwrite").exit_code == 0
    assert sorted(files_of("out")) == ["_SUCCESS", "part-00000.parquet"]
    assert sorted(os.listdir()) == ["bad.parquet", "in", "out"]
    (tmp_path / "one.parquet").write_bytes(b"old")
    assert cantle("in", "one.parquet").exit_code == 2
    assert cantle("in", "one.parquet", "--overwrite").exit_code == 0
    assert rows_of("one.parquet") == rows_of("out")


def test_a_dry_run_checks_and_does_nothing(cantle: Any, tmp_path: Path) -> None:
    write_input("parquet", tmp_path / "in", pa.table(ROWS))
    result = cantle("in", "out", "--dry-run", "-s", "recursive", "--keep", "lang", "--workers", "2")
    assert result.exit_code == 0
    assert result.stdout == (
        "input: 3 parquet files, 40 documents\ncolumns read: id, text, lang\nstrategy: recursive\n"
        "engine: local, 2 workers\noutput: out, 18 columns\n"
    )
    assert os.listdir() == ["in"]
    assert cantle("in", "out", "--dry-run", "--text-column", "n").exit_code == 2


def test_the_help_teaches(cantle: Any) -> None:
    text = cantle("--help").output
    assert "cantle dataset docs/ chunks/" in text
    assert "Exit codes: 0 all documents were cut" in text


# -- processes ------------------------------------------------------------------------------------------------------


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    table = {"id": [str(i) for i in range(3000)], "text": ["All about tides and ferries.\n\n" * 300] * 3000}
    parquet.write_table(pa.table(table), tmp_path / "in.parquet")
    command = [sys.executable, "-m", "cantle", "dataset", "in.parquet", "out", "-n", "40", "-l", "words", *arguments]
    return subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)


def wait_for_parts(tmp_path: Path, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*.partial")) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.5)
    assert process.poll() is None


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code", "workers"), [(signal.SIGINT, 130, "2"), (signal.SIGTERM, 143, "1")])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, number: int, code: int, workers: str) -> None:
    process = started(tmp_path, "--workers", workers)
    wait_for_parts(tmp_path, process)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code, said
    assert os.listdir(tmp_path) == ["in.parquet"]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_run_that_is_killed_leaves_no_output(tmp_path: Path, cantle: Any) -> None:
    process = started(tmp_path)
    wait_for_parts(tmp_path, process)
    process.kill()
    process.communicate(timeout=60)
    assert not (tmp_path / "out").exists()
    parquet.write_table(pa.table(ROWS), tmp_path / "in.parquet")
    assert cantle("in.parquet", "out").exit_code == 0
    assert rows_of("out") == chunk_table(pa.table(ROWS), "recursive").to_pylist()


def test_a_poisoned_document_does_not_stop_a_run(tmp_path: Path, strategies: Any) -> None:
    from cantle_dataset.engines import Job, local

    texts = ["one", "HANG", "two", "DIE", *(f"more {i}" for i in range(50))]
    table = pa.table({"id": [str(i) for i in range(len(texts))], "text": texts})
    parquet.write_table(table, tmp_path / "in.parquet")
    (tmp_path / "parts").mkdir()
    chunker = Chunker(strategies.Poisoned(), errors="collect", timeout=3)
    job = Job((str(tmp_path / "in.parquet"),), "parquet", (), str(tmp_path / "parts"), chunker, workers=2)
    with pytest.warns(WorkerWarning, match="They are tried once more"):
        summary = local.run(job)
    assert (summary.documents, summary.failed, summary.chunks) == (54, 2, 52)
    made = rows_of(tmp_path / "parts")
    assert [row["document_id"] for row in made] == [str(i) for i in range(54)]
    assert [row["error"].partition(":")[0] for row in made if row["error"]] == ["DocumentTimeoutError", "WorkerError"]
