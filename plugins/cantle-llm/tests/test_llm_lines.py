"""Lines: they tile the source, are short, and take linear time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Source
from cantle.testing import html_documents, latex_documents, markdown_documents, texts
from cantle.text import is_blank, is_boundary
from cantle_llm.lines import lines_of

SEED = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)


WORD = re.compile(r"\S+")


def shown(text: str, kind: str = "text", **options: int) -> list[tuple[str, str]]:
    return [(line.kind, text[line.start : line.end]) for line in lines_of(Source(text, kind), **options)]


def check(source: Source, most: int = 50) -> None:
    lines, text = lines_of(source, most), source.text
    at = source.body
    for line in lines:
        assert at <= line.start < line.end
        assert is_blank(text[at : line.start])
        assert not is_blank(text[line.start : line.end])
        assert is_boundary(text, line.start) or line.start == source.body
        begun = (m.start() for m in WORD.finditer(text, line.start, line.end))
        assert sum(is_boundary(text, start) for start in begun) <= most
        at = line.end
    assert is_blank(text[at:])
    if lines:
        assert lines[0].opens
    assert lines == lines_of(source, most)


def test_the_text_of_the_example() -> None:
    lines = lines_of(Source(SEED))
    assert [(line.kind, line.opens, line.level) for line in lines] == [
        ("heading", True, 2),
        ("sentence", True, 0),
        ("heading", True, 2),
        ("sentence", True, 0),
        ("sentence", False, 0),
        ("heading", True, 2),
        ("sentence", True, 0),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_chapters_under_single_line_breaks(end: str, kind: str) -> None:
    text = SEED.replace("\n\n", end)
    lines = lines_of(Source(text, kind))
    assert [text[line.start : line.end] for line in lines] == [SEED[i.start : i.end] for i in lines_of(Source(SEED))]
    assert [line.kind for line in lines if line.opens] == ["heading", "sentence"] * 3


@pytest.mark.parametrize(
    "text",
    [
        "How it ends in the end is what we are told in\nChapter 3. The last one is short.",
        "How it ends, and why it does, is told in\nChapter 3\nof the book, which is the last one.",
        "It ends well.\nChapter 3\nof the book says how.",
        "It ends well, as books do in the end, all of them.\nChapter 3. The last one says how it went with\nMary.",
        "Here is what is in it:\nChapter 1. One\nChapter 2. Two\nChapter 3. Three\nThat was all.",
        "She counted.\nI\nShe went on with it, and so it went on.",
    ],
    ids=["wrapped", "goes on", "small letter", "full line", "contents", "one Roman number"],
)
def test_no_chapter_in_running_text(text: str) -> None:
    assert not [line for line in lines_of(Source(text, "text")) if line.kind == "heading"]


def test_roman_numbers_on_lines_of_their_own() -> None:
    text = "I\nIt was late, and she went.\nII\nIt was early, and she came.\n"
    for kind, count in (("text", 2), ("markdown", 0)):
        assert sum(line.kind == "heading" for line in lines_of(Source(text, kind))) == count


def test_chapters_among_other_lines() -> None:
    text = "Foreword.\nPART I\nChapter 1: Arrival\nIt began.\n- milk\n- bread\nCHAPTER II\n“So.”\n第三章 旅途\n到了。"
    lines = lines_of(Source(text, "text"))
    assert [text[line.start : line.end] for line in lines if line.kind == "heading"] == [
        "PART I",
        "Chapter 1: Arrival",
        "CHAPTER II",
        "第三章 旅途",
    ]
    assert "".join(text[line.start : line.end] for line in lines).replace("\n", "") == text.replace("\n", "")
    code = "Some text is here.\n\n```\nPrint.\nChapter 1\nPrint.\n```\n"
    assert not [line for line in lines_of(Source(code, "markdown")) if line.kind == "heading"]


def test_markdown() -> None:
    text = (
        "# A b\n\nText one. Text two.\n\n- item one\n- item two. More.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "```py\nx=1\n\ny=2\n```\n\nSub\n---\n\n[a]: http://x\n"
    )
    assert shown(text, "markdown") == [
        ("heading", "# A b"),
        ("sentence", "Text one."),
        ("sentence", "Text two."),
        ("sentence", "- item one"),
        ("sentence", "- item two."),
        ("sentence", "More."),
        ("table", "| a | b |\n|---|---|"),
        ("table", "| 1 | 2 |"),
        ("code", "```py"),
        ("code", "x=1"),
        ("code", "y=2"),
        ("code", "```"),
        ("heading", "Sub\n---"),
        ("other", "[a]: http://x"),
    ]
    assert [line.level for line in lines_of(Source(text, "markdown")) if line.kind == "heading"] == [1, 2]


def test_html_as_its_source_stands() -> None:
    text = (
        "<html><body><h2>Title</h2><p>One. <b>Two</b>.</p><p>Next.</p><ul><li>a</li></ul>"
        "<table><tr><td>1</td></tr><tr><td>2</td></tr></table></body></html>"
    )
    assert shown(text, "html") == [
        ("heading", "<html><body><h2>Title</h2>"),
        ("sentence", "<p>One."),
        ("sentence", "<b>Two</b>.</p>"),
        ("sentence", "<p>Next.</p>"),
        ("sentence", "<ul><li>a</li></ul>"),
        ("table", "<table><tr><td>1</td></tr>"),
        ("table", "<tr><td>2</td></tr></table></body></html>"),
    ]
    lines = lines_of(Source(text, "html"))
    assert [line.opens for line in lines] == [True, True, False, True, True, True, False]
    assert lines[0].level == 2


def test_latex() -> None:
    text = (
        "\\documentclass{article}\n\\begin{document}\n\\section{Hi}\nText. More text.\n\n"
        "\\subsection*{Lo}\nEnd.\n\n\\end{document}"
    )
    lines = lines_of(Source(text, "latex"))
    assert [text[line.start : line.end] for line in lines if line.kind == "sentence"] == ["Text.", "More text.", "End."]
    assert [line.level for line in lines if line.kind == "heading"] == [3, 4]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems(end: str) -> None:
    text = end.join(["One is here.", "Two is here.", "", "Three is here.", " \t", "", "Four is here."])
    assert [line.opens for line in lines_of(Source(text))] == [True, False, True, True]


def test_json_by_line_breaks() -> None:
    assert shown('{"a": [1,\n 2]}', "json") == [("other", '{"a": [1,'), ("other", "2]}")]


def test_front_matter_is_in_no_line() -> None:
    text = "---\na: 1\n---\nBody here."
    assert [text[line.start : line.end] for line in lines_of(Source(text, "markdown", body=13))] == ["Body here."]


@pytest.mark.parametrize(
    "title",
    [
        "Chapter 1. The Beginning.",
        "CHAPTER IV",
        "Capítulo 2 – O desafio",
        "Artigo 5.º",
        "Appendix B: Tables",
        "Part One",
        "Section 2.1 Scope",
        "The Long Way Home",
        "3.1 Installation",
    ],
)
def test_titles(title: str) -> None:
    text = f"Some words come first here.\n\n{title}\n\nThis is what the section has to say. It goes on."
    kinds = {content: kind for kind, content in shown(text)}
    assert kinds.get(title) == "heading"


@pytest.mark.parametrize(
    "words",
    [
        "Section 3 applies to all of us.",
        "Part of the work is done.",
        "He said so.",
        "milk and honey",
        "A list of things\nthat takes two lines",
        "One\n\nTwo\n\nThree\n\nFour",
        "Title I is about something that has far more words than any title that one would ever read in a book",
    ],
)
def test_no_titles(words: str) -> None:
    text = f"{words}\n\nThis is what the section has to say. It goes on."
    assert all(kind == "sentence" for kind, _ in shown(text))


def test_long_lines_are_divided_evenly_and_at_clauses() -> None:
    text = " ".join(["word"] * 130)
    assert [len(part.split()) for _, part in shown(text)] == [44, 43, 43]
    text = " ".join(["word"] * 29) + ", " + " ".join(["word"] * 31)
    assert [len(part.split()) for _, part in shown(text)] == [29, 31]
    assert [len(part.split()) for _, part in shown("a b c d e f g", max_words=3)] == [3, 2, 2]
    assert [part for _, part in shown("漢" * 250)] == ["漢" * 84, "漢" * 84, "漢" * 82]
    assert max(len(part) for _, part in shown("x" * 10_000)) <= 1600


@given(texts() | markdown_documents() | html_documents() | latex_documents() | st.text())
@settings(deadline=None, max_examples=60)
def test_lines_tile_any_text(text: str) -> None:
    for kind in ("text", "markdown", "html", "latex", "pdf", "json"):
        check(Source(text, kind))
    check(Source(text, body=len(text) // 2), 3)


def test_a_mark_on_a_blank_is_counted_once() -> None:
    check(Source("000000000000000000 0 0 \u03000 0 0 0 0\r0", body=17), 3)


HOSTILE = {
    "one word": "x" * 1_000_000,
    "newlines": "\n" * 1_000_000,
    "marks": "a" + "\u0301" * 300_000,
    "blanks": "a" + " " * 500_000 + "b",
    "no sentence": "word " * 200_000,
    "short paragraphs": "A\n\n" * 15_000,
    "dashes": "| a |\n" + ("-" * 2000 + "\n") * 300,
    "tags": "<p>" * 100_000,
    "surrogates": "\ud800" * 300_000,
    "titles": "Chapter 1.\n\n" * 10_000,
    "cjk": "漢字" * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name: str) -> None:
    kind = {"tags": "html", "dashes": "markdown", "newlines": "markdown"}.get(name, "text")
    began = time.perf_counter()
    check(Source(HOSTILE[name], kind))
    assert time.perf_counter() - began < 30
