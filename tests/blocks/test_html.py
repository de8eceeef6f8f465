"""What a browser shows of a page, and where in the source it stands."""

from __future__ import annotations

import html
import re
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.blocks.html import Page, Tree, gaps_of, nest, of_span, parse, read, render, tokens
from cantle.blocks.html.references import decode, references
from cantle.blocks.html.selectors import Selector, attributes_of
from cantle.errors import OptionError
from cantle.testing import html_documents, texts


def page_of(source: str, markdown: bool = False) -> Page:
    read_ = tokens(source)
    tree = nest(read_, [])
    shown = read(read_, tree)
    return render(shown, tree, gaps_of(shown, tree), ~shown.shown, markdown=markdown)


def text_of(source: str, markdown: bool = False) -> str:
    return page_of(source, markdown).text


# -- tags and texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "found", "names"),
    [
        ("a<b>c</b>d", ["a", "c", "d"], ["b", "/b"]),
        ('<a b="x>y" c>t', ["", "t"], ["a"]),
        ("<a b='>'>t", ["", "t"], ["a"]),
        ('<a ="b>c">d', ["", 'c">d'], ["a"]),
        ("<a/b>c", ["", "c"], ["a"]),
        ("x<", ["x<"], []),
        ("x<a", ["x", ""], ["a"]),
        ('x<a href="y', ["x", ""], ["a"]),
        ("a <1> b < c", ["a <1> b < c"], []),
        ("a</>b</ x>c</", ["a", "b", "c</"], ["", ""]),
        ("<!-->a<!--->b<!-- -- > -->c<!-- --!>d", ["", "a", "b", "c", "d"], ["", "", "", ""]),
        ("<!-- a", ["", ""], [""]),
        ("<!doctype html><?xml a?><![CDATA[b]]>c", ["", "", "", "c"], ["", "", ""]),
        ('<script>if(a<b)x="</p>"</script >z', ["", 'if(a<b)x="</p>"', "z"], ["script", "/script"]),
        (
            "<script><!-- <script> </script> --></script>r",
            ["", "<!-- <script> </script> -->", "r"],
            ["script", "/script"],
        ),
        ("<script><!-- </script>r", ["", "<!-- ", "r"], ["script", "/script"]),
        ("<SCRIPT >x</sCript\n>y", ["", "x", "y"], ["script", "/script"]),
        ("<scriptx>q", ["", "q"], ["scriptx"]),
        ("<textarea><b>x</b></textarea>k", ["", "<b>x</b>", "k"], ["textarea", "/textarea"]),
        ("<plaintext>a<b>", ["", "a<b>"], ["plaintext"]),
        ("<style", ["", ""], ["style"]),
    ],
)
def test_tags_are_read_as_the_standard_says(source: str, found: list[str], names: list[str]) -> None:
    result = tokens(source)
    assert result.texts == found
    assert [("/" if code < 0 else "") + result.names[abs(code)] for code in result.codes.tolist()] == names


@given(st.one_of(html_documents(), texts()))
def test_texts_stand_where_they_are_said_to(source: str) -> None:
    result = tokens(source)
    borders = [*zip(result.text_at.tolist(), result.tag_at.tolist(), strict=True)]
    assert [source[start:end] for start, end in borders] == result.texts
    assert borders[-1][1] == len(source)
    assert all(source[end] == "<" for _, end in borders[:-1])


# -- references -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("&amp;&lt;&eacute;", "&<é"),
        ("&copy z&notit;", "© z¬it;"),
        ("&nope; & &; &#; &#x;", "&nope; & &; &#; &#x;"),
        ("&#233;&#xE9&#x1F600;", "éé😀"),
        ("&#0;&#xD800;&#x110000;&#99999999999;", "\ufffd" * 4),
        ("&#128;&#x9f;&#x81;", "€Ÿ\x81"),
        ("&#1;&#x7f;", "\x01\x7f"),
        ("&fjlig;", "&fjlig;"),
        ("&NotEqualTilde;", "\u2242\u0338"),
    ],
)
def test_references_are_decoded(written: str, shown: str) -> None:
    assert decode(written) == shown


