"""Hostile and long documents in the playground: a text is a text, and the marks are the chunks, for every strategy."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument, registry

Open = Callable[..., Any]

HOSTILE = (
    "<script>alert(1)</script></style></script><!-- <img src=x onerror=alert(1)> ]]> &amp; &lt; \"'` "
    "\u202eevil\u202c \u2067x\u2069 \u2028 \u2029 nul:\x00 esc:\x1b del:\x7f c1:\x9b bom:\ufeff zero:\u200b "
    "tag:\U000e0041 lone:\ud800 \udfff <a href='javascript:alert(1)' id=alert>x</a> שלום مرحبا \ufffe "
    "{version} ${alert(1)} <iframe srcdoc='<script>alert(1)</script>'></iframe><base href=//x.invalid> "
)
ASTRAL = "🚣🏽‍♀️ a👨‍👩‍👧b 𝔘𝔫𝔦 🇧🇷🇵🇹 e\u0301 " * 30
MARKDOWN = (
    f"# {HOSTILE}\n\n{ASTRAL}\n\n## Two 🚣\n\n| a | b |\n|---|---|\n| 🚣 | {HOSTILE} |\n\n- one 🚣\n- two\n\n"
    f"```html\n<script>alert(2)</script>\n```\n\n{ASTRAL}. Another sentence 🚣. And one more.\n\n## Three\n\n{ASTRAL}"
)
HTML = f"<h1>A 🚣</h1><p>{ASTRAL}</p><script>alert(3)</script><h2 onclick='alert(1)'>B</h2><p>{HOSTILE}{ASTRAL}</p>"
LATEX = f"\\section{{A 🚣}}\n\n{ASTRAL}\n\n\\subsection{{B}}\n\n{HOSTILE.replace('{', '').replace('}', '')}{ASTRAL}"
JSON = json.dumps({"a🚣": [ASTRAL, HOSTILE, {"b": list(range(50))}], "c": {"d": ASTRAL}}, ensure_ascii=False)
TEXTS = {"markdown": MARKDOWN, "html": HTML, "json": JSON, "latex": LATEX}


def expected(chunks: Chunks) -> dict[int, str]:
    """What the marks of each chunk should hold."""
    found = {}
    for chunk in chunks:
        spans = [(chunk.start, chunk.end)] if chunk.spans is None else sorted(set(chunk.spans))
        text, at = "", 0
        for a, b in spans:  # stretches that overlap are marked once
            text += chunks.source.text[max(a, at) : max(b, at)]
            at = max(at, b)
        if text:
            found[chunk.index] = text
        if chunk.spans is None:
            assert text == chunk.content
    return found


def options_of(strategy: str) -> dict[str, Any]:
    cls: Any = registry().strategy(strategy)
    options: dict[str, Any] = {}
    names = getattr(cls, "__dataclass_fields__", {})
    unused = getattr(cls, "unused", ())
    if "max_size" in names and "max_size" not in unused:
        options["max_size"] = 120
    if "overlap" in names and "overlap" not in unused:
        options["overlap"] = 30
    return options


CONTENT = """() => JSON.stringify((function text(node) {
  return node.nodeType === 3 ? node.data : node.className === "sign"
    ? node.dataset.codes.split(" ").map((code) => String.fromCodePoint(parseInt(code, 16))).join("")
    : Array.from(node.childNodes, text).join("");
})(document.querySelector(".content")))"""


@pytest.mark.filterwarnings("ignore::cantle.errors.CantleWarning")
@pytest.mark.parametrize("strategy", registry().strategies())
def test_marks_are_chunks(open_page: Open, strategy: str) -> None:
    opened = open_page()
    page = opened.page
    options = options_of(strategy)
    page.select_option("#strategy", strategy)
    for name, value in options.items():
        opened.option(name, str(value))
    kinds = [strategy] if strategy in ("html", "json", "latex") else list(TEXTS)
    for kind in kinds:
        text = TEXTS[kind]
        chunks = getattr(MDocument, f"from_{kind}")(text).chunk(strategy, **options)
        opened.put(text, kind=kind)
        assert opened.count() == len(chunks) > 0
        assert opened.marked() == expected(chunks)
        assert page.locator("#cuts .x").count() == 0
        # The panel has the chunk's own text.
        for number in {0, len(chunks) // 2, len(chunks) - 1}:
            page.locator(f"#cuts button.n[data-n='{number}']").dispatch_event("click")
            assert json.loads(page.evaluate(CONTENT)) == chunks[number].text
        # Nothing that was in the document acts.
        assert page.locator("#cuts :is(script, img, a, iframe, base, h1, p), #panel :is(script, img)").count() == 0
        assert page.title() == "cantle playground"


def test_hostile_names_options_and_answers_are_text(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(failing=(422,))
    page = opened.page
    path = tmp_path / "<img src=x onerror=alert(1)> \u202egpj.md"
    path.write_text("---\n<b onclick=alert(1)>: <script>alert(1)</script>\n---\n# <i>One</i>\n\ntext", encoding="utf-8")
    page.set_input_files("#choose", path)
    opened.settled()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert "<script>alert(1)</script>" in page.inner_text("#about")
    page.click("#rest summary")
    page.fill("#raw", '{"<img src=x onerror=alert(1)>": 1}')
    opened.settled("wrong")
    assert "<img src=x onerror=alert(1)>" in page.inner_text("#alert")
    assert page.locator("#alert *, #about script, #about b, #file img").count() == 0


def test_lone_surrogates_and_nul_come_through_a_file(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes("nul:\0 a\r\nb\rc 🚣 \u202e and more of it".encode())
    opened = open_page()
    opened.page.set_input_files("#choose", path)
    opened.settled()
    text = MDocument.from_file(path).text
    assert "\0" in text
    assert opened.marked() == {0: text}
    data = tmp_path / "odd.json"
    data.write_text('{"a": "\\ud83d", "b": ["\\udea3\\u0000", "x"]}', encoding="ascii")
    opened.page.set_input_files("#choose", data)
    opened.settled()
    assert opened.page.input_value("#strategy") == "json"
    chunks = MDocument.from_file(data).chunk("json")
    assert opened.marked() == expected(chunks)
    opened.page.locator("#cuts button.n").first.click()
    assert json.loads(opened.page.evaluate(CONTENT)) == chunks[0].text


def test_bytes_that_are_no_text_are_refused_in_words(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "bytes.md"
    path.write_bytes(bytes(range(256)) * 20)
    opened = open_page(failing=(400, 422))
    opened.page.set_input_files("#choose", path)
    opened.page.wait_for_function("() => ['done', 'wrong'].includes(document.getElementById('results').dataset.state)")
    if opened.page.get_attribute("#results", "data-state") == "wrong":
        assert "bytes.md" in opened.page.inner_text("#alert")
    else:
        assert opened.count() > 0


def words(count: int, seed: int) -> str:
    chosen = random.Random(seed)
    letters = ["tide", "harbour", "boat", "🚣", "maré", "berth", "of", "the", "a", "pontoon"]
    return " ".join(chosen.choice(letters) for _ in range(count))


@pytest.mark.parametrize("shape", ["lines", "one line", "no blanks"])
def test_a_megabyte_stays_usable(open_page: Open, shape: str) -> None:
    text = words(190_000, 1)
    if shape == "lines":
        text = text.replace(" of ", "\n\n")
    elif shape == "no blanks":
        text = "é🚣" + "x" * 1_000_000
    opened = open_page()
    page = opened.page
    opened.option("max_size", "300")
    began = time.monotonic()
    opened.put(text, strategy="recursive")
    took = time.monotonic() - began
    chunks = MDocument.from_text(text).chunk("recursive", max_size=300)
    assert opened.count() == len(chunks) > 2000
    assert opened.marked() == expected(chunks)
    assert took < 60
    page.evaluate("document.activeElement.blur()")
    began = time.monotonic()
    page.keyboard.press("j")
    page.keyboard.press("End")
    assert page.inner_text("#h-panel").startswith(f"Chunk {len(chunks) - 1} ")
    assert time.monotonic() - began < 30


def test_thousands_of_chunks_over_one_another(open_page: Open) -> None:
    text = words(3000, 2)
    chunks = MDocument.from_text(text).chunk("recursive", separators=[""], max_size=200, overlap=190)
    opened = open_page()
    for name, value in (("separators", '[""]'), ("max_size", "200"), ("overlap", "190")):
        opened.option(name, value)
    opened.put(text)
    assert opened.count() == len(chunks) > 1000
    assert opened.page.locator("#cuts .m.o").count() > 1000
