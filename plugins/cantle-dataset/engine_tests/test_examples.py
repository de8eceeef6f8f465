"""The examples of the documentation, each as its users run it; what they print is on the pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
NEEDS = {"dask_articles": "dask.dataframe", "own_strategy": "ray.data", "ray_articles": "ray.data"}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.stem for example in EXAMPLES])
def test_an_example_prints_what_its_page_shows(example: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    pytest.importorskip(NEEDS.get(example.stem, "pyspark.sql"))
    if "spark" in example.stem:
        request.getfixturevalue("java")
    if example.stem == "spark_connect":
        pytest.importorskip("grpc_status", reason="pyspark[connect] is not installed")
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=250, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == example.with_suffix(".txt").read_text()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 5
