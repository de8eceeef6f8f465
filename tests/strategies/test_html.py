"""The strategy `html`."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunks, MDocument, registry
from cantle.errors import OptionError, UnusedOptionWarning
from cantle.testing import check_document, html_documents, texts

H = [("h1", "title"), ("h2", "section")]

PAGE = """<!DOCTYPE html>
<html><head><title>Ferries</title><style>h1 { color: navy }</style></head>
<body>
<nav><a href="/">Home</a> <a href="/fares">Fares</a></nav>
<main>
<div class="top"><h1>Ferries &amp; <em>tides</em></h1></div>
<p>The ferry sails at <b>high</b> water.</p>
<!-- to be checked -->
<section><h2>Winter</h2>
<table><tr><th>day</th><th>hour</th></tr><tr><td>Monday</td><td>8</td></tr></table></section>
<section><h2>Summer</h2></section>
<section><h2>Notes</h2><p>Dogs go free.</p></section>
</main>
<footer><p hidden>draft</p><h1>Contact</h1><p>At the quay.</p></footer>
</body></html>
"""


def cut(text: str, /, metadata: dict[str, Any] | None = None, **options: Any) -> Chunks:
    return MDocument.from_html(text, metadata=metadata).chunk("html", **options)


# -- headers and sections -------------------------------------------------------------------------


def test_sections_are_in_the_order_of_the_page_wherever_their_headings_stand() -> None:
    chunks = cut(PAGE, headers=H)
    assert [(chunk.path, chunk.text) for chunk in chunks] == [
        ((), "Home Fares"),
        (("Ferries & tides",), "The ferry sails at high water."),
        (("Ferries & tides", "Winter"), "day\thour\nMonday\t8"),
        (("Ferries & tides", "Summer"), "Summer"),
        (("Ferries & tides", "Notes"), "Dogs go free."),
        (("Contact",), "At the quay."),
    ]
    assert chunks[0].metadata == {}
    assert chunks[1].metadata == {"title": "Ferries & tides", "xpath": "/html[1]/body[1]/main[1]/div[1]/h1[1]"}
    assert chunks[4].metadata == {"section": "Notes", "xpath": "/html[1]/body[1]/main[1]/section[3]/h2[1]"}


def test_spans_name_the_source_and_a_literal_slice_has_none() -> None:
    chunks = cut(PAGE, headers=H)
    ferry = chunks[1]
    assert ferry.spans is not None
    assert [PAGE[start:end] for start, end in ferry.spans] == ["The ferry sails at", "high", "water."]
    assert PAGE[ferry.start : ferry.end] == "The ferry sails at <b>high</b> water."
    assert chunks[4].exact
    assert PAGE[chunks[4].start : chunks[4].end] == "Dogs go free."


def test_what_is_in_no_chunk_is_declared() -> None:
    dropped = {PAGE[start:end].strip(): reason for start, end, reason in cut(PAGE, headers=H).dropped}
    assert dropped["Ferries &amp;"] == "heading-in-metadata"
    assert dropped["<!-- to be checked -->"] == "comment"
    assert any(reason == "hidden" and "draft" in text for text, reason in dropped.items())
    assert any(reason == "hidden" and "navy" in text for text, reason in dropped.items())
    assert "Summer" not in dropped


def test_a_heading_ranks_by_its_number_and_other_selectors_by_their_place() -> None:
    source = "<h2>a</h2>1<h1>b</h1>2<h3>c</h3>3<h2>d</h2>4"
    assert [c.path for c in cut(source, headers=[("h3", "x"), ("h2", "y"), ("h1", "z")])] == [
        ("a",),
        ("b",),
        ("b", "c"),
        ("b", "d"),
    ]
    source = "<p class=part>a</p>1<h2>b</h2>2<h1>c</h1>3<p class=part>d</p>4"
    assert [c.path for c in cut(source, headers=[(".part", "x"), ("h1", "y"), ("h2", "z")])] == [
        ("a",),
        ("a", "b"),
        ("a", "c"),
        ("d",),
    ]


def test_a_selector_has_its_own_key() -> None:
    source = "<h1 class=big>A</h1>x<h1>B</h1>y<H1>C</H1>z"
    chunks = cut(source, headers=[("h1", "small"), ("H1.big", "big")])
    assert [(c.text, c.metadata) for c in chunks] == [
        ("x", {"big": "A", "xpath": "/h1[1]"}),
        ("y", {"small": "B", "xpath": "/h1[2]"}),
        ("z", {"small": "C", "xpath": "/h1[3]"}),
    ]


def test_neighbours_with_the_same_heading_are_joined_unless_asked_not_to() -> None:
    source = "<h1>A</h1>x<h1>A</h1><p>y</p><h1>B</h1><h1>B</h1>z<h1>C</h1><h1>C</h1>"
    assert cut(source, headers=H).texts == ["x  \ny", "z", "C"]
    assert cut(source, headers=H, return_each_line=True).texts == ["x", "y", "B", "z", "C", "C"]
    assert cut(source, sections=H).texts == ["x", "y", "B", "z", "C", "C"]


def test_titles_are_untrimmed_in_the_metadata_of_headers_and_trimmed_in_that_of_sections() -> None:
    source = "<h1>\n A <b>b</b>\n</h1>x"
    assert cut(source, headers=H)[0].metadata["title"] == "\n A b\n"
    assert cut(source, sections=H)[0].metadata["title"] == "A b"
    assert cut(source, headers=H)[0].path == ("A b",)
    assert cut("<h1>A<br>b</h1>x", headers=H)[0].path == ("A b",)


def test_the_word_title_stands_for_the_title_of_the_document() -> None:
    source = "<h1>#TITLE#</h1>x"
    assert cut(source, {"Title": "T", "kept": "#TITLE#"}, headers=H)[0].metadata == {
        "Title": "T",
        "kept": "T",
        "title": "T",
        "xpath": "/h1[1]",
    }
    assert cut(source, {"kept": 1}, headers=H)[0].metadata == {"kept": 1, "xpath": "/h1[1]"}


def test_bare_text_is_taken_as_it_stands() -> None:
    assert cut("<h1>A</h1>\n x\n  y<!-- n -->z<br><hr>w ", headers=H).texts == ["x\n  y z   w"]
    assert cut("<h1>A</h1>\n x\n  y<b>z</b><br>w ", headers=H).texts == ["x yz\nw"]


def test_hidden_headings_are_none() -> None:
    assert cut("<h1 hidden>A</h1>x<div hidden><h1>B</h1></div>y", headers=H).texts == ["xy"]


def test_a_heading_without_text_begins_a_section() -> None:
    chunks = cut("a<hr>b<hr><hr>c", sections=[("hr", "rule")])
    assert [(c.text, c.path, c.metadata.get("rule")) for c in chunks] == [("a", (), None), ("b", (), ""), ("c", (), "")]


def test_sections_are_cut_further_with_a_size() -> None:
    source = "<h1>A</h1><p>one two three</p><p>four</p><h1>B</h1>five six seven"
    chunks = cut(source, headers=H, max_size=9, overlap=4)
    assert [(c.text, c.overlap, c.metadata["title"]) for c in chunks] == [
        ("one two", 0, "A"),
        ("two three", 3, "A"),
        ("four", 0, "A"),
        ("five six", 0, "B"),
        ("six seven", 3, "B"),
    ]
    chunks = cut("<h1>A</h1>aa bb cc dd ee", headers=H, max_size=8, overlap=3, add_start_index=True)
    assert [(c.text, c.overlap) for c in chunks] == [("aa bb cc", 0), ("cc dd ee", 2)]
    assert [c.metadata["start_index"] for c in chunks] == [10, 16]


def test_small_pieces_are_joined_within_their_section_only() -> None:
    source = "<h1>A</h1><p>one two three four</p><p>x</p><h1>B</h1>y"
    assert cut(source, headers=H, max_size=(6, 20), overlap=0).texts == ["one two three four", "x", "y"]
    assert cut(source, headers=H, max_size=(6, 24), overlap=0).texts == ["one two three four\n\nx", "y"]


def test_explain_says_why_a_section_ends() -> None:
    cuts = [c.cut for c in cut("a<h1>A</h1>b<h2>B</h2>c d", headers=H, max_size=1, overlap=0, explain=True)]
    assert [tuple(c)[::2] for c in cuts if c] == [("heading", "h1"), ("heading", "h2"), ("separator", " "), ("end", "")]


# -- neither ----------------------------------------------------------------------------------------


def test_without_headers_a_page_is_cut_where_blocks_end() -> None:
    chunks = cut(PAGE, max_size=60, overlap=0, explain=True)
    assert [(chunk.text, chunk.path) for chunk in chunks] == [
        ("Home Fares", ()),
        ("Ferries & tides\n\nThe ferry sails at high water.", ("Ferries & tides",)),
        ("Winter\n\nday\thour\nMonday\t8\n\nSummer\n\nNotes\n\nDogs go free.", ("Ferries & tides", "Winter")),
        ("Contact\n\nAt the quay.", ("Contact",)),
    ]
    assert [chunk.metadata for chunk in chunks] == [{}] * 4
    assert chunks[0].cut is not None
    assert chunks[0].cut.detail == "h1"


def test_the_default_size_is_that_of_other_strategies() -> None:
    source = "<p>" + "</p><p>".join(["word " * 100] * 20) + "</p>"
    assert max(map(len, cut(source).texts)) <= 4000 < sum(map(len, cut(source).texts))
    assert [c.text for c in cut(source, headers=H)] == ["\n\n".join([("word " * 100).strip()] * 20)]
    assert cut(source)[1].overlap == 0  # no paragraph is as short as an overlap


def test_a_document_of_kind_html_is_cut_so_by_default(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes('<meta charset="iso-8859-1"><p>mar\xe9s <b>altas</b></p>'.encode("latin-1"))
    assert MDocument.from_file(path).chunk().texts == ["mar\xe9s altas"]


# -- tables -----------------------------------------------------------------------------------------


def test_tables_in_markdown() -> None:
    source = "<h1>A</h1><table><tr><th>k<th>v<tr><td>1|2<td></table><h1>B</h1><table><tr><td>x</table>y"
    chunks = cut(source, headers=H, tables="markdown")
    assert chunks.texts == ["| k | v |\n|---|---|\n| 1\\|2 |  |", "| x |\n|---|\n\ny"]
    for size in range(1, 40):
        for chunk in cut(source, headers=H, tables="markdown", max_size=size, overlap=0):
            assert chunk.spans != ()
        check_document("html", source, headers=H, tables="markdown", max_size=size, overlap=0)


# -- options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"headers": "h1"}, r"headers must be a list of pairs of strings such as \[\('h1', 'title'\)\], got 'h1'"),
        ({"headers": [("h1", "a", "b")]}, r"headers\[0\] is \('h1', 'a', 'b'\)"),
        ({"sections": [("h1", "a"), ("h2",)]}, r"sections\[1\] is"),
        ({"headers": [("h1", 1)]}, r"headers\[0\]"),
        ({"headers": [("h1:hover", "a")]}, "headers: 'h1:hover' is no selector"),
        ({"tables": "html"}, "tables must be one of 'plain', 'markdown', got 'html'"),
        ({"return_each_line": 1}, "return_each_line must be True or False"),
        ({"sections": H, "overlap": 4000}, "overlap must be smaller than 4000 with sections"),
        ({"headers": H, "max_size": 10, "overlap": 10}, "overlap must be smaller than max_size"),
        ({"strip_headers": True}, "no option 'strip_headers'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        registry().make("html", options)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"headers": H, "sections": H}, "sections"),
        ({"sections": H, "return_each_line": True}, "return_each_line"),
        ({"return_each_line": True}, "return_each_line"),
        ({"headers": H, "overlap": 9}, "overlap"),
        ({"headers": H, "separator_position": "end"}, "separator_position"),
        ({"sections": H, "length_function": "bytes"}, "length_function"),
    ],
)
def test_options_without_effect_warn(options: dict[str, Any], name: str) -> None:
    with pytest.warns(UnusedOptionWarning, match=f"^{name} has no effect"):
        registry().make("html", options)


def test_options_with_an_effect_do_not_warn() -> None:
    registry().make("html", {"overlap": 9, "separator_position": "end", "length_function": "bytes"})
    registry().make("html", {"headers": H, "return_each_line": True, "max_size": 9, "overlap": 2})


def test_chunks_pickle_with_what_was_dropped() -> None:
    chunks = cut(PAGE, headers=H)
    again = pickle.loads(pickle.dumps(chunks))
    assert again == chunks
    assert again.dropped == chunks.dropped
    strategy = registry().make("html", {"headers": H})
    assert pickle.loads(pickle.dumps(strategy)) == strategy


# -- the contract -----------------------------------------------------------------------------------

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "headers": st.sampled_from(
            [H, [*H, ("h3", "c"), ("h6", "d")], [(".a", "x"), ("p", "y")], [("div > p, li", "z")], [("*", "k")]]
        ),
        "sections": st.sampled_from([H, [("div", "x"), ("section", "y")]]),
        "return_each_line": st.booleans(),
        "tables": st.sampled_from(["plain", "markdown"]),
        "max_size": st.one_of(st.integers(1, 60), st.tuples(st.integers(1, 10), st.integers(10, 60))),
        "strip_whitespace": st.booleans(),
        "separator_position": st.sampled_from([None, "start", "end"]),
        "explain": st.booleans(),
        "length_function": st.sampled_from(["characters", "bytes", "words", "utf16", "cl100k_base"]),
    },
)
PARTS = [
    *(
        "<td>",
        "<tr>",
        "<table>",
        "</table>",
        "<br>",
        "<hr>",
        "<svg>",
        "<option>",
        "<script>",
        "</script>",
        "<b>",
        "</b>",
    ),
    *("<h1>", "</h1>", "<h2 class='a'>", "</h2>", "<p>", "</p>", "<div hidden>", "</div>", "<!--", "-->", "<![CDATA["),
    *("<pre>", "</pre>", "<li>", "<ul>", "</ul>", "<caption>", "<p title='", "&fjlig;", "&shy;", "&NotEqualTilde;"),
    *("&#10;", "&#32;", "&nbsp;", "&#0;", "&ThickSpace;", "&#x1F1E7;", "&amp", "|", "\U0001f1e6", "\u0301", "\u200d"),
    *("</b>", "a", "x y", "\r\n", "\n", " "),
]


@given(
    st.one_of(html_documents(), texts(12), st.lists(st.sampled_from(PARTS), max_size=25).map("".join)),
    OPTIONS,
    st.integers(0, 59),
)
def test_the_contract_with_any_options(text: str, options: dict[str, Any], overlap: int) -> None:
    size = options.get("max_size")
    if size is not None and overlap < (size[1] if isinstance(size, tuple) else size):
        options = {**options, "overlap": overlap}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        check_document("html", MDocument.from_html(text), points=(1, 2, 3, 4, 5, 6, 9), **options)


@given(html_documents(), st.integers(5, 80))
def test_sizes_change_where_is_cut_and_not_what_is_kept(text: str, size: int) -> None:
    whole = "".join("".join(cut(text, max_size=10**9).texts).split())
    assert "".join("".join(cut(text, max_size=size, overlap=0).texts).split()) == whole
    titles = cut(text, headers=H)
    pieces = cut(text, headers=H, max_size=size, overlap=0)
    assert "".join("".join(pieces.texts).split()) == "".join("".join(titles.texts).split())
    assert {c.path for c in pieces} == {c.path for c in titles}


def test_the_key_of_the_place_is_no_key_for_titles() -> None:
    with pytest.raises(OptionError, match="cannot have the key 'xpath'"):
        MDocument.from_html("<h1>A</h1>x").chunk("html", headers=[("h1", "xpath")])


def test_a_heading_does_not_stand_alone() -> None:
    page = "<h1>Top</h1><p>intro</p><h2>Sub</h2><h3>Deep</h3><p>" + "long paragraph text " * 12 + "</p>"
    for size in range(30, 200, 11):
        texts = MDocument.from_html(page).chunk("html", max_size=size, overlap=0).texts
        assert any("Sub\n\nDeep\n\nlong" in text for text in texts), size


def test_a_rule_ends_a_paragraph() -> None:
    assert MDocument.from_html("<p hidden>draft<hr>shown").chunk().texts == ["shown"]


def test_what_is_hidden_in_a_heading_is_not_in_the_metadata() -> None:
    page = "<h1>A<span hidden>secret</span></h1><p>x</p>"
    chunks = MDocument.from_html(page).chunk("html", headers=[("h1", "title")])
    reasons = {page[start:end]: reason for start, end, reason in chunks.dropped}
    assert any("secret" in text for text, reason in reasons.items() if reason == "hidden")
    assert not any("secret" in text for text, reason in reasons.items() if reason == "heading-in-metadata")
