"""Stems, also when several threads ask for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from cantle_llm.lexical import segment
from cantle_llm.lexical.stems import _stem, stemmer
from cantle_llm.lines import Line

_ROOTS = ["nation", "relat", "comput", "organ", "hope", "run", "cat", "general", "sens", "activ", "form", "observ"]
_ENDINGS = ["", "s", "ed", "ing", "ization", "ational", "fulness", "ously", "ibility", "ements", "iveness", "alism"]
WORDS = [f"{head}{root}{end}" for head, root, end in product(["", "re", "un", "over"], _ROOTS, _ENDINGS)]
THREADS = 4


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can, and no stem is remembered."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    _stem.cache_clear()
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize(
    ("language", "word", "stem"),
    [
        ("en", "relations", "relat"),
        ("pt", "organizações", "organiz"),
        ("es", "naciones", "nacion"),
        ("fr", "nationales", "national"),
        ("de", "häuser", "haus"),
        ("it", "nazioni", "nazion"),
        ("ru", "слова", "слова"),
        (None, "cats", "cats"),
    ],
)
def test_stems(language: str | None, word: str, stem: str) -> None:
    assert stemmer(language)(word) == stem


@pytest.mark.usefixtures("restless")
def test_one_stemmer_for_several_threads() -> None:
    stem = stemmer("en")
    right = [stem(word) for word in WORDS]
    assert len(set(right)) < len(WORDS) / 2
    for _ in range(4):
        _stem.cache_clear()
        with ThreadPoolExecutor(THREADS) as pool:
            assert all(found == right for found in pool.map(lambda _: [stem(word) for word in WORDS], range(THREADS)))


@pytest.mark.usefixtures("restless")
def test_topics_are_the_same_in_several_threads() -> None:
    texts = [" ".join(f"The {word} was {word}." for word in WORDS[start::THREADS]) for start in range(THREADS)]

    def topics(text: str) -> object:
        starts = [0, *(i + 2 for i in range(len(text)) if text.startswith(". ", i))]
        ends = [*(start - 1 for start in starts[1:]), len(text)]
        return segment(text, [Line(a, b) for a, b in zip(starts, ends, strict=True)], language="en")

    right = [topics(text) for text in texts]
    for _ in range(4):
        _stem.cache_clear()
        with ThreadPoolExecutor(THREADS) as pool:
            assert list(pool.map(topics, texts)) == right
