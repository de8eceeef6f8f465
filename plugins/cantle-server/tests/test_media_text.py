"""Media to text: PDF by a plugin, pictures and recordings by a model behind real HTTP, text as it is."""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from media_servers import Names, Served, failure, fetcher, pdf, reply, serving

from cantle import registry
from cantle_llm import Client, ModelError
from cantle_llm.testing import Asked, Fault, ScriptedServer
from cantle_server.jobs.pdf import pdf_text
from cantle_server.media import Fetcher, MediaText, in_worker, to_text
from cantle_server.settings import Settings

PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
WAV = b"RIFF" + struct.pack("<I", 44) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
WAV += b"data" + struct.pack("<I", 8) + b"\x80" * 8
MP4 = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2" + bytes(64)
SETTINGS = Settings(
    secret="x" * 32, media_hosts=("*",), media_schemes=("http",), model="gpt-4o-mini", audio_model="whisper-1"
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("CANTLE_LLM_", "OPENAI_")):
            monkeypatch.delenv(name)


def answer(asked: Asked) -> Any:
    if asked.file is not None:
        return f"heard {len(asked.file.data)} bytes of {asked.file.name}"
    return {"text": "EXIT", "description": f"A sign, {len(asked.images[0])} bytes."}


@pytest.fixture
def client() -> Iterator[Client]:
    with ScriptedServer(answer) as server, Client("gpt-4o-mini", base_url=server.url, retries=0, reasks=0) as client:
        yield client


def given(data: bytes, content_type: str, client: Any = None, **options: Any) -> MediaText:
    """The text of media that a server gives."""
    with serving({"/m?key=secret": reply(data, content_type)}) as server:
        return to_text(server.url("/m?key=secret"), SETTINGS, client, fetcher=fetcher(server), **options)


def test_a_picture_becomes_its_text_and_what_it_shows(client: Client) -> None:
    found = given(PNG, "image/png", client)
    assert (found.text, found.kind, found.media_type) == (f"EXIT\n\nA sign, {len(PNG)} bytes.", "image", "image/png")
    assert found.url.endswith("/m")
    assert client.usage.calls == 1


@pytest.mark.parametrize(
    ("data", "content_type", "kind", "name"),
    [
        (WAV, "audio/wav", "audio", "recording.wav"),
        (WAV, "audio/x-wav; codec=1", "audio", "recording.wav"),
        (MP4, "video/mp4", "video", "recording.mp4"),
        (MP4, "audio/x-m4a", "audio", "recording.m4a"),
        (WAV, "application/octet-stream", "audio", "recording.wav"),
        (WAV, "", "audio", "recording.wav"),
    ],
)
def test_a_recording_becomes_what_is_said(client: Client, data: bytes, content_type: str, kind: str, name: str) -> None:
    found = given(data, content_type, client)
    assert (found.text, found.kind) == (f"heard {len(data)} bytes of {name}", kind)


def test_what_media_cost_adds_up_in_the_run_that_is_given(client: Client) -> None:
    run = client.run("partition")
    given(PNG, "image/png", run)
    given(WAV, "audio/wav", run)
    assert run.ledger.usage.calls == 2
    assert client.usage == run.ledger.usage.__class__.total([run.ledger.usage], "client")


def test_a_pdf_becomes_the_text_of_its_pages() -> None:
    pytest.importorskip("cantle_files")
    found = given(pdf("First page", "", "Third page"), "application/pdf")
    assert (found.text, found.kind) == ("First page\n\nThird page", "pdf")
    assert len(found.notes) == 1
    assert "page 2 has no text" in found.notes[0]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"%PDF-1.4\nnot really", "cannot be read"),
        (pdf("x")[:200], "cannot be read"),
        (pdf("", ""), "without text"),
    ],
)
def test_a_pdf_that_cannot_be_read_is_told(data: bytes, why: str) -> None:
    pytest.importorskip("cantle_files")
    problem = failure(lambda: given(data, "application/pdf"))
    assert (problem.status, problem.code, why in problem.message) == (422, "media_unreadable", True)


