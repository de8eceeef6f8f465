"""What stands in front of a chunk: the headings around it, one a line, then a blank line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .outline import Outline

__all__ = ["SHARE", "Headers"]

SHARE = 0.4
"""The most of the limit that the headings in front of a chunk may take."""


class Headers:
    """The lines of headings for every section of a document; each is made and measured once.

    `full` is the whole path, else the nearest heading alone. Where the lines are longer than `most`, the outermost go
    first, all of them in the end.
    """

    def __init__(
        self, outline: Outline, length: Callable[[str], float], most: float, *, on: bool = True, full: bool = True
    ) -> None:
        self.outline, self.length, self.most, self.full = outline, length, most, full
        self.on = on and bool(outline.headings)
        self.parents = _parents([heading.level for heading in outline.headings]) if self.on else []
        self._lines: dict[int, str] = {}
        self._sizes: dict[str, float] = {}
        self._known: dict[int, tuple[str, float]] = {}

    def within(self, number: int) -> str:
        """For a chunk inside the section of a heading, -1 for the text before the first one."""
        return self.measured(number)[0]

    def above(self, number: int) -> str:
        """For a chunk that begins with the heading itself."""
        return self.measured(self.parents[number])[0] if self.on and number >= 0 else ""

    def size(self, number: int) -> float:
        """The length of `within(number)`."""
        return self.measured(number)[1]

    def size_above(self, number: int) -> float:
        """The length of `above(number)`."""
        return self.measured(self.parents[number])[1] if self.on and number >= 0 else 0

    def longest(self, first: int, last: int) -> float:
        """The length of the longest lines that a chunk in some sections can have."""
        if not self.on:
            return 0
        return max([self.size_above(max(first, 0)), *map(self.size, range(max(first, 0), last + 1))], default=0)

    def length_before(self, text: str) -> float:
        """What a text adds to the length of one that it stands in front of."""
        size = self._sizes.get(text)
        if size is None:
            # White space at the end counts differently where nothing follows, with some encodings.
            size = self._sizes[text] = self.length(text + "a") - self.length("a")
        return size

    def measured(self, number: int) -> tuple[str, float]:
        """The lines for a section with their length."""
        if number < 0 or not self.on:
            return "", 0
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = self._fitting(number)
        return found

    def _fitting(self, number: int) -> tuple[str, float]:
        lines: list[str] = []
        best: tuple[str, float] = ("", 0)
        at = number
        # From the innermost outwards: what is looked at is at most one line more than what fits.
        while at >= 0:
            line = self._line(at)
            if line:
                lines.insert(0, line)
                text = "\n".join(lines) + "\n\n"
                size = self.length_before(text)
                if size > self.most:
                    break
                best = text, size
                if not self.full:
                    break
            at = self.parents[at]
        return best

    def _line(self, number: int) -> str:
        line = self._lines.get(number)
        if line is None:
            line = self._lines[number] = self.outline.line(number)
        return line


def _parents(levels: Sequence[int]) -> list[int]:
    """For each heading the number of the one that it is under, -1 when there is none."""
    found: list[int] = []
    open_: list[int] = []
    for i, level in enumerate(levels):
        while open_ and levels[open_[-1]] >= level:
            open_.pop()
        found.append(open_[-1] if open_ else -1)
        open_.append(i)
    return found
