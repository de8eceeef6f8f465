"""The page of `view` in a real browser."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument, Source
from cantle.html_view import visible
from cantle_inspect import explained, view

Open = Callable[..., Any]

DOCUMENTS = sorted((Path(__file__).parents[1] / "tests" / "documents").iterdir())
STRATEGIES = (
    *("character", "html", "json", "latex", "markdown", "recursive", "semantic-markdown", "sentence"),
    *("structural-context", "token"),
)
KINDS = {"html": ".html", "json": ".json", "latex": ".tex"}

HOSTILE = (
    "<script>alert(1)</script></style></script><!-- <img src=x onerror=alert(1)> ]]> &amp; &lt; \"'` "
    "\u202eevil\u202c \u2067x\u2069 \u2028 \u2029 nul:\x00 esc:\x1b del:\x7f c1:\x9b bom:\ufeff zero:\u200b "
    "tag:\U000e0041 lone:\ud800 \udfff cr:\r crlf:\r\n <a href='javascript:alert(1)' id=c0>x</a> שלום مرحبا \ufffe"
)

TIDE = next(path for path in DOCUMENTS if path.name == "tide-tables.md")


def cuttings() -> Iterator[Any]:
    for path in DOCUMENTS:
        for name in STRATEGIES:
            if name not in KINDS or path.suffix == KINDS[name]:
                yield pytest.param(path, name, id=f"{path.name}-{name}")


def shown(chunks: Chunks) -> dict[int, str]:
    """What the marks of each chunk should hold."""
    found = {}
    for chunk in chunks:
        spans = [(chunk.start, chunk.end)] if chunk.spans is None else sorted(set(chunk.spans))
        text, at = "", 0
        for a, b in spans:  # stretches that overlap are marked once
            text += visible(chunks.source.text, max(a, at), max(at, b))
            at = max(at, b)
        found[chunk.index] = text
    return found


def tide(**options: Any) -> Chunks:
    return explained(
        MDocument.from_file(TIDE, source=TIDE.name), "recursive", {"max_size": 300, "overlap": 80, **options}
    )


@pytest.mark.parametrize(("path", "strategy"), list(cuttings()))
def test_marks_are_chunks(open_page: Open, path: Path, strategy: str) -> None:
    options = {"max_size": 80} | ({} if strategy == "json" else {"overlap": 20})
    chunks = explained(MDocument.from_file(path, source=path.name), strategy, options)
    opened = open_page(view(chunks))
    texts = opened.texts()
    assert len(texts) == len(chunks) > 0
    assert texts == shown(chunks)
    for chunk in chunks:
        if chunk.exact:
            assert texts[chunk.index] == visible(chunk.content)
        else:
            assert opened.page.locator(f"#c{chunk.index} .content").text_content() == visible(chunk.content)
    assert opened.page.locator("#text a.n").count() == len(chunks)


def test_a_hostile_document_is_text(open_page: Open) -> None:
    text = f"# {HOSTILE}\n\n" + f"{HOSTILE}\n\n" * 20
    document = MDocument.from_markdown(text, metadata={HOSTILE: [HOSTILE]}, source=HOSTILE)
    for strategy in ("recursive", "structural-context"):
        chunks = explained(document, strategy, {"max_size": 500, "overlap": 60})
        opened = open_page(view(chunks))
        page = opened.page
        assert opened.texts() == shown(chunks)
        assert page.locator("script").count() == 1
        assert page.locator("img, iframe, object, [onerror]").count() == 0
        assert page.locator("#text script, #text style, #entries script").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
        for key in "jjjk":
            page.keyboard.press(key)
        assert page.locator("#panel script, #panel img").count() == 0
        body = page.locator("body").text_content() or ""
        assert not set(body) & set("\u202e\u202c\u2067\u2069\x00\x1b\x9b\u200b")
        assert "⟨U+202E⟩evil" in body


def test_text_that_is_written_from_right_to_left_moves_nothing_else(open_page: Open) -> None:
    document = MDocument.from_text("one two three.\n\nשלום עולם abc 123.\n\nfour five six.", source="mixed")
    opened = open_page(view(explained(document, "recursive", {"max_size": 20, "overlap": 0})))
    left = [
        opened.page.locator(f"#t{i}").bounding_box()["x"]
        for i in (0, 1, 2)  # the badges stand where lines begin
    ]
    assert max(left) - min(left) < 4
    assert opened.page.locator('bdi[data-chunk="1"]').evaluate("e => getComputedStyle(e).direction") == "rtl"


def test_the_keyboard_goes_through_the_chunks(open_page: Open) -> None:
    chunks = tide()
    page = open_page(view(chunks)).page
    panel, last = page.locator("#about h3"), len(chunks) - 1

    def press(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        return str(panel.text_content(timeout=1000))

    assert press("j") == "Chunk 0"
    assert press("j", "ArrowRight") == "Chunk 2"
    assert press("k") == "Chunk 1"
    assert press("ArrowLeft") == "Chunk 0"
    assert press("k") == "Chunk 0"
    assert press("End") == f"Chunk {last}"
    assert press("j") == f"Chunk {last}"
    assert press("Home") == "Chunk 0"
    assert press("ArrowDown", "ArrowDown") == "Chunk 2"
    assert page.evaluate("document.activeElement.id") == "t2"
    assert page.locator("bdi.on").count() > 0
    assert page.locator("#t2").evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert "Chunk 2." in str(page.locator("#said").text_content())
    assert press("/", "3", "Enter") == "Chunk 3"
    assert press("4", "Enter") == "Chunk 4"
    press("9", "9", "Enter")
    assert page.locator("#jump").get_attribute("aria-invalid") == "true"
    assert "from 0 to" in str(page.locator("#said").text_content())
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert panel.count() == 0
    assert page.locator("bdi.on").count() == 0
    page.locator("#keys").uncheck()
    page.locator("#text").focus()
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    assert panel.count() == 0
    page.locator("#text a.n[tabindex='0']").focus()
    page.keyboard.press("Home")
    assert press("ArrowRight", "ArrowDown") == "Chunk 2"
    assert press("j") == "Chunk 2"
    assert press("End") == f"Chunk {last}"


def test_buttons_keep_the_focus_and_escape_closes_the_help(open_page: Open) -> None:
    page = open_page(view(tide())).page
    page.locator("#next").focus()
    for number in (0, 1, 2):
        page.keyboard.press("Enter")
        assert page.locator("#about h3").text_content() == f"Chunk {number}"
        assert page.evaluate("document.activeElement.id") == "next"
    page.locator("#previous").click()
    assert page.evaluate("document.activeElement.id") == "previous"
    page.locator(".help summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".help[open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".help[open]").count() == 0
    assert page.locator("#about h3").text_content() == "Chunk 1"


def test_headings_are_in_order(open_page: Open) -> None:
    page = open_page(view(tide())).page
    page.keyboard.press("j")
    levels = page.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), (e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_the_tab_key_stops_once_in_the_text(open_page: Open) -> None:
    page = open_page(view(tide())).page
    assert page.locator("#text a.n[tabindex='0']").count() == 1
    page.keyboard.press("End")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("#text a.n[tabindex='0']").get_attribute("id") == "t1"


def test_pointing_shows_and_a_click_keeps(open_page: Open) -> None:
    page = open_page(view(tide())).page
    panel = page.locator("#about h3")
    page.locator('bdi[data-chunk="2"]').first.hover()
    assert panel.text_content() == "Chunk 2"
    page.locator('bdi[data-chunk="3"]').first.hover()
    assert panel.text_content() == "Chunk 3"
    page.locator('bdi[data-chunk="3"]').first.click()
    page.locator('bdi[data-chunk="2"]').first.hover()
    assert panel.text_content() == "Chunk 3"
    page.locator("#close").click()
    shared = page.locator('bdi[data-chunk="1-2"]').first
    shared.click()
    assert panel.text_content() == "Chunk 2"
    assert page.locator("#also").text_content() == "This stretch is also in chunk 1"
    shared.click()
    assert panel.text_content() == "Chunk 1"
    page.locator("#next").click()
    page.locator("#next").click()
    assert panel.text_content() == "Chunk 3"
    page.locator("#previous").click()
    assert panel.text_content() == "Chunk 2"
    assert "overlap" in str(page.locator("#about").text_content())


def test_an_address_with_a_chunk_opens_it(open_page: Open) -> None:
    page = open_page(view(tide())).page
    page.goto(page.url + "#c3")
    page.reload()
    assert page.locator("#about h3").text_content() == "Chunk 3"


def test_without_script_everything_is_there(open_page: Open) -> None:
    chunks = tide()
    page = open_page(view(chunks), java_script_enabled=False).page
    assert page.locator(".controls").is_hidden()
    assert page.locator("#panel").is_hidden()
    page.locator("#t4").click()
    assert page.url.endswith("#c4")
    entry = page.locator("#c4")
    assert entry.is_visible()
    box = entry.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 900
    assert "Ends" in str(entry.text_content())
    page.locator("#c4 h3 a").click()
    assert page.url.endswith("#t4")


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
def test_contrast_is_that_of_wcag_aa(open_page: Open, scheme: str) -> None:
    document = MDocument.from_file(DOCUMENTS[0], source="a")
    for chunks in (tide(), explained(document, "html", {"max_size": 100, "overlap": 20})):
        page = open_page(view(chunks), color_scheme=scheme).page
        for details in page.locator("details").all():
            details.evaluate("e => { e.open = true; }")
        page.locator("#fold").click()
        page.keyboard.press("j")
        assert page.evaluate(CONTRAST) == []


def test_dark_and_light_follow_the_system_and_the_switch(open_page: Open) -> None:
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


def test_print_has_the_text_and_the_list(open_page: Open) -> None:
    page = open_page(view(tide()), color_scheme="dark").page
    page.emulate_media(media="print")
    assert page.locator("#panel").is_hidden()
    assert page.locator(".controls").is_hidden()
    assert page.locator("#c0").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert page.locator("bdi.m").first.evaluate("e => getComputedStyle(e).borderBlockEndStyle") == "solid"
    assert len(page.pdf()) > 10_000


def test_forced_colours_leave_borders(open_page: Open) -> None:
    page = open_page(view(tide()), forced_colors="active").page
    style = "e => getComputedStyle(e).borderBlockEndStyle"
    assert page.locator('bdi.m.a:not(.o)[data-chunk="0"]').first.evaluate(style) == "solid"
    assert page.locator('bdi.m.b:not(.o)[data-chunk="1"]').first.evaluate(style) == "dashed"
    assert page.locator("bdi.m.o").first.evaluate(style) == "double"
    assert page.locator("bdi.m.s").first.evaluate("e => getComputedStyle(e).borderInlineStartWidth") == "2px"


def test_forced_colours_are_those_of_the_system(open_page: Open) -> None:
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


@pytest.mark.parametrize("kind", ["overlap", "marks"])
def test_hostile_shapes_open(open_page: Open, kind: str) -> None:
    if kind == "overlap":
        chunks = Chunks.from_spans(Source("word " * 10_000), range(49_001), range(1000, 50_001))
    else:
        chunks = explained(MDocument.from_text("\u0301" * 1_000_000), "recursive", {"max_size": 1000, "overlap": 0})
    made = view(chunks)
    start = time.perf_counter()
    opened = open_page(made)
    opened.page.keyboard.press("j")
    assert opened.page.locator("#about h3").text_content() == "Chunk 0"
    opened.page.screenshot(timeout=60_000)
    assert time.perf_counter() - start < 60


def test_every_control_has_a_name(open_page: Open) -> None:
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


WORDS = 200_000


@pytest.fixture(scope="module")
def long_text() -> str:
    random.seed(5)
    words = [f"word{random.randrange(900)}" for _ in range(WORDS)]
    paragraphs = [" ".join(words[i : i + 80]) for i in range(0, WORDS, 80)]
    return "\n\n".join(f"## Part {i}\n\n{p}" if i % 20 == 0 else p for i, p in enumerate(paragraphs))


@pytest.mark.parametrize("shape", ["paragraphs", "one line"])
@pytest.mark.parametrize("script", [True, False])
def test_a_long_document_is_usable(open_page: Open, long_text: str, shape: str, script: bool) -> None:
    text = long_text if shape == "paragraphs" else " ".join(long_text.split())
    chunks = explained(MDocument.from_markdown(text, source="long.md"), "recursive", {"max_size": 550, "overlap": 60})
    assert len(chunks) > 3000
    start = time.perf_counter()
    made = view(chunks)
    assert time.perf_counter() - start < 10
    assert len(made.encode()) < 9 * len(text)
    start = time.perf_counter()
    opened = open_page(made, java_script_enabled=script)
    opened.page.screenshot()
    assert time.perf_counter() - start < 15
    if not script:
        return
    assert len(opened.texts()) == len(chunks)
    frame = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    opened.page.keyboard.press("j")  # collects the marks
    start = time.perf_counter()
    for key in ("j", "End", "k", "Home", "j", "j"):
        opened.page.keyboard.press(key)
        opened.page.evaluate(frame)
    assert time.perf_counter() - start < 6 * 0.7
    assert opened.page.locator("#about h3").text_content() == "Chunk 2"
