"""The page of `compare`: figures, and the document in a column a strategy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from cantle import Chunk, Chunks
from cantle.commands import counted
from cantle.html_view import attribute, escaped

from ..measures.cuts import KINDS
from ..measures.settings import worded_options
from ..measures.sizes import Sizes, number
from ..report.drawing import direction, draw, isolated
from ..report.entries import ending, outside, size_of
from ..report.histogram import histogram
from ..report.skeleton import asset, page, tools
from .columns import COLUMNS, cells

if TYPE_CHECKING:
    from .comparison import Compared, Comparison

__all__ = ["fragment", "row_breaks", "side_by_side"]

_ROW_LEAST, _ROW_MOST = 80, 2000
"""Characters of the document in a row of the page: beyond the second it is parted at lines that are not blank too."""

_BLANK = re.compile(r"\n[ \t\r]*\n[ \t\r\n]*")


_NARROW = 3
"""How many columns a sheet of paper holds side by side."""


def fragment(comparison: Comparison) -> str:
    """The table of figures."""
    names = ["strategy", *(column.short for column in COLUMNS)]
    head = "".join(f'<th scope="col"{_right(i)}>{name}</th>' for i, name in enumerate(names))
    cuts = len(KINDS)
    groups = (
        f'<tr><td colspan="{len(names) - cuts}"></td>'
        f'<th scope="colgroup" colspan="{cuts}" class="r">cuts that go through</th></tr>'
    )
    body = []
    for row in comparison.rows:
        title, *figures = cells(comparison, row)
        first = f'<th scope="row">{isolated(title)}</th>'
        if row.error:
            body.append(f'<tr>{first}<td class="x" colspan="{len(figures)}">{isolated(row.error)}</td></tr>')
        else:
            rest = "".join(f"<td{_right(1)}>{escaped(cell)}</td>" for cell in figures)
            body.append(f"<tr>{first}{rest}</tr>")
    return f'<table class="figures-of-all"><thead>{groups}<tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def _right(column: int) -> str:
    return ' class="r"' if column else ""


@dataclass(frozen=True)
class _Column:
    """What a strategy has on the page: its heads, its text in rows, the list of its chunks."""

    title: str
    row: Compared
    texts: list[str]
    items: str


def side_by_side(comparison: Comparison) -> str:
    """A self-contained HTML page; see `Comparison.to_html`. Its size is linear in that of document and chunks."""
    document = comparison.document
    text = document.text
    breaks = row_breaks(text)
    columns: list[_Column] = []
    failed = []
    for row in comparison.rows:
        if row.chunks is None:
            continue
        title = comparison.title(row)
        try:
            columns.append(_column(title, row, row.chunks, breaks, len(columns)))
        except Exception as error:  # what a plugin gave may be anything
            failed.append(f'<p class="x">{isolated(f"{title} cannot be drawn: {type(error).__name__}: {error}")}</p>')
    rows = []
    for i, (start, end) in enumerate(pairwise([0, *breaks, len(text)])):
        way = direction(text[start:end])
        inside = "".join(
            f'<div role="cell" class="t" dir="{way}" data-column="{k}">{column.texts[i]}</div>'
            for k, column in enumerate(columns)
        )
        rows.append(f'<div role="row" class="row of-text">{inside}</div>')
    name = document.source or "document"
    count = len(comparison.rows)
    strategies = f"{count} strateg{'y' if count == 1 else 'ies'}"
    named = [counted(n, {"code": "code block"}.get(kind, kind)) for kind, n in comparison.units.items()]
    units = f": {', '.join(named)}" if named else ""
    many = " many" if len(columns) > _NARROW else ""
    lists = "".join(f"<div><h3>{isolated(column.title)}</h3><ol>{column.items}</ol></div>" for column in columns)
    parts = [
        '<a class="skip" href="#text">To the text</a> <a class="skip" href="#chunks">To the list of chunks</a>',
        f'<header><h1><bdi>{escaped(name)}</bdi></h1><p class="lead">{strategies} side by side. The document has '
        f"{counted(len(text), 'character')}{units}.</p>",
        '<div class="wide" role="region" aria-label="The figures of each strategy" tabindex="0">'
        f"{fragment(comparison)}</div>{_note(comparison, [column.row for column in columns])}",
        f"{''.join(failed)}</header>",
        tools('<span class="l x">cuts a sentence</span>'),
        f'<main id="text" tabindex="-1"><div class="beside{many}" role="table" tabindex="0" '
        'aria-label="The document in a column a strategy">'
        f'<div role="row" class="row heads">{"".join(map(_head, columns))}</div>'
        f'<div role="row" class="row about">{"".join(map(_sizes, columns))}</div>{chr(10).join(rows)}</div></main>',
        '<section id="chunks" aria-labelledby="list" tabindex="-1"><h2 id="list">The chunks of each strategy</h2>'
        f'<div class="lists">{lists}</div></section>'
        if columns
        else "",
    ]
    style = asset("style.css", __package__) + _grid(len(columns))
    return page(f"{name}: {strategies}", "\n".join(parts), style=style, script=asset("script.js", __package__))


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
    """As many columns as strategies; on paper as many as it holds, each cell with its number when they are more."""
    return (
        f".row {{ grid-template-columns: repeat({max(columns, 1)}, minmax(17rem, 1fr)); }}\n@media print {{ "
        f".row {{ grid-template-columns: repeat({min(max(columns, 1), _NARROW)}, minmax(0, 1fr)); }} }}\n"
    )


def _units(rows: Sequence[Compared]) -> str:
    units = list(dict.fromkeys(row.sizes.unit for row in rows))
    if len(units) <= 1:
        return escaped(units[0] if units else "characters")
    return "; ".join(
        f"{escaped(unit)} for {', '.join(escaped(r.strategy) for r in rows if r.sizes.unit == unit)}" for unit in units
    )


def _head(column: _Column) -> str:
    return (
        f'<div role="columnheader" class="head"><h2 title="{attribute(column.title)}">{isolated(column.title)}</h2>'
        f"<p>{counted(column.row.total, 'chunk')}, {number(column.row.sizes.mean)} "
        f"{escaped(column.row.sizes.unit)} on average</p></div>"
    )


def _sizes(column: _Column) -> str:
    return f'<div role="cell" class="sizes">{histogram(column.row.sizes)}</div>'


def _column(title: str, row: Compared, chunks: Chunks, breaks: Sequence[int], column: int) -> _Column:
    labels = [_label(chunk, chunks, row.sizes) for chunk in chunks]

    def badge(chunk: Chunk) -> str:
        i = chunk.index
        kind = "b" if i % 2 else "a"
        target = f'id="k{column}t{i}" href="#k{column}c{i}"'
        return f'<a class="n {kind}" {target} title="{attribute(labels[i])}">{i}</a>'

    texts = draw(chunks, breaks, badge, _tail(row.torn))
    items = "".join(
        f'<li id="k{column}c{i}"><a href="#k{column}t{i}">{i}</a> {isolated(label)}</li>'
        for i, label in enumerate(labels)
    )
    return _Column(title, row, texts, items)


def _tail(torn: Sequence[frozenset[str]]) -> Callable[[int], str]:
    def tail(i: int) -> str:
        if i >= len(torn) or not torn[i]:
            return ""
        kinds = " and ".join(
            {"sentence": "a sentence", "table": "a table", "code": "code"}[k] for k in KINDS if k in torn[i]
        )
        return f'<span class="l x">cuts {kinds}</span>'

    return tail


def _label(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> str:
    said = [f"{size_of(chunk, sizes)}, {chunk.start}–{chunk.end}"]
    said += filter(None, (ending(chunk, chunks, sizes).removesuffix("."), outside(chunk, chunks).removesuffix(".")))
    return f"{'. '.join(said)}."
