"""A plugin for cantle: the strategy `lines`, a chunk for every few lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from cantle import Chunk, Source, hookimpl, option
from cantle.errors import OptionError


@dataclass(frozen=True, kw_only=True)
class Lines:
    """A chunk for every few lines: for logs, word lists and other texts where a line is a record."""

    name: ClassVar[str] = "lines"
    every: int = option(1, "How many lines make a chunk.", "lines")

    def __post_init__(self) -> None:
        if not isinstance(self.every, int) or self.every < 1:
            raise OptionError(f"every must be a whole number of at least 1, got {self.every!r}.")

    def split(self, source: Source) -> Iterator[Chunk]:
        """Yield the chunks; no line is cut, line ends and blank chunks are left out."""
        lines, end = source.text.splitlines(keepends=True), 0
        for i in range(0, len(lines), self.every):
            start, end = end, end + sum(map(len, lines[i : i + self.every]))
            content = source.text[start:end].rstrip("\r\n")
            if content.replace("\ufeff", "").strip():
                yield Chunk(content, start, start + len(content))


@hookimpl
def register_strategies() -> list[type[Lines]]:
    """Tell cantle what this plugin offers."""
    return [Lines]
