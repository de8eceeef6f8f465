"""Opening a store: URLs, migrations, and what goes wrong with databases."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from cantle_store import SchemaError, Store, StoreError
from cantle_store.database import migrating
from cantle_store.tables import Base


def test_the_models_and_the_migrations_agree(store: Store) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    ours = set(Base.metadata.tables)

    def include(item: Any, name: str | None, kind: str, reflected: bool, to: Any) -> bool:
        return name in ours if kind == "table" else True  # those of the words are none of the models

    with store.database.read() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": include, "compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    scripts: ScriptDirectory = migrating._scripts()
    assert scripts.get_heads() == [migrating.SCHEMA]


def test_opening_says_nothing_and_changes_no_logging(
    store_url: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    levels = {name: logging.getLogger(name).level for name in ("", "alembic", "sqlalchemy")}
    with caplog.at_level(logging.WARNING), Store(store_url):
        pass
    assert {name: logging.getLogger(name).level for name in levels} == levels
    assert (*capfd.readouterr(), caplog.records) == ("", "", [])


def test_a_store_is_opened_again_with_what_it_holds(shared_urls: Callable[[], str]) -> None:
    url = shared_urls()
    with Store(url) as store:
        store.sync("docs", "a", [{"text": "one"}])
    for migrate in (True, False):
        with Store(url, migrate=migrate) as store:
            assert [chunk.text for chunk in store.chunks("docs")] == ["one"]
    store.close()  # twice is once
    with pytest.raises(StoreError, match="is closed"):
        store.datasets()


def test_migrate_false_makes_nothing(shared_urls: Callable[[], str], tmp_path: Path) -> None:
    url = shared_urls()
    what = r"has no tables of a store, or older ones, and migrate is False. Open it once with migrate=True"
    if url.startswith("sqlite"):
        with pytest.raises(StoreError, match="cannot be opened"):
            Store(url, migrate=False)
        assert list(tmp_path.iterdir()) == []
        (tmp_path / "store1.db").touch()
    with pytest.raises(SchemaError, match=what):
        Store(url, migrate=False)


def test_a_newer_schema_is_refused(shared_urls: Callable[[], str]) -> None:
    url = shared_urls()
    with Store(url) as store, store.database.write() as connection:
        connection.execute(text("UPDATE cantle_store_version SET version_num = '9999'"))
    for migrate in (True, False):
        with pytest.raises(
            SchemaError, match=r"the schema '9999', which this version .* Install the version that made"
        ):
            Store(url, migrate=migrate)


def build_0001(connection: Any) -> None:
    """The first schema, as the version that made it did: what later versions have to migrate from."""
    from alembic import command

    config = migrating._config()
    config.attributes["connection"] = connection
    config.attributes["version_table"] = migrating.VERSION_TABLE
    command.upgrade(config, "0001")


def test_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    from cantle_store.database.database import Database

    with pytest.raises(SchemaError):
        Database(f"sqlite:///{tmp_path / 'store.db?mode=rwc'}", migrate=False)
    database = Database.__new__(Database)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_bring_up", lambda self, migrate: None)
        database.__init__(tmp_path / "store.db")  # type: ignore[misc]
    with database.write() as connection:
        build_0001(connection)
    database.close()
    with Store(tmp_path / "store.db") as store:
        assert store.sync("docs", "a", [{"text": "one"}]).new == 1


def test_tables_of_others_are_left_alone(shared_urls: Callable[[], str]) -> None:
    url = shared_urls()
    with Store(url) as store, store.database.write() as connection:  # a way to a connection
        for table in ("chunk_terms", *reversed(Base.metadata.sorted_tables), "cantle_store_version"):
            connection.execute(text(f"DROP TABLE {table}"))
        connection.execute(text("CREATE TABLE alembic_version (version_num TEXT)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
        connection.execute(text("CREATE TABLE documents (title TEXT)"))
    with pytest.raises(SchemaError, match="has a table 'documents' already, which is not ours"):
        Store(url)
    with pytest.raises(SchemaError, match="has a table 'documents' already, which is not ours"):
        Store(url, migrate=False)
    if url.startswith("postgres"):
        import psycopg

        with psycopg.connect(url, autocommit=True) as theirs:
            theirs.execute("ALTER TABLE documents RENAME TO theirs")
    else:
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as theirs, theirs:
            theirs.execute("ALTER TABLE documents RENAME TO theirs")
    with Store(url) as store:
        store.sync("docs", "a", [{"text": "one"}])
        with store.database.read() as connection:
            assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == ["theirs"]
            assert connection.execute(text("SELECT count(*) FROM theirs")).scalar_one() == 0


OPENING = """
import sys
from cantle_store import Store
sys.stdin.read(1)
with Store(sys.argv[1], host=sys.argv[2]) as store:
    store.sync("docs", "a", [{"text": "one"}])
    print(len(list(store.chunks("docs"))))
