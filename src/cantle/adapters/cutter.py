"""Texts of other frameworks as documents, and a strategy for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from .. import checks
from ..chunk import content_hash
from ..chunks import Chunks
from ..document import MDocument
from ..errors import DocumentError, OptionError
from ..extraction import check as check_extract
from ..plugins import registry
from ..strategy import Strategy
from .records import RECORD, own_metadata, record_of, writable

__all__ = ["KIND", "Cutter"]

KIND = "document_kind"
"""The key of a text's metadata that tells its kind where the adapter was given none."""

_NAMES = ("source", "file_path", "url", "file_name")
_PAGES = ("page", "page_label", "page_number")
_RANDOM = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@dataclass(frozen=True, kw_only=True)
class Cutter:
    """A strategy with its options, and how a text of another framework becomes a document for it.

    `strategy` is a name, a class or an instance, as for `MDocument.chunk`; None takes that of the document's kind.
    `kind` is the kind of all texts; without it, it is the one that a text's metadata name as `document_kind`, else the
    one that the strategy is for (its attribute `kind`), else `text`. `extract` is that of `MDocument.chunk`.

    What is wrong with the strategy, its options and `extract` is raised when a cutter is made (`UnknownStrategyError`,
    `OptionError`, `ExtractionError`); with a strategy that depends on the kind of each text, an option that none has is
    raised then too, a wrong value when the first text is cut. Frozen; pickles where its parts do, and may be used by
    many threads.
    """

    strategy: str | type[Strategy] | Strategy | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str | None = None
    extract: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Raise `OptionError`, `UnknownStrategyError` and `ExtractionError`."""
        checks.string("kind", self.kind, none=True)
        if not isinstance(self.options, Mapping) or not all(isinstance(name, str) for name in self.options):
            raise OptionError(f"options must be a mapping of names to values, got {self.options!r}.")
        object.__setattr__(self, "options", dict(self.options))
        if self.extract is not None:
            check_extract(registry(), self.extract)
        made: Strategy | None = None
        if self.strategy or self.kind is not None:
            made = registry().make(self.strategy or self._blank().strategy_for(self.options), self.options)
        else:
            self._refuse_unknown()
        object.__setattr__(self, "_made", made)
        object.__setattr__(self, "_by_name", {})

    def _refuse_unknown(self) -> None:
        """Raise for options that no strategy has, whatever the kind of a text turns out to be."""
        strategies = registry().strategies().values() if self.options else ()
        if all(is_dataclass(cls) for cls in strategies):  # another one may take any
            known = {f.name for cls in strategies for f in fields(cls)}  # type: ignore[arg-type]
            if unknown := {name: value for name, value in self.options.items() if name not in known}:
                registry().make(self._blank().strategy_for(unknown), unknown)

    def _blank(self) -> MDocument:
        return MDocument("", self.kind or "text")

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def document(self, text: str, metadata: Mapping[str, Any] | None = None, *, id: str = "") -> MDocument:
        """A text of another framework as a document; `id` is its id there, if it has one.

        The document's `source` is the first that is there of `source`, `file_path`, `url` and `file_name` in the
        metadata, with the page behind it (`#page=3`) where the metadata tell one in `page`, `page_label` or
        `page_number`, or in `source` beside a `file_path`, since then the text is that page's; else the id, unless it
        is a random one (a UUID of version 4); else the first digits of the text's SHA-256. So the same text gives the
        same keys each time.

        A text that was cut before has the name of that piece: the key it has there, with 16 digits of the hash. So what
        is cut of it never has the ids of other pieces of the document. What `pack` added to its metadata is not taken
        over.
        """
        known = dict(MDocument(text, metadata={} if metadata is None else metadata).metadata)  # refuses what is no text
        source = ""
        if RECORD in known:
            with suppress(DocumentError):  # somebody else's value under this name
                record = record_of(known)
                known = own_metadata(known)
                source = f"{record['source']}:{record['hash']}:{record['number']}"
        source = source or _source(known, id, text)
        try:
            known = deepcopy(known)
        except (TypeError, RecursionError) as error:
            raise DocumentError(
                f"the metadata of {source!r} cannot be copied ({error!r:.100}). Leave out what is no plain value."
            ) from None
        return MDocument(text, self._kind(known), known, source)

    def _kind(self, metadata: Mapping[str, Any]) -> str:
        if self.kind is not None:
            return self.kind
        named = metadata.get(KIND)
        if isinstance(named, str) and named:
            return named
        cls = type(self._made) if self._made is not None else None  # type: ignore[attr-defined]
        own = getattr(cls, "kind", None)
        takes = is_dataclass(cls) and any(f.name == "kind" for f in fields(cls))
        return own if isinstance(own, str) and not takes else "text"

    def cut(self, document: MDocument) -> Chunks:
        """The chunks of a document."""
        return document.chunk(self._strategy(document), extract=self.extract)

    async def acut(self, document: MDocument) -> Chunks:
        """Like `cut`, for strategies and extractors that wait; other ones run in a thread."""
        return await document.achunk(self._strategy(document), extract=self.extract)

    def _strategy(self, document: MDocument) -> Strategy:
        made: Strategy | None = self._made  # type: ignore[attr-defined]
        if made is not None:
            return made
        name, known = document.strategy_for(self.options), self._by_name  # type: ignore[attr-defined]
        if name not in known:  # made once: what it warns of is said once
            known[name] = registry().make(name, self.options)
        return known[name]  # type: ignore[no-any-return]

    def config(self) -> dict[str, Any]:
        """The arguments that make this cutter again, ready for JSON or YAML; those that are not given are left out.

        Raises `OptionError` for what has no name that another process knows: a function as a length, a strategy that no
        plugin offers.
        """
        name, options = self._named()
        made = {
            "strategy": name,
            "options": {key: writable(f"option {key!r}", value) for key, value in options.items()},
            "kind": self.kind,
            "extract": writable("extract", self.extract),
        }
        return {key: value for key, value in made.items() if value not in (None, {})}

    def _named(self) -> tuple[str | None, dict[str, Any]]:
        if self.strategy is None or isinstance(self.strategy, str):
            return self.strategy or None, dict(self.options)
        cls = self.strategy if isinstance(self.strategy, type) else type(self.strategy)
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or registry().strategies().get(name) is not cls:
            raise OptionError(
                f"the strategy {self.strategy!r} cannot be written down, since no plugin offers it. Offer it by a "
                "plugin and give its name, or keep the object and do not save it."
            )
        if isinstance(self.strategy, type):
            return name, dict(self.options)
        if not is_dataclass(cls):
            raise OptionError(
                f"the options of {self.strategy!r} cannot be written down, since its class is no dataclass. Give the "
                f"strategy by name: strategy={name!r}, with its options."
            )
        given = {f.name: getattr(self.strategy, f.name) for f in fields(cls) if f.init}
        plain = {f.name: f.default for f in fields(cls)}
        return name, {key: value for key, value in given.items() if value != plain[key]}


def _source(metadata: Mapping[str, Any], id: str, text: str) -> str:
    for name in _NAMES:
        value = metadata.get(name)
        if value is not None and (named := str(value)):
            path = metadata.get("file_path") if name == "source" and named.isdecimal() else None
            if path:  # a page: LlamaIndex's PyMuPDFReader writes it there
                return f"{path}#page={named}"
            break
    else:
        if id and not _RANDOM.fullmatch(id):
            return id
        named = "sha256-" + content_hash(text)[:16]
    for name in _PAGES:
        page = metadata.get(name)
        if isinstance(page, int | str) and not isinstance(page, bool) and page != "":
            return f"{named}#page={page}"
    return named
