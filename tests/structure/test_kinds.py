"""`structural-context` on plain text, text of PDFs, HTML and LaTeX, and what it leaves out of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from cantle import Chunks, MDocument
from cantle.blocks.sentences import segmenter
from cantle.structure.text import TextOutline


def cut(text: str, kind: str, **options: Any) -> Chunks:
    return MDocument(text, kind=kind).chunk("structural-context", **{"min_chunk_size": 0, **options})


def headings(text: str) -> list[tuple[str, int]]:
    outline = TextOutline(text, segmenter("rules", "any"))
    return [(text[heading.start : heading.end], heading.level) for heading in outline.headings]


def dropped(chunks: Chunks) -> list[tuple[str, str]]:
    return [(chunks.source.text[a:b], reason) for a, b, reason in chunks.dropped]


# --- numbered headings of plain text -------------------------------------------------------------

HEADINGS = {
    "1 Title": 1, "1. Title": 1, "12 Title": 1, "1\tTitle": 1, "1  Title": 1, "   1 Title": 1, "1 Élan": 1,
    "1.2 Title": 2, "1.2. Title": 2, "1.22.3 Title": 3, "1.2.3.4.5 Title": 5, "1 " + "T" * 91: 1,
    "1) Title": 0, "1.Title": 0, "A Title": 0, "123 Title": 0, "1.100 Title": 0, "1.2.3.4.5.6 Title": 0, "1 title": 0,
    "    1 Title": 0, "1 " + "T" * 92: 0, "1 2nd title": 0, "1 Title.": 0, "1 Title!": 0, "1 Title?": 0, "1 Title:": 0,
    "1 Title;": 0, "1 Title,": 0, "1 Title…": 0,
}  # fmt: skip


@pytest.mark.parametrize("line", HEADINGS)
def test_which_lines_are_headings_between_blank_lines(line: str) -> None:
    found = headings(f"Some words.\n\n{line}\n\nSome words.")
    assert [(text.strip(), level) for text, level in found] == (
        [(line.strip(), HEADINGS[line])] if HEADINGS[line] else []
    )


@pytest.mark.parametrize(
    ("before", "heads"),
    [
        ("", True),
        ("Words before.\n\n", True),
        ("words without an end\n\n", True),
        ("A sentence that ends.\n", True),
        ("Does it end?\n", True),
        ("1 Another heading\n", True),
        ("2.1 Another heading\n", True),
        ("words without an end\n", False),
        ("it goes on:\n", False),
        ("1. An item.\n", False),
    ],
)
def test_a_single_number_needs_an_end_before_it_and_others_do_not(before: str, heads: bool) -> None:
    assert (("3 Four bar", 1) in headings(before + "3 Four bar\nwords")) is heads
    assert ("3.1 Four bar", 2) in headings(before + "3.1 Four bar\nwords")


def test_sections_of_plain_text() -> None:
    text = (
        "Intro.\n\n1 Safety\nFirst.\n1. Close the valve.\n2. Open it.\n\n1.1 Pressure\n\nNever above\n"
        "3 Bar in the tank.\n\n2. Upkeep\nText here.\n2.1.3 Deep\nmore"
    )
    assert [(c.prefix, c.content, c.path) for c in cut(text, "text", max_size=200)] == [
        ("", "Intro.", ()),
        ("", "1 Safety\nFirst.\n1. Close the valve.\n2. Open it.", ("1 Safety",)),
        ("# 1 Safety\n\n", "1.1 Pressure\n\nNever above\n3 Bar in the tank.", ("1 Safety", "1.1 Pressure")),
        ("", "2. Upkeep\nText here.", ("2 Upkeep",)),
        ("# 2 Upkeep\n\n", "2.1.3 Deep\nmore", ("2 Upkeep", "2.1.3 Deep")),
    ]


def test_a_kind_that_is_not_known_is_plain_text_and_hashes_are_no_headings_there() -> None:
    text = "# no heading\n\n1 Heading\n\nwords"
    for kind in ("text", "json", "odd"):
        assert [c.path for c in cut(text, kind)] == [(), ("1 Heading",)]


# --- text of PDFs --------------------------------------------------------------------------------

PAGES = [
    "Tide tables\nThe ranges are large; the fig-\nures are those of the\n1",
    "Tide tables\n \n2",
    "Tide tables\nport. Then they are small: neap ti-\n3",
    "Tide tables\ndes.\n\n2 Zones\n\nAdd an hour in summer.\n4",
]


def test_pages_are_cleaned_and_named_also_those_with_nothing_on_them() -> None:
    chunks = cut("\f".join(PAGES), "pdf", max_size=100)
    first = "The ranges are large; the figures are those of the\n\nport. Then they are small: neap tides."
    assert [(c.content, c.path, c.metadata["page"], c.metadata["pages"]) for c in chunks] == [
        (first, (), 1, [1, 2, 3, 4]),
        ("2 Zones\n\nAdd an hour in summer.", ("2 Zones",), 4, [4]),
    ]
    assert dropped(chunks) == [
        *[("Tide tables", "running-line"), ("-", "hyphen"), ("1", "page-number")],
        *[("Tide tables", "running-line"), ("2", "page-number")],
        *[("Tide tables", "running-line"), ("-", "hyphen"), ("3", "page-number")],
        *[("Tide tables", "running-line"), ("4", "page-number")],
    ]
    text = chunks.source.text
    assert chunks[0].spans is not None
    assert "".join(text[a:b] for a, b in chunks[0].spans) == first.replace("\n\n", "")
    assert (text[chunks[0].start :][:10], text[: chunks[0].end][-4:]) == ("The ranges", "des.")


def test_a_page_begins_where_its_form_feed_says() -> None:
    chunks = cut("One here.\fTwo here.\f\fFour here.", "pdf", max_size=10)
    assert [c.metadata["pages"] for c in chunks] == [[1], [2], [4]]
    assert [c.metadata["pages"] for c in cut("One here.\fTwo here.\f\fFour here.", "pdf")] == [[1, 2, 3, 4]]


def test_blank_pages_at_the_end_are_no_part_of_the_last_chunk() -> None:
    assert [c.metadata["pages"] for c in cut("\fOne here.\f \f", "pdf")] == [[2]]


def test_text_without_form_feeds_has_no_pages() -> None:
    assert cut("One fig-\nure here.", "pdf")[0].metadata == {"blocks": ["paragraph"]}


def test_a_space_that_is_tidied_stays_with_what_combines_with_it() -> None:
    chunks = cut("a \xa0\u0308b", "pdf", max_size=4)
    assert [(c.content, c.start, c.spans) for c in chunks] == [("a", 0, None), (" \u0308b", 2, ((2, 5),))]


# --- HTML ----------------------------------------------------------------------------------------

ROWS = "".join(f"<tr><td>row {i}</td><td>val {i}</td></tr>" for i in range(6))
PAGE = (
    "<title>T</title><h1>Head</h1><p>Text <b>bold</b>.</p><script>x()</script><p hidden>no</p><!-- c --><h2>Sub</h2>"
    f"<table><tr><th>a</th><th>b</th></tr>{ROWS}</table><pre>code\n\n  x</pre>"
)


def test_a_page_is_cut_as_the_text_that_a_browser_shows() -> None:
    chunks = cut(PAGE, "html", max_size=70)
    lead = "| a | b |\n|---|---|\n"
    assert [(c.prefix, c.content) for c in chunks] == [
        ("", "Head\n\nText bold."),
        ("# Head\n\n", f"Sub\n\n{lead}| row 0 | val 0 |"),
        ("# Head\n## Sub\n\n", f"{lead}| row 1 | val 1 |\n| row 2 | val 2 |"),
        ("# Head\n## Sub\n\n", f"{lead}| row 3 | val 3 |\n| row 4 | val 4 |"),
        ("# Head\n## Sub\n\n", f"{lead}| row 5 | val 5 |"),
        ("# Head\n## Sub\n\n", "code\n\n  x"),
    ]
    assert [c.metadata["blocks"] for c in chunks[:3]] == [["heading", "paragraph"], ["heading", "table"], ["table"]]
    assert chunks[-1].metadata["blocks"] == ["code"]
    found = dropped(chunks)
    assert [text for text, reason in found if reason == "comment"] == ["<!-- c -->"]
    hidden = "".join(text for text, reason in found if reason == "hidden")
    assert "x()" in hidden
    assert "no" in hidden
    assert "<title>T</title>" in hidden
    assert {reason for _, reason in found} == {"comment", "hidden", "markup"}


def test_the_stretches_of_a_page_are_what_its_chunks_say() -> None:
    for chunk in cut(PAGE, "html", max_size=60, overlap=15):
        spans = chunk.spans or ((chunk.start, chunk.end),)
        source = "".join(PAGE[a:b] for a, b in spans)
        assert re.sub(r"[\s|-]", "", chunk.content) == re.sub(r"\s", "", source)


def test_tables_without_header_cells_and_nested_ones_have_tabs() -> None:
    chunks = cut(PAGE.replace("th>", "td>"), "html", max_size=70)
    assert chunks[1].content == "Sub\n\na\tb\nrow 0\tval 0\nrow 1\tval 1\nrow 2\tval 2"
    assert chunks[2].content == "row 3\tval 3\nrow 4\tval 4\nrow 5\tval 5"
    nested = "<table><tr><th>a<th>b<tr><td><table><tr><th>x<th>y</table><td>c</table>"
    assert "|" not in "".join(chunk.content for chunk in cut(nested, "html"))
    mixed = "<table><tr><th>a<th>b</table><table><tr><td>c<td>d</table>"
    assert "|" not in "".join(chunk.content for chunk in cut(mixed, "html"))


def test_headings_of_a_page_wherever_they_stand() -> None:
    chunks = cut("<h1>A</h1><div><section><h3>deep <i>one</i></h3>text</section></div><h2></h2>more", "html")
    assert [(c.prefix, c.content, c.path) for c in chunks] == [
        ("", "A", ("A",)),
        ("# A\n\n", "deep one\n\ntext", ("A", "deep one")),
        ("# A\n\n", "more", ("A",)),
    ]


@pytest.mark.parametrize(
    "block", ["<ul><li>one. Two<li>three</ul>", "<pre>a. B\n\nc</pre>", "<blockquote><p>a. B<p>c</blockquote>"]
)
def test_blocks_of_a_page_are_not_cut_while_they_fit(block: str) -> None:
    shown = cut(block, "html")[0].content
    page = f"<p>Some words before it. And more.</p>{block}<p>words behind it, several. And more of them</p>"
    for size in range(len(shown), 60):
        assert any(shown in chunk.content for chunk in cut(page, "html", max_size=size)), size


# --- LaTeX ---------------------------------------------------------------------------------------

PAPER = """\\documentclass{article}
\\usepackage{x}
\\begin{document}
\\section{One \\emph{two}}
Text here. % a comment
\\begin{equation}
a = b

