"""The HTML view: safe, bounded, readable without colours, and complete."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunk, Chunks, Source
from cantle.html_view import Stretch, attribute, dropped, escaped, render, spans, stretches, visible, worded


class Reader(HTMLParser):
    """The text of the drawing, the titles in it and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.titles, self.tags, self.classes = "", [], [], []
        self._skip = 0
        self._depth = 0
        self._in_text = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.classes.append(given.get("class", ""))
        if "title" in given:
            self.titles.append(given["title"])
        self._depth += 1
        if given.get("class") == "cv-text":
            self._in_text = self._depth
        if given.get("class") in ("cv-n", "cv-p"):
            self._skip = self._depth

    def handle_endtag(self, tag: str) -> None:
        if self._depth == self._skip:
            self._skip = 0
        if self._depth == self._in_text:
            self._in_text = 0
        self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._in_text and not self._skip:
            self.text += data


def chunks_of(text: str, *spans: tuple[int, int], **more: object) -> Chunks:
    source = Source(text, source="doc")
    return Chunks(source, [Chunk(text[s:e], s, e, **more) for s, e in spans])  # type: ignore[arg-type]


def test_the_whole_text_is_drawn_once() -> None:
    text = "one two\n\nthree  four <five> & six"
    page = Reader(render(chunks_of(text, (0, 7), (4, 14), (16, 20))))
    assert page.text == text


def test_titles_have_number_offsets_length_and_path() -> None:
    page = Reader(render(chunks_of("one two three", (0, 7), (4, 13), path=("A", "B"))))
    assert "chunk 0, 0:7, 7 characters, path A \u203a B" in page.titles
    assert (
        "overlap of chunk 0, 0:7, 7 characters, path A \u203a B; chunk 1, 4:13, 9 characters, path A \u203a B"
        in page.titles
    )
    assert "cv-a cv-o" in page.classes
    assert [c for c in page.classes if c in ("cv-a", "cv-b")][-2:] == ["cv-a", "cv-b"]


def test_dropped_text_is_struck_through_with_its_reason() -> None:
    source = Source("one SEP two  ")
    chunks = Chunks(source, [Chunk("one", 0, 3), Chunk("two", 8, 11)], dropped=[(4, 7, "separator")])
    page = render(chunks)
    assert '<del class="cv-d" title="dropped: separator"><bdi>SEP</bdi></del>' in page
    assert Reader(page).text == source.text


def test_scripts_and_attributes_cannot_break_out() -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><b>"
    source = Source(evil * 2, source=evil)
    chunk = Chunk(evil, 0, len(evil), path=(evil, '" onmouseover="alert(1)'))
    dropped = [(len(evil), 2 * len(evil), evil)]
    page = render(Chunks(source, [chunk], dropped=dropped))
    read = Reader(page)
    assert set(read.tags) <= {"div", "style", "p", "b", "span", "bdi", "del"}
    assert read.text == evil * 2
    assert "<script" not in page
    assert 'onmouseover="' not in page


def test_what_cannot_be_shown_is_named() -> None:
    text = "a\ud800b\x00c\u202ed\u2067e\r\nf\x1b\rg\ufeff"
    page = render(chunks_of(text, (0, len(text))))
    page.encode("utf-8")
    assert Reader(page).text == "a⟨U+D800⟩b␀c⟨U+202E⟩d⟨U+2067⟩e\nf␛␍\ng⟨U+FEFF⟩"


def test_huge_documents_are_cut_short() -> None:
    text = "word " * 200_000
    chunks = Chunks.from_spans(Source(text), range(0, 1_000_000, 10), range(9, 1_000_009, 10))
    page = render(chunks)
    assert len(page) < 100_000
    assert "... and 99800 more chunks, 998001 more characters" in page
    one = render(chunks_of(text, (0, len(text))))
    assert len(one) < 120_000
    assert "... 900000 more characters" in one


def test_very_many_small_spans_are_cut_short() -> None:
    text = "ab" * 50_000
    spans = tuple((i, i + 1) for i in range(0, 100_000, 2))
    chunk = Chunk("a" * 50_000, 0, 100_000, spans=spans, path=("deep",) * 20_000)
    page = render(Chunks(Source(text), [chunk]))
    assert len(page) < 1_000_000
    assert "more characters" in page


def test_spans_are_drawn_where_they_are() -> None:
    text = "head|row1|row2"
    chunks = Chunks(
        Source(text),
        [Chunk("head row1", 0, 9, spans=((0, 4), (5, 9))), Chunk("head row2", 10, 14, spans=((0, 4), (10, 14)))],
    )
    page = Reader(render(chunks))
    assert page.text == text
    assert any(title.startswith("overlap of chunk 0") for title in page.titles)


