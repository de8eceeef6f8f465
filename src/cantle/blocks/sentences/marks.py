"""The characters that end, close and open sentences, and the patterns that find places where one may end."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["CJK", "CLOSING", "NARROW", "SPACED", "UNSPACED", "candidates", "unspaced"]

SPACED = ".!?\u2026\u203c\u2047\u2048\u2049\u203d\u055c\u055e\u061e\u061f\u06d4\u037e"
"""End a sentence before white space: Latin, Greek and Cyrillic ones, Arabic ؟ and ۔."""

NARROW = ".!?"
"""Those of a text of which no language is known."""

CJK = "\u3002\uff01\uff1f\uff61\uff0e\ufe12\ufe15\ufe16\ufe52\ufe56\ufe57"
"""Ideographic full stops, full-width, half-width, small and vertical forms."""

UNSPACED = CJK + "\u0964\u0965\u104b\u1362\u1367\u1368\u0589\u17d4\u17d5\u1803\u1809\ua4ff\u2e3c\u0f0d\u0f0e"
"""End a sentence whatever follows: CJK, danda, Burmese, Ethiopic, Armenian, Khmer, Mongolian, Lisu, Tibetan."""

_CLOSES = "\"'\u2019\u201d\u00bb\u203a)]}\u300d\u300f\uff09\uff3d\uff5d\u3009\u300b\u3011\u3017\u3019\u301f*_~`"
_CLOSE = re.escape(_CLOSES) + "\u00b2\u00b3\u00b9\u2070-\u2079"
_LATE_OPENS = "\u201c\u2018\u00ab"
"""Open in most languages, but close in German („Ja.“, »Ja.«): taken for closing ones before white space only."""
CLOSING = frozenset(_CLOSES + _LATE_OPENS + "[\u00b2\u00b3\u00b9\u2070\u2071\u2074\u2075\u2076\u2077\u2078\u2079")
"""What may stand behind an ender, but for the digits of a note in brackets and the blank before a guillemet."""
_OPEN = re.escape(
    "\"'\u201c\u201d\u2018\u2019\u201e\u201a\u00ab\u00bb\u2039\u203a([{\u00bf\u00a1*_~`\u2014\u2013\u2012\u2015-"
)

# Closing marks behind an ender: quotation marks and brackets, Markdown's emphasis, notes such as [12], French
# guillemets behind a blank, and marks that open elsewhere but stand before white space here.
# What is once matched is not given back: `(?=(...))\\n` says so, since Python before 3.11.5 gets `(?:...)*+` wrong.
_TAIL = rf"(?:[{_CLOSE}]|\[\d{{1,3}}\]|[ \u00a0\u202f]\u00bb(?=\W|\Z)|[{_LATE_OPENS}](?=[\s\ufeff]|\Z)){{0,8}}"
_NEXT = rf"([\s\ufeff]++)(?=((?:[{_OPEN}][ \u00a0\u202f]{{0,3}}+){{0,6}}))\4(?![a-z])(.)"
_LINE_ENDS = "\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
_LINES = (
    # a blank line, a form feed, or a list mark or heading of Markdown at the start of the next line
    rf"(?<=[{_LINE_ENDS}])(?:(?<=\r)\n|(?!(?<=\r)\n))(?:(?<=[\f\u2029])|"
    rf"(?=[^\S{_LINE_ENDS}]*+(?:[{_LINE_ENDS}]|[-*+\u2022\u25aa\u25cf]\s|\#{{1,6}}\s|\(?\w{{1,2}}\)\s)))"
)


def _class(characters: str) -> str:
    return "".join(map(re.escape, characters))


def candidates(spaced: str, unspaced: str = "", several: Sequence[str] = (), *, lines: bool) -> re.Pattern[str] | None:
    """The pattern of places where a sentence may end, or None when there are no such places.

    Three kinds of match, told apart by `lastindex`. 5: enders before white space; group 1 ends with
    them, 2 is what closes behind, 3 the white space, 4 what opens before the character of group 5.
    7: enders that need no white space; 6 ends with them, 7 is what closes behind. None: a line end.
    """
    enders = _class(spaced + unspaced)
    line = rf"[{_LINE_ENDS}]{_LINES}"
    if several:
        words = "|".join(map(re.escape, sorted(several, key=lambda word: (-len(word), word))))
        run = rf"(?:{words}|[{enders}])" if enders else f"(?:{words})"
        # So many at most that a long run costs no more than that for each of its characters.
        found = rf"(?=({run}{{1,8}}))\1(?=({_TAIL}))\2{_NEXT}"
        return re.compile(f"{found}|{line}" if lines else found, re.DOTALL)
    branches = []
    if spaced:
        branches.append(rf"(?<=[{_class(spaced)}])(?<![{enders}][{enders}])([{enders}]*+)(?=({_TAIL}))\2{_NEXT}")
    else:
        branches.append("()()()()()(?!)")
    if unspaced:
        marks = _class(unspaced)
        branches.append(rf"(?<=[{marks}])(?<![{marks}][{marks}])([{enders}]*+)({_TAIL})")
    if lines:
        branches.append(_LINES)
    # All branches begin with the one class, which lets the engine skip to its characters.
    first = enders + (_LINE_ENDS if lines else "")
    return re.compile(rf"[{first}](?:{'|'.join(branches)})", re.DOTALL) if first else None


def unspaced(marks: str, several: Sequence[str] = ()) -> re.Pattern[str] | None:
    """The pattern of enders that need no white space, with what closes behind them, or None."""
    words = [re.escape(word) for word in sorted(several, key=lambda word: (-len(word), word))]
    words += [rf"[{_class(marks)}]"] if marks else []
    return re.compile(rf"(?:{'|'.join(words)})+{_TAIL}") if words else None
