"""`structural-context` of plain text on a stream gives what it gives for the whole text, whatever the windows are."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument, chunk_stream
from cantle.blocks.lines import view
from cantle.blocks.sentences import segmenter
from cantle.blocks.text import TextBlock, text_blocks
from cantle.chunk import Chunk
from cantle.cleaning import streamed
from cantle.errors import OptionError
from cantle.lengths import SpecialTokens, TokenLength
from cantle.packing import Sentences, reading
from cantle.source import Source
from cantle.strategies.structural_context import StructuralContext
from cantle.structure import long
from cantle.structure.numbered import Numbered
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


def check(strategy: StructuralContext, text: str, step: int = 1000) -> None:
    assert [state(c) for c in strategy.stream(Reader(text, step))] == [state(c) for c in strategy.split(Source(text))]


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WINDOW", 64)
    monkeypatch.setattr(streamed, "PART", 50)
    monkeypatch.setattr(long, "LONG", 700)


MANUAL = "".join(
    f"{i}. Chapter Number {i}\n\n{PROSE}\n{i}.1 Sub Thing\n\nShort, as in the list:\n\n- a\n- b\n\n{i}.2 Other\n\n"
    + PROSE * (i % 4)
    for i in range(1, 20)
)
PHOTO = "![alt](data:image/png;base64,abcdefghijklmnop)"
PIECES = st.sampled_from([
    *(". ", "! ", "? ", "... ", "\u3002", "\u300d", ".\u201d  ", "A", "b", "Mr. ", "\n", "\n\n", "\n\n\n", "\r\n"),
    *("\r", "- x", "\n- ", "(", ")", "3", "  ", "\u00e9", "\u0301", "\x1c", "\u2028", "\x85", "\ufeff", "word "),
    *("Another sentence. ", "word word word ", "\U0001f1e7", "\U0001f1e7\U0001f1f7 ", " " * 40, "." * 40),
    *("\n1. Title\n", "\n\n2 Other Title\n\n", "\n2.1 Sub\n", "3.4.5. Deep Thing\n", "\n\n1.2 Next One\n\n", ":\n"),
    *(":\n\n", "say:\nthis\n", "like this:\n\n- one\n- two\n\n", ": \r\n\r\n", "(a) x\n", "x" * 70 + " "),
    *("A leading sentence here:\n", PHOTO, "![", "](data:image/png;base64,xyz) ", "](", "\u200b", "\u200d", "  \n"),
    *("\t", " \xa0"),
])  # fmt: skip
PARTS = st.one_of(generators.texts(), st.lists(PIECES, max_size=80).map("".join), st.sampled_from(sorted(TEXTS)))
OPTIONS = st.fixed_dictionaries(
    {
        "max_size": st.sampled_from([20, 60, 200, 1000]),
        "length_function": st.sampled_from(["characters", "characters", "bytes", "words", "cl100k_base", len]),
        "explain": st.booleans(),
        "overlap": st.sampled_from([0, 0, 4, 10]),
        "min_chunk_size": st.sampled_from([None, None, 0, 5]),
        "context_size": st.sampled_from([0, 0, 2]),
        "prepend_heading": st.booleans(),
        "heading_path": st.booleans(),
        "split_on_headings": st.sampled_from([True, True, True, False]),
        "strip_data_uri": st.booleans(),
        "normalize_whitespace": st.booleans(),
    }
)


def long_text(first: str, second: str, more: str) -> str:
    """Longer than the windows can be."""
    first, second = TEXTS.get(first, first), TEXTS.get(second, second)
    text = first + more + second
    return (text * (1 + 4000 // max(1, len(text))))[:6000] + second


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.builds(long_text, PARTS, PARTS, PIECES), OPTIONS, st.sampled_from([7, 1000]))
@pytest.mark.filterwarnings("ignore::cantle.errors.UnusedOptionWarning")
def test_a_stream_gives_the_chunks_of_the_text(text: str, options: dict[str, Any], step: int) -> None:
    if not options["split_on_headings"]:
        options["prepend_heading"] = False
    check(StructuralContext(**options), text, step)


@pytest.mark.parametrize(
    "text",
    [
        PROSE * 20,
        MANUAL,
        MANUAL.replace("\n", "\r\n"),
        PROSE.replace("\n", " ") * 20,
        "A long word " * 900,
        "Say:\nthis. " * 500,
        "\n".join(f"{i % 90 + 1}. Item" for i in range(900)),
        f"  \u00a0Words {PHOTO} go\ton.  \n\n\n\n" * 120,
        "   " + PROSE.replace("\n", " ") * 20,
        "\n\x1cA leading sentence here:\n" * 200 + "\x1cA leading sentence here:\n",
        " \t\n\xa0\u2003\r\n\x0b\x0c\x1c\x85\u2028\ufeff A leading sentence here:\n" * 110,
        f"? \n- \n\n\n\u300d\u3002\u300d(a) x\n\x85\n\n\ufeff{PHOTO}{PHOTO}{PHOTO}" * 30,
        "1 Intro\n" + PROSE * 9 + "\n2 More\n\nx\n\n3 Last\n" + PROSE * 9,
    ],
    ids=[
        "prose",
        "manual",
        "crlf",
        "one line",
        "words",
        "leads",
        "list",
        "cleaned",
        "indented",
        "blanks",
        "blank lines",
        "odd gaps",
        "long sections",
    ],
)
@pytest.mark.parametrize(
    "options",
    [
        {"max_size": 200, "overlap": 60, "normalize_whitespace": True},
        {"max_size": 60, "length_function": "cl100k_base", "overlap": 20, "explain": True},
        {"max_size": 40, "length_function": "words", "min_chunk_size": 0},
        {"max_size": 5, "explain": True, "min_chunk_size": 0},
    ],
    ids=["characters", "tokens", "words", "letters"],
)
def test_texts_of_all_kinds_are_cut_alike(text: str, options: dict[str, Any]) -> None:
    check(StructuralContext(**options), text)


def test_sections_know_their_place() -> None:
    chunks = list(StructuralContext(max_size=300).stream(Reader(MANUAL, 999)))
    last = chunks[-1]
    assert last.path == ("19. Chapter Number 19".replace(".", "", 1), "19.2 Other")
    assert last.prefix == "# 19 Chapter Number 19\n## 19.2 Other\n\n"
    assert MANUAL[last.start : last.end] == last.content


def test_little_is_read_ahead() -> None:
    for text in (PROSE * 300, MANUAL * 5, PROSE.replace("\n", " ") * 300):
        reader = Reader(text, 100_000)
        behind = [reader.at - chunk.end for chunk in StructuralContext(max_size=300, overlap=50).stream(reader)]
        assert len(behind) > 300
        assert max(behind) < 20_000


def test_headings_everywhere_say_how_much_room_there_is() -> None:
    with pytest.raises(OptionError, match=r"split_on_headings=False on a stream needs prepend_heading=False"):
        StructuralContext(max_size=300, split_on_headings=False).stream(io.StringIO("x"))


def test_special_tokens_are_refused() -> None:
    length = TokenLength("cl100k_base", SpecialTokens(frozenset(["<|endoftext|>"])))
    with pytest.raises(OptionError, match=r"special tokens: .* Name the encoding alone, such as .*'cl100k_base'"):
        StructuralContext(max_size=300, length_function=length).stream(io.StringIO("x"))


def test_the_documents_chunks_are_those_of_the_stream() -> None:
    wanted = MDocument.from_text(MANUAL).chunk("structural-context", max_size=300)
    assert [state(c) for c in StructuralContext(max_size=300).stream(io.StringIO(MANUAL))] == [state(c) for c in wanted]


def test_a_long_section_takes_no_small_one_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """So nothing in it waits for what follows it."""
    text = f"1 Long\n\n{PROSE}{PROSE}\n2 Small\n\nFew words.\n"
    monkeypatch.setattr(long, "LONG", 10_000)
    joined = StructuralContext(max_size=300).split(Source(text))[-1]
    monkeypatch.setattr(long, "LONG", 700)
    alone = StructuralContext(max_size=300).split(Source(text))[-1]
    assert alone.content == "2 Small\n\nFew words."
    assert joined.content.endswith(alone.content)


LINES = st.sampled_from([
    *("1. ", "1 ", "1.2 ", "3.4.5. ", "  12. ", "12 \t", "1.1.1.1.1.1 ", "Title", "Title.", "title", "Words", "\n"),
    *("\n", "\n\n", "\r\n", "\r", "  \n", "\x85", "\x85\n", "\xa0\n", "sentence. ", ":", "?", " ", " " * 100, "x" * 95),
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=50).map("".join).map(view), st.lists(st.integers(1, 40), min_size=1, max_size=60))
def test_headings_are_found_in_whatever_steps_the_text_comes(text: str, steps: list[int]) -> None:
    wanted = list(Numbered().read(text, 0, True))
    numbered = [block for block in text_blocks(text) if block.level]
    assert all(block in numbered for block in wanted)
    assert all(block in wanted for block in numbered if block.level > 1 and block.title[-1] not in ".!?:;,\u2026\u3002")
    found: list[TextBlock] = []
    steadily, at, i = Numbered(), 0, 0
    while at < len(text):
        at = min(len(text), at + steps[i % len(steps)])
        low, i = steadily.at, i + 1
        found += steadily.read(text[low:at], low, at == len(text))
    assert found == wanted


def test_a_file_on_a_stream_has_the_keys_of_the_document(tmp_path: Path) -> None:
    path = tmp_path / "manual.txt"
    path.write_text(f"---\ntitle: Manual\n---\n{MANUAL}", encoding="utf-8")
    wanted = MDocument.from_file(path).chunk("structural-context", max_size=300, overlap=40, add_start_index=True)
    found = list(chunk_stream(path, "structural-context", max_size=300, overlap=40, add_start_index=True))
    assert [(*state(c), c.key, c.id) for c in found] == [(*state(c), c.key, c.id) for c in wanted]


@pytest.mark.parametrize("kind", ["markdown", "html", "latex", "pdf"])
def test_other_kinds_are_refused(kind: str) -> None:
    with pytest.raises(OptionError, match=f"'structural-context' needs the whole text of a document of kind '{kind}'"):
        chunk_stream(io.StringIO("x"), "structural-context", kind=kind)


@pytest.mark.parametrize("tail", ["\n" * 100, " \n\n" * 30, ""])
def test_the_last_sentence_of_a_region_ends_where_it_is_asked_for(tail: str) -> None:
    """What stands behind it is no part of it: a chunk that is too long is to get shorter."""
    text = "One. Two and more." + tail
    pieces = Sentences(segmenter("rules", "any")).on(text, 0, len(text), True)
    assert pieces is not None
    for most in range(1, len(text) + 1):
        found = pieces.last(0, most)
        assert found is None or found[0] <= most
