"""Extraction by a model: a spending limit over fields, documents and processes, and runs that are called off."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from scripted_extraction import TEXT, Setup, part_of, values

from cantle import MDocument, chunk_many, extract
from cantle.errors import ExtractionError, OptionError
from cantle_llm import Client, ModelError, ModelWarning
from cantle_llm.testing import Asked, Fault

FIELDS = {"summary": {"llm": "m"}}


@pytest.fixture
def limited(model: Setup, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """Variables with a limit of 10 dollars; a call costs 3."""
    for name, value in {
        "BASE_URL": model.server.url,
        "PRICE": "0,1000",
        "BUDGET": "10",
        "MAX_OUTPUT_TOKENS": "3000",
        "RETRIES": "0",
        "REASKS": "0",
        "CONCURRENCY": "1",
    }.items():
        monkeypatch.setenv(f"CANTLE_LLM_{name}", value)
    model.server._usage = lambda asked, text: (1, 3000)
    model.answer = lambda asked: "ok"
    return model


def test_a_limit_holds_over_fields_that_name_different_models(limited: Setup) -> None:
    fields = {"summary": {"llm": "m"}, "keywords": {"model": "n"}, "questions": {"llm": "o"}, "title": {"llm": "p"}}
    with pytest.warns(ModelWarning, match="spending limit"):
        (chunk,) = MDocument("x").chunk(extract=fields)
    assert [asked.body["model"] for asked in limited.server.requests] == ["m", "o", "n"]
    assert "document_title" not in chunk.metadata
    with pytest.raises(ExtractionError, match="spending limit"):
        MDocument("y").chunk(extract={"title": {"llm": "q"}})
    assert len(limited.prompts) == 3


@pytest.mark.parametrize("name", ["BUDGET", "TOKEN_BUDGET"])
def test_a_limit_of_the_variables_is_an_error_in_a_worker(
    name: str, limited: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CANTLE_LLM_BUDGET")
    monkeypatch.setenv(f"CANTLE_LLM_{name}", "10000")
    documents = [MDocument(f"word{i}", source=str(i)) for i in range(4)]
    for result in chunk_many(documents, workers=2, extract=FIELDS, errors="collect"):
        assert isinstance(result.error, OptionError)
        assert "holds in one process" in str(result.error)
        assert "workers=1" in str(result.error)
    assert limited.prompts == []
    assert all(result.error is None for result in chunk_many(documents[:2], workers=1, extract=FIELDS))
    assert len(limited.prompts) == 2


def test_a_limit_of_zero_holds_in_every_process(
    limited: Setup, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CANTLE_LLM_ANSWERS", str(tmp_path / "answers"))
    documents = [MDocument(f"word{i}", source=str(i)) for i in range(2)]
    list(chunk_many(documents, extract=FIELDS))
    monkeypatch.setenv("CANTLE_LLM_BUDGET", "0")
    found = [result.chunks for result in chunk_many(documents, workers=2, extract=FIELDS)]
    assert [chunks[0].metadata for chunks in found if chunks] == [{"section_summary": "ok"}] * 2
    assert len(limited.prompts) == 2


def test_a_model_without_a_price_is_an_error_before_anything_is_asked(
    limited: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CANTLE_LLM_PRICE")
    fields = {"summary": {"llm": "gpt-4.1-nano"}, "title": {"llm": "nobody-knows-it"}}
    with pytest.raises(OptionError, match="none is known for 'nobody-knows-it'"):
        MDocument("x").chunk(extract=fields)
    assert limited.prompts == []


def test_a_client_is_sent_to_workers(model: Setup, tmp_path: Path) -> None:
    model.answer = lambda asked: f"about {asked.prompt.partition('word')[2].split()[0]}"
    documents = [MDocument(f"word{i}", source=str(i)) for i in range(4)]
    client = model.client(answers=tmp_path / "answers", temperature="none", api_key="sk-mine")
    fields = {"keywords": {"llm": client}}
    found = [result.chunks for result in chunk_many(documents, workers=2, extract=fields)]
    assert [chunks[0].metadata["excerpt_keywords"] for chunks in found if chunks] == [f"about {i}" for i in range(4)]
    assert {asked.headers["authorization"] for asked in model.server.requests} == {"Bearer sk-mine"}
    list(chunk_many(documents, extract=fields))
    assert len(model.prompts) == 4


def test_a_client_comes_back_from_pickle_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client("m", base_url="http://localhost:1/v1", temperature="none", concurrency=3)
    monkeypatch.setenv("CANTLE_LLM_BUDGET", "5")  # not of this one
    again = pickle.loads(pickle.dumps(client))
    assert again.settings == client.settings
    assert again.settings.temperature is None
    assert again.settings.budget is None


@pytest.mark.parametrize("limit", [{"budget": 1, "price": (1, 1)}, {"token_budget": 100}])
def test_a_client_with_a_limit_is_not_sent_to_workers(limit: dict[str, Any], model: Setup) -> None:
    client = model.client(**limit)
    with pytest.raises(OptionError, match="limit holds in one process"):
        pickle.dumps(client)
    with pytest.raises(OptionError, match=r"limit holds in one process.*workers=1"):
        list(chunk_many([MDocument("x")], workers=2, extract={"keywords": {"llm": client}}))
    assert model.prompts == []


def test_a_cancelled_run_begins_no_call(model: Setup, tmp_path: Path) -> None:
    """Two calls are under way when it is cancelled: these are recorded, and nothing else is asked."""
    asked_two, go_on = Event(), Event()

    def answer(asked: Asked) -> str:
        if asked.number == 1:
            asked_two.set()
        go_on.wait(60)
        return "late"

    model.answer = answer
    client = model.client(concurrency=2, answers=tmp_path / "answers")
    text = "\n\n".join(f"word{i}" for i in range(40))

    async def main() -> None:
        fields = {"summary": {"llm": client}, "keywords": {"llm": client}}
        task = asyncio.ensure_future(MDocument(text).achunk("character", extract=fields))
        await asyncio.to_thread(asked_two.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())  # which waits for the thread
    assert len(model.prompts) == 2
    assert len((tmp_path / "answers").read_text().splitlines()) == 2


def test_calls_that_wait_for_others_are_not_begun_either(model: Setup) -> None:
    """Several documents at once share the client's limit of calls: those that wait for it have begun nothing."""
    asked_one, go_on = Event(), Event()

    def answer(asked: Asked) -> str:
        asked_one.set()
        go_on.wait(60)
        return "late"

    model.answer = answer
    client = model.client(concurrency=1)

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(8))
        some = [MDocument(f"word{i}").achunk(extract={"keywords": {"llm": client}}) for i in range(6)]
        task = asyncio.gather(*some)
        await asyncio.to_thread(asked_one.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())
    assert len(model.prompts) == 1


