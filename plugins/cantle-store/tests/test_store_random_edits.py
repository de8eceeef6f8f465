"""Random edits: a store equals a fresh ingest of what it should hold, and no text is embedded twice."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle_store import Store

EXAMPLES = int(os.environ.get("CANTLE_STORE_TEST_EXAMPLES", "12"))
"""Sequences of edits, for each database."""

TEXTS = ["Leave is thirty days.", "Trips are booked.", "É café\x00", "\udc80 odd \x1a0000", "same", "Same", "x" * 300]
WORDS = st.lists(st.sampled_from(TEXTS), max_size=8)
VALUES = st.one_of(st.sampled_from([None, True, 1, 1.0, "1", "hr", float("nan"), ["hr", "it"], {"a": [1]}, "\x00"]))
METADATA = st.dictionaries(st.sampled_from(["dept", "own", "É"]), VALUES, max_size=2)


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Edits as instructions, which change what is there: so most of a document stays as it was."""
    some = st.one_of(
        st.tuples(st.just("put"), PLACES, WORDS, METADATA, METADATA),
        st.tuples(st.just("insert"), PLACES, st.integers(0, 8), st.sampled_from(TEXTS)),
        st.tuples(st.just("remove"), PLACES, st.integers(0, 8)),
        st.tuples(st.just("double"), PLACES, st.integers(0, 8)),
        st.tuples(st.just("move"), PLACES, st.integers(0, 8), st.integers(0, 8)),
        st.tuples(st.just("metadata"), PLACES, METADATA),
        st.tuples(st.just("rename"), PLACES, PLACES),
        st.tuples(st.just("cut"), PLACES, st.sampled_from([20, 40, 1000])),
        st.tuples(st.just("delete"), PLACES),
        st.tuples(st.just("again"), PLACES),
    )
    return draw(st.lists(some, min_size=1, max_size=12))


PLACES = st.tuples(st.sampled_from(["docs", "other"]), st.sampled_from(["a.md", "", "\udcff"]))
BODY = "# One\n\nLeave is thirty days. Trips are booked.\n\n# Two\n\nBadges are lost. Badges are found again.\n"


def changed(state: Any, step: tuple[Any, ...], edits: Any) -> list[Any]:
    """The edits of a step: none where there is nothing to change."""
    kind, (dataset, source), *more = step
    now = state.get((dataset, source))
    if kind == "put":
        words, of_document, of_chunks = more
        chunks = [{"text": one, "metadata": of_chunks} for one in words]
        return [edits.Edit(dataset, source, chunks, of_document)]
    if kind == "cut":
        chunks = MDocument.from_markdown(BODY, source="x").chunk(max_size=more[0], overlap=0).to_dicts()
        return [edits.Edit(dataset, source, chunks, {})]
    if kind == "delete":
        return [edits.Edit(dataset, source, None, {})]
    if now is None:
        return []
    chunks = list(now.chunks)
    if kind == "insert":
        chunks.insert(more[0], {"text": more[1]})
    elif kind == "remove":
        del chunks[more[0] : more[0] + 1]
    elif kind == "double":
        chunks += chunks[more[0] : more[0] + 1]
    elif kind == "move":
        taken = chunks[more[0] : more[0] + 1]
        del chunks[more[0] : more[0] + 1]
        chunks[more[1] : more[1]] = taken
    elif kind == "rename":
        return [now._replace(dataset=more[0][0], source=more[0][1])]
    metadata = more[0] if kind == "metadata" else now.metadata
    return [now._replace(chunks=chunks, metadata=metadata)]


def test_a_store_equals_a_fresh_ingest(
    shared_urls: Callable[[], str],
    snapshot: Callable[..., Any],
    fresh: Callable[..., Any],
    edits: Any,
) -> None:
    url = shared_urls()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(steps())
    def run(given_steps: list[tuple[Any, ...]]) -> None:
        state: Any = {}
        ever: dict[str, Any] = {}
        with Store(url) as store:
            for dataset in store.datasets():
                store.delete_dataset(dataset)
            for step in given_steps:
                for one in changed(state, step, edits):
                    there = (
                        {chunk.text for chunk in store.chunks(one.dataset)} if dataset_is_there(store, one) else set()
                    )
                    counting = edits.Counting()
                    done = edits.do(store, one, counting)
                    if one.chunks is not None:
                        texts = {chunk["text"] for chunk in one.chunks}
                        assert sorted(counting.asked) == sorted(texts - there)
                        assert done.new + done.changed + done.kept == len(one.chunks)
                        if one.chunks:
                            ever.setdefault(one.dataset, one)
                        else:
                            ever.setdefault(f"{one.dataset} empty", one)
                        again = edits.do(store, one, counting)
                        assert (again.wrote, again.embedded) == (False, 0)
                    state = edits.after(state, one)
            assert without_hosts(snapshot(store)) == without_hosts(fresh(state, ever.values()))

    run()


def dataset_is_there(store: Store, one: Any) -> bool:
    return one.dataset in {dataset.name for dataset in store.datasets()}


def without_hosts(found: dict[str, Any]) -> dict[str, Any]:
    return {name: rows for name, rows in found.items() if name not in ("hosts", "avatars")}
