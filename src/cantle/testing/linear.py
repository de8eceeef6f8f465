"""Point 8 of the contract: work grows with the text. Operations are counted, not seconds.

An operation is a line of Python, a call, a character copied or scanned by a method of the text, or
a character given to the length function. Work that C code does inside of one call on something
else than the text is not seen; the large documents and the time limit of point 9 catch the worst.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from ..document import MDocument
from .case import fail, length_of, limit_of, repeat_of
from .run import Refused, guarded, split

__all__ = ["EXPONENT", "linear", "operations"]

EXPONENT = 1.25
_TOLERANCE = 0.1
_SIZE = 4_000
_SMALL_LIMIT, _SMALL_OVERLAP = 60, 15
_FIXED = 400  # operations that any run has, whatever the size


class _Counter:
    """Counts operations of the thread that it is switched on in."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> _Counter:
        self._before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename == __file__:
            return None
        self.count += 1
        return self._line

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        self.count += 1
        return self._line


class _Text(str):
    """A text that counts the characters which its own methods copy or scan."""

    __slots__ = ("counter",)
    counter: _Counter

    def of(self, text: str) -> _Text:
        result = _Text(text)
        result.counter = self.counter
        return result

    def __getitem__(self, key: Any) -> str:
        piece = str.__getitem__(self, key)
        self.counter.count += len(piece)
        return self.of(piece) if isinstance(key, slice) else piece

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def _scanning(name: str) -> Callable[..., Any]:
    original = getattr(str, name)

    def method(self: _Text, sub: Any, start: Any = None, end: Any = None) -> Any:
        result = original(self, sub, start, end)
        first, last, _ = slice(start, end).indices(len(self))
        stopped = name in ("find", "index") and result >= 0
        backwards = name in ("rfind", "rindex") and result >= 0
        self.counter.count += (result - first) if stopped else (last - result) if backwards else max(0, last - first)
        return result

    return method


def _copying(name: str) -> Callable[..., Any]:
    original = getattr(str, name)

    def method(self: _Text, *args: Any, **options: Any) -> Any:
        self.counter.count += len(self)
        result = original(self, *args, **options)
        if type(result) is str:
            return self.of(result)
        if isinstance(result, list | tuple):
            return type(result)(self.of(piece) for piece in result)
        return result

    return method


for _name in ("find", "rfind", "count"):
    setattr(_Text, _name, _scanning(_name))
for _name in ("split", "rsplit", "splitlines", "partition", "rpartition", "replace", "strip", "lstrip", "rstrip"):
    setattr(_Text, _name, _copying(_name))
for _name in ("lower", "upper", "casefold", "translate", "encode", "expandtabs", "__add__", "__radd__"):
    if hasattr(str, _name):
        setattr(_Text, _name, _copying(_name))


class _CountedLength:
    """A length function that counts the characters it is given."""

    def __init__(self, length: Callable[[str], float], counter: _Counter) -> None:
        self._length, self._counter = length, counter

    def __call__(self, text: str) -> float:
        self._counter.count += len(text)
        return self._length(text)


def operations(strategy: Any, text: str, seconds: float = 60.0) -> int:
    """How many operations the strategy needs for a text. Raises `Refused` like `run`."""
    counter = _Counter()
    counted = _Text(text)
    counted.counter = counter
    document = MDocument(counted)

    def call() -> int:
        with counter:
            split(strategy, document)
        return counter.count

    return int(guarded(call, document, seconds))


def _with_counted_length(strategy: Any, counter: _Counter) -> Any:
    """The strategy with a length function that counts, or None when it has none to replace."""
    if not dataclasses.is_dataclass(strategy) or not hasattr(strategy, "length_function"):
        return None
    try:
        return dataclasses.replace(strategy, length_function=_CountedLength(length_of(strategy), counter))  # type: ignore[type-var]
    except Exception:  # a strategy may refuse functions
        return None


def _with_small_size(strategy: Any) -> Any:
    """The strategy with a limit that texts of a few thousand characters exceed many times, if it can be had."""
    most, repeat = limit_of(strategy), repeat_of(strategy)
    fields = getattr(strategy, "__dataclass_fields__", {})
    if most is None or most <= _SMALL_LIMIT or "max_size" not in fields:
        return strategy
    sizes = {"max_size": _SMALL_LIMIT}
    if "overlap" in fields and repeat is not None and "overlap" not in getattr(strategy, "unused", ()):
        sizes["overlap"] = int(min(repeat, _SMALL_OVERLAP))
    try:
        return dataclasses.replace(strategy, **sizes)
    except Exception:  # another option forbids it
        return strategy


def _measured(strategy: Any, text: str, seconds: float) -> int | None:
    """How many characters the strategy has measured for a text, or None when that cannot be counted."""
    counter = _Counter()
    counting = _with_counted_length(strategy, counter)
    if counting is None:
        return None
    document = MDocument(text)
    guarded(lambda: split(counting, document), document, seconds)
    return counter.count


def linear(strategy: Any, shapes: Mapping[str, Callable[[int], str]], seconds: float = 60.0) -> None:
    """Count on texts of one size and of four times that size; the exponent must be near 1."""
    strategy = _with_small_size(strategy)
    most, length = limit_of(strategy) or 0, length_of(strategy)
    for name, shape in shapes.items():
        small, big = shape(_SIZE), shape(4 * _SIZE)
        # The smaller text must need several cuts, or the first cut of all would look like growth.
        if most > _SMALL_LIMIT and length(small) < 8 * most:
            continue
        try:
            operations(strategy, small, seconds)  # first-time work is not counted
            counts = operations(strategy, small, seconds), operations(strategy, big, seconds)
            measured = _measured(strategy, small, seconds), _measured(strategy, big, seconds)
        except Refused:
            continue
        _judge(name, (small, big), counts, "operations")
        if measured[0] is not None and measured[1] is not None:
            _judge(name, (small, big), (measured[0], measured[1]), "characters measured")


def _judge(name: str, texts: tuple[str, str], counts: tuple[int, int], what: str) -> None:
    sizes = len(texts[0]), len(texts[1])
    exponent = math.log((counts[1] + _FIXED) / (counts[0] + _FIXED)) / math.log(sizes[1] / sizes[0])
    if exponent > EXPONENT + _TOLERANCE:
        fail(
            8,
            f"{name!r}: {counts[0]} {what} for {sizes[0]} characters, {counts[1]} for {sizes[1]}: "
            f"an exponent of {exponent:.2f}, more than {EXPONENT} (+{_TOLERANCE})",
        )
