"""Deleting leaves no trace: not in a table, not in an index, not in the bytes of the files."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from cantle_store import Deleted, NotFoundError, Store, StoreError


def secret(number: int) -> str:
    """A word that is nowhere else."""
    return f"zq{hashlib.sha256(f'secret {number}'.encode()).hexdigest()[:24]}"


class Words:
    """A document whose text, metadata and source are words of its own."""

    def __init__(self, numbers: Iterator[int], chunks: int) -> None:
        self.source = f"{secret(next(numbers))}.md"
        self.meta, self.of_chunk, self.origin = secret(next(numbers)), secret(next(numbers)), secret(next(numbers))
        self.texts = [" ".join(secret(next(numbers)) for _ in range(1 + n % 40)) for n in range(chunks)]

    def chunks(self) -> list[dict[str, Any]]:
        return [{"text": one, "metadata": {"own": self.of_chunk}} for one in self.texts]

    def sync(self, store: Store, dataset: str, embedder: Any) -> None:
        store.sync(dataset, self.source, self.chunks(), embedder, metadata={"dept": self.meta}, origin=self.origin)

    @property
    def traces(self) -> set[bytes]:
        """The words, without their first letters, which an index of words may have cut off."""
        words = {self.source[:-3], self.meta, self.of_chunk, self.origin, *" ".join(self.texts).split()}
        return {word.encode()[6:22] for word in words}


def numbers() -> Iterator[int]:
    count = 0
    while True:
        count += 1
        yield count


def found_in(traces: set[bytes], data: bytes) -> set[bytes]:
    """Which of the traces (16 hexadecimal digits) are in the data."""
    import re

    there = set()
    for run in re.findall(rb"[0-9a-f]{16,}", data):
        there |= {run[at : at + 16] for at in range(len(run) - 15)}
    return traces & there


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


@pytest.fixture(params=["sqlite-vec", "sqlite-numpy"])
def store_file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    import sqlite3

    from cantle_store.database import sqlite

    if request.param == "sqlite-numpy":
        monkeypatch.setattr(sqlite, "_module", lambda: sqlite3)
        monkeypatch.setattr(sqlite, "_load_extension", lambda connection: False)
    return tmp_path / "store.db"


def test_delete_erases_a_document_everywhere(store: Store, counting: Any, snapshot: Callable[..., Any]) -> None:
    count = numbers()
    mine, kept = Words(count, 30), Words(count, 30)
    kept.sync(store, "docs", counting)
    kept.sync(store, "other", counting)
    kept.sync(store.for_host("guest"), "docs", counting)
    before = snapshot(store)
    mine.sync(store, "docs", counting)
    mine.sync(store, "other", counting)
    assert store.delete(mine.source) == Deleted(2, 60)
    assert snapshot(store) == before
    assert store.delete(mine.source) == Deleted(0, 0)
    assert store.delete("nobody.md") == Deleted(0, 0)
    assert store.delete("nobody.md", dataset="docs") == Deleted(0, 0)
    with pytest.raises(NotFoundError, match=r"There is no dataset 'nothing'. Known: 'docs', 'other'."):
        store.delete(mine.source, dataset="nothing")
    assert [one.name for one in store.datasets()] == ["docs", "other"]
    assert store.delete(kept.source, dataset="docs") == Deleted(1, 30)
    assert [one.chunks for one in store.datasets()] == [0, 30]


def test_delete_dataset_erases_it(store: Store, counting: Any, snapshot: Callable[..., Any]) -> None:
    count = numbers()
    Words(count, 5).sync(store, "docs", counting)
    before = snapshot(store)
    Words(count, 700).sync(store, "gone", counting)
    Words(count, 7).sync(store, "gone", counting)
    assert store.delete_dataset(store.dataset("gone")) == Deleted(2, 707)
    assert snapshot(store) == before
    with pytest.raises(NotFoundError):
        store.delete_dataset("gone")


@pytest.mark.parametrize("seed", range(3))
def test_no_byte_of_what_is_deleted_is_left_in_the_file(store_file: Path, counting: Any, seed: int) -> None:
    chance, count = random.Random(seed), numbers()
    live: list[Words] = []
    gone: set[bytes] = set()
    vectors: list[list[float]] = []
    with Store(store_file) as store:
        for _ in range(4):
            for _ in range(chance.randint(1, 6)):
                live.append(Words(count, chance.randint(1, 60)))
                live[-1].sync(store, "docs", counting)
            for one in chance.sample(live, len(live) // 2):
                vectors += [chunk.embedding or [] for chunk in store.chunks("docs", one.source)]
                store.delete(one.source)
                live.remove(one)
                gone |= one.traces
        data = bytes_of(store_file)  # while the store is open: its log and index too
        assert found_in({trace for one in live for trace in one.traces}, data)  # so traces can be found at all
        assert found_in(gone, data) == set()
        assert [vector for vector in vectors if struct.pack("<8f", *vector) in data] == []
    assert found_in(gone, bytes_of(store_file)) == set()


def test_what_a_sync_takes_away_is_not_left_either(store_file: Path, counting: Any) -> None:
    count = numbers()
    with Store(store_file) as store:
        keeps = Words(count, 50)
        keeps.sync(store, "docs", counting)
        mine = Words(count, 50)
        mine.sync(store, "docs", counting)
        old = mine.traces - {mine.source.encode()[6:22]}
        fresh = Words(count, 20)
        fresh.source = mine.source
        fresh.sync(store, "docs", counting)
        assert found_in(old, bytes_of(store_file)) == set()
        old = {fresh.meta.encode()[6:22], fresh.of_chunk.encode()[6:22], fresh.origin.encode()[6:22]}
        fresh.meta, fresh.of_chunk, fresh.origin = "hr", "x", ""  # the text stays, the metadata go
        fresh.sync(store, "docs", counting)
        assert found_in(old, bytes_of(store_file)) == set()
        old = fresh.traces
        store.sync("docs", fresh.source, [], wipe=False)
        store.delete("nobody.md")  # whatever deletes next wipes what was left
        assert found_in(old - {fresh.source.encode()[6:22], b"", b"x"}, bytes_of(store_file)) == set()
        store.delete_dataset("docs")
        assert found_in(keeps.traces | mine.traces, bytes_of(store_file)) == set()


def test_wipe_waits_for_no_writer_and_says_when_a_reader_is_in_the_way(
    tmp_path: Path, counting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cantle_store.database import sqlite

    monkeypatch.setattr(sqlite, "WAIT", 0.2)
    with Store(tmp_path / "store.db") as store, Store(tmp_path / "store.db") as other:
        mine = Words(numbers(), 10)
        mine.sync(store, "docs", counting)
        with other.database.read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM chunks").scalar_one() == 10
            assert store.delete(mine.source).unwiped
            assert store.wipe() is False
        assert store.wipe() is True
        assert found_in(mine.traces, bytes_of(tmp_path / "store.db")) == set()
        mine.sync(store, "docs", counting)
        with (  # a writer in the way is an error, and nothing is deleted
            ThreadPoolExecutor(1) as pool,
            other.database.write(),
            pytest.raises(StoreError, match="others were writing all the time"),
        ):
            pool.submit(store.delete, mine.source).result()
        deleted = store.delete(mine.source)
        assert (deleted.chunks, deleted.unwiped) == (10, False)
        assert found_in(mine.traces, bytes_of(tmp_path / "store.db")) == set()


def test_forget_says_when_a_reader_is_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from cantle_store.commands.forget import command
    from cantle_store.database import sqlite

    monkeypatch.setattr(sqlite, "WAIT", 0.2)
    where = ["--store", f"sqlite:///{tmp_path / 'store.db'}"]
    with Store(tmp_path / "store.db") as store:
        store.sync("docs", "a.txt", [{"text": "Zwieselchen"}])
        with store.database.read() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM chunks").scalar_one() == 1
            result = CliRunner().invoke(command, ["a.txt", *where])
    assert result.exit_code == 1
    assert "1 document and 1 chunk erased." in result.stdout
    assert "Run this again when it has ended." in result.stderr
    assert CliRunner().invoke(command, ["a.txt", *where]).exit_code == 1  # it is not there, but what was left is wiped
    assert b"wieselchen" not in bytes_of(tmp_path / "store.db")


def test_postgres_has_no_row_left_and_wipe_none_in_its_files(
    postgres_url: str, postgres_admin: Any, counting: Any
) -> None:
    count = numbers()
    directory = Path(postgres_admin.execute("SHOW data_directory").fetchone()[0])
    with Store(postgres_url) as store:
        kept, mine = Words(count, 40), Words(count, 40)
        kept.sync(store, "docs", counting)
        mine.sync(store, "docs", counting)
        store.delete(mine.source)
        with store.database.read() as connection:
            names = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
            for table in connection.execute(text(names)).scalars().all():
                rows = connection.execute(text(f"SELECT t::text FROM {table} t")).scalars().all()
                assert found_in(mine.traces, "\n".join(rows).encode()) == set()
            dead = "SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = current_schema()"
            assert connection.execute(text(dead)).scalar_one() == 0
        assert store.wipe(full=True)
        if not directory.is_dir():
            pytest.skip("the files of the server are elsewhere")
        postgres_admin.execute("CHECKPOINT")
        with store.database.read() as connection:
            # Tables, their indexes, and what they keep apart since it is long.
            files = """
                WITH mine AS (
                    SELECT oid, reltoastrelid FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                ) SELECT pg_relation_filepath(oid) FROM mine
                UNION SELECT pg_relation_filepath(reltoastrelid) FROM mine WHERE reltoastrelid <> 0
            """
            paths = [path for path in connection.execute(text(files)).scalars() if path]
        data = b"".join((directory / path).read_bytes() for path in paths if (directory / path).exists())
        assert found_in(kept.traces, data)
        assert found_in(mine.traces, data) == set()
