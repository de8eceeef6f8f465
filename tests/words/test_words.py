"""The words of a text, stop words, and the language that a text is in."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from texts_of_words import written

from cantle.errors import OptionError
from cantle.testing.generators import texts
from cantle.words import LANGUAGES, Word, fold, keywords, language_of, stop_words, summary, words

# -- words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't e-mail O’Neill.", ["Don't", "e-mail", "O’Neill"]),
        ("3.14, 1,000.5 and v1.2.", ["3.14", "1,000.5", "and", "v1.2"]),
        ("e.g. U.S.A. example.com. End", ["e.g", "U.S.A", "example.com", "End"]),
        ("max_size __init__ _x -y- 'z'", ["max_size", "init", "x", "y", "z"]),
        ("p.12 a,b 1.a", ["p", "12", "a", "b", "1", "a"]),
        ("l'amour dell’arte d'água Qu'est-ce", ["l'", "amour", "dell’", "arte", "d'", "água", "Qu'", "est-ce"]),
        ("aujourd'hui c'mon I'd d'Artagnan", ["aujourd'hui", "c'mon", "I'd", "d'", "Artagnan"]),
        ("paral·lel co\u00adoperate", ["paral·lel", "co\u00adoperate"]),
        ("e\u0301te\u0301 हिन्दी भाषा", ["e\u0301te\u0301", "हिन्दी", "भाषा"]),
        ("機械学習は。ITサービス", ["機", "械", "学", "習", "は", "ITサービス"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("กิน", ["กิ", "น"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("\ud800a\x00b\ufeffc\u202ed \u0301 … —", ["a", "b", "c", "d"]),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert written(text) == expected


def test_words_know_where_they_are() -> None:
    assert list(words("To be.")) == [Word(0, 2, "To"), Word(3, 5, "be")]


@given(texts())
def test_words_are_stretches_in_order_and_hold_every_letter(text: str) -> None:
    at = 0
    for word in words(text):
        assert at <= word.start < word.end
        assert text[word.start : word.end] == word.text
        assert not any(map(str.isspace, word.text))
        assert not any(map(str.isalnum, text[at : word.start]))
        at = word.end
    assert not any(map(str.isalnum, text[at:]))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Don’t", "don't"),
        ("E\u2011Mail", "e-mail"),
        ("Stra\u00dfe", "strasse"),
        ("A\u0301VO\u0301", "ávó"),
        ("ΣΟΦΟΣ", "σοφοσ"),
        ("co\u00adop", "coop"),
    ],
)
def test_fold(word: str, expected: str) -> None:
    assert fold(word) == expected


@given(texts())
@example("\u0149")
def test_folding_twice_is_folding_once(text: str) -> None:
    for word in words(text):
        if len(word.text) <= 128:
            assert fold(fold(word.text)) == fold(word.text)
            assert fold(unicodedata.normalize("NFD", word.text)) == fold(word.text)


# -- stop words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_folded_single_words(language: str) -> None:
    stop = stop_words(language)
    assert 120 <= len(stop) <= 400
    assert {word for word in stop if fold(word) != word or written(word + "a" * word.endswith("'"))[0] != word} == set()


@pytest.mark.parametrize(
    ("language", "some"),
    [
        ("en", "the of don't isn't whereas"),
        ("pt", "não você vós pelo dum nessa está têm à pro"),
        ("es", "el está ustedes según"),
        ("fr", "l' qu' où été"),
        ("de", "der über muss nicht"),
        ("it", "dell' un' perché gli"),
    ],
)
def test_stop_words(language: str, some: str) -> None:
    assert set(some.split()) <= stop_words(language)
    assert stop_words(language) < stop_words("any") == stop_words(None) == stop_words()


@pytest.mark.parametrize("language", ["xx", "", "EN", 3, ["en"]])
def test_another_language_is_an_error_that_names_good_ones(language: Any) -> None:
    for call in (stop_words, lambda name: keywords("a", 1, language=name), lambda name: summary("a", language=name)):
        with pytest.raises(OptionError) as caught:
            call(language)
        assert str(caught.value) == (
            f"language must be one of 'en', 'pt', 'es', 'fr', 'de', 'it', or 'any' for all of them; got {language!r}."
        )


# -- the language of a text ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The cat sleeps on the sofa.", "en"),
        ("O gato dorme no sofá e as crianças brincam no jardim.", "pt"),
        ("As condições do contrato são descritas no artigo seguinte.", "pt"),
        ("Você está vendo que não tem ninguém aqui.", "pt"),
        ("Instrucciones de instalación para el servidor", "es"),
        ("Los niños juegan en el jardín con sus amigos.", "es"),
        ("L'installation du serveur nécessite une connexion.", "fr"),
        ("Die Installation des Servers ist einfach.", "de"),
        ("Le condizioni del contratto sono descritte nell'articolo.", "it"),
        ("De hond slaapt op de bank en de kinderen spelen in de tuin.", None),
        ("Katten sover på soffan och barnen leker i trädgården.", None),
        ("機械学習は楽しいです。", None),
        ("Kaggle, Google, Apple", None),
        ("42", None),
        ("", None),
    ],
)
def test_language_of(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_language_of_looks_at_samples_of_a_long_text() -> None:
    english, portuguese = "The tide is at its highest in the morning. ", "A maré não é mais alta do que a de ontem. "
    assert language_of(english * 100 + portuguese * 2000) == "pt"
    assert language_of(english * 2000 + portuguese * 100) == "en"


def test_a_few_stop_words_among_many_others_tell_no_language() -> None:
    names = "Kaggle Google Apple Oracle "
    assert language_of(names * 2 + "which the") == "en"
    assert language_of(names * 25 + "which the") is None
