"""Arrow files whose offsets lead out of them: an error, where reading them would end the process."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.string_view()]


def damaged(path: Path, kind: pa.DataType, form: str) -> None:
    """A file with a column `text` of two values, of which the first ends far behind all."""
    texts = pa.array(["a" * 20, "b" * 20], kind)
    table = pa.table({"id": ["1", "2"], "text": texts})
    make = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
        writer.write_table(table)
    data = path.read_bytes()
    if kind == pa.string_view():
        good, bad = struct.pack("<i4si", 20, b"aaaa", 0), struct.pack("<i4si", 1 << 30, b"aaaa", 0)
    else:
        code = "<qqq" if kind == pa.large_string() else "<iii"
        good, bad = struct.pack(code, 0, 20, 40), struct.pack(code, 0, 1 << 30, 40)
    assert data.count(good) == 1
    path.write_bytes(data.replace(good, bad))


@pytest.mark.parametrize("form", ["file", "stream"])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_offsets_that_lead_out_of_the_file(kind: pa.DataType, form: str, tmp_path: Path) -> None:
    path = tmp_path / "in.arrow"
    damaged(path, kind, form)
    script = f"""
from cantle_dataset.errors import DatasetError
from cantle_dataset.files.reading import opened

try:
    files = opened([{str(path)!r}], "arrow", (), ["id", "text"])
    print(files.rows(), [batch.to_pylist() for batch in files.batches()])
except DatasetError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path} cannot be read: ")


def test_strings_that_are_no_utf_8_cost_their_document(tmp_path: Path) -> None:
    from cantle_dataset.files.reading import opened

    for kind in (pa.string(), pa.string_view()):
        path = tmp_path / f"{kind}.arrow"
        texts = pa.array([b"fine", b"not \xff"]).cast(pa.binary_view() if kind == pa.string_view() else pa.binary())
        table = pa.table({"id": ["1", "2"], "text": texts.view(kind)})
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        (batch,) = opened([str(path)], "arrow", (), ["id", "text"]).batches()
        assert batch.column("text")[0].as_py() == "fine"
        with pytest.raises(UnicodeDecodeError):
            batch.column("text")[1].as_py()
