"""`sentence` on a stream gives what it gives for the whole text, whatever the windows are."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.blocks.sentences.rules import Rules
from cantle.chunk import Chunk
from cantle.errors import DocumentError
from cantle.lengths import SpecialTokens, TokenLength
from cantle.packing import reading
from cantle.source import Source
from cantle.strategies.sentence import Sentence
from cantle.testing import generators
from cantle.testing.hostile import PROSE, TEXTS


class Reader:
    """Gives a text in steps, and knows how far it was read."""

    def __init__(self, text: str, step: int) -> None:
        self.text, self.step, self.at = text, step, 0

    def read(self, size: int, /) -> str:
        found = self.text[self.at : self.at + min(size, self.step)]
        self.at += len(found)
        return found


def state(chunk: Chunk) -> tuple[Any, ...]:
    return (
        *(chunk.content, chunk.start, chunk.end, chunk.spans, chunk.overlap, chunk.prefix, chunk.path, chunk.cut),
        *(chunk.oversize, chunk.metadata),
    )


def check(strategy: Sentence, text: str, step: int = 1000) -> None:
    assert [state(c) for c in strategy.stream(Reader(text, step))] == [state(c) for c in strategy.split(Source(text))]


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WINDOW", 64)


class Tokenizer:
    """Its lengths grow and shrink."""

    def encode(self, text: str) -> list[str]:
        return text.replace("th", "x").replace("  ", "y").split("e")


def units(text: str) -> int:
    return len(text) - text.count("e") + text.count(" ") % 3


FRAGMENTS = st.sampled_from([
    *(". ", "! ", "? ", "... ", "\u3002", "\u300d", " \u00bb", '"', "\u201c", '.\u201d  ', "[12] ", "A", "b", "Mr. "),
    *("1. ", "\n", "\n\n", "\r\n", "\r", "- x", "\n- ", "(", ")", "IV. ", "3", "  ", "\u00e9", "\u0301", "\u0964"),
    *(".", "\u2026", "||", "B. C. ", "\x1c", "\u2028", "\x85", "\ufeff", ". . . ", '."\u201d\u2019)]', "word "),
    *("Another sentence. ", "word word word ", "\U0001f1e7", "\U0001f1e7\U0001f1f7 ", " " * 40, "." * 40, "I" * 70),
    *("Das 3. Kapitel. ", "z.B. "),
])  # fmt: skip
PARTS = st.one_of(generators.texts(), st.lists(FRAGMENTS, max_size=60).map("".join), st.sampled_from(sorted(TEXTS)))
OPTIONS = st.fixed_dictionaries(
    {
        "max_size": st.sampled_from([5, 20, 60, 200, (20, 60), (100, 200)]),
        "length_function": st.sampled_from(
            ["characters", "utf16", "bytes", "words", "cl100k_base", "o200k_base", len, units, Tokenizer()]
        ),
        "explain": st.booleans(),
        "language": st.sampled_from([None, "any", "en", "de", "pt"]),
        "overlap": st.sampled_from([0, 0, 10, 50]),
        "target_size": st.sampled_from([None, None, 10, 55, 300]),
        "fallback_to_words": st.booleans(),
        "fallback_to_characters": st.booleans(),
        "sentence_enders": st.sampled_from([None, None, None, ["."], ["\u3002", "...", "||"], []]),
    }
)


def long_text(first: str, second: str) -> str:
    """Longer than the windows can be."""
    first, second = TEXTS.get(first, first), TEXTS.get(second, second)
    text = first + " " + second
    return (text * (1 + 5000 // max(1, len(text))))[:9000] + second


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.builds(long_text, PARTS, PARTS), OPTIONS, st.sampled_from([7, 1000]))
@pytest.mark.filterwarnings("ignore::cantle.errors.UnusedOptionWarning")
def test_a_stream_gives_the_chunks_of_the_text(text: str, options: dict[str, Any], step: int) -> None:
    check(Sentence(**options), text, step)


@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize(
    "options",
    [
        {"max_size": 200},
        {"max_size": 200, "overlap": 60, "explain": True},
        {"max_size": 50, "length_function": "cl100k_base", "overlap": 20},
        {"max_size": 40, "length_function": "words", "min_size": 30, "language": "any"},
        {"max_size": 30, "fallback_to_words": False, "fallback_to_characters": False},
    ],
    ids=["plain", "overlap", "tokens", "words", "oversize"],
)
def test_prose_is_cut_alike(options: dict[str, Any], step: int) -> None:
    check(Sentence(**options), PROSE * 12, step)


def test_punkt_is_streamed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nltk")
    pytest.importorskip("punkt")
    from cantle.blocks.sentences import punkt

    for most in (60, 300, 20_000):
        monkeypatch.setattr(punkt, "_MOST", most)
        for text in (
            PROSE * 30,
            PROSE.replace("\n", " ") * 30,
            PROSE.replace("\n", "\r\n") * 30,
            " \n\n" * 900 + PROSE,
        ):
            check(Sentence(max_size=100, segmenter="punkt", overlap=40), text)


@pytest.mark.parametrize(
    "wild", ["\U0001f600" * 70_000, "!?" * 40_000, "\u0e01\u0e32" * 40_000], ids=["emoji", "marks", "thai"]
)
def test_tokens_where_nothing_parts_the_text_for_the_encoder(wild: str) -> None:
    """A tokenizer gets at most 65,536 characters at a time: where that cuts a text depends on all before."""
    text = PROSE * 3 + wild + PROSE * 30 + wild[:66_000] + ". " + PROSE * 3
    check(Sentence(max_size=100, length_function="cl100k_base", overlap=20), text, 100_000)


def test_gaps_between_sentences_that_are_not_there_yet() -> None:
    """Where a wide gap counts as a blank, one far behind changes nothing here."""
    text = "A sentence of some length. Another one. " * 200 + "The end.\n\n\n\nReally. " * 20
    for length in (len, units, "characters"):
        check(Sentence(max_size=100, target_size=200, length_function=length), text)


def test_little_is_read_ahead() -> None:
    reader = Reader(PROSE * 500, 100_000)
    behind = [reader.at - chunk.end for chunk in Sentence(max_size=300, overlap=50).stream(reader)]
    assert len(behind) > 500
    assert max(behind) < 8000


def test_a_file_is_a_reader() -> None:
    chunks = list(Sentence(max_size=100).stream(io.StringIO(PROSE * 20, newline="")))
    assert [state(c) for c in chunks] == [
        state(c) for c in MDocument.from_text(PROSE * 20).chunk("sentence", max_size=100)
    ]


def test_an_empty_stream_and_a_blank_one() -> None:
    for text in ("", " \n" * 2000, "\ufeff" * 3000, "x"):
        check(Sentence(max_size=100), text)


def test_a_reader_must_give_text() -> None:
    with pytest.raises(DocumentError, match=r"a reader must give str, got bytes from read\(\)\. Open the file as text"):
        list(Sentence(max_size=100).stream(io.BytesIO(b"Some text.")))  # type: ignore[arg-type]


def test_special_tokens_count_as_in_the_whole_text() -> None:
    length = TokenLength("cl100k_base", SpecialTokens(frozenset(["<|endoftext|>"])))
    for text in (PROSE * 20 + "<|endoftext|>" + PROSE, (PROSE[:500] + "<|endoftext|> and so on. ") * 12):
        check(Sentence(max_size=60, length_function=length, overlap=10), text)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(PARTS, st.sampled_from([None, "any", "de"]), st.lists(st.integers(0, 10**6), max_size=6))
def test_where_a_sentence_ends_does_not_depend_on_what_was_asked_before(
    text: str, language: str | None, asked: list[int]
) -> None:
    text = TEXTS.get(text, text)[:600]
    rules = Rules(language)
    sentences = rules.on(text)
    for at in _places(asked, len(text)):
        assert sentences.end_from(at) == rules.on(text).end_from(at)


def _places(asked: list[int], total: int) -> Iterator[int]:
    for at in asked:
        at %= total + 1
        yield from range(at, min(at + 60, total + 1), 7)
