"""CSS selectors for elements: tag, `*`, `#id`, `.class`, `[attribute]`, descendants and children."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...errors import OptionError
from .references import decode

__all__ = ["Compound", "Selector", "attributes_of", "parse"]

_NAME = r"(?:[a-zA-Z0-9_\x80-\U0010ffff-]++|\\.)+"
_PART = re.compile(
    rf"""(?P<tag>\*|{_NAME}) | \#(?P<id>{_NAME}) | \.(?P<cls>{_NAME})
    | \[ \s*+ (?P<attr>{_NAME}) \s*+
      (?: (?P<op>[~|^$*!]?=) \s*+ (?P<value>"[^"]*+"|'[^']*+'|[^\]\s]++) \s*+ (?P<fold>[iI]?) \s*+ )? \]""",
    re.VERBOSE,
)
_GAP = re.compile(r"\s*(>)\s*|\s+")
_ATTRIBUTE = re.compile(
    r"([^\t\n\f\r />][^\t\n\f\r />=]*)"
    r"(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"?|'([^']*)'?|([^\t\n\f\r >]+))?)?"
)


def attributes_of(written: str) -> dict[str, str]:
    """The attributes of a start tag, as written behind its name; the first of a name counts."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), decode(double or single or bare))
    return found


@dataclass(frozen=True)
class Compound:
    """What one element must be."""

    tag: str = ""
    ids: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    tests: tuple[tuple[str, str, str, bool], ...] = ()

    def matches(self, tag: str, written: str) -> bool:
        """Whether an element of this tag, with attributes as written, is one."""
        if self.tag and self.tag != tag:
            return False
        if not (self.ids or self.classes or self.tests):
            return True
        have = attributes_of(written)
        return (
            all(have.get("id") == wanted for wanted in self.ids)
            and (not self.classes or set(self.classes) <= set(have.get("class", "").split()))
            and all(_holds(have.get(name), operator, value, fold) for name, operator, value, fold in self.tests)
        )


def _holds(have: str | None, operator: str, value: str, fold: bool) -> bool:
    if fold:
        have, value = have and have.lower(), value.lower()
    if operator == "!=":  # not of CSS, but Mastra has it
        return have != value
    if have is None:
        return False
    match operator:
        case "":
            return True
        case "=":
            return have == value
        case "~=":
            return value in have.split()
        case "|=":
            return have == value or have.startswith(value + "-")
        case "^=":
            return bool(value) and have.startswith(value)
        case "$=":
            return bool(value) and have.endswith(value)
        case _:
            return bool(value) and value in have


@dataclass(frozen=True)
class Selector:
    """Compounds from the outermost to the element itself; `children[i]`: `i` is a child of the one before."""

    text: str
    parts: tuple[Compound, ...]
    children: tuple[bool, ...] = field(default=(False,))

    @property
    def subject(self) -> Compound:
        """What the element itself must be."""
        return self.parts[-1]

    @property
    def specificity(self) -> tuple[int, int, int]:
        """How narrow it is, as CSS reckons: ids, classes and attributes, tags."""
        return (
            sum(len(part.ids) for part in self.parts),
            sum(len(part.classes) + len(part.tests) for part in self.parts),
            sum(bool(part.tag) for part in self.parts),
        )


def parse(text: str, where: str) -> list[Selector]:
    """The selectors of a comma list. Raises `OptionError`, naming the option `where`."""
    selectors, at = [], 0
    while True:
        selector, at = _selector(text, at, where)
        selectors.append(selector)
        if at >= len(text):
            return selectors
        at += 1


def _selector(text: str, at: int, where: str) -> tuple[Selector, int]:
    start, parts, children = at, [], [False]
    at += len(text[at:]) - len(text[at:].lstrip())
    while True:
        compound, at = _compound(text, at, where)
        parts.append(compound)
        gap = _GAP.match(text, at)
        after = gap.end() if gap else at
        if after >= len(text) or text[after] == ",":
            if gap and gap[1]:
                _refuse(text, where)
            return Selector(text[start:after].strip(), tuple(parts), tuple(children)), after
        if gap is None:
            _refuse(text, where)
        assert gap is not None
        children.append(bool(gap[1]))
        at = after


def _compound(text: str, at: int, where: str) -> tuple[Compound, int]:
    tag, ids, classes, tests, start = "", [], [], [], at
    while part := _PART.match(text, at):
        if part["tag"]:
            if at > start:
                _refuse(text, where)
            tag = "" if part["tag"] == "*" else _plain(part["tag"]).lower()
        elif part["id"]:
            ids.append(_plain(part["id"]))
        elif part["cls"]:
            classes.append(_plain(part["cls"]))
        else:
            value = part["value"] or ""
            value = value[1:-1] if value[:1] in "\"'" and value else value
            tests.append((_plain(part["attr"]).lower(), part["op"] or "", value, bool(part["fold"])))
        at = part.end()
    if at == start:
        _refuse(text, where)
    return Compound(tag, tuple(ids), tuple(classes), tuple(tests)), at


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def _refuse(text: str, where: str) -> None:
    raise OptionError(
        f"{where}: {text!r} is no selector that is known here. Good ones are made of tags, #id, .class, [attribute] "
        "and [attribute=value], with a space between ancestor and descendant, > between parent and child, and "
        "commas between alternatives: 'h1', 'h2.title', 'main > [role=heading]'."
    )
