"""`/v1/partition`: options, failures, storing, media, and the end of a request that nobody waits for."""

from __future__ import annotations

import itertools
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from cantle_llm import Client
from cantle_llm.testing import Asked, Fault, ScriptedServer
from cantle_server.app import create_app
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from media_servers import fetcher, reply
from media_servers import serving as serving_media
from service_parts import ANSWER, TEXT, Embedder, bearer, serving, settings

URL = "/v1/partition"
KNOWN = (
    "persistChunks", "createDatasetIfMissing", "datasetId", "datasetName", "avatarId", "maxCharsPerStoredChunk",
    "engine", "maxCharsPerChunk",
    "maxLinesPerSession", "overlapLines", "fallbackMaxCharsPerBlock", "minCoverage", "maxWordsPerLine", "uncovered",
    "language",
)  # fmt: skip


def answered(asked: Asked) -> Any:
    """A partition, or a name for a dataset."""
    return ANSWER if "lines-" in asked.prompt else "Journey of a hero"


class Service:
    """One service for all tests; each has a host of its own, and says how the model answers."""

    def __init__(self, http: TestClient, model: ScriptedServer, root: Store, embedder: Embedder) -> None:
        self.http, self.model, self.root, self.embedder = http, model, root, embedder
        self.answer: Callable[[Asked], Any] = answered
        self.host, self._before = "", 0

    def begin(self, number: int) -> None:
        """A host that has nothing yet."""
        self.host, self.answer, self.embedder.fails = f"host-{number}", answered, False
        self._before, self.embedder.asked = len(self.model.requests), []

    @property
    def store(self) -> Store:
        """The store of the host."""
        return self.root.for_host(self.host)

    @property
    def asked(self) -> int:
        """How often the model was asked."""
        return len(self.model.requests) - self._before

    def bearer(self, roles: list[str] | None = None) -> dict[str, str]:
        """The header of a token of this host."""
        return bearer(self.host, roles=roles)

    def ask(self, body: Any = None, headers: dict[str, str] | None = None, **options: Any) -> httpx.Response:
        """Post a partition."""
        body = {"text": TEXT, "options": options} if body is None else body
        return self.http.post(URL, json=body, headers=headers or self.bearer())

    def metrics(self) -> str:
        """The counters."""
        return self.http.get("/metrics", headers=self.bearer()).text


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    """The service, with a scripted model, a store in memory and an embedder in the process."""
    embedder, found = Embedder(), list[Service]()
    with (
        ScriptedServer(lambda asked: found[0].answer(asked)) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", provider="openai", retries=0, reasks=0) as client,
        Store("sqlite://", embedder=embedder) as store,
        TestClient(create_app(settings(max_characters=50_000), store=store, client=client)) as http,
    ):
        found.append(Service(http, model, store, embedder))
        yield found[0]


_numbers = itertools.count()


@pytest.fixture
def shared(running: Service) -> Service:
    """The service, for a host of its own."""
    running.begin(next(_numbers))
    return running


