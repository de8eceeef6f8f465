"""Notes of books that hold more than paragraphs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hostile_files import epub

from cantle_files import read_file

NAMES = 'xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"'


def notes_of(note: str, element: str = "aside", more: str = "") -> str:
    held = f'<{element} id="n" epub:type="footnote" {more}>{note}</{element}>'
    page = f'<html {NAMES}><body><p>Text<a epub:type="noteref" href="#n">1</a>.</p>{held}</body></html>'
    text = read_file(epub(page), name="notes.epub").text
    assert text.startswith("Text[^1].\n\n[^1]: ")
    return text.removeprefix("Text[^1].\n\n[^1]: ")


@pytest.mark.parametrize(
    ("note", "text"),
    [
        ("<p>One.</p><p>Two.</p>", "One.\n    Two.\n"),
        ("<p>One:</p><pre><code>a = 1\nb</code></pre>", "One:\n    a = 1\n    b\n"),
        ("<p>One:</p><ul><li>first</li><li>second</li></ul>", "One:\n    \\- first\n    \\- second\n"),
        ("bare <b>words</b><div>and more</div>", "bare words\n    and more\n"),
        ("<p>See</p><table><tr><td>a</td><td>b</td></tr></table>", "See\n    a; b\n"),
        ("<blockquote>quoted</blockquote><p>said</p>", "quoted\n    said\n"),
        ('<p>At <a href="https://e.org">home</a>. <a href="#r">↩</a></p>', "At [home](https://e.org).\n"),
    ],
)
def test_all_that_a_note_holds_is_kept(note: str, text: str) -> None:
    assert notes_of(note) == text


def test_a_note_that_is_hidden_on_the_page_is_kept() -> None:
    assert notes_of("<p>words</p>", more='hidden="hidden"') == "words\n"
    assert notes_of("1. <p>words</p>", "li", 'style="display: none"') == "words\n"
