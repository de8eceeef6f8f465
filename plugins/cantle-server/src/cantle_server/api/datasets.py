"""Datasets of a host."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from cantle_store import StoreError

from ..auth import Caller, caller
from ..errors import Problem
from ..persisting import find_avatar, find_dataset
from .json_body import JsonRoute, answer
from .store_models import DatasetAsked, DatasetShown, DatasetsShown, DeletedShown, of_dataset
from .tenant import FORBIDDEN, NO_STORE, in_thread, need_trusted, tenant_store

__all__ = ["router"]

router = APIRouter(tags=["store"], route_class=JsonRoute)

Who = Annotated[Caller, Depends(caller)]


@router.get(
    "/v1/datasets",
    summary="The datasets of the host",
    response_model=None,
    responses={200: {"model": DatasetsShown}, **FORBIDDEN, **NO_STORE},
)
async def datasets(
    request: Request,
    who: Who,
    avatar_id: Annotated[str | None, Query(alias="avatarId", description="Only those of this avatar.")] = None,
) -> Response:
    """All datasets of the host, or those of one avatar, by name."""
    need_trusted(who)
    store = tenant_store(request, who)

    def listed() -> list[dict[str, Any]]:
        avatar = None if avatar_id is None else find_avatar(store, avatar_id)
        return [of_dataset(one) for one in store.datasets(avatar)]

    return answer({"datasets": await in_thread(listed)})


@router.post(
    "/v1/datasets",
    summary="Make a dataset",
    status_code=201,
    response_model=None,
    responses={
        200: {"model": DatasetShown, "description": "There is one of that name, and existOk was true."},
        201: {"model": DatasetShown},
        409: {"description": "There is one of that name."},
        **FORBIDDEN,
        **NO_STORE,
    },
)
async def make_dataset(request: Request, asked: DatasetAsked, who: Who) -> Response:
    """A new dataset of an avatar. Its embedder and the length of its vectors are those of the first document."""
    need_trusted(who)
    store = tenant_store(request, who)

    def make() -> tuple[dict[str, Any], int]:
        avatar = store.main_avatar() if asked.avatar_id is None else find_avatar(store, asked.avatar_id)
        there = any(one.name == asked.name for one in store.datasets(avatar))
        if there and not asked.exist_ok:
            raise _there_is(asked.name)
        try:
            made = store.create_dataset(asked.name, avatar=avatar, exist_ok=asked.exist_ok)
        except StoreError:
            if asked.exist_ok or not any(one.name == asked.name for one in store.datasets(avatar)):
                raise
            raise _there_is(asked.name) from None  # another request was quicker
        return of_dataset(made), 200 if there else 201

    return answer(*await in_thread(make))


def _there_is(name: str) -> Problem:
    return Problem(409, "conflict", f"There is a dataset {name!r} already. Name another, or set existOk.")


@router.get(
    "/v1/datasets/{dataset_id}",
    summary="One dataset",
    response_model=None,
    responses={200: {"model": DatasetShown}, **FORBIDDEN, **NO_STORE},
)
async def dataset(request: Request, dataset_id: str, who: Who) -> Response:
    """A dataset of the host, with its counts."""
    need_trusted(who)
    store = tenant_store(request, who)
    return answer(of_dataset(await in_thread(find_dataset, store, dataset_id)))


@router.delete(
    "/v1/datasets/{dataset_id}",
    summary="Delete a dataset",
    response_model=None,
    responses={200: {"model": DeletedShown}, **FORBIDDEN, **NO_STORE},
)
async def delete_dataset(request: Request, dataset_id: str, who: Who) -> Response:
    """Delete a dataset with all of its documents, chunks and vectors."""
    need_trusted(who)
    store = tenant_store(request, who)

    def delete() -> dict[str, int]:
        gone = store.delete_dataset(find_dataset(store, dataset_id))
        if gone.unwiped:
            request.app.state.wiping.later()
        return {"documents": gone.documents, "chunks": gone.chunks}

    return answer(await in_thread(delete))
