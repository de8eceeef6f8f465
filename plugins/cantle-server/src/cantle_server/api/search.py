"""Search over datasets, with the roles of the token."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from cantle.errors import OptionError

from ..auth import Caller, caller
from ..errors import Problem
from ..persisting import find_dataset
from .json_body import JsonRoute, answer
from .store_models import FoundShown, SearchAsked, of_hit
from .tenant import NO_STORE, in_thread, tenant_store

__all__ = ["router"]

router = APIRouter(tags=["store"], route_class=JsonRoute)

Who = Annotated[Caller, Depends(caller)]

_LARGEST = 3.4e38

_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": FoundShown},
    403: {"description": "The token does not have these roles."},
    502: {"description": "The embedder failed."},
    **NO_STORE,
}


@router.post("/v1/search", summary="Search in all datasets", response_model=None, responses=_RESPONSES)
async def search(request: Request, asked: SearchAsked, who: Who) -> Response:
    """The best chunks for a question or a vector, in all datasets of the host or in one.

    What the token's roles may not see is left out before anything is ranked. A token without the claim `roles` is a
    trusted caller, which sees everything and may search as one of the host's roles; one with roles may name some of
    its own, never others.
    """
    return await _found(request, asked, who, asked.dataset_id)


@router.post(
    "/v1/datasets/{dataset_id}/search", summary="Search in one dataset", response_model=None, responses=_RESPONSES
)
async def search_dataset(request: Request, dataset_id: str, asked: SearchAsked, who: Who) -> Response:
    """Like `/v1/search`, in one dataset."""
    if asked.dataset_id is not None and asked.dataset_id != dataset_id:
        raise Problem(422, "invalid", "datasetId is another one than in the path. Leave it out.")
    return await _found(request, asked, who, dataset_id)


async def _found(request: Request, asked: SearchAsked, who: Caller, dataset_id: str | None) -> Response:
    store = tenant_store(request, who)
    if asked.vector is not None and not all(abs(number) <= _LARGEST for number in asked.vector):
        raise Problem(422, "invalid", "vector has a number that no 32-bit float holds.")
    if asked.query is None and asked.vector is None:
        raise Problem(422, "invalid", "query is missing: give a query, a vector, or both.")

    def find() -> list[dict[str, Any]]:
        roles = _roles(store, asked, who)
        dataset = None if dataset_id is None else find_dataset(store, dataset_id)
        hits = store.search(
            asked.query,
            vector=asked.vector,
            dataset=dataset,
            where=asked.where,
            roles=roles,
            k=asked.k,
            mode=asked.mode,
        )
        return [of_hit(hit) for hit in hits]

    async with request.app.state.limits.jobs:
        try:
            hits = await in_thread(find)
        except Problem as problem:
            if problem.code == "dimension" and who.roles is not None:  # it names datasets
                raise Problem(422, "dimension", "The vector has another length than those of the datasets.") from None
            raise
    request.state.record.facts["hits"] = len(hits)
    return answer({"hits": hits})


def _roles(store: Any, asked: SearchAsked, who: Caller) -> list[str] | None:
    """With whose eyes it is searched. Raises `Problem` for roles that the caller does not have, or nobody."""
    if who.roles is None:
        if asked.roles is None:
            return None
        return _known(store, asked.roles, OptionError)
    wanted = list(who.roles) if asked.roles is None else asked.roles
    other = [role for role in wanted if role not in who.roles]
    if other:
        raise Problem(403, "forbidden", f"The token does not have the role {other[0]!r}.")
    return _known(store, wanted, None)


def _known(store: Any, roles: list[str], error: type[OptionError] | None) -> list[str]:
    known = store.roles()
    unknown = [role for role in roles if role not in known]
    if unknown and error is not None:
        there = ", ".join(known) or "none"
        raise error(f"There is no role {unknown[0]!r}. The host has: {there}. PUT /v1/roles sets them.")
    if unknown:
        raise Problem(403, "unknown_role", f"The host has no role {unknown[0]!r}, which the token has.")
    return roles
