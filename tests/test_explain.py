"""`explain=True`: every chunk of every built-in strategy says why it ends where it does."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import Chunk, Chunks, Cut, MDocument, Registry, Sized, Source, hookimpl
from cantle.errors import CantleError, CantleWarning
from cantle.plugins import BUILTIN
from cantle.testing import html_documents, json_documents, latex_documents, markdown_documents, texts

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"
OURS = Registry({name.rpartition(".")[2]: name for name in BUILTIN})

SIZED: list[dict[str, Any]] = [
    {"max_size": 100},
    {"max_size": 100, "overlap": 30},
    {"max_size": (60, 150)},
    {"max_size": 20, "overlap": 5, "length_function": "cl100k_base"},
    {"max_size": 100, "strip_whitespace": False},
    {"max_size": 3},
]
POSITIONS: list[dict[str, Any]] = [
    {"max_size": 80, "separator_position": "start"},
    {"max_size": 80, "separator_position": "end"},
]
HEADERS = [("#", "one"), ("##", "two")]
TITLES = [("h1", "one"), ("h2", "two")]

MODES: dict[str, list[dict[str, Any]]] = {
    "recursive": [
        *SIZED,
        *POSITIONS,
        {"max_size": 80, "separators": [r"\n+", r"\s"], "is_separator_regex": True},
        {"max_size": 80, "language": "markdown"},
        {"max_size": 80, "language": "python"},
    ],
    "character": [
        *SIZED,
        *POSITIONS,
        {"max_size": 80, "separator": " "},
        {"max_size": 80, "separator": ""},
        {"max_size": 80, "separator": r"\s", "is_separator_regex": True},
        {"max_size": 12, "separators": ["\n\n", " "]},
        {"max_size": 3, "separators": ["\n", ", ", ""]},
    ],
    "token": [{"max_size": 20}, {"max_size": 20, "overlap": 5}, {"max_size": 20, "strip_whitespace": False}],
    "sentence": [
        {"max_size": 100},
        {"max_size": 100, "overlap": 40, "language": "any"},
        {"max_size": (60, 150)},
        {"max_size": 25},
        {"max_size": 12, "fallback_to_words": False},
        {"max_size": 5, "fallback_to_characters": False},
    ],
    "markdown": [
        *SIZED,
        *POSITIONS,
        {"max_size": 80, "repeat_table_header": True},
        {"headers": HEADERS},
        {"headers": HEADERS, "max_size": 80, "overlap": 10},
        {"headers": HEADERS, "max_size": 80, "repeat_table_header": True},
        {"headers": HEADERS, "strip_headers": False, "setext_headers": True, "max_size": 40},
        {"headers": HEADERS, "return_each_line": True},
        {"headers": HEADERS, "return_each_line": True, "max_size": 20},
    ],
    "html": [
        *SIZED,
        {"headers": TITLES},
        {"headers": TITLES, "max_size": 60, "overlap": 10},
        {"sections": TITLES},
        {"sections": TITLES, "max_size": 60},
    ],
    "json": [
        {"max_size": 100},
        {"max_size": 30},
        {"max_size": (50, 150)},
        {"max_size": 100, "overlap": 30},
        {"max_size": 100, "convert_lists": True},
        {"max_size": 100, "ensure_ascii": True},
    ],
    "latex": [*SIZED, *POSITIONS],
    "semantic-markdown": [{}, {"join_threshold": 20}, {"max_size": 60}, {"max_size": (30, 80), "overlap": 10}],
    "structural-context": [
        {"max_size": 100},
        {"max_size": 100, "overlap": 40},
        {"max_size": (60, 150)},
        {"max_size": 20, "length_function": "cl100k_base"},
        {"max_size": 100, "prepend_heading": False, "split_on_headings": False},
        {"max_size": 100, "heading_path": False, "min_chunk_size": 0, "normalize_whitespace": True},
        {"max_size": 8},
        {"max_size": 60, "min_chunk_size": 0},
    ],
}
KINDS = {"json": ["json"], "html": ["html"]}
"""The kinds of documents that a strategy is for; all for those that take any text."""
DOCUMENTS = {"text": texts, "markdown": markdown_documents, "html": html_documents, "latex": latex_documents}
"""What makes documents of a kind."""


def cases() -> Iterator[Any]:
    for name, modes in MODES.items():
        for kind in KINDS.get(name, ["text", "markdown", "html", "latex", "pdf"]):
            for options in modes:
                yield pytest.param(name, kind, options, id=f"{name}-{kind}-{options}")


def plain(chunks: Chunks) -> list[dict[str, Any]]:
    return [{**chunk.to_dict(), "cut": None} for chunk in chunks]


def check(document: MDocument, name: str, options: dict[str, Any]) -> Chunks:
    """Everything that holds for the reasons of a document's chunks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CantleWarning)  # options that have no effect together
        without = document.chunk(name, plugins=OURS, **options)
        chunks = document.chunk(name, plugins=OURS, explain=True, **options)
    assert plain(chunks) == plain(without)
    assert chunks.dropped == without.dropped
    assert all(chunk.cut is None for chunk in without)
    kinds = known()[name]
    for chunk in chunks:
        cut = chunk.cut
        assert isinstance(cut, Cut), chunk
        assert cut.kind in kinds, f"{name} gives {cut.kind!r}, which docs/metadata.md does not list"
        assert cut.level >= 0
        assert isinstance(cut.detail, str)
    assert ["end"] * bool(len(chunks)) == [c.cut.kind for c in chunks if c.cut and c.cut.kind == "end"]
    if len(chunks):
        assert chunks[-1].cut == Cut("end", 0)
    return chunks


