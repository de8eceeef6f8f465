"""Where blocks go, found out and checked before anything is paid for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cantle_store import NotFoundError, embedder

from ..errors import Problem

if TYPE_CHECKING:
    from cantle_store import Avatar, Dataset, Store

__all__ = ["Target", "check_embedder", "find_avatar", "find_dataset", "resolve"]


@dataclass(frozen=True)
class Target:
    """An avatar, and its dataset; without one a dataset is to be made, named `name` or after the blocks."""

    avatar: Avatar
    dataset: Dataset | None = None
    name: str | None = None


def find_avatar(store: Store, avatar_id: str) -> Avatar:
    """An avatar of the store's host. One of another host is answered like one that nobody has."""
    try:
        return store.avatar(avatar_id)
    except NotFoundError:
        raise Problem(404, "not_found", f"There is no avatar {avatar_id[:100]!r}.") from None


def find_dataset(store: Store, dataset_id: str) -> Dataset:
    """A dataset of the store's host by its id alone. One of another host is answered like one that nobody has."""
    try:
        found = store.dataset(dataset_id)
    except NotFoundError:
        found = None
    if found is None or found.id != dataset_id:  # a name that is like an id names nothing here
        raise Problem(404, "not_found", f"There is no dataset {dataset_id[:100]!r}.")
    return found


def check_embedder(store: Store, dataset: Dataset) -> None:
    """Raise `Problem` 409 where the dataset has vectors of another embedder than the service's."""
    if store.embedder is None or dataset.embedder is None:
        return
    name = embedder(store.embedder).name
    if name != dataset.embedder:
        raise Problem(
            409,
            "other_embedder",
            f"The dataset has vectors of {dataset.embedder!r}, and this service makes those of {name!r}: they cannot "
            "be compared. Take another dataset.",
        )


def resolve(
    store: Store,
    *,
    avatar_id: str | None = None,
    dataset_id: str | None = None,
    dataset_name: str | None = None,
    create: bool = True,
) -> Target:
    """Where blocks go: the dataset that is named, or a new one of the avatar; without an avatar, of the main one.

    Raises `Problem`: 404 for what the host does not have, 409 for a dataset with vectors of another embedder, 422 for
    names that contradict one another, or where no dataset is named and none may be made.
    """
    if dataset_id is not None and dataset_name is not None:
        raise Problem(
            422, "invalid_option", "datasetId and datasetName are given. Keep one: the name is for a new one."
        )
    avatar = None if avatar_id is None else find_avatar(store, avatar_id)
    if dataset_id is not None:
        dataset = find_dataset(store, dataset_id)
        if avatar is not None and dataset.avatar_id != avatar.id:
            raise Problem(404, "not_found", f"The avatar {avatar.id!r} has no dataset {dataset_id!r}.")
        check_embedder(store, dataset)
        return Target(avatar or find_avatar(store, dataset.avatar_id), dataset)
    if dataset_name is None and not create:
        raise Problem(
            422,
            "invalid_option",
            "persistChunks needs a dataset: give datasetId, or let createDatasetIfMissing be true.",
        )
    owner = avatar or store.main_avatar()
    for dataset in store.datasets(owner):
        if dataset.name == dataset_name:
            check_embedder(store, dataset)
            return Target(owner, dataset)
    if not create:
        raise Problem(
            404,
            "not_found",
            f"There is no dataset with the name {(dataset_name or '')[:100]!r}, and createDatasetIfMissing is false.",
        )
    return Target(owner, None, dataset_name)
