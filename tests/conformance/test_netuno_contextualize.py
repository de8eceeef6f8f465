"""Netuno's `contextualize`: what the client is asked, and what becomes of its answers.

`script` is what the client answers: with `!` in front an error, the empty string nothing. `calls` is what it was
asked. The cases marked as faults are those that are mended: an error or an empty answer of the first chunk stops
nothing, and a placeholder inside of the document is text.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

import cantle
from cantle.errors import CantleWarning

LINES = (Path(__file__).parent / "netuno/contextualize/contextualize.jsonl").read_text("utf-8").split("\n")
CASES = {case["id"]: case for case in map(json.loads, filter(None, LINES))}
EQUAL = [name for name, case in CASES.items() if "fault" not in case]


class Boom(Exception):
    pass


class Scripted:
    def __init__(self, case: dict[str, Any]) -> None:
        self.script = list(case["script"])
        self.ready = case.get("ready", True)
        self.calls: list[str] = []

    def complete(self, messages: list[dict[str, str]], **options: Any) -> str:
        lines = [f"model={options.pop('model', '')} temperature={options.pop('temperature')}"]
        self.calls.append("\n".join(lines + [f"[{message['role']}] {message['content']}" for message in messages]))
        assert not options
        answer = self.script.pop(0)
        if answer.startswith("!"):
            raise Boom(answer[1:])
        return str(answer)


def run(case: dict[str, Any]) -> tuple[Scripted, list[dict[str, Any]], str]:
    """The client afterwards, the chunks, and the error that came out."""
    client, chunker, thrown = Scripted(case), cantle.ContextRetrievalChunker(), ""
    chunks = getattr(chunker, case["method"])(case["text"], case["options"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CantleWarning)
        try:
            assert chunker.contextualize(client, case["document"], chunks, case["ctxOptions"]) is chunks
        except Boom as error:
            thrown = str(error)
    return client, chunks, thrown


@pytest.mark.parametrize("name", EQUAL)
def test_equal_to_netuno(name: str) -> None:
    case = CASES[name]
    client, chunks, thrown = run(case)
    assert client.calls == case["calls"]
    assert chunks == case["expected"]
    assert thrown == case.get("thrown", "").removeprefix("java.lang.RuntimeException: ")


@pytest.mark.parametrize("name", ["contextualize-first-empty", "contextualize-first-error"])
def test_a_failure_of_the_first_chunk_stops_nothing(name: str) -> None:
    client, chunks, thrown = run(CASES[name])
    assert [call.partition("|C=")[2].partition("|")[0] for call in client.calls] == [c["content"] for c in chunks]
    assert [c["context"] for c in chunks] == ["", "n2", "n3"]
    assert [c["text"] for c in chunks] == [
        "# A\n\npara um.",
        "n2\n\n# B\n\npara dois.",
        "n3\n\n# C\n\npara três.",
    ]
    assert not thrown


def test_a_placeholder_in_the_document_or_in_a_chunk_is_text() -> None:
    client, chunks, _ = run(CASES["contextualize-placeholder-in-document"])
    assert client.calls == [
        "model= temperature=0.0\n[user] D=doc with {chunk}|C=# A\n\nuses {heading} here|B=A|H=A",
    ]
    assert chunks[0]["context"] == "n"


def test_every_fault_has_its_test() -> None:
    assert set(CASES) - set(EQUAL) == {
        "contextualize-first-empty",
        "contextualize-first-error",
        "contextualize-placeholder-in-document",
    }