def test_a_client_of_ones_own_is_asked_no_more_when_cancelled() -> None:
    seen, go_on, asked_one = list[str](), Event(), Event()

    class Own:
        def complete(self, messages: list[dict[str, str]], **options: Any) -> str:
            seen.append(messages[-1]["content"])
            asked_one.set()
            go_on.wait(60)
            return "late"

    async def main() -> None:
        fields = {"keywords": {"llm": Own()}}
        task = asyncio.ensure_future(MDocument(TEXT).achunk("character", extract=fields))
        await asyncio.to_thread(asked_one.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(main())
    assert len(seen) == 1


def test_a_run_that_is_stopped_asks_nothing(model: Setup) -> None:
    stop = Event()
    run = model.client().run("mine", stopped=stop.is_set)
    model.answer = lambda asked: "ok"
    assert run.complete([{"role": "user", "content": "x"}]) == "ok"
    stop.set()
    with pytest.raises(ModelError, match="ended before the call began") as got:
        run.complete([{"role": "user", "content": "y"}])
    assert got.value.reason == "cancelled"
    assert len(model.prompts) == 1


# A fatal error


def test_after_a_fatal_error_no_other_field_is_asked_for(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "revoked") if part_of(asked.prompt) == 1 else "ok"
    client = model.client(concurrency=1)
    fields = {name: {"llm": client} for name in ("summary", "questions", "keywords", "title")}
    with pytest.warns(ModelWarning) as warned:
        found = MDocument(TEXT).chunk("character", extract=fields)
    assert values(found, "section_summary") == ["ok", None, None]
    assert len(model.prompts) == 2
    said = [str(one.message) for one in warned]
    assert ["2 of 3 chunks got nothing" in said[0]] + ["3 of 3 chunks" in one for one in said[1:]] == [True] * 4
    assert all("The run was stopped: The key is missing" in one for one in said)


def test_after_a_fatal_error_others_are_asked(model: Setup) -> None:
    """Another client may have another key, and another model may be there."""

    def answer(asked: Asked) -> Any:
        if asked.body["model"] == "gone":
            return Fault.http(404, "no such model") if part_of(asked.prompt) else "ok"
        return "ok"

    model.answer = answer
    client = model.client(concurrency=1)
    fields = {
        "summary": {"llm": client, "model": "gone"},
        "keywords": {"llm": client},
        "title": {"llm": model.client()},
    }
    with pytest.warns(ModelWarning, match="2 of 3 chunks got nothing"):
        found = MDocument(TEXT).chunk("character", extract=fields)
    assert values(found, "excerpt_keywords") == values(found, "document_title") == ["ok"] * 3


def test_no_title_is_made_of_candidates_after_a_fatal_error(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "revoked") if asked.number == 2 else "ok"
    with pytest.warns(ModelWarning, match=r"3 of 3 chunks got nothing\. The run was stopped"):
        found = model.extract("title", source="tides", llm=model.client(concurrency=1))
    assert values(found, "document_title") == [None] * 3
    assert len(model.prompts) == 3


def test_a_run_that_is_stopped_where_all_chunks_have_something(model: Setup) -> None:
    model.answer = lambda asked: Fault.http(401, "revoked") if asked.number == 1 else "ok"
    with pytest.warns(ModelWarning, match=r"2 calls gave nothing\. The run was stopped"):
        found = model.extract("title", source="tides", llm=model.client(concurrency=1))
    assert values(found, "document_title") == ["ok"] * 3


def test_another_call_begins_anew(model: Setup) -> None:
    """Once the account has credit again, the same chunks can be extracted from with the same client."""
    chunks = MDocument(TEXT).chunk("character")
    client = model.client(concurrency=1)
    model.answer = lambda asked: "ok" if asked.number == 0 else Fault.http(401, "revoked")
    with pytest.warns(ModelWarning, match="2 of 3 chunks got nothing"):
        extract(chunks, {"keywords": {"llm": client}})
    model.answer = lambda asked: Fault.http(400, "bad luck")
    with pytest.raises(ExtractionError, match="all 3 calls failed"):  # nothing of this call was paid for
        extract(chunks, {"summary": {"llm": client}})
    model.answer = lambda asked: "again"
    extract(chunks, {"summary": {"llm": client}})
    assert values(chunks, "section_summary") == ["again"] * 3


def test_several_documents_are_asked_for_together(model: Setup) -> None:
    """What was paid for one document is kept when another ends the run, and prompts are in the language of each."""
    texts = [
        "The tide tables list the times of high and low water for each of the ports of the coast, and their heights.",
        "As tabelas de marés indicam as horas da preia-mar e da baixa-mar em cada um dos portos da costa do Algarve.",
    ]
    some = [MDocument(text, source="same").chunk() for text in texts]
    client = model.client(concurrency=1)
    model.answer = lambda asked: Fault.http(401, "revoked") if asked.number else "ok"
    fields = {"summary": {"llm": client}, "keywords": {"llm": client}}
    with pytest.warns(ModelWarning) as warned:
        extract(some, fields)
    assert [chunks[0].metadata for chunks in some] == [{"section_summary": "ok"}, {}]
    assert ["1 of 2 chunks" in str(warned[0].message), "2 of 2 chunks" in str(warned[1].message)] == [True, True]
    first, second = model.server.requests
    assert ("You write metadata" in first.system, "Escreves metadados" in second.system) == (True, True)
    model.answer = lambda asked: "one" if "tide tables" in asked.prompt else "two"
    extract(some, {"title": {"llm": model.client()}})  # two documents, though their names are alike
    assert [chunks[0].metadata["document_title"] for chunks in some] == ["one", "two"]
