"""A result as a table, for notebooks and terminals."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Block, PartitionResult

__all__ = ["as_text", "view"]

_MOST, _BEGINNING = 200, 160
_STYLE = "text-align:left;vertical-align:top"


def _state(result: PartitionResult) -> str:
    lines = f"{result.total_lines} line{'' if result.total_lines == 1 else 's'}"
    blocks = f"{len(result.blocks)} block{'' if len(result.blocks) == 1 else 's'}"
    said = f"{blocks}, {lines}, coverage {result.coverage:.1%}"
    if result.failed_sessions:
        said += f", {result.failed_sessions} of {result.sessions_used} sessions failed"
    return said if result.success else f"{said}: {result.reason}"


def _ranges(ranges: tuple[tuple[int, int], ...]) -> str:
    return ", ".join(f"{a}-{b}" if a < b else f"{a}" for a, b in ranges)


def view(result: PartitionResult) -> str:
    """The blocks as an HTML table: label, lines, beginning of the text."""
    rows = []
    for number, block in enumerate(result.blocks[:_MOST]):
        begun = " ".join(block.text[: 2 * _BEGINNING].split())
        begun = begun if len(begun) <= _BEGINNING else f"{begun[:_BEGINNING]}…"
        label = f"<i>{escape(_unlabelled(block))}</i>" if block.label is None else escape(block.label)
        cells = (str(number), label, _ranges(block.lines), f"{len(block.text):,}", escape(begun))
        rows.append("<tr>" + "".join(f'<td style="{_STYLE}">{cell}</td>' for cell in cells) + "</tr>")
    heads = "".join(f'<th style="{_STYLE}">{head}</th>' for head in ("", "label", "lines", "characters", "text"))
    more = f"<p>and {len(result.blocks) - _MOST} more</p>" if len(result.blocks) > _MOST else ""
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    html = f"<div><p>{escape(_state(result))}</p>{table}{more}</div>"
    return html.encode("utf-8", "replace").decode()


def as_text(result: PartitionResult, *, state: bool = True) -> str:
    """The blocks, a line for each: number, lines, characters, label; and a line about them all."""
    rows = [("block", "lines", "characters", "label")]
    for number, block in enumerate(result.blocks):
        label = f"({_unlabelled(block)})" if block.label is None else block.label
        rows.append((str(number), _ranges(block.lines), f"{block.start}:{block.end}", label))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    said = ["  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows]
    return "\n".join([*said, _state(result)] if state else said)


def _unlabelled(block: Block) -> str:
    return "mechanical" if block.fallback else "no label"
