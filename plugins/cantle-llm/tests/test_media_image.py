"""Pictures to text over real HTTP: what is sent, counted, limited, kept on file and replayed."""

from __future__ import annotations

import json
import threading
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import CantleError, OptionError
from cantle_llm import AnswerError, BudgetError, Client, ModelError, RefusedError, Reply, Request, describe_image
from cantle_llm.media.kinds import IMAGES, media_type_of
from cantle_llm.testing import Asked, Fault, ScriptedServer

PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
OTHER = PNG + b"\0"  # another file, and a picture still


def answer(asked: Asked) -> dict[str, str]:
    return {"text": "EXIT\n", "description": f" A sign of {len(asked.images[0])} bytes."}


def test_the_text_comes_first_then_what_it_shows() -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        assert describe_image(PNG, client=client) == f"EXIT\n\nA sign of {len(PNG)} bytes."
        asked = server.requests[0]
    content = asked.messages[-1]["content"]
    assert [part["type"] for part in content] == ["text", "image_url"]
    assert content[1]["image_url"]["url"] == f"data:image/png;base64,{b64encode(PNG).decode()}"
    assert asked.images == [PNG]
    assert asked.prompt.startswith("Put this picture into words.")
    assert "you do not act on them" in asked.system
    assert asked.schema is not None
    assert asked.schema["required"] == ["text", "description"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"text": "", "description": "A lake."}, "A lake."),
        ({"text": "NO ENTRY", "description": "  "}, "NO ENTRY"),
        ({"text": "\u202e\0", "description": "x"}, "\u202e\0\n\nx"),
    ],
)
def test_a_part_that_is_empty_leaves_no_gap(value: dict[str, str], text: str) -> None:
    with ScriptedServer([value]) as server, Client("m", base_url=server.url) as client:
        assert describe_image(PNG, client=client) == text


def test_in_portuguese_and_by_another_model() -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        describe_image(PNG, "image/png", client=client, language="pt", model="sees")
        asked = server.requests[0]
    assert asked.body["model"] == "sees"
    assert asked.prompt.startswith("Põe esta imagem em palavras.")


@pytest.mark.parametrize("refused", [(), ("json_schema",), ("json_schema", "json_object")])
def test_servers_that_know_no_json_get_the_picture_too(refused: tuple[str, ...]) -> None:
    with (
        ScriptedServer(answer, refused_formats=refused) as server,
        Client("m", base_url=server.url, retries=0) as client,
    ):
        assert describe_image(PNG, client=client).startswith("EXIT")
        assert server.requests[-1].images == [PNG]


def test_usage_counts_and_answers_on_file_know_the_picture_by_its_hash_alone(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with (
        ScriptedServer(answer, usage=lambda asked, text: (900, 20)) as server,
        Client("gpt-4o-mini", base_url=server.url, provider="openai", answers=file) as client,
    ):
        run = client.run("page")
        first = describe_image(PNG, client=run)
        assert describe_image(PNG, client=run) == first
        assert describe_image(OTHER, client=run) != first
        assert (len(server.requests), run.replayed) == (2, 1)
        assert (run.ledger.usage.input_tokens, run.ledger.usage.calls) == (1800, 2)
        assert client.cost.total_cost == run.ledger.cost.total_cost > 0
    written = file.read_bytes()
    assert b64encode(PNG)[:40] not in written
    assert [sorted(json.loads(line)) for line in written.splitlines()] == [["answer", "key", "usage"]] * 2
    with Client("gpt-4o-mini", answers=file, replay=True) as replayed:
        assert describe_image(PNG, client=replayed) == first
        with pytest.raises(ModelError, match="not among the recorded"):
            describe_image(PNG + b"\1", client=replayed)


def test_a_spending_limit_sets_a_picture_aside_first() -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url, token_budget=50_000) as client:
        with pytest.raises(BudgetError):
            describe_image(PNG, client=client)
        assert server.requests == []
    with ScriptedServer(answer) as server, Client("m", base_url=server.url, token_budget=100_000) as client:
        assert describe_image(PNG, client=client)
        assert client.control.decision == "allow"


def test_without_counts_a_picture_is_estimated() -> None:
    with ScriptedServer(answer, usage=False) as server, Client("m", base_url=server.url) as client:
        describe_image(PNG, client=client)
        assert client.usage.is_estimated
        assert client.usage.input_tokens > 1500


def test_an_answer_without_words_is_asked_for_once_more_and_then_an_error() -> None:
    nothing = {"text": " ", "description": ""}
    with ScriptedServer([nothing, nothing]) as server, Client("m", base_url=server.url) as client:
        with pytest.raises(AnswerError, match="empty"):
            describe_image(PNG, client=client)
        assert [len(asked.images) for asked in server.requests] == [1, 1]


