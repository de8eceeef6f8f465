"""Chunks as columns of positions: `Chunk` objects are made of them when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .chunk import Chunk, Cut, Span

__all__ = ["Columns"]

Metadata = Mapping[str, Any] | None


@dataclass
class Columns:
    """The stretches `[starts[i], ends[i])` of a text, and what goes with each chunk.

    `own` is where a chunk's own text begins after what it repeats, its start unless given; `paths` tells the path of
    such a place. `prefixes` and `metadata` answer for the number of a chunk. Those in `joined` are no literal slices:
    they are the stretches named there, with a line end between each two.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    cuts: Sequence[Cut | None] | None = None
    own: Sequence[int] | None = None
    paths: Callable[[int], tuple[str, ...]] | None = None
    prefixes: Callable[[int], str] | None = None
    metadata: Callable[[int], Metadata] | None = None
    joined: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)

    def make(self, text: str, i: int) -> Chunk:
        """The chunk with the number `i`."""
        start, end = self.starts[i], self.ends[i]
        return Chunk(
            self.content(text, i),
            start,
            end,
            spans=self.joined.get(i),
            overlap=max(0, min(self.ends[i - 1], end) - start) if i else 0,
            prefix=self.prefixes(i) if self.prefixes is not None else "",
            path=self.path(i),
            metadata=self.metadata(i) if self.metadata is not None else None,
            cut=self.cuts[i] if self.cuts is not None else None,
        )

    def content(self, text: str, i: int) -> str:
        """The content of the chunk with the number `i`."""
        if i in self.joined:
            return "\n".join(text[a:b] for a, b in self.joined[i])
        return text[self.starts[i] : self.ends[i]]

    def path(self, i: int) -> tuple[str, ...]:
        """The path of the chunk with the number `i`."""
        return self.paths((self.own or self.starts)[i]) if self.paths is not None else ()

    def texts(self, text: str) -> list[str]:
        """What to embed of every chunk."""
        slices = [text[a:b] for a, b in zip(self.starts, self.ends, strict=True)]
        for i in self.joined:
            slices[i] = self.content(text, i)
        if self.prefixes is None:
            return slices
        return [self.prefixes(i) + piece for i, piece in enumerate(slices)]

    def shifted(self, distance: int) -> Columns:
        """The same chunks in a text that begins `distance` characters earlier."""
        if not distance:
            return self
        # What answers for places and numbers goes on to do so by those of the text it was made for.
        return replace(
            self,
            starts=[start + distance for start in self.starts],
            ends=[end + distance for end in self.ends],
            own=self.own or self.starts,
            joined={i: tuple((a + distance, b + distance) for a, b in spans) for i, spans in self.joined.items()},
        )

    def settled(self) -> tuple[Any, ...]:
        """The same as a tuple of lists: functions need not pickle. `of` makes columns of it."""
        plain = (self.starts, self.ends, self.cuts, self.joined or None)
        if self.paths is None and self.prefixes is None and self.metadata is None:
            return plain
        count = range(len(self.starts))
        functions = (None if self.paths is None else self.path, self.prefixes, self.metadata)
        return plain + tuple(None if function is None else list(map(function, count)) for function in functions)

    @classmethod
    def of(cls, settled: tuple[Any, ...]) -> Columns:
        """The columns that were settled."""
        starts, ends, cuts, joined, *lists = settled
        columns = cls(starts, ends, cuts, joined=joined or {})
        if lists:
            paths, prefixes, metadata = (None if values is None else values.__getitem__ for values in lists)
            columns.paths, columns.prefixes, columns.metadata = paths, prefixes, metadata
            columns.own = range(len(starts)) if paths is not None else None
        return columns
