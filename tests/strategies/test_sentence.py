"""The strategy `sentence`: grouping, fallbacks, overlap, options, and the contract."""

from __future__ import annotations

import dataclasses
import importlib.util
import pickle
import time
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Chunks, MDocument, registry
from cantle.chunk import Cut
from cantle.errors import MissingDependencyError, OptionError, UnusedOptionWarning
from cantle.strategies.sentence import Sentence
from cantle.testing import check_document, check_strategy, hostile_documents, texts

has_punkt = pytest.mark.skipif(
    importlib.util.find_spec("nltk") is None or importlib.util.find_spec("punkt") is None, reason="needs cantle[punkt]"
)


def chunked(text: str, **options: Any) -> Chunks:
    """The chunks, of which the contract has been checked."""
    strategy, document = Sentence(**options), MDocument(text)
    check_document(strategy, document)
    return document.chunk(strategy)


def cut(text: str, **options: Any) -> list[str]:
    return chunked(text, **options).texts


# --- options -------------------------------------------------------------------------------------


def test_max_size_is_required() -> None:
    with pytest.raises(OptionError, match="Strategy 'sentence' needs the option max_size"):
        MDocument("A.").chunk("sentence")
    with pytest.raises(OptionError, match="max_size must be a number greater than 0, got None"):
        MDocument("A.").chunk("sentence", max_size=None)
    assert registry().strategies()["sentence"] is Sentence


