"""What holds for every route, those that are added later too."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from service import SECRET, Service

from cantle_server import Settings, create_app

PUBLIC = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    ("HEAD", "/openapi.json"),
    *((method, path) for method in ("GET", "HEAD") for path in ("/", "/playground", "/playground/")),
    ("GET", "/playground/{version}/{name}"),
    ("HEAD", "/playground/{version}/{name}"),
}
"""The routes that need no token. Whoever adds one here says that strangers may see it."""


def routes(app: Any) -> list[tuple[str, str]]:
    """All routes as methods and templates, those of the framework too."""
    found = set()
    pending = list(app.routes)
    while pending:
        route = pending.pop()
        inner = getattr(route, "original_router", None) or getattr(route, "app", None)
        if getattr(inner, "routes", None) and not hasattr(route, "methods"):
            pending += inner.routes
            continue
        found |= {(method, route.path) for method in route.methods or ()}
    found |= {(method.upper(), path) for path, operations in app.openapi()["paths"].items() for method in operations}
    return sorted(found)


ROUTES = routes(create_app(Settings.of({"secret": SECRET}, {})))


def test_the_routes_are_found() -> None:
    assert ("POST", "/v1/chunk") in ROUTES
    assert ("POST", "/v1/partition") in ROUTES
    assert ("GET", "/openapi.json") in ROUTES
    assert len(ROUTES) > 10


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route not in PUBLIC])
def test_without_a_good_token_every_route_is_401(service: Service, method: str, path: str) -> None:
    filled = re.sub(r"\{\w+(:\w+)?\}", "recursive", path)
    for headers in ({}, {"Authorization": "Bearer a.b.c"}):
        for body in ({}, {"json": {"text": "a"}}, {"content": b"\xff", "headers": {"Content-Type": "text/html"}}):
            answer = service.client(None).request(
                method, filled, **{**body, "headers": {**body.get("headers", {}), **headers}}
            )
            assert answer.status_code == 401, (method, filled, answer.text)
            assert "www-authenticate" in answer.headers


@pytest.mark.parametrize(("method", "path"), sorted(PUBLIC & {*ROUTES}))
def test_a_public_route_tells_nothing_of_a_tenant(service: Service, method: str, path: str) -> None:
    answer = service.client(None).request(method, re.sub(r"\{\w+\}", "x", path))
    assert answer.status_code in (200, 307, 308, 404)
    assert "acme" not in answer.text


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_answer_has_the_headers_of_safety(service: Service, method: str, path: str) -> None:
    answer = service.client().request(method, re.sub(r"\{\w+(:\w+)?\}", "x", path))
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert len(answer.headers["x-request-id"]) == 32
    if answer.status_code >= 400 and method != "HEAD":
        error = answer.json()["error"]
        assert error.keys() >= {"code", "message", "requestId"}
        assert error["requestId"] == answer.headers["x-request-id"]
    assert answer.status_code < 500


def test_what_is_not_there_and_what_is_not_possible_have_the_same_form(client: httpx.Client) -> None:
    none = client.get("/nothing")
    assert (none.status_code, none.json()["error"]["code"]) == (404, "not_found")
    other = client.put("/v1/chunk")
    assert (other.status_code, other.json()["error"]["code"]) == (405, "method_not_allowed")
    assert other.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/avatars", ["GET", "POST"]),
        ("POST", "/v1/roles", ["GET", "PUT"]),
        ("PATCH", "/v1/datasets/a", ["DELETE", "GET"]),
        ("PUT", "/v1/datasets/a/documents", ["DELETE", "GET", "POST"]),
        ("GET", "/v1/search", ["POST"]),
        ("DELETE", "/", ["GET", "HEAD"]),
        ("POST", "/openapi.json", ["GET", "HEAD"]),
    ],
)
def test_a_method_that_is_not_possible_is_answered_with_all_that_are(
    client: httpx.Client, method: str, path: str, allowed: list[str]
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == ", ".join(allowed)
    assert answer.json()["error"]["message"] == f"{method} is not possible here. Use {' or '.join(allowed)}."


@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("POST", "/v1/chunk", {"text": "a b c. d e f.", "options": {"maxSize": 8}, "relations": True}),
        ("POST", "/v1/chunk", {"text": "a \ud800 b", "metadata": {"a": [1, 2]}}),
        ("POST", "/v1/chunk", {"text": "a", "stream": True}),
        ("POST", "/v1/partition", {"text": "One.\n\nTwo."}),
        ("POST", "/v1/chunk", {"text": 1}),
        ("GET", "/v1/strategies", None),
        ("GET", "/v1/strategies/token", None),
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
        ("GET", "/openapi.json", None),
        ("GET", "/nothing", None),
    ],
)
def test_json_is_compact_and_ends_with_a_newline(
    client: httpx.Client, method: str, path: str, asked: dict[str, object] | None
) -> None:
    content = json.dumps(asked) if asked is not None else None
    answer = client.request(method, path, content=content, headers={"Content-Type": "application/json"})
    for line in answer.content.splitlines(keepends=True):
        value = json.loads(line)
        written = {json.dumps(value, ensure_ascii=escaped, separators=(",", ":")) for escaped in (False, True)}
        parts = line.decode().removesuffix("\n")
        assert line.endswith(b"\n")
        assert parts in written or ("\\ud800" in parts and len(parts) <= max(map(len, written))), parts


def test_the_openapi_document_tells_of_tokens_errors_and_examples(service: Service) -> None:
    document = service.client(None).get("/openapi.json").json()
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert document["servers"]
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            public = (method.upper(), path) in PUBLIC
            assert operation["security"] == ([] if public else [{"bearer": []}]), path
            assert operation.get("summary"), path
            if not public:
                assert "401" in operation["responses"]
    text = service.client(None).get("/openapi.json").text
    references = set(re.findall(r'"\$ref":\s*"#/components/schemas/([^"]+)"', text))
    assert references <= document["components"]["schemas"].keys()
    assert service.client(None).get("/docs").status_code == 401  # no page that loads scripts from elsewhere
