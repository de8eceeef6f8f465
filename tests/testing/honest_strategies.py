"""Tiny strategies that keep the contract, each in a way of its own."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from cantle import Chunk, Chunks, Sized, Source
from cantle.chunk import Span
from cantle.errors import DocumentError
from cantle.graphemes import is_boundary, next_boundary, previous_boundary
from cantle.whitespace import is_blank


def whole_matches(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Matches that begin and end between clusters."""
    return (m for m in re.finditer(pattern, text) if is_boundary(text, m.start()) and is_boundary(text, m.end()))


@dataclass(frozen=True, kw_only=True)
class Honest(Sized):
    """As much as fits, cut between clusters."""

    name: ClassVar[str] = "honest"
    unused: ClassVar[tuple[str, ...]] = ("overlap", "separator_position", "explain")

    def spans(self, text: str) -> Iterator[Span]:
        measure = self.length.measure(text)
        start = 0
        while start < len(text):
            end = previous_boundary(text, max(measure.fit(start, self.limit), start + 1), start)
            if not (self.strip_whitespace and is_blank(text[start:end])):
                yield start, end
            start = end

    def split(self, source: Source) -> Iterator[Chunk]:
        for start, end in self.spans(source.text):
            yield Chunk(source.text[start:end], start, end)


@dataclass(frozen=True, kw_only=True)
class HonestOverlap(Honest):
    """Each chunk begins up to `repeat` before its predecessor ends."""

    name: ClassVar[str] = "honest-overlap"
    unused: ClassVar[tuple[str, ...]] = ("separator_position", "explain")

    def spans(self, text: str) -> Iterator[Span]:
        measure = self.length.measure(text)
        start, reached = 0, 0
        while reached < len(text):
            end = previous_boundary(text, max(measure.fit(start, self.limit), start + 1), start)
            if end <= reached:  # the overlap leaves no room for anything new
                start, end = (
                    reached,
                    previous_boundary(text, max(measure.fit(reached, self.limit), reached + 1), reached),
                )
            if not (self.strip_whitespace and is_blank(text[start:end])):
                yield start, end
                back = next_boundary(text, max(measure.fit_back(end, self.repeat), start + 1))
                start = back if back < end else end
            else:
                start = end
            reached = end

    def split(self, source: Source) -> Chunks:
        spans = list(self.spans(source.text))
        return Chunks.from_spans(source, [s for s, _ in spans], [e for _, e in spans])


@dataclass(frozen=True)
class HonestTags:
    """A chunk of the whole text without its tags, entities decoded; tags and comments are dropped."""

    name: ClassVar[str] = "honest-tags"
    decode = staticmethod(html.unescape)

    def split(self, source: Source) -> Chunks:
        spans, dropped, at = [], [], 0
        for tag in whole_matches(r"<[^<>]*>", source.text):
            spans.append((at, tag.start()))
            dropped.append((tag.start(), tag.end(), "markup"))
            at = tag.end()
        spans = [(s, e) for s, e in [*spans, (at, len(source.text))] if e > s]
        content = " ".join(html.unescape(source.text[s:e]) for s, e in spans)
        chunks = [] if is_blank(content) else [Chunk(content, spans[0][0], spans[-1][1], spans=tuple(spans))]
        return Chunks(source, chunks, dropped=dropped)


@dataclass(frozen=True)
class HonestLines:
    """A chunk a line; cuts at a separator that it leaves out, which it names."""

    name: ClassVar[str] = "honest-lines"
    separator: str = "\n"
    drops: ClassVar[tuple[str, ...]] = ("separator-of-mine",)

    def split(self, source: Source) -> Chunks:
        chunks, dropped, at = [], [], 0
        cuts = [match.span() for match in whole_matches(re.escape(self.separator), source.text)]
        for start, end in [*cuts, (len(source.text), len(source.text))]:
            if not is_blank(source.text[at:start]):
                chunks.append(Chunk(source.text[at:start], at, start))
            if not is_blank(source.text[start:end]):
                dropped.append((start, end, "separator-of-mine"))
            at = end
        return Chunks(source, chunks, dropped=dropped)


@dataclass(frozen=True, kw_only=True)
class HonestWords(Sized):
    """Never cuts a word, so some chunks are oversize, by the caller's wish."""

    name: ClassVar[str] = "honest-words"
    unused: ClassVar[tuple[str, ...]] = ("overlap", "separator_position", "explain", "strip_whitespace")
    fallback_to_characters: bool = False

    def split(self, source: Source) -> Iterator[Chunk]:
        for word in re.finditer(r".+?(?:(?<= )(?=[a-z])|\Z)", source.text, re.DOTALL):
            if not is_blank(word[0]):
                yield Chunk(word[0], *word.span(), oversize=self.length(word[0]) > self.limit)


@dataclass(frozen=True, kw_only=True)
class HonestAsync(Honest):
    """Waits, as a strategy that asks a model does."""

    name: ClassVar[str] = "honest-async"

    async def asplit(self, source: Source) -> list[Chunk]:
        await asyncio.sleep(0)
        return list(super().split(source))

    def split(self, source: Source) -> Any:
        raise DocumentError("use achunk()")


@dataclass(frozen=True, kw_only=True)
class HonestNoSurrogates(Honest):
    """Refuses lone surrogates, with a clear error."""

    name: ClassVar[str] = "honest-no-surrogates"

    def split(self, source: Source) -> Iterator[Chunk]:
        if re.search("[\ud800-\udfff]", source.text):
            raise DocumentError("the text has lone surrogates; replace them first")
        return super().split(source)
