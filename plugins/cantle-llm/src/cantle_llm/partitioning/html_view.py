"""A result as a table of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .figures import ranges, state, unlabelled

if TYPE_CHECKING:
    from .result import PartitionResult

__all__ = ["view"]

_MOST, _BEGINNING = 200, 160
_STYLE = "text-align:left;vertical-align:top"


def view(result: PartitionResult) -> str:
    """The blocks as an HTML table: label, sentences, beginning of the text."""
    rows = []
    for number, block in enumerate(result.blocks[:_MOST]):
        begun = " ".join(block.text[: 2 * _BEGINNING].split())
        begun = begun if len(begun) <= _BEGINNING else f"{begun[:_BEGINNING]}…"
        label = f"<i>{escape(unlabelled(block))}</i>" if block.label is None else escape(block.label)
        cells = (str(number), label, ranges(block.lines), f"{len(block.text):,}", escape(begun))
        rows.append("<tr>" + "".join(f'<td style="{_STYLE}">{cell}</td>' for cell in cells) + "</tr>")
    heads = "".join(f'<th style="{_STYLE}">{head}</th>' for head in ("", "label", "sentences", "characters", "text"))
    more = f"<p>and {len(result.blocks) - _MOST} more</p>" if len(result.blocks) > _MOST else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    html = f"<div><p>{escape(state(result))}</p>{table}{more}</div>"
    return html.encode("utf-8", "replace").decode()