@given(st.text(alphabet="&#xXa;ltnogvié19 ", max_size=30))
def test_references_are_those_of_the_library(text: str) -> None:
    if not re.search(r"&#x?\d*[0-9a-f]", text, re.I):  # it takes control characters out
        assert decode(text) == html.unescape(text)
    assert all(text[start] == "&" and end <= len(text) for start, end, _ in references(text))


def test_no_reference_stands_for_characters_that_a_cut_could_part() -> None:
    import regex

    parted = [n for n in html.entities.html5 if n.endswith(";") and len(regex.findall(r"\X", decode("&" + n))) > 1]
    assert parted == ["fjlig;"]


# -- selectors --------------------------------------------------------------------------------------


def matched(selector: str, source: str) -> list[str]:
    found = nest(tokens(source), parse(selector, "headers")).elements
    return [source[tokens(source).tag_at[element.opens] :].partition(">")[0] for element in found]


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("h1", ["<h1 id=a", "<H1 class='x y'"]),
        ("H1", ["<h1 id=a", "<H1 class='x y'"]),
        ("#a", ["<h1 id=a"]),
        (".y.x", ["<H1 class='x y'"]),
        ("h1.y, p[data-k]", ["<H1 class='x y'", '<p data-k="v w"']),
        ('[data-k="v w"]', ['<p data-k="v w"']),
        ("[data-k~=w]", ['<p data-k="v w"']),
        ("[data-k^=v][data-k$=w][data-k*=' ']", ['<p data-k="v w"']),
        ("[data-k='V W']", []),
        ("[data-k='V W' i]", ['<p data-k="v w"']),
        ("[lang|=en]", ["<p lang=en-GB"]),
        ("div b", ["<b id=deep"]),
        ("div > b", []),
        ("div>p>b", ["<b id=deep"]),
        ("div * b", ["<b id=deep"]),
        ("p[lang!=en-GB]", ["<p", '<p data-k="v w"']),
        ("p[lang!=EN-gb i]", ["<p", '<p data-k="v w"']),
        ("[lang|=EN i]", ["<p lang=en-GB"]),
    ],
)
def test_selectors_find_elements(selector: str, wanted: list[str]) -> None:
    source = (
        "<h1 id=a>A</h1><div><p><b id=deep>B</b></p></div><H1 class='x y'>C</H1><p data-k=\"v w\">D</p><p lang=en-GB>E"
    )
    assert matched(selector, source) == wanted


@pytest.mark.parametrize("selector", ["", " ", "h1,", "h1 >", "> h1", "h1:first-child", "h1 + p", "[a", "a..b"])
def test_other_selectors_are_refused(selector: str) -> None:
    with pytest.raises(OptionError, match=r"headers.*no selector that is known here"):
        parse(selector, "headers")


@pytest.mark.parametrize(
    "selector",
    ["é" * 50_000 + "!", "[" + "é" * 50_000, "[a" + " " * 50_000 + "b", "\\a" * 30_000 + "!", "[a=" + "'b" * 30_000],
    ids=["a name", "an attribute", "white space", "escapes", "quotes"],
)
def test_a_long_selector_is_refused_in_linear_time(selector: str) -> None:
    started = time.process_time()
    with pytest.raises(OptionError):
        parse(selector, "headers")
    assert time.process_time() - started < 1  # the pattern once took 2 to the power of its length


def test_the_narrowest_selector_wins() -> None:
    selectors: list[Selector] = [s for text in ("h1", "*", "h1.big", ".big") for s in parse(text, "headers")]
    found = nest(tokens("<h1 class=big>A</h1><h1>B</h1><p class=big>C</p><p>D</p>"), selectors).elements
    assert [selectors[element.selector].text for element in found] == ["h1.big", "h1", ".big", "*"]


def test_attributes_are_read() -> None:
    assert attributes_of(' A="1&amp;2" b=\'3\' c=4/ d a="no" e="') == {
        "a": "1&2",
        "b": "3",
        "c": "4/",
        "d": "",
        "e": "",
    }


# -- nesting ----------------------------------------------------------------------------------------


