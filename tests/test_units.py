"""`cantle.units`: what a cut should not go through."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunks, MDocument
from cantle.testing import texts
from cantle.units import Unit, units

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"
HOLDING = ("list", "quote", "environment")

MARKDOWN = """\
---
title: Front. Matter
---
# A title. With a stop

First sentence. Second one
goes on. See [x].

    indented = code. It

    stays one

[x]: http://example.org/a.B "No. Sentence"

[^1]: A note. With two.

- item one
- item two. Second
  line of it. End

  | a | b |
  |---|---|
  | 1. X | 2 |

  ```py
  - no item. No
  ```
  Tail

> Quoted one. Quoted
> two. Three
> ## Inner
> - a point

<!-- no. Unit -->

$$
x. Y
$$

***

| c | d |
|---|---|
| 3. Z | 4 |

<div>
Raw. Html
</div>
"""

HTML = """<title>No. Unit</title><h1>Ti. Tle</h1><p>One <b>bold. Two</b><br>goes on. Caf&eacute; A &amp; B</p>
<div>a line</div><div>b line</div><ul><li>First. Second</li><li>Third<pre>co. De

x</pre></li></ul><table><tr><th>A<th>B<tr><td>1. One<td>2</table><table><tr><td><h2>Laid out</h2><p>In. Cells
</table><script>no. Unit</script>"""

LATEX = r"""\documentclass{article} % Pre. Amble
\begin{document}
\section{A title. Long}
One sentence % a comment. With stops.
goes on with $a. B$ inside. Two.
\begin{itemize}
  \item First point
  \item Second. Third \verb|a. B|
