"""Cleaning of the text of a PDF."""

from __future__ import annotations

import time

import pytest
from cleaned_texts import check, dropped
from hypothesis import given
from hypothesis import strategies as st

from cantle.cleaning import clean_pdf
from cantle.cleaning.hyphens import HYPHENS

TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "Z",
            "é",
            " ",
            "\n",
            "\n\n",
            "\t",
            "\xa0",
            "\r\n",
            "\u200b",
            "\f",
            "\f\n",
            "-\n",
            "a-\nb",
            "a-\nB",
            "a\x02b",
            "\u2010\nA",
            "\x02",
            "\xad",
            "\x1c",
            "- ",
            "H\n",
            "\nH",
            "1",
            "2",
            "\n3",
            "2019",
            "12345",
            "Página 2",
            "\nx | 2",
            "\ud800",
            "\0",
        ]
    ),
    max_size=30,
).map("".join)


@given(TEXTS, st.booleans())
def test_what_is_not_copied_is_blank_or_dropped(text: str, join: bool) -> None:
    cleaned = clean_pdf(text, join_across_pages=join)
    check(text, cleaned)
    assert len(cleaned.pages) == (text.count("\f") + 1 if "\f" in text else 0)


def bare(text: str) -> str:
    return "".join(text.split())


def pages(*texts: str) -> str:
    return "\n\f".join(texts)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("ava-\nliação e Guarda-\n  Chuva", "avaliação e Guarda-Chuva"),
        ("a-\nb-\nc", "ab-\nc"),
        ("A-\nB-\nC", "A-B-\nC"),
        ("1-\na x -\nb a-\n\nb a-\n1", "1-\na x -\nb a-\n\nb a-\n1"),
        ("a-\n\fb", "a-\n\nb"),
        ("a <!-- b --> ![](data:a/b,c)\n```\n\n\n\tx", "a <!-- b --> ![](data:a/b,c)\n```\n\n x"),
        ("\n\n  a\fb  \n\n", "  a\n\nb"),
        ("\f\f", ""),
        ("", ""),
        ("Vendas\n2019\n\fx", "Vendas\n2019\n\nx"),
        ("a\n1\n\fb\n- 2 -", "a\n\nb"),
    ],
)
def test_texts(text: str, cleaned: str) -> None:
    result = clean_pdf(text)
    assert result.text == cleaned
    check(text, result)


@pytest.mark.parametrize(
    "numbers",
    [
        ("1", "2", "3"),
        ("– 1 –", "— 2 —", "-3"),
        ("13", "14", "15"),
        ("7", "8", "iii"),
        ("- 540 -", "x", "y"),
        ("Página 1 de 9", "Página 2 de 9", "Página 3 de 9"),
        ("Pág. 41", "Pág. 42", "Pág. 43"),
        ("page 4", "page 4", "page 9"),
        ("Seite 3", "Seite 4", "Seite 5"),
        ("3 / 9", "4 / 9", "5 / 9"),
        ("[1]", "[2]", "[3]"),
        ("12001", "12002", "12003"),
        ("第3页", "第4页", "第5页"),
        ("Relatório Anual 2023", "Relatório Anual 2023", "Relatório Anual 2023"),
        ("Relatório 2023 - 4", "Relatório 2023 - 5", "Relatório 2023 - 6"),
        ("Acme | 4", "Acme | 5", "Acme | 6"),
        ("4 | Acme", "5 | Acme", "6 | Acme"),
        ("Cap 1, página 7", "Cap 1, página 8", "Cap 1, página 9"),
        ("H\xa0x", "H\xa0x", "H\tx"),
    ],
)
def test_headers_and_footers_go(numbers: tuple[str, ...]) -> None:
    bodies = ("first\none", "second\ntwo", "third\nthree")
    keeps = {"iii", "x", "y"} & set(numbers)
    for text in (
        pages(*(f"{number}\n\n{body}" for number, body in zip(numbers, bodies, strict=True))),
        pages(*(f"{body}\n\n{number}" for number, body in zip(numbers, bodies, strict=True))),
    ):
        cleaned = clean_pdf(text)
        check(text, cleaned)
        assert [line for line in cleaned.text.split("\n") if line and line not in keeps] == "\n".join(bodies).split(
            "\n"
        )
        gone = "".join(stretch for stretch, _ in dropped(text, cleaned))
        assert bare(gone) == bare("".join(number for number in numbers if number not in keeps))


