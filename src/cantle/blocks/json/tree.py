"""The compact copy of a JSON document and where its parts are, worked out with numpy for all of it at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...graphemes import is_boundary
from .check import line_column, values
from .strings import ESCAPE, Edit, apply, edits

__all__ = ["Tree", "read"]


class Tree:
    """A document without white space between its tokens, and where its parts are.

    `text` is the compact copy; all positions are its own unless they are said to be the source's.
    `several` tells that the document is JSON Lines; its values are then items of a list that the copy has. `lists` are
    the positions in the source of the brackets of lists that were made objects, `changed` tells that strings of the
    copy are written otherwise than in the source.

    `marks` are the positions of brackets and braces, commas and colons, container by container: a list is its opening
    bracket, its commas and its closing bracket, an object is its opening brace, a colon, a comma, a colon and so on.
    So a container is a run of `marks`, from the index that `opening` gives to the one that `closing` gives.
    """

    def __init__(
        self, source: str, copy: Copy, several: bool, changed: bool, lists: Sequence[int] | None = None
    ) -> None:
        text, at, codes, inside = copy
        self.source, self.text, self.several = source, text, several
        self.at = _view(at)
        self.lists, self._converted, self._changed = lists or (), lists is not None, changed
        self._escaped = "\\" in text
        self._structure(codes, inside)

    def _structure(self, codes: Any, inside: Any) -> None:
        import numpy

        kinds = numpy.frombuffer(codes.tobytes().translate(_KINDS), numpy.uint8) * ~inside
        where = numpy.flatnonzero(kinds)
        kinds = kinds[where]
        # Depth of the container that a mark belongs to.
        steps = numpy.cumsum((kinds == _OPEN).astype(numpy.int32) - (kinds == _CLOSE))
        depths = steps + (kinds == _CLOSE)
        deepest = int(depths.max()) if len(depths) else 0
        order = numpy.argsort(depths.astype(numpy.uint16) if deepest < 1 << 16 else depths, kind="stable")
        marks, kinds = where[order], kinds[order]
        self.colons = int((kinds == _COLON).sum())
        self.marks = _view(marks)
        self._closes = _view(numpy.flatnonzero(kinds == _CLOSE))
        self._levels = _view(numpy.searchsorted(depths[order], numpy.arange(deepest + 2)))
        following = codes.take(marks + 1, mode="clip")
        before_value = kinds != _CLOSE
        self.before_lists = _view(numpy.flatnonzero(before_value & (following == _BRACKET)))
        self.before_nested = _view(numpy.flatnonzero(before_value & ((following == _BRACKET) | (following == _BRACE))))

    def opening(self, position: int, depth: int) -> int:
        """The index in `marks` of the container that opens at a position, inside of `depth` others."""
        return bisect_left(self.marks, position, self._levels[depth + 1], self._levels[depth + 2])

    def closing(self, opening: int) -> int:
        """The index in `marks` of the end of the container that begins at the index `opening`."""
        return self._closes[bisect_right(self._closes, opening)]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch comes from in the source: from its first character to behind its last."""
        last = self.at[end - 1]
        # Behind an escape, which only a string that is cut has at its end, the next character is what it says.
        return self.at[start], self.at[end] if self.source[last] == "\\" else last + 1

    def keys(self, stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The same for keys, which have their colon at the end; there may be very many."""
        at = self.at
        return [(at[start], at[end - 1] + 1) for start, end in stretches]

    def key_after(self, position: int) -> str:
        """The key behind a brace or comma, as it is written."""
        return self.text[position + 1 : self.text.index('"', position + 2) + 1]

    def line_column(self, position: int) -> tuple[int, int]:
        """Line and column in the source, both from 1."""
        return line_column(self.source, self.at[position])

    def is_made(self, position: int) -> bool:
        """Whether the key that begins here is the index of an item in a list that was made an object."""
        return self._converted and self.at[position] == self.at[position + 1]

    def may_cut(self, position: int) -> bool:
        """Whether a string may be cut here: between grapheme clusters, here and in the source."""
        if not is_boundary(self.text, position):
            return False
        return not self._changed or is_boundary(self.source, self.at[position])

    def escapes(self, start: int, end: int) -> list[tuple[int, int]]:
        """The escapes that begin in a stretch of a string; `start` is not inside of one."""
        if not self._escaped or self.text.find("\\", start, end) < 0:
            return []
        return [match.span() for match in ESCAPE.finditer(self.text, start, min(len(self.text), end + 12))]

    def repeats(self) -> list[int]:
        """Positions of the commas before keys that the object has had since its start, or since the last of these."""
        found: list[int] = []
        marks, text = self.marks, self.text
        index, end = 0, len(marks)
        while index < end:
            close = self.closing(index)
            if text[marks[index]] == "{":
                seen: set[str] = set()
                for i in range(index, close - 1, 2):
                    key = text[marks[i] + 1 : marks[i + 1]]
                    if key in seen:
                        found.append(marks[i])
                        seen = set()
                    seen.add(key)
            index = close + 1
        return sorted(found)


def read(text: str, *, ensure_ascii: bool = False, convert_lists: bool = False) -> tuple[Tree, bool] | None:
    """Read a document: its tree, and whether an object in it may have a key twice. None when there is no value in it.

    Raises `DocumentError` for what is not JSON. `ensure_ascii` writes what is not ASCII as escapes in
    strings that are not keys; `convert_lists` makes lists objects with their indexes as keys.
    """
    found, keys = values(text)
    if not found:
        return None
    several = len(found) > 1
    copy = _compact(text, found)
    changed = edits(copy.text, ensure_ascii=ensure_ascii)
    if changed:
        copy = _copy(apply(copy.text, changed), _moved(copy.at, changed))
    tree = Tree(text, copy, several, bool(changed))
    repeats = keys < 0 or tree.colons != keys
    if convert_lists:
        changed, brackets = _converted(tree)
        if changed:
            copy = _copy(apply(copy.text, changed), _moved(copy.at, changed))
            tree = Tree(text, copy, several, True, brackets)
    return tree, repeats


def _view(numbers: Any) -> Sequence[int]:
    """An array to ask for single numbers, which costs less this way."""
    return memoryview(numbers)


_OPEN, _CLOSE, _COMMA, _COLON = 1, 2, 3, 4
_BRACKET, _BRACE = ord("["), ord("{")


_KINDS = bytes(
    _OPEN if c in b"{[" else _CLOSE if c in b"}]" else _COMMA if c == 44 else _COLON if c == 58 else 0
    for c in range(256)
)


def _codes(text: str) -> Any:
    """A byte for every code point; what is not ASCII, which only strings hold, is a question mark."""
    import numpy

    return numpy.frombuffer(text.encode("ascii", "replace"), numpy.uint8)


def _inside(codes: Any) -> Any:
    """Which characters are of a string, its closing quote left out."""
    import numpy

    quotes = codes == ord('"')
    slashes = numpy.flatnonzero(codes == ord("\\"))
    if len(slashes):
        # In a run of backslashes the first, third and so on escape what follows them.
        number = numpy.arange(len(slashes))
        first = numpy.concatenate(([True], numpy.diff(slashes) != 1))
        offset = number - numpy.maximum.accumulate(numpy.where(first, number, 0))
        quotes[slashes[offset % 2 == 0] + 1] = False
    # Prefix sums modulo 2, 64 characters at a time.
    bits = numpy.packbits(quotes, bitorder="little")
    words = numpy.zeros(len(bits) // 8 + 1, "<u8")
    words.view(numpy.uint8)[: len(bits)] = bits
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << numpy.uint64(shift)
    odd = numpy.bitwise_xor.accumulate(words >> numpy.uint64(63))
    words[1:] ^= numpy.uint64(0) - odd[:-1]
    return numpy.unpackbits(words.view(numpy.uint8), bitorder="little", count=len(codes)).view(bool)


class Copy(NamedTuple):
    """A compact copy: its text, the position of each of its characters, a byte for each, which are in strings."""

    text: str
    at: Any
    codes: Any
    inside: Any


def _compact(text: str, found: list[tuple[int, int]]) -> Copy:
    """The text without white space between tokens."""
    import numpy

    codes = _codes(text)
    inside = _inside(codes)
    keep = (codes > ord(" ")) | inside
    if text.startswith("\ufeff"):
        keep[0] = False
    commas = [end for _, end in found[:-1]]
    keep[commas] = True
    # Half the size of what `flatnonzero` gives, for the largest thing that is kept.
    at = numpy.arange(len(text), dtype=numpy.int32 if len(text) < 1 << 31 else numpy.int64)[keep]
    if commas:
        codes = codes.copy()
        codes[commas] = ord(",")
    inside, compact = inside[keep], codes[keep]
    if text.isascii():
        copy = compact.tobytes().decode("ascii")
    else:
        wide, encoding = _wide(text)
        if commas:
            wide = wide.copy()
            wide[commas] = ord(",")
        copy = wide[keep].tobytes().decode(encoding, "surrogatepass")
    if not commas:
        return Copy(copy, at, compact, inside)
    copy, at = f"[{copy}]", numpy.concatenate(([found[0][0]], at, [found[-1][1] - 1]))
    return _copy(copy, at)


def _copy(text: str, at: Any) -> Copy:
    codes = _codes(text)
    return Copy(text, at, codes, _inside(codes))


def _wide(text: str) -> tuple[Any, str]:
    """The code points as numbers, two bytes each where that is enough, and the encoding that does it."""
    import numpy

    try:
        encoded = text.encode("utf-16-le")
    except UnicodeEncodeError:  # surrogates, which would come together
        encoded = b""
    if len(encoded) == 2 * len(text):
        return numpy.frombuffer(encoded, numpy.uint16), "utf-16-le"
    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.uint32), "utf-32-le"


def _moved(at: Any, changed: list[Edit]) -> Any:
    """The positions after the edits: what is new comes from where the old began."""
    import numpy

    times = numpy.ones(len(at), numpy.int64)
    for start, end, new in changed:
        times[start:end] = 0
        times[start] = len(new)
    return numpy.repeat(at, times)


def _converted(tree: Tree) -> tuple[list[Edit], list[int]]:
    """The edits that make the lists objects, and where their brackets are in the source."""
    marks, text = tree.marks, tree.text
    new: dict[int, str] = {}
    brackets: list[int] = []
    listed: list[int] = []  # those that the source has: JSON Lines have none around
    index = 0
    while index < len(marks):
        close = tree.closing(index)
        if text[marks[index]] == "[":
            if not (tree.several and marks[index] == 0):
                listed += [marks[index], marks[close]]
            brackets += [marks[index], marks[close]]
            if marks[close] > marks[index] + 1:
                for number, i in enumerate(range(index, close)):
                    new[marks[i] + 1] = f'"{number}":'
        index = close + 1
    braces = {position: "{" if text[position] == "[" else "}" for position in brackets}
    changed = [
        (position, position + 1, new.get(position, "") + braces.get(position, text[position]))
        for position in sorted({*new, *braces})
    ]
    return changed, sorted(tree.at[position] for position in listed)
