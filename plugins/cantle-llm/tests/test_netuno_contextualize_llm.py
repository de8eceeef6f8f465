"""Netuno's cases of `contextualize` with our client, the real SDK and real HTTP.

`script` is what the model answers: with `!` in front an error of the server, the empty string nothing. `calls` is what
it was asked. The cases that are faults of Netuno are those that `cantle.contextualize` mends.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import cantle
from cantle.errors import CantleWarning
from cantle_llm import Client, ModelError, contextualize
from cantle_llm.testing import Asked, Fault, ScriptedServer

LINES = (Path(__file__).parent / "data/netuno_contextualize.jsonl").read_text("utf-8").split("\n")
CASES = {case["id"]: case for case in map(json.loads, filter(None, LINES))}
READY = [name for name, case in CASES.items() if case.get("ready", True)]
EQUAL = [name for name in READY if "fault" not in CASES[name]]


def asked_as_netuno(asked: Asked) -> str:
    """A request as the cases write it; the client's own model stands for none."""
    model = "" if asked.body["model"] == "own" else asked.body["model"]
    lines = [f"model={model} temperature={asked.body['temperature']}"]
    return "\n".join(lines + [f"[{message['role']}] {message['content']}" for message in asked.messages])


def script_of(case: dict[str, Any]) -> list[str | Fault]:
    return [Fault.http(422, answer[1:]) if answer.startswith("!") else answer for answer in case["script"]]


def chunks_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    return list(getattr(cantle.ContextRetrievalChunker(), case["method"])(case["text"], case["options"]))


def run(case: dict[str, Any], direct: bool) -> tuple[list[str], list[dict[str, Any]], str]:
    """The calls, the chunks, and the error that came out. `direct` hands the client to the facade itself."""
    chunks, thrown = chunks_of(case), ""
    with (
        ScriptedServer(script_of(case)) as server,
        Client("own", base_url=server.url, retries=0, reasks=0) as client,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", CantleWarning)
        try:
            if direct:
                chunker = cantle.ContextRetrievalChunker()
                assert chunker.contextualize(client, case["document"], chunks, case["ctxOptions"]) is chunks
            else:
                found = contextualize(chunks, client, document=case["document"], concurrency=1, **case["ctxOptions"])
                assert found.chunks is chunks
        except ModelError as error:
            thrown = error.detail
        return [asked_as_netuno(asked) for asked in server.requests], chunks, thrown


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("name", EQUAL)
def test_equal_to_netuno(name: str, direct: bool) -> None:
    case = CASES[name]
    calls, chunks, thrown = run(case, direct)
    assert calls == case["calls"]
    assert chunks == case["expected"]
    wanted = case.get("thrown", "").removeprefix("java.lang.RuntimeException: ")
    assert wanted in thrown
    assert bool(thrown) == bool(wanted)


@pytest.mark.parametrize("name", ["contextualize-first-empty", "contextualize-first-error"])
def test_a_failure_of_the_first_chunk_stops_nothing(name: str) -> None:
    calls, chunks, thrown = run(CASES[name], False)
    assert [call.partition("|C=")[2].partition("|")[0] for call in calls] == [c["content"] for c in chunks]
    assert [c["context"] for c in chunks] == ["", "n2", "n3"]
    assert not thrown


def test_a_placeholder_in_the_document_or_in_a_chunk_is_text() -> None:
    calls, chunks, _ = run(CASES["contextualize-placeholder-in-document"], False)
    assert calls == ["model= temperature=0.0\n[user] D=doc with {chunk}|C=# A\n\nuses {heading} here|B=A|H=A"]
    assert chunks[0]["context"] == "n"


def ours(client: Client, document: str, chunks: list[dict[str, Any]], options: dict[str, Any]) -> Any:
    return contextualize(chunks, client, document=document, **options)


@pytest.mark.parametrize("way", [cantle.contextualize, ours])
def test_a_client_that_is_not_set_up_says_so_and_changes_nothing(way: Any) -> None:
    (case,) = (CASES[name] for name in CASES if name not in READY)
    chunks, client = chunks_of(case), Client("own")
    with pytest.raises(ModelError, match=r"No key is given\. Give .*CANTLE_LLM_API_KEY"):
        way(client, case["document"], chunks, case["ctxOptions"])
    assert chunks == case["expected"]
    assert case["calls"] == []


def test_every_case_has_its_test() -> None:
    assert len(EQUAL) + 3 + 1 == len(CASES)