@pytest.fixture(scope="module")
def bare() -> Iterator[TestClient]:
    """A service without a store and without a model."""
    with TestClient(create_app(settings())) as http:
        yield http


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"persistChunk": True}, "persistChunks"),
        ({"model": "gpt-5"}, "There are: "),
        ({"baseUrl": "http://example.com"}, "There are: "),
        ({"api_key": "k"}, "There are: "),
        ({"persist_chunks": True}, "persistChunks"),
    ],
)
def test_an_unknown_option_is_refused_with_those_that_there_are(
    shared: Service, options: dict[str, Any], said: str
) -> None:
    response = shared.ask(**options)
    assert response.status_code == 422
    message = response.json()["error"]["message"]
    assert said in message
    assert next(iter(options)) in message
    assert all(name in message for name in KNOWN)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("persistChunks", "yes"),
        ("persistChunks", 1),
        ("createDatasetIfMissing", "false"),
        ("maxCharsPerChunk", "80000"),
        ("maxCharsPerChunk", 0),
        ("maxCharsPerChunk", 10.5),
        ("maxLinesPerSession", True),
        ("maxLinesPerSession", 0),
        ("overlapLines", -1),
        ("fallbackMaxCharsPerBlock", 0),
        ("minCoverage", 1.1),
        ("minCoverage", "0.9"),
        ("minCoverage", True),
        ("datasetId", 7),
        ("datasetId", ""),
        ("avatarId", {}),
        ("datasetName", "   "),
        ("engine", "magic"),
        ("uncovered", "drop"),
        ("language", "xx"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_option(shared: Service, name: str, value: Any) -> None:
    before = shared.asked
    response = shared.ask(**{name: value})
    assert response.status_code == 422
    assert f"options.{name}" in response.json()["error"]["message"]
    assert shared.asked == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "text is missing"),
        ({"text": " \n"}, "text is missing"),
        ({"text": None}, "text is missing"),
        ({"text": 7}, "body.text"),
        ({"text": ["a"]}, "body.text"),
        ([], "body"),
        ({"text": "a", "mediaUrls": "http://example.com"}, "body.mediaUrls"),
        ({"text": "a", "mediaUrls": ["https://a.example/x"] * 9}, "8 are the most"),
        ({"text": "a", "txt": "b"}, "Did you mean 'text'?"),
        ({"text": "a", "metadata": []}, "body.metadata"),
        ({"text": "a", "options": []}, "body.options"),
        ({"text": "a", "options": {"maxLinesPerSession": 10, "overlapLines": 6}}, "overlapLines"),
    ],
)
def test_a_wrong_body_is_refused(shared: Service, body: Any, said: str) -> None:
    response = shared.ask(body)
    assert response.status_code == 422
    assert said in response.json()["error"]["message"]


def test_the_body_is_json_and_not_endless(shared: Service) -> None:
    post = shared.http.post
    assert post(URL, content=b"text=a", headers=bearer()).status_code == 415
    assert post(URL, data={"text": "a"}, headers=bearer()).status_code == 415
    json_kind = {**bearer(), "Content-Type": "application/json"}
    for content in (b"{", b"\xff", b'{"text": NaN}', b'{"text":"a","text":"b"}', b"[" * 10_000 + b"]" * 10_000):
        assert post(URL, content=content, headers=json_kind).status_code == 400, content[:20]
    assert shared.http.post(URL, json={"text": "a"}).status_code == 401


def test_too_long_a_text_is_refused_before_anything_is_asked(shared: Service) -> None:
    response = shared.ask({"text": "word " * 10_001})
    assert response.status_code == 413
    assert response.json()["error"]["limit"] == 50_000
    assert shared.asked == 0


def test_any_text_comes_back_as_it_was(shared: Service) -> None:
    text = "\ufeffA\x00B \ud800 C\u202e.\n\n\U0001f600 Second."
    body = json.dumps({"text": text, "options": {"engine": "lexical"}}).encode()
    response = shared.http.post(URL, content=body, headers={**bearer(), "Content-Type": "application/json"})
    assert response.status_code == 200
    for block in json.loads(response.content)["blocks"]:
        assert "\n\n".join(text[start:end] for start, end in block["ranges"]) == block["text"]


def test_too_little_coverage_is_no_success_and_its_blocks_are_there_and_not_stored(shared: Service) -> None:
    few = {"blocks": [{"ranges": [[0, 3]], "label": "The journey"}], "reasoning": ""}
    shared.answer = lambda asked: few
    response = shared.ask(persistChunks=True)
    metrics = shared.metrics()
    datasets = shared.store.datasets()
    seed = shared.http.post(
        "/api/externalAPIs/public/smartSplit/partition", json={"text": TEXT}, headers=shared.bearer()
    ).json()
    assert response.status_code == 200
    body = response.json()
    assert body["success"] is False
    assert body["reason"] == "coverage_below_threshold"
    assert body["missingCount"] == 3
    assert [block["label"] for block in body["blocks"]] == ["The journey"]
    assert body["coverage"] == pytest.approx(4 / 7)
    assert body["uncoveredLines"]["indices"] == [4, 5, 6]
    assert body["uncoveredLines"]["ranges"] == [[4, 6]]
    assert body["uncoveredLines"]["lines"][1] == "Chapter 3. The Resolution."
    assert body["persisted"] is None
    assert body["persistError"]["code"] == "partition_failed"
    assert datasets == []
    assert 'cantle_partition_results_total{engine="model",outcome="coverage_below_threshold"}' in metrics
    assert re.search(r"^cantle_partition_coverage_failures_total [1-9]", metrics, re.MULTILINE)
    assert seed["auditLog"][-2:] == [
        "[SmartSplit] Cobertura: 57.1% (4/7)",
        "[SmartSplit] Particionamento falhou: coverage_below_threshold",
    ]


