"""Line ends, blanks at the ends of lines, no-break spaces, and characters without width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from ..whitespace import BLANKS
from .draft import Draft, Edit

__all__ = ["edges", "line_ends", "plain_blanks", "tidy", "without_width"]

_RETURNS = re.compile("\r(?=\n)|\r+(?!\n)")
_OTHER_BLANKS = "\t\u00a0\u2007\u202f"
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"
_ZERO_WIDTH_ALONE = "\u200b\u2060\ufeff"
_JOINERS = "\u200c\u200d"
# A line end with blanks before it, or with blank lines after it: what there may be to tidy. The search jumps from line
# end to line end, and nothing is read twice but the indentation of the next line.
_LOOSE_END = re.compile(f"\n(?:(?<=[{BLANKS}]\n)(?:[{BLANKS}]*\n)?|[{BLANKS}]*\n)")


def line_ends(draft: Draft) -> None:
    """Take out a byte order mark at the start, and make every line end a line feed."""
    text = draft.text
    edits: list[Edit] = [(0, 1, "")] if text.startswith("\ufeff") else []
    if "\r" in text:
        for match in _RETURNS.finditer(text):
            start, end = match.span()
            edits.append((start, end, "" if text[end : end + 1] == "\n" else "\n" * (end - start)))
    draft.edit(edits)


def plain_blanks(draft: Draft, examined: str) -> None:
    """Make tabs and no-break spaces spaces. `examined` is the text with what must stay overwritten by line feeds."""
    draft.edit([(start, end, " " * (end - start)) for start, end in _runs(examined, _OTHER_BLANKS)])


def without_width(text: str, joiners: bool) -> list[tuple[int, int]]:
    """The stretches of characters without width, without the joiners that join something, or `joiners` at all."""
    found: list[tuple[int, int]] = []
    for start, end in _runs(text, _ZERO_WIDTH if joiners else _ZERO_WIDTH_ALONE):
        if not _joins(text[start - 1 : start], text[end : end + 1]):
            found.append((start, end))
        else:
            found += [(i, i + 1) for i in range(start, end) if text[i] not in _JOINERS]
    return found


def _runs(text: str, characters: str) -> list[tuple[int, int]]:
    """The runs of some rare characters. Looking for one at a time is many times faster than a pattern."""
    places: list[int] = []
    for character in characters:
        at = text.find(character)
        while at >= 0:
            places.append(at)
            at = text.find(character, at + 1)
    places.sort()
    runs: list[tuple[int, int]] = []
    start = end = -1
    for at in places:
        if at != end:
            if end > start:
                runs.append((start, end))
            start = at
        end = at + 1
    if end > start:
        runs.append((start, end))
    return runs


def _joins(before: str, after: str) -> bool:
    """Whether a joiner between two characters (or the text's ends, empty) shapes what is seen.

    In emoji and in scripts beyond Latin it does, if there is a character on both sides. After a letter or mark of such
    a script it does at the end of a word too (Malayalam chillus, Persian abbreviations).
    """
    if before.isspace() or not before:
        return False
    if after.isspace() or not after:
        return _beyond_latin(before) and category(before)[0] in "LM" and not "\ufe00" <= before <= "\ufe0f"
    return _beyond_latin(before) or _beyond_latin(after)


def _beyond_latin(character: str) -> bool:
    return character >= "\u0300" and not "\u2000" <= character <= "\u206f"


def edges(text: str) -> tuple[int, int]:
    """Where the first line that is not blank begins, and where the last character that is not blank ends."""
    indented = len(text) - len(text.lstrip(BLANKS))
    return text.rfind("\n", 0, indented) + 1, len(text.rstrip(BLANKS))


def tidy(text: str, start: int, end: int) -> Iterator[Edit]:
    """What to take out of `[start, end)` so that no line ends in blanks and no two blank lines are together.

    The first line must not be blank; the last one is left as it is.
    """
    line = start
    for match in _LOOSE_END.finditer(text, start, end):
        first, after = match.span()
        if text[first - 1] in BLANKS:
            yield line + len(text[line:first].rstrip(BLANKS)), first, ""
        if after - first > 2:
            yield first + 1, after - 1, ""
        line = after
