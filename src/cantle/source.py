"""A source text, and the map between a rewritten text and its original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import OptionError

__all__ = ["OffsetMap", "Source"]


@dataclass(frozen=True)
class Source:
    """A text with its kind, metadata and name. Frozen: chunking never changes it.

    `text` is any `str`; every offset into it counts Unicode code points. `kind` is the format
    (`text`, `markdown`, `html`, `json`, `latex`, ... any word). `metadata` goes into every chunk.
    `source` is the name that chunk ids begin with. `body` is where the content begins; what stands
    before it (front matter) was read into the metadata and is in no chunk.
    """

    text: str
    kind: str = "text"
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    body: int = 0

    def __post_init__(self) -> None:
        """Raise `OptionError` for a field of the wrong kind."""
        if not isinstance(self.text, str):
            raise OptionError(
                f"a document's text must be a str, got {type(self.text).__name__}. "
                "Decode bytes first, or use MDocument.from_file()."
            )
        if not isinstance(self.kind, str) or not isinstance(self.source, str):
            raise OptionError(f"kind and source of a document must be strings, got {self.kind!r} and {self.source!r}.")
        if not isinstance(self.metadata, Mapping):
            raise OptionError(f"metadata must be a mapping of names to values, got {self.metadata!r}.")
        if not isinstance(self.body, int) or not 0 <= self.body <= len(self.text):
            raise OptionError(f"body must lie in the text of {len(self.text)} characters, got {self.body!r}.")


@dataclass(frozen=True)
class OffsetMap:
    """Positions in a rewritten text and the positions they come from in the original.

    The rewritten text is described as the copied stretches `(new, old, length)`, ascending and
    disjoint in both texts; what lies between them was made, removed or replaced. All numbers are
    code points. `old_length` and `new_length` are the lengths of the two texts.
    """

    copies: tuple[tuple[int, int, int], ...]
    old_length: int
    new_length: int

    def __post_init__(self) -> None:
        """Raise `OptionError` when the copies do not ascend inside both texts."""
        new_end = old_end = 0
        for new, old, length in self.copies:
            if new < new_end or old < old_end or length < 0:
                raise OptionError(f"the copies of an OffsetMap must ascend and not overlap, got {(new, old, length)}.")
            new_end, old_end = new + length, old + length
        if new_end > self.new_length or old_end > self.old_length:
            raise OptionError(
                f"the copies of an OffsetMap must lie in texts of {self.old_length} and {self.new_length} "
                f"characters, got one that ends at {old_end} and {new_end}."
            )

    @classmethod
    def identity(cls, length: int) -> OffsetMap:
        """The map of a text that was not rewritten."""
        return cls(((0, 0, length),) if length else (), length, length)

    @classmethod
    def from_edits(cls, length: int, edits: Iterable[tuple[int, int, int]]) -> OffsetMap:
        """The map of a text of `length` characters after replacing stretches of it.

        Each edit is `(start, end, new_length)`: `[start, end)` of the original gives way to
        `new_length` characters. Edits ascend and do not overlap (`OptionError` otherwise).
        """
        copies, old, new = [], 0, 0
        for start, end, size in edits:
            if not old <= start <= end <= length or size < 0:
                raise OptionError(
                    f"edits must ascend inside 0..{length} and not overlap, got {(start, end, size)} after {old}"
                )
            if start > old:
                copies.append((new, old, start - old))
            new += start - old + size
            old = end
        if length > old:
            copies.append((new, old, length - old))
        return cls(tuple(copies), length, new + length - old)

    @property
    def is_identity(self) -> bool:
        """Whether both texts are the same."""
        return self.old_length == self.new_length and self.copies == OffsetMap.identity(self.old_length).copies

    def to_old(self, position: int) -> int:
        """Where a position of the rewritten text lies in the original.

        A position inside a made stretch gives the end of the copied stretch before it.
        """
        i = bisect_right(self.copies, position, key=lambda c: c[0]) - 1
        if i < 0:
            return 0
        new, old, length = self.copies[i]
        return old + min(position - new, length)

    def stretches(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The stretches of the original that `[start, end)` of the rewritten text was copied from."""
        return tuple((old, old + length) for _, old, length in _pieces(self.copies, start, end))

    def then(self, later: OffsetMap) -> OffsetMap:
        """The map of two rewritings: first this one, then `later` (whose original is our result)."""
        copies = []
        for new, old, length in later.copies:
            for new2, old2, length2 in _pieces(self.copies, old, old + length):
                copies.append((new + new2 - old, old2, length2))
        return OffsetMap(tuple(copies), self.old_length, later.new_length)


def _pieces(copies: tuple[tuple[int, int, int], ...], start: int, end: int) -> Iterable[tuple[int, int, int]]:
    """What of the copies lies in `[start, end)` of the rewritten text."""
    i = max(0, bisect_right(copies, start, key=lambda c: c[0]) - 1)
    while i < len(copies) and copies[i][0] < end:
        new, old, length = copies[i]
        lo, hi = max(start, new), min(end, new + length)
        if lo < hi:
            yield lo, old + lo - new, hi - lo
        i += 1