\end{itemize}
\begin{table}[ht]\begin{tabular}{ll} 1. A & 2 \end{tabular}\caption{No. Sentence}\end{table}
\begin{lstlisting}
x. Y
\end{lstlisting}
\begin{comment} no. Unit \end{comment}
\begin{theorem}[Name] It holds. Always. \end{theorem}
\[ x. Y \]
Last one.
\end{document}
Nothing. Here.
"""


def shown(document: MDocument) -> list[tuple[str, str]]:
    return [(unit.kind, document.text[unit.start : unit.end]) for unit in units(document)]


def of(kind: str, document: MDocument) -> list[str]:
    return [text for found, text in shown(document) if found == kind]


# -- what is found ------------------------------------------------------------------------------------


def test_markdown() -> None:
    document = MDocument.from_markdown(MARKDOWN)
    assert of("sentence", document) == [
        "First sentence.",
        "Second one\ngoes on.",
        "See [x].",
        "[^1]: A note.",
        "With two.",
        "item one",
        "item two.",
        "Second\n  line of it.",
        "End",
        "Tail",
        "Quoted one.",
        "Quoted\n> two.",
        "Three",
        "a point",
    ]
    assert of("heading", document) == ["# A title. With a stop", "## Inner"]
    assert of("code", document) == ["indented = code. It\n\n    stays one", "```py\n  - no item. No\n  ```"]
    assert of("table", document) == ["| a | b |\n  |---|---|\n  | 1. X | 2 |", "| c | d |\n|---|---|\n| 3. Z | 4 |"]
    assert of("formula", document) == ["$$\nx. Y\n$$"]
    assert of("html", document) == ["<div>\nRaw. Html\n</div>"]
    assert [text[:10] for text in of("list", document)] == ["- item one"]
    assert [text[-9:] for text in of("quote", document)] == ["- a point"]


def test_markdown_with_other_line_ends_has_the_same_units() -> None:
    plain = shown(MDocument.from_markdown(MARKDOWN))
    for end in ("\r\n", "\r"):
        found = shown(MDocument.from_markdown(MARKDOWN.replace("\n", end)))
        assert [(kind, text.replace(end, "\n")) for kind, text in found] == plain


def test_html() -> None:
    document = MDocument.from_html(HTML)
    assert of("sentence", document) == [
        "One <b>bold.",
        "Two</b><br>goes on.",
        "Caf&eacute; A &amp; B",
        "a line",
        "b line",
        "First.",
        "Second",
        "Third",
        "In.",
        "Cells",
    ]
    assert of("heading", document) == ["Ti. Tle", "Laid out"]
    assert of("code", document) == ["co. De\n\nx"]
    assert of("table", document) == ["A<th>B<tr><td>1. One<td>2"]
    assert [(text[:6], text[-3:]) for text in of("list", document)] == [("First.", "\n\nx")]


def test_latex() -> None:
    document = MDocument.from_latex(LATEX)
    assert of("sentence", document) == [
        "One sentence % a comment. With stops.\ngoes on with $a. B$ inside.",
        "Two.",
        "\\item First point",
        "\\item Second.",
        "Third \\verb|a. B|",
        "It holds.",
        "Always.",
        "Last one.",
    ]
    assert of("heading", document) == ["\\section{A title. Long}"]
    assert [text[:13] for text in of("table", document)] == ["\\begin{table}"]
    assert [text[:18] for text in of("code", document)] == ["\\begin{lstlisting}"]
    assert of("formula", document) == ["\\[ x. Y \\]"]
    assert [text[:15] for text in of("environment", document)] == ["\\begin{theorem}"]
    assert [text[:15] for text in of("list", document)] == ["\\begin{itemize}"]


@pytest.mark.parametrize("name", ["tabular", "tabular*", "longtable", "verbatim", "minted", "align*", "quote"])
def test_latex_environments_by_their_names(name: str) -> None:
    kinds = {"quote": "environment", "align*": "formula", "verbatim": "code", "minted": "code"}
    body = f"\\begin{{{name}}}{{x}}\na & b\n\\end{{{name}}}"
    found = shown(MDocument.from_latex(body))
    assert found[0] == (kinds.get(name, "table"), body)


def test_text_has_headings_and_sentences() -> None:
    document = MDocument.from_text("1 Introduction\n\nIt begins. Then it\ngoes on.\n\n1.1 More\nThe end.")
    assert shown(document) == [
        ("heading", "1 Introduction"),
        ("sentence", "It begins."),
        ("sentence", "Then it\ngoes on."),
        ("heading", "1.1 More"),
        ("sentence", "The end."),
    ]


def test_running_lines_and_divided_words_of_a_pdf() -> None:
    pages = [f"Annual report\nPage text {n} is long enough. It ends" for n in "abcde"]
    pages[1] = "Annual report\nOne word is hyphen-\nated here. Another at the page's bot-"
    pages[2] = "Annual report\ntom end. Then more text follows"
    document = MDocument("\f".join(pages), "pdf")
    found = of("sentence", document)
    assert found[:3] == ["Page text a is long enough.", "It ends", "One word is hyphen-\nated here."]
    assert found[3:5] == ["Another at the page's bot-\fAnnual report\ntom end.", "Then more text follows"]


def test_json_has_none() -> None:
    assert units(MDocument.from_json('{"a": "One. Two."}')) == []


def test_what_is_before_the_body_is_in_none(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\ntitle: One. Two\n---\n\n# Head\n\nText. More.\n", encoding="utf-8")
    document = MDocument.from_file(path)
    assert document.body > 0
    assert shown(document) == [("heading", "# Head"), ("sentence", "Text."), ("sentence", "More.")]


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "latex", "json", "pdf", "poetry"])
def test_nothing_in_nothing(kind: str) -> None:
    assert units(MDocument("", kind)) == []
    assert units(MDocument(" \n\n ", kind)) == []


# -- what holds for any text --------------------------------------------------------------------------


def check(document: MDocument) -> list[Unit]:
    found = units(document)
    around: list[Unit] = []
    for before, unit in zip([None, *found], found, strict=False):
        assert 0 <= unit.start < unit.end <= len(document.text)
        assert before is None or (before.start, -before.end) <= (unit.start, -unit.end)
        while around and around[-1].end <= unit.start:
            around.pop()
        assert not around or (around[-1].kind in HOLDING and unit.end <= around[-1].end)
        around.append(unit)
    return found


FRAGMENTS = {
    "markdown": [
        "- a\n",
        "> ",
        "| a | b |\n|---|---|\n",
        "```\n",
        "[^a]: x. Y\n",
        "    x\n",
        "$$\n",
        "# ",
        "* ",
        "1. ",
    ],
    "html": [
        "<table>",
        "<tr><td>",
        "<li>",
        "<ul>",
        "<pre>",
        "a. B ",
        "&amp;",
        "<br>",
        "</table>",
        "<p>",
        "<h1>",
        "</h1>",
    ],
    "latex": [
        "\\begin{tabular}",
        "\\end{tabular}",
        "\\begin{itemize}\\item ",
        "\\end{itemize}",
        "%",
        "$",
        "\\section{",
        "}",
    ],
    "text": ["1 A\n", "a. B ", "\f", "1.1 Foo\n", "\u3002"],
    "pdf": ["1 A\n", "a. B ", "\f", "wo-\n", "3\n"],
}


@pytest.mark.parametrize("kind", FRAGMENTS)
@given(st.data())
def test_units_ascend_and_nest_in_any_text(kind: str, data: st.DataObject) -> None:
    piece = st.one_of(st.sampled_from([*FRAGMENTS[kind], "\n\n", "\r\n", "\ud800. A", "\ufeff"]), texts())
    check(MDocument("".join(data.draw(st.lists(piece, max_size=12))), kind))


@pytest.mark.parametrize(
    ("kind", "piece"),
    [
        ("markdown", "> "),
        ("markdown", "1. "),
        ("markdown", "|-"),
        ("markdown", "- ```\n"),
        ("html", "&amp;<p><pre>"),
        ("html", "<table><td>"),
        ("latex", "\\begin{a}"),
        ("latex", "$%\n"),
        ("text", "1 A\n"),
        ("pdf", "a. B\f"),
    ],
)
def test_time_is_linear(kind: str, piece: str) -> None:
    def seconds(size: int) -> float:
        document = MDocument((piece * size)[:size], kind)
        begin = time.process_time()
        check(document)
        return time.process_time() - begin

    seconds(1000)
    small = min(seconds(20_000) for _ in range(3))
    large = min(seconds(160_000) for _ in range(3))
    assert large < 8 * 4 * small + 0.5


# -- what it is for: judging chunks -------------------------------------------------------------------


def cuts_inside(document: MDocument, chunks: Chunks, kinds: tuple[str, ...], limit: float = float("inf")) -> list[Unit]:
    """The units of some kinds, up to a size, that a chunk begins or ends in."""
    places = sorted({at for chunk in chunks for at in (chunk.start, chunk.end)})
    return [
        unit
        for unit in units(document)
        if unit.kind in kinds
        and unit.end - unit.start <= limit
        and bisect_right(places, unit.start) < bisect_left(places, unit.end)
    ]


PROSE = MDocument.from_file(EXAMPLES / "lighthouse.txt")


def test_sentence_cuts_no_sentence_and_a_window_does() -> None:
    whole = PROSE.chunk("sentence", max_size=400, target_size=60, language="any")
    assert len(whole) > 4
    assert cuts_inside(PROSE, whole, ("sentence",)) == []
    window = PROSE.chunk("token", max_size=40)
    assert len(cuts_inside(PROSE, window, ("sentence",))) > len(window) / 2


@pytest.mark.parametrize("name", ["harbour-guide.md", "tide-tables.md", "ferry.html", "tides.tex"])
def test_structural_context_cuts_no_table_and_code_that_fits(name: str) -> None:
    document = MDocument.from_file(EXAMPLES / name)
    chunks = document.chunk("structural-context", max_size=350, length_function="characters", prepend_heading=False)
    assert len(chunks) > 1
    assert cuts_inside(document, chunks, ("table", "code", "heading", "formula"), 350) == []


def test_a_fixed_window_cuts_tables_and_code() -> None:
    document = MDocument.from_file(EXAMPLES / "harbour-guide.md")
    assert {u.kind for u in cuts_inside(document, document.chunk("token", max_size=25), ("table", "code"))} == {
        "table",
        "code",
    }
