"""Recordings to text over real HTTP: the form that is sent, usage in tokens or seconds, prices, answers on file."""

from __future__ import annotations

import json
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import OptionError
from cantle_llm import BudgetError, Client, ModelError, transcribe
from cantle_llm.client.prices import price_of
from cantle_llm.testing import Asked, Fault, ScriptedServer

HEAD = b"RIFF\x2c\0\0\0WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + b"\x08\0\0\0"
WAV = HEAD + bytes(range(120, 128)) + b"\r\n--\r\n\xff\x00\n"


def answer(asked: Asked) -> str:
    assert asked.file is not None
    return f" heard {len(asked.file.data)} bytes\n"


def test_the_recording_is_sent_as_a_form_and_its_text_comes_back() -> None:
    with ScriptedServer(answer) as server, Client("whisper-1", base_url=server.url) as client:
        text = transcribe(WAV, "meeting of 3 May.WAV", client=client, language="pt", prompt="Núcleo Desk \ud800")
        asked = server.requests[0]
    assert text == f"heard {len(WAV)} bytes"
    assert asked.file == ("recording.wav", "audio/wav", WAV)
    assert asked.body == {
        "model": "whisper-1",
        "response_format": "json",
        "language": "pt",
        "prompt": "Núcleo Desk \ufffd",
    }
    assert (asked.prompt, asked.messages, asked.format, asked.schema) == ("Núcleo Desk \ufffd", [], "json", None)


def test_only_what_is_given_is_sent() -> None:
    with ScriptedServer(answer) as server, Client("chat", base_url=server.url, max_output_tokens=5) as client:
        transcribe(WAV, client=client, model="gpt-4o-transcribe")
        assert server.requests[0].body == {"model": "gpt-4o-transcribe", "response_format": "json"}


@pytest.mark.parametrize(
    ("data", "name", "sent"),
    [
        (WAV, "", "recording.wav"),
        (WAV, "x.mp3", "recording.wav"),
        (WAV, "no ending", "recording.wav"),
        (WAV, "../../x.wav", "recording.wav"),
        (b"ID3\x04" + bytes(9), "x.mpga", "recording.mpga"),
        (b"ID3\x04" + bytes(9), "x.MP3", "recording.mp3"),
        (b"\xff\xfb\x90\x00" + bytes(9), "x", "recording.mp3"),
        (b"\x00\x00\x01\xba" + bytes(9), "x.mpg", "recording.mpeg"),
        (b"\x00\x00\x00\x20ftypM4A \x00", "x", "recording.m4a"),
        (b"\x00\x00\x00\x20ftypisom\x00", "x.mp4", "recording.mp4"),
        (b"\x00\x00\x00\x20ftypisom\x00", "x.m4a", "recording.m4a"),
        (b"\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm", "x.webm", "recording.webm"),
        (b"OggS\x00", "x.oga", "recording.ogg"),
        (b"fLaC\x00", "x.flac", "recording.flac"),
    ],
)
def test_the_ending_that_is_sent_fits_the_bytes(data: bytes, name: str, sent: str) -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        transcribe(data, name, client=client)
        file = server.requests[0].file
    assert file is not None
    assert (file.name, file.data) == (sent, data)


def test_tokens_of_sound_are_counted_and_paid_as_such() -> None:
    with (
        ScriptedServer(answer, usage=lambda asked, text: (1000, 100)) as server,
        Client("gpt-4o-transcribe", base_url=server.url, provider="openai") as client,
    ):
        transcribe(WAV, client=client)
        usage, cost = client.usage, client.cost
    assert (usage.input_tokens, usage.audio_tokens, usage.output_tokens) == (1000, 1000, 100)
    assert (usage.is_estimated, cost.pricing_missing) == (False, False)
    price = price_of("gpt-4o-transcribe", "openai")
    assert price is not None
    assert (cost.input_cost, cost.output_cost) == price.cost(1000, 100, audio=1000)
    assert cost.input_cost > price.cost(1000, 100)[0]


def test_seconds_are_paid_by_the_hour_where_that_is_the_price() -> None:
    reply = Fault.raw({"text": "hello", "usage": {"type": "duration", "seconds": 90}})
    with ScriptedServer([reply]) as server, Client("whisper-1", base_url=server.url, provider="openai") as client:
        assert transcribe(WAV, client=client) == "hello"
        usage, cost = client.usage, client.cost
    assert (usage.audio_seconds, usage.is_estimated) == (90, True)
    if price_of("whisper-1", "openai") is None:
        pytest.skip("this release of genai-prices has no prices by the hour")
    assert cost.pricing_missing is False
    assert cost.total_cost == Decimal("0.36") / 40