def known() -> dict[str, set[str]]:
    """The kinds of each strategy, from the table in the documentation."""
    page = (ROOT / "docs" / "metadata.md").read_text(encoding="utf-8")
    table = page[page.index("(reasons)=") :].split("\n\n| strategy |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|(.*)\|$", table, re.MULTILINE)
    given = {"end", "characters"}
    return {name: given | set(re.findall(r"`([\w-]+)`", kinds)) for name, kinds in rows if name in MODES}


def test_all_strategies_are_tested_and_documented() -> None:
    assert set(MODES) == set(OURS.strategies()) == set(known())
    for name, strategy in OURS.strategies().items():
        assert "explain" not in getattr(strategy, "unused", ()), name


EXAMPLE = {
    "text": (EXAMPLES / "lighthouse.txt").read_text(encoding="utf-8"),
    "markdown": "".join(
        (EXAMPLES / f"{n}.md").read_text(encoding="utf-8") + "\n" for n in ("harbour-guide", "tide-tables")
    ),
    "html": (EXAMPLES / "ferry.html").read_text(encoding="utf-8"),
    "latex": (EXAMPLES / "tides.tex").read_text(encoding="utf-8"),
    "json": (EXAMPLES / "stations.json").read_text(encoding="utf-8"),
}
EXAMPLE["pdf"] = EXAMPLE["text"].replace("\n\n", "\f")


@pytest.mark.parametrize(("name", "kind", "options"), list(cases()))
def test_every_chunk_of_the_examples_has_a_reason(name: str, kind: str, options: dict[str, Any]) -> None:
    assert len(check(MDocument(EXAMPLE[kind], kind), name, options)) > 0


@pytest.mark.parametrize("name", MODES)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_chunk_of_any_text_has_a_reason(name: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(KINDS.get(name, list(DOCUMENTS))))
    text = data.draw(json_documents() if kind == "json" else DOCUMENTS[kind]())
    options = data.draw(st.sampled_from(MODES[name]))
    ends = ["", "\n", " \n\n"] if kind == "json" else ["", "\n", " \n\n", "\ufeff"]
    check(MDocument(text + data.draw(st.sampled_from(ends)), kind), name, options)


@pytest.mark.parametrize("name", MODES)
def test_front_matter_and_rewritten_texts_have_reasons_too(name: str, tmp_path: Path) -> None:
    kind = KINDS.get(name, ["markdown"])[0]
    suffix = {"markdown": "md"}.get(kind, kind)
    path = tmp_path / f"a.{suffix}"
    path.write_text(("---\na: b\n---\n" if kind == "markdown" else "") + EXAMPLE[kind], encoding="utf-8")
    check(MDocument.from_file(path), name, MODES[name][0])


