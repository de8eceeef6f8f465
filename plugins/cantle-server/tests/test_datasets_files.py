"""Files into datasets: what `POST /v1/datasets/{id}/documents` makes of a form."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from cantle_server.app import create_app
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from service_parts import Embedder, bearer, settings

LEAVE = b"---\ndept: hr\nyear: 2026\n---\n# Leave\n\nThirty days a year.\n\n# Sickness\n\nCall before nine.\n"
_numbers = itertools.count()


@pytest.fixture(scope="module")
def http() -> Iterator[TestClient]:
    with (
        Store("sqlite://", embedder=Embedder()) as store,
        TestClient(create_app(settings(max_characters=1000), store=store)) as client,
    ):
        yield client


class Files:
    """A dataset of a host of its own."""

    def __init__(self, http: TestClient) -> None:
        self.http, self.name = http, f"files-{next(_numbers)}"
        made = http.post("/v1/datasets", json={"name": "docs"}, headers=bearer(self.name))
        self.path = f"/v1/datasets/{made.json()['id']}/documents"

    def send(self, data: bytes, name: str = "leave.md", host: str = "", roles: Any = None, **fields: str) -> Response:
        headers = bearer(host or self.name, roles=roles)
        return self.http.post(self.path, files={"file": (name, data)}, data=fields, headers=headers)

    def documents(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.http.get(self.path, headers=bearer(self.name)).json()["documents"]
        return found


@pytest.fixture
def files(http: TestClient) -> Files:
    return Files(http)


def test_a_file_is_kept_by_its_name_and_kind_with_its_front_matter(files: Files) -> None:
    made = files.send(LEAVE, options='{"maxSize": 40, "overlap": 0}')
    assert made.status_code == 200, made.text
    assert (made.json()["source"], made.json()["new"], made.json()["embedded"]) == ("leave.md", 2, 2)
    again = files.send(LEAVE, options='{"maxSize": 40, "overlap": 0}').json()
    assert (again["new"], again["kept"], again["embedded"]) == (0, 2, 0)
    (document,) = files.documents()
    assert document["metadata"] == {"dept": "hr", "year": 2026}
    chunks = files.http.get(files.path.replace("documents", "chunks"), headers=bearer(files.name)).json()["chunks"]
    assert [one["path"] for one in chunks] == [["Leave"], ["Sickness"]]
    assert all("dept:" not in one["text"] for one in chunks)


def test_fields_go_before_what_the_file_says(files: Files) -> None:
    made = files.send(LEAVE, source="a/b.md", metadata='{"dept": "legal"}', strategy="recursive")
    assert (made.status_code, made.json().get("source")) == (200, "a/b.md"), made.text
    kept = files.send("caf\u00e9".encode("cp1252"), "menu.txt", encoding="cp1252", kind="text")
    assert kept.status_code == 200
    keep = files.send(LEAVE, "raw.md", frontMatter="keep")
    assert keep.status_code == 200
    found = {one["source"]: one["metadata"] for one in files.documents()}
    assert found == {"a/b.md": {"dept": "legal", "year": 2026}, "menu.txt": {}, "raw.md": {"dept": "hr", "year": 2026}}
    chunks = files.http.get(files.path.replace("documents", "chunks"), headers=bearer(files.name)).json()["chunks"]
    assert [one["text"] for one in chunks if one["source"] == "menu.txt"] == ["caf\u00e9"]
    assert any("dept: hr" in one["text"] for one in chunks if one["source"] == "raw.md")
    assert not any("dept: hr" in one["text"] for one in chunks if one["source"] == "a/b.md")


def test_a_path_in_the_name_is_left_out(files: Files) -> None:
    assert files.send(b"a", "../../etc/a.txt").json()["source"] == "a.txt"
    assert files.send(b"a", "C:\\\\files\\\\b.txt").json()["source"] == "b.txt"


def test_another_host_and_a_token_with_roles_may_not(files: Files) -> None:
    other = files.send(LEAVE, host="somebody-else")
    none = files.http.post(
        "/v1/datasets/00000000-0000-5000-8000-000000000000/documents",
        files={"file": ("a.txt", b"a")},
        headers=bearer("somebody-else"),
    )
    assert (other.status_code, none.status_code) == (404, 404)
    assert other.json()["error"]["code"] == none.json()["error"]["code"] == "not_found"
    for roles in ([], ["hr"]):
        refused = files.send(LEAVE, roles=roles)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
    unknown = files.http.post(files.path, files={"file": ("a.txt", b"a")})
    assert unknown.status_code == 401
    assert files.documents() == []


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"colour": "red"}, 422, "unknown_field"),
        ({"stream": "true"}, 422, "unknown_field"),
        ({"text": "a"}, 422, "invalid_field"),
        ({"options": "{"}, 400, "invalid_json"),
        ({"options": "[]"}, 422, "invalid_field"),
        ({"options": '{"nothing": 1}'}, 422, "invalid_option"),
        ({"options": '{"model": "gpt"}'}, 422, "invalid_option"),
        ({"options": '{"metadata": {}}'}, 422, "invalid_option"),
        ({"strategy": "nothing"}, 422, "unknown_strategy"),
        ({"encoding": "nothing"}, 422, "invalid_option"),
        ({"frontMatter": "maybe"}, 422, "invalid_option"),
        ({"source": "x" * 1001}, 422, "invalid_field"),
    ],
)
def test_wrong_fields_are_told_and_nothing_is_kept(
    files: Files, fields: dict[str, str], status: int, code: str
) -> None:
    made = files.send(LEAVE, **fields)
    assert (made.status_code, made.json()["error"]["code"]) == (status, code), made.text
    assert files.documents() == []


def test_forms_without_a_file_or_with_two_or_too_long_ones_are_refused(files: Files) -> None:
    headers = bearer(files.name)
    both = [("file", ("a.txt", b"a")), ("file", ("b.txt", b"b"))]
    assert files.http.post(files.path, files=both, headers=headers).status_code == 422
    assert files.http.post(files.path, files={"other": ("a.txt", b"a")}, headers=headers).status_code == 422
    assert files.send(b"a" * 1001, "a.txt").json()["error"]["code"] == "too_many_characters"
    broken = {**headers, "Content-Type": "multipart/form-data"}
    assert files.http.post(files.path, content=b"a", headers=broken).json()["error"]["code"] == "invalid_form"
    assert files.documents() == []


def test_other_routes_take_no_forms_and_the_openapi_document_tells_of_this_one(files: Files) -> None:
    form = files.http.post("/v1/search", files={"file": ("a.txt", b"a")}, headers=bearer(files.name))
    assert form.status_code == 415
    document = files.http.get("/openapi.json").json()
    content = document["paths"]["/v1/datasets/{dataset_id}/documents"]["post"]["requestBody"]["content"]
    assert content.keys() == {"application/json", "multipart/form-data"}
    fields = content["multipart/form-data"]["schema"]["properties"]
    assert fields.keys() == {"file", "source", "kind", "strategy", "options", "metadata", "encoding", "frontMatter"}
    assert json.dumps(document)