def test_without_a_plugin_for_pdf_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_PLUGINS", "off")
    registry.cache_clear()
    try:
        problem = failure(lambda: given(pdf("x"), "application/pdf"))
    finally:
        registry.cache_clear()
    assert (problem.status, problem.code, "cantle-files" in problem.message) == (415, "media_unsupported", True)


def test_running_lines_and_page_numbers_of_a_pdf_are_left_out() -> None:
    pytest.importorskip("cantle_files")
    lines = [
        f"THE GUIDE) Tj 0 -20 Td (Ships of kind {n} come inter-) Tj 0 -20 Td (nationally.) Tj 0 -20 Td ({n}"
        for n in range(1, 6)
    ]
    found = given(pdf(*lines), "application/pdf")
    assert found.text == "\n\n".join(f"Ships of kind {n} come internationally." for n in range(1, 6))


def test_a_pdf_is_read_where_the_caller_wants_it() -> None:
    pytest.importorskip("cantle_files")
    seen: list[Any] = []

    async def run(function: Any, *arguments: Any) -> Any:
        seen.append((function, arguments[1]))
        return await asyncio.to_thread(function, *arguments)

    async def main() -> MediaText:
        read = in_worker(run, asyncio.get_running_loop())
        return await asyncio.to_thread(given, pdf("Over there"), "application/pdf", read_pdf=read)

    assert asyncio.run(main()).text == "Over there"
    assert seen == [(pdf_text, "media.pdf")]


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        (b"plain", "text/plain", "plain"),
        (b"# Title\n", "text/markdown; charset=utf-8", "# Title\n"),
        ("ação".encode(), "text/plain", "ação"),
        ("ação".encode("latin-1"), "text/plain; charset=ISO-8859-1", "ação"),
        ("\ufeffação".encode(), "text/plain; charset=ISO-8859-1", "ação"),
        ("ação".encode("utf-16"), "text/x-markdown", "ação"),
    ],
)
def test_text_stays_text(data: bytes, content_type: str, text: str) -> None:
    found = given(data, content_type)
    assert (found.text, found.kind) == (text, "text")


@pytest.mark.parametrize(
    ("data", "content_type"),
    [
        (b"<html></html>", "text/html"),
        (b"{}", "application/json"),
        (b"PK\x03\x04", "application/zip"),
        (b"<svg/>", "image/svg+xml"),
        (b"II*\x00", "image/tiff"),
        (b"x", "application/x-executable"),
        (b"x", "text/plain, image/png"),
        (b"x", "*/*"),
        (b"x", "\u00e9\u00e9".encode().decode("latin-1")),
        (b"x", "a" * 5000),
        (b"plain text", ""),
        (b"plain text", "application/octet-stream"),
        (b"MZ\x90\x00", "application/octet-stream"),
        (b"", "image/png"),
        (b"", "text/plain"),
        (b"ol\xe1", "text/plain"),
        (b"ol\xe1", "text/plain; charset=utf-8"),
        (b"hello", "text/plain; charset=klingon"),
        (b"68656c6c6f", "text/plain; charset=hex"),
        (b"a\x00b", "text/plain"),
    ],
)
def test_what_is_nothing_that_becomes_text_is_refused(client: Client, data: bytes, content_type: str) -> None:
    problem = failure(lambda: given(data, content_type, client))
    assert (problem.status, problem.code) == (415, "media_unsupported")
    assert client.usage.calls == 0


@pytest.mark.parametrize("said", ["image/png", "image/jpeg", "application/pdf", "audio/wav", "video/mp4", "text/plain"])
@pytest.mark.parametrize(
    ("data", "is_what"),
    [
        (PNG, "image/png"),
        (pdf("x"), "application/pdf"),
        (WAV, "audio/wav"),
        (MP4, "video/mp4"),
        (b"GIF89a" + pdf("polyglot"), "image/gif"),
        (b"\xff\xd8\xff\xe0" + pdf("polyglot"), "image/jpeg"),
        (b"<script>alert(1)</script>" + PNG, "nothing"),
        (b"\x7fELF" + bytes(64), "nothing"),
    ],
)
def test_bytes_that_are_not_what_the_server_says_are_refused(
    client: Client, data: bytes, said: str, is_what: str
) -> None:
    if said == is_what or (said, is_what) == ("text/plain", "nothing"):
        pytest.skip("they agree, or are text as far as one can tell")
    problem = failure(lambda: given(data, said, client))
    assert (problem.status, problem.code) == (415, "media_unsupported")
    assert f"says that the media is {said}, but its bytes are {is_what}" in problem.message
    assert client.usage.calls == 0