@pytest.mark.parametrize("usage", [None, {}, "many", {"type": "duration"}, {"type": "duration", "seconds": "9"}])
def test_without_counts_tokens_are_estimated_and_the_price_is_missing(usage: Any) -> None:
    with (
        ScriptedServer([Fault.raw({"text": "one two", "usage": usage})]) as server,
        Client("whisper-1", base_url=server.url, provider="openai") as client,
    ):
        transcribe(WAV + bytes(80_000), client=client)
        assert client.usage.is_estimated
        assert client.usage.input_tokens > 100
        assert client.cost.pricing_missing


def test_answers_on_file_know_the_recording_by_its_hash_alone(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    with (
        ScriptedServer(answer, usage=lambda asked, text: (1000, 100)) as server,
        Client("gpt-4o-transcribe", base_url=server.url, provider="openai", answers=file) as client,
    ):
        first = transcribe(WAV, "a.wav", client=client)
        assert transcribe(WAV, "b.wav", client=client) == first
        assert transcribe(WAV, client=client, language="pt") == first
        assert transcribe(WAV, client=client, prompt="names") == first
        assert transcribe(WAV + b"\0", client=client) != first
        assert len(server.requests) == 4
        assert client.recorded_usage.audio_tokens == 1000
        assert client.recorded_cost.total_cost * 4 == client.cost.total_cost
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert lines[0]["usage"]["audio"] == 1000
    assert all(len(json.dumps(line)) < 300 for line in lines)
    with Client("gpt-4o-transcribe", answers=file, replay=True) as replayed:
        assert transcribe(WAV, client=replayed) == first


def test_silence_is_an_answer() -> None:
    with ScriptedServer([""]) as server, Client("m", base_url=server.url) as client:
        assert transcribe(WAV, client=client) == ""
        assert len(server.requests) == 1


def test_a_spending_limit_sets_a_recording_aside_first() -> None:
    sound = WAV + bytes(400_000)
    with ScriptedServer(answer) as server, Client("m", base_url=server.url, token_budget=2000) as client:
        with pytest.raises(BudgetError):
            transcribe(sound, client=client)
        assert server.requests == []
    with (
        ScriptedServer(answer, usage=lambda asked, text: (500, 100)) as server,
        Client("gpt-4o-transcribe", base_url=server.url, provider="openai", budget=1) as client,
    ):
        assert transcribe(sound, client=client)
        assert client.control.decision == "allow"


def test_what_is_lost_is_tried_again_and_failures_are_those_of_the_client() -> None:
    with ScriptedServer([Fault.http(503), Fault.dropped(), Fault.garbage(), "hello"]) as server:
        with Client("m", base_url=server.url, retries=3) as client:
            assert transcribe(WAV, client=client) == "hello"
        assert [asked.file.data for asked in server.requests if asked.file] == [WAV] * 4
    for fault, reason in (
        (Fault.http(401), "unauthorized"),
        (Fault.http(413, "Maximum content size limit (26214400) exceeded"), "context_length"),
        (Fault.http(400, "Invalid file format."), "bad_request"),
        (Fault.http(404, "no such model"), "not_found"),
        (Fault.raw({"choices": []}), "server_error"),
        (Fault.raw({"error": {"message": "over", "code": 429}}), "rate_limited"),
        (Fault.garbage(), "server_error"),
    ):
        with ScriptedServer([fault]) as server, Client("m", base_url=server.url, retries=0) as client:
            with pytest.raises(ModelError) as raised:
                transcribe(WAV, client=client)
            assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": b""}, "got none"),
        ({"data": "text"}, "must be the bytes"),
        ({"data": b"%PDF-1.4"}, "of type application/pdf"),
        ({"data": b"plain text"}, "mp3, mpga, mpeg, m4a, mp4, wav, webm, ogg, flac"),
        ({"data": WAV + bytes(26_214_400)}, "the limit is 26,214,400"),
        ({"data": WAV, "max_bytes": 10}, "Divide it"),
        ({"data": WAV, "language": "Portuguese"}, "'en' or 'pt'"),
        ({"data": WAV, "language": None}, "'en' or 'pt'"),
        ({"data": WAV, "name": None}, "must be strings"),
        ({"data": WAV, "prompt": 3}, "must be strings"),
        ({"data": WAV, "client": "whisper-1"}, "cantle_llm.Client"),
    ],
)
def test_wrong_arguments_are_told_before_anything_is_sent(arguments: dict[str, Any], message: str) -> None:
    with ScriptedServer(answer) as server, Client("m", base_url=server.url) as client:
        with pytest.raises(OptionError, match=message):
            transcribe(**{"client": client, **arguments})
        assert server.requests == []


def test_a_form_without_a_file_is_refused_by_the_scripted_server() -> None:
    import urllib.error
    import urllib.request

    with ScriptedServer(answer) as server:
        request = urllib.request.Request(f"{server.url}/audio/transcriptions", b"{}", {"Content-Type": "text/plain"})
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(request)
        assert raised.value.code == 400
        raised.value.close()
