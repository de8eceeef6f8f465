"""How the chunks of a document stand to one another: sections, and the keys of parents and neighbours.

It stands below `Chunks` and knows only what it reads from one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from .checks import number
from .errors import DocumentError

if TYPE_CHECKING:
    from .chunk import Chunk
    from .chunks import Chunks

__all__ = ["Outline", "Relation"]

Path = tuple[str, ...]


class Relation(NamedTuple):
    """How a chunk stands to the other chunks of its document. Chunks are named by their `key`.

    A section is a run of chunks with the same `path`, and the sections inside it, whose paths begin
    with that path. The first chunk with just that path leads the section. Paths alone do not tell
    sections apart, their order does: a section ends where a path comes that does not begin with its
    own, or that is its own again after those of sections inside it. So the second "Parameters" of a
    document is another section than the first.

    - `key`: the chunk's own.
    - `parent`: for the chunk that leads a section, the chunk that leads the nearest section around
      it; for the others, the chunk that leads their section. None for a chunk at the top: one
      without a path, or one that leads a section with no led section around it.
    - `children`: the chunks whose parent this one is, in order.
    - `previous`, `next`: the chunks before and behind it under the same parent, or at the top.
    - `section`: the stretch of the source with all chunks of the section, those of the sections
      inside it too: start and end in code points, end exclusive. For a chunk without a path, the
      whole document without its front matter.

    In JSON a path is keys and indexes and names one place (`Chunks.unique_paths`): a section is an
    object or a list, which goes on where its path comes again, and the first chunk with members of
    its own may come behind those of objects inside it.
    """

    key: str
    parent: str | None
    previous: str | None
    next: str | None
    children: tuple[str, ...]
    section: tuple[int, int]

    def fields(self) -> dict[str, Any]:
        """What is beside the key, ready for JSON."""
        return {
            "parent": self.parent,
            "previous": self.previous,
            "next": self.next,
            "children": list(self.children),
            "section": list(self.section),
        }


class Outline:
    """The sections of chunks, as a tree. Takes time in proportion to the chunks and their paths.

    A section has a number; 0 is the document. Where paths of different sections begin alike and no
    chunk has just that beginning, there is a section without a leading chunk.
    """

    def __init__(self, chunks: Chunks) -> None:
        self._depths = [0]  # how long each section's path is
        self._above = [-1]
        self._leads = [-1]
        self._starts, self._ends = [chunks.source.body], [len(chunks.source.text)]
        self._spans = chunks.spans
        self._of = self._read(chunks)  # the section of each chunk
        self._finish()

    def _read(self, chunks: Chunks) -> list[int]:
        of = []
        opened = [0]
        before: Path = ()
        for i, chunk in enumerate(chunks):
            path = tuple(chunk.path)
            if path != before:
                self._turn(opened, before, path, chunks.unique_paths)
                if len(path) > self._depths[opened[-1]]:
                    opened.append(self._add(len(path), opened[-1], chunk.start, chunk.end))
                before = path
            section = opened[-1]
            of.append(section)
            if section:
                if self._leads[section] < 0:
                    self._leads[section] = i
                self._widen(section, chunk.start, chunk.end)
        return of

    def _turn(self, opened: list[int], before: Path, path: Path, unique: bool) -> None:
        """Close the sections that `path` is not in; `opened` then ends with the one that it is in or opens in."""
        shared = _shared(before, path)
        if 0 < shared == len(path) and not unique:
            shared -= 1  # another section of the same name
        inner = -1
        while self._depths[opened[-1]] > shared:
            inner = opened.pop()
        if self._depths[opened[-1]] < shared:  # none had just this path so far, now there are two in it
            opened.append(self._add(shared, opened[-1], self._starts[inner], self._ends[inner]))
            self._above[inner] = opened[-1]

    def _add(self, depth: int, above: int, start: int, end: int) -> int:
        self._depths.append(depth)
        self._above.append(above)
        self._leads.append(-1)
        self._starts.append(start)
        self._ends.append(end)
        return len(self._depths) - 1

    def _widen(self, section: int, start: int, end: int) -> None:
        self._starts[section] = min(self._starts[section], start)
        self._ends[section] = max(self._ends[section], end)

    def _finish(self) -> None:
        """Stretches from the inside out, then parents from the outside in."""
        inwards = sorted(range(1, len(self._depths)), key=self._depths.__getitem__)
        for section in reversed(inwards):
            if above := self._above[section]:
                self._widen(above, self._starts[section], self._ends[section])
        around = [-1] * len(self._depths)  # the chunk that leads the nearest section around each
        for section in inwards:
            above = self._above[section]
            around[section] = self._leads[above] if self._leads[above] >= 0 else around[above]
        self._parents = [
            self._leads[section] if self._leads[section] != i else around[section] for i, section in enumerate(self._of)
        ]

    def relations(self, keys: Sequence[str]) -> list[Relation]:
        """The relation of each chunk, from the keys of all."""
        families: dict[int, list[int]] = {}
        for i, parent in enumerate(self._parents):
            families.setdefault(parent, []).append(i)
        previous: list[str | None] = [None] * len(keys)
        following = previous.copy()
        for family in families.values():
            for one, other in pairwise(family):
                previous[other], following[one] = keys[one], keys[other]
        return [
            Relation(
                key,
                keys[self._parents[i]] if self._parents[i] >= 0 else None,
                previous[i],
                following[i],
                tuple(keys[child] for child in families.get(i, ())),
                self._stretch(self._of[i]),
            )
            for i, key in enumerate(keys)
        ]

    def add_to(self, rows: list[dict[str, Any]]) -> None:
        """Add the fields of its relation to the dictionary of each chunk."""
        for row, relation in zip(rows, self.relations([row["key"] for row in rows]), strict=True):
            row |= relation.fields()

    def section(self, chunk: Chunk, at_most: int | None) -> tuple[int, int]:
        """The stretch of a chunk's section, or of the largest around the chunk of at most so many code points."""
        if not hasattr(chunk, "content"):
            raise DocumentError(
                f"section() takes a chunk of this result, got {chunk!r}. For the chunk at an index: "
                "chunks.section(chunks[index])."
            )
        if self._spans[chunk.index : chunk.index + 1] != [(chunk.start, chunk.end)]:
            raise DocumentError(f"{chunk!r} is none of these {len(self._of)} chunks. Ask the result that it is from.")
        section = self._of[chunk.index]
        if at_most is None:
            return self._stretch(section)
        number("at_most", at_most, least=0)
        found = chunk.start, chunk.end
        while section >= 0 and self._ends[section] - self._starts[section] <= at_most:
            found = self._stretch(section)
            section = self._above[section]
        return found

    def _stretch(self, section: int) -> tuple[int, int]:
        return self._starts[section], self._ends[section]


def _shared(one: Path, other: Path) -> int:
    """How many parts two paths begin with in common."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:  # the first `low` parts are equal, the first `high` are not
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low