def test_all_kinds_in_the_table_are_given_by_some_document() -> None:
    """The table lists nothing that no strategy says."""
    given: dict[str, set[str]] = {name: {"end", "characters"} for name in MODES}
    more = (
        "# A\n\n"
        + "| a | b |\n|---|---|\n"
        + "| one | two |\n" * 20
        + "\n- item one\n- item two\n\n" * 5
        + "```\na\n\nb\n```\n" * 9
    )
    long = "x" * 300 + " word. Sentence two! " * 9
    nested = json.dumps({"a": [{"b": long}, list(range(50))], "c": {"d": "e" * 90}})
    for name, modes in MODES.items():
        for kind in KINDS.get(name, ["text", "markdown", "html", "latex"]):
            for text in (
                EXAMPLE[kind],
                more + long if kind != "json" else nested,
                long if kind != "json" else "[1, 2]",
            ):
                for options in modes:
                    given[name] |= {c.cut.kind for c in check(MDocument(text, kind), name, options) if c.cut}
    for name, kinds in known().items():
        assert given[name] | {"end", "characters"} == kinds, name


# -- what stands at a cut ----------------------------------------------------------------------------

TABLE = "| aaa | bbb |\n|-----|-----|\n" + "| 1111 | 2222 |\n" * 6
PLACES: list[Any] = [
    pytest.param(
        "markdown",
        "structural-context",
        "# A\n\n" + "".join(f"- item number {i}\n" for i in range(4)) + "\nFirst paragraph.\n\nSecond paragraph.\n",
        {"max_size": 20, "min_chunk_size": 0, "prepend_heading": False},
        [*[("item", "")] * 3, ("separator", "\n\n"), ("separator", "\n\n")],
        id="blank lines are no items",
    ),
    pytest.param(
        "markdown",
        "structural-context",
        "Some words are here. And more of them. The table says it:\n\n" + TABLE,
        {"max_size": 90, "min_chunk_size": 0},
        [("sentence", ""), ("row", ""), ("row", "")],
        id="a sentence that leads a table in is no block",
    ),
    pytest.param(
        "markdown",
        "structural-context",
        "Some words are here, and more of them\n\nThe table says it:\n\n" + TABLE,
        {"max_size": 90, "min_chunk_size": 0},
        [("separator", "\n\n"), ("row", ""), ("row", "")],
        id="a paragraph that leads a table in stands behind a blank line",
    ),
    pytest.param(
        "markdown",
        "structural-context",
        TABLE + "\nPlain text behind the table.\n",
        {"max_size": 80},
        [("row", ""), ("block", "")],
        id="behind a table ends a block",
    ),
    pytest.param(
        "markdown",
        "structural-context",
        "```\n" + "call(1, 2)\n" * 6 + "```\n\nPlain text behind the code.\n",
        {"max_size": 50},
        [("row", ""), ("block", "")],
        id="behind code ends a block",
    ),
    pytest.param(
        "markdown",
        "markdown",
        "Words before the table.\n\n" + TABLE + "\nWords.\n\n" + TABLE + "\n# H\n\nPlain.\n",
        {"max_size": 90, "repeat_table_header": True},
        [("block", ""), ("row", ""), ("block", ""), ("block", ""), ("row", ""), ("heading", "")],
        id="a table of markdown begins and ends as a block",
    ),
    pytest.param(
        "latex",
        "structural-context",
        "\\documentclass{a}\n\\begin{document}\nHello there.\n\\section{A}\nText is here.\n\\end{document}\n",
        {"max_size": 60, "min_chunk_size": 0},
        [("preamble", ""), ("heading", "")],
        id="a preamble ends before no heading",
    ),
    pytest.param(
        "text",
        "structural-context",
        "As follows:\n- a thing here\n- another thing",
        {"max_size": 30, "min_chunk_size": 0},
        [("item", "")],
        id="an item of plain text is no sentence",
    ),
    pytest.param(
        "text",
        "character",
        "aaa bb\n\nccc dddddddd ee\n\nff",
        {"max_size": 5, "separators": ["\n\n", " "]},
        [
            ("separator", " "),
            ("separator", "\n\n"),
            ("separator", " "),
            ("window", ""),
            ("separator", " "),
            ("separator", "\n\n"),
        ],
        id="a piece of character ends at the separator that stands there",
    ),
    pytest.param(
        "text", "character", "abc", {"max_size": 2, "separator": ""}, [("separator", "")] * 2, id="the empty separator"
    ),
    pytest.param(
        "text",
        "sentence",
        "One two three four. Five six.",
        {"max_size": 12},
        [("word", ""), ("sentence", "")],
        id="the rest of a long sentence ends with it",
    ),
    pytest.param(
        "json",
        "json",
        '{"a":["one two three four",12345678901234567],"b":"' + "x" * 30 + '"}',
        {"max_size": 20},
        [("string", " "), ("value", ""), ("value", ""), *[("string", "")] * 2],
        id="a string of JSON is cut inside, a number is whole",
    ),
]


