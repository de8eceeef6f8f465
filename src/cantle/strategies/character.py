"""`character`: a chunk for every piece between separators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from .. import checks
from ..chunk import Cut
from ..chunks import Chunks
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..packing import Level, Packer, Pieces, level
from ..source import Source
from ..strategy import Sized, Strategy, option

__all__ = ["Character"]


@dataclass(frozen=True, kw_only=True)
class Character(Sized):
    """Cut at every separator, join nothing, and cut what is still too long into windows.

    A piece above `max_size` is cut at the next of the `separators`, in the end between grapheme
    clusters; `overlap` matters only between these last windows.
    """

    name: ClassVar[str] = "character"
    drops: ClassVar[tuple[str, ...]] = ("separator",)

    separator: str = option("\n\n", "Where to cut; the empty string stands for every character.")
    separators: list[str] | tuple[str, ...] | None = option(
        None,
        "Several separators instead of one: the first that occurs cuts the text, the following ones cut "
        "what it leaves too long.",
    )
    is_separator_regex: bool = option(
        False,
        "Take separators for regular expressions. Those of a stranger can take for ever, as "
        "with any use of Python's re.",
    )

    def __post_init__(self) -> None:
        checks.string("separator", self.separator)
        checks.boolean("is_separator_regex", self.is_separator_regex)
        if self.separators is not None:
            checks.strings("separators", self.separators)
            object.__setattr__(self, "separators", tuple(self.separators))
            if self.separator != "\n\n":
                raise OptionError(
                    f"separator ({self.separator!r}) and separators ({list(self.separators)!r}) cannot both be given. "
                    "Keep one."
                )
        super().__post_init__()
        self._levels  # noqa: B018  # a wrong pattern is an error now, not at the first document

    @cached_property
    def _levels(self) -> list[Level]:
        separators = (self.separator,) if self.separators is None else self.separators
        return [level(s, regex=self.is_separator_regex, position=self.separator_position) for s in separators]

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text."""
        text, packer = source.text, self.packer(source.text, ())
        regions: list[tuple[int, int, int, Pieces | None, Cut]] = [(0, len(text), 0, None, Cut("end", 0))]
        while regions:
            start, end, depth, pieces, cut = regions.pop()
            while depth < len(self._levels) and pieces is None:
                pieces = self._levels[depth].on(text, start, end, self.strip_whitespace)
                depth += 1
            if pieces is None:
                self._windows(packer, start, end, cut)
                continue
            following = pieces.begin(start)
            while (at := following) < end:
                stop, following = pieces.next(at)
                following = pieces.begin(following)
                # The separator "" is one too, and so are the characters that it stands for.
                why = Cut("separator", depth - 1, self._levels[depth - 1].detail) if following < end else cut
                if depth < len(self._levels) and not packer.fits(at, stop):
                    regions += [(following, end, depth, pieces, cut), (at, stop, depth, None, why)]
                    break
                self._windows(packer, at, stop, why)
        if self.least:
            packer.spans.join_small(packer.measure, self.least, self.limit)
        return Chunks.from_spans(source, packer.spans.starts, packer.spans.ends, cuts=packer.spans.cuts)

    def _windows(self, packer: Packer, start: int, end: int, cut: Cut) -> None:
        """Add a piece; windows, if it is too long. They end where they are full, whatever stands there."""
        spans = packer.spans
        first = len(spans.starts)
        packer.add_or_cut(start, end, cut)
        if spans.cuts is not None:
            spans.cuts[first:] = [
                why._replace(kind="window") if why.kind == "characters" else why for why in spans.cuts[first:]
            ]


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Character]
