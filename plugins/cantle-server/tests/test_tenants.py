"""No route reads or changes anything of another host, whatever ids it is given: every operation of /openapi.json."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cantle_server.app import create_app
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from service_parts import SECRET, TEXT, Embedder, bearer, settings, store_url

MARK = "zephyrquartz"
"""A word that stands in everything of the other host, and nowhere else."""

SEED = "/api/externalAPIs/public/smartSplit/partition"


@cache
def _documented() -> dict[str, Any]:
    return create_app(settings()).openapi()


OPERATIONS = sorted(
    (method.upper(), path)
    for path, operations in _documented()["paths"].items()
    for method in operations
    if method in ("get", "post", "put", "patch", "delete")
)


class Two:
    """A service with two hosts; `ids` are those of the one that must not be touched."""

    def __init__(self, http: TestClient, store: Store) -> None:
        self.http, self.theirs = http, store.for_host("victim")
        avatar = self.theirs.create_avatar(f"{MARK} avatar", main=True)
        dataset = self.theirs.create_dataset(f"{MARK} dataset", avatar=avatar)
        self.ids = {"dataset_id": dataset.id, "avatar_id": avatar.id, "source": f"{MARK}.md"}
        chunk = {"text": f"The {MARK} is a secret.", "metadata": {"dept": MARK}}
        self.theirs.sync(dataset, self.ids["source"], [chunk], metadata={"dept": MARK})
        self.theirs.set_roles({MARK: {"dept": [MARK]}})
        self.store = store
        mine = store.for_host("attacker")
        self.mine = mine.create_dataset("mine").id

    def seen(self) -> Any:
        """All that the other host has."""
        store = self.theirs
        datasets = store.datasets()
        return (
            store.avatars(),
            datasets,
            [store.documents(dataset) for dataset in datasets],
            [list(store.chunks(dataset)) for dataset in datasets],
            store.roles().to_dict(),
        )


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def two(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """The service, over a real database."""
    url = store_url(request.param, tmp_path_factory.mktemp("tenants"))
    with (
        Store(url, embedder=Embedder()) as store,
        TestClient(create_app(settings(), store=store)) as http,
    ):
        yield Two(http, store)


# What stands in bodies, by operation: with an id of the other host in each place where an id may be.
BODIES: dict[tuple[str, str], list[Any]] = {
    ("POST", "/v1/chunk"): [{"text": TEXT}],
    **{
        ("POST", path): [
            {"text": TEXT},
            {"text": TEXT, "options": {"persistChunks": True, "datasetId": "DATASET"}},
            {"text": TEXT, "options": {"persistChunks": True, "avatarId": "AVATAR"}},
            {"text": TEXT, "options": {"persistChunks": True, "avatarId": "AVATAR", "datasetId": "DATASET"}},
        ]
        for path in ("/v1/partition", SEED)
    },
    ("POST", "/v1/avatars"): [{"name": "mine"}],
    ("POST", "/v1/datasets"): [{"name": "x", "avatarId": "AVATAR"}, {"name": "y", "existOk": True}],
    ("POST", "/v1/datasets/{dataset_id}/documents"): [{"source": "a.md", "text": TEXT}],
    ("POST", "/v1/datasets/{dataset_id}/search"): [{"query": MARK}, {"vector": [1.0] * 8, "mode": "vector"}],
    ("POST", "/v1/search"): [
        {"query": MARK},
        {"query": MARK, "datasetId": "DATASET"},
        {"vector": [1.0] * 8, "mode": "vector"},
        {"query": MARK, "where": {"dept": MARK}},
    ],
    ("PUT", "/v1/roles"): [{"roles": {"intern": {"dept": ["hr"]}}}],
}

# Requests that name nothing of the other host, and so are answered.
HARMLESS = {"avatarId", "datasetId", "DATASET", "AVATAR"}


def _requests(two: Two, method: str, path: str, operation: dict[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    """URLs and bodies of an operation, and whether an id of the other host is in them."""
    names = False
    query = []
    for parameter in operation.get("parameters", ()):
        name, place = parameter["name"], parameter["in"]
        if place == "header":
            continue
        value = {"avatarId": two.ids["avatar_id"], "name": "recursive", **two.ids}.get(name)
        if value is None:
            assert not parameter.get("required"), f"{method} {path}: say in this test what {name} is"
            assert not name.lower().endswith("id"), f"{method} {path}: say in this test what {name} is"
            continue
        names |= name != "name"
        if place == "path":
            path = path.replace(f"{{{name}}}", value)
        else:
            query.append(f"{name}={value}")
    assert "{" not in path, f"say in this test what is in {path}"
    url = path + ("?" + "&".join(query) if query else "")
    if "requestBody" not in operation:
        yield url, None, names
        return
    key = (method, next(one for one in _documented_paths if _fits(one, path)))
    assert key in BODIES, f"{key}: say in this test what bodies it takes"
    for body in BODIES[key]:
        written = json.dumps(body)
        filled = written.replace("DATASET", two.ids["dataset_id"]).replace("AVATAR", two.ids["avatar_id"])
        yield url, json.loads(filled), names or filled != written


_documented_paths = sorted({path for _, path in OPERATIONS}, key=lambda one: (one.count("{"), one))


def _fits(template: str, path: str) -> bool:
    parts, given = template.split("/"), path.split("/")
    return len(parts) == len(given) and all(a == b or a.startswith("{") for a, b in zip(parts, given, strict=True))


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_nothing_of_another_host_is_read_or_changed(two: Two, method: str, path: str) -> None:
    operation = _documented()["paths"][path][method.lower()]
    before = two.seen()
    for url, body, names in _requests(two, method, path, operation):
        response = two.http.request(method, url, json=body, headers=bearer("attacker"))
        sent = json.dumps(body) + url
        assert response.status_code < 500, (url, body, response.text)
        if names:
            assert response.status_code in (403, 404), (url, body, response.text)
        else:
            assert response.status_code < 300, (url, body, response.text)
        if MARK in sent:  # what was sent may come back in a message
            assert "is a secret" not in response.text
            assert response.status_code in (403, 404) or not response.json().get("hits")
        else:
            assert MARK not in response.text, (url, body)
        assert two.ids["dataset_id"] not in response.text or two.ids["dataset_id"] in sent
    assert two.seen() == before


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_token_with_roles_reads_by_search_alone(two: Two, method: str, path: str) -> None:
    """Of its own host: lists, chunks and all that writes are 403; the search has the filter of the roles in it."""
    operation = _documented()["paths"][path][method.lower()]
    before = two.seen()
    two.theirs.set_roles({MARK: {"dept": [MARK]}, "nobody": {"dept": ["none"]}})
    before = two.seen()
    for url, body, _ in _requests(two, method, path, operation):
        response = two.http.request(method, url, json=body, headers=bearer("victim", roles=["nobody"]))
        assert response.status_code < 500, (url, body, response.text)
        store = path.startswith(("/v1/datasets", "/v1/documents", "/v1/avatars", "/v1/roles"))
        if store and not path.endswith("/search"):
            assert response.status_code == 403, (url, body, response.text)
        assert "is a secret" not in response.text
        if path.endswith("/search"):
            assert response.status_code == 200
            assert response.json()["hits"] == []
    assert two.seen() == before


def test_a_token_of_the_host_itself_gets_there(two: Two) -> None:
    """The requests above are refused because of the host, not because they are wrong."""
    own = bearer("victim")
    assert two.http.get(f"/v1/datasets/{two.ids['dataset_id']}", headers=own).status_code == 200
    assert two.http.get(f"/v1/avatars/{two.ids['avatar_id']}", headers=own).status_code == 200
    found = two.http.post("/v1/search", json={"query": MARK, "datasetId": two.ids["dataset_id"]}, headers=own).json()
    assert [hit["chunk"]["source"] for hit in found["hits"]] == [two.ids["source"]]
    as_role = bearer("victim", roles=[MARK])
    found = two.http.post("/v1/search", json={"query": MARK}, headers=as_role).json()
    assert len(found["hits"]) == 1


def test_every_route_that_has_a_body_or_an_id_needs_a_token(two: Two) -> None:
    assert len(OPERATIONS) > 15
    assert SECRET not in json.dumps(_documented())
    for method, path in OPERATIONS:
        public = path in ("/healthz", "/readyz", "/openapi.json", "/")
        response = two.http.request(method, path.replace("{", "").replace("}", ""))
        assert (response.status_code == 401) != public, (method, path)
