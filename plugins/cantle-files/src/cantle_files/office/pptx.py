"""PPTX: PresentationML (ECMA-376, part 1, clause 19). Hidden slides are pages without content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from cantle import MDocument

from ..containers.archive import opened
from ..containers.opc import Package, attribute, child, find_all, whole
from ..containers.xml import Element, tag
from ..limits import Limits, without_text
from ..markup.writing import Writer, clean, image
from .charts import chart_rows
from .drawing import Bullets, paragraphs, plain, table_rows
from .slides import Block, Shape, write_slide

__all__ = ["read"]

_LEFT_OUT = ("dt", "ftr", "sldNum", "hdr", "sldImg")
_TITLES = ("title", "ctrTitle")
_UNNAMED = re.compile(r"(?:PowerPoint Presentation|Presentation|Slide ?\d*|Title)$", re.IGNORECASE)


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that a PPTX file holds, as Markdown: a page for each slide. Raises `DocumentError`."""
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        main = package.main("ppt/presentation.xml")
        root = package.tree(main)
        height = whole(attribute(child(root, "sldSz"), "cy"), 6_858_000, 10**9)
        writer = Writer(name, limits)
        related = package.related(main)
        masters: dict[str, _Layout] = {}
        hidden = number = 0
        said = False
        for one in find_all(child(root, "sldIdLst"), "sldId"):
            where = related.get(_relation(one))
            if where is None or where.is_outside or not package.has(where.target):
                continue
            number += 1
            slide = package.tree(where.target)
            if attribute(slide, "show") in ("0", "false"):
                hidden += 1
                if number > 1:
                    writer.page()
                continue
            reader = _Slide(package, where.target, slide, masters)
            shapes = list(reader.shapes(child(slide, "cSld", "spTree"), _Move()))
            said |= write_slide(writer, number, reader.title, shapes, reader.notes(), height)
        if not said:
            raise without_text(name)
        metadata = package.properties()
        if _UNNAMED.match(metadata.get("title", "")):
            del metadata["title"]
        return writer.document(metadata | {"page_count": writer.pages, "hidden_slides": hidden or None})


def _relation(element: Element) -> str:
    """The `r:id`, beside which there is an `id` of another meaning."""
    return next((value for key, value in element.attrib.items() if key.endswith("}id")), "")


class _Move(NamedTuple):
    """How the places inside of a group become those on the slide."""

    left: float = 0.0
    top: float = 0.0
    wide: float = 1.0
    high: float = 1.0

    def at(self, left: float, top: float) -> tuple[float, float]:
        return self.left + left * self.wide, self.top + top * self.high

    def into(self, group: Element) -> _Move:
        """The same for what is in a group."""
        place = child(group, "grpSpPr", "xfrm")
        if place is None:
            return self
        left, top = _pair(child(place, "off"), "x", "y")
        inner_left, inner_top = _pair(child(place, "chOff"), "x", "y")
        wide, high = _pair(child(place, "ext"), "cx", "cy")
        inner_wide, inner_high = _pair(child(place, "chExt"), "cx", "cy")
        x = self.wide * (wide / inner_wide if wide and inner_wide else 1.0)
        y = self.high * (high / inner_high if high and inner_high else 1.0)
        at_left, at_top = self.at(left, top)
        return _Move(at_left - inner_left * x, at_top - inner_top * y, x, y)


def _pair(element: Element | None, first: str, second: str) -> tuple[int, int]:
    return whole(attribute(element, first), 0, 10**9), whole(attribute(element, second), 0, 10**9)


class _Layout:
    """The placeholders of a layout or master, and what that one is based on."""

    def __init__(self, package: Package, part: str, made: dict[str, _Layout], depth: int = 0) -> None:
        root = package.tree(part)
        tree = child(root, "cSld", "spTree")
        self.shapes = [one for one in (tree if tree is not None else ()) if _placeholder(one) is not None]
        self.styles = child(root, "txStyles")
        self.base: _Layout | None = None
        if depth == 0:
            self.base = layout_of(package, part, "slideMaster", made, 1)

    def find(self, placeholder: Element) -> Iterator[Element]:
        """The shapes that a placeholder goes by, nearest first."""
        kind, index = _kind(placeholder), attribute(placeholder, "idx")
        same = [one for one in self.shapes if index is not None and attribute(_placeholder(one), "idx") == index]
        same = same or [one for one in self.shapes if _alike(_kind(_placeholder(one)), kind)]
        yield from same[:1]
        if self.base is not None:
            yield from (one for one in self.base.shapes if _alike(_kind(_placeholder(one)), kind))


def layout_of(package: Package, part: str, kind: str, made: dict[str, _Layout], depth: int = 0) -> _Layout | None:
    """The layout of a slide, the master of a layout."""
    name = package.first(part, kind)
    if name is None:
        return None
    if name not in made:
        made[name] = _Layout(package, name, made, depth)
    return made[name]


def _placeholder(shape: Element) -> Element | None:
    for one in shape:
        if tag(one).startswith("nv"):
            return child(one, "nvPr", "ph")
    return None


