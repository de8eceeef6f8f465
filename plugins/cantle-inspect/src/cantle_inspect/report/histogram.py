"""How many chunks there are of each size, as a small picture and in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from cantle.commands import counted
from cantle.html_view import attribute, escaped

from ..measures.sizes import Sizes, number

__all__ = ["Bin", "bins", "describe", "histogram"]

_WIDTH, _HEIGHT, _BASE = 320, 96, 78


class Bin(NamedTuple):
    """Chunks of more than `low` up to `high`, in the unit of the sizes; the first one holds those of 0 too."""

    low: float
    high: float
    chunks: int


def bins(values: Sequence[float], most: int = 20) -> list[Bin]:
    """Sizes counted in at most `most` steps of one round width, from 0 to the largest."""
    if not values:
        return []
    top = max(values)
    step = _step(top / most)
    found = [0] * max(1, ceil(top / step))
    for value in values:
        found[max(0, ceil(value / step) - 1)] += 1
    return [Bin(i * step, (i + 1) * step, n) for i, n in enumerate(found)]


def _step(least: float) -> float:
    """The next of 1, 2, 2.5, 5, 10, ... times a power of ten: steps that people can read."""
    if least <= 1:
        return 1
    power: float = 10 ** floor(log10(least))
    return next(m * power for m in (1, 2, 2.5, 5, 10, 20) if m * power >= least and (m * power) % 1 == 0)


def histogram(sizes: Sizes) -> str:
    """An SVG with a title and a description; the counts follow as a table that can be opened."""
    found = bins(sizes.values)
    if not found:
        return ""
    span = max(found[-1].high, sizes.limit or 0) if _limit_near(sizes) else found[-1].high
    tallest = max(b.chunks for b in found)
    scale = _WIDTH / span
    bars = []
    for b in found:
        if b.chunks:
            height = max(2.0, b.chunks / tallest * (_BASE - 14))
            tip = f"{_range(b)} {sizes.unit}: {counted(b.chunks, 'chunk')}"
            x, width = b.low * scale + 0.5, (b.high - b.low) * scale - 1
            bars.append(
                f'<rect x="{x:.1f}" y="{_BASE - height:.1f}" width="{width:.1f}" height="{height:.1f}">'
                f"<title>{escaped(tip)}</title></rect>"
            )
    limit = ""
    if sizes.limit is not None and _limit_near(sizes):
        x = sizes.limit * scale
        anchor = "end" if x > _WIDTH / 2 else "start"
        limit = (
            f'<path d="M{x:.1f} 10V{_BASE}"/><text x="{x - 4 if anchor == "end" else x + 4:.1f}" y="9" '
            f'text-anchor="{anchor}">limit {number(sizes.limit)}</text>'
        )
    words = describe(sizes)
    rows = "".join(f"<tr><td>{_range(b)}</td><td>{b.chunks}</td></tr>" for b in found if b.chunks)
    return (
        f'<figure class="h"><svg viewBox="-2 0 {_WIDTH + 4} {_HEIGHT}" role="img" aria-label="{attribute(words)}">'
        f"<title>Sizes of chunks</title><desc>{escaped(words)}</desc>"
        f'<path d="M0 {_BASE}H{_WIDTH}"/>{"".join(bars)}{limit}'
        f'<text x="0" y="{_HEIGHT - 4}">0</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{number(span)} {escaped(sizes.unit)}</text></svg>'
        f"<details><summary>Sizes of chunks in figures</summary><table><thead><tr><th>{escaped(sizes.unit)}</th>"
        f"<th>chunks</th></tr></thead><tbody>{rows}</tbody></table></details></figure>"
    )


def _limit_near(sizes: Sizes) -> bool:
    """Whether the limit can be drawn without pressing all sizes together."""
    return sizes.limit is not None and sizes.most is not None and sizes.limit <= 4 * max(sizes.most, 1)


def describe(sizes: Sizes) -> str:
    """The sizes in a sentence."""
    if not sizes.values:
        return "No chunks."
    text = f"{counted(len(sizes.values), 'chunk')} of {number(sizes.least)}"
    if len(sizes.values) > 1:
        text += f" to {number(sizes.most)}"
    text += f" {sizes.unit}"
    if len(sizes.values) > 1:
        text += f", half of them up to {number(sizes.median)}, {number(sizes.mean)} on average"
    return text + (f"; the limit is {number(sizes.limit)}." if sizes.limit is not None else ".")


def _range(b: Bin) -> str:
    return f"over {number(b.low)} up to {number(b.high)}" if b.low else f"up to {number(b.high)}"
