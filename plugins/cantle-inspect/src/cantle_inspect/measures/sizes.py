"""How large chunks are, in the unit that they were cut by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from statistics import fmean, median
from typing import Any

from cantle import Chunks
from cantle.html_view import dropped, spans, stretches
from cantle.lengths import EncodeLength, Length, TokenLength, resolve

from .settings import asked, unused

__all__ = ["Losses", "Sizes", "losses", "measured", "number", "repeated", "unit_of"]

_NO_LIMIT = 1 << 53
"""What strategies give as their limit when there is none."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of chunks: of what is embedded, prefix and overlap included.

    `unit` names what is counted: `characters` (code points), `words`, `tokens (cl100k_base)`, ... `limit` is the most
    that the strategy allows, None when it has no limit.
    """

    values: tuple[float, ...]
    unit: str = "characters"
    limit: float | None = None

    @property
    def least(self) -> float | None:
        """The size of the smallest chunk; None without chunks, like what follows."""
        return min(self.values, default=None)

    @property
    def most(self) -> float | None:
        """The size of the largest chunk."""
        return max(self.values, default=None)

    @property
    def median(self) -> float | None:
        """The size in the middle."""
        return median(self.values) if self.values else None

    @property
    def mean(self) -> float | None:
        """The mean size."""
        return fmean(self.values) if self.values else None

    @property
    def used(self) -> float | None:
        """Which share of the limit the mean size is, 0 to 1."""
        return None if self.mean is None or not self.limit else self.mean / self.limit


def measured(chunks: Chunks) -> Sizes:
    """The sizes of chunks in the unit of the strategy that made them; in characters when it is not known.

    It is not when the length function cannot be found (it was of another registry), fails, or gives no sizes; nor is
    the limit then.
    """
    strategy = chunks.strategy
    texts = chunks.texts
    try:
        unit, length = _unit(strategy)
        return Sizes(tuple(_size(length(text)) for text in texts), unit, _limit(strategy))
    except Exception:  # of a plugin
        return Sizes(tuple(map(len, texts)))


def _size(value: Any) -> float:
    if not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise ValueError(f"{value!r} is no size")
    return value if isinstance(value, int) else float(value)


def unit_of(strategy: Any) -> str:
    """What the sizes of a strategy count, as `Sizes.unit` names it."""
    try:
        return _unit(strategy)[0]
    except Exception:  # of a plugin
        return "characters"


def _unit(strategy: Any) -> tuple[str, Callable[[str], float]]:
    own = asked(strategy, "length_function")
    # What is in force, whatever the option says: a strategy may count tokens of one encoding, or in its own way.
    length = asked(strategy, "length")
    in_force = length if isinstance(length, Length) and not isinstance(length, type) else None
    encoding = asked(strategy, "encoding")
    if isinstance(encoding, str) and "length_function" in unused(strategy):
        return f"tokens ({encoding})", in_force or resolve(encoding)
    if in_force is None and own is None:
        return "characters", len
    length = in_force or resolve(own)
    return _name(
        own if isinstance(own, str) or callable(own) or callable(asked(own, "encode")) else length, length
    ), length


def _name(given: Any, length: Length) -> str:
    if isinstance(given, str):
        if given in _NAMES:
            return _NAMES[given]
        return f"tokens ({given})" if isinstance(length, TokenLength | EncodeLength) else f"units of {given}"
    found = (asked(given, name) for name in ("name_or_path", "name", "__name__"))
    name = next((name for name in found if isinstance(name, str) and name), type(given).__name__)
    return _NAMES.get(name, f"units of {name}")


_NAMES = {"characters": "characters", "utf16": "UTF-16 units", "bytes": "bytes", "words": "words"}


def _limit(strategy: Any) -> float | None:
    limit = asked(strategy, "limit")
    if limit is None:
        limit = asked(strategy, "max_size")
    if isinstance(limit, list | tuple) and limit:
        limit = limit[-1]
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        return None
    return limit if 0 < limit < _NO_LIMIT else None


def repeated(chunks: Chunks) -> float:
    """Which share of the contents of all chunks stands in a chunk before, 0 to 1, by characters of the document.

    What a strategy repeats counts whatever it repeats it for: overlap, the header of a table, keys around a value.
    """
    size = len(chunks.source.text)
    parts = [_union((max(a, 0), min(b, size)) for a, b in spans(chunk)) for chunk in chunks]
    total = sum(b - a for part in parts for a, b in part)
    once = sum(b - a for a, b in _union(span for part in parts for span in part))
    return (total - once) / total if total else 0.0


def _union(found: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches joined where they touch, ascending; empty ones left out."""
    result: list[tuple[int, int]] = []
    for start, end in sorted(span for span in found if span[0] < span[1]):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


@dataclass(frozen=True)
class Losses:
    """What of a document is in no chunk. `dropped`: reason -> (stretches, characters), in the order they come up.

    `undeclared` counts characters that are neither blank nor in a chunk nor dropped for a reason; the strategies of
    cantle leave none.
    """

    dropped: dict[str, tuple[int, int]]
    undeclared: int

    @property
    def characters(self) -> int:
        """How many characters are dropped for a reason."""
        return sum(count for _, count in self.dropped.values())


def losses(chunks: Chunks) -> Losses:
    """What is in no chunk, and why."""
    text = chunks.source.text
    left_out = dropped(chunks)
    by_reason: dict[str, tuple[int, int]] = {}
    for start, end, reason in left_out:
        count, characters = by_reason.get(reason, (0, 0))
        by_reason[reason] = (count + 1, characters + end - start)
    undeclared = 0
    for stretch in stretches(chunks, left_out, len(text)):
        if not stretch.holders and stretch.reason is None:
            undeclared += sum(1 for c in text[stretch.start : stretch.end] if not c.isspace() and c != "\ufeff")
    return Losses(by_reason, undeclared)


def number(value: float | None, digits: int = 1) -> str:
    """A size for people: `1,234` or `12.5`; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, digits)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,}"
