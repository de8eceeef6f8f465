"""Arguments of partition: what is wrong, what has no effect, what follows from others."""

from __future__ import annotations

import asyncio
import dataclasses
import inspect
import warnings
from pathlib import Path
from typing import Any

import pytest
from partition_example import EXAMPLE, modelled

import cantle_llm
from cantle.errors import CantleWarning, OptionError, UnusedOptionWarning
from cantle_llm import (
    Partition,
    apartition,
    partition,
)
from cantle_llm.partitioning.options import Options


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
