"""Mastra's extraction cases through the real extractors, the real SDK and real HTTP, with the cases' scripted model.

To a user prompt P the model answers two spaces, `A`, the first 8 hexadecimal digits of SHA-256 of P, a line break, the
last three words of P, two spaces; where an object is asked for, `{"tag": those digits, "size": UTF-16 length of P}`.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import cantle
from cantle import Chunks, MDocument
from cantle.errors import CantleError, UnusedOptionWarning
from cantle_llm import Client
from cantle_llm.testing import Asked, ScriptedServer

LINES = (Path(__file__).parent / "data/mastra_extract.jsonl").read_text("utf-8").split("\n")
CASES = [json.loads(line) for line in LINES if line]
NAMES = {
    "section_summary": "sectionSummary",
    "prev_section_summary": "prevSectionSummary",
    "next_section_summary": "nextSectionSummary",
    "questions_this_excerpt_can_answer": "questionsThisExcerptCanAnswer",
    "excerpt_keywords": "excerptKeywords",
    "document_title": "documentTitle",
}
SCHEMA = {
    "type": "object",
    "properties": {"tag": {"type": "string"}, "size": {"type": "integer"}},
    "required": ["tag", "size"],
    "additionalProperties": False,
}
TEXT = "Alpha beta gamma.\n\nDelta epsilon zeta."
ALPHA, DELTA = TEXT.split("\n\n")


def digits(prompt: str) -> str:
    return hashlib.sha256(prompt.encode("utf-8")).hexdigest()[:8]


def model(prompt: str) -> str:
    return f"  A{digits(prompt)}\n{' '.join(prompt.split()[-3:])}  "


def answered(asked: Asked) -> str | dict[str, Any]:
    if asked.schema is not None:
        return {"tag": digits(asked.prompt), "size": len(asked.prompt.encode("utf-16-le")) // 2}
    return model(asked.prompt)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with ScriptedServer(answered) as server, Client("scripted", base_url=server.url, retries=0) as client:
        yield client


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def fields_of(extract: Mapping[str, Any], client: Client) -> dict[str, dict[str, Any]]:
    """The case's fields with our client, our schema, and line breaks taken out as Mastra does."""
    more = {"schema": {"schema": SCHEMA}, "summary": {"single_line": True}, "questions": {"single_line": True}}
    return {
        field: {
            "by": "llm",
            "llm": client,
            **more.get(field, {}),
            **{snake(name): value for name, value in given.items()},
        }
        for field, given in extract.items()
    }


def extracted(case: Mapping[str, Any], client: Client) -> list[dict[str, Any]]:
    options = {snake(name): value for name, value in case["options"].items()}
    strategy, fields = options.pop("strategy"), fields_of(options.pop("extract"), client)
    if "docs" not in case:
        found = MDocument(case["text"], metadata=case.get("metadata") or {}).chunk(strategy, extract=fields, **options)
        return renamed(found)
    parts = [
        MDocument(one["text"], metadata=one.get("metadata") or {}).chunk(strategy, **options) for one in case["docs"]
    ]
    return [row for chunks in cantle.extract(parts, fields) for row in renamed(chunks)]


def renamed(chunks: Chunks) -> list[dict[str, Any]]:
    return [
        {"text": chunk.text, "metadata": {NAMES.get(name, name): value for name, value in chunk.metadata.items()}}
        for chunk in chunks
    ]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" not in case])
def test_equal_but_for_blank_chunks(case: dict[str, Any], client: Client) -> None:
    """Mastra has blank chunks here, and titles of nothing for them; we have none."""
    assert extracted(case, client) == [expected for expected in case["expected"] if expected["text"].strip()]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES if "error" in case])
def test_error(case: dict[str, Any], client: Client) -> None:
    with pytest.raises(CantleError, match=r"summaries must be|keywords must be"):
        extracted(case, client)


def of(extract: Mapping[str, Any], client: Client, **more: Any) -> list[dict[str, Any]]:
    """The metadata of the chunks of the example text, or of `docs`."""
    options = {"strategy": "character", "maxSize": 40, "overlap": 0, "extract": extract}
    case = {"options": options, "text": TEXT, **more}
    return [chunk["metadata"] for chunk in extracted(case, client)]


def flat(prompt: str) -> str:
    return model(prompt).replace("\n", "")


def test_questions(client: Client) -> None:
    found = of({"questions": {"promptTemplate": "Q {numQuestions}: {context}"}}, client)
    assert found == [{"questionsThisExcerptCanAnswer": flat(f"Q 5: {text}").strip()} for text in (ALPHA, DELTA)]


def test_questions_3(client: Client) -> None:
    found = of({"questions": {"promptTemplate": "Q {numQuestions}: {context}", "questions": 3}}, client)
    assert found == [{"questionsThisExcerptCanAnswer": flat(f"Q 3: {text}").strip()} for text in (ALPHA, DELTA)]


def test_no_questions_are_asked_for_as_0(client: Client) -> None:
    found = of({"questions": {"promptTemplate": "Q {numQuestions}: {context}", "questions": 0}}, client)
    assert found == [{"questionsThisExcerptCanAnswer": flat(f"Q 0: {text}").strip()} for text in (ALPHA, DELTA)]


@pytest.mark.parametrize("count", [-1, -5, True, "many"])
def test_bad_questions(count: Any, client: Client) -> None:
    with pytest.raises(CantleError, match=r"\bquestions must be .*, got "):
        of({"questions": {"promptTemplate": "Q", "questions": count}}, client)


def test_unknown_placeholders_become_empty_and_values_are_not_filled_again(client: Client) -> None:
    found = of({"keywords": {"promptTemplate": "{what}K{ x }{} {context}"}}, client, text="A {context} {maxKeywords} z")
    assert found == [{"excerptKeywords": model("K{ x }{} A {context} {maxKeywords} z").strip()}]


