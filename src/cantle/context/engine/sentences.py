"""Where prose is cut: blank lines, lines, sentences, semicolons, commas, blanks, from strong to weak."""

from __future__ import annotations

import re
import unicodedata

from ...graphemes import is_boundary

__all__ = ["FULL_STOPS", "SENTENCE", "WORD", "WORDS", "borders", "sentence_starts"]

SENTENCE, WORD = 2, 5
WORDS = WORD + 1
"""How many levels there are."""

_LITERAL = {
    level: re.compile(separator) for level, separator in enumerate(["\n\n", "\n", "", "; ", ", ", " "]) if separator
}

FULL_STOPS = re.compile("[。！？][」』）”’]*")
"""Ends of sentences without blanks behind them."""

_END = re.compile(r"""[.!?…](["'”’)\]]{0,2})[ \t]+(?=[^\W_]|["'“(\[])""")
_OPENING = "\"'“(["
_WRITTEN = (
    "Sr Sra Dr Dra Prof Eng Exmo Exma Mr Mrs Ms St Jr Inc Ltd Co etc ex vs cf ed vol cap art fig pág pag pp al no nr "
    "min max aprox approx"
)
_ABBREVIATIONS = frozenset(_WRITTEN.split())
_LONGEST = 6


def borders(text: str, level: int, start: int, end: int) -> list[int]:
    """Where the pieces of `text[start:end]` begin at a level, its start left out."""
    if level == SENTENCE:
        return sentence_starts(text, start, end)
    found = [match.end() for match in _LITERAL[level].finditer(text, start, end)]
    if found and found[-1] == end:
        found.pop()
    if not text.isascii():  # an accent or a joiner belongs to the blank before it
        found = [at for at in found if text[at] < "\u0300" or is_boundary(text, at)]
    return found


def sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Where a new sentence begins in `text[start:end]`, which is all that is looked at."""
    return [
        match.end()
        for match in _END.finditer(text, start, end)
        if _begins(text[match.end()])
        and (match[1] or text[match.start()] != "." or not _abbreviated(text, start, match.start()))
    ]


def _begins(char: str) -> bool:
    return char in _OPENING or "A" <= char <= "Z" or "0" <= char <= "9" or unicodedata.category(char) in ("Lu", "Nd")


def _abbreviated(text: str, start: int, stop: int) -> bool:
    """Whether the full stop at `stop` belongs to an initial or to an abbreviation."""
    low = max(start, stop - _LONGEST)
    if stop > start and unicodedata.category(text[stop - 1]) == "Lu" and not _in_word(text, start, stop - 1):
        return True
    return any(text[at:stop] in _ABBREVIATIONS and not _in_word(text, start, at) for at in range(low, stop - 1))


def _in_word(text: str, start: int, at: int) -> bool:
    """Whether the character before `at` is part of a word."""
    if at <= start:
        return False
    before = text[at - 1]
    return before == "_" or before.isalnum() or unicodedata.category(before)[0] == "M"
