"""Slides as Markdown: what PPTX and ODP have in common. A slide is a page, its title a heading of level 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..markup.writing import Writer

__all__ = ["Block", "Shape", "write_slide"]

Block = Callable[[Writer], None]
"""Writes a paragraph, an item of a list, a table."""


class Shape(NamedTuple):
    """Something on a slide: where its upper left corner is, None where that is not known, and what it says."""

    top: float | None
    left: float | None
    blocks: Sequence[Block]


_LINES = 30
"""How many lines of shapes a slide has: what is nearer than that is beside one another."""


def write_slide(
    writer: Writer, number: int, title: str, shapes: Iterable[Shape], notes: Sequence[Block], height: float
) -> bool:
    """Write a slide, and say whether it has any text.

    One without a title is called by its number: else it would belong to the slide before.

    Shapes are in the order in which one reads them: from top to bottom, from left to right; those whose place is not
    known come first. `height` is that of the slide, in the unit of the shapes' places.
    """
    if number > 1:
        writer.page()
    writer.heading(1, title if title.strip() else f"Slide {number}")
    line = height / _LINES if height > 0 else 1.0

    def place(shape: Shape) -> tuple[float, float]:
        return (-1.0 if shape.top is None else max(0.0, shape.top // line), shape.left or 0.0)

    begun = writer.size
    for shape in sorted(shapes, key=place):
        for block in shape.blocks:
            block(writer)
        writer.end_list()
    if notes:
        writer.paragraph("Notes:")
        for block in notes:
            block(writer)
    return bool(title.strip()) or writer.size > begun