@pytest.mark.parametrize(
    "lines",
    [
        ("540", "610", "77"),
        ("2019", "2020", "2021"),
        ("Cap 1", "Cap 2", "Cap 3"),
        ("Capítulo 1:", "Capítulo 2:", "Capítulo 3:"),
        ("Caso - 1", "Caso - 2", "Caso - 3"),
        ("1 - Caso", "2 - Caso", "3 - Caso"),
        ("1 Caso", "2 Caso", "3 Caso"),
        ("Parte 1 de 3", "Parte 2 de 3", "Parte 3 de 3"),
        ("ver página 9", "ver página 4", "ver página 7"),
        ("3 / 9", "7 / 9", "1 / 9"),
        ("Acme | 9", "Acme | 4", "Acme | 7"),
        ("[2019]", "[2020]", "[2021]"),
        ("Total 5%", "Total 6%", "Total 7%"),
        ("12.5", "13.5", "14.5"),
    ],
)
def test_other_lines_with_numbers_stay(lines: tuple[str, ...]) -> None:
    text = pages(*(f"{line}\nbody {name}" for line, name in zip(lines, "abc", strict=True)))
    assert clean_pdf(text).text == text.replace("\n\f", "\n\n")
    assert not clean_pdf(text).dropped


def test_at_the_bottom_a_number_may_stand_before_the_running_line() -> None:
    assert clean_pdf("a\n4 Acme\n\fb\n5 Acme\n\fc\n6 Acme\n").text == "a\n\nb\n\nc"
    for text in (
        "a\n4 Acme\n\fb\n9 Acme\n\fc\n7 Acme",
        "a\n4 Acme\n\fb\n5 Beta\n\fc\n6 Gama",
        "a\n4 Acme\n\fb\n5 Acme",
    ):
        assert clean_pdf(text).text == text.replace("\n\f", "\n\n")


def test_lines_of_digits_inside_a_page_stay() -> None:
    text = "a\n1\nb\n\fc\n2\nd\n\fe\n3\nf"
    assert clean_pdf(text).text == text.replace("\n\f", "\n\n")


def test_a_running_line_in_the_body_stays() -> None:
    text = "H\na\nH\nb\fH\nc\fH\nd"
    cleaned = clean_pdf(text)
    assert cleaned.text == "a\nH\nb\n\nc\n\nd"
    assert dropped(text, cleaned) == [("H", "running-line")] * 3


def test_a_page_number_and_a_running_line_may_stand_at_one_edge() -> None:
    text = pages("H\n1\na", "H\n2\nb", "3\nH\nc", "H\nd\n4")
    cleaned = clean_pdf(text)
    assert cleaned.text == "a\n\nb\n\nc\n\nd"
    assert [reason for _, reason in dropped(text, cleaned)].count("page-number") == 4


def test_the_number_of_a_chapter_is_not_that_of_the_page() -> None:
    text = pages("1\nIntro\n1", "more\n2", "2\nMethods\n3")
    assert clean_pdf(text).text == "1\nIntro\n\nmore\n\n2\nMethods"


def test_two_pages_have_no_running_lines() -> None:
    assert clean_pdf("H\na\n\fH\nb").text == "H\na\n\nH\nb"


def test_numbers_may_skip_blank_pages() -> None:
    assert clean_pdf("a\n1\f\fb\n2\fc\n3").text == "a\n\nb\n\nc"
    assert clean_pdf("a\n1\f\fb\n3\fc\n4").text == "a\n\nb\n\nc"


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("one\n\f\n\ftwo", [0, 5, 5]),
        ("\fone\f\f", [0, 0, 3, 3]),
        ("one\f  two", [0, 5]),
        ("one", []),
        ("\f", [0, 0]),
        ("H\n\fH\na\n\fH\nb", [0, 0, 3]),
    ],
)
def test_pages_begin_where_they_begin(text: str, starts: list[int]) -> None:
    assert list(clean_pdf(text).pages) == starts


def test_words_are_joined_across_pages_if_asked() -> None:
    text = pages("H\numa pala-\n1", "H\n  vra longa\n2", "H\nPara-\n3", "H\nBem e 4-", "H\nx")
    cleaned = clean_pdf(text, join_across_pages=True)
    check(text, cleaned)
    assert cleaned.text == "uma palavra longa\n\nPara-\n\nBem e 4-\n\nx"
    assert list(cleaned.pages) == [0, 8, 19, 26, 36]
    assert ("-", "hyphen") in dropped(text, cleaned)
    assert "pala-\n\n  vra" in clean_pdf(text).text
    assert clean_pdf("-\fa", join_across_pages=True).text == "-\n\na"


