"""Tenants: whatever belongs to another host is not found, by name, by id, or by an object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from cantle_store import Avatar, Dataset, NotFoundError, Store, StoreError


@pytest.fixture
def guest(store: Store, counting: Any) -> Store:
    """A host beside the one that has documents."""
    store.create_avatar("bob")
    store.create_dataset("more", avatar=store.create_avatar("ann"))
    store.sync("docs", "a.md", [{"text": "secret words"}], counting, metadata={"dept": "hr"})
    store.set_roles({"hr": {"dept": "hr"}})
    return store.for_host("guest")


def calls(mine: Store, guest: Store, embedder: Any) -> dict[str, list[Callable[[], Any]]]:
    """Every public method of a store, with whatever of another host it could be given."""
    (ann, bob, main) = sorted(mine.avatars(), key=lambda one: one.name)
    datasets: list[Any] = [*mine.datasets(), *(one.id for one in mine.datasets())]
    avatars: list[Any] = [ann, bob, main, *(one.id for one in mine.avatars())]
    (document,) = mine.documents("docs")
    chunk = next(mine.chunks("docs"))
    ids: list[Any] = [document.id, chunk.id, chunk.key, ann.id]
    return {
        "avatar": [lambda x=x: guest.avatar(x) for x in [*avatars, *ids]],
        "datasets": [lambda x=x: guest.datasets(x) for x in avatars],
        "dataset": [
            *(lambda x=x: guest.dataset(x) for x in [*datasets, *ids, "docs", "more"]),
            *(lambda x=x: guest.dataset("docs", avatar=x) for x in avatars),
            *(lambda x=x: guest.dataset(x, avatar=guest.main_avatar()) for x in datasets),
        ],
        "create_dataset": [lambda x=x: guest.create_dataset("new", avatar=x) for x in avatars],
        "delete_dataset": [lambda x=x: guest.delete_dataset(x) for x in [*datasets, *ids, "docs"]],
        "sync": [lambda x=x: guest.sync(x, "a.md", [{"text": "mine"}], embedder) for x in mine.datasets()],
        "reembed": [lambda x=x: guest.reembed(x, embedder) for x in [*datasets, "docs"]],
        "delete": [lambda x=x: guest.delete("a.md", dataset=x) for x in [*datasets, *ids, "docs"]],
        "documents": [lambda x=x: guest.documents(x) for x in [*datasets, *ids, "docs"]],
        "chunks": [
            *(lambda x=x: guest.chunks(x) for x in [*datasets, *ids, "docs"]),
            *(lambda x=x: guest.chunks(x, "a.md") for x in datasets),
        ],
        "search": [
            *(lambda x=x: guest.search("secret", dataset=x) for x in [*datasets, *ids, "docs"]),
            *(lambda x=x: guest.search(vector=[0.0] * 8, dataset=x) for x in datasets),
        ],
    }


OF_NO_OTHER = {  # what takes nothing that could be of another host, and `hosts`, for operators
    "avatars", "main_avatar", "create_avatar", "for_host", "close", "wipe", "roles", "set_roles", "hosts",
}  # fmt: skip


def test_nothing_of_another_host_is_found(
    store: Store, guest: Store, counting: Any, snapshot: Callable[..., Any]
) -> None:
    guest.main_avatar()
    before = snapshot(store)
    made = calls(store, guest, counting)
    public = {name for name, _ in inspect.getmembers(Store, inspect.isfunction) if not name.startswith("_")}
    assert public == {*made, *OF_NO_OTHER}
    for name, of_name in made.items():
        for number, call in enumerate(of_name):
            with pytest.raises(NotFoundError):
                pytest.fail(f"{name} {number}: {call()}")
    assert snapshot(store) == before


def test_what_needs_no_name_shows_only_the_own_host(store: Store, guest: Store, counting: Any) -> None:
    assert guest.avatars() == []
    assert guest.datasets() == []
    assert dict(guest.roles()) == {}
    assert guest.search("secret words") == []
    assert guest.search(vector=[0.5] * 8) == []
    assert (guest.delete("a.md").documents, guest.delete("a.md").chunks) == (0, 0)
    assert [chunk.text for chunk in store.chunks("docs")] == ["secret words"]
    assert store.search("secret", roles=["hr"])


def test_only_hosts_names_other_hosts(store: Store, guest: Store) -> None:
    assert guest.hosts() == store.hosts()
    guest.main_avatar()
    assert {store.host, guest.host} <= set(store.hosts())


def test_the_id_of_another_host_as_a_name_makes_a_dataset_of_that_name(store: Store, guest: Store) -> None:
    theirs = store.dataset("docs")
    synced = guest.sync(theirs.id, "a.md", [{"text": "mine"}])
    assert (synced.dataset.name, synced.dataset.id != theirs.id) == (theirs.id, True)
    assert [chunk.text for chunk in store.chunks(theirs)] == ["secret words"]
    assert [chunk.text for chunk in guest.chunks(synced.dataset)] == ["mine"]


def test_the_same_names_in_two_hosts_are_two_things(store: Store, counting: Any, snapshot: Callable[..., Any]) -> None:
    other = store.for_host("other")
    for one in (store, other):
        one.sync("docs", "a.md", [{"text": f"of {one.host}"}], counting)
        one.set_roles({"hr": {"dept": one.host}})
    assert store.dataset("docs").id != other.dataset("docs").id
    other.delete("a.md")
    other.set_roles(None)
    assert [chunk.text for chunk in store.chunks("docs")] == ["of default"]
    assert list(store.roles()) == ["hr"]
    other.delete_dataset("docs")
    assert [one.name for one in store.datasets()] == ["docs"]


def test_one_avatar_is_the_main_one(store: Store) -> None:
    assert store.avatars() == []
    main = store.main_avatar()
    assert (main.name, main.main, store.main_avatar()) == ("main", True, main)
    ann = store.create_avatar("ann")
    assert not ann.main
    assert store.create_avatar("ann") == ann
    store.create_dataset("docs")
    ann = store.create_avatar("ann", main=True)
    assert [(one.name, one.main) for one in store.avatars()] == [("ann", True), ("main", False)]
    assert store.main_avatar() == ann
    with pytest.raises(NotFoundError, match=r"There is no dataset 'docs'. Known: none."):
        store.dataset("docs")  # of the main avatar, which is another one now
    assert store.dataset("docs", avatar=main).avatar_id == main.id
    assert store.dataset("docs", avatar=main.id).avatar_id == main.id
    store.create_dataset("docs", avatar=ann)
    assert [one.avatar_id for one in store.datasets(ann)] == [ann.id]
    assert len(store.datasets()) == 2
    assert store.create_avatar("main", main=True).main


@pytest.mark.parametrize("host", ["", None, 3, "x" * 256])
def test_a_host_has_a_name(store: Store, host: Any) -> None:
    with pytest.raises(StoreError, match="host must be a text of 1 to 255 characters"):
        store.for_host(host)
    with pytest.raises(StoreError, match="host must be a text of 1 to 255 characters"):
        Store("sqlite://", host=host)


@pytest.mark.parametrize("name", ["", None, 3])
def test_names_are_texts(store: Store, name: Any) -> None:
    with pytest.raises(StoreError):
        store.create_dataset(name)
    with pytest.raises(StoreError):
        store.create_avatar(name)
    for call in (store.dataset, store.documents, store.avatar, store.chunks):
        with pytest.raises(NotFoundError):
            call(name)
    with pytest.raises(StoreError):
        store.sync(name, "a.md", [])


def test_an_object_that_looks_like_one_is_asked_for_its_id(store: Store, guest: Store) -> None:
    (theirs,) = [one for one in store.datasets() if one.name == "docs"]
    mine = guest.create_dataset("docs")
    forged = Dataset(theirs.id, mine.avatar_id, "docs", None, None, 0, 0, mine.created, mine.updated)
    avatar = Avatar(store.main_avatar().id, "main", True, mine.created, mine.updated)
    with pytest.raises(NotFoundError):
        guest.documents(forged)
    with pytest.raises(NotFoundError):
        guest.sync(forged, "x", [{"text": "x"}])
    with pytest.raises(NotFoundError):
        guest.create_dataset("x", avatar=avatar)
