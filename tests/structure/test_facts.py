"""What a chunk says about itself: blocks, sections, references."""

from __future__ import annotations

import time
from typing import Any

import pytest

from cantle import MDocument
from cantle.structure.references import References, definitions


def metadata(text: str, **options: Any) -> list[dict[str, Any]]:
    chunks = MDocument.from_markdown(text).chunk("structural-context", **{"min_chunk_size": 0, **options})
    return [chunk.metadata for chunk in chunks]


# --- blocks and sections -------------------------------------------------------------------------


def test_the_kinds_of_blocks_in_the_order_of_their_first() -> None:
    text = (
        "---\na: b\n---\n\n# H\n\nwords\n\n- list\n\n> quote\n\nwords\n\n```\ncode\n```\n\n| a |\n|---|\n| b |\n\n"
        "$$\nx\n$$\n\n<div>\n</div>\n\n    indented\n\n- list"
    )
    assert metadata(text, split_on_headings=False) == [
        {
            "blocks": [
                "front-matter", "heading", "paragraph", "list", "quote", "code", "table", "maths", "html",
            ],
            "sections": ["H"],
        }
    ]  # fmt: skip
    assert metadata(text, split_on_headings=False, strip_html_comments=False)[0]["blocks"][0] == "front-matter"
    assert metadata("<!-- c -->\n\nwords", strip_html_comments=False) == [{"blocks": ["comment", "paragraph"]}]


def test_the_kinds_of_a_part() -> None:
    text = "# H\n\nSome words here.\n\n- item one is here\n- item two is here"
    found = MDocument.from_markdown(text).chunk("structural-context", max_size=30, min_chunk_size=0)
    assert [(c.content, c.metadata["blocks"]) for c in found] == [
        ("# H\n\nSome words here.", ["heading", "paragraph"]),
        ("- item one is here", ["list"]),
        ("- item two is here", ["list"]),
    ]


def test_sections_are_named_where_a_heading_is_behind_the_start() -> None:
    assert metadata("# A\n\nwords") == [{"blocks": ["heading", "paragraph"]}]
    assert metadata("words\n\n# A\n\nwords\n\n## B\n\nwords", split_on_headings=False) == [
        {"blocks": ["paragraph", "heading"], "sections": ["A", "A > B"]}
    ]
    joined = metadata("# A\n\nx\n\n## B\n\ny\n\n## B\n\nz", min_chunk_size=100)
    assert [found["sections"] for found in joined] == [["A", "A > B"]]


def test_metadata_of_the_document_stays_and_gives_way() -> None:
    document = MDocument("# A\n\nwords", "markdown", {"author": "x", "blocks": "mine"})
    (chunk,) = document.chunk("structural-context")
    assert chunk.metadata == {"author": "x", "blocks": ["heading", "paragraph"]}


# --- references ----------------------------------------------------------------------------------


def references(text: str, **options: Any) -> list[dict[str, str]]:
    return [found.get("references", {}) for found in metadata(text, **options)]


def test_definitions_that_a_chunk_uses_and_does_not_hold() -> None:
    text = (
        "See [the gauge][g] and [^1], or [H h].\n\n# N\n\n[G]: https://x 'T'\n[^1]: Note\n\n    more of it\n\n"
        "[h  H]: https://h\n\nHere is [g].\n\n# M\n\n[ G\n] and [unknown]"
    )
    assert references(text) == [
        {"G": "https://x 'T'", "^1": "Note\n\n    more of it", "h  H": "https://h"},
        {},
        {"G": "https://x 'T'"},
    ]


def test_a_definition_in_code_is_none() -> None:
    for code in ("```\n[z]: https://z\n```", "$$\n[z]: https://z\n$$", "<div>\n[z]: https://z\n</div>"):
        assert references(f"Use [z].\n\n# N\n\n{code}") == [{}, {}]


def test_the_first_definition_of_a_label_counts() -> None:
    assert references("Use [z].\n\n# N\n\n[z]: one\n[Z]: two") == [{"z": "one"}, {}]


def test_references_of_cleaned_text_are_of_the_cleaned_text() -> None:
    assert references("Use [z] <!-- [y] -->.\n\n# N\n\n[z]: one\n[y]: two") == [{"z": "one"}, {}]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a]: b", [("a", "b")]),
        ("   [a]: b c ", [("a", "b c")]),
        ("    [a]: b", []),
        ("x [a]: b", []),
        ("[a]:b", [("a", "b")]),
        ("[a]:", []),
        ("[ ]: b", []),
        ("[a\nb]: c", []),
        ("[a\\]b]: c", [("a\\]b", "c")]),
        ("[a]: b\n    c", [("a", "b")]),
        ("[^a]: b\n    c\n\td\n\n    e\nf", [("^a", "b\n    c\n\td\n\n    e")]),
        ("[^a]: b\r\n\r\n    c\r\nd", [("^a", "b\r\n\r\n    c")]),
        ("x\r[a]: b\r[c]: d", [("a", "b"), ("c", "d")]),
        ("[a]: b\n[c]: d", [("a", "b"), ("c", "d")]),
    ],
)
def test_what_is_a_definition(text: str, wanted: list[tuple[str, str]]) -> None:
    found = list(definitions(text, []))
    assert [(label, value) for label, value, _, _ in found] == wanted
    for label, value, start, end in found:
        assert text[start:end].lstrip(" ").startswith(f"[{label}]:")
        assert value in text[start:end]


def test_stretches_that_are_apart() -> None:
    text = "[a]: 1\n[b]: 2\n[c]: 3\n[d]: 4"
    assert [label for label, *_ in definitions(text, [(7, 14), (21, 22)])] == ["a", "c"]
    assert [label for label, *_ in definitions(text, [(0, 6), (8, 14)])] == ["b", "c", "d"]


def test_which_are_used_in_a_stretch_in_the_order_of_their_use() -> None:
    text = "[b] [a] ![x][c] [A] \\[d] [x\\]]\n\n[a]: 1\n[b]: 2\n[c]: 3\n[d]: 4\n[x\\]]: 5"
    found = References(text, list(definitions(text, [])))
    assert list(found.of(0, 19).items()) == [("b", "2"), ("a", "1"), ("c", "3")]
    assert found.of(19, 32) == {"x\\]": "5"}
    assert found.of(3, 8) == {"a": "1"}
    assert found.of(0, 2) == {}
    assert found.of(0, len(text)) == {}
    assert found.of(0, text.index("[b]: 2")) == {"b": "2", "c": "3", "x\\]": "5"}
    assert References(text, []).of(0, 19) == {}


@pytest.mark.parametrize("unit", ["[", "]", "[a]", "[a]: ", "[\\", "\n[^a]: b\n\n", "[^a]: b\n    ", "\n \n"])
def test_definitions_in_linear_time(unit: str) -> None:
    text = "[a]: b\n" + unit * (600_000 // len(unit))
    begin = time.perf_counter()
    found = References(text, list(definitions(text, [])))
    for start in range(0, len(text), 1000):
        found.of(start, start + 1000)
    assert time.perf_counter() - begin < 5
