"""What `cantle dataset` must not replace or delete: what is read, and what is not its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "in.parquet"
    parquet.write_table(pa.table({"id": ["a"], "text": ["some text"]}), path)
    return path


def test_what_a_user_put_into_a_dataset_keeps_it_from_being_replaced(cantle: Any, given: Path) -> None:
    assert cantle("in.parquet", "out").exit_code == 0
    Path("out/.part-00000.parquet.crc").write_bytes(b"left by a reader")
    assert cantle("in.parquet", "out", "--overwrite").exit_code == 0
    Path("out/notes.txt").write_text("mine")
    result = cantle("in.parquet", "out", "--overwrite")
    assert result.exit_code == 2
    assert "out holds other things than a dataset of cantle (notes.txt), so it is not replaced" in result.stderr
    assert Path("out/notes.txt").read_text() == "mine"


@pytest.mark.parametrize("marker", ["", "[]", '{"schema": 1}', '{"schema": 1, "parts": 3}', "[" * 100_000])
def test_a_marker_of_others(cantle: Any, given: Path, marker: str) -> None:
    Path("out").mkdir()
    Path("out/_SUCCESS").write_text(marker)
    result = cantle("in.parquet", "out", "--overwrite")
    assert result.exit_code == 2
    assert "(no _SUCCESS of ours)" in result.stderr


def test_links_from_the_input_into_the_output(cantle: Any, given: Path) -> None:
    assert cantle("in.parquet", "out").exit_code == 0
    Path("in").mkdir()
    Path("in/a.parquet").symlink_to(Path("out/part-00000.parquet").resolve())
    result = cantle("in", "out", "--overwrite", "--id-column", "chunk_id")
    assert result.exit_code == 2
    assert "is read, and would be replaced" in result.stderr
    assert Path("in/a.parquet").exists()


def test_the_file_of_errors_beside_one_file_replaces_only_its_like(cantle: Any, given: Path) -> None:
    errors = Path("out.parquet.errors.jsonl")
    for text in ('{"id": "1", "text": "precious"}\n', "precious\n", ""):
        errors.write_text(text)
        for source in ("in.parquet", str(errors)):
            result = cantle(source, "out.parquet")
            assert result.exit_code == 2
            assert "out.parquet.errors.jsonl is there" in result.stderr
        assert errors.read_text() == text
    errors.write_text('{"document_id": "b", "error": "Old: one"}\n')
    result = cantle(str(errors), "out.parquet", "--text-column", "error", "--id-column", "document_id")
    assert result.exit_code == 2
    assert "is read, and would be replaced" in result.stderr
    assert cantle("in.parquet", "out.parquet").exit_code == 0
    assert sorted(os.listdir()) == ["in.parquet", "out.parquet"]


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_column_that_is_there_twice(cantle: Any, tmp_path: Path, format: str) -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array(["c"])], names=["id", "text", "text"])
    name = str(tmp_path / f"in.{format}")
    if format == "parquet":
        parquet.write_table(table, name)
    else:
        with pa.ipc.new_file(name, table.schema) as writer:
            writer.write_table(table)
    result = cantle(name, "out")
    assert result.exit_code == 2
    assert "has 2 columns 'text'. Rename or leave out all but one." in result.stderr
    assert cantle(name, "out", "--text-column", "id").exit_code == 0