"""


def test_several_processes_open_an_empty_database_at_once(shared_urls: Callable[[], str]) -> None:
    url = shared_urls()
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", OPENING, url, f"host{number % 2}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(4)
    ]  # fmt: skip
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("x")
        program.stdin.flush()
    answers = [program.communicate() for program in programs]
    assert [out.strip() for out, _ in answers] == ["1"] * 4, answers
    with Store(url, host="host0") as store:
        assert (len(store.avatars()), len(store.datasets()), len(list(store.chunks("docs")))) == (1, 1, 1)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (3, "A store is named by .*, got 3"),
        ("chunks.db", "'chunks.db' is no URL; for a file write 'sqlite:///chunks.db'"),
        ("", "'' is no URL"),
        ("mysql://host/db", "A store is in 'sqlite' or 'postgresql', got 'mysql'"),
        ("postgresql+asyncpg://host/db", r"got 'postgresql\+asyncpg'"),
        ("sqlite://chunks.db", "three slashes for a relative path .'sqlite:///chunks.db'.*four for an absolute"),
        ("sqlite:///no/such/place/x.db", "no/such/place is no directory, so x.db cannot be there. Make the directory"),
        ("sqlite:///x.db?mode=w", "mode is one of ro, rw, rwc .*, got mode='w'"),
        ("sqlite:///x.db?cache=shared", "takes the parameters mode and immutable, got 'cache'"),
        ("sqlite://?mode=ro", "A store in memory .* takes no parameters"),
        ("postgresql://ann:p@ss/word@host/db", r"cannot be read.*@ : / \? # % are written as %40 %3A"),
        ("postgresql://ann:p/ss/word@host/db", r"cannot be read"),
        ("postgresql://ann:p?ss/word@host/db", r"cannot be read"),
        ("postgresql://ann:pss%2Fword@host:port/db", r"cannot be read"),
    ],
)
def test_what_names_no_database_is_refused(url: Any, message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=message) as caught:
        Store(url)
    assert "ss/word" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_forms_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    odd = "odd ?#%41é.db"
    places = [
        "sqlite:///a.db",
        f"sqlite:///{tmp_path}/b.db",
        "sqlite:///~/c.db",
        Path("d.db"),
        "sqlite+pysqlite:///e.db",
        Path(odd),
    ]
    for place in places:
        with Store(place) as store:
            store.sync("docs", "a", [{"text": "one"}])
            monkeypatch.chdir("/")  # where the store is was settled when it was opened
            assert len(list(store.chunks("docs"))) == 1
            monkeypatch.chdir(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.db", "b.db", "c.db", "d.db", "e.db", odd])
    with pytest.raises(StoreError, match=f"{tmp_path} is a directory. Name a file in it, such as"):
        Store(tmp_path)
    with pytest.raises(StoreError, match="NUL"):
        Store(Path("a\0b"))


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann, " * 1000)
    with pytest.raises(StoreError, match=r"letter.txt: this is no file of SQLite. Name another file"):
        Store(path)
    assert path.read_text() == "Dear Ann, " * 1000


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store(path) as store:
        store.sync("docs", "a", [{"text": f"text {n} " * 200} for n in range(50)])
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"store.db: the file is damaged. Take a backup"), Store(path) as store:
        list(store.chunks("docs"))


def test_a_file_for_reading_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store(path) as store:
        store.sync("docs", "a", [{"text": "one"}])
    for url in (f"sqlite:///{path}?mode=ro", f"sqlite:///{path}?mode=ro&immutable=1"):
        with Store(url) as store:
            assert [chunk.text for chunk in store.chunks("docs")] == ["one"]
            assert store.search("one")
            assert not store.sync("docs", "a", [{"text": "one"}]).wrote
            with pytest.raises(
                StoreError, match="it can only be read: the file, or its directory, may not be written to"
            ):
                store.sync("docs", "a", [{"text": "two"}])
    with Store(path) as store:
        assert [chunk.text for chunk in store.chunks("docs")] == ["one"]


READING = """
import os, sys
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
from cantle_store import Store, StoreError
with Store(sys.argv[1]) as store:
    print([chunk.text for chunk in store.chunks("docs")])
    try:
        store.sync("docs", "b", [{"text": "two"}])
    except StoreError as error:
        print(error)
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights are another thing here")
@pytest.mark.parametrize("directory_mode", [0o755, 0o555])
def test_a_file_that_may_not_be_written_to(tmp_path_factory: Any, directory_mode: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="cantle-") as name:
        directory = Path(name) / "stores"
        directory.mkdir()
        path = directory / "store.db"
        with Store(path) as store:
            store.sync("docs", "a", [{"text": "one"}])
        path.chmod(0o444)
        Path(name).chmod(0o755)
        directory.chmod(directory_mode)
        done = subprocess.run(
            [sys.executable, "-c", READING, f"sqlite:///{path}"], capture_output=True, text=True, check=False
        )
        directory.chmod(0o755)
    if done.returncode and "ModuleNotFoundError" in done.stderr:
        pytest.skip("another user may not read the packages")
    assert done.stdout.startswith("['one']\n"), done.stderr
    assert "it can only be read" in done.stdout


