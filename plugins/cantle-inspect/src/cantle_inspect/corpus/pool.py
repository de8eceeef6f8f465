"""The chunks of a corpus, as they would be put into an index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Union

from cantle import Chunk, Chunks, MDocument, Strategy, registry
from cantle.access import Access
from cantle.commands import counted
from cantle.errors import CantleError, OptionError, UnknownLengthError, UnknownStrategyError
from cantle.lengths import LengthLike, resolve

from ..measures.settings import asked, fields, in_force, strategy_name
from ..measures.sizes import unit_of
from ..measures.tokens import MODEL
from ..names import snake
from .reading import Corpus, LeftOut, why

__all__ = ["MAX_SIZE", "MODEL", "Cutting", "Passage", "Pool"]

MAX_SIZE = 480
"""The limit of a chunk when none is given, in the unit of the length function."""

CuttingLike = Union["Cutting", str, type[Strategy], Strategy, Mapping[str, Any], None]
"""What `Cutting.like` takes."""


@dataclass(frozen=True)
class Cutting:
    """How documents are cut: a strategy (None: that of a document's kind) and its options.

    `max_size` is 480 and `overlap` a sixth of it where they are not given and the strategy takes them. With no strategy
    named, each kind of document gets those options that its strategy uses.
    """

    strategy: str | type[Strategy] | Strategy | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        options: dict[str, Any] = {}
        for given, value in self.options.items():
            name = snake(given) if isinstance(given, str) else given
            if name in options:
                raise OptionError(f"The option {name!r} is given twice, as {given!r} too. Keep one.")
            options[name] = value
        object.__setattr__(self, "options", options)

    @classmethod
    def like(cls, given: CuttingLike) -> Cutting:
        """A cutting of what stands for one: a strategy, or a mapping of options, which may have `strategy` too."""
        if isinstance(given, Cutting):
            return given
        if isinstance(given, Mapping):
            return cls(given.get("strategy"), {name: value for name, value in given.items() if name != "strategy"})
        return cls(given)

    def __call__(self, document: MDocument) -> Chunks:
        """The chunks of a document."""
        return document.chunk(self.strategy, **self.options_for(document))

    def options_for(self, document: MDocument) -> dict[str, Any]:
        """The options in force for a document: those given, and our defaults where its strategy takes them."""
        taken = self._taken(document)
        given = {name: value for name, value in self.options.items() if self._is_named or name in taken}
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

    def check(self, documents: Iterable[MDocument]) -> None:
        """Warn of options that none of the documents takes, and raise `OptionError` for those that do not exist.

        Only where no strategy is named: a strategy speaks for itself.
        """
        if self._is_named or not self.options:
            return
        first: MDocument | None = None
        left = set(self.options)
        for document in documents:
            first = first or document
            left -= self._taken(document)
        if first is not None and left:
            registry().make(self.strategy_for(first), {name: v for name, v in self.options.items() if name in left})

    @property
    def _is_named(self) -> bool:
        return self.strategy not in (None, "")

    def _taken(self, document: MDocument) -> frozenset[str]:
        chosen = self.strategy_for(document)
        if isinstance(chosen, str):
            chosen = registry().strategy(chosen)
        return fields(chosen) if isinstance(chosen, type) else frozenset()


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk among those of all documents. `id` is short, for people: `politica-ferias#0`."""

    id: str
    chunk: Chunk = field(repr=False)
    chunks: Chunks = field(repr=False)
    document: MDocument = field(repr=False)
    """What says who may see the chunk: its metadata, not what a strategy wrote into that of the chunk."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The chunk's metadata; where the document has the key, the document's value."""
        return {**self.chunk.metadata, **self.document.metadata}


class Settings(NamedTuple):
    """The names of the strategies that cut the documents, the options in force, and what sizes count, in words."""

    strategies: list[str]
    options: dict[str, Any]
    unit: str


@dataclass(frozen=True, repr=False)
class Pool:
    """The chunks of all documents of a corpus, in order."""

    passages: tuple[Passage, ...]
    left_out: tuple[LeftOut, ...] = ()
    documents: tuple[MDocument, ...] = ()
    """The documents that were cut, those without chunks too."""
    cuts: tuple[Chunks, ...] = ()
    """The chunks of each of the documents."""

    @classmethod
    def of(cls, corpus: Corpus, cutting: Cutting) -> Pool:
        """Cut all documents. One that cannot be cut is left out; wrong options are raised."""
        cutting.check(corpus.documents)
        passages: list[Passage] = []
        documents: list[MDocument] = []
        cuts: list[Chunks] = []
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
            cuts.append(chunks)
            passages += (Passage(f"{name}#{chunk.index}", chunk, chunks, document) for chunk in chunks)
        return cls(tuple(passages), tuple(left_out), tuple(documents), tuple(cuts))

    def __repr__(self) -> str:
        parts = counted(len(self.passages), "chunk"), counted(len(self.documents), "document")
        return f"<Pool: {parts[0]} of {parts[1]}, {len(self.left_out)} left out>"

    def settings(self, given: Iterable[str] = ()) -> Settings:
        """What cut the documents: the size, the overlap and the unit, and options `given` by name."""
        strategies: dict[str, None] = {}
        options: dict[str, Any] = {}
        unit = ""
        wanted = list(dict.fromkeys(["max_size", "overlap", "length_function", *given]))
        for chunks in self.cuts:
            strategies[strategy_name(chunks.strategy)] = None
            found = {setting.name: setting.value for setting in in_force(chunks.strategy)}
            for name in wanted:
                if name in found:
                    options.setdefault(name, found[name])
            if not unit and "max_size" in found:
                unit = unit_of(chunks.strategy)
                own = asked(chunks.strategy, "encoding")  # that of a strategy which counts tokens of one encoding
                options.setdefault("length_function", own if isinstance(own, str) else unit)
        return Settings(list(strategies), {name: options[name] for name in wanted if name in options}, unit)

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