def tree_of(source: str, selector: str = "h1") -> Tree:
    return nest(tokens(source), parse(selector, "headers"))


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("<h1>A</h1><p>x<h1>B</h1>", ["/h1[1]", "/h1[2]"]),
        (
            "<html><body><main><h1>A</h1></main><main><h1>B</h1>",
            ["/html[1]/body[1]/main[1]/h1[1]", "/html[1]/body[1]/main[2]/h1[1]"],
        ),
        ("<p>a<div><h1>A</h1></div>", ["/div[1]/h1[1]"]),
        ("<span>x</span><span><h1>A</h1></span>", ["/span[2]/h1[1]"]),
        ("<table><tr><td>1<td>2<tr><td><h1>A</h1>", ["/table[1]/tr[2]/td[1]/h1[1]"]),
        ("<ul><li>a<li>b<h1>A</h1></ul>", ["/ul[1]/li[2]/h1[1]"]),
        ("<h1>A<h1>B", ["/h1[1]", "/h1[2]"]),
        ("<div><h1>A</h2><h1>B</h1>", ["/div[1]/h1[1]", "/div[1]/h1[2]"]),
    ],
)
def test_paths_of_headings(source: str, paths: list[str]) -> None:
    assert [element.xpath for element in tree_of(source).elements] == paths


def test_formatting_elements_that_a_block_ends_are_not_opened_anew() -> None:
    source = "<div><b hidden>x</div>y<p>z"  # a browser hides all of it
    assert text_of(source) == "y\n\nz"
    (element,) = tree_of(source, "b").elements
    assert element.xpath == "/div[1]/b[1]"


def test_a_path_in_a_page_of_great_depth_has_its_last_steps() -> None:
    (element,) = tree_of("<div>" * 500 + "<h1>A</h1>").elements
    assert element.xpath == "//" + "div[1]/" * 32 + "h1[1]"


def test_a_heading_that_is_never_closed_ends_before_the_next_block() -> None:
    source = "<h1>A <b>b</b><p>text<h1>B</h1>"
    first, second = tree_of(source).elements
    assert (first.opens, first.closes, first.own_end, second.own_end) == (0, 3, False, True)


HIDDEN = (
    "script style title iframe noembed noframes noscript template datalist audio video canvas desc metadata "
    "annotation annotation-xml [hidden] [style*='display:none']"
)


def shown_by_lexbor(source: str) -> str:
    """The characters that stand in the elements that are shown, by an HTML parser of another make."""
    from selectolax.lexbor import LexborHTMLParser

    parser = LexborHTMLParser(source)
    for selector in HIDDEN.split():
        for node in parser.css(selector):
            node.decompose()
    assert parser.root is not None
    return "".join(parser.root.text(deep=True).split())


def printable(source: str) -> str:
    """A text that a parser takes as it is: lone surrogates and NUL are not."""
    return source.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


# A browser moves text out of tables and opens formatting elements anew, with their attributes.
MOVED = re.compile(r"<(table|tr|tbody|a|b|i|em|code)[^>]*(hidden|display)")
NAMES = re.findall("[a-z0-9]+", "div p b i span h1 h2 ul li ol table tr td th pre a section em form dl dt dd article")
SOUP = st.lists(
    st.one_of(
        st.sampled_from(NAMES).map(lambda name: f"<{name}>"),
        st.sampled_from(NAMES).map(lambda name: f"</{name}>"),
        st.sampled_from(NAMES).map(lambda name: f"<{name} hidden>"),
        st.sampled_from(["a", "b c", "&amp;", "&lt;", "<!-- x -->", "<script>q</script>", "<br>", "<i>1</i>"]),
    ),
    max_size=14,
).map("".join)


@given(st.one_of(html_documents(), SOUP).map(printable).filter(lambda source: not MOVED.search(source)))
def test_the_text_is_what_another_parser_finds(source: str) -> None:
    source = "<!DOCTYPE html>" + source
    assert Counter("".join(text_of(source).split())) == Counter(shown_by_lexbor(source))


WORD = st.text(alphabet="abcé&<", min_size=1, max_size=6).map(html.escape)
SENTENCE = st.lists(
    st.one_of(
        WORD, st.tuples(st.sampled_from(["b", "i", "a", "code", "span"]), WORD).map("<{0[0]}>{0[1]}</{0[0]}>".format)
    ),
    min_size=1,
    max_size=6,
).map(" ".join)
BLOCK = st.one_of(
    st.tuples(st.sampled_from(["p", "h2", "div", "blockquote"]), SENTENCE).map("<{0[0]}>{0[1]}</{0[0]}>".format),
    st.lists(SENTENCE, min_size=1, max_size=4).map(
        lambda items: "<ul>" + "".join(f"<li>{i}</li>" for i in items) + "</ul>"
    ),
    st.lists(SENTENCE, min_size=1, max_size=4).map(
        lambda cells: "<table><tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr></table>"
    ),
    SENTENCE.map("<section hidden><p>{}</p></section>".format),
)


