"""`cantle_llm.contextualize`: notes by a model, kept on file, added up, stopped."""

from __future__ import annotations

import json
import threading
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from scripted_extraction import TEXT, Setup, part_of

from cantle import Chunks, ContextRetrievalChunker, MDocument
from cantle.errors import ContextWarning, OptionError
from cantle_llm import Client, Contextualized, ModelError, contextualize, estimate_notes
from cantle_llm.testing import Asked, Fault

TEMPLATE = "{document}|{chunk}"


def chunks_of(text: str = TEXT) -> Chunks:
    return MDocument(text, source="t.md").chunk("character")


def about(asked: Asked) -> Any:
    return f"Note {part_of(asked.prompt.rpartition('|')[2])}"


@pytest.fixture(autouse=True)
def answers(model: Setup) -> None:
    model.answer = about


def notes(found: Contextualized) -> list[Any]:
    return [chunk.metadata.get("context") for chunk in found.chunks]


def test_notes_usage_and_cost(model: Setup) -> None:
    client = model.client(price=(1, 2))
    found = contextualize(chunks_of(), client, template=TEMPLATE)
    assert notes(found) == ["Note 0", "Note 1", "Note 2"]
    assert found.chunks[0].text == f"Note 0\n\n{TEXT.split(chr(10))[0]}"
    assert (found.usage.calls, found.missing, found.error, found.replayed) == (3, (), None, 0)
    read = sum(sum(len(m["content"].split()) for m in asked.messages) for asked in model.server.requests)
    assert (found.usage.input_tokens, found.usage.output_tokens) == (read, 6)
    assert found.cost.total_cost == Decimal(read + 12) / 1_000_000
    assert found.to_dict() == {
        "usage": {
            "inputTokens": read,
            "outputTokens": 6,
            "totalTokens": read + 6,
            "isEstimated": False,
            "source": "contextualize_aggregate",
        },
        "cost": found.cost.to_dict(),
        "control": {"decision": "allow", "reasons": []},
        "replayed": 0,
        "missing": [],
    }
    json.dumps(found.to_dict())


def test_the_built_in_prompt_has_document_and_chunk(model: Setup) -> None:
    model.answer = lambda asked: "ok"
    contextualize(chunks_of(), model.client())
    assert all(TEXT in prompt for prompt in model.prompts)
    assert all("is data" in asked.system for asked in model.server.requests)


def test_dictionaries_are_changed_where_they_are(model: Setup) -> None:
    rows = ContextRetrievalChunker().text(TEXT)
    model.answer = lambda asked: "A note."
    found = contextualize(rows, model.client(), document=TEXT)
    assert found.chunks is rows
    assert rows[0]["context"] == "A note."


def test_calls_are_made_at_once_as_the_client_allows(model: Setup) -> None:
    gate = threading.Barrier(3)

    def answer(asked: Asked) -> Any:
        gate.wait(60)  # three are under way
        return about(asked)

    model.answer = answer
    found = contextualize(chunks_of(), model.client(concurrency=3), template=TEMPLATE)
    assert notes(found) == ["Note 0", "Note 1", "Note 2"]


def test_options_go_before_the_clients_settings(model: Setup) -> None:
    contextualize(chunks_of(), model.client(temperature=0.5), template=TEMPLATE, concurrency=1)
    contextualize(chunks_of(), model.client(temperature=0.5), template=TEMPLATE, temperature=1.0, model="other")
    assert {asked.body["temperature"] for asked in model.server.requests[:3]} == {0.5}
    assert {asked.body["temperature"] for asked in model.server.requests[3:]} == {1.0}
    assert {asked.body["model"] for asked in model.server.requests[3:]} == {"other"}


def test_a_second_run_pays_only_for_what_failed(model: Setup, tmp_path: Path) -> None:
    client = model.client(answers=tmp_path / "a")
    model.answer = lambda asked: Fault.http(500, "down") if asked.prompt.endswith("twice a day.") else about(asked)
    with pytest.warns(ContextWarning, match=r"No note for chunk t.md#1-\w+: ModelError: The provider failed"):
        found = contextualize(chunks_of(), client, template=TEMPLATE)
    assert notes(found) == ["Note 0", None, "Note 2"]
    assert found.missing == (found.chunks[1].id,)
    assert found.error is None
    model.answer = about
    again = contextualize(chunks_of(), client, template=TEMPLATE)
    assert notes(again) == ["Note 0", "Note 1", "Note 2"]
    assert (again.usage.calls, again.replayed) == (1, 2)
    replayed = contextualize(chunks_of(), model.client(answers=tmp_path / "a", replay=True), template=TEMPLATE)
    assert [chunk.text for chunk in replayed.chunks] == [chunk.text for chunk in again.chunks]
    assert (replayed.usage.calls, replayed.replayed) == (0, 3)
    assert len(model.prompts) == 4