def test_uncovered_and_min_coverage_reach_the_partition(shared: Service) -> None:
    few = {"blocks": [{"ranges": [[0, 3]], "label": "The journey"}], "reasoning": ""}
    shared.answer = lambda asked: few
    body = shared.ask(minCoverage=0.5, uncovered="nearest").json()
    assert body["success"] is True
    assert body["blocks"][0]["lines"] == [[0, 6]]


def test_a_model_that_refuses_gives_mechanical_blocks(shared: Service) -> None:
    shared.answer = lambda asked: Fault.refusal()
    body = shared.ask(fallbackMaxCharsPerBlock=150).json()
    assert body["success"] is False
    assert body["reason"] == "all_sessions_failed"
    assert body["fallbackUsed"] is True
    assert body["failedSessions"] == 1
    assert [block["label"] for block in body["blocks"]] == [None, None]
    assert body["failures"][0]["reason"] == "refused"


def test_a_model_that_cannot_be_asked_is_502_and_tells_no_more_than_why(shared: Service) -> None:
    shared.answer = lambda asked: Fault.http(401, "key sk-secret is wrong", "invalid_api_key")
    response = shared.ask()
    assert response.status_code == 502
    error = response.json()["error"]
    assert error["code"] == "model_failed"
    assert error["reason"] == "unauthorized"
    assert "sk-secret" not in response.text


def test_the_engine_may_be_chosen_but_not_a_model_that_is_not_there(shared: Service, bare: TestClient) -> None:
    before = shared.asked
    assert shared.ask(engine="lexical").json()["costControl"]["references"]["model"] == "lexical"
    assert shared.asked == before
    response = bare.post(URL, json={"text": TEXT, "options": {"engine": "model"}}, headers=bearer())
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "no_model"


def test_too_many_sessions_are_not_begun(shared: Service) -> None:
    text = "\n\n".join(f"Line {i}." for i in range(1200))
    all_of_it = {"blocks": [{"ranges": [[0, 0]], "label": "One"}], "reasoning": ""}
    shared.answer = lambda asked: all_of_it
    response = shared.ask({"text": text, "options": {"maxLinesPerSession": 1, "overlapLines": 0}})
    asked = shared.asked
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "too_many_sessions"
    assert asked <= 20


