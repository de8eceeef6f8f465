"""Rankers: `tf-cosine`, `bm25`, stop words, words of many scripts, rankers of one's own."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.errors import OptionError
from cantle_inspect import named
from cantle_inspect.rank import LANGUAGES, RANKERS, bm25, fold, language_of, stop_words, terms, tf_cosine, words

TEXTS = [
    "Você tem 30 dias de férias. As férias são remuneradas.",
    "Como peço reembolso de despesa?",
    "",
    "kubectl config use-context staging-us-east-1",
    "férias, férias, férias",
]

word = st.sampled_from(["férias", "ferias", "FÉRIAS", "dias", "de", "reembolso", "straße", "30", "日本語", "x", "İst"])
sentence = st.lists(word, max_size=8).map(" ".join)
texts = st.lists(sentence, max_size=8)
anything = st.text(st.characters(), max_size=40)


# -- words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Férias FÉRIAS fe\u0301rias", ["ferias"] * 3),
        ("não-pago 1/3 a_b", ["nao", "pago", "1", "3", "a_b"]),
        ("Straße İstanbul IĞDIR", ["straße", "istanbul", "igdir"]),
        ("ΦΌΡΟΣ налоговый", ["φορος", "налоговыи"]),
        ("हिन्दी", ["हिनदी"]),
        ("東京都 東 kubectl東京", ["東京", "京都", "東", "kubectl", "東京"]),
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("\ud800 a\x00b \u202ec", ["a", "b", "c"]),
        ("❤\ufe0f", []),
        ("\u0301", []),
        ("_férias_ __dias__ a_b _ ___", ["ferias", "dias", "a_b"]),
        ("_東京_", ["東京"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_terms_have_three_letters_and_are_no_stop_words() -> None:
    assert terms("Os 30 dias de férias do Zé", stop_words("pt")) == ["dias", "ferias"]
    assert terms("日本 ab abc") == ["日本", "abc"]
    assert terms("Os 30 dias", least=1) == ["os", "30", "dias"]


@given(anything)
def test_words_of_texts_without_special_scripts_are_those_of_the_plain_definition(text: str) -> None:
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    assert fold(text).translate(_SELECTORS) == plain.translate(_SELECTORS)
    if not any(unicodedata.category(c)[0] == "M" or c >= "\u0e00" for c in plain):
        assert words(text) == [w.strip("_") for w in re.findall(r"\w+", plain) if w.strip("_")]


_SELECTORS = {
    c: None
    for c in range(0x300, 0xE01F0)
    if unicodedata.category(chr(c))[0] == "M" and "VARIATION SELECTOR" in unicodedata.name(chr(c), "")
}


@given(anything)
def test_composed_and_decomposed_texts_have_the_same_words(text: str) -> None:
    assert words(unicodedata.normalize("NFC", text)) == words(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize("text", ["\u0301\u0316" * 200_000, "\u0f73" * 300_000, "a" * 500_000, "東" * 200_000])
def test_folding_takes_linear_time(text: str) -> None:
    begin = time.process_time()
    words(text)
    assert time.process_time() - begin < 5


# -- stop words and languages -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Os dias de férias não podem ser vendidos sem o acordo da pessoa.", "pt"),
        ("The days of leave that you have not taken are lost.", "en"),
        ("Los días de vacaciones no se pueden vender sin el acuerdo de la persona.", "es"),
        ("kubectl zzz 42", "none"),
        ("", "none"),
    ],
)
def test_the_language_is_that_whose_stop_words_cover_most(text: str, language: str) -> None:
    assert language_of([text]) == language


@pytest.mark.parametrize(
    ("language", "stop", "kept"),
    [
        ("pt", ["nao", "voce", "sao"], ["the"]),
        ("en", ["the", "don", "t"], ["nao"]),
        ("es", ["mas", "tambien"], ["the"]),
    ],
)
def test_stop_words_are_folded(language: str, stop: list[str], kept: list[str]) -> None:
    found = stop_words(language)
    assert all(fold(entry) == entry for entry in found)
    assert not set(kept) & found
    assert set(stop) <= found


def test_languages_of_rankers() -> None:
    assert named("tf-cosine").language(TEXTS) == ["pt"]
    assert named("tf-cosine", sample=["What is this? It is the thing."]).language(TEXTS) == ["en"]
    assert named("bm25").language(TEXTS) == []
    assert named("bm25", language="auto").language(TEXTS) == ["pt"]
    assert named("bm25", language="all").language(TEXTS) == list(LANGUAGES)
    assert named("tf-cosine", language=["es", "pt", "es"]).language(TEXTS) == ["es", "pt"]
    assert named("tf-cosine", language="none")(["de de de"])("de") == [0.0]
    assert named("tf-cosine", language="none")(["não não"])("não") == [1.0]
    assert named("tf-cosine", language="pt")(["não não"])("não") == [0.0]
    assert named("bm25", language="pt")(["de dias", "dias"])("de") == [0.0, 0.0]
    assert named("bm25").asked("de 30 dias", TEXTS) == ["de", "30", "dias"]
    assert named("tf-cosine").asked("de 30 dias", TEXTS) == ["dias"]


@pytest.mark.parametrize("language", ["fr", "PT", "", ["pt", "auto"], ["none", "en"]])
def test_languages_that_are_none(language: str | list[str]) -> None:
    with pytest.raises(OptionError, match="language"):
        named("tf-cosine", language=language)


# -- tf-cosine --------------------------------------------------------------------------------------


def cosine(a: list[str], b: list[str]) -> float:
    x, y = Counter(a), Counter(b)
    norm = math.sqrt(sum(n * n for n in x.values())) * math.sqrt(sum(n * n for n in y.values()))
    return sum(n * y[w] for w, n in x.items()) / norm if norm else 0.0


@given(texts, sentence)
def test_tf_cosine_is_the_cosine_of_term_frequencies(texts: list[str], question: str) -> None:
    scores = tf_cosine(texts)(question)
    assert scores == pytest.approx([cosine(terms(question), terms(text)) for text in texts])
    assert all(0 <= score <= 1 for score in scores)


def test_tf_cosine_by_hand() -> None:
    scores = named("tf-cosine", language="pt")(TEXTS)("Quantos dias de férias?")
    # The words are quantos, dias, ferias; the first text has dias, ferias twice, sao and tem no more, remuneradas.
    assert scores[0] == pytest.approx((1 + 2) / (math.sqrt(3) * math.sqrt(1 + 4 + 1)))
    assert scores[1:4] == [0.0, 0.0, 0.0]
    assert scores[4] == pytest.approx(3 / (math.sqrt(3) * 3))
    assert tf_cosine(["a mesma frase inteira"])("a mesma frase inteira") == [1.0]


# -- bm25 -------------------------------------------------------------------------------------------


def plain(text: str) -> list[str]:
    return re.findall(
        r"\w+", "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))
    )


def okapi(texts: list[str], question: str, k1: float = 1.2, b: float = 0.75) -> list[float]:
    """Okapi BM25 with Lucene's idf, word by word; a mean length below one word counts as one.

    Words are the plain ones, unless the question is in a script that needs others.
    """
    split = words if re.search("[\u3040-\u9fff]", question) else plain
    documents = [Counter(split(text)) for text in texts]
    mean = max(sum(d.total() for d in documents) / max(len(documents), 1), 1)
    scores = [0.0] * len(texts)
    for w in split(question):
        having = sum(w in d for d in documents)
        idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for i, d in enumerate(documents):
            scores[i] += idf * d[w] / (d[w] + k1 * (1 - b + b * d.total() / mean)) if w in d else 0
    return scores


@given(texts, sentence)
def test_bm25_is_okapi_bm25(texts: list[str], question: str) -> None:
    assert bm25(texts)(question) == pytest.approx(okapi(texts, question), rel=1e-9, abs=1e-9)


def test_bm25_over_many_texts() -> None:
    chance = random.Random(7)
    vocabulary = [f"w{int(chance.paretovariate(0.6))}" for _ in range(3000)]
    texts = [" ".join(chance.choices(vocabulary, k=chance.randrange(0, 60))) for _ in range(500)]
    scorer = bm25(texts)
    for _ in range(20):
        question = " ".join(chance.choices(vocabulary, k=6))
        expected = okapi(texts, question)
        found = scorer(question)
        assert found == pytest.approx(expected, abs=1e-6)
        best = sorted(range(500), key=lambda i: -round(expected[i], 9))
        assert sorted(range(500), key=lambda i: -round(found[i], 9)) == best


def test_words_that_come_again_in_a_question_count_again() -> None:
    scorer = bm25(TEXTS)
    assert scorer("ferias ferias")[0] == pytest.approx(2 * scorer("ferias")[0])


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("日本語の文章です。", "日本"),
        ("日本語の文章です。", "語"),
        ("ภาษาไทยเขียนติดกัน", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("東京 tower", "東"),
    ],
)
def test_the_script_of_the_question_says_what_its_words_are(text: str, question: str) -> None:
    for name in RANKERS:
        scores = named(name, language="none")(["plain words", text])(question)
        assert scores[0] == 0
        if len(question) > 1:
            assert scores[1] > 0


def test_emphasis_is_no_part_of_a_word() -> None:
    for text in ("_férias_ pagas", "__férias__ pagas", "pagas, _férias_"):
        assert tf_cosine([text])("férias")[0] > 0
        assert bm25([text])("férias") == [0.0]  # plain words, as other implementations have them
    assert bm25(["_férias_ pagas"])("_férias_")[0] > 0
    assert named("bm25").asked("_férias_", ["x"]) == ["_ferias_"]


def test_bm25_leaves_no_thread_behind() -> None:
    program = (
        "import threading, cantle_inspect.rank as rank; rank.bm25(['a b', 'c'])('a');"
        "assert threading.enumerate() == [threading.main_thread()], threading.enumerate()"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_bm25_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    bm25(TEXTS)("ferias")
    assert capfd.readouterr() == ("", "")


# -- both -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("question", ["", "!?", "zzz", "日", "\ud800", "férias"])
def test_nothing_is_no_failure(name: str, question: str) -> None:
    assert named(name)([])(question) == []
    assert named(name)(["", "--"])(question) == [0.0, 0.0]


@pytest.mark.parametrize("name", RANKERS)
@given(texts=texts, question=sentence)
def test_accents_make_no_difference(name: str, texts: list[str], question: str) -> None:
    scorer = named(name)(texts)
    bare = "".join(c for c in unicodedata.normalize("NFD", question) if c != "\u0301")
    assert scorer(question) == scorer(bare) == scorer(unicodedata.normalize("NFD", question))
    if "ß" not in question:  # there is no capital letter that is lowered to it
        assert scorer(question.upper()) == scorer(question)
    assert named(name)([unicodedata.normalize("NFD", text) for text in texts])(question) == scorer(question)


@pytest.mark.parametrize("name", RANKERS)
@given(data=st.data(), texts=texts, question=sentence)
def test_the_order_of_texts_makes_no_difference(
    name: str, data: st.DataObject, texts: list[str], question: str
) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    scores = named(name)(texts)(question)
    moved = named(name)([texts[i] for i in order])(question)
    assert moved == pytest.approx([scores[i] for i in order], rel=1e-12)


@pytest.mark.parametrize("name", RANKERS)
@given(texts=st.lists(anything, max_size=6), question=anything)
def test_any_text_is_taken(name: str, texts: list[str], question: str) -> None:
    scores = named(name, language="all")(texts)(question)
    assert len(scores) == len(texts)
    assert all(score >= 0 for score in scores)


@pytest.mark.parametrize("name", RANKERS)
def test_many_texts_answer_at_once(name: str) -> None:
    chance = random.Random(1)
    vocabulary = [f"palavra{i}" for i in range(5000)]
    scorer = named(name, language="none")([" ".join(chance.choices(vocabulary, k=8)) for _ in range(100_000)])
    scorer("palavra1")
    begin = time.process_time()
    scores = scorer(" ".join(vocabulary[:12]))
    assert time.process_time() - begin < 0.5
    assert len(scores) == 100_000
    assert max(scores) > 0


# -- rankers of one's own ---------------------------------------------------------------------------


def test_a_ranker_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_ranker_of_lengths.py").write_text(
        "class Lengths:\n"
        "    def __init__(self, texts):\n        self.texts = texts\n"
        "    def __call__(self, question):\n        return [len(text) for text in self.texts]\n"
        "NUMBER = 3\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    ranker = named("my_ranker_of_lengths:Lengths")
    assert (ranker.name, ranker.languages) == ("my_ranker_of_lengths:Lengths", ())
    assert list(ranker(["a", "abc"])("?")) == [1, 3]
    with pytest.raises(OptionError, match="leaves out words by itself"):
        named("my_ranker_of_lengths:Lengths", language="pt")
    with pytest.raises(OptionError, match="is int, and cannot be called"):
        named("my_ranker_of_lengths:NUMBER")
    with pytest.raises(OptionError, match="AttributeError"):
        named("my_ranker_of_lengths:Missing")


def test_the_search_path_is_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ranker_that_moves.py").write_text(
        "import sys\nsys.path.insert(0, 'elsewhere')\nsys.path.remove('')\ndef rank(texts): ...\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    assert callable(named("ranker_that_moves:rank").make)
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm52", r"No ranker is named 'bm52'. Known: tf-cosine, bm25"),
        ("", "No ranker is named ''"),
        ("no_such_module_here:x", "ModuleNotFoundError"),
        (":x", "cannot be loaded"),
        ("math:", "cannot be loaded"),
    ],
)
def test_rankers_that_are_none(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        named(name)
