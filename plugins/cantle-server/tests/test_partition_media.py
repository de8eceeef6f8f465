"""`/v1/partition` with `mediaUrls`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cantle_llm.testing import Fault

sys.path.insert(0, str(Path(__file__).parent))

from media_servers import fetcher, reply
from media_servers import serving as serving_media
from partition_parts import Service, answered, running
from service_parts import TEXT


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """One for all."""
    with running() as found:
        yield found


@pytest.fixture
def shared(service: Service) -> Service:
    """The service, for a host of its own."""
    return service.begin()


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


def test_media_are_refused_without_a_list_of_hosts(shared: Service) -> None:
    response = shared.ask({"mediaUrls": ["http://169.254.169.254/latest/meta-data?token=secret"]})
    assert response.status_code == 422
    assert "secret" not in response.text
    assert "mediaUrls[0]" in response.json()["error"]["message"]
