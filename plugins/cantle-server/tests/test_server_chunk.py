"""`POST /v1/chunk`: the chunks are cantle's own, whatever is sent and however it is asked for."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from service import Service

from cantle import MDocument, registry
from cantle_llm.testing import ScriptedServer

TEXT = "# Tides\n\nHigh water comes twice a day.\n\n## Springs\n\nAround new Moon the range is largest. " * 20


def post(client: httpx.Client, **body: Any) -> httpx.Response:
    return client.post("/v1/chunk", json=body)


def rows(chunks: Any) -> list[dict[str, Any]]:
    """What cantle says, with the keys of the service."""
    found = [{("embedHash" if key == "embed_hash" else key): value for key, value in row.items()} for row in chunks]
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


@pytest.mark.parametrize("strategy", sorted(registry().strategies()))
def test_every_strategy_gives_what_cantle_gives(client: httpx.Client, strategy: str) -> None:
    kind = {"json": "json", "html": "html", "latex": "latex"}.get(strategy, "markdown")
    text = json.dumps({"a": TEXT, "b": [1, 2, {"c": TEXT}]}) if kind == "json" else TEXT
    options = {"max_size": 200} if strategy == "sentence" else {}
    answer = post(client, text=text, kind=kind, strategy=strategy, source="a.md", metadata={"n": 1}, options=options)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    expected = MDocument(text, kind, {"n": 1}, "a.md").chunk(strategy, **options)
    assert found["chunks"] == rows(expected.to_dicts())
    assert found["dropped"] == [{"start": a, "end": b, "reason": reason} for a, b, reason in expected.dropped]
    assert (found["strategy"], found["kind"], found["configHash"]) == (strategy, kind, expected.config_hash)
    assert found["stats"]["chunks"] == len(expected)
    assert found["stats"]["characters"] == len(text)


def test_options_come_in_both_spellings(client: httpx.Client) -> None:
    expected = rows(
        MDocument(TEXT).chunk("recursive", max_size=30, overlap=5, length_function="cl100k_base").to_dicts()
    )
    one = post(client, text=TEXT, options={"maxSize": 30, "overlap": 5, "lengthFunction": "cl100k_base"})
    two = post(client, text=TEXT, options={"max_size": 30, "overlap": 5, "length_function": "cl100k_base"})
    assert one.json()["chunks"] == two.json()["chunks"] == expected
    both = post(client, text=TEXT, options={"maxSize": 30, "max_size": 30})
    assert (both.status_code, both.json()["error"]["code"]) == (422, "invalid_option")


@pytest.mark.parametrize("ask", [{"stream": True}, {}])
def test_ndjson_has_the_same_chunks_in_lines(client: httpx.Client, ask: dict[str, Any]) -> None:
    headers = {} if ask else {"Accept": "application/x-ndjson"}
    body = {"text": TEXT, "kind": "markdown", "options": {"maxSize": 60, "overlap": 0}, **ask}
    answer = client.post("/v1/chunk", json=body, headers=headers)
    assert answer.headers["content-type"] == "application/x-ndjson"
    first, *middle, last = map(json.loads, answer.text.splitlines())
    whole = post(client, **{**body, "stream": False}).json()
    assert (first["type"], last["type"]) == ("document", "end")
    assert {line.pop("type") for line in middle} == {"chunk"}
    assert middle == whole["chunks"]
    assert last["dropped"] == whole["dropped"]
    assert last["stats"]["chunks"] == len(middle) == whole["stats"]["chunks"] > 20


def test_relations_and_the_text_are_given_when_asked_for(client: httpx.Client) -> None:
    found = post(client, text=TEXT, kind="markdown", relations=True, returnText=True, options={"maxSize": 60}).json()
    assert found["text"] == TEXT
    document = MDocument.from_markdown(TEXT)
    assert found["chunks"] == rows(document.chunk(max_size=60).to_dicts(relations=True))


def test_fields_are_extracted_without_a_model(client: httpx.Client) -> None:
    found = post(client, text=TEXT, extract={"keywords": {"keywords": 3}, "title": True}).json()
    assert found["chunks"][0]["metadata"].keys() == {"excerpt_keywords", "document_title"}


def test_warnings_are_told(client: httpx.Client) -> None:
    found = post(client, text="a. b.", strategy="partition", options={"overlap": 3}).json()
    assert "overlap has no effect" in found["warnings"][0]


def test_a_file_is_read_as_cantle_reads_files(client: httpx.Client) -> None:
    data = "---\ntitle: Marés\n---\n# Água\n\nSobe e desce.\n".encode("utf-16")
    answer = client.post("/v1/chunk", files={"file": ("dir/a.md", data)}, data={"options": '{"maxSize": 40}'})
    found = answer.json()
    assert (found["kind"], found["source"], found["metadata"]) == ("markdown", "a.md", {"title": "Marés"})
    expected = MDocument.from_bytes(data, "a.md").chunk(max_size=40)
    assert found["chunks"] == rows(expected.to_dicts())
    assert found["body"] == expected.source.body
    kept = client.post(
        "/v1/chunk",
        files={"file": ("a.md", data)},
        data={"frontMatter": "keep", "metadata": '{"x": 1}', "source": "s", "returnText": "true", "kind": "text"},
    ).json()
    assert kept["body"] == 0
    assert kept["chunks"][0]["metadata"] == {"title": "Marés", "x": 1}
    assert kept["text"].startswith("---\n")
    cp1252 = client.post("/v1/chunk", files={"file": ("a.txt", b"caf\xe9")}, data={"encoding": "cp1252"}).json()
    assert cp1252["chunks"][0]["text"] == "café"


@pytest.mark.parametrize(
    "text", ["\ud800", "a\udfff b", "\0", "\ufeffa", "\u202eabc\u202c", "", " \n\t ", "\U0001f468\u200d" * 50]
)
def test_any_string_is_cut(client: httpx.Client, text: str) -> None:
    for stream in (False, True):
        body = json.dumps({"text": text, "stream": stream, "source": text, "metadata": {"a": text}, "returnText": True})
        answer = client.post("/v1/chunk", content=body.encode(), headers={"Content-Type": "application/json"})
        assert answer.status_code == 200, answer.text
        answer.content.decode("utf-8")
        first = json.loads(answer.text.splitlines()[0])
        assert first["text"] == text
        assert first["metadata"] == {"a": text}


BAD: dict[str, tuple[Any, int, str]] = {
    "no text": ({}, 422, "text is missing"),
    "a list": ([], 422, "must be a JSON object"),
    "a string": ("text", 422, "must be a JSON object"),
    "text is a number": ({"text": 1}, 422, "text must be a string"),
    "options is a list": ({"text": "a", "options": []}, 422, "options must be an object"),
    "stream is a string": ({"text": "a", "stream": "yes"}, 422, "stream must be true or false"),
    "a field with a typing error": ({"txt": "a"}, 422, "Did you mean 'text'?"),
    "an option beside options": ({"text": "a", "maxSize": 5}, 422, "Options of a strategy go into `options`"),
    "an unknown strategy": ({"text": "a", "strategy": "recursiv"}, 422, "Did you mean 'recursive'?"),
    "an unknown option": ({"text": "a", "options": {"max_sise": 5}}, 422, "Did you mean 'max_size'?"),
    "a field among options": ({"text": "a", "options": {"extract": {}}}, 422, "is a field beside `options`"),
    "a wrong value": ({"text": "a", "options": {"maxSize": -5}}, 422, "max_size must be"),
    "a value of another type": ({"text": "a", "options": {"maxSize": {"a": []}}}, 422, "max_size must be"),
    "a huge number": ({"text": "a", "options": {"maxSize": 10**300, "overlap": 10**301}}, 422, "overlap"),
    "an unknown length": ({"text": "a", "options": {"lengthFunction": "token"}}, 422, "length function"),
    "a pattern that is none": (
        {"text": "a", "strategy": "character", "options": {"separator": "(", "isSeparatorRegex": True}},
        422,
        "separator",
    ),
    "an encoding for a text": ({"text": "a", "encoding": "utf-8"}, 422, "encoding is for files"),
    "no JSON as JSON": ({"text": "{", "kind": "json"}, 400, "JSON"),
    "an unknown field to extract": ({"text": "a", "extract": {"colour": True}}, 422, "colour"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_told(client: httpx.Client, name: str) -> None:
    body, status, message = BAD[name]
    answer = client.post("/v1/chunk", json=body)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert message in error["message"]
    assert error["code"] not in ("", "failed", "internal_error")
    assert error["requestId"] == answer.headers["x-request-id"]


FORMS: dict[str, tuple[dict[str, Any], str]] = {
    "no file": ({"files": {"other": ("a", b"a")}}, "Send one file"),
    "two files": ({"files": [("file", ("a", b"a")), ("file", ("b", b"b"))]}, "Send one file"),
    "fields alone": ({"files": {"kind": (None, "text")}}, "has no file"),
    "a text too": ({"files": {"file": ("a", b"a")}, "data": {"text": "b"}}, "a text are given"),
    "options that are no JSON": ({"files": {"file": ("a", b"a")}, "data": {"options": "{"}}, "options is no JSON"),
    "a field twice": ({"files": {"file": ("a", b"a")}, "data": {"kind": ["a", "b"]}}, "is there twice"),
    "a PNG": ({"files": {"file": ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")}}, "a PNG image"),
    "an encoding that is none": ({"files": {"file": ("a", b"a")}, "data": {"encoding": "zip"}}, "text encoding"),
    "not in its encoding": ({"files": {"file": ("a", b"\xff")}, "data": {"encoding": "ascii"}}, "is not ascii"),
    "not a form": (
        {"content": b"--x\r\nnope", "headers": {"Content-Type": "multipart/form-data; boundary=y"}},
        "The form|form has no file",
    ),
    "no boundary": ({"content": b"--x", "headers": {"Content-Type": "multipart/form-data"}}, "form cannot be read"),
    "many fields": ({"files": {"file": ("a", b"a")}, "data": {f"f{i}": "" for i in range(500)}}, "Too many fields"),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_wrong_with_a_form_is_told(client: httpx.Client, name: str) -> None:
    request, message = FORMS[name]
    answer = client.post("/v1/chunk", **request)
    assert answer.status_code in (400, 422), answer.text
    assert any(one in answer.json()["error"]["message"] for one in message.split("|")), answer.text


@pytest.mark.parametrize(
    "kind", ["", "text/plain", "application/xml", "application/x-www-form-urlencoded", "\x00", "j" * 9000]
)
def test_other_bodies_are_415(client: httpx.Client, kind: str) -> None:
    headers = {"Content-Type": kind} if kind != "\x00" else {}
    answer = client.post("/v1/chunk", content=b"text=a", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")
    assert len(answer.text) < 500


ASKING: dict[str, dict[str, Any]] = {
    "engine": {"strategy": "partition", "options": {"engine": "model"}},
    "model": {"strategy": "partition", "options": {"model": "gpt-4.1-nano"}},
    "client": {"strategy": "partition", "options": {"client": {"base_url": "http://169.254.169.254/"}}},
    "by llm": {"extract": {"summary": {"by": "llm"}}},
    "questions": {"extract": {"questions": True}},
    "schema": {"extract": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}},
    "a model to extract": {"extract": {"title": {"model": "gpt-4.1-nano"}}},
    "an address to extract": {"extract": {"title": {"llm": {"base_url": "URL", "model": "x", "api_key": "y"}}}},
    "an address in camelCase": {"extract": {"title": {"llm": {"baseUrl": "URL", "model": "x"}}}},
    "another plugin": {"extract": {"keywords": {"by": "llm", "promptTemplate": "{text}"}}},
}


@pytest.mark.parametrize("name", ASKING)
def test_no_model_is_asked_and_no_address_is_opened(service: Service, name: str) -> None:
    with ScriptedServer(["never"]) as model:
        body = json.loads(json.dumps({"text": TEXT, **ASKING[name]}).replace("URL", model.url))
        answer = service.client().post("/v1/chunk", json=body)
        assert model.requests == []
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["code"] == "invalid_option"


def test_a_text_that_is_too_long_is_413() -> None:
    with Service(max_characters=100, max_response_bytes=2048) as running:
        client = running.client()
        answer = post(client, text="é" * 101)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_many_characters")
        assert answer.json()["error"]["limit"] == 100
        file = client.post("/v1/chunk", files={"file": ("a.txt", b"a" * 101)})
        assert (file.status_code, file.json()["error"]["code"]) == (413, "too_many_characters")
        assert post(client, text="é" * 100).status_code == 200
        many = {"text": "a " * 40, "options": {"maxSize": 1, "overlap": 0}}
        large = post(client, **many)
        assert (large.status_code, large.json()["error"]["code"]) == (413, "response_too_large")
        lines = post(client, **many, stream=True)
        assert lines.status_code == 200
        assert len(lines.text.splitlines()) == 42


def test_a_stream_that_breaks_ends_with_an_error() -> None:
    with Service(job_timeout=2, worker_memory=1024) as running:
        client = running.client()
        # Each chunk repeats almost all of the one before: far more than there is time or memory for.
        body = {"text": "x" * 3_000_000, "options": {"maxSize": 1_000_000, "overlap": 999_999}, "stream": True}
        answer = client.post(
            "/v1/chunk", json={**body, "strategy": "character", "options": {**body["options"], "separator": ""}}
        )
        last = (
            json.loads(answer.text.splitlines()[-1])["error"] if answer.status_code == 200 else answer.json()["error"]
        )
        assert last["code"] in ("job_timeout", "too_much_memory")
        assert post(client, text="a").status_code == 200
