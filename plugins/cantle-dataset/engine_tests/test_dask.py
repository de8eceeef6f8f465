"""Dask, with threads and with processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cantle.errors import OptionError
from cantle_dataset import Chunker, chunk_dask

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")

DOCUMENTS = pa.table(
    {
        "id": [f"d{i}" for i in range(90)],
        "text": [None if i == 7 else f"Title {i}\n\n" + "Ships wait for the tide. " * (i % 9) for i in range(90)],
        "year": [None if i == 3 else 1900 + i for i in range(90)],
        "unused": ["x" * 100] * 90,
    }
)
OPTIONS: dict[str, Any] = {"max_size": 60, "keep": ["year"]}


@pytest.fixture(scope="module")
def documents() -> Any:
    import pandas as pd

    return dd.from_pandas(DOCUMENTS.to_pandas(types_mapper=pd.ArrowDtype), npartitions=5)


def rows(frame: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = pa.Table.from_pandas(frame, preserve_index=False).to_pylist()
    return made


def expected(strategy: Any = "recursive", **options: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = pa.Table.from_batches([Chunker(strategy, **options)(DOCUMENTS)]).to_pylist()
    return made


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_the_chunks_are_those_of_one_call(documents: Any, scheduler: str) -> None:
    made = chunk_dask(documents, "recursive", **OPTIONS).compute(scheduler=scheduler)
    assert rows(made) == expected(**OPTIONS)


def test_the_types_are_known_before_anything_is_cut(documents: Any) -> None:
    made = chunk_dask(documents, "recursive", **OPTIONS)
    computed = made.partitions[0].compute(scheduler="synchronous")
    assert dict(made.dtypes) == dict(computed.dtypes)
    assert str(made.dtypes["start"]) == "int64[pyarrow]"
    assert made.divisions == (None,) * 6


def test_strings_of_python_and_floats_for_missing_numbers() -> None:
    """What pandas makes of such columns by itself."""
    frame = dd.from_pandas(DOCUMENTS.to_pandas(), npartitions=2)
    made = chunk_dask(frame, "recursive", max_size=60).compute(scheduler="synchronous")
    assert rows(made) == expected(max_size=60)


def test_parquet(documents: Any, tmp_path: Any) -> None:
    chunk_dask(documents, "recursive", **OPTIONS).to_parquet(tmp_path / "out", compute_kwargs={"scheduler": "threads"})
    from pyarrow import parquet

    found = parquet.read_table(tmp_path / "out").to_pylist()
    assert [row["chunk_id"] for row in found] == [row["chunk_id"] for row in expected(**OPTIONS)]


def test_strategies_of_a_plugin_and_of_the_script(documents: Any, strategies: Any) -> None:
    made = chunk_dask(documents, strategies.Halves()).compute(scheduler="processes")
    assert rows(made) == expected(strategies.Halves())
    pytest.importorskip("cantle_example")
    made = chunk_dask(documents, "lines", every=2).compute(scheduler="processes")
    assert rows(made) == expected("lines", every=2)


def test_what_is_wrong_is_said_at_once(documents: Any) -> None:
    with pytest.raises(OptionError, match="max_size"):
        chunk_dask(documents, "recursive", max_size=-1)
    with pytest.raises(OptionError, match=r"no column 'body'. Its columns: id, text, year, unused"):
        chunk_dask(documents, "recursive", text="body")


def test_what_kills_or_never_ends_fails_alone(documents: Any, strategies: Any, tmp_path: Path) -> None:
    for strategy in (strategies.Deadly(path=str(tmp_path / "tries")), strategies.Endless()):
        made = chunk_dask(documents, strategy, errors="collect", timeout=3).compute(scheduler="processes")
        found = rows(made)
        assert [row["document_id"] for row in found if row["error"]] == ["d13"]
        assert len(found) == 89
