"""Datasets, documents, chunks, avatars, roles and search over HTTP, in both databases."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from cantle_server.app import create_app
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from service_parts import Embedder, bearer, end_database, settings, store_url, vector_of

_numbers = itertools.count()


class Host:
    """The service, as one host sees it."""

    def __init__(self, http: TestClient, name: str, embedder: Embedder) -> None:
        self.http, self.name, self.embedder = http, name, embedder
        self.roles: list[str] | None = None

    def ask(self, method: str, path: str, body: Any = None) -> Response:
        """A request with a token of this host."""
        return self.http.request(method, path, json=body, headers=bearer(self.name, roles=self.roles))

    def get(self, path: str) -> Any:
        """What a GET gives."""
        response = self.ask("GET", path)
        assert response.status_code == 200, response.text
        return response.json()

    def dataset(self, name: str = "docs") -> str:
        """A new dataset."""
        response = self.ask("POST", "/v1/datasets", {"name": name})
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def put(self, dataset: str, source: str, text: str, **more: Any) -> Any:
        """Bring a document up to date."""
        response = self.ask("POST", f"/v1/datasets/{dataset}/documents", {"source": source, "text": text, **more})
        assert response.status_code == 200, response.text
        return response.json()

    def found(self, body: dict[str, Any], dataset: str | None = None) -> list[str]:
        """The sources that a search finds."""
        path = "/v1/search" if dataset is None else f"/v1/datasets/{dataset}/search"
        response = self.ask("POST", path, body)
        assert response.status_code == 200, response.text
        return [hit["chunk"]["source"] for hit in response.json()["hits"]]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The service over a real database."""
    embedder = Embedder()
    url = store_url(request.param, tmp_path_factory.mktemp("datasets"))
    with (
        Store(url, embedder=embedder) as store,
        TestClient(create_app(settings(max_characters=100_000), store=store)) as http,
    ):
        yield http, embedder


@pytest.fixture
def host(running: Any) -> Host:
    """A host of its own for each test."""
    http, embedder = running
    embedder.fails, embedder.asked = False, []
    return Host(http, f"host-{next(_numbers)}", embedder)


@pytest.fixture(scope="module")
def bare() -> Iterator[TestClient]:
    """A service without a store."""
    with TestClient(create_app(settings())) as http:
        yield http


def test_datasets_are_made_listed_and_deleted(host: Host) -> None:
    assert host.get("/v1/datasets") == {"datasets": []}
    one, two = host.dataset("one"), host.dataset("two")
    assert [dataset["name"] for dataset in host.get("/v1/datasets")["datasets"]] == ["one", "two"]
    shown = host.get(f"/v1/datasets/{one}")
    assert shown.keys() == {
        "id", "avatarId", "name", "embedder", "dimension", "documents", "chunks", "created", "updated",
    }  # fmt: skip
    again = host.ask("POST", "/v1/datasets", {"name": "one"})
    assert again.status_code == 409
    assert again.json()["error"]["code"] == "conflict"
    there = host.ask("POST", "/v1/datasets", {"name": "one", "existOk": True})
    assert (there.status_code, there.json()["id"]) == (200, one)
    host.put(two, "a.txt", "Some words.")
    deleted = host.ask("DELETE", f"/v1/datasets/{two}")
    assert deleted.json() == {"documents": 1, "chunks": 1}
    assert host.ask("GET", f"/v1/datasets/{two}").status_code == 404
    assert host.ask("DELETE", f"/v1/datasets/{two}").status_code == 404
    assert host.found({"query": "words"}) == []


def test_a_dataset_is_found_by_its_id_and_never_by_its_name(host: Host) -> None:
    host.dataset("docs")
    assert host.ask("GET", "/v1/datasets/docs").status_code == 404
    assert host.ask("POST", "/v1/datasets/docs/search", {"query": "a"}).status_code == 404
    assert host.ask("POST", "/v1/datasets/docs/documents", {"source": "a", "text": "a"}).status_code == 404
    assert len(host.get("/v1/datasets")["datasets"]) == 1


def test_avatars_have_datasets_of_their_own(host: Host) -> None:
    main = host.get(f"/v1/datasets/{host.dataset('docs')}")["avatarId"]
    made = host.ask("POST", "/v1/avatars", {"name": "support"})
    assert made.status_code == 201
    assert made.json()["main"] is False
    support = made.json()["id"]
    own = host.ask("POST", "/v1/datasets", {"name": "docs", "avatarId": support}).json()
    assert own["avatarId"] == support
    listed = host.get(f"/v1/datasets?avatarId={support}")["datasets"]
    assert [dataset["id"] for dataset in listed] == [own["id"]]
    assert {avatar["id"]: avatar["main"] for avatar in host.get("/v1/avatars")["avatars"]} == {
        main: True,
        support: False,
    }
    assert host.get(f"/v1/avatars/{support}")["name"] == "support"
    assert host.ask("GET", "/v1/datasets?avatarId=nobody").status_code == 404


