"""`cantle dataset` with the engines: the same files as on one machine, whatever happens."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from cantle.errors import CantleError, CantleWarning
from cantle_dataset import Chunker
from cantle_dataset.commands.dataset import command
from cantle_dataset.engines import Job
from cantle_dataset.engines.local import run as run_local

ENGINES = ("ray", "spark")
DOCUMENTS = pa.table(
    {
        "id": [f"d{i}" for i in range(400)],
        "text": [None if i == 7 else f"Title {i}\n\n" + "Ships wait for the tide. " * (i % 90) for i in range(400)],
        "year": [1900 + i for i in range(400)],
    }
)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """An engine whose session is there: jobs use it."""
    request.getfixturevalue(f"{request.param}_session")
    return str(request.param)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for i, start in enumerate((0, 150)):
        parquet.write_table(DOCUMENTS.slice(start, 150 + 100 * i), folder / f"{i}.parquet", row_group_size=40)
    return folder


def cantle(*args: Any) -> Any:
    return CliRunner().invoke(command, [str(arg) for arg in args])


def sums(folder: Path) -> dict[str, str]:
    """The files of a dataset, but for the marker, with the hashes of their bytes."""
    files = (file for file in folder.iterdir() if file.name != "_SUCCESS")
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("format", ["parquet", "arrow", "jsonl", "documents"])
def test_the_files_are_those_of_one_machine(engine: str, format: str, source: Path, tmp_path: Path) -> None:
    columns: tuple[str, ...] = ("--keep", "year")
    if format == "arrow":
        source = tmp_path / "in.arrow"
        with pa.ipc.new_file(source, DOCUMENTS.schema) as writer:
            writer.write_table(DOCUMENTS, max_chunksize=33)
    if format == "jsonl":
        source = tmp_path / "in.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS.to_pylist()))
    if format == "documents":
        source, columns = tmp_path / "docs", ()
        (source / "sub").mkdir(parents=True)
        for row in DOCUMENTS.to_pylist()[:40]:
            (source / "sub" / f"{row['id']}.md").write_text(f"# {row['text']}")
    options = ("-s", "recursive", "--max-size", 200, "--partitions", 3, *columns)
    told = cantle(source, tmp_path / "local", *options)
    assert told.exit_code == 0, told.output
    told = cantle(source, tmp_path / "out", "--engine", engine, *options)
    assert told.exit_code == 0, told.output
    assert sums(tmp_path / "out") == sums(tmp_path / "local")
    assert len(sums(tmp_path / "out")) == 3
    marker, local = (json.loads((tmp_path / name / "_SUCCESS").read_text()) for name in ("out", "local"))
    assert marker == local


def test_parts_by_bytes_hold_all_rows_in_order(engine: str, source: Path, tmp_path: Path, monkeypatch: Any) -> None:
    from cantle_dataset.engines import slices

    monkeypatch.setattr(slices, "LEAST_BYTES", 60_000)
    assert cantle(source, tmp_path / "out", "--engine", engine, "-s", "recursive").exit_code == 0
    assert len(sums(tmp_path / "out")) > 4
    found = parquet.read_table(tmp_path / "out").to_pylist()
    assert found == Chunker("recursive")(DOCUMENTS).to_pylist()


def test_one_file_out(engine: str, source: Path, tmp_path: Path) -> None:
    assert cantle(source, tmp_path / "out.parquet", "--engine", engine, "-s", "recursive").exit_code == 0
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == Chunker("recursive")(DOCUMENTS).to_pylist()


def job(tmp_path: Path, source: Path, chunker: Chunker, **more: Any) -> Job:
    folder = tmp_path / "parts"
    folder.mkdir()
    files = tuple(str(file) for file in sorted(source.iterdir()))
    return Job(files, "parquet", (), str(folder), chunker, partitions=4, **more)


def run(engine: str, job: Job) -> Any:
    from importlib import import_module

    return import_module(f"cantle_dataset.engines.{engine}").run(job)


def test_poisoned_documents_fail_alone(engine: str, source: Path, strategies: Any, tmp_path: Path) -> None:
    chunker = Chunker(strategies.Deadly(path=str(tmp_path / "tries")), errors="collect", timeout=30)
    done = job(tmp_path, source, chunker)
    with pytest.warns(CantleWarning, match=r"died \(exit code 3\)"):
        summary = run(engine, done)
    assert (summary.documents, summary.chunks, summary.failed) == (400, 398, 1)
    assert sorted(os.listdir(done.output)) == [f"part-0000{i}.parquet" for i in range(4)]
    rows = parquet.read_table(done.output).to_pylist()
    assert [row["document_id"] for row in rows if row["error"]] == ["d13"]


def test_a_document_that_kills_the_workers_of_an_engine_ends_the_job(
    engine: str, source: Path, strategies: Any, tmp_path: Path
) -> None:
    done = job(tmp_path, source, Chunker(strategies.Deadly(path=str(tmp_path / "tries")), errors="collect"))
    with pytest.raises(CantleError, match="With --timeout such a document fails alone"):
        run(engine, done)


def test_a_task_that_is_run_again_leaves_one_part(engine: str, source: Path, strategies: Any, tmp_path: Path) -> None:
    path = tmp_path / "tries"
    done = job(tmp_path, source, Chunker(strategies.Deadly(path=str(path), times=1)))
    summary = run(engine, done)
    assert path.read_text() == "x"
    assert (summary.documents, summary.chunks, summary.failed) == (400, 399, 0)
    assert sorted(os.listdir(done.output)) == [f"part-0000{i}.parquet" for i in range(4)]
    ids = parquet.read_table(done.output).column("document_id").to_pylist()
    assert ids == [f"d{i}" for i in range(400) if i != 7]


def test_the_error_of_a_document_is_told(engine: str, source: Path, strategies: Any, tmp_path: Path) -> None:
    with pytest.raises(CantleError, match=r"^ValueError: not this one\. The document is 'd13'\.$"):
        run(engine, job(tmp_path, source, Chunker(strategies.Failing())))


def test_progress_adds_up(engine: str, source: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int, int]] = []
    summary = run(engine, job(tmp_path, source, Chunker("recursive"), progress=lambda *counts: told.append(counts)))
    assert tuple(map(sum, zip(*told, strict=True))) == (summary.documents, summary.bytes, summary.chunks)
    assert summary.bytes == sum(len(text or "") for text in DOCUMENTS["text"].to_pylist())


def test_warnings_of_workers_are_given_here_once(engine: str, source: Path, strategies: Any, tmp_path: Path) -> None:
    with pytest.warns(CantleWarning, match="^Ships ahoy$") as caught:
        run(engine, job(tmp_path, source, Chunker(strategies.Warning())))
    assert [str(one.message) for one in caught if issubclass(one.category, CantleWarning)] == ["Ships ahoy"]


def test_a_cluster_that_is_not_there(engine: str, source: Path, tmp_path: Path) -> None:
    """In a process of its own, where no session is."""
    address = {"ray": "127.0.0.1:1", "spark": "sc://127.0.0.1:1"}[engine]
    done = subprocess.run(
        [sys.executable, "-m", "cantle", "dataset", source, tmp_path / "out", "--engine", engine, "--address", address],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 1
    assert f"There is no {engine.capitalize()}" in done.stderr
    assert address in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_session_of_its_own(source: Path, tmp_path: Path, engine: str) -> None:
    """As from a shell: nothing is left behind, and nothing on standard output."""
    args = ["-s", "recursive", "--partitions", "2", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "cantle", "dataset", source, tmp_path / "out", "--engine", engine, *args],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "400 documents, " in done.stderr
    run_local(job(tmp_path, source, Chunker("recursive")))
    assert parquet.read_table(tmp_path / "out").equals(parquet.read_table(tmp_path / "parts"))
