"""The strategy `markdown`: cuts at headings and around what belongs together; sections by `headers`."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.blocks.markdown import outline
from cantle.errors import OptionError, UnusedOptionWarning
from cantle.lengths import resolve
from cantle.strategies.markdown import Markdown
from cantle.testing import check_document, hostile_documents, markdown_documents, texts

HEADERS = [("#", "title"), ("##", "section"), ("###", "topic")]
GUIDE = """\
Intro line.

# Guide

Text of the guide.

## Setup

Install it first.

```sh
# no heading

run --fast
```

Sub title
---------

More of it.

# Appendix ##

| a | b |
|---|---|
| 1 | 2 |
"""


def chunks(text: str, **options: Any) -> list[Any]:
    return list(MDocument.from_markdown(text).chunk("markdown", **options))


def cut(text: str, **options: Any) -> list[str]:
    return [chunk.text for chunk in chunks(text, **options)]


def told(text: str, **options: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(chunk.text, chunk.metadata) for chunk in chunks(text, **options)]


# --- without headers ------------------------------------------------------------------------------


def test_it_is_the_default_for_markdown() -> None:
    document = MDocument.from_markdown(GUIDE)
    assert document.chunk(max_size=60, overlap=0) == document.chunk("markdown", max_size=60, overlap=0)


def test_sections_are_joined_up_to_the_limit() -> None:
    assert cut("# A\n\naa\n\n## B\n\nbb\n\n# C\n\ncc", max_size=20, overlap=0) == [
        "# A\n\naa\n\n## B\n\nbb",
        "# C\n\ncc",
    ]


def test_a_fence_is_not_cut_while_it_fits() -> None:
    fence = "```sh\n# no heading\n\nrun --fast\n```"
    found = cut(GUIDE, max_size=len(fence), overlap=0)
    assert fence in found
    assert all(len(text) <= len(fence) for text in found)


@pytest.mark.parametrize(
    "block",
    [
        "$$\na = b\n\\tag{1}\n$$", "<!-- one\n\ntwo\nthree -->", "~~~\n\n\n\nx\n~~~", "- a\n\n  ```\n  b\n\n  c\n  ```",
        "> ```\n> b\n>\n> c\n> ```",
    ],
)  # fmt: skip
def test_what_belongs_together_stays_together(block: str) -> None:
    before, after = "Some words before it. " * 3, "And some more words. " * 3
    found = cut(f"{before}\n\n{block}\n\n{after}", max_size=len(block) + 8, overlap=0)
    inner = block[block.index("```") :] if "```" in block else block
    assert any(inner in text for text in found)


def test_front_matter_stays_together_and_is_no_heading() -> None:
    found = chunks("---\ntitle: x\nnames: [a, b]\n---\n\n# A\n\nbody of it", max_size=34, overlap=0)
    assert [chunk.text for chunk in found] == ["---\ntitle: x\nnames: [a, b]\n---", "# A\n\nbody of it"]
    assert [chunk.path for chunk in found] == [(), ("A",)]


def test_paths() -> None:
    found = chunks(GUIDE, max_size=36, overlap=0)
    paths = {chunk.text.split("\n")[0]: chunk.path for chunk in found}
    assert paths["Intro line."] == ()
    assert paths["# Guide"] == ("Guide",)
    assert paths["## Setup"] == ("Guide", "Setup")
    assert paths["```sh"] == ("Guide", "Setup")
    assert paths["Sub title"] == ("Guide", "Sub title")
    assert paths["# Appendix ##"] == ("Appendix",)


def test_a_bom_before_the_first_heading() -> None:
    (found,) = chunks("\ufeff# A\n\nb")
    assert (found.text, found.path) == ("# A\n\nb", ("A",))
    assert cut("\ufeff# A\n\nb", strip_whitespace=False, max_size=4, overlap=0) == ["\ufeff# A", "b"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    text = "# A\n\none\ntwo\n\nthree\nfour\n\n```\nx\n\ny\n```\n\n# B\n\nz".replace("\n", end)
    found = cut(text, max_size=17, overlap=0)
    expected = ["# A\n\none\ntwo", "three\nfour", "```\nx\n\ny\n```", "# B\n\nz"]
    assert found == [piece.replace("\n", end) for piece in expected]


SIZES = st.one_of(st.integers(1, 60), st.tuples(st.integers(1, 10), st.integers(10, 60)))


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(texts(), SIZES, st.integers(0, 9), st.sampled_from(["characters", "cl100k_base", "words"]), st.booleans())
def test_text_without_marks_is_cut_as_by_recursive(text: str, size: Any, overlap: int, unit: str, strip: bool) -> None:
    text = text.replace("\r", " ")
    limit = size[1] if isinstance(size, tuple) else size
    if outline(text) or overlap >= limit:
        return
    options = {
        "max_size": size,
        "overlap": overlap,
        "length_function": unit,
        "strip_whitespace": strip,
        "explain": True,
    }
    document = MDocument(text)
    assert list(document.chunk("markdown", **options)) == list(document.chunk("recursive", **options))


@pytest.mark.parametrize("position", ["start", "end"])
@pytest.mark.parametrize("overlap", [0, 12])
def test_with_a_position_it_is_recursive(position: str, overlap: int) -> None:
    options = {"max_size": 40, "overlap": overlap, "separator_position": position}
    document = MDocument.from_markdown(GUIDE)
    assert (
        document.chunk("markdown", **options).spans == document.chunk("recursive", language="markdown", **options).spans
    )


def test_explained() -> None:
    found = chunks("# A\n\none two\n\n# B\n\nz", max_size=9, overlap=0, explain=True)
    assert [(chunk.text, chunk.cut.kind, chunk.cut.level) for chunk in found] == [
        ("# A", "separator", 1), ("one two", "heading", 0), ("# B\n\nz", "end", 0),
    ]  # fmt: skip


# --- a table's header -----------------------------------------------------------------------------

TABLE = "# T\n\n| key | value |\n|-----|-------|\n" + "".join(f"| k{i} | value {i} |\n" for i in range(9)) + "\nafter\n"
HEAD = "| key | value |\n|-----|-------|\n"


@pytest.mark.parametrize(("unit", "size"), [("characters", 70), ("cl100k_base", 32), ("words", 24), (len, 70)])
def test_a_header_is_repeated(unit: Any, size: int) -> None:
    found = chunks(TABLE, max_size=size, overlap=0, length_function=unit, repeat_table_header=True)
    table = [chunk for chunk in found if "| k" in chunk.text]
    assert len(table) > 2
    for chunk in table:
        assert chunk.text.startswith(HEAD)
        assert resolve(unit)(chunk.text) <= size
        assert chunk.path == ("T",)
        assert chunk.overlap == 0
    assert table[0].spans is None
    for chunk in table[1:]:
        head, rows = chunk.spans
        assert TABLE[slice(*head)] == HEAD
        assert TABLE[chunk.start : chunk.end] == TABLE[slice(*rows)] == chunk.text.removeprefix(HEAD)
    assert "".join(chunk.text.removeprefix(HEAD) + "\n" for chunk in table) == TABLE[len("# T\n\n") + len(HEAD) :][:-7]


def test_a_header_of_more_than_half_the_limit_is_not_repeated() -> None:
    found = chunks(TABLE, max_size=2 * len(HEAD) - 2, overlap=0, repeat_table_header=True)
    assert sum(chunk.text.startswith(HEAD) for chunk in found) == 1
    assert all(chunk.exact for chunk in found)


def test_a_row_that_is_too_long_stands_alone() -> None:
    text = f"| a |\n|---|\n| 1 |\n| {'word ' * 12}|\n| 2 |\n| 3 |\n"
    found = cut(text, max_size=40, overlap=0, repeat_table_header=True)
    assert found[0] == "| a |\n|---|\n| 1 |"
    assert found[-1] == "| a |\n|---|\n| 2 |\n| 3 |"
    assert all("|---|" not in piece for piece in found[1:-1])


def test_a_table_that_fits_is_left_alone() -> None:
    assert cut(TABLE, repeat_table_header=True) == cut(TABLE)


def test_headers_are_repeated_with_sections_too() -> None:
    found = chunks(TABLE, headers=[("#", "t")], max_size=70, overlap=0, repeat_table_header=True)
    assert all(chunk.text.startswith(HEAD) for chunk in found if "| k" in chunk.text)
    assert all(chunk.metadata == {"t": "T"} and chunk.path == ("T",) for chunk in found)


# --- with headers ---------------------------------------------------------------------------------


def test_sections() -> None:
    assert told(GUIDE, headers=HEADERS) == [
        ("Intro line.", {}),
        ("Text of the guide.", {"title": "Guide"}),
        (GUIDE[GUIDE.index("Install") : GUIDE.index("\n\n# App")], {"title": "Guide", "section": "Setup"}),
        ("| a | b |\n|---|---|\n| 1 | 2 |", {"title": "Appendix ##"}),
    ]


def test_what_is_left_out_is_declared() -> None:
    found = MDocument.from_markdown(GUIDE).chunk("markdown", headers=HEADERS)
    assert [(GUIDE[a:b], reason) for a, b, reason in found.dropped] == [
        (line, "heading-in-metadata") for line in ("# Guide", "## Setup", "# Appendix ##")
    ]
    assert [chunk.path for chunk in found] == [(), ("Guide",), ("Guide", "Setup"), ("Appendix",)]


def test_underlined_headings_when_asked_for() -> None:
    found = told(GUIDE, headers=HEADERS, setext_headers=True)
    assert ("More of it.", {"title": "Guide", "section": "Sub title"}) in found
    assert all("-----" not in text for text, _ in found)


@pytest.mark.parametrize(
    "text", ["```\n# A\n```", "- a\n  # A", "> # A", "<div>\n# A\n</div>", "    # A", "<!--\n# A\n-->", "$$\n# A\n$$"]
)
def test_no_headings(text: str) -> None:
    assert [metadata for _, metadata in told(f"x\n\n{text}\n\ny", headers=HEADERS)] == [{}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Only", [("# Only", {"title": "Only"})]),
        ("# A\n## B\nx", [("x", {"title": "A", "section": "B"})]),
        ("# A\n\n## E\n\n## F\n\nx", [("## E", {"title": "A", "section": "E"}), ("x", {"title": "A", "section": "F"})]),
        ("# A\n# B\nx", [("# A", {"title": "A"}), ("x", {"title": "B"})]),
        ("x\n## E", [("x", {}), ("## E", {"section": "E"})]),
        ("# A\n# A\n", [("# A", {"title": "A"}), ("# A", {"title": "A"})]),
        ("#\n\n# B", [("#", {"title": ""}), ("# B", {"title": "B"})]),
    ],
)
def test_a_title_that_would_be_nowhere_is_a_chunk(text: str, expected: list[Any]) -> None:
    assert told(text, headers=HEADERS) == expected


def test_two_marks_with_one_key() -> None:
    assert told("# A\n## B\nx", headers=[("#", "t"), ("##", "t")]) == [("# A", {"t": "A"}), ("x", {"t": "B"})]


def test_parts_are_not_joined_over_a_heading_that_is_left_out() -> None:
    assert told("# A\nx\n# A\ny", headers=HEADERS) == [("x", {"title": "A"}), ("y", {"title": "A"})]


def test_headings_in_the_text() -> None:
    text = "# A\n## B\nx\n\ny\n# C\nz\n"
    assert told(text, headers=HEADERS, strip_headers=False) == [
        ("# A\n## B\nx\n\ny", {"title": "A", "section": "B"}),
        ("# C\nz", {"title": "C"}),
    ]


def test_each_line() -> None:
    assert told("# A\n\na\n\n```\nb\n```\n| c |\n", headers=HEADERS, return_each_line=True) == [
        (line, {"title": "A"}) for line in ("a", "```", "b", "```", "| c |")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_line_and_section_with_any_line_end(end: str) -> None:
    text = "# A\n\nx\ny\n\n## B\n\nz\n".replace("\n", end)
    first, second = {"title": "A"}, {"title": "A", "section": "B"}
    assert told(text, headers=HEADERS) == [(f"x{end}y", first), ("z", second)]
    assert told(text, headers=HEADERS, return_each_line=True) == [("x", first), ("y", first), ("z", second)]


def test_words_as_marks() -> None:
    text = "Chapter One\nfoo\n```\nChapter no\n```\nChapters\nChapter Two\nbar\n# A\nbaz"
    assert told(text, headers=[("Chapter", "chapter"), ("#", "title")]) == [
        ("foo\n```\nChapter no\n```\nChapters", {"chapter": "One"}),
        ("bar", {"chapter": "Two"}),
        ("baz", {"chapter": "Two", "title": "A"}),
    ]


def test_words_are_of_one_level_above_the_hashes() -> None:
    text = "Chapter I\na\n# A\nb\nSection 1\nc\n# B\nd\nChapter II\ne\n"
    headers = [("Chapter", "c"), ("Section", "s"), ("#", "t")]
    assert told(text, headers=headers) == [
        ("a", {"c": "I"}),
        ("b", {"c": "I", "t": "A"}),
        ("c", {"s": "1"}),
        ("d", {"s": "1", "t": "B"}),
        ("e", {"c": "II"}),
    ]
    assert [c.path for c in chunks(text, headers=headers)] == [("I",), ("I", "A"), ("1",), ("1", "B"), ("II",)]


def test_no_headers_listed() -> None:
    assert cut(GUIDE, headers=[]) == [GUIDE.strip()]


def test_sections_within_a_limit() -> None:
    body = "\n\n".join(f"Paragraph {i} with some words in it." for i in range(6))
    text = f"# {'A long heading that goes on ' * 5}\n\n{body}\n\n## B\n\nend"
    found = chunks(text, headers=HEADERS, max_size=60, overlap=15)
    assert all(len(chunk.text) <= 60 for chunk in found)
    assert {chunk.metadata["title"] for chunk in found} == {("A long heading that goes on " * 5).strip()}
    assert found[-1].metadata["section"] == "B"
    assert all(f"Paragraph {i} with" in " ".join(chunk.text for chunk in found) for i in range(6))
    assert found[-1].overlap == 0


def test_no_limit_of_its_own_with_headers() -> None:
    assert len(cut("word " * 2000, headers=HEADERS)) == 1
    assert max(map(len, cut("word " * 2000))) <= 4000


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("headers", ["#", [("#",)], [("#", "a", "b")], ["##"], [("#", 1)], {"#": "a"}, [("", "a")]])
def test_headers_are_pairs(headers: Any) -> None:
    with pytest.raises(OptionError, match=r"headers must be a list of pairs of strings such as \[\('#', 'title'\)\]"):
        Markdown(headers=headers)


@pytest.mark.parametrize("name", ["return_each_line", "strip_headers", "setext_headers", "repeat_table_header"])
def test_switches(name: str) -> None:
    with pytest.raises(OptionError, match=name):
        Markdown(headers=[], **{name: "yes"})


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"return_each_line": True}, "return_each_line"),
        ({"strip_headers": False}, "strip_headers"),
        ({"setext_headers": True}, "setext_headers"),
        ({"headers": [], "overlap": 3}, "overlap"),
        ({"headers": [], "length_function": "words"}, "length_function"),
        ({"headers": [], "separator_position": "end"}, "separator_position"),
        ({"headers": [], "max_size": 50, "separator_position": "end"}, "separator_position"),
        ({"headers": [], "repeat_table_header": True}, "repeat_table_header"),
        ({"separator_position": "end", "repeat_table_header": True}, "repeat_table_header"),
    ],
)
def test_options_that_cannot_act_warn(options: dict[str, Any], name: str) -> None:
    with pytest.warns(UnusedOptionWarning, match=f"{name} has no effect"):
        Markdown(**options)


def test_options_that_act_do_not_warn() -> None:
    Markdown(headers=[], max_size=50, overlap=3, length_function="words", repeat_table_header=True)
    Markdown(max_size=50, overlap=3, separator_position="start")


def test_it_pickles() -> None:
    strategy = Markdown(headers=[["#", "t"]], max_size=40)
    assert pickle.loads(pickle.dumps(strategy)) == strategy
    assert strategy.headers == (("#", "t"),)


# --- the contract ---------------------------------------------------------------------------------

VARIANTS: list[dict[str, Any]] = [
    {"headers": HEADERS},
    {"headers": HEADERS, "strip_headers": False, "strip_whitespace": False, "explain": True},
    {"headers": HEADERS, "return_each_line": True, "setext_headers": True},
    {"headers": [("Chapter", "c"), ("*", "x"), ("##", "s")]},
    {"headers": [("#", "t"), ("##", "t")], "max_size": 30, "overlap": 10, "repeat_table_header": True},
    {"headers": HEADERS, "max_size": (10, 40), "return_each_line": True, "explain": True},
    {"max_size": 40, "overlap": 10, "repeat_table_header": True, "explain": True},
    {"max_size": 12, "overlap": 3, "repeat_table_header": True, "length_function": "cl100k_base"},
    {"max_size": 25, "repeat_table_header": True, "strip_whitespace": False},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_contract_on_hostile_documents(options: dict[str, Any]) -> None:
    for document in hostile_documents():
        check_document("markdown", document, points=[1, 2, 3, 4, 5, 6, 9], **options)


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(st.one_of(markdown_documents(), markdown_documents(), texts()), st.sampled_from(VARIANTS))
def test_the_contract_on_made_documents(text: str, options: dict[str, Any]) -> None:
    check_document("markdown", MDocument.from_markdown(text), points=[1, 2, 3, 4, 5, 6, 9], **options)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_paragraphs_go_before_lines_whatever_the_line_ends(end: str) -> None:
    text = "one\n\ntwo two\nthree\nfour\n".replace("\n", end)
    chunks = MDocument.from_markdown(text).chunk("markdown", max_size=20, overlap=0)
    assert [chunk.content.split() for chunk in chunks] == [["one"], ["two", "two", "three", "four"]]


# --- a heading and what follows it ----------------------------------------------------------------


def test_a_heading_does_not_stand_alone() -> None:
    text = "intro\n\n## Title\n\n" + "words of a long paragraph. " * 8
    for size in range(20, 120, 3):
        texts = cut(text, max_size=size, overlap=0)
        assert any(piece.startswith("## Title\n\nwords") for piece in texts), size
    text = "x\n\n# A\n\n## B\n\n" + "text " * 40
    assert cut(text, max_size=60, overlap=0)[1].startswith("# A\n\n## B\n\ntext text")


def test_a_heading_goes_with_a_code_block_only_where_both_fit() -> None:
    fence = "```\n" + "code\n" * 6 + "```"
    text = f"x x x\n\n# A\n\n{fence}\n\nafter"
    assert cut(text, max_size=len(fence) + 5, overlap=0)[1] == f"# A\n\n{fence}"
    assert fence in cut(text, max_size=len(fence) + 4, overlap=0)


def test_a_title_at_the_start_of_the_text_is_cut_as_in_mastra() -> None:
    assert cut("# T\n\n" + "word " * 9, max_size=20, overlap=0)[0] == "# T"
