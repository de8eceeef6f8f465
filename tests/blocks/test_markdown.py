"""The blocks of Markdown: equal to those of markdown-it-py, and what it does not know."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_blocks import blocks
from markdown_it import MarkdownIt

from cantle.blocks.lines import line_gaps, view
from cantle.blocks.markdown import Block, is_atx, nested_fences, outline, title
from cantle.testing import hostile_documents, markdown_documents, texts

ORACLE = MarkdownIt("commonmark", {"maxNesting": 300, "inline_definitions": True}).enable("table")
KINDS = {
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "code",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "blockquote_open": "quote",
    "html_block": "html",
    "hr": "rule",
    "paragraph_open": "paragraph",
    "definition": "definition",
}
EXAMPLES = [
    json.loads(line)
    for name in ("examples", "gfm_tables")
    for line in (Path(__file__).parent / "commonmark" / f"{name}.jsonl").read_text("utf-8").split("\n")
    if line
]

# Where markdown-it-py leaves the specification; cmark has it as we do.
QUIRKS = [
    # A nested quote ends before an indented line that would be a block without its indent.
    re.compile(r"^ {0,3}> *>[^\n]*(\n[^\n]+)*\n( {4}|\t| {0,3}>? {4})", re.MULTILINE),
    # A backslash at the end of a line in a link definition.
    re.compile(r"\\\n"),
    # Two blank lines after an empty item end the list.
    re.compile(r"^[ >]*(?:[-+*]|[0-9]+[.)])[ \t]*\n(?:[ \t>]*\n){2,}", re.MULTILINE),
    # A delimiter row that is indented as far as the item makes a table of the text line before it.
    re.compile(r"^ {0,3}(?:[-+*]|[0-9]+[.)]).*(?:\n[^\n]*)*\n[ \t]{2,}[|:-][-:| ]", re.MULTILINE),
]

Row = tuple[str, int, int, int]


def theirs(text: str) -> list[Row]:
    """The top-level blocks by markdown-it-py: kind, start, end, level."""
    tokens: list[Any] = []
    ORACLE.block.parse(text, ORACLE, {}, tokens)
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    if lines[-1] != len(text):
        lines.append(len(text))
    found = []
    for token in tokens:
        if token.level == 0 and token.map and token.type in KINDS:
            level = int(token.tag[1]) if token.type == "heading_open" else 0
            found.append((KINDS[token.type], *filled(text, lines[token.map[0]], lines[token.map[1]]), level))
    return found


def ours(text: str) -> list[Row]:
    names = {"comment": "html", "maths": "fence"}
    return [
        (names.get(b.kind, b.kind), *filled(text, b.start, b.end), b.level)
        for b in blocks(text)
        if b.kind != "front-matter"
    ]


def filled(text: str, start: int, end: int) -> tuple[int, int]:
    """Whole lines, the blank ones at the end left out."""
    end = text.find("\n", start + len(text[start:end].rstrip(" \t\n")))
    return start, end + 1 if end >= 0 else len(text)


def plain(text: str) -> str | None:
    """The text as markdown-it-py can read it: without front matter and BOM, formulas as fences; None if it cannot."""
    seen = view(text)
    for block in outline(text):
        if block.kind == "front-matter":
            seen = re.sub(r"[^\n]", " ", seen[: block.end]) + seen[block.end :]
        elif block.kind == "maths":
            lines = seen[block.start : block.end].rstrip("\n").split("\n")
            if len(lines) == 1 or min(len(lines[0]), len(lines[-1])) < 3:
                return None
            fence = [
                "~~~".ljust(len(line)) if i in (0, len(lines) - 1) else "x" * len(line) for i, line in enumerate(lines)
            ]
            seen = seen[: block.start] + "\n".join(fence) + seen[block.start + len("\n".join(fence)) :]
    return " " + seen[1:] if seen.startswith("\ufeff") else seen


def check(text: str) -> None:
    seen = plain(text)
    if seen is None or any(quirk.search(seen) for quirk in QUIRKS):
        return
    expected = theirs(seen)
    if text.startswith("\ufeff"):
        expected = [(kind, start or 1, end, level) for kind, start, end, level in expected]
    found = ours(view(text))
    assert found == expected, (text, found, expected)


def kinds(text: str) -> list[str]:
    return [block.kind for block in blocks(text)]


def pieces(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text)]


# --- against markdown-it-py ----------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_examples_of_the_specification(end: str) -> None:
    assert len(EXAMPLES) == 652 + 8
    for example in EXAMPLES:
        text = example["text"]
        assert ours(text) == theirs(text), example
        assert kinds(text.replace("\n", end)) == kinds(text), example


TABLES = [
    "| a | b |\n| - | - |\n| 1 | 2 |\n",
    "| a | b |\n| :-: | -----------:\nx | y\n",
    "| a\\|b |\n| ------ |\n| b `\\|` c |\n",
    "| a | b |\n| --- | --- |\n| 1 | 2 |\n> quote\n",
    "| a | b |\n| --- | --- |\n| 1 | 2 |\nx\n\ny\n",
    "| a | b |\n| --- |\n| 1 |\n",
    "| a | b |\n| --- | --- |\n| 1 |\n| 2 | 3 | 4 |\n",
    "| a | b |\n| --- | --- |\n",
    "text\n| a | b |\n|---|---|\n| 1 | 2 |\n# heading\n",
    "| a |\n---\n| 1 |\n",
    "a | b\n-|-\n1 | 2\n    code\n",
    "# a | b\n|---|---|\n",
    "- a | b\n|---|---|\n",
    "> | a | b |\n> |---|---|\n> | 1 | 2 |\nno\n",
    "- | a | b |\n  |---|---|\n  | 1 | 2 |\nno\n",
    "|\n|\n", "a|b\n-|\n", ":-\n|-|\n", "\\| a\n|-|\n", "|a||b|\n|-||-|\n",
]  # fmt: skip


@pytest.mark.parametrize("text", TABLES)
def test_tables(text: str) -> None:
    assert ours(text) == theirs(text)


LINES = (
    "$$", "# a", "## b #", "   ### c", "    # d", "#", "b c", "x | y", "| a | b |", "|---|---|", "---", "--", "-",
    "- x", "-  y", "  - z", "    w", "\tq", "* x", "*", "+ p", "1. one", "2. two", "10) ten", "   three", "> q", ">",
    "> - r", "> ```", "```", "~~~", "````", "```py", "  ```", "<div>", "</div>", "<b>", "<!-- c", "-->", "<!-- d -->",
    "<script>", "</script>", "<?x", "?>", "[a]: b", "[a]: b 'c'", "[a]:", "'t'", "===", "***", "* * *", "_ _ _", "",
    "", "", " ", "\t", "  e", "      g", "> > h", ">\ti", "- - j", "1. - k", "-\tl", "- # n", "- ```", "  ~~~",
    "- | a | b |", "  |---|---|", ":-: | :-", "[b]: <c d>", "> [a]: b", "- [a]: b", "- > s", "  > t", "\\", "a\\",
    "> 1. v", "- a\\|b", "<a href='x'>", "<a b=c d>", "</b >", "<hr/>", "-      code", "lazy",
)  # fmt: skip


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=9).map("\n".join))
def test_lines_put_together(text: str) -> None:
    check(text)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(markdown_documents(), texts()))
def test_made_documents(text: str) -> None:
    check(text)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(markdown_documents(), texts()))
def test_blocks_are_whole_lines_that_hold_all_text(text: str) -> None:
    seen, at = view(text), 0
    assert len(seen) == len(text)
    for block in blocks(text):
        assert block.start < block.end
        assert not seen[at : block.start].strip(" \t\n\ufeff")
        assert block.start == 0 or seen[block.start - 1] in "\n\ufeff"
        assert block.end == len(seen) or seen[block.end - 1] == "\n"
        at = block.end
    assert not seen[at:].strip(" \t\n\ufeff")
    assert [b for b in blocks(text) if b.kind not in ("paragraph", "code", "definition")] == outline(text)


def test_hostile_documents() -> None:
    for document in hostile_documents():
        check(document.text)


# --- what CommonMark does not know ----------------------------------------------------------------


def test_front_matter_is_at_the_start_only() -> None:
    text = "---\ntitle: x\n# no heading\n---\n\n# A\n"
    assert kinds(text) == ["front-matter", "heading"]
    assert kinds("\ufeff" + text) == ["front-matter", "heading"]
    assert kinds("\n" + text) == ["rule", "paragraph", "heading", "rule", "heading"]
    assert kinds("---\nno key\n---\n") == ["rule", "heading"]
    assert kinds("---\na: b\n") == ["rule", "paragraph"]


def test_display_formulas() -> None:
    assert pieces("a\n$$\nx\n= y\n# z\n$$\nb\n") == [
        ("paragraph", "a\n"), ("maths", "$$\nx\n= y\n# z\n$$\n"), ("paragraph", "b\n"),
    ]  # fmt: skip
    assert kinds("$$ x $$\n") == ["maths"]
    assert kinds("- a\n$$\nb\n$$\n") == ["list", "maths"]
    assert kinds("- a\nlazy\n$$\nb\n$$\n") == ["list", "maths"]
    assert kinds("> - a\nlazy\n$$ b $$\n") == ["quote", "maths"]


@pytest.mark.parametrize("text", ["$$ x $$ and more\n", "$$\n\n$$\n", "$$ alone\n# a\n", "cost: $$ 5 $$\n"])
def test_no_display_formula(text: str) -> None:
    assert "maths" not in kinds(text)


def test_a_bom_is_not_part_of_the_first_heading() -> None:
    (heading, body) = blocks("\ufeff# A\nx")
    assert (heading.kind, heading.start) == ("heading", 1)
    assert body.kind == "paragraph"


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("# A", 1, "A"), ("###   A b  ###  ", 3, "A b"), ("# A#", 1, "A#"), ("## ##", 2, ""), ("#", 1, ""),
        ("#\tA\t#", 1, "A"), ("# *A* `b`", 1, "*A* `b`"), ("A\n===", 1, "A"), ("A\n  b \n---", 2, "A b"),
        ("## A \\#", 2, "A \\#"), ("#a\n=", 1, "#a"), ("# A\r\n", 1, "A"), ("A\r\nb\r\n=\r\n", 1, "A b"),
    ],
)  # fmt: skip
def test_titles(text: str, level: int, expected: str) -> None:
    (heading,) = outline(text)
    assert (heading.kind, heading.level, title(text, heading)) == ("heading", level, expected)
    assert is_atx(text, heading) is (text[0] == "#" and text != "#a\n=")


def test_the_head_of_a_table() -> None:
    text = "x\n\n| a |\n|---|\n| 1 |\n"
    (table,) = outline(text)
    assert text[slice(*table.head)] == "| a |\n|---|\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n\n  ```\n  # x\n\n  y\n  ```\n  b\n", ["  ```\n  # x\n\n  y\n  ```\n"]),
        ("- ```\n  x\n  ```\n- b\n", ["- ```\n  x\n  ```\n"]),
        ("> ~~~\n> x\n> ~~~\n> b\n", ["> ~~~\n> x\n> ~~~\n"]),
        ("- a ``` b\n- c\n", []),
        ("- a\n  ````\n  ```\n", ["  ````\n  ```\n"]),
    ],
)
def test_fences_in_lists_and_quotes(text: str, expected: list[str]) -> None:
    (block,) = outline(text)
    assert [text[a:b] for a, b in nested_fences(view(text), block)] == expected


def test_line_gaps() -> None:
    text = "a\r\nb\n\rc\r\r\n\nd\n"
    assert line_gaps(text, 1) == [(1, 3), (4, 5), (5, 6), (7, 8), (8, 10), (10, 11), (12, 13)]
    assert line_gaps(text, 2) == [(4, 6), (7, 11)]
    assert line_gaps(text, 1, 4, 6) == [(4, 5), (5, 6)]


def test_blocks_are_tuples() -> None:
    assert outline("# A\n") == [Block("heading", 0, 4, 1, (1, 3))]


# --- time -----------------------------------------------------------------------------------------

LARGE = {
    "nested quotes": "> " * 100_000 + "x\ny\n",
    "quotes of 20 levels": ("> " * 20 + "a\n") * 5_000,
    "items nested": "".join("  " * i + "- a\nlazy\n" for i in range(400)),
    "items on one line": "- " * 100_000 + "x\n" + "\n" * 1000 + "y\n",
    "blank lines in nested items": "- " * 2_000 + "x\n" + "\n" * 100_000,
    "rows": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50_000,
    "open definitions": "[a]:\n" * 50_000,
    "tags in a paragraph that begins like a label": "[a\n" + "<b>\n" * 50_000,
    "tags in a paragraph that begins like a definition": "[a]: b 'x\n" + "<b>\n" * 50_000,
    "underlined labels": "[a\n===\n" * 30_000,
    "definitions in a quote": "> [a]: b\n" * 20_000 + "lazy\n",
    "definitions in an item": "- [a]: b\n" + "  [a]: b\n" * 20_000 + "lazy\n",
    "indented lines behind definitions": "[a]: b\n    c\n" * 30_000,
    "a paragraph of numbers": "x\n" + "2. y\n" * 50_000,
    "underlines": "===\n" * 50_000,
    "open tags": "<a " + "b " * 100_000 + "\n",
    "formulas": "$$\n" * 50_001,
    "long fence": "```\n" + "code\n\n" * 50_000,
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.timeout(20)
def test_large(name: str) -> None:
    assert blocks(LARGE[name])
