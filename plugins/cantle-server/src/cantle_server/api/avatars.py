"""Avatars and roles of a host."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from ..auth import Caller, caller
from ..persisting import find_avatar
from .json_body import JsonRoute, answer
from .store_models import AvatarAsked, AvatarShown, AvatarsShown, RolesAsked, RolesShown, of_avatar
from .tenant import FORBIDDEN, NO_STORE, in_thread, need_trusted, tenant_store

__all__ = ["router"]

router = APIRouter(tags=["store"], route_class=JsonRoute)

Who = Annotated[Caller, Depends(caller)]


@router.get(
    "/v1/avatars",
    summary="The avatars of the host",
    response_model=None,
    responses={200: {"model": AvatarsShown}, **FORBIDDEN, **NO_STORE},
)
async def avatars(request: Request, who: Who) -> Response:
    """Whom datasets belong to. A host without one gets its main avatar when one is needed."""
    need_trusted(who)
    store = tenant_store(request, who)
    return answer({"avatars": [of_avatar(one) for one in await in_thread(store.avatars)]})


@router.post(
    "/v1/avatars",
    summary="Make an avatar",
    status_code=201,
    response_model=None,
    responses={
        201: {"model": AvatarShown},
        200: {"model": AvatarShown, "description": "There is one of that name."},
        **FORBIDDEN,
        **NO_STORE,
    },
)
async def make_avatar(request: Request, asked: AvatarAsked, who: Who) -> Response:
    """A new avatar of the host, or the one that has this name already; with `main` it is the main one from now on."""
    need_trusted(who)
    store = tenant_store(request, who)

    def make() -> tuple[dict[str, Any], int]:
        there = any(one.name == asked.name for one in store.avatars())
        return of_avatar(store.create_avatar(asked.name, main=asked.main)), 200 if there else 201

    return answer(*await in_thread(make))


@router.get(
    "/v1/avatars/{avatar_id}",
    summary="One avatar",
    response_model=None,
    responses={200: {"model": AvatarShown}, **FORBIDDEN, **NO_STORE},
)
async def avatar(request: Request, avatar_id: str, who: Who) -> Response:
    """An avatar of the host."""
    need_trusted(who)
    store = tenant_store(request, who)
    return answer(of_avatar(await in_thread(find_avatar, store, avatar_id)))


@router.get(
    "/v1/roles",
    summary="What roles may see",
    response_model=None,
    responses={200: {"model": RolesShown}, **FORBIDDEN, **NO_STORE},
)
async def roles(request: Request, who: Who) -> Response:
    """The roles of the host, with their rules."""
    need_trusted(who)
    store = tenant_store(request, who)
    return answer({"roles": (await in_thread(store.roles)).to_dict()})


@router.put(
    "/v1/roles",
    summary="Say what roles may see",
    response_model=None,
    responses={200: {"model": RolesShown}, **FORBIDDEN, **NO_STORE},
)
async def set_roles(request: Request, asked: RolesAsked, who: Who) -> Response:
    """All roles of the host anew: those that are not named are gone, and tokens with them are refused."""
    need_trusted(who)
    store = tenant_store(request, who)

    def put() -> Any:
        store.set_roles(asked.roles)
        return store.roles().to_dict()

    return answer({"roles": await in_thread(put)})
