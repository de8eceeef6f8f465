"""The page of `view` in a real browser: its marks are the chunks; keys, pointer, links; hostile and long documents."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument, Source
from cantle.html_view import visible
from cantle_inspect import explained, view

Open = Callable[..., Any]
Tide = Callable[..., Chunks]

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


def test_the_keyboard_goes_through_the_chunks(tide: Tide, open_page: Open) -> None:
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


def test_buttons_keep_the_focus_and_escape_closes_the_help(tide: Tide, open_page: Open) -> None:
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


def test_the_tab_key_stops_once_in_the_text(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide())).page
    assert page.locator("#text a.n[tabindex='0']").count() == 1
    page.keyboard.press("End")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.locator("#text a.n[tabindex='0']").get_attribute("id") == "t1"


def test_pointing_shows_and_a_click_keeps(tide: Tide, open_page: Open) -> None:
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


def test_an_address_with_a_chunk_opens_it(tide: Tide, open_page: Open) -> None:
    page = open_page(view(tide())).page
    page.goto(page.url + "#c3")
    page.reload()
    assert page.locator("#about h3").text_content() == "Chunk 3"


def test_without_script_everything_is_there(tide: Tide, open_page: Open) -> None:
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
