"""What the walk over a document hands on: an opened container, a stretch that grows, a finished part."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "ITEMS",
    "LABELS",
    "LONGEST_PATH",
    "MEMBERS",
    "MOST_WRITTEN",
    "TOP",
    "Frame",
    "Part",
    "Run",
    "Segment",
    "Trail",
]

TOP, MEMBERS, ITEMS, LABELS = "top", "members", "items", "labels"
"""How a container is written: the top object, an object, a list, and a list as an object with its indexes as keys."""


MOST_WRITTEN = 16
"""Of so many containers around a part the inner half is written, the outer ones are in its path: written around every
part, many would soon be longer than all values together."""

LONGEST_PATH = 256
"""A longer path has its innermost keys only: with all of them, paths would grow with the square of the depth."""


class Segment(NamedTuple):
    """What is written for a container around a part, `{"key":`, and where the key stands; None for an index."""

    text: str
    key: tuple[int, int] | None


class Part(NamedTuple):
    """What makes a chunk. Positions are those of the compact copy, of the source when `literal`.

    `keys` are the stretches of keys written before it, `breaks` positions at which the stretch changes its
    container. `kind`, `level` and `detail` say why it ends.
    """

    text: str
    start: int
    end: int
    keys: tuple[tuple[int, int], ...]
    breaks: tuple[int, ...]
    path: tuple[str, ...]
    kind: str
    level: int
    detail: str = ""
    literal: bool = False


class Trail:
    """What leads to the container that is open, from the outside in: keys and indexes, and what is written for them.

    One for all containers, so that a container asks for its part of it by a slice. What stands deeper than the open
    container is of the one before, until another is entered.
    """

    __slots__ = ("names", "segments", "texts")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.segments: list[Segment] = []
        self.texts: list[str] = []

    def enter(self, depth: int, name: str, segment: Segment) -> None:
        """Go on into a container of this depth."""
        self.names[depth - 1 :] = [name]
        self.segments[depth - 1 :] = [segment]
        self.texts[depth - 1 :] = [segment.text]

    def path(self, depth: int) -> tuple[str, ...]:
        """The keys and indexes that lead to a container of this depth, of very many the innermost."""
        return tuple(self.names[max(0, depth - LONGEST_PATH) : depth])


class Frame:
    """An opened container: what of it is still to come, and what is written around its parts.

    `opening` and `end` are indexes of its marks, `at` is the mark before the next entry, and entries are `step` marks
    apart. `segments` are the containers around that are written; `hidden` outer ones are not. `path` is set when the
    trail goes elsewhere while the path is still needed.
    """

    __slots__ = (
        "alone", "at", "base", "closers", "depth", "end", "hidden", "mode", "opening", "parent", "path",
        "prefix", "prefix_size", "segments", "step",
    )  # fmt: skip

    def __init__(self, mode: str, opening: int, end: int, parent: Frame | None, segment: Segment) -> None:
        self.mode, self.opening, self.end, self.parent = mode, opening, end, parent
        self.at = opening
        self.step = 2 if mode in (TOP, MEMBERS) else 1
        self.path: tuple[str, ...] | None = None
        self.alone = False
        self.prefix_size: float = 0
        if parent is None:
            self.depth, self.hidden = 0, 0
            self._write((), "")
        else:
            self.depth, self.hidden = parent.depth + 1, parent.hidden
            self._write((*parent.segments, segment), parent.base + segment.text)

    def _write(self, segments: tuple[Segment, ...], base: str) -> None:
        self.segments, self.base = segments, base
        self.prefix = self.base + ("[" if self.mode == ITEMS else "{")
        self.closers = ("]" if self.mode == ITEMS else "}") + "}" * len(self.segments)

    def hide(self, count: int) -> None:
        """Leave out so many more of the outer containers."""
        self.hidden += count
        self._write(self.segments[count:], "".join([segment.text for segment in self.segments[count:]]))

    def release(self) -> None:
        """Forget what is written around its parts while something in it is open: many deep ones would fill memory."""
        if self.depth > _KEPT:
            self.segments = ()
            self.base = self.prefix = self.closers = ""

    def restore(self, trail: Trail) -> None:
        """Undo `release`."""
        if not self.prefix:
            low, high = self.hidden, self.depth
            self._write(tuple(trail.segments[low:high]), "".join(trail.texts[low:high]))


_KEPT = 50
"""Containers deeper than this do not keep what is written around their parts."""


class Run:
    """Entries that follow one another and will be a part: a stretch of the compact copy.

    `frame` is the innermost container that holds all its entries, `within` the outermost in which something was
    opened since it last grew; `single` is the mark before its only entry, -1 when there are more.
    """

    __slots__ = (
        "breaks",
        "closers",
        "end",
        "frame",
        "keys",
        "last",
        "prefix",
        "prefix_size",
        "single",
        "start",
        "within",
    )

    def __init__(self, frame: Frame, start: int) -> None:
        self.frame = self.last = frame
        self.within: Frame | None = None
        self.prefix, self.prefix_size = frame.prefix, frame.prefix_size
        self.keys = tuple([segment.key for segment in frame.segments if segment.key is not None])
        self.start = self.end = start
        self.closers = frame.closers
        self.single = frame.at
        self.breaks: tuple[int, ...] = ()
