"""The chunks of real documents are those that are written down; `update.py` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest
import update

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", update.CASES)
def test_the_chunks_are_as_written_down(name: str) -> None:
    written = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    assert [*update.rows(name), ""] == written, "look at the difference; if it is wanted: python tests/golden/update.py"


def test_there_is_no_file_that_nothing_is_compared_with() -> None:
    assert {path.stem for path in HERE.glob("*.jsonl")} == set(update.CASES)
