"""The LaTeX scanner: sections, what belongs together, what is broken; pylatexenc is the oracle for the structure."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexMathNode, LatexWalker

from cantle.blocks import latex
from cantle.blocks.latex_titles import title
from cantle.testing import latex_documents, texts


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in latex.scan(text).groups]


def test_sections_with_stars_short_titles_and_braces() -> None:
    text = "\\part{A}\\chapter*{B}\n\\section[s]{C \\emph{d {e}}}\\label{x}\n\\subparagraph {F}"
    found = latex.scan(text).sections
    assert [(s.rank, text[slice(*s.title)]) for s in found] == [(0, "A"), (1, "B"), (2, "C \\emph{d {e}}"), (6, "F")]
    assert text[found[2].start : found[2].end] == "\\section[s]{C \\emph{d {e}}}"


@pytest.mark.parametrize(
    "text",
    [
        "% \\section{A}",
        "\\begin{verbatim}\n\\section{A}\n\\end{verbatim}",
        "\\begin{lstlisting}[language=TeX]\n\\section{A}\n\\end{lstlisting}",
        "\\begin{filecontents*}{a.tex}\n\\section{A}\n\\end{filecontents*}",
        "\\verb|\\section{A}|",
        "\\titleformat{\\section}{\\large}{}{0pt}{}",
        "\\sectionmark{A}",
        "\\\\section{A}",
    ],
)
def test_what_only_looks_like_a_section(text: str) -> None:
    document = latex.scan(text)
    assert (document.sections, document.broken) == ([], [])


def test_an_escaped_percent_sign_begins_no_comment() -> None:
    text = "50\\% \\section{A} \\\\% \\section{B}"
    assert [text[slice(*s.title)] for s in latex.scan(text).sections] == ["A"]


def test_environments_displays_and_verbatim_text_belong_together() -> None:
    text = "a \\begin{x} b \\[ c \\] \\begin{y}\\end{y} \\end{x} $$ d $$ \\verb+e+"
    assert pieces(text) == [
        "\\begin{x} b \\[ c \\] \\begin{y}\\end{y} \\end{x}",
        "\\[ c \\]",
        "\\begin{y}\\end{y}",
        "$$ d $$",
        "\\verb+e+",
    ]


def test_a_line_break_with_an_argument_is_no_display() -> None:
    assert latex.scan("a \\\\[2pt] b").broken == []


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("a \\begin{x} b", [(2, "\\begin{x} is not closed")]),
        ("a \\end{x} b", [(2, "\\end{x} closes nothing")]),
        ("\\begin{x} \\begin{y} \\end{x}", [(10, "\\begin{y} is not closed")]),
        (
            "\\begin{verbatim} \\end{verbatim*}",
            [(0, "\\begin{verbatim} is not closed"), (17, "\\end{verbatim*} closes nothing")],
        ),
        ("\\[ a", [(0, "\\[ is not closed")]),
        ("a \\]", [(2, "\\] closes nothing")]),
        ("$$ a\n\nb", [(0, "$$ is not closed")]),
        ("$$ a\n\nb $$", [(0, "$$ is not closed"), (8, "$$ is not closed")]),
        ("\\section{a", [(0, "the title of \\section is not closed")]),
        ("\\section{a\n\nb}", [(0, "the title of \\section is not closed")]),
    ],
)
def test_what_does_not_fit_together_is_named(text: str, broken: list[tuple[int, str]]) -> None:
    assert latex.scan(text).broken == broken


def test_the_body() -> None:
    assert latex.scan("\\documentclass{a}\n\\begin{document}\nx\\end{document}").body == 18
    assert latex.scan("x").body == 0


def test_formulas_within_lines() -> None:
    text = "a $b$ \\$ \\(c\\) % $no\n$d\n\n$e$ \\\\(f\\)"
    assert [text[a:b] for a, b in latex.formulas(text, 0, len(text))] == ["$b$", "\\(c\\)", "$e$"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("\\verb|%| \\section{One}", ["One"]),
        ("Use \\verb|$$| here. \\section{Two}", ["Two"]),
        ("\\begin{center}\\verb|50%|\\end{center}\\section{Three}", ["Three"]),
        ("\\begin{filecontents}\n%\n\\end{filecontents} \\section{Four}", ["Four"]),
        ("% $$ \\[\n\\section{Five}", ["Five"]),
    ],
)
def test_what_stands_in_verbatim_text_and_comments_does_not_count(text: str, titles: list[str]) -> None:
    document = latex.scan(text)
    assert ([text[slice(*s.title)] for s in document.sections], document.broken) == (titles, [])


def test_inline_groups_are_no_blocks() -> None:
    text = "a \\verb|b| \\section{c} \\[ d \\] \\begin{e}\\end{e}"
    assert sorted(text[a:b] for a, b in latex.scan(text).blocks) == ["\\[ d \\]", "\\begin{e}\\end{e}"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind(end: str) -> None:
    for text in ("$$ a\n\nb $$", "$$ a\n \nb $$", "\\section{a\n\nb}", "% \\[\n\\]"):
        broken = [what for _, what in latex.scan(text).broken]
        assert broken
        assert [what for _, what in latex.scan(text.replace("\n", end)).broken] == broken
    text = "$5 here\n\nand $6 more\n\n\\(x\ny\\)".replace("\n", end)
    assert [text[a:b] for a, b in latex.formulas(text, 0, len(text))] == [f"\\(x{end}y\\)"]


@given(st.one_of(latex_documents(), texts()))
def test_groups_are_nested_and_positions_are_in_the_text(text: str) -> None:
    document = latex.scan(text)
    around: list[int] = []
    for start, end in document.groups:
        assert 0 <= start < end <= len(text)
        while around and around[-1] <= start:
            around.pop()
        assert not around or end <= around[-1]
        around.append(end)
    assert document.groups == sorted(document.groups, key=lambda group: (group[0], -group[1]))
    assert [s.start for s in document.sections] == sorted(s.start for s in document.sections)


WORDS = st.text(alphabet="abc xyz.,\n", min_size=1, max_size=20)


def _document(inner: Any) -> Any:
    names = st.sampled_from(["quote", "itemize", "equation", "proof"])
    environment = st.tuples(names, inner).map(lambda p: f"\\begin{{{p[0]}}}{p[1]}\\end{{{p[0]}}}")
    line = WORDS.map(lambda x: " ".join(x.split()))
    display = line.map(lambda x: f"\\[{x} \\]")
    dollars = line.map(lambda x: f"$${x} $$")
    raw = st.sampled_from(["%", "$$", "\\begin{x}", "\\[", "\\]", "a\n\n% b"])
    verbatim = raw.map(lambda x: f"\\begin{{verbatim}}{x}\\end{{verbatim}}")
    verb = raw.map(lambda x: f"\\verb|{x.split()[0]}|")
    comment = raw.map(lambda x: f"% {x.split()[0]}\n")
    piece = st.one_of(WORDS, environment, display, dollars, verbatim, verb, comment)
    return st.lists(piece, max_size=4).map("".join)


@given(st.recursive(WORDS, _document, max_leaves=12))
def test_the_groups_are_those_of_pylatexenc(text: str) -> None:
    found: list[tuple[int, int]] = []

    def visit(nodes: Any) -> None:
        for node in nodes:
            if node.isNodeType(LatexEnvironmentNode) or node.isNodeType(LatexMathNode):
                found.append((node.pos, node.pos + node.len))
                if getattr(node, "environmentname", "") == "verbatim":
                    continue
            if hasattr(node, "nodelist"):
                visit(node.nodelist)

    visit(LatexWalker(text, tolerant_parsing=False).get_latex_nodes()[0])
    assert sorted(latex.scan(text).blocks) == sorted(found)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Plain  title", "Plain title"),
        ("\\'Etude de \\emph{X}", "\u00c9tude de X"),
        ("A~B -- ``C''", "A B \u2013 \u201cC\u201d"),
        ("On $x \\le 2$", "On x \u2264 2"),
        ("50\\% of \\textbf{A \\& B}\\label{s}", "50% of A & B"),
        ("The \\LaTeX{} book", "The LaTeX book"),
        ("{" * 40 + "a" + "}" * 40, "{" * 40 + "a" + "}" * 40),
    ],
)
def test_titles_are_rendered(source: str, shown: str) -> None:
    assert title(source) == shown


@given(texts(8))
def test_any_title_is_rendered_or_left_as_it_is(source: str) -> None:
    assert isinstance(title(source), str)
