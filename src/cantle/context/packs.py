"""Pieces are put together up to the budget; packs that are too small are merged into a neighbour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..blocks.text import BLANKS
from .measures import Sizes
from .pieces import Piece
from .places import JOINT, Places
from .settings import Settings

__all__ = ["Pack", "Packing"]

_TOLERANCE = 1.15


class Pack:
    """The pieces of one chunk. `total` adds up their sizes and joints."""

    __slots__ = ("pieces", "total")

    def __init__(self, pieces: list[Piece], total: int) -> None:
        self.pieces, self.total = pieces, total

    def take(self, other: Pack) -> None:
        """Add the pieces of the pack behind."""
        self.pieces += other.pieces
        self.total += other.total + JOINT


class Packing:
    """Makes packs of pieces."""

    def __init__(self, text: str, settings: Settings, sizes: Sizes, places: Places) -> None:
        self.text, self.settings, self.sizes, self.places = text, settings, sizes, places
        self._bare = settings.embed == "content"

    def packs(self, pieces: Sequence[Piece]) -> list[Pack]:
        """The packs of a document, none of them longer than the limit."""
        found: list[Pack] = []
        for pack in self._absorbed(self._greedy(pieces)):
            found += self._guarded(pack)
        return found

    def body(self, pieces: Sequence[Piece]) -> str:
        """The text of pieces: the stretch they come from, or their texts with blank lines between if one was made."""
        if all(piece.made is None for piece in pieces):
            return self.text[pieces[0].start : pieces[-1].end].strip(BLANKS)
        text, parts, last = self.text, [], None
        for piece in pieces:
            if piece.weak and last is not None and last.made is None and piece.made is None:
                parts[-1] += text[last.end : piece.end]
            else:
                parts.append(text[piece.at : piece.end] if piece.made is None else piece.made)
            last = piece
        return "\n\n".join(parts).strip(BLANKS)

    def _greedy(self, pieces: Sequence[Piece]) -> list[Pack]:
        found: list[Pack] = []
        least, cut_at_headings = self.settings.min_chunk_size, self.settings.split_on_headings
        current: list[Piece] = []
        used = budget = 0
        for piece in pieces:
            if current:
                cost = used + piece.size + JOINT
                if cost <= budget and not (cut_at_headings and piece.label == "heading" and used >= least):
                    current.append(piece)
                    used = cost
                    continue
                found.append(Pack(current, used))
            current, used, budget = [piece], piece.size, piece.place.budget
        if current:
            found.append(Pack(current, used))
        return found

    def _absorbed(self, packs: list[Pack]) -> list[Pack]:
        least, most = self.settings.min_chunk_size, int(_TOLERANCE * self.settings.size)
        if len(packs) < 2 or least <= 0:
            return packs
        found: list[Pack] = []
        current, i = packs[0], 1
        while True:
            total = current.total
            if total < least and (found or i < len(packs)):
                if found and total + found[-1].total <= most and self._may_merge(found[-1], current, last=True):
                    found[-1].take(current)
                elif (
                    i < len(packs) and total + packs[i].total <= most and self._may_merge(current, packs[i], last=False)
                ):
                    current.take(packs[i])
                    i += 1
                    continue
                else:
                    found.append(current)
            else:
                found.append(current)
            if i == len(packs):
                return found
            current, i = packs[i], i + 1

    def _may_merge(self, first: Pack, second: Pack, last: bool) -> bool:
        """Whether two packs fit in one chunk; with its header, if the pack will not be merged further."""
        pieces = first.pieces + second.pieces
        text = self.body(pieces)
        if not self._bare and (last or first.total + second.total + JOINT >= self.settings.min_chunk_size):
            header = self.header(pieces[0])
            text = f"{header}\n\n{text}" if header else text
        return self.sizes.of(text) <= self.settings.size

    def header(self, first: Piece) -> str:
        """The header of a chunk by its first piece; a heading is not put above itself."""
        return self.places.header(first.place.path, first.label == "heading")

    def _guarded(self, pack: Pack) -> Iterator[Pack]:
        """A pack as it is if its text is within the limit, else as several."""
        size, pieces = self.settings.size, pack.pieces
        if self.sizes.of(self.body(pieces)) <= size:
            yield pack
            return
        low = 0
        for i in range(1, len(pieces) + 1):
            if i < len(pieces) and self.sizes.of(self.body(pieces[low : i + 1])) <= size:
                continue
            if i == low + 1 and self.sizes.of(self.body(pieces[low:i])) > size:
                yield from self._recut(pieces[low])
            elif i > low:
                yield Pack(pieces[low:i], sum(piece.size + JOINT for piece in pieces[low:i]) - JOINT)
            low = i

    def _recut(self, piece: Piece) -> Iterator[Pack]:
        """A piece above the limit, cut between grapheme clusters: trimmed, a text can have more tokens than before."""
        low, inside = piece.at, piece.inside
        while low < piece.end:
            high = self.sizes.cut(low, piece.end, self.settings.size // 2)
            size = self.sizes.span(low, high)
            yield Pack([Piece(piece.label, low, high, piece.place, size, weak=inside, inside=inside)], size)
            low, inside = high, True
