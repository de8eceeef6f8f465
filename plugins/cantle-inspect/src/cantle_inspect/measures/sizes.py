"""How large chunks are, in the unit that they were cut by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from cantle import Chunks
from cantle.html_view import stretches
from cantle.lengths import resolve

__all__ = ["Losses", "Sizes", "losses", "measured", "number", "repeated"]

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
    """The sizes of chunks in the unit of the strategy that made them; in characters when it is not known."""
    strategy = chunks.strategy
    unit, length = _unit(strategy)
    return Sizes(tuple(length(text) for text in chunks.texts), unit, _limit(strategy))


def _unit(strategy: Any) -> tuple[str, Callable[[str], float]]:
    own = getattr(strategy, "length_function", None)
    # A strategy that counts tokens of one encoding whatever that option says has a length of its own.
    length = getattr(strategy, "length", None)
    if "length_function" in getattr(strategy, "unused", ()) and isinstance(getattr(strategy, "encoding", None), str):
        return f"tokens ({strategy.encoding})", length if callable(length) else resolve(strategy.encoding)
    if own is None:
        return "characters", len
    return _name(own), resolve(own)


def _name(length: Any) -> str:
    if isinstance(length, str):
        return length if length in ("characters", "bytes", "words") else _NAMES.get(length, f"tokens ({length})")
    name = getattr(length, "name_or_path", None) or getattr(length, "name", None) or getattr(length, "__name__", None)
    return f"units of {name if isinstance(name, str) else type(length).__name__}"


_NAMES = {"utf16": "UTF-16 units"}


def _limit(strategy: Any) -> float | None:
    limit = getattr(strategy, "limit", None)
    if limit is None:
        limit = getattr(strategy, "max_size", None)
    if isinstance(limit, Sequence) and not isinstance(limit, str) and limit:
        limit = limit[-1]
    return limit if isinstance(limit, int | float) and limit < _NO_LIMIT else None


def repeated(chunks: Chunks) -> float:
    """Which share of the contents of all chunks repeats the chunk before, 0 to 1, by characters."""
    total = sum(len(chunk.content) for chunk in chunks)
    return sum(chunk.overlap for chunk in chunks) / total if total else 0.0


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
    dropped: dict[str, tuple[int, int]] = {}
    for start, end, reason in chunks.dropped:
        count, characters = dropped.get(reason, (0, 0))
        dropped[reason] = (count + 1, characters + end - start)
    undeclared = 0
    for stretch in stretches(chunks, chunks.dropped, len(text)):
        if not stretch.holders and stretch.reason is None:
            undeclared += sum(1 for c in text[stretch.start : stretch.end] if not c.isspace() and c != "\ufeff")
    return Losses(dropped, undeclared)


def number(value: float | None, digits: int = 1) -> str:
    """A size for people: `1,234` or `12.5`; a dash for None."""
    if value is None:
        return "–"
    rounded = round(value, digits)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,}"
