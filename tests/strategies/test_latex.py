"""The strategy `latex`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunks, MDocument, registry
from cantle.separators import LANGUAGES
from cantle.testing import check_document, latex_documents, texts

BOOK = """\\documentclass{book}
\\usepackage{amsmath}
\\begin{document}
\\chapter{Tides}
Water rises and falls.

\\section{The \\emph{range}}
The range is
\\begin{equation}
R = h_{max} -

h_{min}
\\end{equation}
in metres.

\\section{Stations}
\\begin{itemize}
\\item The first station, at the river mouth.
\\item The second station, in the harbour.
\\item The third station, on the island.
\\end{itemize}
\\end{document}
"""


def cut(text: str, **options: Any) -> Chunks:
    return MDocument.from_latex(text).chunk("latex", **{"overlap": 0, **options})


def test_the_preamble_is_a_piece_of_its_own_and_sections_begin_chunks() -> None:
    texts = cut(BOOK, max_size=120).texts
    assert texts[0] == "\\documentclass{book}\n\\usepackage{amsmath}"
    assert texts[1].startswith("\\begin{document}")
    assert any(text.startswith("\\section{The") for text in texts)
    assert any(text.startswith("\\section{Stations}") for text in texts)


def test_an_environment_is_not_cut_while_it_fits_even_with_a_blank_line_in_it() -> None:
    equation = "\\begin{equation}\nR = h_{max} -\n\nh_{min}\n\\end{equation}"
    for size in range(len(equation), 200, 7):
        assert any(equation in text for text in cut(BOOK, max_size=size).texts), size


def test_an_environment_that_is_too_long_is_cut_at_its_items() -> None:
    texts = cut(BOOK, max_size=60).texts
    for item in ("first", "second", "third"):
        assert any(text.lstrip().startswith("\\item The " + item) or "}\n\\item The " + item in text for text in texts)


def test_a_formula_in_a_line_is_not_cut_while_it_fits() -> None:
    text = "word word $a + b + c + d$ word \\(x y z\\) word word"
    for size in range(18, 40):
        texts = cut(text, max_size=size).texts
        assert any("$a + b + c + d$" in t for t in texts), size
        assert any("\\(x y z\\)" in t for t in texts), size


def test_verbatim_words_are_no_place_to_cut_a_sentence_at() -> None:
    text = "word word word and so is \\verb|y|.\nAnother line with \\verb|x|-ray words."
    for size in range(20, 60):
        for piece in cut(text, max_size=size).texts:
            assert not piece.startswith((".", "-ray")), size


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_paragraphs_and_lines_whatever_ends_a_line(end: str) -> None:
    text = "aaa aaa\nbbb bbb\n\nccc ccc\nddd ddd".replace("\n", end)
    assert [" ".join(t.split()) for t in cut(text, max_size=18).texts] == ["aaa aaa bbb bbb", "ccc ccc ddd ddd"]
    assert [" ".join(t.split()) for t in cut(text, max_size=8).texts] == ["aaa aaa", "bbb bbb", "ccc ccc", "ddd ddd"]


def test_the_path_holds_the_titles_rendered() -> None:
    paths = {chunk.content[:12]: chunk.path for chunk in cut(BOOK, max_size=60)}
    assert paths["\\documentcla"] == ()
    assert paths["\\section{The"] == ("Tides", "The range")
    assert paths["\\section{Sta"] == ("Tides", "Stations")


def test_what_is_broken_is_said_where_it_begins_and_nowhere_else() -> None:
    text = "Good text here.\n\n\\begin{quote} never closed\n\nMore good text."
    found = [chunk.metadata for chunk in cut(text, max_size=30)]
    assert found == [{}, {"latex_warning": "\\begin{quote} is not closed"}, {}]


def test_reasons() -> None:
    kinds = {chunk.cut.kind for chunk in cut(BOOK, max_size=60, explain=True) if chunk.cut}
    assert {"preamble", "section", "environment", "item", "end"} <= kinds


@pytest.mark.parametrize("position", ["start", "end"])
@given(text=st.one_of(latex_documents(), texts(12)), size=st.integers(1, 80))
def test_with_a_position_it_cuts_where_recursive_does(position: str, text: str, size: int) -> None:
    document = MDocument.from_latex(text)
    options: dict[str, Any] = {"max_size": size, "overlap": size // 3, "separator_position": position}
    other = document.chunk("recursive", separators=LANGUAGES["latex"], is_separator_regex=True, **options)
    assert document.chunk("latex", **options).spans == other.spans


@given(st.text(alphabet="ab \n.", max_size=200), st.integers(1, 60))
def test_plain_text_is_cut_as_recursive_does(text: str, size: int) -> None:
    document = MDocument.from_latex(text)
    options = {"max_size": size, "overlap": size // 3}
    assert document.chunk("latex", **options).spans == document.chunk("recursive", **options).spans


def two_a_word(text: str) -> int:
    return 2 * len(text.split())


OPTIONS: list[dict[str, Any]] = [
    {"max_size": 40, "overlap": 12},
    {"max_size": 7, "overlap": 3, "strip_whitespace": False},
    {"max_size": 12, "overlap": 4, "length_function": "cl100k_base"},
    {"max_size": (20, 60), "overlap": 0},
    {"max_size": 6, "overlap": 2, "length_function": "words", "explain": True},
    {"max_size": 20, "overlap": 6, "length_function": two_a_word},
]


@pytest.mark.parametrize("options", OPTIONS, ids=[", ".join(map(str, one)) for one in OPTIONS])
@given(text=st.one_of(latex_documents(), texts()))
def test_the_contract(options: dict[str, Any], text: str) -> None:
    check_document(registry().make("latex", options), MDocument.from_latex(text))


DEEP = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{a}\n" * DEEP + "x" + "\n\\end{a}" * DEEP,
        "\\begin{a}" * DEEP,
        "\\begin{verbatim}" * DEEP,
        "\\section{" * DEEP,
        "\\[" * DEEP + "$$ " * DEEP + "\\(" * DEEP,
        "".join(f"\\verb{chr(0x2200 + i % 3000)}" for i in range(DEEP)),
        "\\begin{itemize}" + "\\item x\n" * DEEP + "\\end{itemize}",
    ],
    ids=["nested", "unclosed", "verbatim", "titles", "maths", "verb", "items"],
)
@pytest.mark.parametrize("length", ["characters", "cl100k_base"])
def test_hostile_documents(text: str, length: str) -> None:
    check_document(
        registry().make("latex", {"max_size": 100, "overlap": 0, "length_function": length}), MDocument.from_latex(text)
    )


def test_titles_and_the_ends_of_environments_do_not_stand_alone() -> None:
    body = "word word word word word. " * 6
    text = f"x\n\n\\section{{A}}\n\n\\subsection{{B}}\n\n\\begin{{proof}}\n\n{body}\n\n\\end{{proof}}\n\nafter"
    for size in range(60, 130, 7):
        texts = cut(text, max_size=size).texts
        assert any(t.startswith("\\section{A}\n\n\\subsection{B}\n\n\\begin{proof}\n\nword") for t in texts), size
        assert any(t.count("word") and "\\end{proof}" in t for t in texts), size
