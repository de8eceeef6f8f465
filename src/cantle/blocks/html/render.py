"""The text of a page as it is shown: its texts, and between them what the tags there ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import bare as bare_text
from .names import ITEM, JOINTS, LINE, LOOSE, NUMBER, TABLE_PARTS, gap_table, members
from .page import Page
from .pieces import Pieces
from .tables import Markdown, Plain, Tables
from .texts import Texts, covering
from .tree import Tree

__all__ = ["gaps_of", "render"]

_BR = NUMBER["br"]
_TABLE_PARTS = [NUMBER[name] for name in TABLE_PARTS]


def gaps_of(texts: Texts, tree: Tree) -> Any:
    """How strongly each tag parts the texts beside it: an array of the classes in `names`."""
    import numpy

    codes = texts.tokens.codes
    gaps = gap_table(len(texts.tokens.names))[numpy.abs(codes)]
    for opens, closes in tree.inner_lists:
        gaps[opens] = ITEM
        if closes < len(codes) and codes[closes] == -codes[opens]:
            gaps[closes] = ITEM
    gaps[numpy.abs(codes) == _BR] = LINE
    gaps[texts.hidden_tags] = 0
    return gaps


def render(
    texts: Texts,
    tree: Tree,
    gaps: Any,
    left_out: Any,
    *,
    bare: Sequence[tuple[int, int]] = (),
    joints: Mapping[int, str] | None = None,
    markdown: bool = False,
) -> Page:
    """The page's text without the texts `left_out`.

    The ranges `bare` of texts (first and last) are what the module `bare` says. `joints` says what stands before some
    texts, whatever the tags ask for.
    """
    import numpy

    tokens, count = texts.tokens, texts.count
    is_bare = covering(count, [(first, last + 1) for first, last in bare])
    tables = covering(count, [(opens + 1, closes + 1) for opens, closes in tree.tables] if markdown else [])
    literal = (texts.kept_space & ~tables) | is_bare
    shown = texts.shown & ~left_out & (tokens.tag_at > tokens.text_at)
    chosen = numpy.flatnonzero(shown & (literal | ~texts.blank))
    pieces = Pieces(texts, chosen, literal, tables)
    pieces.trim_kept(tree.kept_space)
    bare_text.trim(pieces, bare)
    pieces.decode()
    filled = numpy.fromiter(map(bool, pieces.cores), bool, len(chosen))
    blank = shown & texts.blank & ~literal
    blank[chosen[~filled]] = True
    blanks = numpy.flatnonzero(blank)
    pieces.keep(numpy.flatnonzero(filled))
    pieces.collapse()
    if not tokens.source.isascii():
        pieces.widen()
    numbers = pieces.numbers.tolist()
    strings = _joints(pieces, blanks, gaps)
    before, after = _join_tables(texts, tables, numbers, strings, Markdown() if markdown else Plain())
    if bare:
        bare_text.join(strings, pieces, is_bare)
    for number, joint in (joints or {}).items():
        i = int(numpy.searchsorted(pieces.numbers, number))
        if 0 < i < len(numbers):
            strings[i] = joint
    parts = [""] * (2 * len(numbers) + 1)
    parts[::2], parts[1::2] = strings, pieces.cores
    borders = numpy.cumsum(numpy.fromiter(map(len, parts), numpy.int64, len(parts)))
    sizes = borders[1::2] - borders[:-1:2]
    return Page(
        texts=texts,
        text="".join(parts),
        numbers=numbers,
        starts=borders[:-1:2].tolist(),
        ends=borders[1::2].tolist(),
        base=pieces.base.tolist(),
        span_starts=pieces.span_starts.tolist(),
        span_ends=pieces.span_ends.tolist(),
        joints=strings,
        before=before,
        after=after,
        rewritten=frozenset(numpy.flatnonzero((sizes != pieces.ends - pieces.base) | pieces.replaced).tolist()),
        literal=pieces.literal,
        in_table=pieces.in_table,
    )


def _joints(pieces: Pieces, blanks: Any, gaps: Any) -> list[str]:
    """What stands before each piece, and at the end."""
    import numpy

    numbers = pieces.numbers
    if not len(numbers):
        return [""]
    if len(numbers) == 1:
        return ["", ""]
    inside = gaps[: numbers[-1]]
    strongest = numpy.maximum.reduceat(inside, numbers[:-1])
    breaks = numpy.add.reduceat(numpy.abs(pieces.texts.tokens.codes[: numbers[-1]]) == _BR, numbers[:-1], dtype=int)
    strongest[(breaks > 1) & (strongest <= LINE)] = LOOSE
    between = numpy.searchsorted(blanks, numbers)
    space = pieces.trail[:-1] | pieces.lead[1:] | (between[1:] > between[:-1])
    strongest[space & (strongest == 0)] = 1
    return ["", *map(JOINTS.__getitem__, strongest.tolist()), ""]


def _join_tables(
    texts: Texts, in_markdown: Any, numbers: list[int], strings: list[str], tables: Tables
) -> tuple[dict[int, int], dict[int, int]]:
    """Rewrite the joints that have parts of tables in them; what belongs to the pieces after and before them."""
    import numpy

    codes = texts.tokens.codes
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    parts = members(_TABLE_PARTS, codes) & ~texts.hidden_tags
    if not parts.any():
        return before, after
    parts |= in_markdown[:-1]
    sums = numpy.concatenate(([0], numpy.cumsum(parts)))
    borders = numpy.array([0, *numbers, len(codes)])
    shown = numpy.where(texts.hidden_tags, 0, codes)
    for i in numpy.flatnonzero(sums[borders[1:]] > sums[borders[:-1]]).tolist():
        here = shown[borders[i] : borders[i + 1]].tolist()
        made, behind, front = tables.between(here, strings[i], i == len(numbers))
        if i == 0:
            made = made.lstrip("\n\t")
        if behind and i:
            after[i - 1] = behind
        if front and i < len(numbers):
            before[i] = front
        strings[i] = made if 0 < i < len(numbers) or front or behind else ""
    return before, after
