"""How the playground looks and reads: contrast, themes, widths, forced colours, names, headings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

Open = Callable[..., Any]

# Contrasts below 4.5 of all texts, as WCAG computes them.
CONTRAST = """() => {
  const parse = (c) => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = ([r, g, b]) => {
    const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
    return .2126 * f(r) + .7152 * f(g) + .0722 * f(b);
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
  const found = [];
  const check = (element, words, colour) => {
    let opacity = 1, stack = [];
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      opacity *= Number(style.opacity);
      const stripes = style.backgroundImage.match(/rgba?\\([^)]*\\)/g);
      stack.push(stripes ? stripes.map(parse) : [parse(style.backgroundColor)]);
    }
    let grounds = [[255, 255, 255]];
    for (const layer of stack.reverse()) grounds = layer.flatMap((top) => grounds.map((under) => over(top, under)));
    const ink = parse(colour);
    for (const ground of grounds) {
      const a = light(over([ink[0], ink[1], ink[2], ink[3] * opacity], ground)), b = light(ground);
      const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
      if (ratio < 4.5) found.push([element.id || element.className, words.slice(0, 20), ratio]);
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.textContent.trim() || !element.getClientRects().length) continue;
    if (element.closest("option, datalist, noscript")) continue;
    check(element, node.textContent, getComputedStyle(element).color);
  }
  for (const field of document.querySelectorAll("input:not([type=checkbox], [type=file]), textarea, select")) {
    if (!field.getClientRects().length) continue;
    check(field, field.value, getComputedStyle(field).color);
    if (field.placeholder) check(field, field.placeholder, getComputedStyle(field, "::placeholder").color);
  }
  return found;
}"""


def filled(opened: Any) -> Any:
    """The page with everything on it open."""
    page = opened.page
    page.click("#sample")
    opened.settled()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.click("#token-open")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_that_of_wcag_aa(open_page: Open, scheme: str) -> None:
    opened = open_page(color_scheme=scheme, failing=(422,))
    page = filled(opened)
    assert page.evaluate(CONTRAST) == []
    opened.option("max_size", "few")
    opened.settled("wrong")
    found = page.evaluate(CONTRAST)
    assert [one for one in found if one[0] == "option-max_size-error"] == []
    opened.option("max_size", "100")
    opened.option("overlap", "200")
    opened.settled("wrong")
    assert page.inner_text("#alert")
    assert [one for one in page.evaluate(CONTRAST) if one[0] == "alert"] == []


def test_dark_and_light_follow_the_system_and_the_switch(open_page: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_page(color_scheme="dark").page
    dark = page.evaluate(ground)
    page.select_option("#theme", "light")
    light = page.evaluate(ground)
    assert dark != light
    page.select_option("#theme", "")
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == light
    page.select_option("#theme", "dark")
    assert page.evaluate(ground) == dark


@pytest.mark.parametrize("width", [320, 640])  # 640 is what 200 % zoom leaves of 1280
def test_narrow_screens_scroll_in_one_direction_only(open_page: Open, width: int) -> None:
    opened = open_page(viewport={"width": width, "height": 640})
    page = opened.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page = filled(opened)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    panel, text = page.locator("#panel").bounding_box(), page.locator("#cuts").bounding_box()
    assert panel["x"] >= 0
    assert panel["x"] + panel["width"] <= width
    assert panel["height"] <= 0.5 * 640
    assert text["width"] > 0.85 * width
    opened.put("x" * 5000 + " " + "a-very-long-word" * 300)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The number that is chosen is not behind the panel.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    badge = page.locator("button.n.on").bounding_box()
    panel = page.locator("#panel").bounding_box()
    assert badge["y"] + badge["height"] <= panel["y"] or badge["y"] >= panel["y"] + panel["height"]


def test_forced_colours_leave_borders(open_page: Open) -> None:
    opened = open_page(forced_colors="active")
    opened.option("max_size", "100")
    opened.option("overlap", "30")
    opened.put("One sentence of some words. " * 20)
    page = opened.page
    style = "e => getComputedStyle(e).borderBlockEndStyle"
    assert page.locator("#cuts bdi.m.a:not(.o)").first.evaluate(style) == "solid"
    assert page.locator("#cuts bdi.m.b:not(.o)").first.evaluate(style) == "dashed"
    assert page.locator("#cuts bdi.m.o").first.evaluate(style) == "double"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.locator("button.n.on").evaluate("e => getComputedStyle(e).backgroundColor") == page.evaluate(
        "(() => { const e = document.createElement('i'); e.style.backgroundColor = 'Highlight';"
        " document.body.append(e); return getComputedStyle(e).backgroundColor; })()"
    )


def test_every_control_has_a_name(open_page: Open) -> None:
    page = filled(open_page())
    unnamed = page.evaluate(
        """() => Array.from(document.querySelectorAll("button, input, select, textarea"))
        .filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() && e.tagName === "BUTTON"
          || Array.from(e.labels || []).some((label) => label.textContent.trim())))
        .map((e) => e.outerHTML.slice(0, 100))"""
    )
    assert unnamed == []
    for role, name in (
        ("textbox", "Text of the document"),
        ("combobox", "Strategy"),
        ("combobox", "Kind"),
        ("textbox", "max_size"),
        ("button", "Copy as curl"),
        ("textbox", "Bearer token"),
    ):
        assert page.get_by_role(role, name=name, exact=True).count() == 1, name
    assert page.get_by_role("main", name="Chunks").count() == 1
    assert page.get_by_role("complementary", name="Chunk 0").count() == 1
    ids = page.evaluate("Array.from(document.querySelectorAll('[id]'), (e) => e.id)")
    assert len(ids) == len(set(ids))
    missing = page.evaluate(
        """() => ["aria-describedby", "aria-labelledby", "aria-controls"].flatMap((name) =>
        Array.from(document.querySelectorAll(`[${name}]`)).flatMap((e) => e.getAttribute(name).split(" ")))
        .filter((id) => document.getElementById(id) === null)"""
    )
    assert missing == []


def test_headings_are_in_order(open_page: Open) -> None:
    page = filled(open_page())
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), (e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_the_focus_is_seen(open_page: Open) -> None:
    page = open_page().page
    for _ in range(14):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => { const e = document.activeElement; const own = getComputedStyle(e);
            const shown = e.type === "file" ? getComputedStyle(e.nextElementSibling) : own;
            return e === document.body || shown.outlineStyle !== "none" && parseFloat(shown.outlineWidth) >= 1; }"""
        )
        assert seen, page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