def test_a_spending_limit_of_the_variables_holds_for_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(answered, usage=lambda asked, text: (480, 95)) as model:
        monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.url)
        monkeypatch.setenv("CANTLE_LLM_API_KEY", "k")
        monkeypatch.setenv("CANTLE_LLM_TOKEN_BUDGET", "8000")
        monkeypatch.setenv("CANTLE_LLM_MAX_OUTPUT_TOKENS", "500")
        with TestClient(create_app(settings(model="gpt-4.1-nano"))) as http:
            bodies = [http.post(URL, json={"text": TEXT}, headers=bearer()).json() for _ in range(20)]
            assert [body["success"] for body in bodies] == [True] * 20
            monkeypatch.setenv("CANTLE_LLM_TOKEN_BUDGET", "100")
            body = http.post(URL, json={"text": TEXT}, headers=bearer()).json()
    assert body["success"] is False
    assert body["reason"] == "budget"
    assert body["costControl"]["control"]["decision"] == "stop"
    assert len(model.requests) == 20


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"datasetId": "nobody"}, 404),
        ({"datasetId": "FOREIGN_DATASET"}, 404),
        ({"avatarId": "FOREIGN_AVATAR"}, 404),
        ({"avatarId": "nobody"}, 404),
        ({"datasetId": "OWN_DATASET", "avatarId": "OTHER_AVATAR"}, 404),
        ({"datasetId": "OWN_DATASET", "datasetName": "x"}, 422),
        ({"createDatasetIfMissing": False}, 422),
        ({"createDatasetIfMissing": False, "datasetName": "no such"}, 404),
    ],
)
def test_where_blocks_go_is_checked_before_anything_is_paid(
    shared: Service, options: dict[str, Any], status: int
) -> None:
    foreign = shared.root.for_host(f"{shared.host}-foreign")
    ids = {
        "FOREIGN_AVATAR": foreign.main_avatar().id,
        "FOREIGN_DATASET": foreign.create_dataset("theirs").id,
        "OWN_DATASET": shared.store.create_dataset("ours").id,
        "OTHER_AVATAR": shared.store.create_avatar("second").id,
    }
    given = {name: ids.get(str(value), value) for name, value in options.items()}
    response = shared.ask(persistChunks=True, **given)
    assert response.status_code == status, response.text
    assert shared.asked == 0
    assert not shared.embedder.asked
    assert foreign.datasets()[0].documents == 0
    assert len(shared.store.datasets()) == 1


def test_a_foreign_dataset_is_answered_like_one_that_nobody_has(shared: Service) -> None:
    foreign = shared.root.for_host(f"{shared.host}-foreign").create_dataset("theirs").id
    answers = [shared.ask(persistChunks=True, datasetId=one) for one in (foreign, "no-such-dataset-at-all-1234")]
    shapes = [re.sub(r"'[^']+'", "ID", answer.json()["error"]["message"]) for answer in answers]
    assert shapes[0] == shapes[1]
    assert {answer.status_code for answer in answers} == {404}


def test_names_of_new_datasets_are_their_own_and_named_ones_are_found_again(shared: Service) -> None:
    made = [shared.ask(persistChunks=True).json()["persisted"]["datasetName"] for _ in range(3)]
    assert made == ["Journey of a hero", "Journey of a hero 2", "Journey of a hero 3"]
    first = shared.ask(persistChunks=True, datasetName="tales").json()["persisted"]
    again = shared.ask(persistChunks=True, datasetName="tales").json()["persisted"]
    assert (first["datasetCreated"], again["datasetCreated"]) == (True, False)
    assert first["datasetName"] == "tales"
    assert again["datasetName"] is None
    assert first["datasetId"] == again["datasetId"]
    assert first["chunkIds"] == again["chunkIds"]
    avatar = shared.store.create_avatar("second")
    own = shared.ask(persistChunks=True, avatarId=avatar.id).json()["persisted"]
    assert own["avatarId"] == avatar.id
    assert own["datasetName"] == "Journey of a hero"


def test_source_and_metadata_are_those_of_the_document(shared: Service) -> None:
    body = {"text": TEXT, "source": "tales/a.txt", "metadata": {"dept": "hr"}, "options": {"persistChunks": True}}
    persisted = shared.ask(body).json()["persisted"]
    (document,) = shared.store.documents(persisted["datasetId"])
    hits = shared.store.search("mountains", where={"dept": "hr"})
    assert document.source == "tales/a.txt"
    assert document.metadata == {"dept": "hr"}
    assert hits
    assert hits[0].chunk.metadata["label"] == "Mountains in the way"


def test_long_blocks_are_several_chunks_where_that_is_asked_for(shared: Service) -> None:
    text = "\n\n".join("A sentence about one thing only." for _ in range(40))
    shared.answer = lambda asked: {"blocks": [{"ranges": [[0, 39]], "label": "One thing"}], "reasoning": ""}
    options = {"persistChunks": True, "maxCharsPerStoredChunk": 200, "datasetName": "long"}
    body = shared.ask({"text": text, "options": options}).json()
    chunks = list(shared.store.chunks(body["persisted"]["datasetId"]))
    assert len(body["blocks"]) == 1
    assert body["persisted"]["count"] == len(chunks) > 5
    assert all(len(chunk.text) <= 200 and text[chunk.start : chunk.end] == chunk.text for chunk in chunks)
    assert {chunk.metadata["label"] for chunk in chunks} == {"One thing"}


