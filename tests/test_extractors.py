"""The extractors of the plugin `offline`: title, keywords and summary without a model."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunks, MDocument, Registry, extract
from cantle.errors import ExtractionError, OptionError, UnusedOptionWarning
from cantle.plugins import BUILTIN
from cantle.testing.generators import texts

OURS = Registry({name.rpartition(".")[2]: name for name in BUILTIN})

TIDES = """# Reading a tide table

A tide table lists high water and low water of a harbour for every day of the year. Sailors plan by it.

## Heights

The heights of the tide table are given in metres above chart datum. Chart datum is the lowest tide of all.

## Times

Nothing more.
"""


def extracted(document: MDocument | str, fields: dict[str, Any], **options: Any) -> Chunks:
    if isinstance(document, str):
        document = MDocument.from_markdown(document)
    return document.chunk(extract=fields, plugins=OURS, **options)


# -- title --------------------------------------------------------------------------------------------


def title(document: MDocument, **options: Any) -> str:
    chunks = document.chunk(extract={"title": options or True}, plugins=OURS)
    titles = {chunk.metadata["document_title"] for chunk in chunks}
    assert len(titles) == 1
    return str(titles.pop())


LATEX = r"""\documentclass{article}
% \title{An old one}
\title[Short]{On the \emph{Origin} of \\ {\'e}l\`eves\thanks{Funded.}}
\begin{document}\maketitle
\section{First}
Text.
\end{document}"""


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (
            MDocument.from_markdown("Some text first.\n\n# The *Great* `API` [guide](http://a.b) {#api}\n"),
            "The Great API guide",
        ),
        (MDocument.from_markdown("Setext\n======\n\nText."), "Setext"),
        (MDocument.from_markdown("#\n\n## \n\n### Third\n"), "Third"),
        (MDocument.from_markdown("```\n# no heading\n```\n\n> **Note**: all is well. More."), "Note: all is well"),
        (
            MDocument.from_html("<title>Page</title><h2>Sub</h2><h1>The <b>main</b> &amp; only</h1><p>x"),
            "The main & only",
        ),
        (MDocument.from_html("<title>Tides &amp;\n times</title><h2>Sub</h2><p>x"), "Tides & times"),
        (MDocument.from_html("<h3>Sub</h3><p>x"), "Sub"),
        (MDocument.from_html("<p>Tides rise. They fall."), "Tides rise"),
        (MDocument.from_latex(LATEX), "On the Origin of élèves"),
        (MDocument.from_latex("\\begin{document}\\section{Low \\& high}Text.\\end{document}"), "Low & high"),
        (MDocument.from_latex("% \\title{Old}\n\\begin{document}A \\textbf{tide} rises. It falls."), "A tide rises"),
        (MDocument.from_json('{"id": 7, "name": "Ships of the line", "rows": [1, 2]}'), "Ships of the line"),
        (MDocument.from_json("[1, 2]"), ""),
        (MDocument.from_text("1. Introduction\n\nThe tide is high."), "1. Introduction"),
        (MDocument.from_text("Dear Mr. Bligh, the tide is high. Come."), "Dear Mr. Bligh, the tide is high"),
        (MDocument.from_text("!!! ???"), ""),
        (
            MDocument.from_pdf_text(["ACME\n\nAnnual re-\nport\n\n1", "ACME\n\nProfits.\n\n2", "ACME\n\nEnd.\n\n3"]),
            "Annual report",
        ),
        (MDocument.from_text("Text.", metadata={"title": "  The\nreal one  "}), "The real one"),
        (MDocument.from_markdown("# Heading", metadata={"title": 1984}), "1984"),
        (MDocument.from_markdown("# Heading", metadata={"title": " "}), "Heading"),
        (MDocument.from_markdown("# Heading", metadata={"title": ["no", "title"]}), "Heading"),
        (MDocument.from_text("high " * 100), "high " * 19 + "high…"),
        (MDocument.from_text("漢" * 300), "漢" * 99 + "…"),
    ],
)
def test_title(document: MDocument, expected: str) -> None:
    assert title(document) == expected


PAGE = "<html><head><title>{}</title></head><body>{}</body></html>"


@pytest.mark.parametrize(
    ("page", "tops", "expected"),
    [
        ("The Bytecode Engine", ["1. Executive Summary", "2. Introduction"], "The Bytecode Engine"),
        ("Memory Allocation", ["Overview", "1. Features"], "Memory Allocation"),
        ("The Utility Program", ["1. The Utility Program"], "The Utility Program"),
        ("FTS5", ["IV. Overview"], "FTS5"),
        ("Tides", ["Overview"], "Tides"),
        ("2. Input \u2014 Python documentation", ["2. Input"], "2. Input"),
        ("System Utilities \u2014 Python", ["System Utilities", "Functions", "Process Control"], "System Utilities"),
        ("High water | Harbour office", ["Harbour office", "High water", "Low water"], "High water"),
        ("Harbour office: High water", ["Harbour Office", "High  Water", "Low water"], "High Water"),
        ("Overviews of tides", ["Overview", "Low water"], "Overviews of tides"),
        ("Tide-tables - ACME", ["Tide", "Tables"], "Tide-tables - ACME"),
        ("Statements that there are", ["Statements"], "Statements"),
        ("Document", ["1. Tides", "2. Times"], "1. Tides"),
        ("Untitled", [], "Rest"),
        ("", ["", "Overview", "Overview"], "Overview"),
        ("", ["1.", "Tides"], "Tides"),
    ],
)
def test_title_of_a_page_with_headings_of_its_sections(page: str, tops: list[str], expected: str) -> None:
    body = "".join(f"<h1>{top}</h1><p>Text.</p>" for top in tops) + "<h2>Rest</h2><p>Text.</p>"
    assert title(MDocument.from_html(PAGE.format(page, body))) == expected


def test_the_title_of_a_picture_is_none_of_the_page() -> None:
    text = "<body><svg><title>Menu</title></svg><h1>1. Tides</h1><h1>2. Times</h1></body>"
    assert title(MDocument.from_html(text)) == "1. Tides"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("text", "I\n\nDo titulo.\n\nUma noite destas.", "Do titulo"),
        ("text", "1.\n\nTides rise.", "Tides rise"),
        ("text", "IV", "IV"),
        ("text", "1984\n\nIt was a bright cold day.", "1984"),
        ("markdown", "# I\n\n## 1.2\n\n### Tides\n", "Tides"),
        ("markdown", "# XIV\n\nThe tide rises.\n", "The tide rises"),
        ("markdown", "# MIX\n\nThe tide rises.\n", "MIX"),
        ("markdown", "# Tides { #tides }\n", "Tides"),
        ("latex", "\\section{IV}\\section{Tides}", "Tides"),
        ("text", "\U0001f389\U0001f389 \u2600", "\U0001f389\U0001f389 \u2600"),
        ("text", "\U0001f389 Tides.", "\U0001f389 Tides"),
        ("text", "\U0001f389!\n\nIV", "IV"),
        ("json", '{"id": "a1", "at": "x:y", "body": "The tide rises. It falls."}', "The tide rises"),
        (
            "json",
            '{"id": "a", "text": "\u6c34\u4f4d\u304c\u4e0a\u304c\u308b\u3002"}',
            "\u6c34\u4f4d\u304c\u4e0a\u304c\u308b",
        ),
        ("json", '{"title": "Of one"}\n{"text": "Of another."}', ""),
        ("json", '[{"text": "Of one. More."}]', ""),
        ("json", '{"name": "Of one"}', "Of one"),
        ("json", '{"n": ' + "9" * 5000 + ', "name": "Tides"}', "Tides"),
        ("json", '{"id": 1, "tags": ["a", "b"]}', ""),
        ("json", '{"text": "no end', ""),
        ("json", "[" * 100_000, ""),
    ],
)
def test_title_where_the_first_thing_is_none(kind: str, text: str, expected: str) -> None:
    chunks = extracted(MDocument(text, kind), {"title": True}, strategy="recursive")
    assert chunks[0].metadata == {"document_title": expected}


def test_title_of_front_matter_wins(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: From the front\n---\n# Heading\n\nText.\n")
    assert title(MDocument.from_file(tmp_path / "a.md")) == "From the front"
    (tmp_path / "b.md").write_text("---\nlang: en\n---\nThe text. More.\n")
    assert title(MDocument.from_file(tmp_path / "b.md")) == "The text"


def test_language_tells_where_the_first_sentence_ends() -> None:
    text = "Ver a pág. Doze é a última. Fim."
    assert title(MDocument.from_text(text), language="en") == "Ver a pág"
    assert title(MDocument.from_text("A 3. Auflage ist da. Ende."), language="de") == "A 3. Auflage ist da"


def test_titles_of_several_documents_are_their_own_but_for_parts_of_one() -> None:
    one, two, three, four = (
        MDocument.from_markdown("# One\n\nText."),
        MDocument.from_markdown("...", metadata={"docId": 7}),
        MDocument.from_markdown("# Three\n\nText.", metadata={"doc_id": "7"}),
        MDocument.from_markdown("# Four\n\nText.", metadata={"docId": "7"}),
    )
    cut = [document.chunk(plugins=OURS) for document in (one, two, three, four, MDocument.from_markdown("# One"))]
    extract(cut, {"title": True, "keywords": True}, plugins=OURS)
    titles = [[chunk.metadata["document_title"] for chunk in chunks] for chunks in cut]
    assert titles == [["One"], ["Three"], ["Three"], ["Three"], ["One"]]
    assert cut[3][0].metadata["excerpt_keywords"] == "Text"


@pytest.mark.parametrize("name", [0, "", None, False])
def test_a_name_that_is_none_makes_no_parts(name: Any) -> None:
    texts = ("# One\n\nText.", "# Two\n\nText.")
    cut = [MDocument.from_markdown(text, metadata={"docId": name}).chunk(plugins=OURS) for text in texts]
    extract(cut, {"title": True}, plugins=OURS)
    assert [chunks[0].metadata["document_title"] for chunks in cut] == ["One", "Two"]


# -- keywords -----------------------------------------------------------------------------------------


def test_keywords_of_each_chunk() -> None:
    chunks = extracted(TIDES, {"keywords": {"keywords": 2}}, strategy="markdown", headers=[("##", "h")])
    found = [chunk.metadata["excerpt_keywords"].split(", ") for chunk in chunks]
    assert [len(words) for words in found] == [2, 2, 1]
    assert "tide table" in found[0]
    for chunk, words in zip(chunks, found, strict=True):
        assert all(word in " ".join(chunk.content.split()) for word in words)


def test_how_many_keywords() -> None:
    assert extracted(TIDES, {"keywords": True})[0].metadata["excerpt_keywords"].count(",") == 4
    assert extracted(TIDES, {"keywords": {"keywords": 0}})[0].metadata == {"excerpt_keywords": ""}
    assert extracted(TIDES, {"keywords": {"keywords": 2.0}}) == extracted(TIDES, {"keywords": {"keywords": 2}})
    assert extracted(TIDES, {"keywords": {"keywords": None}}) == extracted(TIDES, {"keywords": {}})


def test_the_language_of_the_document_helps_a_chunk_that_does_not_tell() -> None:
    text = "A maré não é mais alta do que a de ontem, porque já não há vento.\n\nMaré sobre Lisboa"
    chunks = MDocument.from_text(text).chunk(
        "character", separator="\n\n", max_size=70, overlap=0, extract={"keywords": True}
    )
    assert chunks[1].content == "Maré sobre Lisboa"
    assert "sobre" not in chunks[1].metadata["excerpt_keywords"].split(", ")


def test_a_word_that_is_a_stop_word_elsewhere_is_none_in_the_language_of_the_document() -> None:
    """`war` is one in German. The short chunk alone does not tell that it is English."""
    text = "The tide is higher than it was yesterday, because there is no wind.\n\nWar museum"
    options = {"strategy": "character", "separator": "\n\n", "max_size": 70, "overlap": 0}
    chunks = extracted(MDocument.from_text(text), {"keywords": True}, **options)
    assert chunks[1].metadata["excerpt_keywords"] == "War museum"
    (alone,) = extracted(MDocument.from_text("War museum"), {"keywords": True}, **options)
    assert alone.metadata["excerpt_keywords"] == "museum"


# -- summary ------------------------------------------------------------------------------------------

SECTIONS = ["The tide rises in the morning.", "!?", "The tide falls in the evening."]


def summaries(**options: Any) -> list[dict[str, Any]]:
    document = MDocument.from_text("\n\n".join(SECTIONS))
    return extracted(
        document, {"summary": options}, strategy="character", separator="\n\n", max_size=31, overlap=0
    ).metadata


def test_summary_of_itself_is_the_default() -> None:
    assert summaries() == summaries(summaries=["self"]) == summaries(summaries="self")
    assert [found["section_summary"] for found in summaries()] == SECTIONS
    assert [list(found) for found in summaries()] == [["section_summary"]] * 3


def test_summaries_of_neighbours() -> None:
    assert summaries(summaries=["prev", "next"]) == [
        {"next_section_summary": SECTIONS[1]},
        {"prev_section_summary": SECTIONS[0], "next_section_summary": SECTIONS[2]},
        {"prev_section_summary": SECTIONS[1]},
    ]
    assert list(summaries(summaries=("next", "self"))[0]) == ["section_summary", "next_section_summary"]


def test_number_of_sentences() -> None:
    one = extracted(TIDES, {"summary": {"sentences": 1}})[0].metadata["section_summary"]
    two = extracted(TIDES, {"summary": True})[0].metadata["section_summary"]
    assert one.count(".") == 1
    assert two.count(".") == 2
    assert one in two


def test_one_good_summary_is_enough() -> None:
    with pytest.warns(UnusedOptionWarning, match=r"summaries has 'after', which has no effect\. It may have 'self',"):
        found = summaries(summaries=["after", "next"])
    assert found == summaries(summaries=["next"])


# -- options ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"keywords": {"keywords": -1}},
            "extract['keywords']: keywords must be a whole number greater than 0, or 0, got -1.",
        ),
        (
            {"keywords": {"keywords": "5"}},
            "extract['keywords']: keywords must be a whole number greater than 0, or 0, got '5'.",
        ),
        (
            {"keywords": {"keywords": True}},
            "extract['keywords']: keywords must be a whole number greater than 0, or 0, got True.",
        ),
        (
            {"summary": {"sentences": -(10**5000)}},
            "extract['summary']: sentences must be a whole number greater than 0, got int that is too long to write.",
        ),
        ({"summary": {"sentences": 0}}, "extract['summary']: sentences must be a whole number greater than 0, got 0."),
        (
            {"summary": {"summaries": ["bad"]}},
            "extract['summary']: summaries must be a list of 'self', 'prev', 'next', got ['bad'].",
        ),
        (
            {"summary": {"summaries": []}},
            "extract['summary']: summaries must be a list of 'self', 'prev', 'next', got [].",
        ),
        (
            {"summary": {"summaries": 3}},
            "extract['summary']: summaries must be a list of 'self', 'prev', 'next', got 3.",
        ),
        (
            {"title": {"language": "xx"}},
            "extract['title']: language must be one of 'en', 'pt', 'es', 'fr', 'de', 'it', or 'any' for all of them, "
            "got 'xx'.",
        ),
        (
            {"keywords": {"keyword": 3}},
            "extract['keywords'] has no option 'keyword'. Did you mean 'keywords'? offline takes keywords, language.",
        ),
        (
            {"title": {"node_template": "T"}},
            "extract['title'] has no option 'node_template'. offline takes language. "
            "Those of a language model come with pip install cantle-llm.",
        ),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(fields: dict[str, Any], message: str) -> None:
    for call in (lambda: MDocument("").chunk(extract=fields, plugins=OURS), lambda: extracted(TIDES, fields)):
        with pytest.raises(OptionError) as caught:
            call()
        assert str(caught.value) == message


@pytest.mark.parametrize("field", ["questions", "schema"])
def test_what_takes_a_model_says_what_to_install(field: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        extracted(TIDES, {field: True})
    assert str(caught.value) == (
        f"The field {field!r} takes a language model, and so the plugin cantle-llm: pip install cantle-llm."
    )


def test_a_model_that_is_asked_for_by_name() -> None:
    with pytest.raises(ExtractionError) as caught:
        extracted(TIDES, {"title": {"by": "llm"}})
    assert str(caught.value) == (
        "extract['title']: by='llm' does not provide this field. Its providers: offline. "
        "Install it: pip install cantle-llm."
    )
    assert extracted(TIDES, {"title": {"by": "offline"}}) == extracted(TIDES, {"title": True})


# -- any document -------------------------------------------------------------------------------------

ALL = {"summary": {"summaries": ["self", "prev", "next"]}, "keywords": True, "title": True}


@given(texts(), st.sampled_from(["text", "markdown", "html", "latex", "pdf"]))
def test_any_document(text: str, kind: str) -> None:
    chunks = MDocument(text, kind).chunk(extract=ALL, plugins=OURS)
    for chunk in chunks:
        assert isinstance(chunk.metadata["excerpt_keywords"], str)
        found = chunk.metadata["document_title"]
        assert len(found) <= 100
        assert found == " ".join(found.split())
        assert chunk.metadata.get("section_summary") != ""
    assert chunks == MDocument(text, kind).chunk(extract=ALL, plugins=OURS)


def test_an_empty_document() -> None:
    assert list(MDocument("").chunk(extract=ALL, plugins=OURS)) == []


def test_achunk_gives_the_same() -> None:
    document = MDocument.from_markdown(TIDES)
    found = asyncio.run(document.achunk(extract=ALL, plugins=OURS))
    assert found == document.chunk(extract=ALL, plugins=OURS)


# -- the command line ---------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command in a directory with one document, without installed plugins."""
    (tmp_path / "tides.md").write_text(TIDES, "utf-8")

    def cantle(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cantle", *arguments],
            cwd=tmp_path,
            env={**os.environ, "CANTLE_PLUGINS": "off"},
            capture_output=True,
            encoding="utf-8",
        )

    return cantle


def test_extract_on_the_command_line(run: Any) -> None:
    fields = '{"keywords": {"keywords": 1}, "title": true}'
    result = run("chunk", "tides.md", "-f", "jsonl", "-O", f"extract={fields}")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout.splitlines()[0])["metadata"] == {
        "excerpt_keywords": "tide table",
        "document_title": "Reading a tide table",
    }


def test_wrong_options_on_the_command_line_are_a_wrong_usage(run: Any) -> None:
    for options in ('"title": {"nodeTemplate": "T"}', '"keywords": {"keywords": -1}'):
        result = run("chunk", "tides.md", "-O", f"extract={{{options}}}")
        assert (result.returncode, result.stdout) == (2, "")
        assert "node_template" in result.stderr or "got -1" in result.stderr


def test_plugins_are_listed(run: Any) -> None:
    assert "  offline             extractors title, keywords, summary\n" in run("plugins").stdout