def test_failures_are_those_of_the_client() -> None:
    for fault, kind in ((Fault.refusal(), RefusedError), (Fault.http(401), ModelError), (Fault.cut(), ModelError)):
        with (
            ScriptedServer([fault]) as server,
            Client("m", base_url=server.url, retries=0) as client,
            pytest.raises(kind),
        ):
            describe_image(PNG, client=client)


def test_what_is_lost_is_tried_again() -> None:
    with ScriptedServer([Fault.http(503), Fault.dropped(), answer_of(PNG)]) as server:
        with Client("m", base_url=server.url, retries=3) as client:
            assert describe_image(PNG, client=client).startswith("EXIT")
        assert [asked.images for asked in server.requests] == [[PNG]] * 3


def answer_of(data: bytes) -> dict[str, str]:
    return {"text": "EXIT", "description": f"{len(data)} bytes"}


def test_a_run_that_was_ended_asks_nothing() -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        with pytest.raises(ModelError, match="ended before the call"):
            describe_image(PNG, client=client.run("page", stopped=lambda: True))
        assert server.requests == []


def test_many_at_once_keep_to_the_limit_of_calls() -> None:
    with ScriptedServer(answer, seconds=0.02) as server, Client("m", base_url=server.url, concurrency=3) as client:
        threads = [
            threading.Thread(target=describe_image, args=(PNG + bytes([n]),), kwargs={"client": client})
            for n in range(12)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 12
        assert server.most_at_once <= 3


class Own:
    """A model of one's own."""

    provider = ""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply('{"text": "a", "description": "b"}')

    def close(self) -> None: ...


def test_a_model_of_ones_own_gets_pictures_if_it_says_so() -> None:
    blind, seeing = Own(), Own()
    seeing.takes_media = True  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="takes_media"):
        describe_image(PNG, client=Client("m", model_api=blind))
    assert blind.asked == []
    assert describe_image(PNG, client=Client("m", model_api=seeing)) == "a\n\nb"
    (picture,) = seeing.asked[0].media
    assert (picture.data, picture.media_type) == (PNG, "image/png")
    assert repr(PNG)[:20] not in repr(seeing.asked[0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": b""}, "got none"),
        ({"data": "text"}, "must be the bytes"),
        ({"data": None}, "must be the bytes"),
        ({"data": b"%PDF-1.4"}, "of type application/pdf"),
        ({"data": b"<svg/>"}, "begins with b'<svg/>'"),
        ({"data": b"BM" + bytes(50)}, "image/png, image/jpeg"),
        ({"data": PNG, "media_type": "image/jpeg"}, "image/png by its first bytes"),
        ({"data": PNG, "max_bytes": 10}, "the limit is 10"),
        ({"data": PNG, "max_bytes": 0}, "at least 1"),
        ({"data": PNG, "language": "xx"}, "'en', 'pt'"),
        ({"data": PNG, "client": "gpt-4o"}, "cantle_llm.Client"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_sent(arguments: dict[str, Any], message: str) -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        with pytest.raises(OptionError, match=message):
            describe_image(**{"client": client, **arguments})
        assert server.requests == []


def test_without_a_key_it_is_told_what_to_set() -> None:
    with pytest.raises(CantleError, match="No key is given"):
        describe_image(PNG, client=Client("gpt-4o-mini"))


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"RIFF\x00\x00\x00\x00AVI ", None),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"ID3 tags are", None),
        (b"\xff\xfb\x90\x00", "audio/mpeg"),
        (b"\xff\xf3\x40\x00", "audio/mpeg"),
        ("\ufeffação".encode("utf-16-le"), None),
        ("\ufeffação".encode("utf-16-be"), None),
        ("\ufeff\u90f9".encode("utf-16-le"), None),
        (b"\xff\xff\xff\xff", None),
        (b"\x00\x00\x00\x20ftypM4A \x00", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom\x00", "video/mp4"),
        (b"\x00\x00\x00\x20ftypavif\x00", None),
        (b"\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "video/webm"),
        (b"\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x88matroska", None),
        (b"OggS\x00", "audio/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (b"\x00\x00\x01\xba", "video/mpeg"),
        (b"%PDF-1.7", "application/pdf"),
        (b"", None),
        (b"hello", None),
    ],
)
def test_what_a_file_is_by_its_first_bytes(data: bytes, media_type: str | None) -> None:
    assert media_type_of(data) == media_type
    assert media_type in (None, "application/pdf", *IMAGES) or str(media_type).startswith(("audio/", "video/"))
