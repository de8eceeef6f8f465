"""Ray Data, on a real cluster of one machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from cantle.errors import CantleError, OptionError, PluginError
from cantle_dataset import Chunker, chunk_dataset, for_ray

pytest.importorskip("ray.data", reason="Ray Data is not installed")

DOCUMENTS = pa.table(
    {
        "id": [f"d{i}" for i in range(300)],
        "text": [None if i == 7 else f"Title {i}\n\n" + "Ships wait for the tide. " * (i % 9) for i in range(300)],
        "year": [1900 + i for i in range(300)],
        "unused": ["x" * 100] * 300,
    }
)
OPTIONS: dict[str, Any] = {"max_size": 60, "keep": ["year"], "metadata": ["year"]}


def expected(strategy: Any = "recursive", **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pa.Table.from_batches([Chunker(strategy, **options)(DOCUMENTS)]).to_pylist()
    return rows


def rows(ray: Any, dataset: Any) -> list[dict[str, Any]]:
    """All rows, in the order of the documents."""
    made = [row for table in ray.get(dataset.to_arrow_refs()) for row in table.to_pylist()]
    return sorted(made, key=lambda row: (int(row["document_id"][1:]), row["index"]))


def blocks(ray: Any, size: int) -> Any:
    return ray.data.from_arrow([DOCUMENTS.slice(at, size) for at in range(0, len(DOCUMENTS), size)])


@pytest.mark.parametrize("settings", [{}, {"batch_size": 7}, {"concurrency": 1, "map_batches": {"memory": 1 << 20}}])
def test_the_chunks_are_those_of_one_call(ray_session: Any, settings: dict[str, Any]) -> None:
    made = chunk_dataset(blocks(ray_session, 110), "recursive", **settings, **OPTIONS)
    assert rows(ray_session, made) == expected(**OPTIONS)


def test_map_batches_with_our_function(ray_session: Any) -> None:
    made = blocks(ray_session, 150).map_batches(for_ray("recursive", **OPTIONS), batch_format="pyarrow")
    assert rows(ray_session, made) == expected(**OPTIONS)


def test_the_schema_is_ours_and_known_before_anything_is_cut(ray_session: Any) -> None:
    made = chunk_dataset(blocks(ray_session, 300), "recursive", **OPTIONS)
    assert made.schema().base_schema.equals(Chunker("recursive", **OPTIONS).schema_for(DOCUMENTS.schema))


def test_no_documents_give_no_chunks_with_our_columns(ray_session: Any) -> None:
    dataset = ray_session.data.from_arrow(DOCUMENTS.slice(0, 0))
    assert rows(ray_session, chunk_dataset(dataset, "recursive", **OPTIONS)) == []


def test_a_strategy_of_a_plugin_by_name(ray_session: Any) -> None:
    pytest.importorskip("cantle_example")
    made = chunk_dataset(blocks(ray_session, 100), "lines", every=2)
    assert rows(ray_session, made) == expected("lines", every=2)


def test_a_strategy_that_only_the_script_has(ray_session: Any, strategies: Any) -> None:
    made = chunk_dataset(blocks(ray_session, 100), strategies.Halves())
    assert rows(ray_session, made) == expected(strategies.Halves())


def test_a_worker_without_the_package_says_what_is_missing(
    ray_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text(
        "from dataclasses import dataclass\n"
        "from cantle import Chunk\n\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class Away:\n"
        "    name = 'away'\n\n"
        "    def split(self, source):\n"
        "        yield Chunk(source.text, 0, len(source.text))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import only_here  # type: ignore[import-not-found]

    with pytest.raises(Exception, match="cannot load the strategy 'away'") as caught:
        chunk_dataset(blocks(ray_session, 300), only_here.Away()).materialize()
    monkeypatch.delitem(sys.modules, "only_here")
    assert "No module named 'only_here'" in str(caught.value)
    assert "runtime_env=" in str(caught.value)
    assert PluginError.__name__ in str(caught.value)


def test_what_is_wrong_is_said_in_the_driver(ray_session: Any) -> None:
    dataset = blocks(ray_session, 300)
    with pytest.raises(OptionError, match="max_size"):
        chunk_dataset(dataset, "recursive", max_size=-1)
    with pytest.raises(OptionError, match=r"no column 'body'. Its columns: id, text, year, unused"):
        chunk_dataset(dataset, "recursive", text="body")
    with pytest.raises(OptionError, match="cannot be sent to the workers"):
        chunk_dataset(dataset, "recursive", length_function=Open())


def test_a_document_that_ends_its_worker_ends_the_job_after_some_tries(
    ray_session: Any, strategies: Any, tmp_path: Path
) -> None:
    tries = tmp_path / "tries"
    with pytest.raises(Exception, match=r"has ended 6 workers of Ray.*timeout=SECONDS") as caught:
        chunk_dataset(blocks(ray_session, 300), strategies.Deadly(path=str(tries))).materialize()
    assert CantleError.__name__ in str(caught.value)
    assert tries.read_text() == "x" * 6


def test_a_failed_document_is_a_row(ray_session: Any, strategies: Any) -> None:
    made = rows(ray_session, chunk_dataset(blocks(ray_session, 100), strategies.Failing(), errors="collect"))
    failed = [row for row in made if row["error"] is not None]
    assert [row["document_id"] for row in failed] == ["d13"]
    assert failed[0]["error"] == "ValueError: not this one"
    assert {row["document_id"] for row in made} == {f"d{i}" for i in range(300) if i != 7}


class Open:
    """A length function that holds an open file."""

    def __init__(self) -> None:
        self.file = sys.stderr

    def __call__(self, text: str) -> int:
        return len(text)


def test_what_kills_or_never_ends_fails_alone(ray_session: Any, strategies: Any, tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    settings: dict[str, Any] = {"errors": "collect", "timeout": 3}
    for strategy, error in (
        (strategies.Deadly(path=str(tries)), "WorkerError: "),
        (strategies.Endless(), "DocumentTimeoutError: "),
    ):
        made = rows(ray_session, chunk_dataset(blocks(ray_session, 100), strategy, **settings))
        failed = [row for row in made if row["error"] is not None]
        assert [row["document_id"] for row in failed] == ["d13"]
        assert failed[0]["error"].startswith(error)
        assert {row["document_id"] for row in made} == {f"d{i}" for i in range(300) if i != 7}
    assert tries.read_text() in ("xx", "xxxx")  # older Ray cuts the first block once more, for the schema
