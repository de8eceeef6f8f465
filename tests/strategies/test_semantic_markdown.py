"""The strategy `semantic-markdown`: sections, small ones joined by tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.errors import DocumentError, OptionError, UnusedOptionWarning
from cantle.lengths import resolve
from cantle.strategies.semantic_markdown import SemanticMarkdown
from cantle.testing import check_document, hostile_documents, markdown_documents, texts
from cantle.whitespace import STRIP

TEXT = (
    "Before.\n\n# One\n\nText of one.\n\n## Two\n\nText of two.\n\n### Three ###\n\nText of three.\n\n# Four\n\nEnd.\n"
)
count = resolve("cl100k_base")


def chunks(text: str, **options: Any) -> list[Any]:
    return list(MDocument.from_markdown(text).chunk("semantic-markdown", **options))


def cut(text: str, **options: Any) -> list[str]:
    return [chunk.text for chunk in chunks(text, **options)]


def test_sections_alone() -> None:
    found = chunks(TEXT, join_threshold=1)
    assert [chunk.text for chunk in found] == [
        "Before.",
        "# One\n\nText of one.",
        "## Two\n\nText of two.",
        "### Three ###\n\nText of three.",
        "# Four\n\nEnd.",
    ]
    assert [chunk.path for chunk in found] == [(), ("One",), ("One", "Two"), ("One", "Two", "Three"), ("Four",)]


def test_the_deepest_are_joined_first() -> None:
    assert cut(TEXT, join_threshold=16) == [
        "Before.\n\n# One\n\nText of one.",
        "## Two\n\nText of two.\n\n### Three ###\n\nText of three.",
        "# Four\n\nEnd.",
    ]
    assert cut(TEXT) == [TEXT.strip()]


def test_nothing_is_joined_to_a_deeper_section() -> None:
    assert cut("## B\nx\n# A\ny\n## C\nz") == ["## B\nx", "# A\ny\n\n## C\nz".replace("\n\n", "\n")]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.one_of(markdown_documents(), texts()), st.sampled_from([1, 10, 40, 500]))
def test_token_count_is_that_of_the_text(text: str, threshold: int) -> None:
    for chunk in chunks(text, join_threshold=threshold):
        assert chunk.metadata == {"token_count": count(chunk.text)}


def joined(text: str, threshold: float) -> list[list[str]]:
    """What is joined, by the rule spelled out: the titles of each chunk."""
    sections: list[list[Any]] = []  # depth, tokens, titles
    content, depth, title, code = "", 0, "", False

    def store() -> None:
        if content.strip(STRIP) or title:
            sections.append([depth, count(content.strip(STRIP)), [title]])

    for line in text.split("\n"):
        if line.startswith("```"):
            code = not code
        heading = None if code else re.match(r"(#{1,6})[ \t]+(\S.{0,1024})$", line)
        if heading:
            store()
            content, depth, title = "", len(heading[1]), heading[2]
        else:
            content += line + "\n"
    store()
    for level in range(6, 0, -1):
        at = 1
        while at < len(sections):
            before, this = sections[at - 1], sections[at]
            size = before[1] + this[1] + count(f"\n\n{'#' * level} {this[2][0]}\n")
            if this[0] == level and size < threshold and before[0] <= level:
                before[1], before[2] = size, before[2] + this[2]
                del sections[at]
            else:
                at += 1
    return [titles for _, _, titles in sections]


LINES = (
    "# A",
    "## B b",
    "### C #",
    "#### D",
    "###### E  ",
    "####### F",
    "#G",
    "text",
    "more words of it",
    "",
    "- x",
    "```\n# n\n```",
)


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(LINES), max_size=14).map("\n".join), st.sampled_from([1, 8, 16, 30, 500]))
def test_joining_follows_the_rule(text: str, threshold: int) -> None:
    found = []
    for chunk in chunks(text, join_threshold=threshold):
        body = re.sub(r"```\n# n\n```", "", chunk.text)
        titles = re.findall(r"^#{1,6}[ \t]+(\S[^\n]*?)[ \t]*$", body, re.MULTILINE)
        found.append(titles if re.match(r"#{1,6} ", body) else ["", *titles])
    assert found == [[title.strip() for title in titles] for titles in joined(text, threshold)]


def test_an_empty_section_at_the_end_is_kept() -> None:
    assert cut("# A\nx\n## B") == ["# A\nx\n## B"]
    assert cut("# A") == ["# A"]
    assert cut("# A\nx\n## B", join_threshold=1) == ["# A\nx", "## B"]


@pytest.mark.parametrize("fence", ["  ```\n# no\n  ```", "~~~\n```\n# no\n~~~", "````\n```\n# no\n````", "```\n# no"])
def test_code(fence: str) -> None:
    assert cut(f"x\n\n{fence}", join_threshold=1) == [f"x\n\n{fence}"]


@pytest.mark.parametrize(
    "line", ["#no", "####### seven", " # indented", "#", "# ", "> # quoted", "- # item", "# " + "x" * 1026]
)
def test_lines_that_are_no_headings(line: str) -> None:
    assert len(cut(f"a\n{line}\nb", join_threshold=1)) == 1


def test_titles_in_the_path() -> None:
    assert [c.path for c in chunks("# A ##\nx\n## B#\ny\n#\tC\nz", join_threshold=1)] == [("A",), ("A", "B#"), ("C",)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert cut(TEXT.replace("\n", end), join_threshold=1) == [c.replace("\n", end) for c in cut(TEXT, join_threshold=1)]


def test_within_a_limit() -> None:
    text = "# A\n\n" + "\n\n".join(f"Paragraph {i} with some words." for i in range(9)) + "\n\n## B\n\nx"
    found = chunks(text, max_size=70, overlap=0)
    assert all(len(chunk.text) <= 70 for chunk in found)
    assert [chunk.metadata["token_count"] for chunk in found] == [count(chunk.text) for chunk in found]
    assert found[-1].path == ("A", "B")
    tokens = chunks(text, max_size=20, overlap=5, length_function="cl100k_base")
    assert all(count(chunk.text) <= 20 for chunk in tokens)


def test_small_ones_are_joined_with_a_range() -> None:
    assert len(cut(TEXT, join_threshold=1, max_size=(200, 300), overlap=0)) == 1


def test_white_space_can_stay() -> None:
    found = chunks(TEXT, join_threshold=1, strip_whitespace=False)
    assert "".join(chunk.text for chunk in found) == TEXT


def test_encodings() -> None:
    text = "# A\n\n<|endoftext|> é\n"
    assert chunks(text, model_name="gpt-4o")[0].metadata["token_count"] == resolve("o200k_base")(text.strip())
    few = chunks(text, allowed_special={"<|endoftext|>"})[0].metadata["token_count"]
    assert few < chunks(text)[0].metadata["token_count"]
    with pytest.raises(DocumentError, match="special token that is not allowed"):
        chunks(text, disallowed_special="all")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"join_threshold": 0}, "join_threshold"),
        ({"join_threshold": "9"}, "join_threshold"),
        ({"encoding_name": "nope"}, "encoding_name must be one of"),
        ({"model_name": "nope"}, "model_name 'nope' is not known"),
        ({"allowed_special": "<|endoftext|>"}, "allowed_special must be a set of special tokens"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        SemanticMarkdown(**options)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"overlap": 10}, "overlap"),
        ({"length_function": "words"}, "length_function"),
        ({"separator_position": "end"}, "separator_position"),
        ({"max_size": 50, "separator_position": "end"}, "separator_position"),
        ({"model_name": "gpt-4o", "encoding_name": "gpt2"}, "encoding_name"),
    ],
)
def test_options_that_cannot_act_warn(options: dict[str, Any], name: str) -> None:
    with pytest.warns(UnusedOptionWarning, match=f"{name} has no effect"):
        SemanticMarkdown(**options)


def test_explained() -> None:
    assert [chunk.cut.kind for chunk in chunks(TEXT, join_threshold=16, explain=True)] == ["heading", "heading", "end"]


VARIANTS: list[dict[str, Any]] = [
    {},
    {"join_threshold": 5, "strip_whitespace": False},
    {"join_threshold": 20, "max_size": 30, "overlap": 10},
    {"max_size": 12, "overlap": 4, "length_function": "cl100k_base", "encoding_name": "o200k_base"},
    {"max_size": (10, 40), "allowed_special": "all", "explain": True},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_contract_on_hostile_documents(options: dict[str, Any]) -> None:
    for document in hostile_documents():
        check_document("semantic-markdown", document, points=[1, 2, 3, 4, 5, 6, 9], **options)


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(st.one_of(markdown_documents(), texts()), st.sampled_from(VARIANTS))
def test_the_contract_on_made_documents(text: str, options: dict[str, Any]) -> None:
    check_document("semantic-markdown", MDocument.from_markdown(text), points=[1, 2, 3, 4, 5, 6, 9], **options)


@pytest.mark.timeout(20)
def test_many_headings() -> None:
    assert len(cut("# A\n" * 20_000, join_threshold=4)) > 5_000
