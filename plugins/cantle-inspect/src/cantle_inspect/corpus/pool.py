"""The chunks of a corpus, as they would be put into an index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cantle import Chunk, Chunks, MDocument, Strategy, registry
from cantle.errors import CantleError, OptionError, UnknownLengthError, UnknownStrategyError
from cantle.lengths import LengthLike, resolve

from ..measures.settings import fields
from .access import Access
from .reading import Corpus, LeftOut, why

__all__ = ["MAX_SIZE", "MODEL", "Cutting", "Passage", "Pool"]

MODEL = "text-embedding-3-small"
"""The embedding model whose tokens are counted."""

MAX_SIZE = 480
"""The limit of a chunk when none is given, in the unit of the length function."""


@dataclass(frozen=True)
class Cutting:
    """How documents are cut: a strategy (None: that of a document's kind) and its options.

    `max_size` is 480 and `overlap` a sixth of it where they are not given and the strategy takes them.
    """

    strategy: str | type[Strategy] | Strategy | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, document: MDocument) -> Chunks:
        """The chunks of a document."""
        return document.chunk(self.strategy, **self.options_for(document))

    def options_for(self, document: MDocument) -> dict[str, Any]:
        """The options in force for a document: those given, and our defaults where its strategy takes them."""
        given = dict(self.options)
        taken = self._taken(document)
        if "max_size" in taken:
            given.setdefault("max_size", MAX_SIZE)
        size = given.get("max_size")
        largest = size[-1] if isinstance(size, list | tuple) and size else size
        if "overlap" in taken and isinstance(largest, int | float) and largest >= 0:
            given.setdefault("overlap", largest // 6)
        return given

    def strategy_for(self, document: MDocument) -> str | type[Strategy] | Strategy:
        """The strategy that cuts a document."""
        if self.strategy not in (None, ""):
            return self.strategy
        return document.strategy_for(self.options)

    def _taken(self, document: MDocument) -> frozenset[str]:
        chosen = self.strategy_for(document)
        if isinstance(chosen, str):
            chosen = registry().strategy(chosen)
        return fields(chosen) if isinstance(chosen, type) else frozenset()


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk among those of all documents. `id` is short, for people: `politica-ferias#0`."""

    id: str
    chunk: Chunk
    chunks: Chunks
    document: MDocument
    """What says who may see the chunk: its metadata, not what a strategy wrote into that of the chunk."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The chunk's metadata; where the document has the key, the document's value."""
        return {**self.chunk.metadata, **self.document.metadata}


@dataclass(frozen=True)
class Pool:
    """The chunks of all documents of a corpus, in order."""

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()
    documents: tuple[MDocument, ...] = ()
    """The documents that were cut, those without chunks too."""

    @classmethod
    def of(cls, corpus: Corpus, cutting: Cutting) -> Pool:
        """Cut all documents. One that cannot be cut is left out; wrong options are raised."""
        passages: list[Passage] = []
        documents: list[MDocument] = []
        left_out = list(corpus.left_out)
        names = _short(corpus)
        for document in corpus.documents:
            try:
                chunks = cutting(document)
            except (OptionError, UnknownStrategyError, UnknownLengthError):
                raise
            except CantleError as error:
                left_out.append(LeftOut(document.source, why(error, document.source)))
                continue
            name = names[document.source]
            documents.append(document)
            passages += (Passage(f"{name}#{chunk.index}", chunk, chunks, document) for chunk in chunks)
        return cls(tuple(passages), tuple(left_out), tuple(documents))

    def visible(self, access: Access) -> list[Passage]:
        """The passages of the documents that may be seen, in order."""
        allowed: dict[int, bool] = {}
        for passage in self.passages:
            if id(passage.document) not in allowed:
                allowed[id(passage.document)] = access.allows(passage.document.metadata)
        return [passage for passage in self.passages if allowed[id(passage.document)]]

    def size(self, length: LengthLike) -> float:
        """The sum of the lengths of all texts, in tokens for the name of an encoding or a model."""
        measured = resolve(length)
        return sum(map(measured, self.texts))

    @cached_property
    def texts(self) -> list[str]:
        """What is embedded of every passage."""
        return [passage.chunk.text for passage in self.passages]


def _short(corpus: Corpus) -> dict[str, str]:
    """The names of documents without their suffix, where no other document could be meant."""
    stems = {document.source: _SUFFIX.sub("", document.source) for document in corpus.documents}
    count = Counter(stems.values())
    return {s: stem if count[stem] == 1 and (stem == s or stem not in stems) else s for s, stem in stems.items()}


_SUFFIX = re.compile(r"(?<=[^./])\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
