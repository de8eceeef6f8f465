"""Pieces are put together up to the budget; packs that are too small are merged into a neighbour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...whitespace import BLANKS
from ..settings import Settings
from .measures import Sizes
from .pieces import Piece
from .places import JOINT

__all__ = ["Pack", "Packing"]

_TOLERANCE = 1.15


class Pack:
    """The pieces of one chunk. `total` adds up their sizes and joints, `made` says that the text of one was made."""

    __slots__ = ("body", "made", "pieces", "total")

    def __init__(self, pieces: list[Piece], total: int, made: bool) -> None:
        self.pieces, self.total, self.made = pieces, total, made
        self.body = ""

    @property
    def header(self) -> str:
        """What the chunk begins with; a heading is not put above itself."""
        first = self.pieces[0]
        return first.place.above if first.label == "heading" else first.place.header

    def take(self, other: Pack, body: str) -> None:
        """Add the pieces of the pack behind; `body` is the text of both."""
        self.pieces += other.pieces
        self.total += other.total + JOINT
        self.made = self.made or other.made
        self.body = body


class Packing:
    """Makes packs of pieces."""

    def __init__(self, text: str, settings: Settings, sizes: Sizes) -> None:
        self.text, self.settings, self.sizes = text, settings, sizes

    def packs(self, pieces: Sequence[Piece]) -> list[Pack]:
        """The packs of a document with their bodies, none of them longer than the limit."""
        found: list[Pack] = []
        of, size = self.sizes.of, self.settings.size
        for pack in self._absorbed(self._greedy(pieces)):
            body = pack.body = pack.body or self._body(pack.pieces, pack.made)
            if of(body) <= size:
                found.append(pack)
            else:
                found += self._divided(pack)
        return found

    def _body(self, pieces: Sequence[Piece], made: bool) -> str:
        """The text of pieces: the stretch they come from, or their texts with blank lines between if one was made."""
        if not made:
            return self.text[pieces[0].start : pieces[-1].end].strip(BLANKS)
        text, last = self.text, None
        parts: list[str] = []
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
        made = False
        for piece in pieces:
            if current:
                cost = used + piece.size + JOINT
                if cost <= budget and not (cut_at_headings and used >= least and piece.label == "heading"):
                    current.append(piece)
                    used = cost
                    made = made or piece.made is not None
                    continue
                found.append(Pack(current, used, made))
            current, used, budget, made = [piece], piece.size, piece.place.budget, piece.made is not None
        if current:
            found.append(Pack(current, used, made))
        return found

    def _absorbed(self, packs: list[Pack]) -> list[Pack]:
        """Packs below the minimum go to the one before, else to the one behind, where the sum is tolerable."""
        least, most = self.settings.min_chunk_size, int(_TOLERANCE * self.settings.size)
        if len(packs) < 2 or least <= 0:
            return packs
        found: list[Pack] = []
        current, i = packs[0], 1
        while True:
            small = current.total < least
            body = ""
            if small and found and current.total + found[-1].total <= most:
                body = self._merged(found[-1], current, last=True)
            if body:
                found[-1].take(current, body)
            elif (
                small
                and i < len(packs)
                and current.total + packs[i].total <= most
                and (body := self._merged(current, packs[i], last=False))
            ):
                current.take(packs[i], body)
                i += 1
                continue
            else:
                found.append(current)
            if i == len(packs):
                return found
            current, i = packs[i], i + 1

    def _merged(self, first: Pack, second: Pack, last: bool) -> str:
        """The text of two packs, empty if it is too long; with its header, if the pack will not be merged further."""
        body = self._body(first.pieces + second.pieces, first.made or second.made)
        header, settings = "", self.settings
        if settings.embed != "content" and (last or first.total + second.total + JOINT >= settings.min_chunk_size):
            header = first.header
        return body if self.sizes.of(f"{header}\n\n{body}" if header else body) <= settings.size else ""

    def _divided(self, pack: Pack) -> Iterator[Pack]:
        """A pack above the limit (by indentation that was not counted) as several."""
        pieces, low = pack.pieces, 0
        for i in range(1, len(pieces) + 1):
            if i < len(pieces) and self._is_within(pieces[low : i + 1]):
                continue
            if self._is_within(pieces[low:i]):
                yield self._pack(pieces[low:i], sum(piece.size + JOINT for piece in pieces[low:i]) - JOINT)
            else:
                yield from self._recut(pieces[low])
            low = i

    def _is_within(self, pieces: list[Piece]) -> bool:
        made = any(piece.made is not None for piece in pieces)
        return self.sizes.of(self._body(pieces, made)) <= self.settings.size

    def _pack(self, pieces: list[Piece], total: int) -> Pack:
        pack = Pack(pieces, total, any(piece.made is not None for piece in pieces))
        pack.body = self._body(pieces, pack.made)
        return pack

    def _recut(self, piece: Piece) -> Iterator[Pack]:
        """A piece above the limit, cut between grapheme clusters: trimmed, a text can have more tokens than before."""
        low, inside = piece.at, piece.inside
        while low < piece.end:
            high = self.sizes.cut(low, piece.end, self.settings.size // 2)
            size = self.sizes.span(low, high)
            yield self._pack([Piece(piece.label, low, high, piece.place, size, weak=inside, inside=inside)], size)
            low, inside = high, True
