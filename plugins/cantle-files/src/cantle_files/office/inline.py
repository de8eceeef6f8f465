"""The text of a paragraph of WordprocessingML: runs, fields, links, tracked changes as accepted, equations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..containers.opc import attribute, child, is_on
from ..containers.xml import Element, tag
from ..markup.writing import clean, image, link
from .styles import Styles

__all__ = ["Inline", "math"]

_LEFT_OUT = re.compile(
    "(?:del|moveFrom|delText|instrText|delInstrText|pPr|rPr|sdtPr|sdtEndPr|comment.*|annotationRef|footnoteRef|endnoteRef"
    "|rt|object|proofErr|bookmark.*|permStart|permEnd|smartTagPr|customXmlPr|fldData|tblPr|ctrlPr|.+Range(?:Start|End))$"
)
_SIGNS = {
    "tab": "\t",
    "ptab": "\t",
    "cr": "\n",
    "noBreakHyphen": "\u2011",
    "softHyphen": "\xad",
    "lastRenderedPageBreak": "\v",
}
_HYPERLINK = re.compile(r'HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))', re.IGNORECASE)
_PRIVATE = range(0xE000, 0xF900)


class Inline:
    """What a paragraph holds: `text`, in which `\\f` is a page break and `\\v` one that Word noted, and text `boxes`.

    `links` are the addresses by the ids of their relationships, `mark` gives what stands for a foot- or endnote.
    """

    def __init__(self, links: Mapping[str, str], styles: Styles, mark: Callable[[str, str], str]) -> None:
        self.links, self.styles, self.mark = links, styles, mark
        self.boxes: list[Element] = []
        self._out: list[str] = []
        # Of each field where it began, and its instruction while that is being written; then by depth where it leads.
        self._fields: list[tuple[int, str | None]] = []
        self._targets: dict[int, str] = {}

    @property
    def text(self) -> str:
        """What was read."""
        return "".join(self._out)

    def read(self, element: Element) -> None:
        """Read what is in an element."""
        for one in element:
            self._one(one, tag(one))
        if tag(element) == "p":
            while self._fields:
                self._end_field()

    def _one(self, one: Element, name: str) -> None:
        if name == "r":
            self._run(one)
        elif name == "t":
            self._add(clean(one.text or ""))
        elif name in _SIGNS:
            self._add(_SIGNS[name])
        elif name == "br":
            self._add("\f" if attribute(one, "type") == "page" else "\n")
        elif name == "hyperlink":
            self._linked(one, self.links.get(attribute(one, "id") or "", ""))
        elif name == "fldSimple":
            found = _HYPERLINK.search(attribute(one, "instr") or "")
            self._linked(one, (found[1] or found[2]) if found else "")
        elif name == "fldChar":
            self._field(attribute(one, "fldCharType"))
        elif name == "instrText":
            if self._fields and self._fields[-1][1] is not None:
                start, said = self._fields[-1]
                self._fields[-1] = start, (said or "") + (one.text or "")
        elif name == "sym":
            code = attribute(one, "char") or ""
            number = int(code, 16) if re.fullmatch("[0-9A-Fa-f]{1,5}", code) else 0
            self._add("" if number in _PRIVATE or number < 32 or 0xD800 <= number < 0xE000 else chr(number))
        elif name in ("footnoteReference", "endnoteReference"):
            self._add(self.mark(name.removesuffix("Reference"), attribute(one, "id") or ""))
        elif name == "AlternateContent":
            if (chosen := child(one, "Choice")) is not None or (chosen := child(one, "Fallback")) is not None:
                self.read(chosen)
        elif name in ("drawing", "pict"):
            self._drawing(one)
        elif name in ("oMath", "oMathPara"):
            self._add(math(one))
        elif not _LEFT_OUT.match(name):
            self.read(one)

    def _run(self, run: Element) -> None:
        properties = child(run, "rPr")
        hidden = child(properties, "vanish")
        if hidden is None and (style := attribute(child(properties, "rStyle"), "val")) is not None:
            hidden = self.styles.property(style, "rPr", "vanish")
        if is_on(hidden):
            for one in run:
                if tag(one) in ("fldChar", "instrText"):
                    self._one(one, tag(one))
        else:
            self.read(run)

    def _add(self, text: str) -> None:
        if not any(said is not None for _, said in self._fields):
            self._out.append(text)

    def _linked(self, element: Element, target: str) -> None:
        start = len(self._out)
        self.read(element)
        self._link(start, target)

    def _link(self, start: int, target: str) -> None:
        held = "".join(self._out[start:])
        if target and held.strip() and not re.search("[\f\v]", held):
            before, after = held[: len(held) - len(held.lstrip())], held[len(held.rstrip()) :]
            self._out[start:] = [before + link(held.strip(), target) + after]

    def _field(self, kind: str | None) -> None:
        if kind == "begin":
            self._fields.append((len(self._out), ""))
        elif kind == "separate" and self._fields and self._fields[-1][1] is not None:
            start, said = self._fields.pop()
            found = _HYPERLINK.search(said or "")
            self._fields.append((start, None))
            self._targets[len(self._fields)] = (found[1] or found[2] or "") if found else ""
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        target = self._targets.pop(len(self._fields), "")
        start, said = self._fields.pop()
        if said is None:
            self._link(start, target)

    def _drawing(self, drawing: Element) -> None:
        boxes = False
        inner = drawing.iter("{*}txbxContent", "{*}docPr")
        for one in inner:
            if tag(one) == "docPr":
                self._add(image(one.get("descr") or ""))
            elif not _is_inside(one, drawing):
                self.boxes.append(one)
                boxes = True
        if not boxes and tag(drawing) == "pict":
            shape = next(iter(drawing.iter("{*}shape")), None)
            self._add(image("" if shape is None else shape.get("alt") or ""))


def _is_inside(box: Element, drawing: Element) -> bool:
    """Whether a text box is inside of another one of the drawing: that one's paragraphs bring it."""
    at = box.getparent()
    while at is not None and at is not drawing:
        if tag(at) in ("txbxContent", "Fallback"):
            return True
        at = at.getparent()
    return False


def math(element: Element) -> str:
    """An equation on one line: fractions with a slash, powers with ^, indices with _."""
    name = tag(element)
    if name == "t":
        return clean(element.text or "")
    if name.endswith("Pr") and name != "r":
        return ""
    parts = {tag(one): math(one) for one in element} if name in _MATH else {}
    if name == "nary":
        return _large(element, parts)
    if parts:
        return _MATH[name].format(**{key: _grouped(parts.get(key, "")) for key in _PARTS})
    return "".join(map(math, element))


_PARTS = ("num", "den", "e", "sub", "sup", "deg")
_MATH = {
    "f": "{num}/{den}",
    "sSup": "{e}^{sup}",
    "sSub": "{e}_{sub}",
    "sSubSup": "{e}_{sub}^{sup}",
    "rad": "√{deg}{e}",
    "nary": "",
}


def _large(operator: Element, parts: Mapping[str, str]) -> str:
    """A sum, product or integral: its sign, its bounds, and what it is of."""
    sign = child(operator, "naryPr", "chr")
    text = "∫" if sign is None else clean(attribute(sign, "val") or "")
    for mark, key in (("_", "sub"), ("^", "sup")):
        if parts.get(key, "").strip():
            text += mark + _grouped(parts[key])
    return f"{text} {parts.get('e', '')}"


def _grouped(text: str) -> str:
    return text if len(text) < 2 or text.isalnum() or (text[0], text[-1]) == ("(", ")") else f"({text})"
