"""What a model answered for a window, as blocks of its lines; whatever is wrong is repaired, and each repair told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from ..client.structured import parsed
from ..client.written import values, without_thoughts
from ..errors import AnswerError
from .broken import broken_off
from .cleaning import clean
from .ranges import runs_of

__all__ = ["SCHEMA", "Reading", "Repair", "read_answer"]

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["blocks", "reasoning"],
    "properties": {
        "blocks": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["ranges", "label"],
                "properties": {
                    "ranges": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                    "label": {"type": "string"},
                },
            },
        },
        "reasoning": {"type": "string"},
    },
}

_REASONING = 1000
"""The most characters of the reasoning for one window."""
_SHOWN = 120
_NUMBER = re.compile(r"\s{0,9}(-?[0-9]{1,18})\s{0,9}")
_NUMBERS = re.compile(r"[\s\[]{0,9}([0-9]{1,18})\s{0,9}(?:-|–|—|\.\.\.?|,|to|:)\s{0,9}([0-9]{1,18})[\s\]]{0,9}")


class Repair(NamedTuple):
    """Something in an answer that was not as asked for: in which window and block, what, and how it was read."""

    window: int
    block: int
    what: str
    before: str
    after: str

    def to_dict(self) -> dict[str, Any]:
        """`window`, `block`, `what`, `before`, `after`."""
        return self._asdict()


@dataclass
class Reading:
    """The blocks of a window: for each of its lines the number of its block, or -1; and the labels of the blocks."""

    owner: list[int]
    labels: list[str | None]
    reasoning: str = ""
    repairs: list[Repair] = field(default_factory=list)


def read_answer(text: str, window: int, count: int) -> Reading:
    """The blocks of an answer for a window of `count` lines: those of the first JSON value in it that has usable ones.

    They may be one level below, under a name of the model's own. Of an answer that is broken off the whole blocks are
    taken. Raises `AnswerError` where no block can be used.
    """
    error: AnswerError | None = None
    for value in values(text):
        for found in _lists(value):
            try:
                return _Reader(window, count).read(found)
            except AnswerError as unusable:
                error = error or unusable
        error = error or AnswerError("invalid", "There is no list of blocks in it.")
    broken = broken_off(without_thoughts(text))
    if broken is not None:
        found = _List(
            broken.blocks, what="broken off", before=broken.rest, after=f"{len(broken.blocks)} whole block(s)"
        )
        try:
            return _Reader(window, count).read(found)
        except AnswerError:
            raise AnswerError("truncated", "Its JSON is broken off before a block is whole.") from None
    if error is not None:
        raise error
    parsed(text)  # raises: there is no JSON in it
    raise AnswerError("malformed")


class _List(NamedTuple):
    """What may be the blocks of an answer, and what about it was not as asked for."""

    blocks: list[Any]
    reasoning: Any = None
    what: str = ""
    before: Any = None
    after: Any = None


def _lists(value: Any) -> Iterator[_List]:
    """The lists of blocks in a JSON value: its own, or those one level below."""
    found = _list(value)
    if found is not None:
        yield found
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        below = _list(inner)
        if below is not None and (found is None or below.blocks is not found.blocks):
            yield below._replace(what="wrapped", before=value, after="the blocks in it")


def _list(value: Any) -> _List | None:
    if isinstance(value, dict) and isinstance(value.get("blocks"), list):
        return _List(value["blocks"], value.get("reasoning"))
    if isinstance(value, list) and any(isinstance(block, dict) and "ranges" in block for block in value):
        return _List(value, what="blocks alone", before=value, after="an object with blocks")
    return None


class _Reader:
    def __init__(self, window: int, count: int) -> None:
        self.window, self.count = window, count
        self.owner = bytearray(count)  # 1: the line has a block
        self.found = Reading([-1] * count, [])

    def read(self, given: _List) -> Reading:
        if given.what:
            self._repaired(-1, given.what, given.before, given.after)
        for number, block in enumerate(given.blocks):
            self._block(number, block)
        if not self.found.labels:
            raise AnswerError("invalid", "There is no block in it that names a line of the text.")
        self.found.reasoning = clean(given.reasoning, _REASONING) if isinstance(given.reasoning, str) else ""
        return self.found

    def _block(self, number: int, block: Any) -> None:
        if not isinstance(block, dict):
            self._repaired(number, "not a block", block, None)
            return
        taken = 0
        owned: list[tuple[int, int]] = []
        mine = bytearray(self.count)
        for before, first, last in self._ranges(number, block.get("ranges")):
            a, b = first, last
            if a > b:
                a, b = b, a
                self._repaired(number, "reversed", before, [a, b])
            if b < 0 or a >= self.count:
                self._repaired(number, "out of range", before, None)
                continue
            if a < 0 or b >= self.count:
                a, b = max(a, 0), min(b, self.count - 1)
                self._repaired(number, "out of range", before, [a, b])
            free = self.owner.count(0, a, b + 1)
            if free < b + 1 - a:
                twice = mine.count(1, a, b + 1) > 0
                kept = [line for line in range(a, b + 1) if not self.owner[line]] if free else []
                self._repaired(number, "repeated" if twice else "overlapping", before, runs_of(kept) or None)
                for line in kept:
                    self.owner[line] = mine[line] = 1
                owned += runs_of(kept)
            else:
                self.owner[a : b + 1] = mine[a : b + 1] = b"\x01" * (b + 1 - a)
                owned.append((a, b))
            taken += free
        if not taken:
            self._repaired(number, "empty block", block, None)
            return
        index = len(self.found.labels)
        for a, b in owned:
            self.found.owner[a : b + 1] = [index] * (b + 1 - a)
        self.found.labels.append(self._label(number, block.get("label")))

    def _label(self, number: int, label: Any) -> str | None:
        found = clean(label) if isinstance(label, str) else ""
        if not isinstance(label, str) and label is not None:
            self._repaired(number, "label", label, None)
        elif label and found != " ".join(label.split()):
            self._repaired(number, "label", label, found or None)
        return found or None

    def _ranges(self, number: int, ranges: Any) -> Iterator[tuple[Any, int, int]]:
        """What stands for ranges, as whole numbers: `(before, first, last)`."""
        if not isinstance(ranges, list):
            if ranges is not None:
                self._repaired(number, "ranges", ranges, [ranges])
                ranges = [ranges]
            else:
                ranges = []
        if len(ranges) == 2 and all(isinstance(n, int) and not isinstance(n, bool) for n in ranges):
            self._repaired(number, "one range", ranges, [ranges])
            ranges = [ranges]
        for one in ranges:
            numbers = self._numbers(one)
            if numbers is None or not numbers:
                self._repaired(number, "not a range", one, None)
            elif isinstance(one, list) and len(numbers) == 2:
                if numbers != one or any(isinstance(n, bool | float) for n in one):
                    self._repaired(number, "not whole numbers", one, numbers)
                yield one, numbers[0], numbers[1]
            elif isinstance(one, list) and len(numbers) > 2:
                self._repaired(number, "lines one by one", one, [list(run) for run in runs_of(sorted(set(numbers)))])
                for first, last in runs_of(sorted(set(numbers))):
                    yield [first, last], first, last
            else:
                self._repaired(
                    number, "one number" if len(numbers) == 1 else "not a list", one, [numbers[0], numbers[-1]]
                )
                yield one, numbers[0], numbers[-1]

    def _numbers(self, value: Any) -> list[int] | None:
        if isinstance(value, list):
            found = [_number(item) for item in value]
            return None if None in found else [n for n in found if n is not None]
        if isinstance(value, dict):
            pair = [_number(value.get(a, value.get(b))) for a, b in (("start", "first"), ("end", "last"))]
            return None if None in pair else [n for n in pair if n is not None]
        if isinstance(value, str) and (both := _NUMBERS.fullmatch(value)):
            return [int(both[1]), int(both[2])]
        single = _number(value)
        return None if single is None else [single]

    def _repaired(self, block: int, what: str, before: Any, after: Any) -> None:
        self.found.repairs.append(Repair(self.window, block, what, _shown(before), _shown(after)))


def _number(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and isfinite(value) and value == int(value):
        return int(value)
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        return int(found[1])
    return None


def _shown(value: Any) -> str:
    """A value as JSON, shortened; empty for nothing."""
    if value is None:
        return ""
    try:
        text = json.dumps(value)
    except (ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