def test_a_prefix_stands_in_front_of_its_chunk_and_is_no_text_of_the_document() -> None:
    text = "one two three"
    chunks = Chunks(
        Source(text),
        [
            Chunk("one", 0, 3),
            Chunk("two", 4, 7, prefix="# A <b>&\n## \ud800\n\n"),
            Chunk("three two", 4, 13, spans=((8, 13), (4, 7)), prefix="# " + "x" * 500),
            Chunk("three", 8, 13, prefix="\n\n"),
        ],
    )
    page = render(chunks)
    read = Reader(page)
    assert read.text == text
    first = (
        '<span class="cv-p" title="prefix of chunk 1, 15 characters"><bdi># A &lt;b&gt;&amp;\n## ⟨U+D800⟩</bdi></span>'
    )
    assert f'{first}<span class="cv-n" title="chunk 1, 4:7, 18 characters">1</span>' in page
    assert f"<bdi># {'x' * 198}...</bdi></span>" in page
    assert [t for t in read.titles if t.startswith("prefix")] == [
        "prefix of chunk 1, 15 characters",
        "prefix of chunk 2, 502 characters",
    ]
    assert "(prefix)" in page
    assert "(prefix)" not in render(chunks_of(text, (0, 3)))


def test_an_empty_result_is_drawn() -> None:
    assert "0 chunks, 3 characters" in render(Chunks(Source("   ")))
    assert "1 chunk, 1 characters" in render(chunks_of("a", (0, 1)))


def test_it_reads_in_light_and_dark_and_without_colour() -> None:
    page = render(chunks_of("one two", (0, 3), (4, 7)))
    assert "color:inherit" in page  # translucent colours on the page's own
    assert page.count('class="cv-n"') == 2  # numbers, not colours alone
    assert 'aria-label="doc: 2 chunks, 7 characters"' in page


def test_chunks_show_it_in_notebooks() -> None:
    chunks = chunks_of("one two", (0, 3), (4, 7))
    assert chunks._repr_html_() == render(chunks)


def test_stretches_are_the_whole_text_cut_where_its_holders_change() -> None:
    text = "one two three four "
    chunks = [
        Chunk("one two", 0, 7),
        Chunk("two four", 4, 18, spans=((4, 7), (14, 18))),
        Chunk("", 9, 9),
        Chunk("", 19, 19),
    ]
    found = list(stretches(chunks, [(8, 13, "why")], len(text)))
    assert found == [
        Stretch(0, 4, (0,), opens=(0,)),
        Stretch(4, 7, (0, 1), opens=(1,), closes=(0,)),
        Stretch(7, 8),
        Stretch(8, 9, reason="why"),
        Stretch(9, 13, reason="why", opens=(2,)),
        Stretch(13, 14),
        Stretch(14, 18, (1,), closes=(1,)),
        Stretch(18, 19),
        Stretch(19, 19, opens=(3,)),
    ]
    clipped = list(stretches(chunks, [(8, 13, "why")], 6))
    assert clipped == [Stretch(0, 4, (0,), opens=(0,)), Stretch(4, 6, (0, 1), opens=(1,), closes=(0, 1))]
    assert list(stretches([], [], 0)) == []


def test_a_chunk_begins_behind_what_it_repeats_from_far_before() -> None:
    text = "head|row1|row2"
    chunks = [Chunk("head row1", 0, 9, spans=((0, 4), (5, 9))), Chunk("head row2", 10, 14, spans=((0, 4), (10, 14)))]
    found = list(stretches(chunks, [], len(text)))
    assert [(s.start, s.holders, s.opens, s.closes) for s in found if s.holders] == [
        (0, (0, 1), (0,), ()),
        (5, (0,), (), (0,)),
        (10, (1,), (1,), (1,)),
    ]


def test_stretches_of_many_holders_take_linear_time() -> None:
    chunks = [Chunk("", i, i + 1, spans=((0, 1), (i, i + 1))) for i in range(1, 20_000)]
    found = list(stretches(chunks, [], 20_000))
    assert len(found[0].holders) == 19_999
    assert all(len(stretch.holders) == 1 for stretch in found[1:])


def test_texts_and_values_are_written_out() -> None:
    assert (
        visible("a\u202e\r\nb\rc\u200b\U000e0041<")
        == "a\u27e8U+202E\u27e9\nb\u240d\nc\u27e8U+200B\u27e9\u27e8U+E0041\u27e9<"
    )
    assert escaped("<a b='\"'>\n&") == "&lt;a b=&#x27;&quot;&#x27;&gt;\n&amp;"
    assert attribute('"\n\x00') == "&quot; \u2400"
    assert worded("as it is") == "as it is"
    assert worded({"a": [1, None, {2}], "b": "é"}) == '{"a": [1, null, ["2"]], "b": "é"}'