@pytest.mark.parametrize(("kind", "name", "text", "options", "expected"), PLACES)
def test_the_reason_is_what_stands_there(
    kind: str, name: str, text: str, options: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = check(MDocument(text, kind), name, options if name == "json" else {"overlap": 0, **options})
    assert [(chunk.cut.kind, chunk.cut.detail) for chunk in found if chunk.cut] == [*expected, ("end", "")]


# -- what is written ----------------------------------------------------------------------------------


def test_the_reason_is_in_dictionaries_and_tables() -> None:
    pytest.importorskip("pyarrow")
    chunks = MDocument.from_text("One two. Three four. Five.").chunk("recursive", max_size=10, overlap=0, explain=True)
    expected = [{"kind": c.cut.kind, "level": c.cut.level, "detail": c.cut.detail} for c in chunks if c.cut]
    assert len(expected) == len(chunks) > 1
    assert [record["cut"] for record in chunks.to_dicts()] == expected
    assert [json.loads(line)["cut"] for line in chunks.to_jsonl().splitlines()] == expected
    cuts = chunks.to_arrow().column("cut").to_pylist()
    assert [json.loads(cut) for cut in cuts] == expected


# -- strategies of plugins ----------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Silent(Sized):
    """Gives no reasons, and says so."""

    name: ClassVar[str] = "silent"
    unused: ClassVar[tuple[str, ...]] = ("explain", "separator_position")

    def split(self, source: Source) -> Iterator[Chunk]:
        yield Chunk(source.text, 0, len(source.text))


@dataclass(frozen=True, kw_only=True)
class Telling(Silent):
    """Gives reasons of its own."""

    name: ClassVar[str] = "telling"
    unused: ClassVar[tuple[str, ...]] = ("separator_position",)

    def split(self, source: Source) -> Iterator[Chunk]:
        half = len(source.text) // 2
        for start, end in ((0, half), (half, len(source.text))):
            yield Chunk(source.text[start:end], start, end, cut=Cut("half", 0, "my own") if self.explain else None)


class Plugin:
    @hookimpl
    def register_strategies(self) -> list[type]:
        return [Silent, Telling]


def test_a_strategy_that_lists_explain_as_unused_warns() -> None:
    host = Registry({"test": Plugin()})
    with pytest.warns(CantleWarning, match="explain has no effect"):
        chunks = MDocument.from_text("ab").chunk("silent", plugins=host, explain=True)
    assert chunks[0].cut is None


def test_a_strategy_of_a_plugin_gives_its_own_words() -> None:
    host = Registry({"test": Plugin()})
    chunks = MDocument.from_text("abcd").chunk("telling", plugins=host, explain=True)
    assert [chunk.cut for chunk in chunks] == [Cut("half", 0, "my own"), Cut("end", 0)]
    assert [chunk.cut for chunk in MDocument.from_text("abcd").chunk("telling", plugins=host)] == [None, None]


def test_explain_must_be_a_boolean() -> None:
    with pytest.raises(CantleError, match="explain must be"):
        MDocument.from_text("a").chunk("recursive", explain="yes")
