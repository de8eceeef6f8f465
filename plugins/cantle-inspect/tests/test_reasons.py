"""Why a cut is where it is: a sentence for every kind of cut that a strategy gives."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, Chunks, Cut, MDocument, Source
from cantle_inspect import explained, measured
from cantle_inspect.report.reasons import why

DOCUMENTS = Path(__file__).parent / "documents"


def said(*cut: Any, last: bool = False, oversize: bool = False) -> str:
    text = "one two"
    chunks = Chunks(
        Source(text), [Chunk("one", 0, 3, cut=Cut(*cut), oversize=oversize), *([] if last else [Chunk("two", 4, 7)])]
    )
    return why(chunks[0], chunks, measured(chunks))


CASES = [
    (("end", 0), "Ends where a part of the document ends that is cut by itself."),
    (("heading", 0), "Ends before a heading; the strongest kind of border (level 0)."),
    (("heading", 1, "h2"), "Ends before a heading (h2); level 1: no stronger one fits."),
    (("separator", 0, "\n\n"), "Ends at a blank line, where a paragraph ends; the strongest kind of border (level 0)."),
    (("separator", 1, "\n"), "Ends at the end of a line; level 1: no stronger one fits."),
    (("separator", 2, " "), "Ends between two words; level 2: no stronger one fits."),
    (("separator", 0, "--"), "Ends at the separator “--”; the strongest kind of border (level 0)."),
    (("separator", 3, "\n\\d+\t"), "Ends at the separator “\\n\\\\d+\\t”; level 3: no stronger one fits."),
    (("characters", 3), "Ends between two characters."),
    (("tokens", 0), "Ends where the window of tokens is full."),
    (("window", 0), "Ends where the window is full."),
    (
        ("separator", 1, ""),
        "Ends between two characters, since the separator is the empty text; level 1: no stronger one fits.",
    ),
    (("value", 0), "Ends behind a complete value, at the outermost level (depth 0)."),
    (("value", 2), "Ends behind a complete value, in an object or list at depth 2."),
    (("string", 1, " "), "Ends inside a string, between two words, in an object or list at depth 1."),
    (
        ("string", 0),
        "Ends inside a string, between two characters, for want of a blank, at the outermost level (depth 0).",
    ),
    (("row", 0), "Ends before a row of a table or a line of code."),
    (("section", 2, "subsection"), "Ends before a section (subsection); level 2: no stronger one fits."),
    (("preamble", 0), "Ends where the preamble ends."),
    (("sentence", 0), "Ends where a sentence ends; the strongest kind of border (level 0)."),
    (("verse", 1, "Gen 1"), "Ends at a border of the kind “verse” (Gen 1); level 1: no stronger one fits."),
]


@pytest.mark.parametrize(("cut", "sentence"), CASES)
def test_a_cut_in_words(cut: tuple[Any, ...], sentence: str) -> None:
    assert said(*cut) == sentence


def test_the_last_chunk_ends_with_the_document() -> None:
    assert said("end", 0, last=True) == "Ends with the document."


ODD = [
    (Cut(None, 0), "Ends at a border that the strategy does not name."),  # type: ignore[arg-type]
    ((), "Ends at a border that the strategy does not name."),
    (5, "Ends at a border that the strategy does not name."),
    ({"kind": "verse"}, "Ends at a border that the strategy does not name."),
    ("verse", "Ends at a border of the kind “verse”."),
    (("verse",), "Ends at a border of the kind “verse”."),
    (["verse", "first", 3, 4], "Ends at a border of the kind “verse”."),
    (("verse", 1, None), "Ends at a border of the kind “verse”; level 1: no stronger one fits."),
    (("verse", True), "Ends at a border of the kind “verse”."),
    (("verse", -1), "Ends at a border of the kind “verse”."),
    (("heading", None), "Ends before a heading."),
]


@pytest.mark.parametrize(("cut", "sentence"), ODD)
def test_an_odd_cut_of_a_plugin_gets_a_plain_sentence(cut: Any, sentence: str) -> None:
    chunks = Chunks(Source("one two"), [Chunk("one", 0, 3, cut=cut), Chunk("two", 4, 7)])
    assert why(chunks[0], chunks, measured(chunks)) == sentence


def test_a_chunk_above_the_limit_says_that_cutting_was_forbidden() -> None:
    assert said("end", 0, last=True, oversize=True).endswith("above the limit, since cutting it was forbidden.")


def test_characters_name_the_limit() -> None:
    chunks = explained(MDocument.from_text("x" * 50), "recursive", {"max_size": 20, "overlap": 0})
    expected = "Ends between two characters: nothing better fits in 20 characters."
    assert why(chunks[0], chunks, measured(chunks)) == expected


def test_without_a_reason_nothing_is_said() -> None:
    chunks = MDocument.from_text("one two").chunk("recursive")
    assert why(chunks[0], chunks, measured(chunks)) == ""


@pytest.mark.parametrize(
    "strategy",
    [
        *("character", "html", "json", "latex", "markdown", "recursive", "semantic-markdown", "sentence"),
        *("structural-context", "token"),
    ],
)
def test_every_kind_that_a_built_in_strategy_gives_has_words_of_its_own(strategy: str) -> None:
    suffix = {"html": ".html", "json": ".json", "latex": ".tex"}.get(strategy)
    seen = 0
    for path in sorted(DOCUMENTS.iterdir()):
        if suffix and path.suffix != suffix:
            continue
        for size in (30, 60, 120, 400):
            options = {"max_size": size} | ({} if strategy == "json" else {"overlap": 0})
            chunks = explained(MDocument.from_file(path), strategy, options)
            sizes = measured(chunks)
            for chunk in chunks:
                words = why(chunk, chunks, sizes)
                assert words.startswith("Ends ")
                assert "of the kind" not in words
                seen += 1
    assert seen


def test_explain_is_given_where_it_is_taken_and_can_be_declined() -> None:
    document = MDocument.from_text("one two three")
    assert all(chunk.cut for chunk in explained(document, "recursive", {"max_size": 5}))
    assert not any(chunk.cut for chunk in explained(document, "recursive", {"max_size": 5, "explain": False}))
    assert all(chunk.cut for chunk in explained(document, options={"separators": [" "], "max_size": 5}))


# -- what stands at the cuts ------------------------------------------------------------------------------------------

HARD = {
    "markdown": [
        "# A\n\n"
        + "".join(f"- item number {i}\n" for i in range(6))
        + "\nFirst paragraph here.\n\nSecond one is here.\n",
        "Some words are here. And more of them. The table says it:\n\n| aaa | bbb |\n|-----|-----|\n"
        + "| 1111 | 2222 |\n" * 6
        + "\nPlain text behind the table. It goes on and on.\n\n## Code\n\nSo it runs. This is how:\n\n```py\n"
        + "call(1, 2)\n" * 12
        + "```\n\n1. one thing to do\n2. another thing, which says:\n\n"
        + "   - inner words\n   - more of them\n\n   A paragraph.\n"
        + "3. the last\n\n> quoted words are here. And some more of them.\n\nTitle\n=====\n\nThe end of it all.\n",
    ],
    "html": [
        "<h1>A</h1><p>One two three. Four five six.</p><ul>"
        + "".join(f"<li>item number {i}</li>" for i in range(6))
        + "</ul><table><tr><th>a</th><th>b</th></tr>"
        + "<tr><td>1111</td><td>2222</td></tr>" * 8
        + "</table><p>Behind the table. More words are here.</p><h2>B</h2><pre>x = 1\ny = 2\n</pre><p>End.</p>",
    ],
    "latex": [
        "\\documentclass{article}\n\\begin{document}\nFirst words are here. Then more.\n\\section{A}\nText is here.\n"
        "\\begin{itemize}\n\\item one thing to see\n\\item another thing to see\n\\end{itemize}\nMore text.\n"
        "\\[ a = b \\]\n\\subsection{B}\nThe end is here. And so on.\n\n\\section{C}\nLast words.\n\\end{document}\n",
    ],
    "text": [
        "1 Start\n\nWords of it are here. More words, and more!\n\n2 Then\n\nAs follows:\n- a thing\n- another\n\n"
        + "x" * 90
        + " end of it.\n",
    ],
    "json": [
        '{"a":["one two three four five six seven",12345678901234567890],"b":{"c":[1,2,3,{"d":"' + "x" * 70 + '"}]}}'
    ],
}
FILES = {".md": "markdown", ".html": "html", ".tex": "latex", ".json": "json", ".txt": "text"}
TEXTS = [(kind, text) for kind, texts in HARD.items() for text in texts]
TEXTS += [(FILES[path.suffix], path.read_text("utf-8")) for path in sorted(DOCUMENTS.iterdir())]
STRATEGIES = {
    **dict.fromkeys(("character", "markdown", "recursive", "semantic-markdown", "sentence", "token"), ({},)),
    "html": ({}, {"headers": [("h1", "a"), ("h2", "b")]}),
    "json": ({},),
    "latex": ({},),
    "structural-context": ({}, {"min_chunk_size": 0}, {"split_on_headings": False, "prepend_heading": False}),
}
STRATEGIES["markdown"] = ({}, {"repeat_table_header": True}, {"headers": [("#", "a"), ("##", "b")]})
STRATEGIES["recursive"] = ({}, {"language": "markdown"})
STRATEGIES["character"] = ({}, {"separators": ["\n\n", " "]})
ONLY = {"json": "json", "html": "html"}

HEADING = re.compile(r"#{1,6}\s|[^\n]+\n(?:=+|-+)\s*(?:\n|\Z)|\\(?:sub)*section|[0-9.]+ \w|\\begin\{document\}")
ITEM = re.compile(r"[\s>]*(?:[-+*]|[0-9]+[.)])\s|\s*\\item")
SENTENCE = re.compile(r"[.!?…:。][\"'”’)\]*_`]*\s*\Z")
OPENS = re.compile(r"<[^<>]*>\s*\Z")


def in_code(text: str, at: int) -> bool:
    return len(re.findall(r"^```", text[:at], re.MULTILINE)) % 2 == 1


def stands(kind: str, detail: str, document: MDocument, before: Chunk, after: Chunk, limit: int) -> bool:
    """Whether what a reason says is what stands around the cut."""
    text, markup = document.text, document.kind == "html"
    gap = text[before.end : after.start]
    own = text[after.start :]
    line = text[text.rfind("\n", 0, after.start) + 1 :].partition("\n")[0]
    if kind == "heading":
        if markup:
            return re.search(r"<h[1-6][^>]*>(?:<[^<>]*>|\s)*\Z", text[: after.start]) is not None or "<h" in gap
        return HEADING.match((gap + own).lstrip("` \n")) is not None  # with `headers` the heading is in no chunk
    if kind == "section":
        return own.startswith("\\" + detail)
    if kind == "preamble":
        return own.startswith("\\begin{document}")
    if kind == "item":
        return bool(ITEM.match(line.lstrip()))
    if kind == "row":
        return in_code(text, after.start) or "|" in (after.content if markup else line)
    if kind == "block":
        if markup:
            return "<" in gap or OPENS.search(text[: after.start]) is not None
        table = "|" in line and (re.search(r"\|\s*\Z", text[: before.end]) is None or "\n\n" in gap)
        return table or own.startswith("```") or before.text.rstrip().endswith(("|", "```")) or "\n\n" in gap
    if kind == "sentence":
        return SENTENCE.search(text[: before.end]) is not None
    if kind == "word":
        return bool(gap) and gap.isspace()
    if kind == "line":
        return "\n" in gap or markup
    if kind == "environment":
        return own.startswith(("\\begin", "\\[")) or bool(re.search(r"(?:\\end\{\w+\}|\\\])\s*\Z", text[: before.end]))
    if kind == "separator" and markup:
        return "<" in gap or gap.isspace()
    if kind == "separator":
        around = text[max(0, before.end - len(detail)) : after.start + max(8, len(detail))]
        return detail in around or re.search(detail, around) is not None
    if kind == "characters":
        return not gap or "<" in gap
    if kind == "window":
        return len(text[len(text[: before.start].rstrip()) : after.start + 1]) > limit
    if kind == "value":
        return own[:1] not in ":" and (not gap or set(gap) <= set(' \n,[]{}:"') or ":" in gap)
    if kind == "string":
        inside = len(re.findall(r'(?<!\\)"', text[: before.end])) % 2 == 1
        return inside and (text[before.end - 1] == " ") == (detail == " ")
    return kind == "tokens"


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_what_is_said_stands_at_the_cut(strategy: str) -> None:
    seen = 0
    wrong = []
    for kind, text in TEXTS:
        if (kind == "json" and strategy != "json") or ONLY.get(strategy, kind) != kind:
            continue
        document = MDocument(text, kind)
        for size in (25, 40, 60, 90, 200):
            for more in STRATEGIES[strategy]:
                options = {"max_size": size, **more} | ({} if strategy == "json" else {"overlap": 0})
                chunks = list(explained(document, strategy, options))
                for before, after in pairwise(chunks):
                    assert before.cut is not None
                    seen += 1
                    cut = before.cut
                    if not stands(cut.kind, cut.detail, document, before, after, size):
                        wrong.append((kind, options, cut, before.text[-50:], text[after.start : after.start + 40]))
                assert all(chunk.cut == ("end", 0, "") for chunk in chunks[-1:])
    assert seen > 20
    assert not wrong, f"{len(wrong)} of {seen}: " + "\n".join(map(repr, wrong[:12]))