HIDDEN = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFFC), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), 0xE0001, 0xE0041, 0xE01EF, 0xE0FFF),
]


def test_characters_without_a_shape_are_written_out() -> None:
    for code in HIDDEN:
        shown = f"\u27e8U+{code:04X}\u27e9"
        assert visible(f"pass{chr(code)}word") == f"pass{shown}word", hex(code)
        assert visible(chr(code)) == shown
    assert visible("caf\u00e9 \u00e0 no\u0308el") == "caf\u00e9 \u00e0 no\u0308el"


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
        "\u0915\u094d\u200d\u0937",  # Devanagari: virama and joiner
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
        "\U0001f3f3\ufe0f\u200d\U0001f308",  # a flag
        "\u2764\ufe0f 1\ufe0f\u20e3 \U0001f44d\U0001f3fd",
    ],
)
def test_joiners_stay_where_they_join(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", ["a\u200db", "\U0001f468\u200d", "\u200c\u0645", "1\ufe0f", "\u200d", "x\ufe0f"])
def test_joiners_that_join_nothing_are_written_out(text: str) -> None:
    assert "\u27e8U+" in visible(text)
    assert not set(visible(text)) & set("\u200c\u200d\ufe0f")
    run = "\u0645" + "\u200c\u200d" * 3
    assert visible(run).count("\u27e8") == 5


def test_marks_beyond_thirty_on_a_letter_are_written_out() -> None:
    assert visible("o" + "\u0301" * 30 + "k") == "o" + "\u0301" * 30 + "k"
    assert visible("o" + "\u0301" * 32) == "o" + "\u0301" * 30 + "\u27e8U+0301\u27e9" * 2
    assert visible("\U0001f468" * 100) == "\U0001f468" * 100
    assert len(visible("\u0301" * 1_000_000)) == 30 + 8 * 999_970


@given(
    st.text("ab\u0301\u0645\u200c\u200d\ufe0f\u2764\U0001f468\r\n1\u20e3", max_size=80), st.lists(st.integers(0, 80))
)
def test_the_stretches_of_a_text_give_what_the_whole_gives(text: str, places: list[int]) -> None:
    edges = sorted({0, len(text), *(min(place, len(text)) for place in places)})
    parts = [visible(text, a, b) for a, b in zip(edges, [*edges[1:], len(text)], strict=True)]
    assert "".join(parts) == visible(text)


class Raises:
    def __str__(self) -> str:
        raise RuntimeError("no string")

    __repr__ = __str__


def test_whatever_a_plugin_gives_is_drawn() -> None:
    text = "one two three four"
    given: list[Any] = [
        (15, 99, None),
        (0, 3, 7),
        (-5, 4, "x"),
        "no",
        None,
        (1, 2),
        ("a", 3, "b"),
        (9, 8, "y"),
        (4, 5, Raises()),
    ]
    odd = Chunks(Source(text), [Chunk("two", 4, 7, spans=((4, 7), None, "no", (1,), ("a", "b")))], dropped=given)  # type: ignore[arg-type]
    assert dropped(odd) == [(0, 3, "7"), (3, 4, "x"), (15, 18, "no reason given")]
    assert list(spans(odd[0])) == [(4, 7)]
    assert list(spans(Chunk("two", 4, 7, spans=5))) == [(4, 7)]  # type: ignore[arg-type]
    assert Reader(render(odd)).text == text

    def fails() -> list[tuple[int, int, str]]:
        raise RuntimeError("no list")

    outside = [
        Chunk("x", -5, 2),
        Chunk("y", 16, 99),
        Chunk("z", 40, 50),
        Chunk("w", 9, 8),
        Chunk("v", 8, 9, path=(Raises(),)),
    ]  # type: ignore[arg-type]
    chunks = Chunks(Source(text), outside, dropped=fails)
    assert dropped(chunks) == []
    assert Reader(render(chunks)).text == text


def test_any_value_is_worded() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    own: list[Any] = []
    own.append(own)
    assert worded(deep).startswith("[[[")
    assert worded(own) == '["<list>"]'
    assert worded(Raises()) == "<Raises>"
    assert worded({"a": Raises()}) == "<dict>"


def test_it_imports_nothing_above_it() -> None:
    code = "import sys, cantle.html_view; print([m for m in ('cantle.chunk', 'cantle.chunks') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