def test_a_document_is_cut_kept_and_brought_up_to_date(host: Host) -> None:
    dataset = host.dataset()
    text = "# Leave\n\nThirty days a year.\n\n# Pay\n\nOn the last day of the month."
    more = {"kind": "markdown", "options": {"maxSize": 40, "overlap": 0}, "metadata": {"dept": "hr"}}
    first = host.put(dataset, "a.md", text, **more)
    assert (first["new"], first["kept"], first["embedded"]) == (2, 0, 2)
    same = host.put(dataset, "a.md", text, **more)
    assert (same["new"], same["changed"], same["kept"], same["gone"], same["embedded"]) == (0, 0, 2, 0, 0)
    assert same["chunkIds"] == first["chunkIds"]
    changed = host.put(dataset, "a.md", text.replace("Thirty", "Twenty"), **more)
    assert (changed["new"], changed["kept"], changed["gone"], changed["embedded"]) == (1, 1, 1, 1)
    chunks = host.get(f"/v1/datasets/{dataset}/chunks?embeddings=true")["chunks"]
    assert [chunk["id"] for chunk in chunks] == changed["chunkIds"]
    assert chunks[0]["embedding"] == pytest.approx(vector_of(chunks[0]["text"]))
    assert all(chunk["metadata"]["dept"] == "hr" for chunk in chunks)
    plain = host.get(f"/v1/datasets/{dataset}/chunks")["chunks"]
    assert all("embedding" not in chunk and chunk["hasEmbedding"] for chunk in plain)
    (document,) = host.get(f"/v1/datasets/{dataset}/documents")["documents"]
    assert (document["source"], document["metadata"], document["chunks"]) == ("a.md", {"dept": "hr"}, 2)


def test_strategy_and_options_are_those_of_the_request(host: Host) -> None:
    dataset = host.dataset()
    text = " ".join(f"Sentence number {i} is here." for i in range(40))
    made = host.put(dataset, "a", text, strategy="recursive", options={"maxSize": 100, "overlap": 0})
    assert made["new"] > 5
    assert all(len(chunk["text"]) <= 100 for chunk in host.get(f"/v1/datasets/{dataset}/chunks")["chunks"])


UNCUT: list[tuple[dict[str, Any], str]] = [
    ({"strategy": "nonsense"}, "nonsense"),
    ({"strategy": "recursive", "options": {"maxSizes": 3}}, "max_size"),
    ({"strategy": "recursive", "options": {"maxSize": "many"}}, "max_size"),
    ({"strategy": "partition", "options": {"engine": "model"}}, "engine"),
    ({"strategy": "partition", "options": {"model": "gpt-5"}}, "model"),
    ({"options": {"strategy": "recursive"}}, "strategy"),
    ({"text": "a" * 100_001}, "100,000"),
    ({"kind": ""}, "kind"),
    ({"txt": "a"}, "text"),
]


def test_documents_that_cannot_be_cut_are_refused(host: Host) -> None:
    dataset = host.dataset()
    for more, said in UNCUT:
        body = {"source": "a", "text": "Some words.", **more}
        response = host.ask("POST", f"/v1/datasets/{dataset}/documents", body)
        assert response.status_code in (413, 422), more
        assert said in response.json()["error"]["message"], more
    assert host.get(f"/v1/datasets/{dataset}")["documents"] == 0


@pytest.mark.parametrize("source", ["a.md", "dir/a b?.md", "../../etc/passwd", "ümlaut ‮ x", "100%25", "a&b=c"])
def test_a_document_of_any_name_is_erased(host: Host, source: str) -> None:
    one, two = host.dataset("one"), host.dataset("two")
    for dataset in (one, two):
        host.put(dataset, source, "The quick brown fox.")
        host.put(dataset, "other", "Something else.")
    written = quote(source, safe="")
    assert host.get(f"/v1/datasets/{one}/chunks?source={written}")["chunks"][0]["source"] == source
    gone = host.ask("DELETE", f"/v1/datasets/{one}/documents?source={written}")
    assert gone.json() == {"documents": 1, "chunks": 1}
    assert host.ask("DELETE", f"/v1/datasets/{one}/documents?source={written}").status_code == 404
    assert host.found({"query": "fox", "mode": "text"}) == [source]
    assert host.ask("DELETE", f"/v1/documents?source={written}").json() == {"documents": 1, "chunks": 1}
    assert host.found({"query": "fox", "mode": "text"}) == []
    assert host.get(f"/v1/datasets/{two}")["documents"] == 1