c
\\end{equation}
\\subsection*{Sub}
More.
\\end{document}
"""


def test_the_preamble_is_apart_and_titles_are_plain_text() -> None:
    chunks = cut(PAPER, "latex", max_size=60)
    equation = "\\begin{equation}\na = b\n\nc\n\\end{equation}"
    assert [(c.prefix, c.content, c.path) for c in chunks] == [
        ("", "\\documentclass{article}\n\\usepackage{x}", ()),
        ("", "\\begin{document}", ()),
        ("", "\\section{One \\emph{two}}\nText here. % a comment", ("One two",)),
        ("# One two\n\n", equation, ("One two",)),
        ("# One two\n\n", "\\subsection*{Sub}\nMore.\n\\end{document}", ("One two", "Sub")),
    ]
    assert [c.metadata["blocks"] for c in chunks[2:4]] == [["heading", "paragraph"], ["environment"]]
    assert all(chunk.exact for chunk in chunks)
    assert chunks.dropped == []


def test_the_outermost_rank_of_a_document_has_one_hash() -> None:
    long = "words " * 12
    for outer, inner in (("chapter", "section"), ("section", "subsection"), ("part", "chapter")):
        chunks = cut(f"\\{outer}{{A}}\n{long}\n\\{inner}{{B}}\n{long}", "latex", max_size=60)
        assert [c.prefix for c in chunks] == ["", "# A\n\n", "# A\n\n", "# A\n## B\n\n"]


def test_an_environment_is_not_cut_while_it_fits() -> None:
    equation = "\\begin{equation}\na = b\n\nc\n\\end{equation}"
    for size in range(len(equation) + 12, 150, 3):
        assert any(equation in chunk.content for chunk in cut(PAPER, "latex", max_size=size)), size


# --- Markdown: what is left out, white space, line ends ------------------------------------------


def test_comments_and_embedded_images_are_left_out_with_reasons_and_offsets_into_the_source() -> None:
    text = "# Plan\n\nThe pier <!-- see 4 --> is ![a](data:image/png;base64,AAAA) closed.\n\n```\n<!-- code -->\n```"
    chunks = cut(text, "markdown")
    assert chunks[0].content == "# Plan\n\nThe pier  is ![a](data:image/png) closed.\n\n```\n<!-- code -->\n```"
    assert dropped(chunks) == [("<!-- see 4 -->", "comment"), (";base64,AAAA", "data-uri")]
    assert chunks[0].spans is not None
    assert "".join(text[a:b] for a, b in chunks[0].spans) == chunks[0].content
    assert chunks[0].exact is False
    whole = cut(text, "markdown", strip_html_comments=False, strip_data_uri=False)
    assert (whole[0].content, whole[0].exact, whole.dropped) == (text, True, [])


def test_a_comment_that_is_never_closed_is_text() -> None:
    assert cut("A <!-- never\n\n# H\n\nclosed", "markdown")[1].content == "# H\n\nclosed"


def test_plain_text_keeps_comments_and_loses_embedded_images() -> None:
    chunks = cut("A ![i](data:image/png;base64,AAAA) b <!-- c -->", "text")
    assert chunks[0].content == "A ![i](data:image/png) b <!-- c -->"


def test_white_space_is_tidied_only_when_asked_for_and_offsets_are_those_of_the_source() -> None:
    text = "# A  \n\nTabs\there.   \n\n\n\nNBSP\u00a0here \u200bzero.\r\n\r\n```\na\tb  \n```\n\nEnd."
    assert cut(text, "markdown")[0].content == text
    chunks = cut(text, "markdown", normalize_whitespace=True)
    assert chunks[0].content == "# A\n\nTabs here.\n\nNBSP here zero.\n\n```\na\tb  \n```\n\nEnd."
    assert dropped(chunks) == [("\u200b", "zero-width")]
    for chunk in cut(text, "markdown", normalize_whitespace=True, max_size=14):
        source = "".join(text[a:b] for a, b in chunk.spans or ((chunk.start, chunk.end),))
        assert "".join(source.split()) == "".join(chunk.content.split())


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("size", [20, 30, 45, 80, 200])
def test_other_line_ends_are_cut_at_the_same_places(end: str, size: int) -> None:
    text = (
        "# A\n\nSentence one is here. Two is.\n\n## B\n\n- item one\n- item two\n  - inner\n- item three\n\n"
        "[a]: b\n\nSee [a].\n\n|a|b|\n|-|-|\n"
        + "|1|2|\n" * 9
        + "\n```\n"
        + "code\n" * 9
        + "```\n\nT\n===\n\n> quote\n\nEnd of it"
    )
    other = text.replace("\n", end)
    options = {"max_size": size, "length_function": lambda t: len(t.replace("\r\n", "\n"))}
    wanted = [(c.prefix, c.content, c.path, c.metadata) for c in cut(text, "markdown", **options)]
    got = [(c.prefix, re.sub(r"\r\n?", "\n", c.content), c.path, c.metadata) for c in cut(other, "markdown", **options)]
    assert got == wanted