def _kind(placeholder: Element | None) -> str:
    return attribute(placeholder, "type") or "obj"


def _alike(one: str, other: str) -> bool:
    bodies, titles = ("obj", "body"), _TITLES
    return one == other or (one in bodies and other in bodies) or (one in titles and other in titles)


class _Slide:
    def __init__(self, package: Package, part: str, root: Element, made: dict[str, _Layout]) -> None:
        self.package, self.part, self.root = package, part, root
        self.layout = layout_of(package, part, "slideLayout", made)
        self.links = {key: one.target for key, one in package.related(part).items() if one.is_outside}
        self.title = ""

    def shapes(self, tree: Element | None, move: _Move) -> Iterator[Shape]:
        """The shapes, but for the title, which is kept, and for date, number and footer."""
        for one in tree if tree is not None else ():
            name = tag(one)
            if name == "AlternateContent":
                chosen = child(one, "Choice")
                yield from self.shapes(chosen if chosen is not None else child(one, "Fallback"), move)
            elif name == "grpSp":
                yield from self.shapes(one, move.into(one))
            elif name in ("sp", "graphicFrame", "pic", "cxnSp") and not _is_hidden(one):
                placeholder = _placeholder(one)
                kind = _kind(placeholder)
                if placeholder is not None and kind in _LEFT_OUT:
                    continue
                if placeholder is not None and kind in _TITLES and not self.title:
                    self.title = plain(child(one, "txBody"), self.links)
                    continue
                blocks = self.blocks(one, placeholder)
                if blocks:
                    yield self.placed(one, placeholder, blocks, move)

    def placed(self, shape: Element, placeholder: Element | None, blocks: list[Block], move: _Move) -> Shape:
        """A shape with its place: its own, or that of the placeholder that it goes by."""
        candidates = [shape]
        if placeholder is not None and self.layout is not None:
            candidates += self.layout.find(placeholder)
        for one in candidates:
            place = child(one, "xfrm") if tag(one) == "graphicFrame" else child(one, "spPr", "xfrm")
            if (offset := child(place, "off")) is not None:
                left, top = move.at(*_pair(offset, "x", "y"))
                return Shape(top, left, blocks)
        return Shape(None, None, blocks)

    def blocks(self, shape: Element, placeholder: Element | None) -> list[Block]:
        """What a shape says."""
        name = tag(shape)
        if name == "pic":
            text = image(attribute(child(shape, "nvPicPr", "cNvPr"), "descr") or "")
            return [lambda writer: writer.paragraph(text)] if text else []
        if name == "graphicFrame":
            return self.graphic(shape)
        bases = list(self.layout.find(placeholder)) if placeholder is not None and self.layout is not None else []
        master = self.layout.base if self.layout is not None else None
        body = placeholder is not None and _kind(placeholder) in ("obj", "body")
        lists = [child(one, "txBody", "lstStyle") for one in (shape, *bases)]
        if body:
            lists.append(child(master.styles if master is not None else None, "bodyStyle"))
        return paragraphs(child(shape, "txBody"), self.links, Bullets(lists))

    def graphic(self, frame: Element) -> list[Block]:
        """A table, a chart, the texts of a diagram."""
        data = child(frame, "graphic", "graphicData")
        for one in data if data is not None else ():
            if tag(one) == "tbl":
                return [partial(Writer.table, rows=table_rows(one, self.links))]
            if tag(one) == "chart":
                where = self.package.related(self.part).get(_relation(one))
                if where is not None and not where.is_outside and self.package.has(where.target):
                    title, rows = chart_rows(self.package.tree(where.target))
                    return [partial(Writer.paragraph, text=title), partial(Writer.table, rows=rows)]
            if tag(one) == "relIds":
                where = self.package.related(self.part).get(attribute(one, "dm") or "")
                if where is not None and not where.is_outside and self.package.has(where.target):
                    return _diagram(self.package.tree(where.target))
        return []

    def notes(self) -> list[Block]:
        """The speaker's notes."""
        part = self.package.first(self.part, "notesSlide")
        if part is None:
            return []
        links = {key: one.target for key, one in self.package.related(part).items() if one.is_outside}
        out: list[Block] = []
        tree = child(self.package.tree(part), "cSld", "spTree")
        for one in tree if tree is not None else ():
            placeholder = _placeholder(one)
            if placeholder is not None and _kind(placeholder) == "body":
                out += paragraphs(child(one, "txBody"), links, Bullets([child(one, "txBody", "lstStyle")]))
        return out


def _is_hidden(shape: Element) -> bool:
    named = next((one for one in shape if tag(one).startswith("nv")), None)
    return attribute(child(named, "cNvPr"), "hidden") in ("1", "true")


def _diagram(root: Element) -> list[Block]:
    """The texts of a diagram (SmartArt), in the order of its points."""
    texts = []
    for point in root.iter("{*}pt"):
        if attribute(point, "type") in (None, "node"):
            texts.append(" ".join(clean("".join(one.text or "" for one in point.iter("{*}t"))).split()))

    def item(text: str) -> Block:
        return lambda writer: writer.item(0, text)

    return [item(text) for text in texts if text]
