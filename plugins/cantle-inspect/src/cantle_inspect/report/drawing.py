"""The text of a document with its chunks marked, as HTML, in blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from unicodedata import bidirectional

from cantle import Chunk, Chunks
from cantle.html_view import Stretch, attribute, dropped, escaped, stretches

__all__ = ["direction", "draw", "in_blocks", "isolated", "line_breaks", "names", "ranges"]

_MOST_OF_PREFIX = 300
_MOST_NAMED = 6
_GAP_SIGNS = {"\n": "\u21b5", "\t": "\u21e5", "\r": "\u240d"}
_MOST_SIGNS = 8


def line_breaks(text: str, least: int) -> list[int]:
    """Starts of lines, at least `least` characters apart: where a text can be laid out in blocks unchanged."""
    found = []
    at = text.find("\n", least - 1) + 1
    while 0 < at < len(text):
        found.append(at)
        at = text.find("\n", at + least - 1) + 1
    return found


def draw(
    chunks: Chunks, breaks: Sequence[int], badge: Callable[[Chunk], str], tail: Callable[[int], str] | None = None
) -> list[str]:
    """The text from each of `breaks` (ascending, 0 left out) to the next, as the inside of one element each.

    `badge` gives the HTML of a chunk's number, which stands where the chunk begins, `tail` that of what stands where
    the chunk of a number ends. A stretch in chunks is a `bdi` whose `data-chunk` names their numbers as `ranges` does.
    Nothing that is no text of the document stands in one.
    """
    drawing = _Drawing(chunks, badge, tail)
    blocks: list[list[str]] = [[] for _ in range(len(breaks) + 1)]
    for stretch in stretches(chunks, dropped(chunks), len(chunks.source.text)):
        first = bisect_left(breaks, stretch.start + 1)
        last = max(first, bisect_left(breaks, stretch.end))
        edges = [stretch.start, *breaks[first:last], stretch.end]
        for i, (start, end) in enumerate(pairwise(edges)):
            piece = stretch._replace(start=start, end=end)
            if first + i < last:
                piece = piece._replace(closes=())
            if i:
                piece = piece._replace(opens=())
            blocks[first + i].append(drawing.piece(piece))
    return ["".join(block) for block in blocks]


def isolated(text: str) -> str:
    """A text that turns nothing around it: a `bdi` where it might."""
    return escaped(text) if text.isascii() else f"<bdi>{escaped(text)}</bdi>"


def direction(text: str) -> str:
    """`rtl` when the first letter of a text that has a direction is written from right to left, else `ltr`."""
    for character in text:
        found = bidirectional(character)
        if found in ("L", "R", "AL"):
            return "ltr" if found == "L" else "rtl"
    return "ltr"


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers with blanks between them, those that follow one another as a range: `3 7-12 20`."""
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
    starts = [i for i, number in enumerate(numbers) if not i or number != numbers[i - 1] + 1]
    return " ".join(ranges(numbers[a:b]) for a, b in pairwise([*starts, len(numbers)]))


def names(numbers: Sequence[int], most: int = _MOST_NAMED) -> str:
    """Numbers of chunks in words: `3`, `3 and 4`, `3 to 8`, `1, 4, 9 and 12 more`."""
    if len(numbers) <= 2:
        return " and ".join(map(str, numbers))
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    shown = [str(number) for number in numbers[:most]]
    if len(numbers) > most:
        return f"{', '.join(shown)} and {len(numbers) - most} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


class _Drawing:
    """Draws stretches one after another; remembers what it has said, to say it once."""

    def __init__(self, chunks: Chunks, badge: Callable[[Chunk], str], tail: Callable[[int], str] | None) -> None:
        self.chunks = chunks
        self.tail = tail
        self.text = chunks.source.text
        self.badge = badge
        self.held: tuple[int, ...] = ()
        self.reason: str | None = None

    def piece(self, stretch: Stretch) -> str:
        """One stretch with what stands before it: prefixes and badges of chunks that begin, a label."""
        head = "".join(self._opening(self.chunks[i]) for i in stretch.opens)
        if stretch.holders:
            return head + self._mark(stretch)
        head += "".join(map(_empty, stretch.opens))
        if stretch.start == stretch.end:
            return head
        return head + (self._gap(stretch) if stretch.reason is None else self._dropped(stretch, stretch.reason))

    def _opening(self, chunk: Chunk) -> str:
        prefix = chunk.prefix.strip()
        if not prefix:
            return self.badge(chunk)
        if len(prefix) > _MOST_OF_PREFIX:
            prefix = f"{prefix[:_MOST_OF_PREFIX]}…"
        label = f'<span class="l">prefix of {chunk.index}, not in the document</span>'
        return f'<span class="p">{label}<bdi>{escaped(prefix)}</bdi></span>{self.badge(chunk)}'

    def _mark(self, stretch: Stretch) -> str:
        holders = stretch.holders
        shared = len(holders) > 1
        own = [i for i in stretch.opens if _has(holders, i)]
        kinds = ["m", "b" if holders[-1] % 2 else "a"]
        kinds += ["o"] * shared + ["s"] * bool(own) + ["e"] * bool(stretch.closes)
        label = ""
        if shared and holders != self.held:
            label = f'<span class="l">in {names(holders)}</span>'
        if shared:
            self.held = holders
        empty = "" if len(own) == len(stretch.opens) else "".join(_empty(i) for i in stretch.opens if i not in own)
        text = escaped(self.text, stretch.start, stretch.end)
        after = "" if self.tail is None else "".join(map(self.tail, stretch.closes))
        return f'{label}{empty}<bdi class="{" ".join(kinds)}" data-chunk="{ranges(holders)}">{text}</bdi>{after}'

    def _dropped(self, stretch: Stretch, reason: str) -> str:
        text = self.text[stretch.start : stretch.end]
        if text.isspace():
            return self._gap(stretch)
        label = ""
        if reason != self.reason or len(text) > 400:
            label = f'<span class="l">dropped: {attribute(reason)}</span>'
        self.reason = reason
        start = stretch.end - len(text.lstrip())
        end = stretch.start + len(text.rstrip())
        before, inside, behind = (
            escaped(self.text, a, b) for a, b in pairwise([stretch.start, start, end, stretch.end])
        )
        return f'{before}{label}<del title="dropped: {attribute(reason)}"><bdi>{inside}</bdi></del>{behind}'

    def _gap(self, stretch: Stretch) -> str:
        text = self.text[stretch.start : stretch.end]
        shown = escaped(self.text, stretch.start, stretch.end)
        blank = not text.strip("\ufeff \t\r\n") or text.isspace()
        if not blank:  # a strategy of a plugin has lost it
            label = '<span class="l x">in no chunk, for no reason given</span>'
            return f'{label}<span class="x"><bdi>{shown}</bdi></span>'
        signs = "".join(_GAP_SIGNS.get(c, "\u00b7") for c in text[:_MOST_SIGNS].replace("\r\n", "\n"))
        more = "…" if len(text) > _MOST_SIGNS else ""
        return f'<span class="w" aria-hidden="true">{signs}{more}</span>{shown}'


def _empty(number: int) -> str:
    """The mark of a chunk that holds no text here."""
    return f'<bdi data-chunk="{number}"></bdi>'


def _has(numbers: Sequence[int], number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def in_blocks(pieces: Iterable[str], texts: Iterable[str]) -> Iterator[str]:
    """Blocks as elements, each with the direction of its text."""
    for piece, text in zip(pieces, texts, strict=True):
        yield f'<div class="t" dir="{direction(text)}">{piece}</div>'