@pytest.mark.parametrize("change", ["document", "chunk", "prompt", "model"])
def test_notes_are_kept_by_document_chunk_prompt_and_model(change: str, model: Setup, tmp_path: Path) -> None:
    model.answer = lambda asked: "ok"
    kept, given = {"answers": tmp_path / "a"}, {"template": TEMPLATE}
    contextualize(chunks_of("one"), model.client(**kept), **given)
    contextualize(chunks_of("one"), model.client(**kept), **given)
    assert len(model.prompts) == 1
    chunks = chunks_of("two") if change == "chunk" else chunks_of("one")
    if change == "document":
        contextualize(chunks, model.client(**kept), document="one more", **given)
    elif change == "prompt":
        contextualize(chunks, model.client(**kept), template="{chunk} {document}")
    elif change == "model":
        contextualize(chunks, model.client(**kept), model="other", **given)
    else:
        contextualize(chunks, model.client(**kept), **given)
    assert len(model.prompts) == 2


def test_a_spending_limit_ends_the_run_and_says_so_once(model: Setup) -> None:
    texts = "\n\n".join(f"word{i}" for i in range(1000))
    model.answer = lambda asked: "ok"
    model.server._usage = lambda asked, text: (1, 100)
    client = model.client(price=(0, 1000), budget="0.35", max_output_tokens=100, concurrency=4)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = contextualize(chunks_of(texts), client, template=TEMPLATE)
    assert [note for note in notes(found) if note] == ["ok"] * 3
    assert len(found.missing) == 997
    assert len(model.prompts) == 3
    assert found.control.decision == "stop"
    assert found.control.reasons[0].startswith("budget_exceeded: The limit is 0.35 USD")
    assert found.error is not None
    assert found.error.reason == "budget"
    (said,) = (str(one.message) for one in warned)
    assert said.startswith("997 of 1000 chunks have no note. The run was stopped by BudgetError: ")


def test_a_wrong_key_ends_the_run_at_once(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "wrong key")
    with pytest.warns(ContextWarning, match="3 of 3 chunks have no note. The run was stopped by ModelError: The key"):
        found = contextualize(chunks_of(), model.client(concurrency=1), template=TEMPLATE)
    assert len(model.prompts) == 1
    assert found.error is not None
    assert found.error.reason == "unauthorized"
    assert len(found.missing) == 3


def test_an_empty_answer_is_no_note_and_is_asked_for_again(model: Setup, tmp_path: Path) -> None:
    client = model.client(answers=tmp_path / "a")
    model.answer = lambda asked: " \n" if asked.prompt.endswith("twice a day.") else about(asked)
    with pytest.warns(ContextWarning, match="The answer is empty"):
        assert len(contextualize(chunks_of(), client, template=TEMPLATE).missing) == 1
    model.answer = about
    assert contextualize(chunks_of(), client, template=TEMPLATE).missing == ()


def test_a_run_adds_several_documents_up(model: Setup) -> None:
    model.answer = lambda asked: "x"
    run = model.client().run("contextualize")
    first = contextualize(chunks_of("one"), run=run)
    second = contextualize(chunks_of("two"), run=run)
    assert (first.usage.calls, second.usage.calls) == (1, 2)


def test_one_answer_that_is_there_is_not_asked_for(model: Setup) -> None:
    first = contextualize(chunks_of(), model.client(), template=TEMPLATE)
    contextualize(first.chunks, model.client(), template=TEMPLATE)
    assert len(model.prompts) == 3


def test_a_model_by_name(model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.server.url)
    assert notes(contextualize(chunks_of(), "named", template=TEMPLATE)) == ["Note 0", "Note 1", "Note 2"]
    monkeypatch.setenv("CANTLE_LLM_MODEL", "from-env")
    contextualize(chunks_of(), template=TEMPLATE)
    assert [asked.body["model"] for asked in model.server.requests] == ["named"] * 3 + ["from-env"] * 3


