"""Documents of datasets, and their chunks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from ..auth import Caller, caller
from ..errors import Problem
from ..jobs.chunk import check_length
from ..jobs.documents import FILE_FIELDS, Filed, chunks_of, filed, options_of
from ..persisting import check_embedder, find_dataset
from .chunk_docs import FILE
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
from .uploads import upload_of

__all__ = ["router"]


class _Route(JsonRoute):
    """A route whose body is JSON; that of a document may be a form with a file too, which `_put_file` takes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Read the body as what it says it is."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "multipart/form-data" and self.endpoint is put_document:
                return await _put_file(request, str(request.path_params["dataset_id"]), caller(request))
            return await handler(request)

        return handle


router = APIRouter(tags=["store"], route_class=_Route)

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
    summary="Cut a text or a file and keep its chunks",
    response_model=None,
    openapi_extra=FILE,
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

    A text comes as JSON. A file comes as `multipart/form-data`, the field `file`, with the other fields beside it; its
    name is the `source` unless one is given, and YAML front matter goes into its metadata. The same document again
    writes nothing and asks the embedder nothing. All of it is one transaction.
    """
    need_trusted(who)
    state, store = request.app.state, tenant_store(request, who)
    check_length(asked.text, state.settings.max_characters)
    dataset = await _dataset(store, dataset_id)
    metadata = asked.metadata or {}
    chunks = await state.workers.run(
        chunks_of, asked.text, asked.kind, asked.source, metadata, asked.strategy, options_of(asked.options)
    )
    return await _kept(request, store, dataset, Filed(asked.source, metadata, len(asked.text), chunks))


async def _put_file(request: Request, dataset_id: str, who: Caller) -> Response:
    """What `put_document` does, for a file: it is read and cut in a worker."""
    need_trusted(who)
    state, store = request.app.state, tenant_store(request, who)
    dataset = await _dataset(store, dataset_id)
    upload = await upload_of(request, FILE_FIELDS)
    return await _kept(request, store, dataset, await state.workers.run(filed, upload, state.settings.max_characters))


async def _dataset(store: Any, dataset_id: str) -> Any:
    dataset = await in_thread(find_dataset, store, dataset_id)
    check_embedder(store, dataset)
    return dataset


async def _kept(request: Request, store: Any, dataset: Any, document: Filed) -> Response:
    state = request.app.state
    request.state.record.facts |= {"characters": document.characters, "chunks": len(document.chunks)}

    def sync() -> dict[str, Any]:
        synced = store.sync(dataset, document.source, document.chunks, metadata=document.metadata, wipe=False)
        if synced.unwiped:
            state.wiping.later()
        state.metrics.synced(synced)
        return {
            "datasetId": dataset.id,
            "source": document.source,
            "new": synced.new,
            "changed": synced.changed,
            "kept": synced.kept,
            "gone": synced.gone,
            "embedded": synced.embedded,
            "chunkIds": list(synced.chunk_ids),
        }

    async with state.limits.jobs:
        return answer(await in_thread(sync))


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
        return _gone(store.delete(source, dataset=find_dataset(store, dataset_id)), request.app.state)

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
    return answer(await in_thread(lambda: _gone(store.delete(source), request.app.state)))


def _gone(deleted: Any, state: Any) -> dict[str, int]:
    if deleted.unwiped:
        state.wiping.later()
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
