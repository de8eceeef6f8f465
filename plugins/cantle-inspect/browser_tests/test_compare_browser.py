"""The page of `compare` in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.html_view import visible
from cantle_inspect import Comparison, compare

Open = Callable[..., Any]

DOCUMENTS = sorted((Path(__file__).parents[1] / "tests" / "documents").iterdir())
TIDE = next(path for path in DOCUMENTS if path.name == "tide-tables.md")

MARKS = """(column) => {
  const found = {};
  for (const mark of document.querySelectorAll(`[data-column="${column}"] bdi[data-chunk]`))
    for (const part of mark.dataset.chunk.split(" ")) {
      const [first, last = first] = part.split("-").map(Number);
      for (let i = first; i <= last; i += 1) found[i] = (found[i] || "") + mark.textContent;
    }
  return found;
}"""


def check(page: Any, found: Comparison) -> None:
    drawn = [row for row in found.rows if row.chunks is not None]
    for column, row in enumerate(drawn):
        marks = page.evaluate(MARKS, column)
        assert row.chunks is not None
        assert len(marks) == len(row.chunks)
        for chunk in row.chunks:
            if chunk.exact:
                assert marks[str(chunk.index)] == visible(chunk.content)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_marks_are_chunks_in_every_column(open_page: Open, path: Path) -> None:
    found = compare(MDocument.from_file(path, source=path.name), options={"max_size": 90})
    check(open_page(found.to_html()).page, found)


def test_columns_stand_side_by_side_line_by_line(open_page: Open) -> None:
    found = compare(MDocument.from_file(TIDE), ["recursive", "structural-context"], options={"max_size": 200})
    for script in (True, False):
        page = open_page(found.to_html(), java_script_enabled=script).page
        rows = page.locator(".row.of-text").all()
        assert len(rows) > 5
        for row in rows:
            left, right = (cell.bounding_box() for cell in row.locator("> .t").all())
            assert left["y"] == right["y"]
            assert left["x"] + left["width"] < right["x"]


def test_the_chunk_under_the_pointer_stands_out_in_its_column(open_page: Open) -> None:
    found = compare(MDocument.from_file(TIDE), ["recursive", "sentence"], options={"max_size": 200, "overlap": 0})
    page = open_page(found.to_html()).page
    page.locator('[data-column="1"] bdi[data-chunk="2"]').first.hover()
    assert page.locator('[data-column="1"] bdi.on').count() > 0
    assert page.locator('[data-column="0"] bdi.on').count() == 0
    page.locator("h1").hover()
    assert page.locator("#theme").is_visible()


def test_chunks_are_reached_by_keyboard_and_listed(open_page: Open) -> None:
    found = compare(MDocument.from_file(TIDE), ["recursive", "sentence"], options={"max_size": 200, "overlap": 0})
    opened = open_page(found.to_html())
    page = opened.page
    assert page.locator('#text a.n[tabindex="0"]').count() == 2  # one stop a column
    page.locator("#k1t0").focus()
    for key, number in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("End", None), ("Home", 0)):
        page.keyboard.press(key)
        last = len(found.rows[1].chunks) - 1
        assert page.evaluate("document.activeElement.id") == f"k1t{last if number is None else number}"
    assert page.locator('[data-column="1"] bdi.on').count() > 0
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    last = len(found.rows[1].chunks) - 1
    assert page.url.endswith(f"#k1c{last}")
    entry = page.locator(f"#k1c{last}")
    assert entry.is_visible()
    assert f"chunk {last}, " in str(entry.text_content())
    assert "of 200 characters" in str(entry.text_content())
    assert page.locator("main").count() == 1
    assert page.get_by_role("main").get_by_role("table").count() == 1
    assert page.get_by_role("columnheader").count() >= 2
    page.emulate_media(media="print")
    assert entry.is_visible()


def test_heads_stay_in_sight(open_page: Open) -> None:
    page = open_page(compare(MDocument.from_file(TIDE), options={"max_size": 60}).to_html()).page
    page.locator(".beside").evaluate("e => { e.scrollIntoView(); e.scrollTop = e.scrollHeight / 2; }")
    head, frame = page.locator(".head").first.bounding_box(), page.locator(".beside").bounding_box()
    assert abs(head["y"] - frame["y"]) < 3


def test_headings_are_in_order(open_page: Open) -> None:
    page = open_page(compare(MDocument.from_file(TIDE)).to_html()).page
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), (e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


@pytest.mark.parametrize("columns", [1, 4, 9])
def test_paper_holds_the_columns(open_page: Open, columns: int) -> None:
    sizes = [("recursive", {"max_size": 100 + 10 * i}) for i in range(columns)]
    page = open_page(compare(MDocument.from_file(TIDE), sizes).to_html(), viewport={"width": 700, "height": 900}).page
    page.emulate_media(media="print")
    assert page.evaluate("document.querySelector('.beside').scrollWidth") <= 700
    label = "getComputedStyle(document.querySelectorAll('.row.of-text > .t')[0], '::before').content"
    assert (page.evaluate(label) != "none") == (columns > 3)


def test_hostile_text_is_text(open_page: Open) -> None:
    evil = "<script>alert(1)</script></style><img src=x onerror=alert(1)>\u202e\x00\ud800 "
    document = MDocument.from_markdown(f"# {evil}\n\n{evil * 30}", source=evil, metadata={evil: evil})
    found = compare(document, [("recursive", {"separators": [evil, " "]}), "structural-context"])
    page = open_page(found.to_html()).page
    check(page, found)
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("width", [320, 1280])
def test_only_the_columns_scroll_sideways(open_page: Open, width: int) -> None:
    found = compare(MDocument.from_file(TIDE))
    page = open_page(found.to_html(), viewport={"width": width, "height": 700}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = page.evaluate("(e => e.scrollWidth > e.clientWidth)(document.querySelector('.beside'))")
    assert wide == (width == 320)


def test_dark_and_print(open_page: Open) -> None:
    page = open_page(compare(MDocument.from_file(TIDE)).to_html(), color_scheme="dark").page
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) != "rgb(255, 255, 255)"
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_a_long_document_is_usable(open_page: Open) -> None:
    text = "\n\n".join(" ".join(f"word{(i * 7 + k) % 911}" for k in range(80)) + "." for i in range(2500))
    document = MDocument.from_text(text, source="long")
    assert len(text.split()) == 200_000
    found = compare(document, ["recursive", "sentence"], options={"max_size": 550, "overlap": 50})
    start = time.perf_counter()
    page = found.to_html()
    assert time.perf_counter() - start < 10
    start = time.perf_counter()
    opened = open_page(page)
    opened.page.screenshot()
    assert time.perf_counter() - start < 15
    start = time.perf_counter()
    opened.page.mouse.wheel(0, 5000)
    opened.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert time.perf_counter() - start < 3
