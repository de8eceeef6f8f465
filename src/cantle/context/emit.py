"""Packs become chunks: dictionaries with all their fields."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ..lengths import resolve
from .measures import Sizes
from .overlap import Overlaps
from .packs import Pack, Packing
from .pieces import Piece
from .places import JOINT
from .settings import Settings

__all__ = ["Emitter"]

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_MARGIN = 8
"""How many tokens two texts may have more together than apart; more than ever seen."""


class Emitter:
    """Makes the chunks of one document."""

    def __init__(
        self, text: str, kind: str, pages: Sequence[int], settings: Settings, sizes: Sizes, packing: Packing
    ) -> None:
        self.text, self.kind, self.pages, self.settings = text, kind, pages, settings
        self.sizes, self.packing = sizes, packing
        self._overlaps = Overlaps(text, sizes, settings.repeat)
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]
        self._units, self._tokens = resolve("utf16"), settings.tokens

    def chunks(self, packs: Sequence[Pack]) -> list[dict[str, Any]]:
        """The chunks of all packs, in order."""
        found = []
        before: Pack | None = None
        for pack in packs:
            body = self.packing.body(pack.pieces)
            if body:
                found.append(self._chunk(pack, body, before))
            before = pack
        name = self.settings.source or "chunk"
        for index, chunk in enumerate(found):
            chunk["id"] = f"{name}#{index}-{chunk['hash'][:8]}"
            chunk["index"], chunk["total"] = index, len(found)
        return found

    def _chunk(self, pack: Pack, body: str, before: Pack | None) -> dict[str, Any]:
        settings = self.settings
        first, last = pack.pieces[0], pack.pieces[-1]
        header = self.packing.header(first)
        start, overlap, content, tokens = self._content(header, body, first, before)
        while header and not self._fits(header, content, tokens):
            header = header.partition("\n")[2]  # the outermost heading goes first
        text = content if not header or settings.embed == "content" else f"{header}\n\n{content}"
        digest = sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
        places = list(dict.fromkeys(piece.place for piece in pack.pieces))
        place = last.place
        pages = sorted({bisect_right(self.pages, piece.start) for piece in pack.pieces}) if self.pages else []
        return {
            "id": "",
            "hash": digest,
            "index": 0,
            "total": 0,
            "start": self._unit(start),
            "end": self._unit(last.end),
            "length": int(self._units(content)),
            "tokens": tokens,
            "heading": place.titles[-1] if place.titles else "",
            "headingLevel": place.level,
            "path": list(place.titles),
            "breadcrumb": place.crumb,
            "sections": list(dict.fromkeys(each.crumb for each in places if each.crumb)),
            "header": header,
            "content": content,
            "context": "",
            "text": text,
            "embed": settings.embed,
            "type": self.kind,
            "blocks": list(dict.fromkeys(piece.label for piece in pack.pieces)),
            "overlap": int(self._units(overlap)),
            "page": bisect_right(self.pages, first.start),
            "pages": pages,
            "metadata": dict(settings.metadata),
            "synthetic": any(piece.made is not None for piece in pack.pieces),
        }

    def _content(self, header: str, body: str, first: Piece, before: Pack | None) -> tuple[int, str, str, int]:
        """Start, overlap, content and its tokens: with as much overlap as fits beside the header and the body."""
        starts = self._overlaps.starts(before.pieces, first) if before else []
        if before and starts:
            end = before.pieces[-1].end
            found = self._repeating(starts[0], end, body)
            if self._fits(header, found[2], found[3]):
                return found
        tokens = self._count(body)
        if before and starts:
            room = self.settings.size - JOINT - self._size(header, body, tokens)
            for at in starts[1:]:
                if self.sizes.span(at[1], end) <= room:
                    found = self._repeating(at, end, body)
                    if self._fits(header, found[2], found[3]):
                        return found
        return first.start, "", body, tokens

    def _repeating(self, at: tuple[int, int], end: int, body: str) -> tuple[int, str, str, int]:
        overlap = self.text[at[1] : end]
        content = f"{overlap}\n\n{body}"
        return at[0], overlap, content, self._count(content)

    def _count(self, content: str) -> int:
        return int(self._tokens(content))

    def _size(self, header: str, content: str, tokens: int) -> int:
        """The size of a chunk's text in the unit in force; `tokens` are those of the content."""
        size = tokens if self.sizes.tokens else int(self._units(content))
        if not header or self.settings.embed == "content":
            return size
        rough = self.packing.places.of(header) + JOINT + size
        if not self.sizes.tokens or rough + _MARGIN <= self.settings.size:
            return rough
        return self._count(f"{header}\n\n{content}")

    def _fits(self, header: str, content: str, tokens: int) -> bool:
        return self._size(header, content, tokens) <= self.settings.size

    def _unit(self, position: int) -> int:
        """A position in UTF-16 units."""
        return position + bisect_left(self._astral, position) if self._astral else position
