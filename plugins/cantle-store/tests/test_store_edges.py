"""What only shows at the edges: passwords in parameters, databases that must stay as they are, vectors alike."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import event

from cantle.cli import cli
from cantle_store import EmbedderError, OtherEmbedderError, SchemaError, Store, StoreError, ingest


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://127.0.0.1:1/db?user=u&password=geheim",
        "postgresql://127.0.0.1:1/db?password=geheim&password=geheim",
        "postgresql://u:geheim@127.0.0.1:1/db?sslpassword=geheim",
        "postgresql:/u:geheim@127.0.0.1/db",
        "u:geheim@127.0.0.1/db",
    ],
)
def test_no_message_shows_a_password(url: str) -> None:
    pytest.importorskip("psycopg")
    pytest.importorskip("pgvector")
    with pytest.raises(StoreError) as caught:
        Store(url)
    assert "geheim" not in str(caught.value)
    assert "***" in str(caught.value)
    done = CliRunner().invoke(cli, ["search", "x", "--store", url])
    assert done.exit_code
    assert "geheim" not in done.output


def of_another(file: Path, table: str) -> str:
    with sqlite3.connect(file) as connection:
        connection.execute(f"CREATE TABLE {table} (a)")
    connection.close()
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize(("table", "migrate"), [("chunks", True), ("chunks", False), ("theirs", False)])
def test_a_database_of_others_that_is_refused_stays_as_it_is(tmp_path: Path, table: str, migrate: bool) -> None:
    file = tmp_path / "theirs.db"
    before = of_another(file, table)
    with pytest.raises(SchemaError):
        Store(file, migrate=migrate)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_read_through_its_log_again_after_it_was_copied(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    Store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    with Store(file) as store, store.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def test_a_dry_run_makes_no_tables(tmp_path: Path, shared_urls: Callable[[], str]) -> None:
    url = shared_urls()
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).touch()
    document = tmp_path / "a.md"
    document.write_text("One.")
    done = CliRunner().invoke(cli, ["ingest", str(document), "--store", url, "--dataset", "d", "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "1        0" in done.output
    with pytest.raises(SchemaError, match="has no tables"):
        Store(url, migrate=False)


def test_chunks_that_are_alike_are_cut_in_their_order(store: Store) -> None:
    """The directions are the same, so are the cosines: but databases that compute in float32 find differences."""
    vector = [((n * 37) % 101 - 50) / 7 for n in range(384)]

    def embed(texts: list[str]) -> list[list[float]]:
        return [[value * (1 + int(text) * 0.37) for value in vector] for text in texts]

    store.sync("docs", "a", [{"text": str(n)} for n in range(200)], embed)
    for k in (1, 3, 10, 100):
        assert [hit.chunk.index for hit in store.search(vector=vector, dataset="docs", k=k)] == list(range(k))


def test_vectors_made_anew_during_a_search_are_not_compared(store: Store) -> None:
    class Named:
        def __init__(self, name: str, then: Any = None) -> None:
            self.name, self.then = name, then

        def embed(self, texts: Any) -> list[list[float]]:
            if self.then is not None:
                self.then()
            return [[1.0, 2.0]] * len(texts)

    store.sync("docs", "a", [{"text": "one"}], Named("first"))
    asked = Named("first", lambda: store.reembed("docs", Named("second")))
    with pytest.raises(OtherEmbedderError, match="'second'"):
        store.search("one", dataset="docs", embedder=asked, mode="vector")


def broken(_: list[str]) -> Iterator[list[float]]:
    yield [1.0]
    raise RuntimeError("half of it")


class Odd:
    def __float__(self) -> float:
        raise ZeroDivisionError("odd")


@pytest.mark.parametrize(
    ("embed", "said"),
    [
        (broken, "half of it"),
        (lambda texts: [["1", "2"]] * len(texts), "a list of numbers"),
        (lambda texts: [[Odd()]] * len(texts), "a list of numbers"),
    ],
)
def test_embedders_that_are_broken_in_odd_ways(embed: Any, said: str) -> None:
    with Store("sqlite://") as store:
        with pytest.raises(EmbedderError, match=said):
            store.sync("docs", "a", [{"text": "one"}, {"text": "two"}], embed)
        assert not any(one.documents for one in store.datasets())


def test_an_ingest_does_not_count_the_dataset_for_each_file(tmp_path: Path, store: Store) -> None:
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"Text {number}.")
    counts: list[str] = []

    @event.listens_for(store.database.engine, "before_cursor_execute")
    def before(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if "sum(documents.chunks)" in statement:
            counts.append(statement)

    assert ingest(store, "docs", tmp_path).documents.new == 30
    assert len(counts) < 5


def to_wipe(store: Store) -> int:
    with store.database.read() as connection:
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def test_an_ingest_wipes_what_an_earlier_one_could_not(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("One.")
    with Store(tmp_path / "store.db") as store:
        ingest(store, "docs", folder)
        store.sync("docs", "b", [{"text": "Zanzibar"}])
        store.sync("docs", "b", [], wipe=False)  # as one that is killed before it wipes
    with Store(tmp_path / "store.db") as store:
        assert to_wipe(store)
        assert not ingest(store, "docs", folder).wrote
        assert not to_wipe(store)
    assert b"Zanzibar" not in b"".join(file.read_bytes() for file in tmp_path.glob("store.db*"))


@pytest.mark.parametrize("is_empty", [False, True])
def test_postgres_keeps_no_samples_of_what_was_deleted(postgres_url: str, is_empty: bool) -> None:
    """Of values that it finds by ANALYZE, by itself now and then too, a server keeps some for its planner."""
    metadata = {"who": "Zanzibar"}
    with Store(postgres_url) as store:
        chunks = [{"text": f"Zanzibar {n}", "path": ["Zanzibar"], "metadata": {"n": "Zanzibar"}} for n in range(50)]
        store.sync("docs", "Zanzibar.md", chunks, metadata=metadata, origin="Zanzibar")
        if not is_empty:
            store.sync("docs", "b.md", [{"text": f"other {n}", "metadata": {"n": n}} for n in range(50)])
        with store.database.write() as connection:
            connection.exec_driver_sql("ANALYZE")
        assert samples(store)
        store.delete("Zanzibar.md")
        assert not samples(store)


def samples(store: Store) -> list[str]:
    with store.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT pg_stats::text FROM pg_stats WHERE schemaname = current_schema()")
        return [row for row in rows.scalars() if "zanzibar" in row.lower()]


def test_a_name_makes_no_lines_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a\nError: all is lost.md").write_text("One.")
    (folder / "b\nError: more.md").write_bytes(b"\0\1\2\3" * 100)
    store = ["--store", f"sqlite:///{tmp_path / 'chunks.db'}"]
    outputs = [
        CliRunner().invoke(cli, ["ingest", str(folder), "--dataset", "d", *store]).output,
        CliRunner().invoke(cli, ["datasets", "d", *store]).output,
        CliRunner().invoke(cli, ["search", "one", *store]).output,
    ]
    assert all("Error: " in output for output in outputs)
    lines = [line for output in outputs for line in output.splitlines()]
    assert not [line for line in lines if line.startswith(("Error: all", "Error: more"))]
