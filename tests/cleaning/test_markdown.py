"""Cleaning of Markdown and of plain text."""

from __future__ import annotations

import time

import pytest
from cleaned_texts import check, dropped
from hypothesis import given
from hypothesis import strategies as st

from cantle.cleaning import clean_markdown, clean_text

TEXTS = st.lists(
    st.sampled_from(
        [
            "a",
            "b",
            "é",
            "\ufeff",
            " ",
            "   ",
            "\n",
            "\n\n",
            "\t",
            "\xa0",
            "\r\n",
            "\r",
            "```",
            "~~~",
            "````",
            "```js",
            "\u200b",
            "\u200d",
            "\u200c",
            "👩",
            "ک",
            "\f",
            "\x1c",
            "\u2028",
            "\x85",
            "\u3000",
            "<!--",
            "-->",
            "<!-- c -->",
            "- ",
            "![",
            "](",
            "data:",
            "a/b",
            ";p",
            ",",
            ")",
            "![a](data:image/png;base64,AAA)",
            "\ud800",
            "\0",
            "# h\n",
        ]
    ),
    max_size=30,
).map("".join)


@given(TEXTS, st.booleans(), st.booleans(), st.booleans())
def test_what_is_not_copied_is_blank_or_dropped(text: str, comments: bool, data_uris: bool, whitespace: bool) -> None:
    for clean in (clean_markdown, clean_text):
        check(text, clean(text, comments=comments, data_uris=data_uris, whitespace=whitespace))


@given(TEXTS)
def test_white_space_is_clean(text: str) -> None:
    cleaned = clean_text(text).text
    lines = cleaned.split("\n")
    blanks = "\t\v\f\x1c\x1d\x1e\x1f \u2028\u3000"
    assert [line.rstrip(blanks) for line in lines] == lines
    assert "\n\n\n" not in cleaned
    assert cleaned == "" or (lines[0] and lines[-1])
    assert not set("\r\t\xa0\u200b\ufeff") & set(cleaned)


@given(TEXTS)
def test_white_space_alone_is_cleaned_once(text: str) -> None:
    for clean in (clean_markdown, clean_text):
        once = clean(text, comments=False, data_uris=False).text
        assert clean(once, comments=False, data_uris=False).text == once


@given(TEXTS)
def test_without_whitespace_only_what_has_a_reason_goes(text: str) -> None:
    for clean in (clean_markdown, clean_text):
        cleaned = clean(text, whitespace=False)
        rest, last = [], 0
        for start, end, _ in cleaned.dropped:
            rest.append(text[last:start])
            last = end
        assert cleaned.text == "".join([*rest, text[last:]])


@pytest.mark.parametrize("text", ["", "# a\r\n\tb  \n\n\n\nc \xa0", "é [a](b) <!-- x", "a --> b", "```\n\u3000\n```\n"])
def test_nothing_to_take_out_gives_the_same_object(text: str) -> None:
    for clean in (clean_markdown, clean_text):
        cleaned = clean(text, whitespace=False)
        assert cleaned.text is text
        assert cleaned.offsets.is_identity
        assert not cleaned.dropped


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\ufeff# A\r\n\r\n\r\nb\rc", "# A\n\nb\nc"),
        ("\n \n  a  \n\t\n\x1c\nb\n\n", "  a\n\nb"),
        ("a\n<!-- x\n\ny --> b", "a\n\n b"),
        ("a <!-- x --> b <!-- y -->", "a  b"),
        ("a <!-- x\n```\n<!-- <b> -->\n```\n--> b", "a\n```\n<!-- <b> -->\n```\n b"),
        ("```\n a\t\xa0\u200b \n\n\n b\n```  \n\n\nc", "```\n a\t\xa0\u200b \n\n\n b\n```\n\nc"),
        ("~~~  \n``` \n~~~ x\na  \n\n", "~~~\n``` \n~~~ x\na  "),
        ("```\n\n \n", "```"),
        ("````\n```\n`````\nx  y ", "````\n```\n`````\nx  y"),
        ("    ```\n\n\n    a", "    ```\n\n    a"),
        ("```a`b\n\n\n# x", "```a`b\n\n# x"),
        ("![a]( \tdata:image/png;base64,AAA=) x", "![a](data:image/png) x"),
        ("![](data:text/plain,) ![b](data:a/b,c)", "![](data:text/plain) ![b](data:a/b)"),
        (
            '![a](data:a/b,c "t") [a](data:a/b,c) ![a]\n(data:a/b,c)',
            '![a](data:a/b,c "t") [a](data:a/b,c) ![a]\n(data:a/b,c)',
        ),
        ("![a](da<!-- x -->ta:a/b,c)", "![a](data:a/b)"),
        ("![a](data:a/b,![)](data:c/d,e)", "![a](data:a/b)](data:c/d,e)"),
        ("<!-->-->a", "a"),
        ("\u3000\u2028\n\x85\n", "\x85"),
    ],
)
def test_markdown(text: str, cleaned: str) -> None:
    result = clean_markdown(text)
    assert result.text == cleaned
    check(text, result)


