"""`view`: the chunks of one document as a page to look at."""

from __future__ import annotations

from itertools import pairwise

from cantle import Chunks
from cantle.commands import counted
from cantle.errors import OptionError
from cantle.html_view import escaped

from ..measures.settings import title
from ..measures.sizes import measured
from .drawing import draw, in_blocks, line_breaks
from .entries import badge, entries
from .histogram import describe, histogram
from .skeleton import asset, page, tools
from .summary import document, figures, lost, options, settings

__all__ = ["view"]

_BLOCK = 1500
"""How many characters of the text, at least, a browser lays out at once."""

_WHITE = '<span><span class="w">↵ ·</span> white space in no chunk</span>'

_KEYS = '<label><input id="keys" type="checkbox" checked> Keys</label>'

_HELP = (
    "<dl><dt><kbd>j</kbd> <kbd>→</kbd></dt><dd>next chunk</dd><dt><kbd>k</kbd> <kbd>←</kbd></dt><dd>previous chunk</dd>"
    "<dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>first, last chunk (while one is chosen)</dd>"
    "<dt><kbd>/</kbd> or a number</dt><dd>go to a chunk by its number</dd>"
    "<dt><kbd>Esc</kbd></dt><dd>let go of the chunk</dd></dl>"
    "<p>Without <em>Keys</em> arrows, <kbd>Home</kbd> and <kbd>End</kbd> work on the number of a chunk alone.</p>"
    "<p>Point at a chunk to see what there is to know about it; click to keep it shown.</p>"
)


def view(chunks: Chunks) -> str:
    """A self-contained HTML page: the document with its chunks marked, and what there is to know about each.

    The page loads nothing and needs no script to be read. The whole text is shown, control characters written out. A
    mark is an element with the numbers of its chunks in `data-chunk`; the text of a chunk's marks, joined, is the
    chunk's content, or the stretches of the document that it is made of. Sizes are in the unit of the strategy. Why a
    chunk ends where it ends is said when it was cut with `explain=True`.

    The same chunks give the same page, byte for byte. Its size and the time are linear in those of the document and
    its chunks. Raises `OptionError` for what is no `Chunks`.
    """
    if not isinstance(chunks, Chunks):
        raise OptionError(
            f"view takes the chunks of a document, got {type(chunks).__name__}. Cut it first: "
            "view(explained(MDocument.from_file(path)))."
        )
    text = chunks.source.text
    sizes = measured(chunks)
    breaks = line_breaks(text, _BLOCK)
    texts = (text[a:b] for a, b in pairwise([0, *breaks, len(text)]))
    drawn = "\n".join(in_blocks(draw(chunks, breaks, lambda chunk: badge(chunk, sizes)), texts))
    name = chunks.source.source or "document"
    heading = f"{name}: {counted(len(chunks), 'chunk')}"
    help_ = f'<details class="help"><summary>Help</summary>{_HELP}</details>'
    about = f"Cut by <b><bdi>{escaped(_clipped(title(chunks.strategy)))}</bdi></b>. " if chunks.strategy else ""
    metadata = document(chunks)
    parts = [
        '<a class="skip" href="#text">To the text</a> <a class="skip" href="#entries">To the list of chunks</a>',
        f'<header><h1><bdi>{escaped(name)}</bdi></h1><p class="lead">{about}{escaped(describe(sizes))}</p>',
        f'<dl class="figures">{figures(chunks, sizes)}</dl>',
        f'<div class="more">{histogram(sizes)}<div class="facts"><details><summary>Settings</summary>',
        f"{settings(chunks)}{options(chunks.strategy)}</details><details><summary>What is in no chunk</summary>",
        f"{lost(chunks)}</details>",
        f"<details><summary>Metadata of the document</summary>{metadata}</details>" if metadata else "",
        "</div></div></header>",
        tools(_WHITE, _KEYS + help_),
        '<div class="main"><main id="text" class="text" tabindex="-1" aria-label="The text with its chunks">',
        f"{drawn}</main>",
        '<aside id="panel" class="panel" aria-label="The chunk that is chosen" hidden><h2 class="said">'
        'The chunk that is chosen</h2><div class="bar-of-panel">'
        '<button id="previous" type="button">Previous</button><button id="next" type="button">Next</button>'
        '<label>Go to <input id="jump" aria-label="Go to chunk" inputmode="numeric" autocomplete="off"></label>'
        '<button id="close" type="button">Close</button></div><p id="also"></p><div id="about"><p class="hint">'
        "Point at a chunk, or press <kbd>j</kbd>.</p></div></aside></div>",
        '<section id="entries" class="entries" aria-labelledby="list"><h2 id="list">The chunks, one by one</h2>'
        '<button id="fold" type="button" hidden aria-expanded="false" aria-controls="all">Show the list</button>',
        f'<ol id="all" class="list">{chr(10).join(entries(chunks, sizes))}</ol></section>',
        '<p id="said" class="said" role="status"></p>',
    ]
    return page(heading, "\n".join(parts), script=asset("script.js"))


def _clipped(words: str) -> str:
    return words if len(words) <= 300 else f"{words[:299]}…"
