"""The page of `compare`: figures, and the document in a column a strategy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from cantle import Chunk
from cantle.html_view import attribute, escaped

from ..measures.cuts import KINDS
from ..measures.settings import worded_options
from ..measures.sizes import Sizes, number
from .drawing import direction, draw, isolated
from .histogram import histogram
from .reasons import why
from .skeleton import asset, page

if TYPE_CHECKING:
    from .comparison import Compared, Comparison

__all__ = ["COLUMNS", "cells", "fragment", "side_by_side"]

COLUMNS = (
    *("strategy", "chunks", "min", "median", "mean", "max", "used", "overlap", "dropped"),
    *("sentences", "tables", "code"),
)
"""The columns of the table of figures; the last three count cuts."""

_ROW_LEAST, _ROW_MOST = 80, 2000
"""Characters of the document in a row of the page: beyond the second it is parted at lines that are not blank too."""

_BLANK = re.compile(r"\n[ \t\r]*\n[ \t\r\n]*")


def cells(comparison: Comparison, row: Compared) -> list[str]:
    """The figures of a strategy, one a column."""
    title = comparison.title(row)
    if row.chunks is None:
        return [title, *["–"] * (len(COLUMNS) - 1)]
    sizes = row.sizes
    return [
        title,
        f"{len(row.chunks):,}",
        *map(number, (sizes.least, sizes.median, sizes.mean, sizes.most)),
        "–" if sizes.used is None else f"{sizes.used:.0%}",
        f"{row.overlap:.1%}",
        f"{row.losses.characters:,}",
        *(f"{row.through(kind):,} ({row.share(kind):.0%})" for kind in KINDS),
    ]


def fragment(comparison: Comparison) -> str:
    """The table of figures."""
    head = "".join(f'<th scope="col"{_right(i)}>{name}</th>' for i, name in enumerate(COLUMNS))
    groups = '<tr><td colspan="9"></td><th scope="colgroup" colspan="3" class="r">cuts that go through</th></tr>'
    body = []
    for row in comparison.rows:
        shown = cells(comparison, row)
        first = f'<th scope="row">{isolated(shown[0])}</th>'
        if row.error:
            body.append(f'<tr>{first}<td class="x" colspan="{len(COLUMNS) - 1}">{isolated(row.error)}</td></tr>')
        else:
            rest = "".join(f"<td{_right(1)}>{escaped(cell)}</td>" for cell in shown[1:])
            body.append(f"<tr>{first}{rest}</tr>")
    return f'<table class="figures-of-all"><thead>{groups}<tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def _right(column: int) -> str:
    return ' class="r"' if column else ""


def side_by_side(comparison: Comparison) -> str:
    """A self-contained HTML page; see `Comparison.to_html`. Its size is linear in that of document and chunks."""
    document = comparison.document
    text = document.text
    drawn = [row for row in comparison.rows if row.chunks is not None]
    breaks = row_breaks(text)
    columns = [_column(row, breaks, i) for i, row in enumerate(drawn)]
    heads = "".join(_head(row, comparison.title(row)) for row in drawn)
    rows = []
    for i, (start, end) in enumerate(pairwise([0, *breaks, len(text)])):
        way = direction(text[start:end])
        inside = "".join(
            f'<div role="cell" class="t" dir="{way}" data-column="{k}">{c[i]}</div>' for k, c in enumerate(columns)
        )
        rows.append(f'<div role="row" class="row">{inside}</div>')
    name = document.source or "document"
    strategies = f"{len(comparison.rows)} strateg{'y' if len(comparison.rows) == 1 else 'ies'}"
    units = ", ".join(f"{count:,} {_plural(kind, count)}" for kind, count in comparison.units.items())
    parts = [
        '<a class="skip" href="#text">To the text</a>',
        f'<header><h1><bdi>{escaped(name)}</bdi></h1><p class="lead">{strategies} side by side. The document has '
        f"{len(text):,} characters: {units}.</p>",
        f'<div class="wide">{fragment(comparison)}</div>{_note(comparison, drawn)}</header>',
        '<div class="tools"><p class="legend"><span><a class="n a">0</a><bdi class="m a s">a chunk</bdi></span>'
        '<span><a class="n b">1</a><bdi class="m b s">the next</bdi></span><span><bdi class="m a o">in several '
        '(overlap)</bdi></span><span><del>dropped</del></span><span class="l x">cuts a sentence</span></p>'
        '<div class="controls" hidden><label>Colours <select id="theme"><option value="">as the system</option>'
        '<option value="light">light</option><option value="dark">dark</option></select></label></div></div>',
        f'<main id="text" class="beside" tabindex="-1" role="table" aria-label="The document in a column a strategy">'
        f'<div role="row" class="row heads">{heads}</div>{chr(10).join(rows)}</main>',
    ]
    style = asset("style.css") + asset("side_by_side.css") + f".row {{ grid-template-columns: {_grid(len(drawn))}; }}\n"
    return page(f"{name}: {strategies}", "\n".join(parts), style=style, script=asset("side_by_side.js"))


def row_breaks(text: str) -> list[int]:
    """Where rows of the page begin: behind blank lines, and at any line where those are far apart."""
    found: list[int] = []
    at = 0
    for place in (*(m.end() for m in _BLANK.finditer(text)), len(text)):
        while place - at > _ROW_MOST:
            line = text.find("\n", at + _ROW_MOST // 2, place - 1) + 1
            if not line:
                break
            found.append(line)
            at = line
        if place - at >= _ROW_LEAST and place < len(text):
            found.append(place)
            at = place
    return found


def _note(comparison: Comparison, drawn: Sequence[Compared]) -> str:
    common = ", ".join(worded_options(comparison.common))
    shared = f"All have {isolated(common)}. " if common and len(drawn) > 1 else ""
    return (
        f'<p class="note">{shared}Sizes are in {_units(drawn)}, prefix and overlap included; used is the mean size as '
        "a share of the limit; dropped are characters. A cut is where a chunk ends and the next one’s own text begins; "
        "behind the number of those that go through a sentence, a table or a code block stands their share of all cuts."
        "</p>"
    )


def _grid(columns: int) -> str:
    return f"repeat({max(columns, 1)}, minmax(17rem, 1fr))"


def _units(rows: Sequence[Compared]) -> str:
    units = list(dict.fromkeys(row.sizes.unit for row in rows))
    if len(units) <= 1:
        return escaped(units[0] if units else "characters")
    return "; ".join(
        f"{escaped(unit)} for {', '.join(escaped(r.strategy) for r in rows if r.sizes.unit == unit)}" for unit in units
    )


def _plural(kind: str, count: int) -> str:
    return {"code": "code block"}.get(kind, kind) + ("" if count == 1 else "s")


def _head(row: Compared, title: str) -> str:
    assert row.chunks is not None
    count = f"{len(row.chunks):,} chunk{'' if len(row.chunks) == 1 else 's'}"
    return (
        f'<div role="columnheader" class="head"><h2>{isolated(title)}</h2><p>{count}, '
        f"{number(row.sizes.mean)} {escaped(row.sizes.unit)} on average</p>"
        f"{histogram(row.sizes)}</div>"
    )


def _column(row: Compared, breaks: Sequence[int], column: int) -> list[str]:
    chunks = row.chunks
    assert chunks is not None

    def badge(chunk: Chunk) -> str:
        label = _label(chunk, row.sizes) + (f". {reason}" if (reason := why(chunk, chunks, row.sizes)) else "")
        kind = "b" if chunk.index % 2 else "a"
        return f'<span class="n {kind}" title="{attribute(label)}">{chunk.index}</span>'

    return draw(chunks, breaks, badge, _tail(row.torn))


def _tail(torn: Sequence[frozenset[str]]) -> Callable[[int], str]:
    def tail(i: int) -> str:
        if i >= len(torn) or not torn[i]:
            return ""
        kinds = " and ".join(
            {"sentence": "a sentence", "table": "a table", "code": "code"}[k] for k in KINDS if k in torn[i]
        )
        return f'<span class="l x">cuts {kinds}</span>'

    return tail


def _label(chunk: Chunk, sizes: Sizes) -> str:
    limit = "" if sizes.limit is None else f" of {number(sizes.limit)}"
    return f"chunk {chunk.index}, {chunk.start}–{chunk.end}, {number(sizes.values[chunk.index])}{limit} {sizes.unit}"
