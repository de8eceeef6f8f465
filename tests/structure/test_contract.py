"""`structural-context` keeps the contract with every kind of document and many options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.testing import (
    check_document,
    check_strategy,
    hostile_documents,
    html_documents,
    latex_documents,
    markdown_documents,
    texts,
)

ROOT = Path(__file__).parents[2]
KINDS = ("markdown", "text", "pdf", "html", "latex")
WRITTEN = {"markdown": markdown_documents, "html": html_documents, "latex": latex_documents}

OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_size": 60, "overlap": 20},
    {"max_size": 30, "overlap": 10, "length_function": "utf16"},
    {"max_size": 12, "overlap": 4, "length_function": "cl100k_base"},
    {"max_size": 25, "overlap": 8, "length_function": "bytes"},
    {"max_size": 5, "overlap": 2, "length_function": "words"},
    {"max_size": 20, "overlap": 6, "length_function": len},
    {"max_size": (20, 60)},
    {"max_size": 40, "overlap": 10, "explain": True},
    {"max_size": 1},
    {"max_size": 80, "overlap": 10, "split_on_headings": False, "explain": True},
    {"max_size": 50, "prepend_heading": False, "strip_html_comments": False, "strip_data_uri": False},
    {"max_size": 50, "overlap": 9, "heading_path": False, "context_size": 12, "normalize_whitespace": True},
    {"max_size": 100, "overlap": 20, "min_chunk_size": 0, "length_function": "o200k_base"},
]

# All but linear time, which is asked for once, and the same answer in other processes.
POINTS = (1, 2, 3, 4, 5, 6, 9)


def documents(kind: str) -> list[MDocument]:
    return [MDocument(document.text, kind=kind) for document in hostile_documents()]


@pytest.mark.parametrize(
    ("kind", "options"),
    [(kind, o) for i, kind in enumerate(KINDS) for o in (OPTIONS if kind == "markdown" else OPTIONS[i % 3 :: 3])],
    ids=str,
)
def test_hostile_documents(kind: str, options: dict[str, Any]) -> None:
    for document in documents(kind):
        check_document("structural-context", document, points=POINTS, **options)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_made_documents(kind: str, data: st.DataObject) -> None:
    made = st.one_of(WRITTEN[kind](), texts()) if kind in WRITTEN else texts()
    document = MDocument(data.draw(made), kind=kind)
    check_document("structural-context", document, points=POINTS, **data.draw(st.sampled_from(OPTIONS)))


PARTS = {
    "markdown": [
        "# A", "## B\n", "#", "T\n===", "```", "~~~py", "| a | b |\n|---|---|", "| c | d |", "- x", "  - y", "1. z",
        "> q", "$$", "<div>", "<!-- ", " -->", "[a]: b", "[a]", "[^1]", "[^1]: n", "---", "\t",
        "![](data:image/png;base64,AA)",
    ],
    "text": ["1 A", "1.1 B", "2. C", "1. d.", "3 Four bar", "(data:image/png;base64,AA)", "\t", "\ufeff", "\u200b"],
    "pdf": [
        "1", "2", "- 3 -", "Page 4", "head", "fig-", "ures", "\f", "\f", "1 A", "1.1 B", "\t", "\u200b", "\xa0",
        "\u0301",
    ],
    "html": [
        "<h1>", "</h1>", "<h2>B</h2>", "<p>", "<pre>", "</pre>", "<table><tr><th>a<th>b", "<tr><td>c", "</table>",
        "<ul><li>", "</ul>", "<!-- c -->", "<script>", "</script>", "&amp;", "<blockquote>", "<br>", "<p hidden>", "\t",
    ],
    "latex": [
        "\\begin{document}", "\\end{document}", "\\section{A}", "\\subsection{B}", "\\chapter{C}", "\\begin{itemize}",
        "\\item x", "\\end{itemize}", "$", "\\[", "\\]", "% c", "\\verb|x|", "{", "}",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_pieces_of_the_format_in_any_order(kind: str, data: st.DataObject) -> None:
    words = [
        "word",
        "Some words. And more of them.",
        "longerword" * 3,
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "é́",
        "😀",
        *PARTS[kind],
    ]
    text = data.draw(st.sampled_from(["\n", "\n\n", " ", ""])).join(
        data.draw(st.lists(st.sampled_from(words), max_size=20))
    )
    options = data.draw(st.sampled_from(OPTIONS))
    check_document("structural-context", MDocument(text, kind=kind), points=POINTS, **options)


def examples() -> list[str]:
    files = sorted((ROOT / "tests" / "blocks" / "commonmark").glob("*.jsonl"))
    return [json.loads(line)["text"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("options", [OPTIONS[i] for i in (4, 10)], ids=str)
def test_commonmark_examples(options: dict[str, Any]) -> None:
    for text in examples():
        check_document("structural-context", MDocument(text, kind="markdown"), points=POINTS, **options)


def test_commonmark_examples_as_one_document() -> None:
    document = MDocument("\n\n".join(examples()), kind="markdown")
    for options in OPTIONS[:8]:
        check_document("structural-context", document, points=POINTS, **options)


FILES = [
    path for path in sorted((ROOT / "docs").glob("**/*")) if path.suffix in (".md", ".html", ".tex", ".txt")
    and "_build" not in path.parts
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(OPTIONS) // 2))
def test_the_documentation(number: int) -> None:
    for path in FILES[number :: len(OPTIONS) // 2]:
        for options in OPTIONS[number :: len(OPTIONS) // 2]:
            check_document("structural-context", MDocument.from_file(path), points=POINTS, **options)


def test_a_table_that_stands_in_a_chunk_with_its_words_before_it_is_no_breach() -> None:
    document = MDocument.from_file(ROOT / "docs" / "examples" / "harbour-guide.md")
    assert any(chunk.spans for chunk in document.chunk("structural-context", max_size=250))
    check_document("structural-context", document, max_size=250)


@pytest.mark.parametrize("kind", ["markdown", "pdf", "html"])
def test_the_same_in_other_processes(kind: str) -> None:
    few = [document for document in documents(kind) if len(document.text) < 400]
    check_strategy("structural-context", few, property=False, points=[7], max_size=40, overlap=10)


def test_large_documents_in_linear_time() -> None:
    check_strategy("structural-context", points=[8], property=False)
