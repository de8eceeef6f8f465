"""Documents of datasets, and their chunks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from cantle.commands import snake_case
from cantle.errors import OptionError

from ..auth import Caller, caller
from ..errors import Problem
from ..jobs.documents import chunks_of
from ..persisting import check_embedder, find_dataset
from .cursors import read_cursor, write_cursor
from .json_body import JsonRoute, answer
from .store_models import (
    ChunksShown,
    DeletedShown,
    DocumentAsked,
    DocumentsShown,
    SyncedShown,
    of_chunk,
    of_document,
)
from .tenant import FORBIDDEN, NO_STORE, in_thread, need_trusted, tenant_store

__all__ = ["router"]

router = APIRouter(tags=["store"], route_class=JsonRoute)

Who = Annotated[Caller, Depends(caller)]
Source = Annotated[str, Query(min_length=1, max_length=1000, description="The name of the document.")]
Cursor = Annotated[str | None, Query(max_length=10_000, description="Where to go on: nextCursor of the last answer.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]


@router.get(
    "/v1/datasets/{dataset_id}/documents",
    summary="The documents of a dataset",
    response_model=None,
    responses={200: {"model": DocumentsShown}, **FORBIDDEN, **NO_STORE},
)
async def documents(request: Request, dataset_id: str, who: Who, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """The documents of a dataset, by source."""
    need_trusted(who)
    store, after = tenant_store(request, who), read_cursor(cursor, str)

    def page() -> dict[str, Any]:
        found = store.documents(find_dataset(store, dataset_id))
        if after is not None:
            found = [one for one in found if one.source > after[0]]
        shown = sorted(found, key=lambda one: one.source)[:limit]
        following = write_cursor(shown[-1].source) if len(found) > limit else None
        return {"documents": [of_document(one) for one in shown], "nextCursor": following}

    return answer(await in_thread(page))


@router.post(
    "/v1/datasets/{dataset_id}/documents",
    summary="Cut a text and keep its chunks",
    response_model=None,
    responses={
        200: {"model": SyncedShown},
        409: {"description": "The dataset has vectors of another embedder."},
        502: {"description": "The embedder failed."},
        **FORBIDDEN,
        **NO_STORE,
    },
)
async def put_document(request: Request, dataset_id: str, asked: DocumentAsked, who: Who) -> Response:
    """Bring a document of a dataset up to date: cut the text, embed and write what changed, delete what is gone.

    The same text again writes nothing and asks the embedder nothing. All of it is one transaction.
    """
    need_trusted(who)
    state, store = request.app.state, tenant_store(request, who)
    most = state.settings.max_characters
    if len(asked.text) > most:
        raise Problem(
            413,
            "too_many_characters",
            f"The text has {len(asked.text):,} characters, and this server takes {most:,} at most.",
            limit=most,
        )
    dataset = await in_thread(find_dataset, store, dataset_id)
    check_embedder(store, dataset)
    metadata = asked.metadata or {}
    chunks = await state.workers.run(
        chunks_of, asked.text, asked.kind, asked.source, metadata, asked.strategy, _options(asked.options)
    )
    request.state.record.facts |= {"characters": len(asked.text), "chunks": len(chunks)}

    def sync() -> dict[str, Any]:
        synced = store.sync(dataset, asked.source, chunks, metadata=metadata, wipe=False)
        if synced.unwiped:
            state.wiping.later()
        state.metrics.synced(synced)
        return {
            "datasetId": dataset.id,
            "source": asked.source,
            "new": synced.new,
            "changed": synced.changed,
            "kept": synced.kept,
            "gone": synced.gone,
            "embedded": synced.embedded,
            "chunkIds": list(synced.chunk_ids),
        }

    async with state.limits.jobs:
        return answer(await in_thread(sync))


def _options(given: dict[str, Any] | None) -> dict[str, Any]:
    options: dict[str, Any] = snake_case(given or {})
    for name in ("strategy", "extract", "plugins", "metadata"):
        if name in options:
            raise OptionError(f"options has {name!r}, which is no option of a strategy.")
    return options


@router.delete(
    "/v1/datasets/{dataset_id}/documents",
    summary="Delete a document",
    response_model=None,
    responses={200: {"model": DeletedShown}, **FORBIDDEN, **NO_STORE},
)
async def delete_document(request: Request, dataset_id: str, source: Source, who: Who) -> Response:
    """Erase every trace of a document in a dataset: chunks, vectors, words, metadata. 404 where there is none."""
    need_trusted(who)
    store = tenant_store(request, who)

    def delete() -> dict[str, int]:
        return _gone(store.delete(source, dataset=find_dataset(store, dataset_id)))

    return answer(await in_thread(delete))


@router.delete(
    "/v1/documents",
    summary="Delete a document in all datasets",
    response_model=None,
    responses={200: {"model": DeletedShown}, **FORBIDDEN, **NO_STORE},
)
async def forget_document(request: Request, source: Source, who: Who) -> Response:
    """Erase every trace of a document in all datasets of the host. 404 where there is none."""
    need_trusted(who)
    store = tenant_store(request, who)
    return answer(await in_thread(lambda: _gone(store.delete(source))))


def _gone(deleted: Any) -> dict[str, int]:
    if not deleted.documents:
        raise Problem(404, "not_found", "There is no such document.")
    return {"documents": deleted.documents, "chunks": deleted.chunks}


@router.get(
    "/v1/datasets/{dataset_id}/chunks",
    summary="The chunks of a dataset",
    response_model=None,
    responses={200: {"model": ChunksShown}, **FORBIDDEN, **NO_STORE},
)
async def chunks(
    request: Request,
    dataset_id: str,
    who: Who,
    source: Annotated[str | None, Query(max_length=1000, description="Only those of this document.")] = None,
    embeddings: Annotated[bool, Query(description="With their vectors.")] = False,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """The chunks of a dataset, or of one of its documents, by source and index."""
    need_trusted(who)
    store, after = tenant_store(request, who), read_cursor(cursor, str, int)

    def page() -> dict[str, Any]:
        shown = list(islice(_chunks(store, find_dataset(store, dataset_id), source, after), limit + 1))
        following = write_cursor(shown[limit - 1].source, shown[limit - 1].index) if len(shown) > limit else None
        return {"chunks": [of_chunk(one, embedding=embeddings) for one in shown[:limit]], "nextCursor": following}

    return answer(await in_thread(page))


def _chunks(store: Any, dataset: Any, source: str | None, after: tuple[Any, ...] | None) -> Iterator[Any]:
    """The chunks that follow a place, read from one document after the other, as many as are wanted."""
    if source is not None:
        yield from store.chunks(dataset, source, after=after)
        return
    for document in store.documents(dataset):
        if after is None or document.source >= after[0]:
            yield from store.chunks(dataset, document.source, after=after)