def test_without_a_model_it_is_told_what_is_missing() -> None:
    for data, content_type in ((PNG, "image/png"), (WAV, "audio/wav"), (MP4, "video/mp4")):
        problem = failure(lambda data=data, content_type=content_type: given(data, content_type))  # type: ignore[misc]
        assert (problem.status, problem.code) == (422, "no_model")


def test_a_model_for_chats_is_not_asked_to_hear(client: Client) -> None:
    with serving({"/m": reply(WAV, "audio/wav")}) as server:
        settings = replace(SETTINGS, audio_model=None)
        problem = failure(lambda: to_text(server.url("/m"), settings, client, fetcher=fetcher(server)))
        assert (problem.code, "audio_model" in problem.message, client.usage.calls) == ("no_model", True, 0)
        found = to_text(server.url("/m"), settings, client, fetcher=fetcher(server), audio_model="other")
    assert found.text.startswith("heard")


@pytest.mark.parametrize("fault", [Fault.refusal(), Fault.filtered(), Fault.http(400, "Invalid image.")])
def test_what_the_model_does_not_take_is_told(fault: Fault) -> None:
    with ScriptedServer([fault]) as server, Client("m", base_url=server.url, retries=0, reasks=0) as client:
        problem = failure(lambda: given(PNG, "image/png", client))
    assert (problem.status, problem.code) == (422, "media_unreadable")


@pytest.mark.parametrize("fault", [Fault.http(500), Fault.http(401), Fault.dropped()])
def test_a_model_that_fails_is_the_callers_to_tell(fault: Fault) -> None:
    with (
        ScriptedServer([fault]) as server,
        Client("m", base_url=server.url, retries=0, reasks=0) as client,
        pytest.raises(ModelError),
    ):
        given(PNG, "image/png", client)


def test_a_recording_that_is_too_large_for_the_endpoint_is_told(client: Client) -> None:
    problem = failure(lambda: given(WAV + bytes(27_000_000), "audio/wav", client))
    assert (problem.status, problem.code, "26,214,400" in problem.message) == (422, "media_unreadable", True)


def test_the_services_settings_allow_nothing_that_is_not_public() -> None:
    with serving({"/": reply(b"secret")}) as server:
        for url in (server.url(), f"http://127.0.0.1:{server.port}/", "http://127.0.0.1/", "http://localhost/"):
            problem = failure(lambda url=url: to_text(url, SETTINGS))  # type: ignore[misc]
            assert problem.code == "media_refused"
        assert server.connections == 0


def test_settings_make_the_fetcher() -> None:
    settings = Settings(secret="x" * 32, media_hosts=("*.example.org",), max_media_bytes=5000, media_timeout=7)
    made = Fetcher.of(settings)
    assert (made.max_bytes, made.seconds, tuple(made.rules.hosts)) == (5000, 7, ("*.example.org",))
    assert tuple(made.rules.schemes) == ("https",)
    assert not made.rules.trusted
    assert "media_hosts" in failure(lambda: to_text("https://example.org/", Settings(secret="x" * 32))).message


def test_importing_it_loads_no_http_client() -> None:
    import subprocess

    code = "import sys, cantle_server; print(sorted({'httpx', 'httpcore', 'fastapi', 'cantle_llm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_refused_url_reaches_neither_server_nor_model(client: Client) -> None:
    names = Names(["10.0.0.1"])
    with Served(lambda path, send: None) as server:
        failure(lambda: to_text(server.url(), SETTINGS, client, fetcher=fetcher(server, resolver=names)))
        assert (server.connections, client.usage.calls) == (0, 0)
