"""`recursive`: cut at the strongest separator that makes the pieces small enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from .. import checks
from ..chunk import Chunk
from ..chunks import Chunks
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..packing import Level, level
from ..packing.level_windows import stream_levels
from ..packing.reading import TextReader
from ..separators import DEFAULT, LANGUAGES
from ..source import Source
from ..strategy import Sized, Strategy, option

__all__ = ["Recursive"]


@dataclass(frozen=True, kw_only=True)
class Recursive(Sized):
    """Cut at paragraphs; where one is too long at lines, then words, then characters.

    A region is cut at the first separator that occurs in it, neighbouring pieces are joined up to
    `max_size`, and a piece that is still too long is cut at the separators that follow. What no
    separator cuts small enough is cut between grapheme clusters. Overlap is made of whole pieces.

    The algorithm is LangChain's `RecursiveCharacterTextSplitter` as Mastra runs it.
    """

    name: ClassVar[str] = "recursive"
    drops: ClassVar[tuple[str, ...]] = ("separator",)

    separators: list[str] | tuple[str, ...] = option(
        DEFAULT, "Where to cut, strongest first; the empty string stands for every character."
    )
    is_separator_regex: bool = option(
        False,
        "Take the separators for regular expressions. Those of a stranger can take for ever, as "
        "with any use of Python's re.",
    )
    language: str | None = option(
        None,
        "Use the separators of a programming or markup language instead. "
        "They are kept, at the start of the chunk after, unless separator_position says otherwise.",
        choices=LANGUAGES,
    )

    def __post_init__(self) -> None:
        checks.strings("separators", self.separators)
        object.__setattr__(self, "separators", tuple(self.separators))
        checks.boolean("is_separator_regex", self.is_separator_regex)
        checks.string("language", self.language, none=True)
        if self.language and self.language not in LANGUAGES:
            raise OptionError(
                f"language {self.language!r} is not supported. Choose from {', '.join(LANGUAGES)}, or give separators. "
                "For a natural language use the strategy 'sentence'."
            )
        super().__post_init__()
        self._levels  # noqa: B018  # a wrong pattern is an error now, not at the first document

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.language:
            reason = f"with language={self.language!r}, which brings its own separators"
            if tuple(self.separators) != DEFAULT:
                found["separators"] = reason
            if self.is_separator_regex:
                found["is_separator_regex"] = reason
        return found

    @cached_property
    def _levels(self) -> list[Level]:
        if self.language:
            position = self.separator_position or "start"  # keywords belong to what follows them
            return [level(pattern, regex=True, position=position) for pattern in LANGUAGES[self.language]]
        return [
            level(separator, regex=self.is_separator_regex, position=self.separator_position)
            for separator in self.separators
        ]

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text."""
        spans = self.packer(source.text, self._levels).pack()
        return Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts)

    def stream(self, reader: TextReader) -> Iterator[Chunk]:
        """The chunks that `split` gives for all the text of `reader`, one by one while it is read.

        The memory is that of some windows of a megabyte. It grows with chunks that are longer, with runs of white space
        and of separators, and with what a regular expression can match: all of the text for one such as `(?s).*`, one
        that refers back to a group, and one that is not in the syntax of Python's `re`. With an overlap measured by
        somebody's function a piece has to be read to its end, however long. What a function measures must depend on
        nothing but the text that it is given.
        """
        return stream_levels(
            reader,
            self.length,
            self._levels,
            limit=self.limit,
            least=self.least,
            overlap=self.repeat,
            strip=self.strip_whitespace,
            explain=self.explain,
        )


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Recursive]
