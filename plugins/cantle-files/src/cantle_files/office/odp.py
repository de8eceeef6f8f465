"""ODP: OpenDocument presentations. Hidden slides are pages without content."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cantle import MDocument
from cantle.errors import DocumentError

from ..containers.archive import opened
from ..containers.opc import attribute, child, find_all
from ..containers.xml import Element, tag
from ..limits import Limits, without_text
from ..markup.writing import Lines, Writer
from .flow import Flow
from .odf import Package, Styles, length
from .slides import Block, Shape, write_slide

__all__ = ["read"]

_LEFT_OUT = ("header", "footer", "date-time", "page-number", "page")
_SHAPES = ("custom-shape", "rect", "ellipse", "circle", "line", "connector", "polygon", "path", "caption", "polyline")


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an ODP file holds, as Markdown: a page for each slide. Raises `DocumentError`."""
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        root, extra = package.content(), package.tree("styles.xml")
        body = child(root, "body", "presentation")
        if body is None:
            raise DocumentError(
                f"{name} holds no presentation of OpenDocument: it is damaged, or another kind of file."
            )
        styles = Styles(root, extra)
        writer = Writer(name, limits)
        flow = Flow(writer, styles)
        hidden = 0
        said = False
        for number, page in enumerate(find_all(body, "page"), 1):
            style = attribute(page, "style-name")
            if styles.property("drawing-page", style, "drawing-page-properties", "visibility") == "hidden":
                hidden += 1
                if number > 1:
                    writer.page()
                continue
            slide = _Slide(flow)
            shapes = list(slide.shapes(page))
            notes = slide.notes(child(page, "notes"))
            said |= write_slide(writer, number, slide.title, shapes, notes, _height(extra))
        if not said:
            raise without_text(name)
        return writer.document(package.properties() | {"page_count": writer.pages, "hidden_slides": hidden or None})


def _height(styles: Element | None) -> float:
    """The height of the slides, in points."""
    for one in styles.iter("{*}page-layout-properties") if styles is not None else ():
        if (found := length(attribute(one, "page-height"))) is not None:
            return found
    return 600.0


class _Slide:
    def __init__(self, flow: Flow) -> None:
        self.flow, self.title = flow, ""

    def shapes(self, element: Element) -> Iterator[Shape]:
        """The shapes, but for the title, which is kept, and for header, footer, date and number."""
        for one in element:
            name = tag(one)
            if name == "g":
                yield from self.shapes(one)
            elif name == "frame" or name in _SHAPES:
                kind = attribute(one, "class") or ""
                if kind in _LEFT_OUT:
                    continue
                if kind == "title" and not self.title:
                    self.title = " ".join(self.text(one).split())
                    continue
                yield Shape(length(attribute(one, "y")), length(attribute(one, "x")), [partial(self.write, one)])

    def write(self, element: Element, writer: Writer) -> None:
        """Write what a shape says."""
        self.flow.writer = writer
        self.flow.shape(element)

    def text(self, element: Element) -> str:
        """What a shape says, a line for each paragraph."""
        lines = Lines(self.flow.writer)
        outer, self.flow.writer = self.flow.writer, lines
        self.flow.shape(element)
        self.flow.writer = outer
        return lines.text

    def notes(self, element: Element | None) -> list[Block]:
        """The speaker's notes."""
        if element is None:
            return []
        frames = [one for one in find_all(element, "frame") if attribute(one, "class") == "notes"]
        return [partial(self.write, one) for one in frames if self.text(one)]
