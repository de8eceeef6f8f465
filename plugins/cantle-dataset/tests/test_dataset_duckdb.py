"""DuckDB: a function in SQL."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from cantle.errors import OptionError
from cantle_dataset import Chunker, chunk_relation, register_duckdb, schema

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")

COUNT = 5000
"""More than two vectors."""
DOCUMENTS = pa.table(
    {
        "id": [f"d{i}" for i in range(COUNT)],
        "text": [None if i == 7 else f"Title {i}\n\n" + "Ships wait. " * (i % 9) for i in range(COUNT)],
        "the year": pa.array([None if i == 3 else 1900 + i for i in range(COUNT)], pa.int32()),
        "unused": ["x" * 100] * COUNT,
    }
)
OPTIONS: dict[str, Any] = {"max_size": 60, "keep": ["the year"], "metadata": ["the year"]}


@pytest.fixture
def connection() -> Any:
    with duckdb.connect() as made:
        made.register("docs", DOCUMENTS)
        yield made


def expected(documents: pa.Table = DOCUMENTS, strategy: Any = "recursive", **options: Any) -> pa.Table:
    return pa.Table.from_batches([Chunker(strategy, **options)(documents)])


def rows(relation: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = relation.to_arrow_table().to_pylist()
    return made


def test_the_chunks_are_those_of_one_call(connection: Any) -> None:
    made = chunk_relation(connection, connection.sql("FROM docs"), "recursive", **OPTIONS)
    table = made.to_arrow_table()
    assert table.cast(expected(**OPTIONS).schema.remove_metadata()).to_pylist() == expected(**OPTIONS).to_pylist()


def test_a_relation_is_lazy_and_goes_on(connection: Any) -> None:
    made = chunk_relation(connection, connection.sql("FROM docs WHERE id LIKE 'd80%'"), "recursive", max_size=60)
    counts = made.filter("start > 0").aggregate("document_id, count(*) AS n, max(index) AS last").order("document_id")
    whole = [row for row in expected(max_size=60).to_pylist() if row["start"] and row["document_id"].startswith("d80")]
    tally = Counter(row["document_id"] for row in whole)
    assert counts.fetchall() == [(name, count, count) for name, count in sorted(tally.items())]


def test_the_function_in_sql(connection: Any) -> None:
    call = register_duckdb(connection, "recursive", name="my chunks", max_size=60)
    assert call == '"my chunks"("id", "text")'
    query = f'SELECT "the year" AS y, unnest({call}, max_depth := 2) FROM docs'
    made = connection.sql(query)
    assert made.columns == ["y", *schema().names]
    assert rows(made.select("* EXCLUDE y")) == expected(max_size=60).to_pylist()
    assert connection.sql("SELECT len(\"my chunks\"('a', NULL)), len(\"my chunks\"('a', 'b'))").fetchall() == [(0, 1)]


def test_a_function_is_replaced(connection: Any) -> None:
    register_duckdb(connection, "recursive", max_size=60)
    call = register_duckdb(connection, "recursive", max_size=1000)
    assert connection.sql(f"SELECT max(len({call})) FROM docs").fetchall() == [(1,)]


def test_types_of_arguments(connection: Any) -> None:
    options: dict[str, Any] = {"metadata": ["the year"], "max_size": 60}
    call = register_duckdb(connection, "recursive", types={"the year": "INTEGER"}, **options)
    made = connection.sql(f"SELECT unnest({call}, max_depth := 2) FROM docs")
    assert rows(made) == expected(**options).to_pylist()
    with pytest.raises(OptionError, match=r"types names 'year', but the columns read are id, text\."):
        register_duckdb(connection, "recursive", types={"year": "INTEGER"})


def test_metadata_as_a_struct(connection: Any) -> None:
    struct = pa.schema([("the year", pa.int32())])
    made = chunk_relation(
        connection, connection.sql("FROM docs"), "recursive", metadata=["the year"], metadata_schema=struct
    )
    assert made.limit(1).fetchall()[0][made.columns.index("metadata")] == {"the year": 1900}


def test_an_id_that_is_there_twice(connection: Any) -> None:
    connection.sql("CREATE TABLE twice AS SELECT 'same' AS text, i FROM range(2) t(i)")
    with pytest.raises(duckdb.InvalidInputException, match="same"):
        chunk_relation(connection, connection.sql("FROM twice"), "recursive", document_id="text").fetchall()


def test_a_failed_document_is_a_row(connection: Any) -> None:
    connection.sql("CREATE TABLE pages AS SELECT 'd' || i AS id, '{\"a\": ' || i || '}' AS text FROM range(4) t(i)")
    connection.sql("UPDATE pages SET text = '{' WHERE id = 'd2'")
    made = chunk_relation(connection, connection.sql("FROM pages"), "json", kind="json", errors="collect")
    found = made.select("document_id, error IS NULL, text").order("document_id").fetchall()
    assert [row[:2] for row in found] == [("d0", True), ("d1", True), ("d2", False), ("d3", True)]
    with pytest.raises(duckdb.InvalidInputException, match="d2"):
        chunk_relation(connection, connection.sql("FROM pages"), "json", kind="json").fetchall()


def test_what_is_wrong_is_said_at_once(connection: Any) -> None:
    with pytest.raises(OptionError, match="max_size"):
        chunk_relation(connection, connection.sql("FROM docs"), "recursive", max_size=-1)
    with pytest.raises(OptionError, match=r"no column 'body'. Its columns: id, text, the year, unused"):
        chunk_relation(connection, connection.sql("FROM docs"), "recursive", text="body")