def test_a_directory_that_may_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(tmp_path / "store.db") as store:
        store.sync("docs", "a", [{"text": "one"}])
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # as it is for who is not root
    with Store(tmp_path / "store.db") as store:
        assert [chunk.text for chunk in store.chunks("docs")] == ["one"]
        assert [file.name for file in tmp_path.iterdir()] == ["store.db"]  # nothing is written beside it
        with pytest.raises(StoreError, match="it can only be read"):
            store.sync("docs", "a", [{"text": "two"}])


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        store.sync("docs", "a", [{"text": "one"}])
        with store.database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(StoreError, match=r"store.db: the disk is full. Nothing was written; make room"):
            store.sync("docs", "b", [{"text": "two " * 50_000}])
        assert [one.source for one in store.documents("docs")] == ["a"]


def test_a_writer_that_never_ends_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle_store.database import sqlite

    monkeypatch.setattr(sqlite, "WAIT", 0.2)
    with Store(tmp_path / "store.db") as store:
        # By the same library: two in one process do not see each other's locks.
        with closing(sqlite._module().connect(tmp_path / "store.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match=r"others were writing all the time. Try again"):
                store.sync("docs", "a", [{"text": "one"}])
        assert store.sync("docs", "a", [{"text": "one"}]).new == 1


def test_postgres_that_is_not_there_is_told_without_the_password(postgres_server: str) -> None:
    from sqlalchemy import make_url

    url = make_url(postgres_server)
    for wrong, message in [
        (url.set(database="no_such_database"), "there is no such database. Make it with createdb"),
        (url.set(username="nobody_here"), "this user may not log in"),
        (url.set(host="127.0.0.1", port=1, query={}, password="sesame"), "the server cannot be reached. Look at host"),
        (url.set(host="no.such.host.invalid", query={}, password="sesame"), "the server cannot be reached"),
    ]:
        with pytest.raises(StoreError, match=message) as caught:
            Store(wrong.render_as_string(hide_password=False))
        assert "sesame" not in str(caught.value)


def test_the_three_schemes_of_postgres(postgres_url: str) -> None:
    rest = postgres_url.partition("://")[2]
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        with Store(f"{scheme}://{rest}") as store:
            assert store.datasets() == []
            assert repr(store).startswith("Store('postgresql://")


def test_a_user_without_rights_is_told_what_to_ask_for(postgres_admin: Any, postgres_server: str) -> None:
    from sqlalchemy import make_url

    name = f"cantle_plain_{os.getpid()}"
    postgres_admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'sesame'")
    postgres_admin.execute(f"CREATE DATABASE {name} OWNER {name}")
    try:
        url = make_url(postgres_server).set(username=name, password="sesame", database=name)
        plain = url.render_as_string(hide_password=False)
        with pytest.raises(
            StoreError, match=r"lacks the extension pgvector .*Have a superuser run CREATE EXTENSION"
        ) as caught:
            Store(plain)
        assert "sesame" not in str(caught.value)
        import psycopg

        admin = make_url(postgres_server).set(database=name, drivername="postgresql")
        with psycopg.connect(admin.render_as_string(hide_password=False), autocommit=True) as there:
            there.execute("CREATE EXTENSION vector")
        with Store(plain) as store:
            assert store.sync("docs", "a", [{"text": "one"}]).new == 1
            assert store.delete("a").chunks == 1
    finally:
        postgres_admin.execute(f"DROP DATABASE IF EXISTS {name}")
        postgres_admin.execute(f"DROP ROLE {name}")
