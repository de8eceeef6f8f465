"""Packs become chunks: dictionaries with all their fields."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from ...lengths import resolve
from ..settings import Settings
from .measures import Sizes
from .overlap import Overlaps
from .packs import Pack
from .places import JOINT, Places

__all__ = ["Emitter"]

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_MARGIN = 8
"""How many tokens two texts may have more together than apart; more than ever seen."""


class Emitter:
    """Makes the chunks of one document."""

    def __init__(
        self, text: str, kind: str, pages: Sequence[int], settings: Settings, sizes: Sizes, places: Places
    ) -> None:
        self.text, self.kind, self.pages, self.settings = text, kind, pages, settings
        self.sizes, self.places = sizes, places
        self._overlaps = Overlaps(text, sizes, settings.repeat)
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]
        self._units: Any = resolve("utf16") if self._astral else len
        self._tokens = settings.tokens

    def chunks(self, packs: Sequence[Pack]) -> list[dict[str, Any]]:
        """The chunks of all packs, in order."""
        found = []
        before: Pack | None = None
        for pack in packs:
            if pack.body:
                found.append(self._chunk(pack, before))
            before = pack
        name = self.settings.source or "chunk"
        for index, chunk in enumerate(found):
            chunk["id"] = f"{name}#{index}-{chunk['hash'][:8]}"
            chunk["index"], chunk["total"] = index, len(found)
        return found

    def _chunk(self, pack: Pack, before: Pack | None) -> dict[str, Any]:
        settings, pieces, header = self.settings, pack.pieces, pack.header
        first, last = pieces[0], pieces[-1]
        start, overlap, content, tokens = self._content(header, pack, before)
        while header and self._size(header, content, tokens) > settings.size:
            header = header.partition("\n")[2]  # the outermost heading goes first
        text = content if not header or settings.embed == "content" else f"{header}\n\n{content}"
        digest = sha256(content.encode("utf-8", "replace")).hexdigest()[:16]
        place = last.place
        crumbs = [place.crumb] if len(pieces) == 1 else list(dict.fromkeys([piece.place.crumb for piece in pieces]))
        pages = sorted({bisect_right(self.pages, piece.start) for piece in pieces}) if self.pages else []
        return {
            "id": "",
            "hash": digest,
            "index": 0,
            "total": 0,
            "start": self._unit(start) if self._astral else start,
            "end": self._unit(last.end) if self._astral else last.end,
            "length": self._units(content),
            "tokens": tokens,
            "heading": place.titles[-1] if place.titles else "",
            "headingLevel": place.level,
            "path": list(place.titles),
            "breadcrumb": place.crumb,
            "sections": [crumb for crumb in crumbs if crumb],
            "header": header,
            "content": content,
            "context": "",
            "text": text,
            "embed": settings.embed,
            "type": self.kind,
            "blocks": [last.label] if len(pieces) == 1 else list(dict.fromkeys([piece.label for piece in pieces])),
            "overlap": self._units(overlap) if overlap else 0,
            "page": bisect_right(self.pages, first.start) if self.pages else 0,
            "pages": pages,
            "metadata": dict(settings.metadata),
            "synthetic": pack.made,
        }

    def _content(self, header: str, pack: Pack, before: Pack | None) -> tuple[int, str, str, int]:
        """Start, overlap, content and its tokens: with as much overlap as fits beside the header and the body."""
        first, body = pack.pieces[0], pack.body
        if before is None or not self.settings.repeat:
            return first.start, "", body, self._count(body)
        end, room = before.pieces[-1].end, -1
        for start, at in self._overlaps.starts(before.pieces, first):
            if room >= 0 and self.sizes.span(at, end) > room:
                continue
            overlap = self.text[at:end]
            content = f"{overlap}\n\n{body}"
            tokens = self._count(content)
            if self._size(header, content, tokens) <= self.settings.size:
                return start, overlap, content, tokens
            if room < 0:
                room = max(0, self.settings.size - JOINT - self._size(header, body, self._count(body)))
        return first.start, "", body, self._count(body)

    def _count(self, content: str) -> int:
        return int(self._tokens(content))

    def _size(self, header: str, content: str, tokens: int) -> int:
        """The size of a chunk's text in the unit in force; `tokens` are those of the content."""
        size = tokens if self.sizes.tokens else self._units(content)
        if not header or self.settings.embed == "content":
            return size
        rough = self.places.of(header) + JOINT + size
        if not self.sizes.tokens or rough + _MARGIN <= self.settings.size:
            return rough
        return self._count(f"{header}\n\n{content}")

    def _unit(self, position: int) -> int:
        """A position in UTF-16 units."""
        return position + bisect_left(self._astral, position)