def test_an_embedder_that_fails_costs_the_storing_and_not_the_blocks(shared: Service) -> None:
    shared.embedder.fails = True
    response = shared.ask(persistChunks=True)
    body = response.json()
    assert response.status_code == 200
    assert body["success"] is True
    assert len(body["blocks"]) == 3
    assert body["persisted"] is None
    assert body["persistError"]["code"]
    assert "Once upon" not in json.dumps(body["persistError"]) + json.dumps(body["auditLog"])
    assert shared.store.datasets() == []  # the dataset that was made for it is gone
    ours = shared.store.create_dataset("ours")
    assert shared.ask(persistChunks=True, datasetId=ours.id).json()["persisted"] is None
    assert [one.id for one in shared.store.datasets()] == [ours.id]  # one that was there stays
    assert "cantle_partition_unstored_total" in shared.metrics()
    shared.embedder.fails = False
    assert shared.ask(persistChunks=True, datasetId=ours.id).json()["persisted"]["count"] == 3


def test_a_token_with_roles_divides_and_does_not_store(shared: Service) -> None:
    reader = shared.bearer(roles=["intern"])
    assert shared.ask(headers=reader).status_code == 200
    asked = shared.asked
    response = shared.ask(headers=reader, persistChunks=True)
    assert response.status_code == 403
    assert shared.asked == asked


def test_without_a_store_nothing_is_stored_and_it_is_said(bare: TestClient) -> None:
    response = bare.post(URL, json={"text": TEXT, "options": {"persistChunks": True}}, headers=bearer())
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "no_store"


def test_media_become_text_behind_the_text_in_order(shared: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"/a.txt?key=k": reply(b"First medium.", "text/plain"), "/b.txt": reply(b"Second one.", "text/plain")}
    with serving_media(pages) as server:
        monkeypatch.setattr(shared.http.app.state, "fetcher", fetcher(server), raising=False)  # type: ignore[attr-defined]
        urls = [server.url("/a.txt?key=k"), server.url("/b.txt")]
        options = {"engine": "lexical", "persistChunks": True}
        body = shared.ask({"text": "Words.", "mediaUrls": urls, "options": options}).json()
        alone = shared.ask({"mediaUrls": urls[1:], "options": {"engine": "lexical"}}).json()
        gone = shared.ask({"text": "Words.", "mediaUrls": [urls[0], server.url("/no.txt?key=secret")]})
    text = "Words.\n\nFirst medium.\n\nSecond one."
    for block in body["blocks"]:
        assert "\n\n".join(text[start:end] for start, end in block["ranges"]) == block["text"]
    parts = [(one["index"], one["kind"], text[one["start"] : one["end"]]) for one in body["media"]]
    assert parts == [(0, "text", "First medium."), (1, "text", "Second one.")]
    assert alone["blocks"][0]["text"] == "Second one."
    assert alone["media"][0]["start"] == 0
    assert body["persisted"]["count"] == len(body["blocks"])
    error = gone.json()["error"]
    assert 400 <= gone.status_code < 500
    assert "mediaUrls[1]" in error["message"]
    assert error["mediaUrl"] == 1
    assert "secret" not in gone.text
    assert not shared.asked


