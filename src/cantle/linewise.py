"""Lines and columns in a text that is read piece by piece."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from .chunk import Chunk
from .packing.reading import TextReader

__all__ = ["Lines"]

_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """A `TextReader` that notes where lines begin, as far as chunks are still to be told. It counts what is read."""

    def __init__(self, reader: TextReader) -> None:
        self._reader = reader
        self.characters = self.bytes = 0
        self._before = 0  # how many lines were forgotten
        self._starts = array("q", [0])
        self._return = False  # whether the last piece ended with CR

    def read(self, size: int, /) -> str:
        """What the reader gives."""
        text = self._reader.read(size)
        if not isinstance(text, str) or not text:
            return text
        at = self.characters
        if self._return and text[0] == "\n":
            self._starts.pop()
        self._starts.extend([at + match.end() for match in _END.finditer(text)])
        self._return = text[-1] == "\r"
        self.characters += len(text)
        self.bytes += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        return text

    def of(self, chunk: Chunk) -> tuple[int, int, int, int]:
        """First line and column, last line and column of a chunk. Later chunks begin no earlier."""
        first = self._line(chunk.start)
        last = self._line(max(chunk.start, chunk.end - 1))
        keep = bisect_right(self._starts, chunk.start) - 1
        if keep > _MANY:
            del self._starts[:keep]
            self._before += keep
        return (*first, *last)

    def _line(self, position: int) -> tuple[int, int]:
        line = bisect_right(self._starts, position)
        return self._before + line, position - self._starts[line - 1] + 1


_MANY = 10_000
"""So many lines are forgotten at a time."""
