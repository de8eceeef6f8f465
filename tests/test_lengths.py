"""Lengths and measures: a stretch measures what its text measures alone, `fit` finds the longest that fits."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.errors import DocumentError, OptionError, UnknownLengthError
from cantle.lengths import CallLength, EncodeLength, Length, SpecialTokens, TokenLength, names, resolve
from cantle.lengths.calls import CallMeasure
from cantle.testing import check_document, hostile_documents
from cantle.tokenizers.encodings import ENCODINGS
from cantle.tokenizers.vocabulary import ranks

ARITHMETIC = ("characters", "utf16", "bytes", "words")
TOKENS = ("cl100k_base", "o200k_base", "p50k_base", "r50k_base")

PIECES = [
    *" \n\t\r.,;:!?/'-_()\"#|",
    *"abcXYZ019",
    *"éà漢字한ก😀👩🇦🇧कषᄒ",
    *"\u0301\u200d\u094d\u093f\u0600\u00a0\u3000\u0085\x1c\u2028\ufeff\ufffd½²Ⅳʰǅ",
    *"\ud83d\ude00\ud800",
    "word ",
    "don't ",
    " I'll",
    "://",
    "\n\n",
    "\r\n",
    "/\n",
    "    ",
    "1234567",
    "x" * 30,
    "日本語、",
    "<|endoftext|>",
]
texts = st.lists(st.sampled_from(PIECES), max_size=50).map("".join)
long_texts = st.lists(st.sampled_from(PIECES), min_size=30, max_size=250).map("".join)
limits = st.sampled_from([0, 0.5, 1, 2, 3, 4.5, 9, 40])
quickly = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def word_count(text: str) -> int:
    return len(text.split())


def vowels(text: str) -> int:
    return sum(text.count(c) for c in "aeiou")


def restless(text: str) -> int:
    """Not monotone: a longer text may measure less."""
    return len(text) % 7 + (len(text) > 60) * 50


class Syllables:
    """A tokenizer of somebody: three characters an id."""

    def encode(self, text: str) -> list[int]:
        return list(range(-(-len(text) // 3)))


OTHERS: dict[str, Callable[[], Any]] = {
    "len": lambda: len,
    "words": lambda: word_count,
    "vowels": lambda: vowels,
    "restless": lambda: restless,
    "object": Syllables,
    "tiktoken": lambda: tiktoken_object(),
    "huggingface": lambda: word_level(),
}


def tiktoken_object() -> Any:
    import tiktoken

    vocabulary = {bytes([i]): i for i in range(256)} | {b"th": 256, b"the": 257, b"\n\n": 258}
    return tiktoken.Encoding(
        "small", pat_str=r"\p{L}+|\s+|.", mergeable_ranks=vocabulary, special_tokens={"<|endoftext|>": 259}
    )


def word_level() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {"[UNK]": 0, "a": 1, "b": 2, "[CLS]": 3, "[SEP]": 4, "[PAD]": 5}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 3), ("[SEP]", 4)]
    )
    return tokenizer


# --- measures against lengths --------------------------------------------------------------------


def stretches(data: st.DataObject, text: str, times: int = 8) -> list[tuple[int, int]]:
    pairs = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    return [(min(p), max(p)) for p in data.draw(st.lists(pairs, min_size=times, max_size=times))]


@pytest.mark.parametrize("name", ARITHMETIC)
@quickly
@given(text=texts, limit=limits)
def test_arithmetic_measures_are_exact(name: str, text: str, limit: float) -> None:
    length = resolve(name)
    measure = length.measure(text)
    assert measure.exact
    text = text[:40]
    measure = length.measure(text)
    everywhere = range(len(text) + 1)
    table = {(a, b): length(text[a:b]) for a in everywhere for b in range(a, len(text) + 1)}
    assert {(a, b): measure.length(a, b) for a, b in table} == table
    for at in everywhere:
        assert measure.fit(at, limit) == max(b for b in range(at, len(text) + 1) if b == at or table[at, b] <= limit)
        assert measure.fit_back(at, limit) == min(a for a in range(at + 1) if a == at or table[a, at] <= limit)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_exact_measures_grow_with_the_stretch(name: str) -> None:
    """What `exact` promises besides: no stretch is longer than one that contains it."""
    for document in hostile_documents():
        text = document.text[:50]
        measure = resolve(name).measure(text)
        for a in range(len(text)):
            for b in range(a, len(text)):
                assert measure.length(a, b) <= measure.length(a, b + 1)
                assert measure.length(a + 1, b + 1) <= measure.length(a, b + 1)


@pytest.mark.parametrize("quick", [True, False], ids=["as it comes", "by prefix sums"])
@pytest.mark.parametrize("name", TOKENS)
@quickly
@given(text=st.one_of(texts, long_texts), limit=limits, special=st.booleans(), data=st.data())
def test_token_measures(name: str, quick: bool, text: str, limit: float, special: bool, data: st.DataObject) -> None:
    length: Length = resolve(name)
    if special:
        length = TokenLength(name, SpecialTokens(frozenset(["<|endoftext|>"])))
    measure: Any = length.measure(text)
    if not quick:
        measure._quick = 0  # short stretches would be counted anew
        assert list(measure.ends) == sorted(measure.ends)
        assert not text or measure.ends[-1] == len(text)
    assert measure.exact is False
    for a, b in stretches(data, text):
        assert measure.length(a, b) == length(text[a:b])
        assert a <= measure.fit(a, limit) <= len(text)
        assert 0 <= measure.fit_back(b, limit) <= b


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("name", TOKENS)
@quickly
@given(text=st.one_of(texts, long_texts))
def test_where_tokens_start(name: str, special: bool, text: str) -> None:
    length = TokenLength(name, SpecialTokens(frozenset(["<|endoftext|>"]) if special else frozenset()))
    text = text.replace("x", "<|endoftext|>")
    vocabulary = token_bytes(name)
    byte, expected = 0, []
    for piece in re.split("(<[|]endoftext[|]>)", text) if special else [text]:
        alone = special and piece == "<|endoftext|>"
        for token in [piece.encode()] if alone else [vocabulary[i] for i in length.encoding.ids(piece)]:
            expected.append(byte)
            byte += len(token)
    characters = [at for at, c in enumerate(text) for _ in c.encode("utf-8", "surrogatepass")]
    assert length.starts(text).tolist() == [characters[at] for at in expected]


@cache
def token_bytes(name: str) -> dict[int, bytes]:
    return {number: token for token, number in ranks(ENCODINGS[name]).items()}


@pytest.mark.parametrize("kind", OTHERS)
@quickly
@given(text=texts, limit=limits, data=st.data())
def test_measures_of_somebody_elses_lengths(kind: str, text: str, limit: float, data: st.DataObject) -> None:
    length = resolve(OTHERS[kind]())
    measure = length.measure(text)
    assert measure.exact is False
    for a, b in stretches(data, text):
        assert measure.length(a, b) == length(text[a:b])
        for end in (measure.fit(a, limit),):
            assert a <= end <= len(text)
            assert end == a or measure.length(a, end) <= limit
        for start in (measure.fit_back(b, limit),):
            assert 0 <= start <= b
            assert start == b or measure.length(start, b) <= limit


@quickly
@given(text=texts, limit=limits, data=st.data())
def test_fit_is_exact_for_monotone_functions(text: str, limit: float, data: st.DataObject) -> None:
    measure = CallLength(len).measure(text)
    for a, b in stretches(data, text):
        assert measure.fit(a, limit) == min(len(text), a + int(limit))
        assert measure.fit_back(b, limit) == max(0, b - int(limit))


def test_long_texts_with_a_hard_border() -> None:
    """A run longer than a tokenizer takes at once is counted block by block: stretches across it too."""
    text = "some words " * 30 + "y" * 150_000 + " and more" * 30
    length = resolve("cl100k_base")
    measure = length.measure(text)
    for a, b in ((0, len(text)), (5, len(text) - 5), (100, 140_000), (70_000, 70_300), (149_000, len(text))):
        assert measure.length(a, b) == length(text[a:b])


@pytest.mark.parametrize("name", [*ARITHMETIC, *TOKENS])
def test_limits_beyond_all_machine_integers(name: str) -> None:
    text = "añ😀 " * 20
    measure = resolve(name).measure(text)
    assert measure.fit(3, 10**30) == len(text)
    assert measure.fit_back(len(text), 10**30) == 0
    assert MDocument(text).chunk("recursive", max_size=10**30, length_function=name).spans == [(0, len(text) - 1)]


# --- names ---------------------------------------------------------------------------------------


def test_names() -> None:
    assert names()[:5] == [*ARITHMETIC, "cl100k_base"]
    for name in names():
        assert resolve(name) is resolve(name)
        assert resolve(name)("") == 0
    assert resolve("gpt-4o")("hello world") == 2
    length = resolve("words")
    assert resolve(length) is length


def test_what_each_counts() -> None:
    text = "Olá, 😀 e\u0301\ud83d"
    assert [resolve(name)(text) for name in ARITHMETIC] == [10, 11, 17, 3]
    assert resolve("utf16")("\ud83d\ude00") == 2
    assert resolve("bytes")("\ud83d\ude00") == 6


def test_unknown_names() -> None:
    with pytest.raises(UnknownLengthError) as caught:
        resolve("cl100k")
    message = str(caught.value)
    assert "No length function is named 'cl100k'. Did you mean 'cl100k_base'?" in message
    assert all(name in message for name in names())
    assert "gpt-4o" in message
    assert "str -> int" in message


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tokens", "To count tokens, name an encoding or a model: cl100k_base, for example."),
        ("Token", "To count tokens, name an encoding or a model: cl100k_base, for example."),
        ("chars", "Did you mean 'characters'?"),
        ("len", "Did you mean 'characters'?"),
        ("utf-8", "Did you mean 'bytes'?"),
    ],
)
def test_what_other_libraries_call_a_length(name: str, hint: str) -> None:
    with pytest.raises(UnknownLengthError) as caught:
        resolve(name)
    assert f"No length function is named {name!r}. {hint} Available: bytes, " in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, 2.5, ["characters"], {"name": "words"}, b"words"])
def test_what_is_no_length_function(value: Any) -> None:
    with pytest.raises(OptionError, match=r"length_function must be a name, a function .* got ") as caught:
        resolve(value)
    assert repr(value) in str(caught.value)
    assert "characters" in str(caught.value)


# --- special tokens ------------------------------------------------------------------------------


def test_special_tokens_are_plain_text_unless_allowed() -> None:
    text = "a<|endoftext|>b<|fim_prefix|>"
    plain = resolve("cl100k_base")
    allowing = TokenLength("cl100k_base", SpecialTokens(frozenset(["<|endoftext|>"])))
    both = TokenLength("cl100k_base", SpecialTokens(frozenset(["<|endoftext|>", "<|fim_prefix|>"])))
    fim = plain("<|fim_prefix|>")
    assert plain(text) > 10
    assert allowing(text) == 1 + 1 + plain("b<|fim_prefix|>") == 3 + fim
    assert both(text) == 4
    assert both("no such text") == plain("no such text")
    assert both("<|endoftext|>" * 500) == 500


def test_disallowed_special_tokens() -> None:
    special = SpecialTokens(disallowed=frozenset(["<|endoftext|>"]))
    special.check("nothing here <|endoftext")
    with pytest.raises(DocumentError, match=r"not allowed: <\|endoftext\|> \(at 2\).*allowed_special"):
        special.check("a <|endoftext|>")


def test_of_tokens_that_contain_one_another_the_longest_counts() -> None:
    length = TokenLength("cl100k_base", SpecialTokens(frozenset(["<a", "<a>"])))
    assert length("<a><a") == 2


def test_token_lengths_pickle_small() -> None:
    length = TokenLength("o200k_base", SpecialTokens(frozenset(["<|endoftext|>"])))
    assert length("warm") == 1
    sent = pickle.dumps(length)
    assert len(sent) < 400
    assert pickle.loads(sent)("<|endoftext|>") == 1


# --- functions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, 3.0, 3.5, numpy.int64(3), numpy.float32(3.5), Decimal("3.5"), Fraction(7, 2), 0])
def test_functions_may_return_any_number(value: Any) -> None:
    assert CallLength(lambda _: value)("abc") == float(value)


@pytest.mark.parametrize(
    "value", [None, -1, -0.5, float("nan"), True, "3", [1, 2], {}, 1j, object, numpy.array([1, 2])]
)
def test_other_answers_are_refused(value: Any) -> None:
    with pytest.raises(OptionError, match="length_function must return a number that is not negative, got ") as caught:
        MDocument("some text").chunk("recursive", max_size=3, length_function=lambda _: value)
    assert repr(value)[:20] in str(caught.value)
    assert "9 characters" in str(caught.value)


def test_a_long_answer_is_shown_in_short() -> None:
    with pytest.raises(OptionError, match=r"got \[0, 1, 2.*\.\.\. for a text .* lambda text: len") as caught:
        CallLength(lambda text: list(range(10_000)))("abc")
    assert len(str(caught.value)) < 250


def test_errors_of_a_function_pass() -> None:
    def fails(text: str) -> int:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        MDocument("some text").chunk("recursive", length_function=fails)


def test_a_measure_remembers_a_bounded_number_of_answers() -> None:
    text = "ab " * 20_000
    measure = CallMeasure(CallLength(len), text)
    for start in range(0, len(text), 2):
        measure.fit(start, 10)
    assert len(measure._known) <= 4096


def test_a_measure_asks_about_short_stretches_a_few_times() -> None:
    """Closing in on the limit takes few calls, and none about much more text than fits."""
    asked: list[int] = []

    def counted(text: str) -> int:
        asked.append(len(text))
        return len(text.split())

    text = "some words of different lengths indeed " * 2000
    chunks = MDocument(text).chunk("recursive", max_size=50, overlap=0, length_function=counted)
    assert len(asked) < 12 * len(chunks)
    assert sum(asked) < 15 * len(text)


@pytest.mark.parametrize("strategy", ["recursive", "character"])
@pytest.mark.parametrize("kind", ["restless", "vowels"])
def test_functions_that_are_not_monotone_keep_the_limit(strategy: str, kind: str) -> None:
    for document in hostile_documents():
        check_document(
            strategy,
            document,
            points=[1, 2, 3, 4, 5, 6, 9],
            max_size=5,
            overlap=2,
            length_function=OTHERS[kind](),
        )


def test_a_function_that_finds_all_too_long() -> None:
    """Nothing fits: single clusters, and no endless search."""
    chunks = MDocument("ab e\u0301").chunk("recursive", max_size=1, overlap=0, length_function=lambda t: 9 * bool(t))
    assert chunks.texts == ["a", "b", "e\u0301"]


def test_a_function_that_finds_nothing_too_long() -> None:
    assert MDocument("a b\n\nc").chunk("recursive", max_size=1, length_function=lambda _: 0).texts == ["a b\n\nc"]


# --- tokenizers of others ------------------------------------------------------------------------


def test_an_object_with_encode() -> None:
    length = resolve(Syllables())
    assert isinstance(length, EncodeLength)
    assert (length("abcd"), length.name) == (2, "Syllables")
    assert MDocument("abc def ghi").chunk("recursive", max_size=2, overlap=0, length_function=Syllables()).texts == [
        "abc",
        "def",
        "ghi",
    ]


def test_a_tiktoken_encoding_takes_special_tokens_for_text() -> None:
    length = resolve(tiktoken_object())
    assert length("the\n\nthe") == 3
    assert length("<|endoftext|>") > 1
    assert length("\ud83d") >= 1


def test_a_hugging_face_tokenizer_counts_without_its_special_tokens() -> None:
    length = resolve(word_level())
    assert length("a b zz") == 3
    assert length("") == 0


def test_a_lone_surrogate_does_not_change_how_a_tokenizer_is_asked() -> None:
    """`tokenizers` answers a lone surrogate with the TypeError that an unknown argument gives too."""
    length = resolve(word_level())
    for _ in range(2):
        assert length("a \ud800 b") == 3
        assert length("a b") == 2


@pytest.mark.parametrize("direction", ["right", "left"])
@pytest.mark.parametrize(("most", "stride"), [(3, 0), (4, 1), (6, 0), (6, 3), (8, 5)])
@pytest.mark.parametrize("padding", [None, {}, {"length": 9}, {"pad_to_multiple_of": 4}], ids=str)
def test_a_tokenizer_that_truncates_or_pads_counts_everything(
    direction: str, most: int, stride: int, padding: dict[str, int] | None
) -> None:
    """Many tokenizer files of embedding models do both; a limit on their ids would never be reached."""
    tokenizer = word_level()
    tokenizer.enable_truncation(most, stride=stride, direction=direction)
    if padding is not None:
        tokenizer.enable_padding(**padding)
    length = resolve(tokenizer)
    assert [length("a b " * n) for n in range(8)] == [2 * n for n in range(8)]


def test_a_hugging_face_tokenizer_pickles() -> None:
    length = resolve(word_level())
    assert pickle.loads(pickle.dumps(length))("a b zz") == 3


def test_encode_that_takes_the_text_alone_and_fails_is_heard() -> None:
    class Strict:
        def encode(self, text: str) -> list[int]:
            raise TypeError("no such text")

    with pytest.raises(TypeError, match="no such text"):
        resolve(Strict())("abc")


@pytest.mark.parametrize("kind", ["object", "tiktoken", "huggingface"])
def test_tokenizers_of_others_keep_the_contract(kind: str) -> None:
    tokenizer = OTHERS[kind]()
    for document in hostile_documents():
        check_document(
            "recursive",
            document,
            points=[1, 2, 3, 4, 5, 6, 9],
            max_size=8,
            overlap=3,
            length_function=tokenizer,
        )
