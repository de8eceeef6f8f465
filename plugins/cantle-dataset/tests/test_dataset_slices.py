"""What engines stand on, without any of them."""

from __future__ import annotations

import pickle
import socket
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.errors import MissingDependencyError, OptionError, PluginError
from cantle_dataset import BatchTooLargeError, Chunker, chunk_dask, chunk_dataframe, chunk_dataset, chunk_relation
from cantle_dataset.engines import addresses, carried, slices
from cantle_dataset.errors import DatasetError


@given(st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 200 << 20)), max_size=30))
def test_tasks_hold_all_rows_in_order(stretches: list[tuple[int, int]]) -> None:
    borders = slices._by_bytes(stretches)
    assert borders[0] == 0
    assert borders[-1] == sum(rows for rows, _ in stretches)
    assert borders == sorted(borders)
    assert len(set(borders)) == len(borders) or borders == [0, 0]


def test_tasks_are_of_about_one_size() -> None:
    assert slices._by_bytes([(1000, 80 << 20)]) == [i * 100 for i in range(11)]
    assert slices._by_bytes([(10, 1 << 20)] * 32) == [0, 80, 160, 240, 320]
    huge = [(1, 1 << 10)] * 1000 + [(1, 1 << 30)] + [(1, 1 << 10)] * 1000
    assert slices._by_bytes(huge) == [0, 1000, 2001]
    assert len(slices._by_bytes([(1000, 1 << 30)] * 4096)) == 4096 * 4 + 1
    assert slices._by_bytes([]) == [0, 0]
    assert slices._by_bytes([(5, 0)]) == [0, 5]


def test_a_batch_is_cut_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "PIECE_BYTES", 100)
    table = pa.table({"id": [str(i) for i in range(50)], "text": ["sea " * (i % 30) for i in range(50)]})
    chunker = Chunker("recursive", max_size=20)
    made = list(carried.chunked(chunker, table))
    assert len(made) > 20
    assert pa.Table.from_batches(made).to_pylist() == chunker(table).to_pylist()
    assert [batch.num_rows for batch in carried.chunked(chunker, table.slice(0, 0))] == [0]


def test_chunks_that_do_not_fit_come_in_smaller_batches() -> None:
    class Small:
        text = "text"

        def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
            if batch.num_rows > 3:
                raise BatchTooLargeError("too large")
            return batch

    batch = pa.RecordBatch.from_pydict({"text": [str(i) for i in range(13)]})
    made: Any = list(carried.chunked(Small(), batch))  # type: ignore[arg-type]
    assert pa.Table.from_batches(made).column("text").to_pylist() == [str(i) for i in range(13)]
    with pytest.raises(BatchTooLargeError):
        list(carried.chunked(type("None_", (Small,), {"__call__": _never})(), batch))


def _never(self: Any, batch: Any) -> Any:
    raise BatchTooLargeError("too large")


def test_a_chunker_is_loaded_once_and_what_is_missing_is_named() -> None:
    data = carried.carry(Chunker("recursive"), pickle.dumps)
    assert carried.loaded(data, "recursive", "") is carried.loaded(data, "recursive", "")
    away = data.replace(b"cantle.strategies.recursive", b"cantle.strategies.rEcursive")
    with pytest.raises(PluginError, match=r"cannot load the strategy 'recursive' .*: .*rEcursive.* Do this\."):
        carried.loaded(away, "recursive", "Do this.")
    with pytest.raises(OptionError, match=r"cannot be sent to the workers: .*lambda"):
        carried.carry(Chunker("recursive", length_function=lambda text: len(text)), pickle.dumps)


def test_addresses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        addresses.check(f"127.0.0.1:{port}", "Ray", ("",))
        addresses.check(f"sc://127.0.0.1:{port}/;use_ssl=false", "Spark", ("sc",))
        addresses.check("sc://127.0.0.1", "Spark", ("sc",), port)
    for said_nothing in ("auto", "local[2]", "yarn", "k8s://https://127.0.0.1:1", "spark://127.0.0.1:1,127.0.0.1:2"):
        addresses.check(said_nothing, "Spark", ("", "spark"))
    for address in (f"127.0.0.1:{port}", f"[::1]:{port}"):
        with pytest.raises(DatasetError, match=r"There is no Ray at '.*Check --address"):
            addresses.check(address, "Ray", ("",))


@pytest.mark.parametrize(
    ("function", "module", "extra"),
    [
        (chunk_dataset, "ray", "ray"),
        (chunk_dataframe, "pyspark", "spark"),
        (chunk_dask, "dask", "dask"),
        (lambda relation, strategy: chunk_relation(None, relation, strategy), "duckdb", "duckdb"),  # type: ignore[arg-type]
    ],
    ids=["ray", "spark", "dask", "duckdb"],
)
def test_an_engine_that_is_not_installed(
    function: Any, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"pip install 'cantle-dataset\[{extra}\]'"):
        function(None, "recursive")