@pytest.mark.parametrize("footer", ["ACME", "acme", "page # of 4", "Page #", "- # -", "#", "Acme | #", "# Acme"])
def test_a_hyphen_joins_no_running_line_where_words_are_joined_last(footer: str) -> None:
    bodies = ("One ends con-", "clusion. Two ends al-", "so. Three be-\nfore a Guarda-\n  Chuva-", "Four.")
    text = pages(*(f"{body}\n{footer.replace('#', str(i))}" for i, body in enumerate(bodies, 1)))
    cleaned = clean_pdf(text, join_across_pages=True)
    check(text, cleaned)
    assert cleaned.text == "One ends conclusion. Two ends also. Three before a Guarda-Chuva-\n\nFour."
    assert [cleaned.text[start : start + 3] for start in cleaned.pages] == ["One", "clu", "so.", "Fou"]
    assert [bare(gone) for gone, reason in dropped(text, cleaned) if reason != "hyphen"] == [
        bare(footer.replace("#", str(i))) for i in range(1, 5)
    ]


@pytest.mark.parametrize("page", ["", "\n2\f"])
def test_all_hyphens_divide_where_words_are_joined_last(page: str) -> None:
    text = f"ad\u00ad\nmin\u2010\n is\x02tra\x02\ntion and Guarda\x02Chuva\u2010\nB 1\x022 \x02a \xad{page}"
    cleaned = clean_pdf(text, join_across_pages=True)
    check(text, cleaned)
    assert cleaned.text.rstrip("\n2") == "administration and Guarda-Chuva\u2010B 1\x022 \x02a \xad"
    for hyphen in HYPHENS:
        assert clean_pdf(f"con{hyphen}\n1\fclusion", join_across_pages=True).text == "conclusion"
    assert clean_pdf("a\u2010\nb\x02c").text == "a\u2010\nb\x02c"


def test_footers_are_found_where_most_pages_end_in_a_hyphen() -> None:
    text = pages("H\none-\nF", "H\ntwo-\nF", "H\nthree-\nF", "H\nfour\nF", "H\nfive\nF")
    assert clean_pdf(text, join_across_pages=True).text == "onetwothreefour\n\nfive"


WORDS = st.lists(
    st.tuples(st.text("abcxyzéß", min_size=2, max_size=6), st.integers(1, 5), st.sampled_from([" ", "\n", "\f", "-"])),
    min_size=3,
    max_size=25,
)


@given(WORDS, st.sampled_from(["", "Guide", "lower guide"]), st.sampled_from(["ACME", "acme", "page # of 9", "#"]))
def test_text_divided_into_lines_and_pages_comes_back(
    words: list[tuple[str, int, str]], header: str, footer: str
) -> None:
    body, plain = "", []
    for i, (letters, at, break_) in enumerate(words):
        word = f"{letters}k{'q' * i}"  # all are different: none is a running line
        plain.append(word)
        at = min(at, len(word) - 1)
        divided = f"{word[:at]}-{chr(10) if i % 2 else chr(12)}{word[at:]} "
        body += divided if break_ == "-" else word + break_
    parts = (body + "\f\f").split("\f")
    text = "\f".join(f"{header}\n{part}\n{footer.replace('#', str(i))}" for i, part in enumerate(parts, 1))
    cleaned = clean_pdf(text, join_across_pages=True)
    check(text, cleaned)
    assert cleaned.text.split() == plain
    assert len(cleaned.pages) == len(parts)


def test_joiners_stay_where_they_join() -> None:
    assert clean_pdf("👨\u200d👩 a\u200db").text == "👨\u200d👩 ab"


HOSTILE = [
    "\f",
    "\n",
    " \n",
    "1\n",
    "12\n\f",
    "1\f",
    "Cap 1\n\f",
    "H\na\n1\n\f",
    "a-\n",
    "a-\nB",
    "a-\f",
    "a-\nH\f",
    "p. ",
    "- 1 -\n\f",
    "\t\r\n",
]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("join", [False, True])
def test_hostile_texts_take_linear_time(unit: str, join: bool) -> None:
    text = unit * (200_000 // len(unit)) + "x"
    start = time.process_time()
    clean_pdf(text, join_across_pages=join)
    assert time.process_time() - start < 4  # a quadratic search would take minutes


def test_one_long_line_at_the_edge() -> None:
    text = "\f".join(["1" * 200_000, "p. " * 70_000, "x " * 100_000, "1 " * 100_000])
    start = time.process_time()
    assert clean_pdf(text).text == "\n\n".join(part.rstrip() for part in text.split("\f"))
    assert time.process_time() - start < 4
