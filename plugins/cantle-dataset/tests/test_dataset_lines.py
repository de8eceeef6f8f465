"""JSON Lines from any line on: reading begins at a place that was remembered."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest

from cantle_dataset.errors import DatasetError
from cantle_dataset.files import jsonl
from cantle_dataset.files.jsonl import JsonLines

ROWS = [{"id": str(i), "text": "sea " * (i % 5)} for i in range(23)]


@pytest.fixture(params=["", ".gz"], ids=["plain", "gzip"])
def files(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JsonLines:
    """Two files, with a byte order mark, blank lines and Windows' line ends, and a mark every few lines."""
    monkeypatch.setattr(jsonl, "MARK_BYTES", 60)
    names = []
    for name, rows, head in (("a", ROWS[:9], b"\xef\xbb\xbf\n \n"), ("b", ROWS[9:], b"")):
        lines = [json.dumps(row).encode() + (b"\r\n" if i % 2 else b"\n\n") for i, row in enumerate(rows)]
        path = tmp_path / f"{name}.jsonl{request.param}"
        with gzip.open(path, "wb") if request.param else open(path, "wb") as file:
            file.write(head + b"".join(lines))
        names.append(str(path))
    return JsonLines(names, ["id", "text"], [])


def read(files: JsonLines, start: int, stop: int | None) -> list[dict[str, str]]:
    return [row for batch in files.batches(start, stop) for row in batch.to_pylist()]


def test_any_lines_can_be_read_alone(files: JsonLines) -> None:
    stretches = list(files.stretches())
    assert len(stretches) > 5
    assert sum(rows for rows, _ in stretches) == files.rows() == len(ROWS)
    sent = pickle.loads(pickle.dumps(files))
    for start in range(len(ROWS) + 2):
        assert read(sent, start, None) == ROWS[start:]
        for stop in range(len(ROWS) + 2):
            assert read(sent, start, stop) == ROWS[start:stop]


def test_before_they_are_counted_too(files: JsonLines) -> None:
    assert read(files, 10, 12) == ROWS[10:12]


def test_a_bad_line_is_named_wherever_reading_began(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MARK_BYTES", 60)
    monkeypatch.setattr(jsonl, "PEEKED", 5)
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "{oh\n")
    bad = JsonLines([str(path)], ["id", "text"], [])
    assert bad.rows() == 24
    with pytest.raises(DatasetError, match=r"c\.jsonl, line 24: "):
        read(bad, 20, None)


def test_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("\n\n")
    none = JsonLines([str(path)], ["id", "text"], [])
    assert (none.rows(), list(none.stretches()), read(none, 0, None)) == (0, [], [])
