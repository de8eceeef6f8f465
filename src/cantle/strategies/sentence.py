"""`sentence`: whole sentences up to a target size."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass
from functools import cached_property
from typing import ClassVar

from .. import checks
from ..blocks.sentences import LANGUAGES, Segmenter, segmenter
from ..chunk import Chunk
from ..chunks import Chunks
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..packing.reading import TextReader
from ..packing.sentence_windows import stream_sentences
from ..packing.sentences import SentencePacker, Sizes
from ..source import Source
from ..strategy import MAX_SIZE, Sized, Strategy, option

__all__ = ["Sentence"]


@dataclass(frozen=True, kw_only=True)
class Sentence(Sized):
    """Whole sentences, joined until a chunk measures `target_size`, never above `max_size`.

    A sentence that is longer than `max_size` stands alone: it is cut between words, and a word that
    is too long between grapheme clusters. Overlap is made of whole sentences. Every chunk is a
    literal slice of the text.
    """

    name: ClassVar[str] = "sentence"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("separator_position", "strip_whitespace")
    overlap_below_limit: ClassVar[bool] = False

    max_size: float | tuple[float, float] = option(MISSING, MAX_SIZE, "length units", above=0)
    overlap: float | None = option(
        0,
        "How much of the end of a chunk is repeated at the start of the next, at most, in whole sentences. "
        "It may be any size: a chunk stays within max_size and never only repeats.",
        "length units",
        least=0,
    )
    min_size: float | None = option(
        None,
        "Join a chunk shorter than this with a neighbour where the result is within max_size, as the minimum in a pair "
        "(min, max) for max_size does; give one of the two. None: join none.",
        "length units",
        above=0,
    )
    target_size: float | None = option(
        None,
        "A chunk takes no more sentences once it measures this much. None: four fifths of max_size. "
        "More than max_size is the same as max_size: a chunk takes what fits.",
        "length units",
        above=0,
    )
    sentence_enders: list[str] | tuple[str, ...] | None = option(
        None,
        "What may end a sentence, instead of . ! ? and their like in other scripts.",
    )
    fallback_to_words: bool = option(
        True, "Cut a sentence that is too long between words. False: straight between characters."
    )
    fallback_to_characters: bool = option(
        True,
        "Cut a word that is too long between characters. False: it stays whole, above max_size, marked oversize.",
    )
    language: str | None = option(
        None,
        "The language of the text, or 'any' for the rules of all of them and of other scripts; either finds sentences "
        "better than None, which is Mastra's rule: an ASCII capital follows.",
        choices=(*LANGUAGES, "any"),
    )
    segmenter: str = option(
        "rules",
        "What finds the sentences: 'rules', or 'punkt' for NLTK's Punkt (pip install 'cantle[punkt]').",
        choices=("rules", "punkt"),
    )

    def __post_init__(self) -> None:
        if self.target_size is not None:
            checks.number("target_size", self.target_size, above=0)
        if self.sentence_enders is not None:
            checks.strings("sentence_enders", self.sentence_enders)
            object.__setattr__(self, "sentence_enders", tuple(self.sentence_enders))
        checks.boolean("fallback_to_words", self.fallback_to_words)
        checks.boolean("fallback_to_characters", self.fallback_to_characters)
        checks.choice("language", self.language, (None, "any", *LANGUAGES))
        checks.choice("segmenter", self.segmenter, ("rules", "punkt"))
        if self.segmenter == "punkt" and self.language == "any":
            raise OptionError(
                "segmenter='punkt' has a model for one language at a time: give one of "
                f"{', '.join(LANGUAGES)} as language, or None for English."
            )
        super().__post_init__()
        checks.minimum(self.min_size, self.max_size)
        self._segmenter  # noqa: B018  # a missing package is an error now, not at the first document

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.segmenter == "punkt" and self.sentence_enders is not None:
            found["sentence_enders"] = "with segmenter='punkt', which has its own"
        return found

    @cached_property
    def _segmenter(self) -> Segmenter:
        return segmenter(self.segmenter, self.language, self.sentence_enders)

    @property
    def least(self) -> float:
        """Below this a chunk is joined with a neighbour where the result fits."""
        return self.min_size or super().least

    @property
    def repeat(self) -> float:
        """The overlap in force."""
        return min(self.overlap or 0, self.limit)

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text."""
        text = source.text
        measure = self.length.measure(text)
        packer = SentencePacker(text, measure, self._sizes, self.explain)
        spans = packer.pack(self._segmenter.on(text))
        if self.least:
            spans.join_small(measure, self.least, self.limit)
        chunks = Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts)
        if packer.oversize:
            forbidden = set(packer.oversize)
            for i, start in enumerate(spans.starts):
                if start in forbidden:
                    chunks[i].oversize = True
        return chunks

    def stream(self, reader: TextReader) -> Iterator[Chunk]:
        """The chunks that `split` gives for all the text of `reader`, one by one while it is read.

        The memory is that of some windows of a megabyte, and grows with the longest sentence (all of the text if
        nothing in it ends one), and with runs of white space or of marks that end sentences. What a function measures
        must depend on nothing but the text that it is given.
        """
        return stream_sentences(reader, self.length, self._sizes, self._segmenter, self.least, self.explain)

    @property
    def _sizes(self) -> Sizes:
        length = self.length
        joint = length(" ")
        return Sizes(
            limit=self.limit,
            target=math.floor(0.8 * self.limit) if self.target_size is None else self.target_size,
            overlap=self.repeat,
            joint=joint,
            words=self.fallback_to_words,
            characters=self.fallback_to_characters,
            collapse=length("\n\n") > joint,
        )


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Sentence]
