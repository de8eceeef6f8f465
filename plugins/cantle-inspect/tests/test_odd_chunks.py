"""Whatever a plugin gives, `view` shows: what is not as it should be is said, and ends no page."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from cantle import Chunk, Chunks, Cut, MDocument, Registry, Source, hookimpl
from cantle.lengths import CharacterLength
from cantle_inspect import measured, view
from cantle_inspect.measures.settings import literal, plain
from cantle_inspect.measures.sizes import repeated
from cantle_inspect.report.drawing import ranges

TEXT = "one two three four"


class Raises:
    """Nothing can be asked of it."""

    def __str__(self) -> str:
        raise RuntimeError("no string")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __deepcopy__(self, memo: object) -> object:
        raise RuntimeError("no copy")

    __repr__ = __str__
    __hash__ = None  # type: ignore[assignment]


def made(chunk: Chunk, strategy: object = None, **more: Any) -> str:
    chunks = Chunks(Source(TEXT), [chunk], **more)
    chunks.strategy = strategy
    return view(chunks)


@pytest.mark.parametrize(
    "cut", [Cut(None, 0), (None, None), "half", ("a", 1), 5, Cut("x", None), Raises(), Cut("x", 1, 7)]
)  # type: ignore[arg-type]
def test_a_cut_that_is_none_is_said_as_it_is(cut: Any) -> None:
    assert "The strategy says: " in made(Chunk("one", 0, 3, cut=cut))


def test_dropped_stretches_may_be_anything() -> None:
    given: Any = [(8, 13, None), (4, 7, "why"), None, (1, 2), (50, 60, "far"), (5, 6, Raises())]
    page = made(Chunk("one", 0, 3), dropped=given)
    assert "dropped: why" in page
    assert "dropped: no reason given" in page


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        (Chunk("x", 40, 50), "Chunk 0 lies outside of the document: no mark."),
        (Chunk("x", -9, -5), "Chunk 0 lies outside of the document: no mark."),
        (Chunk("x", -9, 2), "Chunk 0 reaches beyond the document: what is inside is marked."),
        (Chunk("x", 14, 99), "Chunk 0 reaches beyond the document: what is inside is marked."),
        (Chunk("x", 0, 3, spans=((0, 3), (17, 90))), "Chunk 0 reaches beyond the document: what is inside is marked."),
        (Chunk("x", 9, 4), "Chunk 0 reaches beyond"),
    ],
)
def test_positions_outside_are_said(chunk: Chunk, words: str) -> None:
    page = made(chunk)
    assert page.count(words) == 2  # in its entry, and with what is in no chunk
    assert ('href="#t0"' in page) == ('id="t0"' in page)


def test_metadata_may_be_anything() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    own: dict[str, Any] = {}
    own["self"] = own
    page = made(Chunk("one", 0, 3, metadata={"deep": deep, "own": own, "raises": Raises(), 7: "seven"}))  # type: ignore[dict-item]
    for part in ("<code>deep</code> [[[", "<code>own</code> {", "<code>raises</code> &lt;Raises&gt;", "seven"):
        assert part in page
    assert "what the strategy gave is no mapping" in made(Chunk("one", 0, 3, metadata=5))  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Strange:
    """A strategy whose attributes mean what it likes."""

    name: Any = "strange"
    length_function: Any = 7
    separators: Any = None
    unused: Any = field(default=None, init=False)

    @property
    def limit(self) -> float:
        raise RuntimeError("no limit")


@pytest.mark.parametrize(
    "length", [7, "nope", int, lambda text: "long", lambda text: float("nan"), lambda text: 1 / 0, Raises()]
)
def test_a_length_function_that_is_none_counts_characters(length: Any) -> None:
    chunks = Chunks(Source(TEXT), [Chunk("one", 0, 3)])
    chunks.strategy = Strange(length_function=length)
    sizes = measured(chunks)
    assert (sizes.values, sizes.unit, sizes.limit) == ((3,), "characters", None)
    assert "1 chunk of 3 characters." in view(chunks)


def test_the_length_in_force_counts() -> None:
    class Halves(CharacterLength):
        name = "halves"

        def __call__(self, text: str, /) -> int:
            return len(text) // 2

    class Own:
        length_function = 3
        length = Halves()

    chunks = Chunks(Source(TEXT), [Chunk("one two", 0, 7)])
    chunks.strategy = Own()
    assert (measured(chunks).values, measured(chunks).unit) == ((3,), "units of halves")


def test_options_may_be_anything() -> None:
    own: list[Any] = []
    own.append(own)
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    page = made(Chunk("one", 0, 3), Strange(separators=[own, deep, Raises()], name=None))
    assert "<code>separators</code>" in page
    assert "Strange, " in page
    assert literal([own]) == "[[...]]"
    assert plain({"a": own, 3: {Strange}}) == {"a": ["..."], "3": [literal(Strange)]}


def test_chunks_of_a_registry_of_ones_own_are_shown() -> None:
    class Plugin:
        @hookimpl
        def register_length_functions(self) -> dict[str, Any]:
            return {"vowels": lambda: lambda text: sum(c in "aeiou" for c in text)}

    own = Registry({"own": Plugin(), "recursive": "cantle.strategies.recursive"})
    options = {"max_size": 3, "overlap": 0, "length_function": "vowels"}
    chunks = MDocument.from_text(TEXT).chunk("recursive", plugins=own, **options)
    assert len(chunks) > 1
    assert "characters" in view(chunks)


def test_numbers_that_follow_one_another_are_a_range() -> None:
    assert [ranges(n) for n in ((), (3,), (3, 4), (0, 2, 3, 4, 9))] == ["", "3", "3-4", "0 2-4 9"]


def test_overlap_near_the_whole_size_keeps_the_page_small() -> None:
    chunks = Chunks.from_spans(Source("x" * 6000), range(5001), range(1000, 6001))
    start = time.process_time()
    page = view(chunks)
    assert time.process_time() - start < 5
    assert len(page) < 1300 * len(chunks)
    assert 'data-chunk="1-1000"' in page
    assert repeated(chunks) == pytest.approx(1 - 6000 / sum(map(len, chunks.texts)))


def test_what_is_repeated_for_any_reason_counts() -> None:
    text = "head|row1|row2"
    spans = [((0, 4), (5, 9)), ((0, 4), (10, 14))]
    chunks = Chunks(Source(text), [Chunk("head row", s[0][0], s[1][1], spans=s) for s in spans])
    assert repeated(chunks) == 4 / 16
    assert repeated(Chunks(Source(""))) == 0


def test_metadata_of_the_document_costs_no_chunk_anything() -> None:
    def seconds(metadata: dict[str, Any]) -> float:
        places = range(0, 60_000, 6)
        source = Source("word. " * 10_000, metadata=metadata)
        chunks = Chunks.from_spans(source, list(places), [at + 5 for at in places])
        start = time.process_time()
        assert len(view(chunks)) < 20_000_000
        return time.process_time() - start

    plain_one = min(seconds({}) for _ in range(2))
    tags = [f"tag{i}" for i in range(4000)]
    tagged = {"tags": tags, **dict.fromkeys(tags, 1)}
    assert min(seconds(tagged) for _ in range(2)) < 1.6 * plain_one + 0.3
