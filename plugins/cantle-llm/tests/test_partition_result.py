"""What partition gives: the example, the keys, both engines, chunks, views."""

from __future__ import annotations

import asyncio
import io
import json
import pickle
import threading
from typing import Any

import pytest
from partition_example import ANSWER, EXAMPLE, KEYS, NAME, check_example, client, modelled

from cantle import MDocument, Source
from cantle.errors import OptionError
from cantle_llm import (
    Client,
    ModelWarning,
    PartitionResult,
    apartition,
    partition,
)
from cantle_llm.partitioning.figures import percent
from cantle_llm.testing import Asked, ScriptedServer


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
