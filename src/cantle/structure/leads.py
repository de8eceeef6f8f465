"""Sentences that end with a colon and lead in what follows: code, a list, a table, a paragraph."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..lengths import Measure, within
from .outline import Outline

__all__ = ["Leads"]

_BACK = 300
"""So far before a colon the beginning of its sentence is looked for, in code points."""
_GUESSED = 64
"""So much less may a longer text measure, in tokens."""
_COLON = re.compile(r"[:\uff1a][*_`\"'\u201d\u2019)\]]{0,3}[ \t]*(?:\r\n|\n|\r)")
_BLANKS = re.compile(r"[ \t\r\n]*")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*[\r\n]")
_ITEM = re.compile(r"(?:[-+*\u2022\u2013]|\(?[0-9a-zA-Z]{1,3}[.)])[ \t]")
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]")
_LINE_END = re.compile(r"[\r\n]")


class Leads:
    """Finds the sentences that lead in what follows them, and how far that reaches."""

    def __init__(self, outline: Outline, measure: Measure, segmenter: Segmenter) -> None:
        self.text, self.measure, self.segmenter = outline.text, measure, segmenter
        mixed = "\r" in self.text
        self._blank_lines = ("\n\n", "\r\n\r\n", "\r\r") if mixed else ("\n\n",)
        self._line_ends = "\r\n" if mixed else "\n"
        self._blocks = {block.start: block.end for block in outline.blocks}
        solid = sorted([(b.start, b.end) for b in outline.blocks] + [(h.start, h.end) for h in outline.headings])
        self._starts, self._ends = [start for start, _ in solid], [end for _, end in solid]

    def ties(
        self, start: int, end: int, limit: float, *, since: int | None = None, known: int | None = None
    ) -> tuple[list[Span], list[Span], int]:
        """Of a region: from each sentence that leads in to the first character of what follows; and what follows.

        The second has no blocks, only the paragraphs and lines that fit: they are not to be cut from their sentences.
        `since` is from where on colons are looked for. With `known`, the text behind that is not to be relied on: what
        may be otherwise begins at the position given at last.
        """
        ties: list[Span] = []
        fitting: list[Span] = []
        settled = end if known is None else known - _BACK
        for match in _COLON.finditer(self.text, start if since is None else since, end):
            if known is not None and match.end() > known:
                break
            at, stop = self._follows(match.end(), end)
            if at >= stop:
                continue
            begin = self._start(start, match.start())
            ties.append((begin, at + 1))
            if at in self._blocks:
                continue
            if known is not None and stop > known:
                if within(self.measure, at, max(at, known), limit + _GUESSED):
                    settled = min(settled, begin)
            elif within(self.measure, at, stop, limit):
                fitting.append((at, stop))
        return ties, fitting, settled

    def before(self, low: int, position: int) -> int:
        """Where the sentence that leads in what stands at a position begins, not before `low`; else the position."""
        end = position
        while end > low and self.text[end - 1] in " \t\r\n":
            end -= 1
        # A colon may have a few closing marks behind it.
        match = _COLON.search(self.text, max(low, end - 4), position)
        return self._start(low, match.start()) if match is not None and match.end() >= end else position

    def border(self, position: int) -> tuple[str, int, str]:
        """What border a position is where something led in or leading in begins: kind, level and detail."""
        text = self.text
        end = position
        while end and text[end - 1] in " \t\r\n":
            end -= 1
        i = bisect_left(self._ends, end)
        behind = i < len(self._ends) and self._ends[i] <= position  # a block or heading ends there
        if position in self._blocks or (behind and end <= self._ends[i]):
            return "block", 0, ""
        if _BLANK_LINE.search(text, end, position) is not None:
            return "separator", 0, "\n\n"
        return "sentence", 0, ""

    def _follows(self, line: int, end: int) -> Span:
        """What follows a line end: a block, a paragraph behind a blank line, or an item; empty where there is none."""
        blanks = _BLANKS.match(self.text, line, end)
        at = blanks.end() if blanks is not None else line
        margin = max(line, *(self.text.rfind(mark, line, at) + 1 for mark in self._line_ends))
        for start in (margin, at):  # a block that is indented begins at the margin
            if start in self._blocks:
                return start, min(self._blocks[start], end)
        stop: re.Match[str] | None
        if _LINE_END.search(self.text, line, at) is not None:
            stop = _BLANK_LINE.search(self.text, at, end)
        elif _ITEM.match(self.text, at, end) is not None:
            stop = _LINE_END.search(self.text, at, end)
        else:
            return at, at
        high = end if stop is None else stop.start()
        i = bisect_left(self._starts, at)
        return at, min(high, self._starts[i]) if i < len(self._starts) else high

    def _start(self, low: int, colon: int) -> int:
        """Where the sentence with a colon begins, within its paragraph."""
        text = self.text
        i = bisect_right(self._ends, colon) - 1
        low = max(low, colon - _BACK, self._ends[i] if i >= 0 else 0)
        i = bisect_left(self._starts, colon) - 1  # a colon in a list: not before the list
        if i >= 0:
            low = max(low, self._starts[i])
        for mark in self._blank_lines:
            low = max(low, text.rfind(mark, low, colon) + 1)
        while low < colon and text[low] in " \t\r\n":
            low += 1
        if _END.search(text, low, colon) is None:
            return low
        found = self.segmenter.on(text[low : colon + 1])
        end = found.end_before(found.total - 1, 0)
        return low + found.begin(end) if end > 0 else low
