"""Fill chunks with whole sentences up to a target, within a limit.

A chunk takes sentences until it measures `target`; the one that would break the limit begins the
next chunk. A sentence above the limit stands alone and is cut at words, then between grapheme
clusters. Sentences are not listed: from each start the measure says where the target lies, and
only the ends near it are asked for.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ..blocks.sentences import Sentences
from ..chunk import Cut
from ..graphemes import is_boundary
from ..lengths import Measure, fit_back
from ..lengths.arithmetic import CharacterMeasure
from .engine import Packer
from .spans import Spans

__all__ = ["Place", "SentencePacker", "Sizes"]

_SENTENCE, _WORD, _CHARACTERS, _END = Cut("sentence", 0), Cut("word", 1), Cut("characters", 2), Cut("end", 0)
_GAP = re.compile(r"[\s\ufeff]{2,}")
"""White space between two sentences that is longer than a blank."""
_BLANKS = re.compile(r"\s+")


class Sizes(NamedTuple):
    """All in the measure's units. `joint` is the length of one blank."""

    limit: float
    target: float
    overlap: float = 0
    joint: float = 1
    words: bool = True
    characters: bool = True
    collapse: bool = False
    """Whether white space of more than one character between sentences counts more than a blank."""


class Place(NamedTuple):
    """What packing goes on from: where a chunk begins, with what there is to know of those before it.

    `spans` and `oversize` say how many there were.
    """

    start: int
    extra: float = 0
    least: int = 0
    spans: int = 0
    oversize: int = 0


