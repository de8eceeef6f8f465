"""Spark, with two threads on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cantle.errors import OptionError
from cantle_dataset import Chunker, chunk_dataframe, for_spark

pytest.importorskip("pyspark.sql", reason="PySpark is not installed")

DOCUMENTS = pa.table(
    {
        "id": [f"d{i}" for i in range(300)],
        "text": [None if i == 7 else f"Title {i}\n\n" + "Ships wait for the tide. " * (i % 9) for i in range(300)],
        "a.year": [1900 + i for i in range(300)],
        "unused": ["x" * 100] * 300,
    }
)
OPTIONS: dict[str, Any] = {"max_size": 60, "keep": ["a.year"], "metadata": ["a.year"]}


def expected(strategy: Any = "recursive", **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pa.Table.from_batches([Chunker(strategy, **options)(DOCUMENTS)]).to_pylist()
    return rows


def rows(dataframe: Any) -> list[dict[str, Any]]:
    """All rows, in the order of the documents."""
    made = [row.asDict(recursive=True) for row in dataframe.collect()]
    return sorted(made, key=lambda row: (int(row["document_id"][1:]), row["index"]))


@pytest.fixture(scope="module")
def documents(spark_session: Any) -> Any:
    values = [tuple(row.values()) for row in DOCUMENTS.to_pylist()]
    return spark_session.createDataFrame(values, "id string, text string, `a.year` bigint, unused string")


@pytest.mark.parametrize("partitions", [None, 5])
def test_the_chunks_are_those_of_one_call(documents: Any, partitions: int | None) -> None:
    made = chunk_dataframe(documents, "recursive", partitions=partitions, **OPTIONS)
    assert partitions is None or made.rdd.getNumPartitions() == partitions
    assert rows(made) == expected(**OPTIONS)


def test_map_in_arrow_with_our_function(documents: Any) -> None:
    texts = documents.select("id", "text", "unused")  # `mapInArrow` itself cannot take a name with a dot
    function, schema = for_spark("recursive", schema=texts.schema, keep=["unused"], max_size=60)
    assert rows(texts.mapInArrow(function, schema)) == expected(keep=["unused"], max_size=60)


@pytest.mark.parametrize("name", ["useLargeVarTypes", "maxRecordsPerBatch"])
def test_other_batches_of_arrow(spark_session: Any, documents: Any, name: str) -> None:
    key = f"spark.sql.execution.arrow.{name}"
    spark_session.conf.set(key, "true" if name == "useLargeVarTypes" else "11")
    try:
        assert rows(chunk_dataframe(documents, "recursive", **OPTIONS)) == expected(**OPTIONS)
    finally:
        spark_session.conf.unset(key)


def test_the_schema_without_kept_columns_needs_no_documents() -> None:
    _, schema = for_spark("recursive")
    assert schema.simpleString() == (
        "struct<document_id:string,chunk_id:string,index:bigint,text:string,content:string,prefix:string,start:bigint,"
        "end:bigint,spans:array<array<bigint>>,overlap:bigint,path:array<string>,hash:string,embed_hash:string,"
        "oversize:boolean,config_hash:string,metadata:string,error:string>"
    )
    with pytest.raises(OptionError, match=r"columns to keep \(year\).*schema=dataframe.schema"):
        for_spark("recursive", keep=["year"])


def test_metadata_as_a_struct(documents: Any) -> None:
    struct = pa.schema([("year", pa.int64())])
    renamed = documents.withColumnRenamed("a.year", "year")
    made = chunk_dataframe(renamed, "recursive", metadata=["year"], metadata_schema=struct)
    assert made.schema["metadata"].dataType.simpleString() == "struct<year:bigint>"
    assert rows(made)[0]["metadata"] == {"year": 1900}


def test_parquet_in_and_out(spark_session: Any, documents: Any, tmp_path: Path) -> None:
    documents.write.parquet(str(tmp_path / "in"))
    made = chunk_dataframe(spark_session.read.parquet(str(tmp_path / "in")), "recursive", **OPTIONS)
    made.write.parquet(str(tmp_path / "out"))
    assert rows(spark_session.read.parquet(str(tmp_path / "out"))) == expected(**OPTIONS)


def test_a_strategy_of_a_plugin_by_name(documents: Any) -> None:
    pytest.importorskip("cantle_example")
    assert rows(chunk_dataframe(documents, "lines", every=2)) == expected("lines", every=2)


def test_a_strategy_that_only_the_script_has(documents: Any, strategies: Any) -> None:
    assert rows(chunk_dataframe(documents, strategies.Halves())) == expected(strategies.Halves())


def test_a_worker_without_the_package_says_what_is_missing(
    documents: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "not_there.py").write_text(
        "from dataclasses import dataclass\n"
        "from cantle import Chunk\n\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Away:\n"
        "    name = 'away'\n\n"
        "    def split(self, source):\n"
        "        yield Chunk(source.text, 0, len(source.text))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import not_there  # type: ignore[import-not-found]

    with pytest.raises(Exception, match="cannot load the strategy 'away'") as caught:
        chunk_dataframe(documents, not_there.Away()).collect()
    monkeypatch.delitem(sys.modules, "not_there")
    assert "No module named 'not_there'" in str(caught.value)
    assert "spark.archives" in str(caught.value)


def test_what_is_wrong_is_said_in_the_driver(documents: Any) -> None:
    with pytest.raises(OptionError, match="max_size"):
        chunk_dataframe(documents, "recursive", max_size=-1)
    with pytest.raises(OptionError, match=r"no column 'body'. Its columns: id, text, a.year, unused"):
        chunk_dataframe(documents, "recursive", text="body")
    with pytest.raises(OptionError, match="partitions must be an integer of at least 1, got 0"):
        chunk_dataframe(documents, "recursive", partitions=0)


def test_a_task_that_failed_once_doubles_nothing(documents: Any, strategies: Any, tmp_path: Path) -> None:
    """Its worker dies at the first try, and Spark tries twice here."""
    path = tmp_path / "tries"
    made = rows(chunk_dataframe(documents, strategies.Deadly(path=str(path), times=1)))
    assert path.read_text() == "x"
    assert [row["document_id"] for row in made] == [f"d{i}" for i in range(300) if i != 7]


def test_a_failed_document_is_a_row(documents: Any, strategies: Any) -> None:
    made = rows(chunk_dataframe(documents, strategies.Failing(), errors="collect"))
    failed = [row for row in made if row["error"] is not None]
    assert [(row["document_id"], row["error"]) for row in failed] == [("d13", "ValueError: not this one")]
    assert {row["document_id"] for row in made} == {f"d{i}" for i in range(300) if i != 7}


def test_what_kills_or_never_ends_fails_alone(documents: Any, strategies: Any, tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    settings: dict[str, Any] = {"errors": "collect", "timeout": 3}
    for strategy, error in (
        (strategies.Deadly(path=str(tries)), "WorkerError: "),
        (strategies.Endless(), "DocumentTimeoutError: "),
    ):
        made = rows(chunk_dataframe(documents, strategy, **settings))
        failed = [row for row in made if row["error"] is not None]
        assert [row["document_id"] for row in failed] == ["d13"]
        assert failed[0]["error"].startswith(error)
        assert {row["document_id"] for row in made} == {f"d{i}" for i in range(300) if i != 7}
    assert tries.read_text() == "xx"
