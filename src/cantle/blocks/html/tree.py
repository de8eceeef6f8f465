"""How the elements of a page nest: which are open where, and so what is hidden and where headings stand.

No tree is built. One pass keeps the open elements on a stack and follows the HTML standard in what a
tag closes; text stays where it stands in the source (a browser moves text out of tables). What is
looked for, a name or a barrier on the stack, is found by its depths: no step walks the stack, so pages
of any depth take linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .hiding import is_hidden, suspects_of
from .names import (
    BARRIERS,
    CLOSES,
    CONTEXTS,
    FORMATTING,
    HEADINGS,
    HIDDEN,
    KEPT_SPACE,
    LEAVES,
    LISTS,
    NUMBER,
    PARAGRAPH,
    SPECIAL,
    SVG_SHAPES,
    VOID,
    members,
)
from .selectors import Selector
from .tokens import Tokens

__all__ = ["Element", "nest", "Tree"]


@dataclass(slots=True)
class Element:
    """An element that a selector found: its tag, and the tag that ends it (or the one it ends before).

    Its texts are those after `opens` up to and with the one before `closes`.
    """

    opens: int
    selector: int
    xpath: str
    closes: int = -1
    own_end: bool = False


@dataclass
class Tree:
    """What the pass found. Ranges are `(tag that opens, tag that closes or comes next)`.

    `strays` are tags that the standard ignores.
    """

    elements: list[Element] = field(default_factory=list)
    others: list[Element] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    kept_space: list[tuple[int, int]] = field(default_factory=list)
    tables: list[tuple[int, int]] = field(default_factory=list)
    inner_lists: list[tuple[int, int]] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)


def _numbers(names: Any) -> frozenset[int]:
    return frozenset(NUMBER[name] for name in names)


_VOID = _numbers(VOID)
_HIDDEN, _KEPT, _LISTS, _HEADINGS = map(_numbers, (HIDDEN, KEPT_SPACE, LISTS, HEADINGS))
_SPECIAL, _FORMATTING = _numbers(SPECIAL), _numbers(FORMATTING)
_CLOSES = {
    NUMBER[name]: [(tuple(_numbers(targets)), barrier) for targets, barrier in rules] for name, rules in CLOSES.items()
}
_STOPS = _numbers(BARRIERS["item"])
_BARRIERS = {name: tuple(_numbers(names)) for name, names in BARRIERS.items()}
_BARRIER_OF_END = {
    **{NUMBER[n]: "table" for n in ("table", "td", "th", "tr", "tbody", "thead", "tfoot", "caption")},
    **{NUMBER[n]: "list" for n in ("li",)},
    **{NUMBER[n]: "button" for n in ("p",)},
}
_BLOCKS = _numbers(PARAGRAPH | {"div", "li", "dt", "dd", "table", "tr", "td", "body", "html"})
_TABLE, _SVG, _MATH = (NUMBER[n] for n in ("table", "svg", "math"))
_ONCE = _numbers(("html", "body"))
_PASSED = (_numbers(LEAVES), _VOID - frozenset(_CLOSES), _numbers(SVG_SHAPES))
_CONTEXTS = {NUMBER[name]: tuple(_numbers(names)) for name, names in CONTEXTS.items()}
_ODD = _VOID | _HIDDEN | _KEPT | _LISTS | _HEADINGS | _ONCE | frozenset(_CONTEXTS) | {_TABLE}
"""Start tags that more is to be done about than to open an element."""


def nest(tokens: Tokens, selectors: Sequence[Selector], others: Sequence[Selector] = ()) -> Tree:
    """Walk over the tags of a page and find the elements that `selectors` name, the first that fits each.

    Those that `others` name are found beside them: each kind is left out only inside its own.
    """
    count = len(selectors)
    selectors = [*selectors, *others]
    wanted = {selector.subject.tag for selector in selectors}
    suspects = suspects_of(tokens)
    passed = [names - {NUMBER.get(tag, 0) for tag in wanted} for names in _PASSED]
    if "" not in wanted:
        walk = _Walk(tokens, selectors, suspects, _worth(tokens, suspects, passed), count)
        names = {tokens.names[number] for numbers in passed for number in numbers}
        steps = {step.partition("[")[0] for element in walk.tree.elements for step in element.xpath.split("/")}
        if not steps & names:  # else siblings were passed over that count in a path
            return walk.tree
    return _Walk(tokens, selectors, suspects, range(len(tokens)), count).tree


def _worth(tokens: Tokens, suspects: list[int], passed: Sequence[frozenset[int]]) -> list[int]:
    """The tags that nesting depends on: all but empty elements and inline ones that hold only text."""
    import numpy

    codes = tokens.codes
    opens = codes > 0
    leaves, void, shapes = (members(numbers, codes) & opens for numbers in passed)
    worth = ~void
    for i in numpy.flatnonzero(shapes).tolist():
        if tokens.attributes[i].endswith("/"):
            worth[i] = False
    left = numpy.flatnonzero(worth)
    leaves[suspects] = False
    while True:
        here = codes[left]
        pairs = numpy.flatnonzero((here[:-1] == -here[1:]) & leaves[left[:-1]])
        if not len(pairs):
            return list(left.tolist())
        keep = numpy.ones(len(left), bool)
        keep[pairs] = keep[pairs + 1] = False
        left = left[keep]


class _Walk:
    """The pass. `stack` holds the tags of the open elements, `codes` their numbers."""

    def __init__(
        self,
        tokens: Tokens,
        selectors: Sequence[Selector],
        suspects: Sequence[int],
        worth: Sequence[int],
        count: int,
    ) -> None:
        self.tokens, self.selectors, self.suspects, self.tree = tokens, selectors, frozenset(suspects), Tree()
        self.stack: list[int] = []
        self.codes: list[int] = []
        self.where: list[list[int]] = [[] for _ in tokens.names]  # the depths at which a name is open
        self.special: list[int] = [-1]  # the depths of special elements
        self.stops: list[int] = [-1]  # and of those that an item of a list does not reach over
        self.counts: list[dict[int, int]] = [{}]  # of the children so far, by name
        self.nth: list[int] = []
        self.opened: dict[int, Element] = {}
        self.found: list[Element] = []
        self.ranges: dict[int, list[list[tuple[int, int]]]] = {}  # what to note when a tag's element ends
        self.masks: list[tuple[int, int]] = []
        self.parent: tuple[int, str] = (-1, "")  # the element whose path was last asked for
        self._prepare()
        self._run(worth)
        self._pop_to(0, len(tokens))
        self.tree.elements = _settled([e for e in self.found if e.selector < count], tokens)
        self.tree.others = _settled([e for e in self.found if e.selector >= count], tokens)

    def _prepare(self) -> None:
        """Sort the selectors by the tag of their subject, the narrowest first."""
        order = sorted(range(len(self.selectors)), key=lambda i: self.selectors[i].specificity, reverse=True)
        self.by_tag: dict[int, list[int]] = {}
        self.any_tag: list[int] = []
        numbers = {name: number for number, name in enumerate(self.tokens.names)}
        for i in order:
            tag = self.selectors[i].subject.tag
            if tag:
                self.by_tag.setdefault(numbers.get(tag, -1), []).append(i)
            else:
                self.any_tag.append(i)
        if self.any_tag:
            rank = {i: n for n, i in enumerate(order)}
            for number, own in self.by_tag.items():
                self.by_tag[number] = sorted([*own, *self.any_tag], key=rank.__getitem__)
        # Ancestors are asked for by bits: one for each part of each selector with several parts.
        self.bits: list[tuple[int, int, int, bool]] = []
        self.last_bit: dict[int, int] = {}
        for i, selector in enumerate(self.selectors):
            if len(selector.parts) > 1:
                for k in range(len(selector.parts) - 1):
                    previous = len(self.bits) - 1 if k else -1
                    self.bits.append((i, k, previous, selector.children[k]))
                self.last_bit[i] = len(self.bits) - 1

    def _run(self, worth: Sequence[int]) -> None:
        codes = self.tokens.codes.tolist()
        attributes = self.tokens.attributes
        by_tag, any_tag = self.by_tag, self.any_tag
        where, stack, open_codes, nth = self.where, self.stack, self.codes, self.nth
        counts, special, suspects, closes = self.counts, self.special, self.suspects, _CLOSES
        pop = self._pop
        for i in worth:
            code = codes[i]
            if code < 0:
                if open_codes and open_codes[-1] == -code and -code not in _ONCE:  # nearly always
                    pop(i, True)
                else:
                    self._end(i, -code)
                continue
            if not code:
                continue
            for targets, barrier in closes.get(code, ()):
                for number in targets:
                    if where[number]:
                        self._close(i, targets, barrier)
                        break
            odd = code in _ODD
            if odd:
                if code in _HEADINGS and stack and open_codes[-1] in _HEADINGS:
                    self._pop_to(len(stack) - 1, i)
                if (code in _ONCE and where[code]) or (code in _CONTEXTS and not where[_TABLE]):
                    self.tree.strays.append(i)
                    continue
                if code in _CONTEXTS:
                    self._pop_to(1 + max([where[number][-1] for number in _CONTEXTS[code] if where[number]]), i)
            siblings = counts[-1]
            n = siblings[code] = siblings.get(code, 0) + 1
            candidates = by_tag.get(code, any_tag)
            if candidates:
                self._select(i, code, n, candidates)
            if (odd or i in suspects) and self._noted(i, code):
                continue
            if (where[_SVG] or where[_MATH]) and attributes[i].endswith("/"):
                self._ended(i, i, True)
                continue
            if self.bits:
                self.masks.append(self._mask(i, code))
            where[code].append(len(stack))
            if code in _SPECIAL:
                special.append(len(stack))
                if code in _STOPS:
                    self.stops.append(len(stack))
            stack.append(i)
            open_codes.append(code)
            nth.append(n)
            counts.append({})

    def _noted(self, i: int, code: int) -> bool:
        """Note what there is to say about an element; whether it is one without content."""
        tree = self.tree
        notes: list[list[tuple[int, int]]] = []
        if code in _HIDDEN or (i in self.suspects and is_hidden(self.tokens.attributes[i])):
            notes.append(tree.hidden)
        if code in _KEPT:
            notes.append(tree.kept_space)
        elif code == _TABLE:
            notes.append(tree.tables)
        elif code in _LISTS and any(self.where[number] for number in _LISTS):
            notes.append(tree.inner_lists)
        if notes:
            self.ranges[i] = notes
        if code in _VOID:
            self._ended(i, i, True)
            return True
        return False

    # -- closing --------------------------------------------------------------------------------

    def _barrier(self, name: str) -> int:
        if name == "item":
            return self.stops[-1]
        where = self.where
        return max([where[number][-1] for number in _BARRIERS[name] if where[number]], default=-1)

    def _close(self, i: int, targets: tuple[int, ...], barrier: str) -> None:
        """Close the nearest open element of `targets`, and what is open in it."""
        where = self.where
        depth = -1
        for number in targets:
            depths = where[number]
            if depths and depths[-1] > depth:
                depth = depths[-1]
        if depth >= 0 and depth >= self._barrier(barrier):
            self._pop_to(depth, i)

    def _end(self, i: int, code: int) -> None:
        """An end tag."""
        if code in _ONCE:
            return
        where = self.where
        depth = where[code][-1] if where[code] else -1
        if code in _HEADINGS:
            depth = max([where[number][-1] for number in _HEADINGS if where[number]], default=-1)
        if depth < 0:
            self.tree.strays.append(i)
        elif depth == len(self.stack) - 1:
            self._pop_to(depth, i, own=True)
        elif code in _FORMATTING:
            if self.special[-1] > depth:
                self._bury(depth, i)
            else:
                self._pop_to(depth, i, own=True)
        elif depth < (self._barrier(_BARRIER_OF_END.get(code, "any")) if code in _SPECIAL else self.special[-1]):
            self.tree.strays.append(i)
        else:
            self._pop_to(depth, i, own=True)

    def _pop_to(self, depth: int, i: int, *, own: bool = False) -> None:
        """End the elements at `depth` and above; the one at `depth` by its own end tag when `own`."""
        while len(self.stack) > depth:
            self._pop(i, own and len(self.stack) == depth + 1)

    def _pop(self, i: int, own: bool) -> None:
        """End the innermost element."""
        tag, code, special, depth = self.stack.pop(), self.codes.pop(), self.special, len(self.stack)
        self.counts.pop()
        self.nth.pop()
        if self.masks:
            self.masks.pop()
        if special[-1] == depth:
            special.pop()
            if self.stops[-1] == depth:
                self.stops.pop()
        if code:
            self.where[code].pop()
            if tag in self.ranges or tag in self.opened:
                self._ended(tag, i, own)

    def _bury(self, depth: int, i: int) -> None:
        """End a formatting element although elements in it stay open.

        A browser then opens a copy of it inside of them; text looks the same without. It stays on the stack with no
        name, so that the depths of those above it stay right.
        """
        self.where[self.codes[depth]].pop()
        self.codes[depth] = 0
        self._ended(self.stack[depth], i, True)

    def _ended(self, tag: int, i: int, own: bool) -> None:
        notes = self.ranges.pop(tag, None)
        if notes:
            for found in notes:
                found.append((tag, i))
        if tag in self.opened:
            self._found(tag, i, own)

    # -- finding --------------------------------------------------------------------------------

    def _select(self, i: int, code: int, n: int, candidates: Sequence[int]) -> None:
        name, written = self.tokens.names[code], self.tokens.attributes[i]
        for chosen in candidates:
            selector = self.selectors[chosen]
            if selector.subject.matches(name, written) and self._has_ancestors(chosen, selector):
                self.opened[i] = Element(i, chosen, self._xpath(name, n))
                return

    def _has_ancestors(self, chosen: int, selector: Selector) -> bool:
        bit = self.last_bit.get(chosen)
        if bit is None:
            return True
        if not self.masks:
            return False
        own, above = self.masks[-1]
        return bool((own if selector.children[-1] else own | above) >> bit & 1)

    def _mask(self, i: int, code: int) -> tuple[int, int]:
        """Which parts of selectors the element fulfils, and which its ancestors do."""
        own_above, above = self.masks[-1] if self.masks else (0, 0)
        above |= own_above
        own = 0
        name, written = self.tokens.names[code], self.tokens.attributes[i]
        for bit, (chosen, k, previous, child) in enumerate(self.bits):
            before = previous < 0 or bool((own_above if child else above) >> previous & 1)
            if before and self.selectors[chosen].parts[k].matches(name, written):
                own |= 1 << bit
        return own, above

    def _xpath(self, name: str, n: int) -> str:
        parent = self.stack[-1] if self.stack else -1
        if self.parent[0] != parent:
            deep = len(self.stack) > _DEEP
            names, codes, first = self.tokens.names, self.tokens.codes, -_DEEP_STEPS if deep else 0
            steps = zip(self.stack[first:], self.nth[first:], strict=True)
            path = "".join(f"/{names[codes[tag]]}[{nth}]" for tag, nth in steps)
            self.parent = (parent, "/" + path if deep else path)
        return f"{self.parent[1]}/{name}[{n}]"

    def _found(self, tag: int, closes: int, own: bool) -> None:
        element = self.opened.pop(tag)
        element.closes, element.own_end = closes, own
        self.found.append(element)


_DEEP, _DEEP_STEPS = 128, 32
"""A path of more steps begins with `//` and has the last ones only: headings in deep pages would take squared room."""


def _settled(found: list[Element], tokens: Tokens) -> list[Element]:
    """The elements in order. Those inside another are left out; one that is never closed holds no blocks."""
    import numpy

    found.sort(key=lambda element: element.opens)
    blocks = numpy.flatnonzero(members(_BLOCKS, tokens.codes) & (tokens.codes > 0))
    at = numpy.searchsorted(blocks, [element.opens for element in found], "right").tolist()
    after = [*blocks.tolist(), len(tokens)]
    kept: list[Element] = []
    for element, k in zip(found, at, strict=True):
        if not element.own_end:
            element.closes = min(element.closes, after[k])
        if not kept or element.opens >= kept[-1].closes:
            kept.append(element)
    return kept