class SentencePacker:
    """Cuts one text at the ends of sentences. `oversize` are the starts of chunks that may not be cut."""

    def __init__(self, text: str, measure: Measure, sizes: Sizes, explain: bool = False) -> None:
        self.text, self.measure, self.sizes = text, measure, sizes
        self.spans = Spans(text, True, explain)
        self.oversize: list[int] = []
        self._explain = explain
        self._wide = sizes.collapse and _GAP.search(text) is not None
        # The first end with a length of at least the goal is the first one past all lengths below it.
        self._below = [math.ceil(min(size, sizes.limit)) - 1 for size in (sizes.target, sizes.target - sizes.joint)]
        self._last = len(text)
        self.place = Place(0)

    def pack(self, sentences: Sentences) -> Spans:
        """The spans of the whole text."""
        self._last = sentences.total
        self._fill(sentences, sentences.begin(0), sentences.total)
        return self.spans

    def pack_on(self, sentences: Sentences, place: Place) -> None:
        """Add the spans of what follows a place, and note in `place` how far that is done."""
        self._last, self.place = sentences.total, place
        self._fill(sentences, place.start, sentences.total, place)

    def _fill(self, sentences: Sentences, start: int, total: int, place: Place | None = None) -> None:
        """Pack the sentences from `start` to the one that ends at `total`; note the places if there is one."""
        limit, overlap, target, joint = self.sizes.limit, self.sizes.overlap, self.sizes.target, self.sizes.joint
        length, fit = self.measure.length, self.measure.fit
        end_from, begin = sentences.end_from, sentences.begin
        exact, characters = self.measure.exact, isinstance(self.measure, CharacterMeasure)
        text, wide, below = self.text, self._wide, self._below
        # As in Mastra, a chunk that began because its first sentence did not fit into the one before it counts one
        # blank more than it has.
        extra: float = 0
        least = start + 1
        notes = place is not None
        if place is not None and place.least:
            extra, least = place.extra, place.least
        while start < total:
            if notes:
                self.place = Place(start, extra, least, len(self.spans.starts), len(self.oversize))
            goal = below[extra > 0]
            at = (start + goal if characters else fit(start, goal)) + 1
            end = end_from(at if at > least else least)
            size: float = end - start if characters else length(start, end)
            full = size + extra
            if wide and size <= limit and _GAP.search(text, start, end) is not None:
                end, size, narrowed = self._widened(sentences, start, end, target - extra)
                full = size - narrowed + extra
            if size > limit or full > limit:
                stop = self._last_that_fits(sentences, start, end, least, extra)
                if stop > 0:
                    end, full = stop, 0
                else:
                    if not exact:  # `end` may not be the first one
                        end = end_from(least)
                        size = length(start, end)
                    if size > limit:
                        self._cut(sentences, start, end)
                        start, extra = begin(end), 0
                        least = start + 1
                        continue
                    full = size + extra
            self._add(start, end, _SENTENCE)
            following = begin(end)
            extra = joint if full < target else 0
            if overlap > 0 and following < total:
                least = end_from(following + 1)
                start = self._repeat(sentences, start, end, following, least)
                if start < following:
                    extra = 0
            else:
                start = following
                least = start + 1

    def _widened(self, sentences: Sentences, start: int, end: int, goal: float) -> tuple[int, float, float]:
        """The first end from `end` on where the goal is met if every gap between sentences counts as one blank.

        With the length up to there, and by how much it is more than that.
        """
        length, limit = self.measure.length, self.sizes.limit
        more, seen = 0.0, start
        while True:
            more += self._gaps(sentences, seen, end)
            size = length(start, end)
            if size - more >= goal or size > limit or end >= sentences.total:
                return end, size, more
            seen, end = end, sentences.end_from(end + 1)

    def _gaps(self, sentences: Sentences, start: int, end: int) -> float:
        """By how much the gaps between the sentences of a stretch are longer than one blank each."""
        more = 0.0
        for gap in _GAP.finditer(self.text, start, end):
            a, b = gap.span()
            if sentences.end_from(a) == a:
                more += self.measure.length(a, b) - self.sizes.joint
        return more

    def _last_that_fits(self, sentences: Sentences, start: int, end: int, least: int, extra: float) -> int:
        """The last end before `end` up to which the text fits; -1 when not even one sentence does."""
        limit, measure = self.sizes.limit, self.measure
        stop = sentences.end_before(min(end - 1, max(measure.fit(start, limit), least)), least - 1)
        first = sentences.end_from(start + 1) if extra else 0
        while stop > 0:
            size = measure.length(start, stop)
            if size <= limit and (stop == first or not extra or size + extra <= limit):
                break
            stop = sentences.end_before(stop - 1, least - 1)
        return stop

    def _repeat(self, sentences: Sentences, start: int, end: int, following: int, least: int) -> int:
        """Where the chunk after `[start, end)` begins: before `following` by whole sentences to repeat.

        They measure at most `overlap`, and the sentence up to `least` fits behind them.
        """
        length, limit, overlap = self.measure.length, self.sizes.limit, self.sizes.overlap
        if length(following, least) > limit:
            return following
        low = fit_back(self.measure, end, overlap, start + 1)
        stop = sentences.end_before(low, start)
        if stop < 0 or sentences.begin(stop) < low:
            stop = sentences.end_from(low)
        at = sentences.begin(stop)
        while at < end and (length(at, end) > overlap or length(at, least) > limit):
            at = sentences.begin(sentences.end_from(at + 1))
        return min(at, following)

    def _add(self, start: int, end: int, cut: Cut) -> None:
        self.spans.add(start, end, (cut if end < self._last else _END) if self._explain else None)

    def _cut(self, sentences: Sentences, start: int, end: int) -> None:
        """Pack a sentence that is too long: in finer parts if all of them fit, else by words and characters."""
        groups = sentences.finer(start, end)
        if groups is None:
            self._cut_words(start, end)
            return
        parts: list[tuple[int, int]] = []
        for group in [*groups, []]:
            if group and all(self.measure.length(a, b) <= self.sizes.limit for a, b in group):
                parts += group
                continue
            if parts:
                listed = sentences.listed(parts)
                self._fill(listed, parts[0][0], parts[-1][1])
                parts = []
            if group:
                self._cut_words(group[0][0], group[-1][1])

    def _cut_words(self, start: int, end: int) -> None:
        """Pack a stretch word by word."""
        if not self.sizes.words:
            self._cut_characters(start, end, _SENTENCE)
            return
        text, limit, fit, length = self.text, self.sizes.limit, self.measure.fit, self.measure.length
        while start < end:
            most = min(fit(start, limit), end)
            stop = most if most == end else self._word_end(start, most)
            while stop > start and length(start, stop) > limit:
                stop = self._word_end(start, stop - 1)
            if stop <= start:
                stop = self._next_blank(start, end)
                cut = _WORD if stop < end else _SENTENCE
                if length(start, stop) > limit:
                    self._cut_characters(start, stop, cut)
                else:
                    self._add(start, stop, cut)
            else:
                self._add(start, stop, _WORD if stop < end else _SENTENCE)
            blanks = _BLANKS.match(text, stop, end)
            start = blanks.end() if blanks else stop

    def _word_end(self, start: int, most: int) -> int:
        """The last end of a word in `(start, most]`, or `start`. A cut behind it breaks no cluster."""
        text = self.text
        while True:
            head = text[start : most + 1]
            if not text[most : most + 1].isspace():
                parts = head.rsplit(None, 1)
                if len(parts) < 2:
                    return start
                head = parts[0]
            stop = start + len(head.rstrip())
            if stop <= start or self._parts_words(stop):
                return stop
            most = stop - 1

    def _next_blank(self, start: int, end: int) -> int:
        """The first end of a word after `start`, or `end`."""
        for blank in _BLANKS.finditer(self.text, start, end):
            if blank.start() > start and self._parts_words(blank.start()):
                return blank.start()
        return end

    def _parts_words(self, stop: int) -> bool:
        """Whether white space at `stop` may be cut at: it is in no cluster with what stands around it."""
        text = self.text
        blanks = _BLANKS.match(text, stop)
        return is_boundary(text, stop) and (blanks is None or is_boundary(text, blanks.end()))

    def _cut_characters(self, start: int, end: int, cut: Cut) -> None:
        """Pack a stretch without white space to cut at, or one that is not to be cut there."""
        if not self.sizes.characters:
            self._add(start, end, cut)
            self.oversize += self.spans.starts[-1:]
            return
        packer = Packer(self.text, self.measure, (), limit=self.sizes.limit)
        packer.pack_region(start, end)
        for a, b in zip(packer.spans.starts, packer.spans.ends, strict=True):
            self._add(a, b, cut if b == end else _CHARACTERS)