def test_wrong_arguments(model: Setup) -> None:
    with pytest.raises(OptionError, match=r"No model is named\. Give client=Client\(model=\.\.\.\)"):
        contextualize(chunks_of())
    with pytest.raises(ModelError, match="No key is given"):
        contextualize(chunks_of(), "gpt-4.1-nano")
    with pytest.raises(OptionError, match=r"client must be a cantle_llm\.Client or the name of a model, got 5"):
        contextualize(chunks_of(), 5)  # type: ignore[arg-type]
    client = model.client()
    with pytest.raises(OptionError, match="client and run are both given"):
        contextualize(chunks_of(), client, run=client.run("x"))
    with pytest.raises(OptionError, match=r"has no option 'templat'\. Did you mean 'template'"):
        contextualize(chunks_of(), client, templat="x")


# What it would cost


def test_an_estimate_asks_nothing(model: Setup, tmp_path: Path) -> None:
    client = model.client(price=(1, 2), max_output_tokens=100, answers=tmp_path / "a")
    found = estimate_notes(chunks_of(), client, template=TEMPLATE, system=" ")
    assert (found.calls, found.recorded, found.output_tokens, found.is_bounded) == (3, 0, 300, True)
    assert 60 < found.input_tokens < 160
    assert found.cost == Decimal(found.input_tokens + 600) / 1_000_000
    assert model.prompts == []
    made = contextualize(chunks_of(), client, template=TEMPLATE, system=" ")
    assert made.cost.total_cost < found.cost
    assert estimate_notes(chunks_of(), client, template=TEMPLATE, system=" ").to_dict() == {
        "calls": 0,
        "recorded": 3,
        "missing": 0,
        "inputTokens": 0,
        "outputTokens": 0,
        "totalCost": 0.0,
        "isBounded": True,
        "reasks": 0,
    }


def test_an_estimate_needs_no_key_and_says_what_is_not_known() -> None:
    found = estimate_notes(chunks_of(), Client("no-such-model"), template=TEMPLATE)
    assert (found.calls, found.cost, found.is_bounded, found.output_tokens) == (3, None, False, 3 * 4096)
    known = estimate_notes(chunks_of(), "gpt-4.1-nano", template=TEMPLATE)
    assert known.cost is not None
    assert known.cost > 0
    assert (found + known).cost is None


def test_a_spending_limit_bounds_an_estimate() -> None:
    found = estimate_notes(chunks_of(), Client("gpt-4.1-nano", budget=1), template=TEMPLATE)
    assert (found.is_bounded, found.output_tokens) == (True, 3 * 4096)


@pytest.mark.parametrize("function", [contextualize, estimate_notes])
def test_chunks_must_be_given(function: Any, model: Setup) -> None:
    with pytest.raises(OptionError, match=r"chunks must be Chunks, or a list of dictionaries .*got None"):
        function(None, model.client())


def test_a_limit_of_the_variables_holds_over_all_calls(model: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "BASE_URL": model.server.url,
        "PRICE": "0,1000",
        "BUDGET": "10",
        "MAX_OUTPUT_TOKENS": "3000",
    }.items():
        monkeypatch.setenv(f"CANTLE_LLM_{name}", value)
    model.server._usage = lambda asked, text: (1, 3000)
    model.answer = lambda asked: "ok"
    for name in ("m", "n", "o"):
        found = contextualize(MDocument("x").chunk(), name)
        assert (found.usage.calls, found.error) == (1, None)
    with pytest.warns(ContextWarning, match="no note"):
        found = contextualize(MDocument("y").chunk(), "p")
    assert found.error is not None
    assert found.error.reason == "budget"
    assert [asked.body["model"] for asked in model.server.requests] == ["m", "n", "o"]
    assert estimate_notes(MDocument("z").chunk(), "q").cost == Decimal(3)


def test_a_warning_ends_in_one_full_stop(model: Setup) -> None:
    model.answer = lambda asked: ""
    with pytest.warns(ContextWarning, match=r"The answer is empty\.$"):
        contextualize(MDocument("x").chunk(), model.client())