@given(st.lists(BLOCK, max_size=8).map("\n".join))
def test_the_words_of_a_proper_page_are_kept_in_order(source: str) -> None:
    spaced = re.sub(r"(</?(?:p|h2|div|blockquote|ul|li|table|tr|td)>)", r" \1 ", source)
    spaced = re.sub(r"<section hidden>.*?</section>", "", spaced, flags=re.DOTALL)
    assert text_of(source).split() == html.unescape(re.sub("<[^>]+>", "", spaced)).split()


# -- the text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>one <b>two</b> three <code>four</code> five</p>", "one two three four five"),
        ("<p>out<span>side <code>in_side</code></span> end</p>", "outside in_side end"),
        ("un<!-- x -->broken<wbr>word", "unbrokenword"),
        ("a\n  b\t<i>\nc</i> \n d", "a b c d"),
        ("<p>a</p><p>b</p>c<div>d</div><div>e</div>", "a\n\nb\n\nc\nd\ne"),
        ("a<br>b<br><br>c<br></p>d", "a\nb\n\nc\n\nd"),
        ("<ul><li>a<li><p>b</p><ul><li>c</ul><li>d</ul>e", "a\nb\nc\nd\n\ne"),
        ("<dl><dt>t<dd>d<dt>u</dl>", "t\nd\nu"),
        ("<pre>\n  x\n\n  y\n</pre>z", "  x\n\n  y\n\nz"),
        ("<pre>a <b>b</b>  <i>c</i>\n</pre>", "a b  c"),
        ("a<textarea> x <b> </textarea>b", "a  x <b> b"),
        ("<table><caption>C</caption><tr><th>a<th>b<tr><td>1<td>2</table>d", "C\na\tb\n1\t2\n\nd"),
        ("<table><tr><td><p>a</p></td><td></td><td><p>b</p><p>c</p></td></tr></table>", "a\t\tb\n\nc"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table>d</table>", "a\nb\tc\nd"),
        ("<title>t</title><style>s</style>a<script>b</script><template>c</template>d", "ad"),
        ("a<div hidden>b</div><p style='color:red;display: none'>c</p>d", "ad"),
        ("a<div hidden=until-found>b</div><p hidden style='display:block'>c</p>", "a\nb\n\nc"),
        ("<noscript><p>a</p></noscript><iframe>b</iframe>c", "c"),
        ("<select><option>a<option>b</select>c<button>d</button>", "a\nb c d"),
        ("a<img alt='no'>b<svg><title>t</title><text>c</text><text>d</text></svg>", "ab\nc\nd"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("a&nbsp;b &#32; c &#10;", "a\u00a0b c"),
        ("<math><mi>x</mi><mo>=</mo><annotation>x=</annotation></math>", "x="),
        ("a\0b", "a\0b"),
        ("<details><summary>a</summary>b<p>c</p></details>d", "a\nb\n\nc\n\nd"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_the_text_is_what_a_browser_shows(source: str, text: str) -> None:
    assert text_of(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "x<table><tr><th>k|<th>v<tr><td>1<td><p>2</p><p>3</p></table>y",
            "x\n\n| k\\| | v |\n|---|---|\n| 1 | 2 3 |\n\ny",
        ),
        ("<table><caption>C</caption><tr><td>a<td><td>b</table>", "C\n\n| a |  | b |\n|---|---|---|"),
        ("<table><tr><td>a<tr><td></table>", "| a |\n|---|\n|  |"),
        ("<table><tr><td>a<table><tr><td>b<td>c</table>d<td><pre>e\n f</pre></table>", "| a b c d | e f |\n|---|---|"),
        ("<table><tr><td>a</table><table><tr><td>b</table>", "| a |\n|---|\n\n| b |\n|---|"),
    ],
)
def test_tables_in_markdown(source: str, text: str) -> None:
    assert text_of(source, markdown=True).strip() == text


def spans_hold(page: Page, source: str, start: int, end: int) -> None:
    spans = page.spans(start, end)
    shown = "".join(page.text[start:end].split())
    assert "".join("".join(of_span(source[a:b]).split()) for a, b in spans) == shown


@given(st.one_of(html_documents(), texts(12)), st.data())
def test_spans_name_the_source_of_any_slice(source: str, data: Any) -> None:
    page = page_of(source)
    size = len(page.text)
    whole = page.guarded
    cuts = [p for p in range(size + 1) if p in (0, size) or not "\u0300" <= whole[p] <= "\u036f"]
    start, end = sorted((data.draw(st.sampled_from(cuts)), data.draw(st.sampled_from(cuts))))
    spans_hold(page, source, start, end)


def test_positions_inside_a_rewritten_text() -> None:
    source = "<p> one &amp;  two\n\n &lt;three&gt; </p>"
    page = page_of(source)
    assert page.text == "one & two <three>"
    at = page.text.index
    assert page.spans(at("two"), at("two") + 3) == ((source.index("two"), source.index("two") + 3),)
    assert page.spans(at("&"), at("&") + 1) == ((source.index("&amp;"), source.index("&amp;") + 5),)
    assert page.spans(at("<"), len(page.text)) == ((source.index("&lt;"), source.index(" </p>")),)


def test_a_mark_behind_a_tag_takes_the_tag_into_its_span() -> None:
    source = "e<b>\u0301f</b>"
    page = page_of(source)
    assert page.text == "e\u0301f"
    assert page.spans(0, 3) == ((0, 1), (1, 6))
    assert of_span(source[1:6]) == "\u0301f"


def test_flags_are_not_parted_where_the_source_has_them_otherwise() -> None:
    page = page_of("\U0001f1e7<b>\U0001f1f7\U0001f1f5</b>")
    assert page.guarded == "\U0001f1e7\U0001f1f7\u0301"


# -- hostile pages ----------------------------------------------------------------------------------

N = 100_000
HOSTILE = {
    "attribute without end": "<a " + "x" * N,
    "attributes": "<p " + "a=b " * (N // 4),
    "quotes": '<p a="' * (N // 6),
    "open blocks": "<div>" * (N // 5),
    "open formatting": "<b>" * (N // 6) + "</i>" * (N // 8),
    "nested": "<div>" * (N // 11) + "x" + "</div>" * (N // 11),
    "less-than": "<" * N,
    "end tags": "</" * (N // 2),
    "comments": "<!-- " * (N // 5),
    "scripts": "<script>" * (N // 8),
    "escaped scripts": "<script><!--" + "<script>" * (N // 8),
    "list items": "<ul><li>" * (N // 16) + "<b>" * (N // 6) + "</li>" * (N // 10),
    "cells": "<table>" + "<td>" * (N // 4) + "x",
    "tables": "<table><tr><td>" * (N // 15),
    "headings": "<h1>" * (N // 8) + "<h1><div>" * (N // 18),
    "deep headings": "<div>" * (N // 10) + "<h1>a</h1>b" * (N // 20),
    "misnested": "<a><b><p></a></b>" * (N // 17),
    "ampersands": "&" * (N // 2) + "&amp" * (N // 8),
    "a long number": "&#" + "9" * N + ";",
    "white space": "a" + " \n" * (N // 2) + "b",
    "names": "".join(f"<x{i}>" for i in range(N // 6)),
    "flags": "\U0001f1e7<b>\U0001f1f7</b>" * (N // 9),
    "marks": "<b>\u0301" * (N // 4),
    "svg": "<svg><path/><text>a</text>" * (N // 26),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_take_linear_time(name: str) -> None:
    source = HOSTILE[name]
    started = time.process_time()
    read_ = tokens(source)
    tree = nest(read_, parse("h1, .a > b", "headers"))
    shown = read(read_, tree)
    page = render(shown, tree, gaps_of(shown, tree), ~shown.shown)
    page.dropped(list(page.spans(0, len(page.text))), ~shown.shown)
    assert len(page.guarded) == len(page.text)
    assert time.process_time() - started < 5  # squared time would be minutes
