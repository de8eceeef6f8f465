"""How the page of `view` looks and reads in a real browser: contrast, themes, widths, print, forced colours, names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument
from cantle_inspect import explained, view

Open = Callable[..., Any]
Tide = Callable[..., Chunks]

DOCUMENTS = sorted((Path(__file__).parents[1] / "tests" / "documents").iterdir())

CONTRAST = """() => {
  const parse = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = ([r, g, b]) => {
    const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
    return .2126 * f(r) + .7152 * f(g) + .0722 * f(b);
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.textContent.trim() || !element.getClientRects().length) continue;
    if (element.closest("script, option, select")) continue;
    let opacity = 1, stack = [];
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      opacity *= Number(style.opacity);
      const stripes = style.backgroundImage.match(/rgba?\\([^)]*\\)/g);
      stack.push(stripes ? stripes.map(parse) : [parse(style.backgroundColor)]);
    }
    let grounds = [[255, 255, 255]];
    for (const layer of stack.reverse()) grounds = layer.flatMap((top) => grounds.map((under) => over(top, under)));
    const ink = element.closest("svg") ? parse(getComputedStyle(element).fill) : parse(getComputedStyle(element).color);
    for (const ground of grounds) {
      const mixed = over([ink[0], ink[1], ink[2], ink[3] * opacity], ground);
      const a = light(mixed), b = light(ground);
      const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
      if (ratio < 4.5) found.push([element.className, node.textContent.slice(0, 20), ratio]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_that_of_wcag_aa(tide: Tide, open_page: Open, scheme: str) -> None:
    document = MDocument.from_file(DOCUMENTS[0], source="a")
    for chunks in (tide(), explained(document, "html", {"max_size": 100, "overlap": 20})):
        page = open_page(view(chunks), color_scheme=scheme).page
        for details in page.locator("details").all():
            details.evaluate("e => { e.open = true; }")
        page.locator("#fold").click()
        page.keyboard.press("j")
        assert page.evaluate(CONTRAST) == []


def test_dark_and_light_follow_the_system_and_the_switch(tide: Tide, open_page: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_page(view(tide()), color_scheme="dark").page
    dark = page.evaluate(ground)
    page.locator("#theme").select_option("light")
    light = page.evaluate(ground)
    assert dark != light
    page.locator("#theme").select_option("")
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == light
    page.locator("#theme").select_option("dark")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("width", [320, 640])  # 640 is what 200 % zoom leaves of 1280
def test_narrow_screens_scroll_in_one_direction_only(open_page: Open, width: int) -> None:
    for path in DOCUMENTS:
        chunks = explained(MDocument.from_file(path, source="a-very-long-name-" * 10), None, {"max_size": 200})
        page = open_page(view(chunks), viewport={"width": width, "height": 640}).page
        page.keyboard.press("j")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        panel, text = page.locator("#panel").bounding_box(), page.locator("#text").bounding_box()
        assert panel["x"] + panel["width"] <= width
        assert panel["height"] <= 0.5 * 640
        assert text["width"] > 0.85 * width


def test_print_has_the_text_and_the_list(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide()), color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.locator("#panel").is_hidden()
    assert page.locator(".controls").is_hidden()
    assert page.locator("#c0").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.locator("bdi.m").first.evaluate("e => getComputedStyle(e).borderBlockEndStyle") == "solid"
    assert len(page.pdf()) > 10_000


def test_forced_colours_leave_borders(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide()), forced_colors="active").page
    style = "e => getComputedStyle(e).borderBlockEndStyle"
    assert page.locator('bdi.m.a:not(.o)[data-chunk="0"]').first.evaluate(style) == "solid"
    assert page.locator('bdi.m.b:not(.o)[data-chunk="1"]').first.evaluate(style) == "dashed"
    assert page.locator("bdi.m.o").first.evaluate(style) == "double"
    assert page.locator("bdi.m.s").first.evaluate("e => getComputedStyle(e).borderInlineStartWidth") == "2px"


def test_forced_colours_are_those_of_the_system(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide()), forced_colors="active").page
    page.keyboard.press("j")
    colour = "(e, name) => getComputedStyle(e)[name]"
    ink = page.evaluate("getComputedStyle(document.body).color")
    for selector, name in ((".h svg text", "fill"), (".h path", "stroke"), (".h rect", "fill")):
        for element in page.locator(selector).all():
            assert element.evaluate(colour, name) == ink, selector
    chosen = page.locator("a.n.on")
    assert chosen.evaluate("e => getComputedStyle(e).backgroundColor") == page.evaluate(
        "(() => { const e = document.createElement('i'); e.style.backgroundColor = 'Highlight';"
        " document.body.append(e); return getComputedStyle(e).backgroundColor; })()"
    )


def test_every_control_has_a_name(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide())).page
    for role, name in (
        ("textbox", "Go to chunk"),
        ("combobox", "Colours"),
        ("checkbox", "Keys"),
        ("button", "Previous"),
    ):
        assert page.get_by_role(role, name=name).count() == 1  # type: ignore[arg-type]
    assert page.get_by_role("main", name="The text with its chunks").count() == 1
    assert page.get_by_role("complementary", name="The chunk that is chosen").count() == 1
    assert page.get_by_role("link", name="chunk 3, ").count() == 1
    assert page.get_by_role("img", name="7 chunks of").count() == 1


def test_headings_are_in_order(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide())).page
    page.keyboard.press("j")
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), (e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
