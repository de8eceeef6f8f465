"""The playground in a real browser: paste, chunk, change an option, copy; files; the keyboard alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument

Open = Callable[..., Any]

TEXT = (
    "# The harbour\n\nBoats of up to twelve metres find a berth there all year round.\n\n## Tides\n\n"
    "High water comes twice a day, about fifty minutes later each day.\n\n## Fees\n\n"
    "A night costs two euros a metre. Those who stay for a week pay for six nights.\n"
)
ODD = 'it\'s "odd" $HOME `id` \\ %s !! ; & | \n\ttab 🚣 \u202e é \x01'


def copied(opened: Any, button: str) -> str:
    opened.page.click(button)
    opened.page.wait_for_function("name => document.querySelector(name).textContent === 'Copied'", arg=button)
    return str(opened.page.evaluate("navigator.clipboard.readText()"))


def run_python(code: str, folder: Path) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True, check=True, timeout=120
    )
    return found.stdout.splitlines()


def run_shell(command: str, folder: Path, token: str) -> Any:
    import json

    found = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "TOKEN": token},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return json.loads(found.stdout)


def lines_of(chunks: Any) -> list[str]:
    return [f"{chunk.index} {chunk.start} {chunk.end} {chunk.text!r}" for chunk in chunks]


def test_paste_chunk_change_an_option_copy(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    page.evaluate("text => navigator.clipboard.writeText(text)", TEXT)
    page.focus("#input")
    page.keyboard.press("Control+V")
    opened.settled()
    assert page.input_value("#input") == TEXT
    assert opened.marked() == {0: TEXT.strip()}

    opened.option("max_size", "100")
    opened.settled()
    opened.option("overlap", "0")
    opened.settled()
    expected = MDocument.from_text(TEXT).chunk("recursive", max_size=100, overlap=0)
    assert len(expected) > 2
    assert opened.marked() == {chunk.index: chunk.content for chunk in expected}
    assert page.inner_text("#figures div:first-child").split() == ["chunks", str(len(expected))] or page.inner_text(
        "#figures div:first-child"
    ).split() == [str(len(expected)), "chunks"]

    code = copied(opened, "#copy-python")
    assert "max_size=100, overlap=0" in code
    (tmp_path / "document.txt").write_bytes(TEXT.encode())
    assert run_python(code, tmp_path) == lines_of(expected)

    command = copied(opened, "#copy-curl")
    assert "Bearer $TOKEN" in command
    assert opened.service.token not in command
    answer = run_shell(command, tmp_path, opened.service.token)
    assert [chunk["content"] for chunk in answer["chunks"]] == [chunk.content for chunk in expected]


@pytest.mark.parametrize("option", ["separator", "separators"])
def test_copied_calls_hold_any_text(open_page: Open, tmp_path: Path, option: str) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    text = f"one{ODD}two{ODD}three's"
    opened.put(text, strategy="character")
    typed = ODD.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\x01", "\\u0001")
    opened.option(option, typed)
    opened.option("max_size", "10")
    opened.settled()
    value: Any = ODD if option == "separator" else [ODD]
    expected = MDocument.from_text(text).chunk("character", max_size=10, **{option: value})
    assert opened.marked() == {chunk.index: chunk.content for chunk in expected}
    code = copied(opened, "#copy-python")
    command = copied(opened, "#copy-curl")
    for unseen in "\u202e\x01\t":
        assert unseen not in code + command
    (tmp_path / "document.txt").write_bytes(text.encode())
    assert run_python(code, tmp_path) == lines_of(expected)
    answer = run_shell(command, tmp_path, opened.service.token)
    assert [chunk["content"] for chunk in answer["chunks"]] == [chunk.content for chunk in expected]


def test_a_long_text_is_copied_as_a_file(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    text = "---\nnot: metadata\n---\n" + TEXT * 400
    opened.put(text, kind="markdown", strategy="recursive")
    command = copied(opened, "#copy-curl")
    assert len(command) < 1000
    (tmp_path / "document.md").write_bytes(text.encode())
    answer = run_shell(command, tmp_path, opened.service.token)
    assert answer["kind"] == "markdown"
    assert {chunk["index"]: chunk["content"] for chunk in answer["chunks"]} == opened.marked()


def test_a_file_is_read_by_the_service(open_page: Open, tmp_path: Path) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    path = tmp_path / 'it\'s "a" file; $x.md'
    path.write_bytes(f"---\nlang: pt\n---\n{TEXT}Maré alta: 5 €\n".encode("utf-16"))
    page.set_input_files("#choose", path)
    opened.settled()
    assert page.inner_text("#file-name") == path.name
    assert "read as markdown" in page.inner_text("#file-size")
    assert page.input_value("#strategy") == "markdown"
    opened.option("max_size", "90")
    opened.settled()
    expected = MDocument.from_file(path).chunk("markdown", max_size=90)
    assert opened.marked() == {chunk.index: chunk.content for chunk in expected}
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert "lang" in page.inner_text("#about")
    assert run_python(copied(opened, "#copy-python"), tmp_path) == lines_of(expected)
    answer = run_shell(copied(opened, "#copy-curl"), tmp_path, opened.service.token)
    assert [chunk["content"] for chunk in answer["chunks"]] == [chunk.content for chunk in expected]

    page.click("#file-remove")
    opened.settled()
    assert page.locator("#input").is_visible()
    assert opened.count() == 0


def test_a_file_is_dropped_anywhere(open_page: Open) -> None:
    opened = open_page()
    data = opened.page.evaluate_handle(
        """text => { const data = new DataTransfer();
        data.items.add(new File([text], "page.html", { type: "text/html" })); return data; }""",
        "<h1>Tides</h1><p>High water.</p><h1>Fees</h1><p>Two euros.</p>",
    )
    opened.page.dispatch_event("#cuts", "dragover", {"dataTransfer": data})
    assert opened.page.locator("#drop.over").count() == 1
    opened.page.dispatch_event("#cuts", "drop", {"dataTransfer": data})
    opened.settled()
    assert opened.page.locator("#drop.over").count() == 0
    assert opened.page.input_value("#strategy") == "html"
    assert "Tides" in opened.marked()[0]
    assert opened.page.url == f"{opened.service.url}/"


def test_without_the_clipboard_the_text_is_selected(open_page: Open) -> None:
    opened = open_page()
    page = opened.page
    page.evaluate(
        """() => { Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = () => false; }"""
    )
    opened.put(TEXT)
    page.click("#copy-python")
    page.wait_for_selector("#fallback-text")
    assert "MDocument" in page.evaluate("getSelection().toString()")
    assert page.evaluate("document.activeElement.id") == "fallback-text"
    page.wait_for_function("() => document.getElementById('status').textContent.includes('Ctrl+C')")
    page.click("#fallback-close")
    assert page.locator("#fallback").is_hidden()


def test_keys_alone_do_everything(open_page: Open) -> None:
    opened = open_page()
    page = opened.page

    def tab_to(name: str) -> None:
        for _ in range(80):
            if page.evaluate("document.activeElement.id") == name:
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{name} is not reached by the tab key")

    page.keyboard.press("Tab")
    assert "skip" in page.evaluate("document.activeElement.className")
    tab_to("input")
    page.keyboard.insert_text(TEXT)
    page.keyboard.press("Control+Enter")
    opened.settled()
    assert opened.count() == 1
    tab_to("strategy")
    page.keyboard.type("rec")
    tab_to("option-max_size")
    page.keyboard.type("100")
    page.keyboard.press("Control+Enter")
    opened.settled()
    count = opened.count()
    assert count > 2
    tab_to("copy-curl")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.n") == "0"
    page.keyboard.press("ArrowRight")
    assert page.locator("#h-panel").inner_text().startswith("Chunk 1 ")
    page.keyboard.press("End")
    assert page.locator("#h-panel").inner_text().startswith(f"Chunk {count - 1} ")
    page.keyboard.press("k")
    assert page.locator("#h-panel").inner_text().startswith(f"Chunk {count - 2} ")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.wait_for_function(f"() => document.getElementById('status').textContent.startsWith('Chunk {count - 2},')")
    tab_to("jump")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    assert page.locator("#h-panel").inner_text().startswith("Chunk 0 ")
    page.keyboard.press("Escape")
    assert page.locator("#panel").is_hidden()
    assert page.evaluate("document.activeElement.dataset.n") == "0"
    for _ in range(100):  # no trap: the tab key leaves the page again
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
    else:
        raise AssertionError("the tab key does not leave the page")


def test_letters_can_be_switched_off(open_page: Open) -> None:
    opened = open_page()
    opened.put(TEXT)
    page = opened.page
    page.evaluate("document.activeElement.blur()")
    page.click(".help summary")
    page.uncheck("#letters")
    page.keyboard.press("j")
    assert page.locator("#panel").is_hidden()
    page.check("#letters")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    assert page.locator("#panel").is_visible()


def test_the_sample_has_chunks_with_prefixes(open_page: Open) -> None:
    opened = open_page(permissions=["clipboard-read", "clipboard-write"])
    opened.page.click("#sample")
    opened.settled()
    assert opened.count() > 3
    assert opened.page.locator("#cuts .p").count() > 0
    opened.page.click("#cuts button.n >> nth=2")
    assert opened.page.locator(".content .prefix").inner_text().startswith("# The harbour")
    text = copied(opened, "#copy-chunk")
    assert text.startswith("# The harbour\n")
    assert text.endswith(opened.marked()[2])
    names = opened.page.locator("#option-length_function-list option").evaluate_all("all => all.map((e) => e.value)")
    assert {"characters", "words", "cl100k_base"} <= set(names)
    opened.page.evaluate("document.activeElement.blur()")
    # A click on a text goes to its chunk.
    opened.page.click("#cuts bdi[data-chunk='1']")
    assert opened.page.locator("#h-panel").inner_text().startswith("Chunk 1 ")


def test_what_was_left_out_is_told_with_its_reasons(open_page: Open) -> None:
    opened = open_page()
    opened.put("# One\n\na\n\n<!-- a secret remark -->\n\n# Two\n\nb", kind="markdown", strategy="structural-context")
    page = opened.page
    page.click("#dropped summary")
    assert "a secret remark" in page.inner_text("#dropped-list")
    assert page.locator("#cuts del").count() == 1


def test_a_pdf_is_read_by_its_plugin(open_page: Open, tmp_path: Path) -> None:
    pytest.importorskip("cantle_files")
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    path = tmp_path / "tides.pdf"
    page = canvas.Canvas(str(path))
    page.drawString(72, 720, "High water comes twice a day.")
    page.save()
    opened = open_page()
    opened.page.set_input_files("#choose", path)
    opened.settled()
    assert opened.page.input_value("#strategy") == "structural-context"
    assert "High water comes twice a day." in opened.page.inner_text("#cuts")
    assert "read as pdf" in opened.page.inner_text("#file-size")
