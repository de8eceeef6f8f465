"""What partition gives: the example, the keys, both engines, storing, naming, chunks, arguments."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import io
import json
import pickle
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cantle_llm
from cantle import MDocument, Source
from cantle.errors import CantleWarning, OptionError, UnusedOptionWarning
from cantle_llm import (
    Client,
    ModelWarning,
    Partition,
    PartitionResult,
    Persisted,
    PersistError,
    apartition,
    partition,
)
from cantle_llm.partitioning.figures import percent
from cantle_llm.partitioning.options import Options
from cantle_llm.testing import Asked, Fault, ScriptedServer

EXAMPLE = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)
ANSWER = {
    "blocks": [
        {"ranges": [[0, 1]], "label": "Chapter 1 – The Beginning"},
        {"ranges": [[2, 4]], "label": "Chapter 2 – The Challenge"},
        {"ranges": [[5, 6]], "label": "Chapter 3 – The Resolution"},
    ],
    "reasoning": "By the headings of chapters.",
}
NAME = "Chapter 1 – The Beginning, Chapter 2 – The Challenge, Chapter 3 – The Resolution"
KEYS = [
    "success",
    "blocks",
    "coverage",
    "totalLines",
    "sessionsUsed",
    "fallbackUsed",
    "failedSessions",
    "reasoning",
    "auditLog",
    "persisted",
    "uncoveredLines",
    "costControl",
]


def client(server: ScriptedServer, **more: Any) -> Client:
    return Client("gpt-4.1-nano", base_url=server.url, **{"retries": 0, "reasks": 0, "provider": "openai"} | more)


def modelled(answer: Any = ANSWER, text: str | Source = EXAMPLE, **more: Any) -> PartitionResult:
    with ScriptedServer(lambda asked: answer) as server, client(server) as asking:
        return partition(text, client=asking, **more)


def check_example(result: PartitionResult) -> None:
    assert result.success
    assert (result.coverage, result.total_lines, result.missing_count) == (1.0, 7, 0)
    assert [block.lines for block in result.blocks] == [((0, 1),), ((2, 4),), ((5, 6),)]
    assert [block.text for block in result.blocks] == [
        EXAMPLE[:98],
        EXAMPLE[100:179],
        EXAMPLE[181:],
    ]
    for number, block in enumerate(result.blocks, 1):
        assert block.label is not None
        assert block.label.startswith(f"Chapter {number}")
        assert EXAMPLE[block.start : block.end] == block.text


def test_the_example_with_the_model() -> None:
    result = modelled()
    check_example(result)
    assert list(result.to_dict()) == KEYS
    found = json.loads(result.to_json())
    assert found == result.to_dict()
    assert list(found["blocks"][0]) == ["text", "label", "start", "end", "ranges", "lines"]
    assert found["uncoveredLines"] == {"count": 0, "indices": [], "ranges": [], "lines": []}
    control = found["costControl"]
    assert list(control) == ["usage", "cost", "control", "references", "reconciliation"]
    assert control["usage"]["source"] == "partition_aggregate"
    assert control["usage"]["totalTokens"] > 100
    assert control["cost"]["totalCost"] > 0
    assert control["cost"]["matchedPricingKey"] == "openai:gpt-4.1-nano"
    assert control["control"] == {"decision": "allow", "reasons": []}
    assert control["references"] == {"caller": "partition", "provider": "openai", "model": "gpt-4.1-nano"}
    assert control["reconciliation"] is None
    assert result.audit_log == (
        "[partition] Partitioning a text of 268 characters by the model gpt-4.1-nano",
        "[partition] Text divided into 7 line(s)",
        "[partition] 1 session(s) with the model needed",
        "[partition] Session 1 (lines 0-6): 3 block(s), 0 repair(s)",
        "[partition] 3 block(s) assembled",
        "[partition] Coverage: 100.0% (7/7)",
        "[partition] Partition finished",
    )


def test_the_example_with_the_lexical_engine() -> None:
    result = partition(EXAMPLE)
    check_example(result)
    found = result.to_dict()
    assert list(found) == KEYS
    assert (found["sessionsUsed"], found["fallbackUsed"], found["failedSessions"]) == (0, False, 0)
    assert found["costControl"]["references"] == {"caller": "partition", "provider": "cantle", "model": "lexical"}
    assert found["costControl"]["usage"]["totalTokens"] == 0
    assert found["costControl"]["cost"]["totalCost"] == 0
    assert partition(EXAMPLE) == result


def test_no_model_is_asked_because_a_variable_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer([ANSWER]) as server:
        monkeypatch.setenv("CANTLE_LLM_MODEL", "m")
        monkeypatch.setenv("CANTLE_LLM_BASE_URL", server.url)
        assert partition(EXAMPLE).model == "lexical"
        assert not server.requests
        assert partition(EXAMPLE, engine="model").model == "m"
        assert len(server.requests) == 1


def test_a_model_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(lambda asked: ANSWER) as server:
        monkeypatch.setenv("CANTLE_LLM_BASE_URL", server.url)
        assert partition(EXAMPLE, model="one").model == "one"
        with client(server) as asking:
            assert partition(EXAMPLE, client=asking, model="two").model == "two"
        assert [asked.body["model"] for asked in server.requests] == ["one", "two"]


def test_the_caller_is_in_the_report() -> None:
    found = modelled(caller="smartSplit").to_dict()["costControl"]
    assert (found["references"]["caller"], found["usage"]["source"]) == ("smartSplit", "smart_split_aggregate")


def test_the_schema_that_is_asked_for_is_strict() -> None:
    with ScriptedServer(lambda asked: ANSWER) as server, client(server) as asking:
        partition(EXAMPLE, client=asking)
        form = server.requests[0].body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["blocks", "reasoning"]


@pytest.mark.parametrize("text", ["", " \n\n\t", "\ufeff"])
def test_nothing_to_divide(text: str) -> None:
    for result in (partition(text), modelled(text=text)):
        assert (result.success, result.blocks, result.coverage, result.total_lines) == (True, (), 1.0, 0)
        assert result.sessions_used == 0
        assert len(result.to_chunks()) == 0


def test_what_a_source_is() -> None:
    text = "---\na: 1\n---\n# One\n\nA sentence.\n"
    result = modelled(
        {"blocks": [{"ranges": [[0, 1]], "label": "x"}], "reasoning": ""}, Source(text, "markdown", body=13)
    )
    assert result.blocks[0].text == "# One\n\nA sentence."
    assert result.blocks[0].start == 13
    assert partition(MDocument.from_markdown("# One\n\nA sentence.")).blocks[0].label == "One"


def test_a_topic_that_comes_back_is_one_block() -> None:
    result = modelled({"blocks": [{"ranges": [[0, 1], [5, 6]], "label": "a"}, {"ranges": [[2, 4]], "label": "b"}]})
    first = result.blocks[0]
    assert first.ranges == ((0, 98), (181, 268))
    assert first.text == f"{EXAMPLE[:98]}\n\n{EXAMPLE[181:]}"
    chunk = result.to_chunks()[0]
    assert chunk.spans == first.ranges
    assert not chunk.exact


def test_what_is_in_no_block_is_declared() -> None:
    source = Source(f"---\na: 1\n---\n{EXAMPLE}", body=13)
    few = {"blocks": [{"ranges": [[0, 1], [5, 5]], "label": "a"}], "reasoning": ""}
    chunks = modelled(few, source, min_coverage=0.1).to_chunks()
    assert [(source.text[a:b], why) for a, b, why in chunks.dropped] == [
        ("---\na: 1\n---\n", "front-matter"),
        (EXAMPLE[100:179], "uncovered"),
        ("After many trials, the hero returned home, forever changed.", "uncovered"),
    ]
    assert modelled(few, source, min_coverage=0.1, uncovered="nearest").to_chunks().dropped == chunks.dropped[:1]


def test_chunks_and_views() -> None:
    result = modelled()
    chunks = result.to_chunks()
    assert [chunk.text for chunk in chunks] == [block.text for block in result.blocks]
    assert chunks[1].metadata == {"label": "Chapter 2 – The Challenge", "block": 1, "fallback": False}
    assert str(result).split("\n") == [
        "block  sentences  characters  label",
        "0      0-1        0:98        Chapter 1 – The Beginning",
        "1      2-4        100:179     Chapter 2 – The Challenge",
        "2      5-6        181:268     Chapter 3 – The Resolution",
        "3 blocks, 7 sentences, coverage 100.0%",
    ]
    html = result._repr_html_()
    assert html.count("<tr>") == 4
    assert "Chapter 3 – The Resolution" in html


def test_a_topic_of_many_stretches_keeps_its_view_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"Sentence {i} is here." for i in range(300))
    label = "Sentences with an even number, in a label that is longer than what a terminal has room for, by far"
    even = {"ranges": [[i, i] for i in range(0, 300, 2)], "label": label}
    odd = {"ranges": [[i, i] for i in range(1, 300, 2)], "label": "漢字" * 50}
    result = modelled({"blocks": [even, odd]}, text)
    monkeypatch.setenv("COLUMNS", "300")  # of a terminal; here is none
    lines = str(result).split("\n")
    assert lines[1].startswith("0      0, 2, 4 ... 298  0:")
    assert max(map(len, lines)) == 80
    assert lines[1].endswith("…")
    assert "<td" in result._repr_html_()
    assert ">0, 2, 4 ... 298<" in result._repr_html_()
    monkeypatch.setattr("sys.stdout", Terminal())
    assert label in str(result)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (1799, 2000, "89.9%"),
        (1999, 2000, "99.9%"),
        (7, 7, "100.0%"),
        (0, 3, "0.0%"),
        (0, 0, "100.0%"),
        (29, 100, "29.0%"),
    ],
)
def test_shares_are_rounded_down(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said


def test_coverage_at_the_threshold() -> None:
    text = "\n\n".join(f"Sentence {i} is here." for i in range(20))
    answer = {"blocks": [{"ranges": [[0, 17]], "label": "x"}]}
    assert modelled(answer, text, min_coverage=0.9).success  # 18 of 20
    with pytest.warns(ModelWarning, match=r"covered 18 of 20 lines \(90\.0%\), less than min_coverage \(90\.05%\)"):
        assert modelled(answer, text, min_coverage=0.9005).reason == "coverage_below_threshold"


def test_the_language_of_prompts_and_labels() -> None:
    def prompts(text: str, **more: Any) -> str:
        with ScriptedServer(lambda asked: ANSWER) as server, client(server) as asking:
            partition(text, client=asking, min_coverage=0, **more)
            return server.requests[0].prompt

    portuguese = (
        "O caminho era longo e as montanhas não deixavam passar. Depois de muitas provas, o herói voltou a casa."
    )
    assert "Divide-as em blocos temáticos" in prompts(portuguese) or "Divide-as em blocos" in prompts(portuguese)
    assert "in the language of the text" in prompts(EXAMPLE)
    assert "em português" in prompts(EXAMPLE, language="pt")
    assert "in Spanish" in prompts(portuguese, language="es")


def test_lone_surrogates_and_controls_can_be_asked_for() -> None:
    text = "A \ud800 word.\x00 And \u202eanother one.\n\nMore\x1b[31m here."
    result = modelled({"blocks": [{"ranges": [[0, 9]], "label": "x"}]}, text)
    assert result.coverage == 1
    assert text[result.blocks[0].start : result.blocks[0].end] == result.blocks[0].text
    assert json.loads(result.to_json()) == result.to_dict()
    assert "\x1b" not in result.to_json()


# -- storing and naming --------------------------------------------------------------------------


def test_a_store_gets_the_result_and_a_name_when_it_asks() -> None:
    def persist(result: PartitionResult, name: Callable[[], str]) -> Persisted:
        ids = tuple(f"c{i}" for i, _ in enumerate(result.blocks))
        return Persisted(dataset_id=7, dataset_created=True, dataset_name=name(), chunk_ids=ids, count=len(ids))

    def answer(asked: Asked) -> Any:
        return ANSWER if asked.schema else '"A hero\'s tale"\n'

    with ScriptedServer(answer) as server, client(server) as asking:
        result = partition(EXAMPLE, client=asking, persist=persist)
        assert len(server.requests) == 2
        assert "Chapter 1 – The Beginning" in server.requests[1].prompt
        assert "blocked the path" not in server.requests[1].prompt
    assert result.to_dict()["persisted"] == {
        "datasetId": 7,
        "avatarId": None,
        "datasetCreated": True,
        "datasetName": "A hero's tale",
        "chunkIds": ["c0", "c1", "c2"],
        "count": 3,
    }
    assert result.usage.calls == 2
    assert result.audit_log[-1] == "[partition] 3 block(s) stored in data set 7"
    lexical = partition(EXAMPLE, persist=persist).persisted
    assert lexical is not None
    assert lexical.dataset_name == "Chapter 1. The Beginning, Chapter 2. The Challenge, Chapter 3. The Resolution"


def test_a_name_that_the_model_does_not_give() -> None:
    with ScriptedServer(lambda asked: ANSWER if asked.schema else Fault.refusal()) as server, client(server) as asking:
        result = partition(EXAMPLE, client=asking)
        assert len(server.requests) == 1
        with pytest.warns(ModelWarning, match="made of the labels"):
            assert result.name() == NAME
        assert result.usage.calls == 2
    assert partition(Source("", source="a.txt")).name() == "a.txt"
    assert partition("").name() == "Untitled"


def test_a_partition_that_failed_is_not_stored() -> None:
    stored: list[Any] = []
    few = {"blocks": [{"ranges": [[0, 0]], "label": "a"}]}
    with pytest.warns(ModelWarning, match="min_coverage"):
        result = modelled(few, persist=lambda result, name: stored.append(result))
    assert (stored, result.persisted) == ([], None)
    assert result.audit_log[-1] == "[partition] Not stored: the partition failed"


def test_a_result_that_cannot_be_stored_is_not_lost() -> None:
    def full(result: PartitionResult, name: Callable[[], str]) -> Persisted:
        raise OSError("the disk is full")

    with pytest.raises(PersistError, match="OSError: the disk is full") as caught:
        modelled(persist=full)
    check_example(caught.value.result)
    assert caught.value.result.usage.calls == 1
    assert isinstance(caught.value.__cause__, OSError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.result) == (str(caught.value), caught.value.result)
    with pytest.raises(PersistError, match=r"must return a cantle_llm\.Persisted, got int") as caught:
        partition(EXAMPLE, persist=lambda result, name: 7)  # type: ignore[arg-type, return-value]
    check_example(caught.value.result)


# -- other ways ----------------------------------------------------------------------------------


def test_pickle() -> None:
    result = modelled()
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert again.name() == NAME


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    text = "\n\n".join(f"Sentence {i} is here." for i in range(20))
    answer = {"blocks": [{"ranges": [[0, 4]], "label": "x"}]}
    modelled(answer, text, max_lines_per_session=5, overlap_lines=0, progress=lambda *n: told.append(n))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len(modelled(answer, text, max_lines_per_session=5, overlap_lines=0, progress=True).blocks) == 4


def test_async() -> None:
    async def both() -> list[PartitionResult]:
        return await asyncio.gather(apartition(EXAMPLE), apartition(EXAMPLE, client=asking))

    with ScriptedServer(lambda asked: ANSWER) as server, client(server) as asking:
        for result in asyncio.run(both()):
            check_example(result)
    with pytest.raises(OptionError, match="nonsense"):
        asyncio.run(apartition(EXAMPLE, nonsense=1))


def test_an_async_call_that_is_cancelled_begins_no_session() -> None:
    begun, go_on = threading.Event(), threading.Event()
    text = "\n\n".join(f"Sentence {i} is here." for i in range(20))

    def answer(asked: Asked) -> Any:
        begun.set()
        go_on.wait(30)
        return {"blocks": [{"ranges": [[0, 4]], "label": "x"}]}

    async def cancelled(asking: Client) -> None:
        task = asyncio.create_task(apartition(text, client=asking, max_lines_per_session=5, overlap_lines=0))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    with ScriptedServer(answer) as server, client(server, concurrency=1) as asking:
        asyncio.run(cancelled(asking))  # waits for the thread
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"engine": "magic"}, "engine must be 'model' or 'lexical'"),
        ({"engine": "lexical", "model": "m"}, "asks no model"),
        ({"engine": "model"}, "needs a model"),
        ({"client": 3}, "must be a cantle_llm.Client, got int"),
        ({"client": "gpt-4.1-nano"}, "To name a model, give model='gpt-4.1-nano'"),
        ({"clients": 3}, "partition has no argument 'clients'. Did you mean 'client'? It takes: document, engine"),
        ({"model": 3}, "model must be a name"),
        ({"max_lines_per_session": 0}, "max_lines_per_session must be a whole number of at least 1, got 0"),
        ({"max_lines_per_session": 20, "overlap_lines": 20}, "overlap_lines must be smaller"),
        ({"overlap_lines": -1}, "overlap_lines"),
        ({"max_chars_per_chunk": 1.5}, "max_chars_per_chunk"),
        ({"fallback_max_chars_per_block": True}, "fallback_max_chars_per_block"),
        ({"min_coverage": 90}, "min_coverage must be a number from 0 to 1, got 90"),
        ({"min_coverage": float("nan")}, "min_coverage"),
        ({"max_words_per_line": 0}, "max_words_per_line"),
        ({"uncovered": "drop"}, "uncovered must be"),
        ({"language": "xx"}, "language must be one of"),
        ({"caller": ""}, "caller"),
        ({"persist": 3}, "persist"),
        ({"progress": "yes"}, "progress"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionError) as caught:
        partition(EXAMPLE, **arguments)
    assert said in str(caught.value)
    with pytest.raises(OptionError) as caught:
        asyncio.run(apartition(**{"document": EXAMPLE, **arguments}))
    assert said.replace("partition has", "apartition has") in str(caught.value)


def test_arguments_by_place() -> None:
    said = r"partition takes one argument by place, the document; give the others by name: .*client="
    with pytest.raises(OptionError, match=said):
        partition(EXAMPLE, "model")  # type: ignore[misc]
    with pytest.raises(OptionError, match="needs the document, a text, once, and it is not given"):
        partition()  # type: ignore[call-arg]
    with pytest.raises(OptionError, match="needs the document, a text, once, and it is twice given"):
        partition(EXAMPLE, document=EXAMPLE)  # type: ignore[misc]
    with pytest.raises(OptionError, match=f"a{said}"):
        asyncio.run(apartition(EXAMPLE, "model"))
    with pytest.raises(OptionError, match="To name a model, give model='m'"):
        Partition(client="m")  # type: ignore[arg-type]


def test_a_text_that_is_the_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "guide.md"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        partition(str(path))
        partition("\x00")
        partition("x" * 100_000)
        partition("\ud800")
    path.write_text("# One\n", encoding="utf-8")
    with pytest.warns(CantleWarning, match="is the name of a file") as caught:
        partition(str(path))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("most", "starts"), [(1, 20), (10, 3), (20, 1)])
def test_sessions_can_be_short_without_more_ado(most: int, starts: int) -> None:
    text = "\n\n".join(f"Sentence {i} is here." for i in range(20))
    result = modelled({"blocks": [{"ranges": [[0, most]], "label": "x"}]}, text, max_lines_per_session=most)
    assert (result.sessions_used, result.coverage) == (starts, 1.0)
    with pytest.warns(UnusedOptionWarning, match="max_lines_per_session has no effect"):
        assert partition(text, max_lines_per_session=most).success


def test_the_overlap_follows_the_session() -> None:
    shared = [Options(max_lines_per_session=most).overlap for most in (1, 9, 10, 100, 299, 300, 400, 5000)]
    assert shared == [0, 0, 1, 10, 29, 30, 30, 30]
    assert Options(max_lines_per_session=10, overlap_lines=9).overlap == 9


def test_all_doors_have_the_same_defaults() -> None:
    strategy, signature = Partition(), inspect.signature(partition).parameters
    for field in dataclasses.fields(Options):
        assert signature[field.name].default == field.default
        if field.name != "uncovered":
            assert getattr(strategy, field.name) == field.default


def test_a_document_of_another_type() -> None:
    with pytest.raises(OptionError, match="must be a str, a Source or an MDocument, got bytes"):
        partition(b"x")  # type: ignore[arg-type]


def test_options_without_effect_are_told() -> None:
    with pytest.warns(UnusedOptionWarning, match="min_coverage has no effect with the lexical engine"):
        partition(EXAMPLE, min_coverage=0.5)


def test_public_names() -> None:
    for name in ("Block", "Partition", "PartitionResult", "Persisted", "apartition", "counts", "partition"):
        assert name in cantle_llm.__all__
        assert getattr(cantle_llm, name).__module__.startswith("cantle_llm.partitioning")