def test_text_has_no_fenced_code() -> None:
    assert clean_text("```\na\t b <!-- c -->\n\n\n```").text == "```\na  b\n\n```"


def test_options() -> None:
    text = "a <!-- x --> ![](data:a/b,c)\n"
    assert clean_text(text, comments=False).text == "a <!-- x --> ![](data:a/b)"
    assert clean_text(text, data_uris=False).text == "a  ![](data:a/b,c)"


@pytest.mark.parametrize("text", ["before <!-- x\n\nlater text", "`<!--` opens\n\na", "a --> b <!-- c"])
def test_a_comment_that_is_never_closed_is_text(text: str) -> None:
    assert clean_markdown(text).text == text
    assert clean_text(text).text == text


def test_a_comment_that_only_code_would_close_is_text() -> None:
    text = "a <!-- b\n\n```\n-->\n```"
    assert clean_markdown(text).text == text
    assert clean_text(text).text == "a\n\n```"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("👨\u200d👩\u200d👧", None),
        ("می\u200cخواهم", None),
        ("क्\u200dष", None),
        ("iPhone\u200cها", None),
        ("ന\u0d4d\u200d എ", None),
        ("\u200bzero\u200c\u200dwidth\u2060 \u200d joined\u200d", "zerowidth  joined"),
        ("avi\u200cão fun\u200dção", "avião função"),
        ("👩\u200d 👩\u200d\n\u200d👩", "👩 👩\n👩"),
        ("👩\u200b\u200d👩", "👩\u200d👩"),
        ("a“\u200db", "a“b"),
    ],
)
def test_joiners_stay_where_they_join(text: str, cleaned: str | None) -> None:
    assert clean_markdown(text).text == (text if cleaned is None else cleaned)
    assert clean_markdown(text, whitespace=False).text == text
    assert "\u200b" not in clean_markdown(text, joiners=False).text


def test_what_was_dropped_is_told() -> None:
    text = "\ufeffa <!-- x\r\ny --> b\u200b ![i](data:a/b;p,c)"
    cleaned = clean_markdown(text)
    assert cleaned.text == "a\n b ![i](data:a/b)"
    assert dropped(text, cleaned) == [
        ("<!-- x", "comment"),
        ("y -->", "comment"),
        ("\u200b", "zero-width"),
        (";p,c", "data-uri"),
    ]


def test_line_ends_stay_without_whitespace() -> None:
    text = "a <!-- x\r\ny --> \tb\r\n\r\n\r\n```\r\n<!-- c -->\r\n```\r\n"
    assert clean_markdown(text, whitespace=False).text == "a \r\n \tb\r\n\r\n\r\n```\r\n<!-- c -->\r\n```\r\n"


HOSTILE = [
    "<!--",
    "<!-- -->",
    "\n",
    " \n",
    " ",
    "\t\r\n",
    "\r",
    "```\n",
    "`",
    "![](data:",
    "![](data:a/b;",
    "![](data:a/b,",
    "![",
    "](data:a/b,",
    "a\u200bb",
    "\ud800",
    "\0",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    text = unit * (300_000 // len(unit)) + "x"
    for whitespace in (True, False):
        start = time.process_time()
        clean_markdown(text, whitespace=whitespace)
        assert time.process_time() - start < 3  # a quadratic search would take minutes


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("para\n\n<!-- a -->\n<!-- b -->\n\n## H\n", "para\n\n## H\n"),
        ("para\n<!-- a -->\nmore", "para\n\nmore"),  # it ends the paragraph
        ("<!-- a -->\n\n# T", "# T"),
        ("a\n\n<!-- a\nb\n\nc -->\n\nd", "a\n\nd"),
        ("a\r\n\r\n<!-- a -->\r\n\r\nb", "a\r\n\r\nb"),
        ("x\n\n  <!-- q -->  \n\n<!-- z -->\n\ny", "x\n\ny"),
        ("a <!-- b -->\n\nc", "a \n\nc"),
        ("```\n<!-- a -->\n```\n\n<!-- b -->\n\n```\nx\n```", "```\n<!-- a -->\n```\n\n```\nx\n```"),
    ],
)
def test_a_comment_with_lines_for_itself_leaves_no_blank_lines_behind(text: str, cleaned: str) -> None:
    assert clean_markdown(text, whitespace=False).text == cleaned