def test_defaults() -> None:
    made = Sentence(max_size=100)
    assert {f.name: getattr(made, f.name) for f in dataclasses.fields(made)} == {
        "max_size": 100,
        "overlap": 0,
        "length_function": "characters",
        "strip_whitespace": True,
        "separator_position": None,
        "add_start_index": False,
        "explain": False,
        "min_size": None,
        "target_size": None,
        "sentence_enders": None,
        "fallback_to_words": True,
        "fallback_to_characters": True,
        "language": None,
        "segmenter": "rules",
    }
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_size": "50"}, "max_size must be a number greater than 0, got '50'."),
        ({"min_size": 0}, "min_size must be a number greater than 0, got 0."),
        ({"min_size": 11}, "min_size must be at most max_size (10), got 11. Lower min_size, or raise max_size."),
        ({"max_size": (3, 9), "min_size": 2}, "min_size is given twice, as min_size=2 and in max_size=(3, 9)."),
        ({"target_size": -1}, "target_size must be a number greater than 0, got -1."),
        ({"overlap": -1}, "overlap must be a number of at least 0, got -1."),
        ({"sentence_enders": "."}, "sentence_enders must be a list of strings, got '.'. For a single one write ['.']."),
        ({"sentence_enders": [1]}, "sentence_enders[0] must be a string, got 1."),
        ({"fallback_to_words": 1}, "fallback_to_words must be True or False, got 1."),
        ({"fallback_to_characters": "no"}, "fallback_to_characters must be True or False, got 'no'."),
        ({"language": "xx"}, "language must be one of None, 'any', 'en', 'pt', 'es', 'fr', 'de', 'it', got 'xx'."),
        ({"segmenter": "spacy"}, "segmenter must be one of 'rules', 'punkt', got 'spacy'."),
        ({"segmenter": "punkt", "language": "any"}, "segmenter='punkt' has a model for one language at a time"),
    ],
)
def test_wrong_values(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Sentence(**{"max_size": 10, **options})
    assert message in str(caught.value)


def test_options_without_effect_warn() -> None:
    for options in ({"strip_whitespace": False}, {"separator_position": "end"}):
        with pytest.warns(UnusedOptionWarning, match=next(iter(options))):
            Sentence(max_size=10, **options)


@has_punkt
def test_enders_with_punkt_warn() -> None:
    with pytest.warns(UnusedOptionWarning, match="sentence_enders has no effect with segmenter='punkt'"):
        Sentence(max_size=10, segmenter="punkt", sentence_enders=["."])


# --- grouping ------------------------------------------------------------------------------------

TEXT = "Aaa bbb. Ccc ddd. Eee fff. Ggg hhh."


def test_sentences_are_joined_up_to_the_target() -> None:
    assert cut(TEXT, max_size=100) == [TEXT]
    assert cut(TEXT, max_size=20) == ["Aaa bbb. Ccc ddd.", "Eee fff. Ggg hhh."]
    assert cut(TEXT, max_size=100, target_size=9) == ["Aaa bbb. Ccc ddd.", "Eee fff. Ggg hhh."]
    assert cut(TEXT, max_size=100, target_size=8) == ["Aaa bbb.", "Ccc ddd.", "Eee fff.", "Ggg hhh."]
    assert cut(TEXT, max_size=18, target_size=1000) == ["Aaa bbb. Ccc ddd.", "Eee fff. Ggg hhh."]
    assert cut(TEXT, max_size=8) == ["Aaa bbb.", "Ccc ddd.", "Eee fff.", "Ggg hhh."]


@pytest.mark.parametrize("gap", ["  ", "\n\n", "\u00a0\u00a0", "\u3000\u3000", " \ufeff", "\t \t\n"])
def test_white_space_between_sentences_counts_one_blank_for_the_target(gap: str) -> None:
    assert cut("Aaa bbb. Ccc ddd. Eee fff.", max_size=40, target_size=18) == ["Aaa bbb. Ccc ddd. Eee fff."]
    text = f"Aaa bbb.{gap}Ccc ddd. Eee fff."
    assert cut(text, max_size=40, target_size=18) == [text]
    assert cut(text, max_size=40, target_size=17) == [text[:-9].rstrip(), "Eee fff."]


def test_a_chunk_is_a_literal_slice() -> None:
    text = "  Aaa.\r\n\r\nBbb.  \n Ccc.\tDdd. "
    chunks = chunked(text, max_size=30)
    assert chunks.texts == [text.strip()]
    assert chunks[0].exact
    assert chunks.dropped == []


def test_wide_gaps_count_as_one_blank_towards_the_target_but_in_full_towards_the_limit() -> None:
    text = "Aaa.\n\n\nBbb.\n\n\nCcc."
    assert cut(text, max_size=100, target_size=14) == [text]  # Aaa. Bbb. Ccc. measures 14
    assert cut("Aaa.\n\n\nBbb.", max_size=10, target_size=10) == ["Aaa.", "Bbb."]  # 11, not 9


def test_a_long_sentence_is_cut_between_words_then_characters() -> None:
    text = "Short one. This sentence is far too long for it. End."
    assert cut(text, max_size=16) == ["Short one.", "This sentence is", "far too long for", "it.", "End."]
    assert cut("abcdefghijkl mno.", max_size=5) == ["abcde", "fghij", "kl", "mno."]
    assert cut("aa bb cc.", max_size=4, fallback_to_words=False) == ["aa b", "b cc", "."]
    assert cut("e\u0301" * 4, max_size=3) == ["e\u0301"] * 4


def test_pieces_that_may_not_be_cut_are_marked() -> None:
    options: dict[str, Any] = {"max_size": 5, "fallback_to_characters": False}
    chunks = chunked("Ab. abcdefghij klm. No.", **options)
    assert [(c.content, c.oversize) for c in chunks] == [
        ("Ab.", False),
        ("abcdefghij", True),
        ("klm.", False),
        ("No.", False),
    ]
    chunks = chunked("abcdefghij klm. No.", **options, fallback_to_words=False)
    assert [(c.content, c.oversize) for c in chunks] == [("abcdefghij klm.", True), ("No.", False)]


def test_min_size_joins_small_neighbours() -> None:
    text = "Hi. Go. Longer sentence here now. Ok."
    assert cut(text, max_size=20, target_size=3) == ["Hi.", "Go.", "Longer sentence here", "now.", "Ok."]
    assert cut(text, max_size=20, target_size=3, min_size=5) == ["Hi. Go.", "Longer sentence here", "now. Ok."]
    assert cut(text, max_size=(5, 20), target_size=3) == ["Hi. Go.", "Longer sentence here", "now. Ok."]


def test_scripts_without_spaces_where_no_language_is_named() -> None:
    text = "你好。世界很大。再见。"
    assert cut(text, max_size=5) == ["你好。", "世界很大。", "再见。"]
    assert cut(text, max_size=4) == ["你好。世", "界很大。", "再见。"]  # a sentence is too long: all is one
    assert cut(text, max_size=4, language="any") == ["你好。", "世界很大", "。", "再见。"]
    assert cut(text, max_size=20, target_size=1) == [text]
    assert cut(text, max_size=20, target_size=1, language="any") == ["你好。", "世界很大。", "再见。"]


def test_lengths_in_other_units() -> None:
    assert cut("One two. Three four five. Six.", max_size=4, length_function="words") == [
        "One two.",
        "Three four five.",
        "Six.",
    ]
    assert cut("é é. É é.", max_size=6, length_function="bytes", language="fr") == ["é é.", "É é."]
    assert cut("One two. Three four five. Six.", max_size=9, length_function="cl100k_base") == [
        "One two. Three four five.",
        "Six.",
    ]
    assert cut("Aa. Bb. Cc.", max_size=14, length_function=lambda text: 2 * len(text)) == ["Aa. Bb.", "Cc."]


# --- overlap -------------------------------------------------------------------------------------


def test_overlap_is_whole_sentences() -> None:
    text = "Aaa. Bbb. Ccc. Ddd. Eee."
    assert cut(text, max_size=14, target_size=14, overlap=4) == ["Aaa. Bbb. Ccc.", "Ccc. Ddd. Eee."]
    assert cut(text, max_size=14, target_size=14, overlap=3) == ["Aaa. Bbb. Ccc.", "Ddd. Eee."]
    assert cut(text, max_size=14, target_size=14, overlap=9) == ["Aaa. Bbb. Ccc.", "Bbb. Ccc. Ddd.", "Ccc. Ddd. Eee."]


def test_overlap_of_any_size_makes_no_chunk_that_only_repeats() -> None:
    assert cut("Aaa bbb ccc. Ddd eee fff.", max_size=30, target_size=20, overlap=12) == ["Aaa bbb ccc. Ddd eee fff."]
    assert cut("Aaaa. Bbbb. Cccc. Dddd.", max_size=12, overlap=50) == ["Aaaa. Bbbb.", "Bbbb. Cccc.", "Cccc. Dddd."]
    assert Sentence(max_size=12, overlap=50).repeat == 12


def test_overlap_leaves_room_for_what_follows() -> None:
    assert cut("Aaaaaaaa. Bbbbbbbb. Cccccccccccccccc.", max_size=20, overlap=10) == [
        "Aaaaaaaa. Bbbbbbbb.",
        "Cccccccccccccccc.",
    ]


# --- the rest ------------------------------------------------------------------------------------


def test_explain() -> None:
    chunks = MDocument("Aa bb. A long sentence with abcdefghijkl in it. End.").chunk(
        "sentence", max_size=10, explain=True
    )
    assert [(c.content, c.cut) for c in chunks] == [
        ("Aa bb.", Cut("sentence", 0)),
        ("A long", Cut("word", 1)),
        ("sentence", Cut("word", 1)),
        ("with", Cut("word", 1)),
        ("abcdefghij", Cut("characters", 2)),
        ("kl", Cut("word", 1)),
        ("in it.", Cut("sentence", 0)),
        ("End.", Cut("end", 0)),
    ]


def test_language_changes_what_ends_a_sentence() -> None:
    text = "Ele mora na Av. Brasil. É longe. Chegou às 5. Saiu."
    options: dict[str, Any] = {"max_size": 60, "target_size": 1}
    assert cut(text, **options) == ["Ele mora na Av.", "Brasil. É longe.", "Chegou às 5. Saiu."]
    assert cut(text, **options, language="pt") == ["Ele mora na Av. Brasil.", "É longe.", "Chegou às 5.", "Saiu."]


@has_punkt
def test_punkt() -> None:
    text = "Er kam am 3. Mai. Sie kam bzw. ging nie."
    assert cut(text, max_size=40, target_size=1, language="de", segmenter="punkt") == [
        "Er kam am 3. Mai.",
        "Sie kam bzw. ging nie.",
    ]
    assert cut("One. Two.", max_size=40, target_size=1, segmenter="punkt") == ["One.", "Two."]


def test_punkt_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise MissingDependencyError("segmenter='punkt'", "nltk", "cantle[punkt]")

    monkeypatch.setattr("cantle.blocks.sentences.punkt._tokenizer", missing)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cantle\[punkt\]'"):
        Sentence(max_size=10, segmenter="punkt")


# --- the contract --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, "any"])
def test_contract(name: str | None) -> None:
    check_strategy(Sentence(max_size=60, overlap=20, language=name))


@settings(max_examples=120, deadline=None)
@given(
    texts(),
    st.sampled_from([1, 2, 5, 8, 30, 100, (4, 9), 2.5]),
    st.sampled_from([0, 1, 5, 20, 500]),
    st.fixed_dictionaries(
        {},
        optional={
            "language": st.sampled_from(["any", "en", "de"]),
            "target_size": st.sampled_from([0.5, 4, 300]),
            "min_size": st.sampled_from([0.5, 4, 300]),
            "fallback_to_words": st.booleans(),
            "fallback_to_characters": st.booleans(),
            "sentence_enders": st.sampled_from([["."], ["。", "..."], []]),
            "length_function": st.sampled_from(["utf16", "bytes", "words", "cl100k_base", len]),
            "explain": st.booleans(),
        },
    ),
)
def test_any_text_with_any_options(text: str, size: Any, overlap: int, options: dict[str, Any]) -> None:
    if isinstance(size, tuple):
        options.pop("min_size", None)
    elif "min_size" in options:
        options["min_size"] = min(options["min_size"], size)
    check_document(Sentence(max_size=size, overlap=overlap, **options), MDocument(text))


@pytest.mark.parametrize("options", [{}, {"language": "any", "overlap": 20}, {"length_function": "o200k_base"}])
def test_hostile_documents(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        for document in hostile_documents():
            check_document(Sentence(max_size=30, **options), document)


@pytest.mark.parametrize(
    "unit", ["A. ", "1. ", ". ", ".", '"', "A.\n\n", "word ", "x", "。", "Aa.  ", "\n- a", "A" + " " * 50]
)
@pytest.mark.parametrize("options", [{}, {"language": "any", "overlap": 200}])
def test_time_is_linear(unit: str, options: dict[str, Any]) -> None:
    document = MDocument("A" + unit * (100_000 // len(unit)) + "B.")
    before = time.process_time()
    document.chunk("sentence", max_size=500, **options)
    assert time.process_time() - before < 3  # some 0.3 s; quadratic time would be minutes