def test_lists_come_in_pages(host: Host) -> None:
    dataset = host.dataset()
    for number in range(5):
        host.put(dataset, f"doc-{number}", "One.\n\nTwo.", strategy="recursive", options={"maxSize": 5})
    for what, count, key in (("documents", 5, "source"), ("chunks", 10, "id")):
        seen, cursor, pages = [], "", 0
        while cursor is not None:
            page = host.get(f"/v1/datasets/{dataset}/{what}?limit=2" + (f"&cursor={cursor}" if cursor else ""))
            assert len(page[what]) <= 2
            seen += [one[key] for one in page[what]]
            cursor, pages = page["nextCursor"], pages + 1
        assert len(seen) == len(set(seen)) == count
        assert pages == -(-count // 2)
        whole = host.get(f"/v1/datasets/{dataset}/{what}?limit=1000")[what]
        assert [one[key] for one in whole] == seen


def test_a_place_that_nobody_was_given_is_refused(host: Host) -> None:
    dataset = host.dataset()
    for query in ("cursor=nonsense", "cursor=W10", "cursor=WzFd", "cursor=ä", "limit=0", "limit=1001"):
        for what in ("documents", "chunks"):
            assert host.ask("GET", f"/v1/datasets/{dataset}/{what}?{query}").status_code == 422, query


def test_search_finds_by_words_by_vector_and_by_both(host: Host) -> None:
    one, two = host.dataset("one"), host.dataset("two")
    host.put(one, "leave", "Férias are thirty days.", metadata={"dept": "hr", "level": 1})
    host.put(two, "pay", "Salaries come on the last day.", metadata={"dept": "finance", "level": 2})
    assert host.found({"query": "ferias", "mode": "text"}) == ["leave"]
    assert host.found({"query": "days", "mode": "text"}, two) == []
    assert host.found({"vector": vector_of("Salaries come on the last day."), "k": 1}) == ["pay"]
    assert set(host.found({"query": "days thirty"})) == {"leave", "pay"}
    assert host.found({"query": "day days", "where": {"dept": "finance"}}) == ["pay"]
    assert set(host.found({"query": "day days", "where": {"dept": ["finance", "hr"]}})) == {"leave", "pay"}
    assert host.found({"query": "day days", "where": {"level": 1}}) == ["leave"]
    assert host.found({"query": "day days", "datasetId": one}) == ["leave"]


NONSENSE: list[dict[str, Any]] = [
    {},
    {"query": None},
    {"query": "a", "k": 0},
    {"query": "a", "k": 101},
    {"query": "a", "k": "3"},
    {"query": "a", "mode": "magic"},
    {"query": "a", "where": {"dept": None}},
    {"query": "a", "where": ["dept"]},
    {"query": "a", "roles": "hr"},
    {"query": "a", "roles": ["nobody"]},
    {"vector": []},
    {"vector": [1.0, 2.0]},
    {"vector": ["a"]},
    {"vector": [1.0] * 8, "mode": "text"},
    {"vector": [1.0] * 16_001},
    {"q": "a"},
]


def test_searches_that_make_no_sense_are_refused(host: Host) -> None:
    host.put(host.dataset(), "a", "Some words.")
    for body in NONSENSE:
        response = host.ask("POST", "/v1/search", body)
        assert response.status_code == 422, body
        assert response.json()["error"]["message"]


def test_roles_of_the_token_always_apply(host: Host) -> None:
    dataset = host.dataset()
    for dept in ("hr", "finance"):
        host.put(dataset, dept, f"The plan of {dept}.", metadata={"dept": dept})
    rules = {"intern": {"dept": ["hr"]}, "clerk": {"dept": ["finance"]}, "auditor": "*"}
    assert host.ask("PUT", "/v1/roles", {"roles": rules}).status_code == 200
    assert host.get("/v1/roles")["roles"].keys() == rules.keys()
    asked = {"query": "plan"}
    assert set(host.found(asked)) == {"hr", "finance"}
    assert host.found({**asked, "roles": ["intern"]}) == ["hr"]  # a trusted caller may look with anybody's eyes
    assert host.found({**asked, "roles": []}) == []
    host.roles = ["intern"]
    assert host.found(asked) == ["hr"]
    assert host.found(asked, dataset) == ["hr"]
    assert host.found({**asked, "where": {"dept": "finance"}}) == []
    assert host.found({"vector": vector_of("The plan of finance.")}) == ["hr"]
    assert host.found({**asked, "roles": []}) == []
    for more in (["clerk"], ["auditor"], ["intern", "auditor"]):
        assert host.ask("POST", "/v1/search", {**asked, "roles": more}).status_code == 403
    host.roles = ["intern", "clerk"]
    assert set(host.found(asked)) == {"hr", "finance"}
    assert host.found({**asked, "roles": ["clerk"]}) == ["finance"]
    host.roles = []
    assert host.found(asked) == []
    host.roles = ["stranger"]
    assert host.ask("POST", "/v1/search", asked).status_code == 403
    for method, path, body in (
        ("GET", "/v1/roles", None),
        ("PUT", "/v1/roles", {"roles": {}}),
        ("GET", f"/v1/datasets/{dataset}/chunks", None),
        ("GET", f"/v1/datasets/{dataset}/documents", None),
        ("GET", "/v1/datasets", None),
        ("DELETE", f"/v1/datasets/{dataset}", None),
    ):
        assert host.ask(method, path, body).status_code == 403
    host.roles = None
    assert host.get(f"/v1/datasets/{dataset}")["documents"] == 2
    wrong = host.ask("PUT", "/v1/roles", {"roles": {"intern": 3}})
    assert wrong.status_code == 422
    assert host.get("/v1/roles")["roles"].keys() == rules.keys()


def test_an_embedder_that_fails_is_502_and_writes_nothing(host: Host) -> None:
    dataset = host.dataset()
    host.embedder.fails = True
    body = {"source": "a", "text": "Some secret words."}
    response = host.ask("POST", f"/v1/datasets/{dataset}/documents", body)
    assert response.status_code == 502
    assert "secret" not in response.text
    assert host.get(f"/v1/datasets/{dataset}")["documents"] == 0


def test_vectors_of_another_embedder_are_not_mixed(tmp_path: Path) -> None:
    url, other = f"sqlite:///{tmp_path / 'chunks.db'}", Embedder()
    other.name = "tests:other"
    with Store(url, embedder=other, host="acme") as before:
        dataset = before.create_dataset("docs")
        before.sync(dataset, "a", [{"text": "Some words."}])
    embedder = Embedder()
    with (
        Store(url, embedder=embedder) as store,
        TestClient(create_app(settings(), store=store)) as http,
    ):
        body = {"text": "Other words.", "options": {"persistChunks": True, "datasetId": dataset.id}}
        answers = [
            http.post("/v1/partition", json=body, headers=bearer()),
            http.post(f"/v1/datasets/{dataset.id}/documents", json={"source": "b", "text": "b"}, headers=bearer()),
            http.post("/v1/search", json={"query": "words", "mode": "vector"}, headers=bearer()),
        ]
        by_words = http.post("/v1/search", json={"query": "words", "mode": "text"}, headers=bearer())
    assert [answer.status_code for answer in answers] == [409, 409, 422]
    assert {answer.json()["error"]["code"] for answer in answers} == {"other_embedder"}
    assert len(by_words.json()["hits"]) == 1
    assert embedder.asked == []


def test_without_an_embedder_chunks_are_found_by_their_words() -> None:
    with Store("sqlite://") as store, TestClient(create_app(settings(), store=store)) as http:
        body = {"text": "Some words.", "options": {"persistChunks": True}}
        persisted = http.post("/v1/partition", json=body, headers=bearer()).json()["persisted"]
        found = http.post("/v1/search", json={"query": "words"}, headers=bearer()).json()["hits"]
        by_vector = http.post("/v1/search", json={"query": "words", "mode": "vector"}, headers=bearer())
    assert persisted["count"] == 1
    assert [hit["chunk"]["hasEmbedding"] for hit in found] == [False]
    assert by_vector.status_code == 422
    assert by_vector.json()["error"]["code"] == "no_embedder"


def test_without_a_store_there_is_nothing(bare: TestClient) -> None:
    for method, path, body in (
        ("GET", "/v1/datasets", None),
        ("POST", "/v1/datasets", {"name": "a"}),
        ("POST", "/v1/search", {"query": "a"}),
        ("GET", "/v1/avatars", None),
    ):
        response = bare.request(method, path, json=body, headers=bearer())
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "no_store"


def test_a_database_that_is_away_is_503_and_names_nothing_of_it(tmp_path: Path) -> None:
    url = store_url("postgres", tmp_path)
    with (
        Store(url, embedder=Embedder()) as store,
        TestClient(create_app(settings(), store=store)) as http,
    ):
        made = http.post("/v1/datasets", json={"name": "a"}, headers=bearer())
        assert made.status_code == 201
        name = end_database(url)
        answers = [
            http.get("/v1/datasets", headers=bearer()),
            http.post("/v1/search", json={"query": "a"}, headers=bearer()),
            http.post(
                "/v1/partition",
                json={"text": "Some words.", "options": {"persistChunks": True, "datasetId": made.json()["id"]}},
                headers=bearer(),
            ),
        ]
    for response in answers:
        assert response.status_code == 503, response.text
        assert response.headers["retry-after"]
        assert response.json()["error"]["code"] == "store_unavailable"
        assert name not in response.text
