"""Pages: the model is shown what a reader sees, and the blocks hold all of the source."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import MDocument, Source
from cantle_llm import Client, partition
from cantle_llm.lines import lines_of
from cantle_llm.partitioning.seen import seen_lines, seen_text
from cantle_llm.testing import Asked, ScriptedServer

LINE = re.compile(r"^(\d+): (.*)$", re.MULTILINE)
PAGE = """<!DOCTYPE html>
<html><head><style>
p { color: red; } /* a style that is long enough to be lines of its own, with many words in it: one two three */
h1 { font-size: 20px; }
</style><script>if (a < b) { alert("no reader sees this"); } // and more of the same, and more, and more</script></head>
<body>
<!-- a comment that nobody sees -->
<h1 class="title" id="whales">Whales &amp; dolphins</h1>
<p>Whales <b>sw</b>im far&nbsp;away. They <a href="https://example.org/sing">sing</a>.</p>
<table><tr><td>blue</td><td>30&#160;m</td></tr></table>
<script>track("a script between two paragraphs, which is longer than what goes with a paragraph " + "x".repeat(300));
track("and a second line of it, so that it is a line of its own, and no part of what stands around it, or of others")
</script>
<h2>Bread</h2><p>Bread is baked. 5 &lt; 6&#10;9: a line that is none.</p>
</body></html>
"""


def halves(asked: Asked) -> object:
    count = len(LINE.findall(asked.prompt))
    half = count // 2
    return {
        "blocks": [{"ranges": [[0, half - 1]], "label": "a"}, {"ranges": [[half, count - 1]], "label": "b"}],
        "reasoning": "",
    }


def asked_about(page: str) -> tuple[str, list[str], str]:
    """The lines of the prompt, and the text of the blocks."""
    with ScriptedServer(halves) as server, Client("m", base_url=server.url, retries=0, reasks=0) as client:
        result = partition(MDocument.from_html(page), client=client)
        prompt = server.requests[0].prompt
    lines = LINE.findall(prompt)
    assert [int(number) for number, _ in lines] == list(range(result.total_lines))
    assert result.coverage == 1
    return prompt, [line for _, line in lines], "".join(block.text for block in result.blocks)


def test_the_model_is_shown_what_a_reader_sees() -> None:
    prompt, lines, text = asked_about(PAGE)
    assert lines == [
        "Whales & dolphins",
        "Whales swim far away.",
        "They sing.",
        "blue 30 m",
        "Bread",
        "Bread is baked.",
        "5 < 6 9: a line that is none.",
    ]
    for hidden in ("color", "alert", "nobody", "href", "track", "class", "<p", "DOCTYPE"):
        assert hidden not in prompt
    assert "".join(text.split()) == "".join(PAGE.split())


def test_other_kinds_are_shown_as_they_are() -> None:
    for kind in ("text", "markdown", "latex"):
        source = Source("Write <b>bold</b> &amp; more.", kind)
        assert seen_text(source) == source.text


def test_a_page_without_anything_to_see_is_covered_too() -> None:
    _, lines, text = asked_about("<div><hr><hr></div>\n<!-- nothing -->")
    assert lines
    assert text.startswith("<div>")


@pytest.mark.parametrize("start", ["<style>", "<!--", "<script>"])
def test_what_never_ends_hides_nothing(start: str) -> None:
    assert seen_text(Source(f"<p>One.</p>{start}<p>Two.</p>", "html")).split()[-1].strip("\ufeff-!<") == "Two."


PIECES = [
    "<p>",
    "</p>",
    "<b>",
    "<style>",
    "</style>",
    "<!--",
    "-->",
    "&amp;",
    "&#10;",
    "&nGt;",
    "&",
    "<",
    ">",
    "word. ",
]
PIECES += ["<script>", "</script>", "\n\n", "<td>", "漢", "\u200b", '<a href="x">', "\ud800", "&#0;", "&#128;", "One. "]


@given(st.lists(st.sampled_from(PIECES), max_size=40))
@settings(deadline=None, max_examples=100)
def test_every_line_of_a_page_is_in_one_that_is_shown(pieces: list[str]) -> None:
    source = Source("".join(pieces), "html")
    seen, lines = seen_text(source), lines_of(source)
    assert len(seen) == len(source.text)
    shown = seen_lines(seen, lines)
    assert bool(shown) == bool(lines)
    at = 0
    for line in shown:
        assert line.start >= at
        at = line.end
    for line in lines:
        assert sum(one.start <= line.start and line.end <= one.end for one in shown) == 1


@pytest.mark.parametrize(
    "page",
    [
        "<" * 200_000,
        "<!--" * 50_000,
        "<style>" * 30_000,
        "<a " * 60_000,
        "&" * 200_000,
        "<p>a</p>" * 20_000,
        "<!--a-->" * 20_000,
    ],
)
def test_hostile_pages_take_linear_time(page: str) -> None:
    source = Source(page, "html")
    begun = time.process_time()
    assert len(seen_text(source)) == len(page)
    assert time.process_time() - begun < 10
