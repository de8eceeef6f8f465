"""A text that is read piece by piece, and where a window of it may begin and what is settled in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from ..errors import DocumentError

__all__ = ["ALIGNED", "Reading", "TextReader", "back_to", "settled", "small_windows"]

WINDOW = 1 << 20
"""So much text is looked at at a time, in code points; more where one chunk, sentence or section needs it."""

_BEHIND = 512
"""So far before a position is looked for what decides about it, runs of one kind of character left aside."""
ALIGNED = 128
"""Clusters are looked for in blocks of so many code points, counted from the start of the text."""
_RUN = 32
_AHEAD = 512
"""So far behind a position is looked for what decides about it, where no run is longer than `_RUN`."""


@contextmanager
def small_windows(size: int) -> Iterator[None]:
    """While this lasts, so much text is looked at at a time: for tests, which so need no long texts."""
    global WINDOW
    before, WINDOW = WINDOW, size
    try:
        yield
    finally:
        WINDOW = before


class TextReader(Protocol):
    """What a text is read from: a file opened as text, `io.StringIO`, anything with such a `read`."""

    def read(self, size: int, /) -> str:
        """At most `size` code points of what follows; less than that is fine; '' at the end."""
        ...


class Reading:
    """A window on a text that comes from a reader. `offset` is where its `text` begins; `ended` says it is the last."""

    def __init__(self, reader: TextReader) -> None:
        self._reader = reader
        self.text, self.offset, self.ended = "", 0, False
        self.size = WINDOW
        """How much of the text to have in the window next."""

    def fill(self, size: int) -> None:
        """Read until the window holds `size` code points or the text ends."""
        parts, have = [self.text], len(self.text)
        while have < size and not self.ended:
            part = self._reader.read(size - have)
            if not isinstance(part, str):
                raise DocumentError(
                    f"a reader must give str, got {type(part).__name__} from read(). Open the file as text: "
                    "open(path, encoding='utf-8', newline='')."
                )
            if part:
                parts.append(part)
                have += len(part)
            else:
                self.ended = True
        if len(parts) > 1:
            self.text = "".join(parts)

    def grow(self) -> None:
        """Look at more: what is in the window was not enough for one step."""
        self.size = 2 * max(self.size, len(self.text))

    def drop(self, to: int) -> None:
        """Let the window begin at the position `to` of the whole text, or a little before."""
        to -= to % ALIGNED
        if to > self.offset:
            self.text = self.text[to - self.offset :]
            self.offset = to
        # As much again as has to stay: a long stretch that stays is looked at a few times only.
        self.size = max(WINDOW, 2 * len(self.text))


def back_to(text: str, position: int, marks: frozenset[str]) -> int:
    """Where a window may begin that is asked about what stands from `position` on.

    That is so far before that neither white space, letters of flags nor runs of `marks` lead to it.
    """
    at = position - _BEHIND
    while at > 0 and (text[at].isspace() or text[at] in marks or "\U0001f1e6" <= text[at] <= "\U0001f1ff"):
        at -= 1
    return max(0, at - _BEHIND)


def settled(text: str, marks: str = "", more: int = 0) -> int:
    """Up to where what is looked for in a text does not depend on what follows it.

    `marks` are looked through in runs, besides white space; `more` is how much further than usual is looked.
    """
    run = re.compile(rf"[\s\ufeff{re.escape(marks)}]{{{_RUN}}}")
    end = len(text)
    while end > 0:
        start = max(0, end - _AHEAD - more)
        found = run.search(text, start, end)
        if found is None:
            return start
        end = found.start()
    return 0
