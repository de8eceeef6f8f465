"""What the playground is served as: headers, versions, nothing from elsewhere, nothing when it is off."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from cantle_server import Settings, create_app
from cantle_server.jobs.sizes import measure_of

ASSETS = sorted(
    one.name for one in files("cantle_server.playground").joinpath("page").iterdir() if one.name != "index.html"
)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)


def client_of(**settings: Any) -> TestClient:
    # No worker is needed for the page: the app is not started.
    return TestClient(create_app(Settings(dev=True, workers=1, rate=0, **settings)), follow_redirects=False)


@pytest.fixture(scope="module")
def client() -> TestClient:
    return client_of()


@pytest.fixture(scope="module")
def version(client: TestClient) -> str:
    found = re.search(r"playground/([0-9a-f]{16})/main\.js", client.get("/").text)
    assert found is not None
    return found[1]


def text_of(name: str) -> str:
    return files("cantle_server.playground").joinpath("page", name).read_text(encoding="utf-8")


def test_the_page_needs_no_token_and_has_a_strict_policy(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-cache"
    assert "set-cookie" not in answer.headers
    assert "{version}" not in answer.text
    assert "{preloads}" not in answer.text


def test_a_page_that_is_known_is_not_sent_again(client: TestClient) -> None:
    tag = client.get("/").headers["etag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = client.get("/", headers={"If-None-Match": given})
        assert answer.status_code == 304
        assert answer.content == b""
        assert answer.headers["etag"] == tag
    assert client.get("/", headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("name", ASSETS)
def test_assets_are_kept_by_the_browser_under_their_version(client: TestClient, version: str, name: str) -> None:
    answer = client.get(f"/playground/{version}/{name}")
    assert answer.status_code == 200
    assert answer.text == text_of(name)
    assert answer.headers["content-type"].startswith("text/javascript" if name.endswith(".js") else "text/css")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get(f"/playground/0000000000000000/{name}").status_code == 404


@pytest.mark.parametrize("name", ["index.html", "none.js", "..%2frouter.py", "../router.py", "%2e%2e/__init__.py", ""])
def test_nothing_else_is_served(client: TestClient, version: str, name: str) -> None:
    answer = client.get(f"/playground/{version}/{name}")
    assert answer.status_code == 404
    assert "import" not in answer.text


@pytest.mark.parametrize("path", ["/", "/playground", "/playground/"])
def test_head_and_the_ways_to_the_page(client: TestClient, path: str) -> None:
    answer = client.head(path)
    assert answer.status_code == (200 if path == "/" else 307)
    assert answer.content == b""
    assert client.post(path).status_code == 405
    assert client.get(path, follow_redirects=True).text == client.get("/").text


@pytest.mark.parametrize("path", ["/", "/playground", "/playground/", "/playground/0/main.js"])
def test_without_the_setting_there_is_nothing(path: str) -> None:
    assert client_of(playground=False).get(path).status_code == 404


def test_the_interface_still_needs_a_token(client: TestClient) -> None:
    assert client.get("/v1/strategies").status_code == 401
    assert client.post("/v1/chunk", json={"text": "a"}).status_code == 401
    assert client.get("/playground/../v1/strategies").status_code in (401, 404)
    assert "/playground/{version}/{name}" not in client.get("/openapi.json").json()["paths"]


@pytest.mark.parametrize("name", ["index.html", *ASSETS])
def test_files_are_small_and_load_nothing_from_elsewhere(name: str) -> None:
    text = text_of(name)
    assert len(text.splitlines()) < 400
    assert not re.search(r"https?:|//[\w.-]+\.\w|@import|\burl\(", text)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\(", text)
    assert not re.search(r"localStorage|document\.cookie", text)


def test_the_page_has_no_inline_script_or_style(client: TestClient) -> None:
    page = client.get("/").text
    assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    assert "<style" not in page
    assert not re.search(r"\s(style|on\w+)\s*=", page)
    loaded = re.findall(r"playground/[0-9a-f]{16}/([\w.]+)", page)
    assert sorted(set(loaded)) == ASSETS


class Strategy:
    unused: tuple[str, ...] = ()

    def __init__(self, **options: Any) -> None:
        vars(self).update(options)


class Words:
    def __call__(self, text: str) -> int:
        return len(text.split())


@pytest.mark.parametrize(
    ("strategy", "unit", "size"),
    [
        (None, "characters", 9),
        (Strategy(), "characters", 9),
        (Strategy(length_function="utf16"), "UTF-16 units", 10),
        (Strategy(length_function="bytes"), "bytes", 12),
        (Strategy(length_function="words"), "words", 3),
        (Strategy(length_function="cl100k_base"), "tokens (cl100k_base)", None),
        (Strategy(length_function="characters", encoding="gpt2", unused=("length_function",)), "tokens (gpt2)", None),
        (Strategy(length_function="of another registry"), "characters", 9),
        (Strategy(length_function=Words()), "length units", 3),
    ],
)
def test_sizes_are_in_the_unit_of_the_strategy(strategy: Any, unit: str, size: int | None) -> None:
    found, measure = measure_of(strategy)
    assert found == unit
    if size is None:
        assert 0 < measure("ab 🚣 cdef") <= 12
    else:
        assert measure("ab 🚣 cdef") == size


def test_development_mode_prints_an_address_that_works_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    from cantle_server.commands.serve import _told

    for playground in (True, False):
        app = create_app(Settings(dev=True, workers=1, playground=playground))
        _told("http://127.0.0.1:8000", app)
        token, told = capsys.readouterr()
        assert (f"The playground: http://127.0.0.1:8000/#token={token.strip()}\n" in told) is playground
        bearer = {"Authorization": f"Bearer {token.strip()}"}
        assert TestClient(app).get("/v1/strategies", headers=bearer).status_code == 200
