"""`token`: windows of so many tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..chunk import Chunk
from ..chunks import Chunks
from ..encoded import Encoded
from ..graphemes import trim
from ..hookspecs import hookimpl
from ..lengths import TokenLength
from ..lengths.tokens import TokenMeasure
from ..packing.reading import TextReader
from ..packing.token_windows import stream_tokens
from ..packing.tokens import TokenPacker, begins_anew
from ..source import Source
from ..strategy import Strategy

__all__ = ["Token"]


@dataclass(frozen=True, kw_only=True)
class Token(Encoded):
    """Windows of `max_size` tokens, each beginning `overlap` tokens before the last one's end.

    Windows begin and end between tokens, moved to the next border of a grapheme cluster where a
    token ends inside one. A window whose text, counted alone, has more tokens than `max_size` is
    made shorter.
    """

    name: ClassVar[str] = "token"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("length_function", "separator_position")

    @property
    def length(self) -> TokenLength:
        """Tokens, special tokens as the options say."""
        return self.tokens

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices. Raises `DocumentError` for a disallowed special token."""
        length = self.length
        length.special.check(source.text)
        text, start, end = source.text, 0, len(source.text)
        if self.strip_whitespace:
            start, end = trim(text, start, end)
        shift = 0
        if start < end and begins_anew(text, start):
            text, shift, start, end = text[start:end], start, 0, end - start
        measure = TokenMeasure(length, text)
        packer = TokenPacker(
            text,
            measure,
            limit=self.limit,
            overlap=self.repeat,
            strip=self.strip_whitespace,
            explain=self.explain,
        )
        spans = packer.spans
        if start < end:
            measure.ends  # noqa: B018  # one encoding for all windows
            packer.at = start
            packer.pack(end)
            if self.least:
                spans.join_small(measure, self.least, self.limit)
        starts = [shift + at for at in spans.starts] if shift else spans.starts
        ends = [shift + at for at in spans.ends] if shift else spans.ends
        return Chunks.from_spans(source, starts, ends, cuts=spans.cuts)

    def stream(self, reader: TextReader) -> Iterator[Chunk]:
        """The chunks that `split` gives for all the text of `reader`, one by one while it is read.

        The memory is that of some windows of a megabyte, and grows with chunks that are longer, with runs of white
        space, and with text in which no word or number ends. A special token that is not allowed is found when it is
        read: then chunks may have been given before the `DocumentError`.
        """
        return stream_tokens(
            reader,
            self.length,
            limit=self.limit,
            least=self.least,
            overlap=self.repeat,
            strip=self.strip_whitespace,
            explain=self.explain,
        )


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Token]