def test_summaries_of_the_chunks_around(client: Client) -> None:
    wanted = {"summary": {"promptTemplate": "S: {context}", "summaries": ["self", "prev", "next"]}}
    first, second = flat(f"S: {ALPHA}"), flat(f"S: {DELTA}")
    assert of(wanted, client) == [
        {"sectionSummary": first, "nextSectionSummary": second},
        {"sectionSummary": second, "prevSectionSummary": first},
    ]


@pytest.mark.parametrize(
    ("wanted", "found"), [("prev", [{}, {"prevSectionSummary": 0}]), ("next", [{"nextSectionSummary": 1}, {}])]
)
def test_summaries_of_one_side(wanted: str, found: list[dict[str, int]], client: Client) -> None:
    answers = [flat(f"S: {text}") for text in (ALPHA, DELTA)]
    expected = [{key: answers[number] for key, number in one.items()} for one in found]
    assert of({"summary": {"promptTemplate": "S: {context}", "summaries": [wanted]}}, client) == expected


def test_one_good_summary_is_enough(client: Client) -> None:
    with pytest.warns(UnusedOptionWarning, match="summaries has 'bad'"):
        found = of({"summary": {"promptTemplate": "S: {context}", "summaries": ["bad", "self"]}}, client)
    assert found == [{"sectionSummary": flat(f"S: {text}")} for text in (ALPHA, DELTA)]


def test_no_summaries_are_an_error(client: Client) -> None:
    with pytest.raises(CantleError, match="summaries must be"):
        of({"summary": {"promptTemplate": "S: {context}", "summaries": []}}, client)


def test_the_object_of_a_schema_under_a_key(client: Client) -> None:
    found = of({"schema": {"metadataKey": "data"}}, client)
    assert found == [{"data": {"tag": digits(text), "size": len(text)}} for text in (ALPHA, DELTA)]


def test_sizes_are_utf16(client: Client) -> None:
    assert of({"schema": {}}, client, text="smile \U0001f642") == [{"tag": digits("smile \U0001f642"), "size": 8}]


def test_the_order_of_fields_and_what_later_ones_see(client: Client) -> None:
    extract = {
        "title": {"nodeTemplate": "T: {context}", "combineTemplate": "C: {context}"},
        "keywords": {"promptTemplate": "K: {context}"},
        "questions": {"promptTemplate": "Q: {context}"},
        "summary": {"promptTemplate": "S: {context}"},
        "schema": {},
    }
    (found,) = of(extract, client, text=ALPHA, metadata={"b": [1, None, "x"], "a": True, "c": 1.0, "B": None})
    known: dict[str, Any] = {"B": "null", "a": "true", "b": "1,,x", "c": "1"}

    def prompt() -> str:
        return "\n".join(f"{key}: {known[key]}" for key in sorted(known)) + f"\n\n{ALPHA}"

    known |= {"tag": digits(prompt()), "size": len(prompt())}
    known["sectionSummary"] = flat(f"S: {prompt()}")
    known["questionsThisExcerptCanAnswer"] = flat(f"Q: {prompt()}").strip()
    known["excerptKeywords"] = model(f"K: {prompt()}").strip()
    known["documentTitle"] = model(f"C: {model(f'T: {prompt()}').strip()}")
    assert found == {**known, "B": None, "a": True, "b": [1, None, "x"], "c": 1.0}
    assert list(found)[4:] == [
        "tag",
        "size",
        "sectionSummary",
        "questionsThisExcerptCanAnswer",
        "excerptKeywords",
        "documentTitle",
    ]


def test_an_object_in_a_prompt_is_json(client: Client) -> None:
    found = of({"schema": {"metadataKey": "data"}, "keywords": {"promptTemplate": "K: {context}"}}, client, text=ALPHA)
    data = {"tag": digits(ALPHA), "size": len(ALPHA)}
    prompt = f"K: data: {json.dumps(data)}\n\n{ALPHA}"
    assert found == [{"data": data, "excerptKeywords": model(prompt).strip()}]


def test_several_documents(client: Client) -> None:
    docs = [
        {"text": "one", "metadata": {"docId": 1}},
        {"text": "two", "metadata": {"docId": "1"}},  # Mastra takes both for one document
        {"text": "three", "metadata": {"docId": 0}},
        {"text": "four", "metadata": {"docId": ""}},
    ]
    extract = {
        "summary": {"promptTemplate": "S: {context}", "summaries": ["prev"]},
        "title": {"nodeTemplate": "T: {context}", "combineTemplate": "C: {context}"},
    }
    found = of(extract, client, docs=docs)
    summaries = [flat(f"S: docId: {doc['metadata']['docId']}\n\n{doc['text']}".strip()) for doc in docs]
    assert "prevSectionSummary" not in found[0]
    assert [one["prevSectionSummary"] for one in found[1:]] == summaries[:3]
    contents = [
        "docId: 1\n\none",
        f"docId: 1\nprevSectionSummary: {summaries[0]}".strip() + "\n\ntwo",
        f"docId: 0\nprevSectionSummary: {summaries[1]}".strip() + "\n\nthree",
        f"docId: \nprevSectionSummary: {summaries[2]}".strip() + "\n\nfour",
    ]
    candidates = [model(f"T: {text}").strip() for text in contents]
    both = model(f"C: {candidates[0]}, {candidates[1]}")
    assert [one["documentTitle"] for one in found] == [both, both, *(model(f"C: {c}") for c in candidates[2:])]


def test_false_is_off(client: Client) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = MDocument(TEXT).chunk("character", extract={"summary": False, "title": None, "schema": False})
    assert [chunk.metadata for chunk in found] == [{}, {}]