def test_what_a_model_was_paid_for_reading_media_is_in_the_cost(
    shared: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = (Path(__file__).parent / "data" / "dot.png").read_bytes()
    picture_is = {"text": "", "description": "A red dot."}
    shared.answer = lambda asked: picture_is if asked.images else answered(asked)
    with serving_media({"/dot.png": reply(picture, "image/png")}) as server:
        monkeypatch.setattr(shared.http.app.state, "fetcher", fetcher(server), raising=False)  # type: ignore[attr-defined]
        body = {"text": TEXT, "mediaUrls": [server.url("/dot.png")], "options": {"uncovered": "nearest"}}
        both = shared.ask(body).json()
        body["options"] = {"engine": "lexical"}
        media = shared.ask(body).json()
    plain = shared.ask().json()
    assert both["media"][0]["kind"] == "image"
    assert both["blocks"][-1]["text"].endswith("A red dot.")
    spent = [one["costControl"]["usage"]["totalTokens"] for one in (both, media, plain)]
    assert spent[0] > spent[1] > 0
    assert spent[0] > spent[2] > 0
    assert media["costControl"]["references"]["model"] == "lexical"
    assert media["costControl"]["cost"]["totalCost"] > 0


def test_a_model_that_fails_on_media_is_502_and_names_the_medium(
    shared: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = (Path(__file__).parent / "data" / "dot.png").read_bytes()
    shared.answer = lambda asked: Fault.http(401, "key sk-secret is wrong", "invalid_api_key")
    with serving_media({"/dot.png?key=hidden": reply(picture, "image/png")}) as server:
        monkeypatch.setattr(shared.http.app.state, "fetcher", fetcher(server), raising=False)  # type: ignore[attr-defined]
        response = shared.ask({"mediaUrls": [server.url("/dot.png?key=hidden")]})
    assert response.status_code == 502
    error = response.json()["error"]
    assert (error["code"], error["mediaUrl"], error["reason"]) == ("model_failed", 0, "unauthorized")
    assert "secret" not in response.text
    assert "hidden" not in response.text


def test_requests_at_once_make_one_dataset_of_a_name_and_several_without(shared: Service) -> None:
    def ask(options: dict[str, Any]) -> dict[str, Any]:
        return dict(shared.ask(persistChunks=True, engine="lexical", **options).json()["persisted"])

    with ThreadPoolExecutor(8) as pool:
        named = list(pool.map(ask, [{"datasetName": "one"}] * 8))
        free = list(pool.map(ask, [{}] * 8))
    assert len({one["datasetId"] for one in named}) == 1
    assert sum(one["datasetCreated"] for one in named) == 1
    assert len({tuple(one["chunkIds"]) for one in named}) == 1
    assert len({one["datasetId"] for one in free}) == 8
    assert len({one["datasetName"] for one in free}) == 8
    assert {dataset.chunks for dataset in shared.store.datasets()} == {3}


def test_media_are_refused_without_a_list_of_hosts(shared: Service) -> None:
    response = shared.ask({"mediaUrls": ["http://169.254.169.254/latest/meta-data?token=secret"]})
    assert response.status_code == 422
    assert "secret" not in response.text
    assert "mediaUrls[0]" in response.json()["error"]["message"]


def test_a_client_that_goes_away_ends_the_run() -> None:
    hold, asked = threading.Event(), threading.Event()

    def answer(_: Asked) -> Any:
        asked.set()
        hold.wait(60)
        return {"blocks": [{"ranges": [[0, 9]], "label": "Ten lines"}], "reasoning": ""}

    body = json.dumps(
        {
            "text": "\n\n".join(f"Sentence {i} is here." for i in range(200)),
            "options": {"maxLinesPerSession": 10, "overlapLines": 0, "persistChunks": True},
        }
    ).encode()
    head = f"POST {URL} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in bearer().items())
    with (
        ScriptedServer(answer) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", retries=0, concurrency=1) as client,
        Store("sqlite://", embedder=Embedder()) as store,
        serving(store=store, client=client) as url,
    ):
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(head.encode() + b"\r\n" + body)
            assert asked.wait(60)
        try:
            _until(url, lambda text: 'status="499"' in text)
        finally:
            hold.set()
        _until(url, lambda text: "\ncantle_jobs 0.0" in text)
        assert len(model.requests) == 1
        assert store.for_host("acme").datasets() == []


def _until(url: str, good: Callable[[str], bool]) -> None:
    end = time.monotonic() + 60
    while not good(text := httpx.get(f"{url}/metrics", headers=bearer()).text):
        assert time.monotonic() < end, text
        time.sleep(0.02)
