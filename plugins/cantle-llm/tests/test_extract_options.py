"""Extraction by a model: options, and who is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scripted_extraction
from click.testing import CliRunner
from scripted_extraction import BOOK, PARTS, TEXT, Setup, part_of, values

from cantle import Chunks, MDocument, chunk_many
from cantle.cli import cli
from cantle.errors import ExtractionError, OptionError, UnusedOptionWarning
from cantle_llm import ModelError, ModelWarning
from cantle_llm.extracting import EXTRACTORS

# Options


@pytest.mark.parametrize(
    ("field", "options", "message"),
    [
        ("summary", {"summaries": ["bad"]}, r"summaries must be a list of 'self', 'prev', 'next', got \['bad'\]"),
        ("summary", {"summaries": 3}, "summaries must be"),
        ("summary", {"prompt_template": 3}, "prompt_template must be a string, got 3"),
        ("summary", {"single_line": "yes"}, "single_line must be True or False"),
        ("questions", {"questions": -1}, "questions must be a whole number greater than 0, or 0, got -1"),
        ("questions", {"questions": 2.5}, "questions must be"),
        ("questions", {"embedding_only": 1}, "embedding_only must be True or False"),
        ("keywords", {"keywords": True}, "keywords must be"),
        ("title", {"nodes": 0}, "nodes must be a whole number greater than 0, got 0"),
        ("title", {"model": " "}, "model must be a name, not blank"),
        ("title", {"language": "de"}, "language must be one of 'en', 'pt', got 'de'"),
        ("title", {"llm": 5}, "llm must be a Client, an object with complete"),
        ("title", {"llm": "a", "model": "b"}, "both name a model"),
        ("title", {"llm": "a", "nods": 1}, "has no option 'nods'. Did you mean 'nodes'"),
        ("schema", {"schema": None}, r"schema must be a JSON Schema .* None is given"),
        ("schema", {"schema": 7}, "schema must be a JSON Schema .*got 7"),
        ("schema", {"schema": {"type": "array"}}, 'no "type": "object" at the top'),
        ("schema", {"schema": {"type": "objekt"}}, "no JSON Schema"),
        ("schema", {"schema": {"type": "object", "default": object}}, "must be a JSON value"),
        ("schema", {"schema": int}, 'no "type": "object" at the top'),
        ("schema", {"schema": {"type": "object"}, "metadata_key": ""}, "metadata_key must be a name"),
    ],
)
def test_wrong_options_are_said_before_anything_is_asked(
    field: str, options: dict[str, Any], message: str, model: Setup
) -> None:
    with pytest.raises(OptionError, match=message):
        EXTRACTORS[field](MDocument(TEXT), MDocument(TEXT).chunk(), {"llm": model.client(), **options})
    assert model.prompts == []


def test_no_field_is_paid_for_before_the_options_of_all_are_checked(model: Setup) -> None:
    for wrong in ({"nodes": 0}, {"language": "de"}, {"model": ""}, {"node_template": 3}):
        fields = {"summary": {"llm": model.client()}, "title": {"llm": model.client(), **wrong}}
        with pytest.raises(OptionError, match=next(iter(wrong))):
            MDocument(TEXT).chunk(extract=fields)
    with pytest.raises(ModelError, match="No key"):
        MDocument(TEXT).chunk(extract={"summary": {"llm": model.client()}, "title": {"llm": "no key"}})
    assert model.prompts == []


def test_camel_case_is_for_json(model: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model.answer = lambda asked: "ok"
    with pytest.raises(OptionError, match=r"no option 'nodeTemplate'.* Did you mean 'node_template'"):
        model.extract("title", nodeTemplate="N {context}")
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    (tmp_path / "x.txt").write_text("x")
    fields = {"title": {"llm": "m", "nodeTemplate": "N {context}", "combineTemplate": "C {context}"}}
    result = CliRunner().invoke(cli, ["chunk", str(tmp_path / "x.txt"), "-O", f"extract={json.dumps(fields)}"])
    assert result.exit_code == 0, result.stderr
    assert model.prompts == ["N x", "C ok"]


def test_embedding_only_has_no_effect(model: Setup) -> None:
    model.answer = lambda asked: "ok"
    with pytest.warns(UnusedOptionWarning, match="embedding_only has no effect") as warned:
        model.extract("questions", embedding_only=True)
    assert warned[0].filename == scripted_extraction.__file__
    model.extract("questions", embedding_only=False)


def test_a_template_without_the_text_is_a_warning(model: Setup) -> None:
    model.answer = lambda asked: "ok"
    with pytest.warns(UnusedOptionWarning, match=r"prompt_template has no \{context\}"):
        model.extract("keywords", prompt_template="Five words.")


def test_an_empty_system_message_is_not_sent(model: Setup) -> None:
    model.answer = lambda asked: {"a": 1}
    model.extract("schema", schema={"type": "object"}, instructions="")
    assert all(len(asked.messages) == 1 for asked in model.server.requests)


def test_the_host_knows_the_options_of_each_field() -> None:
    for field, extractor in EXTRACTORS.items():
        assert extractor.field == field
        assert {"llm", "model", "language"} < set(extractor.options)
    with pytest.raises(OptionError, match="has no option 'nods'"):
        MDocument(TEXT).chunk(extract={"title": {"by": "llm", "nods": 1}})


# Who is asked


def test_the_client_of_the_variables(model: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CANTLE_LLM_MODEL", "from-env")
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    monkeypatch.setenv("CANTLE_LLM_ANSWERS", str(tmp_path / "answers"))
    for _ in range(2):
        found = MDocument(TEXT).chunk("character", extract={"title": {"by": "llm"}})
        assert values(found, "document_title") == ["about 0", "about 1", "about 2"]
    assert {asked.body["model"] for asked in model.server.requests} == {"from-env"}
    assert len(model.prompts) == 3  # one client for both, whose answers are on file
    MDocument(TEXT).chunk("character", extract={"title": {"llm": "named"}})
    assert {asked.body["model"] for asked in model.server.requests[3:]} == {"named"}


def test_a_spending_limit_of_the_variables_counts_for_all_documents(
    model: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANTLE_LLM_MODEL", "limited")
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    monkeypatch.setenv("CANTLE_LLM_PRICE", "0,1000")
    monkeypatch.setenv("CANTLE_LLM_BUDGET", "10")
    monkeypatch.setenv("CANTLE_LLM_MAX_OUTPUT_TOKENS", "3000")
    model.server._usage = lambda asked, text: (1, 3000)
    model.answer = lambda asked: "ok"
    for text in ("one", "two", "three"):
        MDocument(text).chunk(extract={"title": {"by": "llm"}})
    with pytest.raises(ExtractionError, match="spending limit"):
        MDocument("four").chunk(extract={"title": {"by": "llm"}})
    assert len(model.prompts) == 3


def test_without_a_model_or_a_key_the_error_says_what_to_set() -> None:
    with pytest.raises(OptionError, match=r"CANTLE_LLM_MODEL"):
        MDocument(TEXT).chunk(extract={"questions": True})
    with pytest.raises(ModelError, match=r"CANTLE_LLM_API_KEY"):
        MDocument(TEXT).chunk(extract={"questions": {"model": "m"}})


def test_a_model_for_one_field(model: Setup) -> None:
    model.extract("title", model="other")
    assert {asked.body["model"] for asked in model.server.requests} == {"other"}


class Own:
    """A client of another library."""

    def __init__(self, answer: Callable[[str], Any], concurrency: int | None = None) -> None:
        self.answer, self.seen = answer, list[tuple[Any, dict[str, Any]]]()
        if concurrency is not None:
            self.concurrency = concurrency

    def complete(self, messages: list[dict[str, str]], **options: Any) -> Any:
        self.seen.append((messages, options))
        answer = self.answer(messages[-1]["content"])
        if isinstance(answer, Exception):
            raise answer
        return answer


class OwnAsync(Own):
    async def complete(self, messages: list[dict[str, str]], **options: Any) -> Any:
        await asyncio.sleep(0)
        return super().complete(messages, **options)


@pytest.mark.parametrize("kind", [Own, OwnAsync])
@pytest.mark.parametrize("concurrency", [None, 3])
def test_any_client(kind: type[Own], concurrency: int | None) -> None:
    own = kind(lambda prompt: f"about {part_of(prompt)}", concurrency)
    found = MDocument(TEXT).chunk("character", extract={"summary": {"llm": own, "model": "mine"}})
    assert values(found, "section_summary") == ["about 0", "about 1", "about 2"]
    assert [options for _, options in own.seen] == [{"temperature": 0.0, "model": "mine"}] * 3
    assert [message["role"] for message in own.seen[0][0]] == ["system", "user"]


@pytest.mark.parametrize("kind", [Own, OwnAsync])
def test_any_client_is_asked_for_json_in_words(kind: type[Own]) -> None:
    answers = iter(["no JSON", '```json\n{"topic": "tides", "level": 1}\n```'])
    own = kind(lambda prompt: next(answers))
    (chunk,) = MDocument("x").chunk(extract={"schema": {"schema": BOOK, "llm": own}})
    assert chunk.metadata == {"topic": "tides", "level": 1}
    system = own.seen[0][0][0]["content"]
    assert json.dumps(BOOK) in system
    assert own.seen[0][0][1]["content"] == "x"


def test_what_any_client_raises_is_a_failure_of_that_chunk() -> None:
    own = Own(lambda prompt: ValueError("no luck") if part_of(prompt) == 1 else "ok")
    with pytest.warns(ModelWarning, match=r"chunk #1-\w+: .*ValueError: no luck"):
        found = MDocument(TEXT).chunk("character", extract={"keywords": {"llm": own, "by": "llm"}})
    assert values(found, "excerpt_keywords") == ["ok", None, "ok"]
    assert "excerpt_keywords" not in found[1].metadata


@pytest.mark.parametrize("answer", [5, b"bytes"])
def test_any_client_must_answer_text(answer: Any) -> None:
    with pytest.raises(ExtractionError, match=r"complete\(\) must give a str, got"):
        MDocument("x").chunk(extract={"keywords": {"llm": Own(lambda prompt: answer), "by": "llm"}})


def test_in_a_running_loop(model: Setup) -> None:
    async def main() -> Chunks:
        return await MDocument(TEXT).achunk("character", extract={"title": {"by": "llm", "llm": model.client()}})

    assert values(asyncio.run(main()), "document_title") == ["about 0", "about 1", "about 2"]


def test_many_documents_in_one_stream(model: Setup) -> None:
    fields = {"keywords": {"by": "llm", "llm": model.client()}}
    results = list(chunk_many([MDocument(part) for part in PARTS], extract=fields))
    assert [result.chunks[0].metadata for result in results if result.chunks] == [
        {"excerpt_keywords": f"about {i}"} for i in range(3)
    ]
