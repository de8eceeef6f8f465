"""`json`: chunks that are JSON themselves, with the keys around their values; no value is lost."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..blocks import json as blocks
from ..chunk import Chunk, Cut
from ..chunks import Chunks
from ..errors import DuplicateKeyWarning
from ..hookspecs import hookimpl
from ..json import Part, Walk
from ..source import Source
from ..strategy import MAX_SIZE, Sized, Strategy, option
from ..warn import warn
from ..whitespace import is_blank

__all__ = ["Json"]

_PUNCTUATION = re.compile(r'[\s{}\[\],:"\ufeff]*')


@dataclass(frozen=True, kw_only=True)
class Json(Sized):
    """Cut a JSON document, or JSON Lines, into smaller JSON documents.

    A chunk holds members of one object, items of one list or part of a string, inside the keys that lead there from
    the top; `chunk.path` has those keys and indexes too. Every value comes out once, in the order of the document,
    with the digits it is written with.
    """

    name: ClassVar[str] = "json"
    kind: ClassVar[str] = "json"
    drops: ClassVar[tuple[str, ...]] = ("markup", "key-in-path")
    made: ClassVar[tuple[str, ...]] = tuple('{}[]":,0123456789')
    unused: ClassVar[tuple[str, ...]] = ("overlap", "strip_whitespace", "separator_position")

    max_size: float | tuple[float, float] = option(4000, MAX_SIZE, "length units", above=0)
    min_size: float | None = option(
        None,
        "Below this a part takes in what follows it in the same object, a part of an object or list there too. "
        "None: max_size - 200, but at least 50; or the minimum of max_size, if that is a pair.",
        "length units",
        above=0,
    )
    ensure_ascii: bool = option(
        False, "Write what is not ASCII as \\uXXXX in strings that are not keys. Sizes count the escapes."
    )
    convert_lists: bool = option(False, "Make lists objects with their indexes as keys.")

    def __post_init__(self) -> None:
        checks.boolean("ensure_ascii", self.ensure_ascii)
        checks.boolean("convert_lists", self.convert_lists)
        super().__post_init__()
        checks.minimum(self.min_size, self.max_size)

    @property
    def repeat(self) -> float:
        """Nothing is repeated but keys."""
        return 0

    def decode(self, text: str) -> str:
        """How a stretch of the source is written in a chunk, but for the white space between its tokens."""
        return blocks.written(text, ensure_ascii=self.ensure_ascii)

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`. Raises `DocumentError` when it is not JSON."""
        text = source.text
        if is_blank(text):
            return Chunks(source)
        read = blocks.read(text, ensure_ascii=self.ensure_ascii, convert_lists=self.convert_lists)
        if read is None:
            return Chunks(source)
        tree, repeats = read
        borders = tree.repeats() if repeats else []
        for border in borders[:1]:
            _warn_repeated(tree, border, len(borders))
        walk = Walk(
            tree,
            self.length,
            limit=self.limit,
            small=max(self.limit - 200, 50) if self.min_size is None and not self.least else self.min_size or 0,
            least=self.least,
            borders=borders,
        )
        parts = walk.walk()
        return _chunks(source, tree, parts, self.explain)


def _warn_repeated(tree: blocks.Tree, border: int, count: int) -> None:
    key = tree.key_after(border)
    line, column = tree.line_column(border + 1)
    more = f", and {count - 1} more" if count > 1 else ""
    warn(
        f"the key {key} at line {line}, column {column} is not the first of its object{more}; "
        "both values are kept, in different chunks. Many programs read the last one only.",
        DuplicateKeyWarning,
    )


def _chunks(source: Source, tree: blocks.Tree, parts: list[Part], explain: bool) -> Chunks:
    chunks = []
    last = len(parts) - 1
    origin = tree.origin
    for i, part in enumerate(parts):
        cut = None
        if explain:
            cut = Cut("end", 0) if i == last else Cut(part.kind, part.level, part.detail)
        if part.literal:
            chunks.append(Chunk(part.text, part.start, part.end, path=part.path, cut=cut))
            continue
        start, end = origin(part.start, part.end)
        spans = tree.keys(part.keys)
        if not part.breaks:
            spans.append((start, end))
        else:
            at = part.start
            for stop in (*part.breaks, part.end):
                spans.append(origin(at, stop))
                at = stop
        if tree.lists:
            spans = [piece for span in spans for piece in _without(span, tree.lists)] or [(start, start)]
        chunks.append(Chunk(part.text, start, end, spans=tuple(spans), path=part.path, cut=cut))
    return Chunks(source, chunks, dropped=lambda: _left_out(source.text, chunks), unique_paths=True)


def _left_out(text: str, chunks: list[Chunk]) -> list[tuple[int, int, str]]:
    """What is in no chunk: punctuation, and keys that are too long to stand around their values."""
    left_out = []
    covered = 0
    spans = sorted(span for chunk in chunks for span in chunk.spans or ((chunk.start, chunk.end),))
    for start, end in (*spans, (len(text), len(text))):
        if start > covered and not is_blank(text[covered:start]):
            reason = "markup" if _PUNCTUATION.fullmatch(text, covered, start) else "key-in-path"
            left_out.append((covered, start, reason))
        covered = max(covered, end)
    return left_out


def _without(span: tuple[int, int], brackets: Sequence[int]) -> list[tuple[int, int]]:
    """The pieces of a stretch between brackets of lists that were made objects."""
    pieces = []
    at, end = span
    for i in range(bisect_left(brackets, at), len(brackets)):
        if brackets[i] >= end:
            break
        if brackets[i] > at:
            pieces.append((at, brackets[i]))
        at = brackets[i] + 1
    return [*pieces, (at, end)] if end > at else pieces


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Json]
