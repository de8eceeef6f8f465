"""Extraction by a model: what fails, and what becomes of the rest."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import scripted_extraction
from scripted_extraction import BOOK, TEXT, Setup, part_of, values

from cantle import MDocument
from cantle.errors import ExtractionError
from cantle_llm import Client, ModelError, ModelWarning, Reply, Request
from cantle_llm.testing import Fault


@pytest.mark.parametrize(
    ("field", "key", "options"),
    [
        ("summary", "section_summary", {}),
        ("questions", "questions_this_excerpt_can_answer", {}),
        ("keywords", "excerpt_keywords", {}),
        ("title", "document_title", {}),
        ("schema", "data", {"schema": BOOK, "metadata_key": "data"}),
    ],
)
@pytest.mark.parametrize("failing", [{0}, {1}, {0, 2}])
def test_failures_are_told_and_the_others_kept(
    field: str, key: str, options: dict[str, Any], failing: set[int], model: Setup
) -> None:
    good: Any = {"topic": "t", "level": 1} if field == "schema" else "ok"
    model.answer = lambda asked: Fault.http(400, "bad luck") if part_of(asked.prompt) in failing else good
    with pytest.warns(ModelWarning) as warned:
        found = model.extract(field, **options)
    assert values(found, key) == [None if i in failing else good for i in range(3)]
    assert all(key not in found[i].metadata for i in failing)
    said = [str(one.message) for one in warned]
    assert [found[i].id in message for i, message in zip(sorted(failing), said, strict=False)] == [True] * len(failing)
    assert all("bad luck" in message for message in said[: len(failing)])
    assert len(said) == (1 if len(failing) == 1 else 3)
    assert {one.filename for one in warned} == {scripted_extraction.__file__}
    if len(failing) > 1:
        assert "2 of 3 chunks got nothing." in said[-1]


def test_an_empty_answer_is_told(model: Setup) -> None:
    model.answer = lambda asked: "" if part_of(asked.prompt) == 1 else "ok"
    with pytest.warns(ModelWarning, match="The answer is empty"):
        assert values(model.extract("keywords"), "excerpt_keywords") == ["ok", "", "ok"]
    with pytest.warns(ModelWarning, match="The answer is empty"):
        found = model.extract("summary")
    assert "section_summary" not in found[1].metadata


def test_when_all_calls_fail_it_is_an_error(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(400, "bad luck")
    with pytest.raises(
        ExtractionError, match=r"^extract\['keywords'\]: nothing could be .* all 3 calls failed, first: "
    ) as got:
        model.extract("keywords")
    assert isinstance(got.value.__cause__, ModelError)
    with pytest.raises(ExtractionError, match="the only call failed"):
        model.extract("keywords", text="Tide tables list the times.")


def test_a_wrong_key_ends_the_run_at_once(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "wrong key")
    with pytest.raises(ExtractionError, match="nothing could be extracted: The key is missing, wrong"):
        model.extract("keywords", llm=model.client(concurrency=1))
    assert len(model.prompts) == 1


def test_what_was_paid_for_is_kept_when_a_run_is_stopped(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "revoked") if part_of(asked.prompt) == 1 else "ok"
    with pytest.warns(ModelWarning) as warned:
        found = model.extract("keywords", llm=model.client(concurrency=1))
    assert values(found, "excerpt_keywords") == ["ok", None, None]
    (said,) = (str(one.message) for one in warned)
    assert "2 of 3 chunks got nothing. The run was stopped: The key is missing" in said
    assert "CANTLE_LLM_ANSWERS" in said
    assert len(model.prompts) == 2


def test_what_an_earlier_field_paid_for_is_kept(model: Setup) -> None:
    model.answer = lambda asked: "ok" if "S " in asked.prompt else Fault.http(401, "revoked")
    fields = {
        "summary": {"by": "llm", "llm": model.client(), "prompt_template": "S {context}"},
        "keywords": {"by": "llm", "llm": model.client(concurrency=1), "prompt_template": "K"},
    }
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = MDocument("x").chunk(extract=fields)
    assert [chunk.metadata for chunk in found] == [{"section_summary": "ok"}]
    assert sum("1 of 1 chunk got nothing" in str(one.message) for one in warned) == 1


def test_a_second_run_pays_only_for_what_failed(model: Setup, tmp_path: Path) -> None:
    client = model.client(answers=tmp_path / "answers")
    model.answer = lambda asked: Fault.http(500, "down") if part_of(asked.prompt) == 1 else "ok"
    with pytest.warns(ModelWarning):
        model.extract("summary", llm=client)
    model.answer = lambda asked: "late"
    assert values(model.extract("summary", llm=client), "section_summary") == ["ok", "late", "ok"]
    assert len(model.prompts) == 4
    replay = model.client(answers=tmp_path / "answers", replay=True)
    assert values(model.extract("summary", llm=replay), "section_summary") == ["ok", "late", "ok"]
    assert len(model.prompts) == 4


def test_of_many_failures_the_first_are_told_one_by_one(model: Setup) -> None:
    model.answer = lambda asked: "ok" if "word0 " in f"{asked.prompt.split()[1]} " else Fault.http(400, "no")
    text = "\n\n".join(f"word{i}" for i in range(50))
    with pytest.warns(ModelWarning) as warned:
        model.extract("keywords", text=text, prompt_template="K {context}")
    assert len(warned) == 21
    assert "49 of 50 chunks got nothing" in str(warned[-1].message)


@pytest.mark.parametrize("field", ["summary", "questions", "keywords", "title"])
def test_blank_answers_alone_are_no_failure(field: str, model: Setup) -> None:
    model.answer = lambda asked: ""
    with pytest.warns(ModelWarning, match=r"The answer is empty\.$"):
        (chunk,) = model.extract(field, text="Tide tables list the times.")
    key = {"questions": "questions_this_excerpt_can_answer", "keywords": "excerpt_keywords", "title": "document_title"}
    assert chunk.metadata == ({key[field]: ""} if field in key else {})


def test_one_blank_answer_beside_failures_is_an_answer(model: Setup) -> None:
    model.answer = lambda asked: "" if part_of(asked.prompt) == 0 else Fault.http(400, "bad luck")
    with pytest.warns(ModelWarning) as warned:
        found = model.extract("keywords")
    assert values(found, "excerpt_keywords") == ["", None, None]
    assert "3 of 3 chunks got nothing" in str(warned[-1].message)


def test_what_a_model_of_ones_own_raises_is_a_failure_of_that_chunk() -> None:
    class Api:
        provider = ""

        def ask(self, request: Request) -> Reply:
            if part_of(request.messages[-1]["content"]) == 1:
                raise LookupError("no luck")
            return Reply("ok")

        def close(self) -> None:
            """There is nothing to let go of."""

    client = Client("mine", model_api=Api())
    with pytest.warns(ModelWarning, match=r"chunk #1-.*The client that was given failed\. LookupError: no luck"):
        found = MDocument(TEXT).chunk("character", extract={"keywords": {"llm": client}})
    assert values(found, "excerpt_keywords") == ["ok", None, "ok"]


def test_warnings_do_not_command_the_terminal(model: Setup) -> None:
    model.answer = lambda asked: Fault.refusal("\x1b[2J\x07 no") if part_of(asked.prompt) == 1 else "ok"
    with pytest.warns(ModelWarning, match="no keywords") as warned:
        model.extract("keywords")
    said = str(warned[0].message)
    assert "\ufffd[2J\ufffd no" in said
    assert not {"\x1b", "\x07"} & set(said)
