"""For adapters to other frameworks: their texts as documents, and chunks in their metadata and back again.

A framework has a type of its own for a piece of text with metadata. An adapter hands such texts to a `Cutter`, writes
each chunk with `pack` into the metadata of a new one, and gets it back with `unpack`, whatever frameworks it went
through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from hashlib import sha1
from typing import Any
from uuid import UUID

from . import checks
from .chunk import Chunk, content_hash
from .chunks import Chunks
from .document import MDocument
from .errors import CantleError, DocumentError, OptionError
from .extraction import check as check_extract
from .plugins import registry
from .strategy import Strategy

__all__ = ["KIND", "PATH", "RECORD", "Cutter", "Keys", "key_uuid", "pack", "unpack"]

RECORD = "cantle"
"""The key of the metadata under which `pack` keeps what belongs to a chunk: one string, which every store takes."""

KIND = "document_kind"
"""The key of a text's metadata that tells its kind where the adapter was given none."""

PATH = " > "
"""What stands between the titles of a path that is written as one string."""

_VERSION = 1
_NAMESPACE = UUID("7c1d3f0e-52a4-5d0b-9f0a-6b1c2a4e8d37")
_NAMES = ("source", "file_path", "url", "file_name")
_PAGES = ("page", "page_label", "page_number")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u(d[89a-f][0-9a-f]{2})|.)", re.DOTALL)
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
                record = _record(known)
                known = _own(known)
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
            "options": {key: _writable(f"option {key!r}", value) for key, value in options.items()},
            "kind": self.kind,
            "extract": _writable("extract", self.extract),
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


class Keys:
    """Keys for chunks of several documents, each key once.

    They are the chunks' own. Where that would give one twice, since documents have the same `source` (the parts of one
    file, say), the number at its end counts on.
    """

    def __init__(self) -> None:
        self._used: dict[str, set[int]] = {}
        self._next: dict[str, int] = {}

    def of(self, chunks: Iterable[Chunk]) -> list[str]:
        """The keys of the chunks of the next document, in order."""
        keys = []
        for chunk in chunks:
            key = chunk.key
            begin, _, end = key.rpartition(":")
            used, number = self._used.setdefault(begin, set()), int(end)
            if number in used:
                number = self._next.get(begin, 0)
                while number in used:
                    number += 1
                self._next[begin] = number + 1
                key = f"{begin}:{number}"
            used.add(number)
            keys.append(key)
        return keys


def key_uuid(key: str) -> str:
    """The UUID (version 5, of a namespace of cantle's own) that stands for a key, the same in each run.

    For stores that take no other ids, such as Qdrant and Weaviate.
    """
    digest = sha1(_NAMESPACE.bytes + key.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return str(UUID(bytes=digest[:16], version=5))


def pack(
    chunk: Chunk,
    shown: Mapping[str, Any],
    *,
    key: str | None = None,
    flat: bool = False,
    embedding: bool = True,
) -> dict[str, Any]:
    """The metadata of a chunk for a framework: its own, what the framework is `shown`, and a record for `unpack`.

    `shown` is what users and filters of the framework look for, by the names that are usual there, such as
    `start_index`; values that are None are left out. Where the chunk's metadata have such a name already, `shown` wins,
    and the other value comes back with `unpack`. `key` is the chunk's key, its own unless given. With `flat`, lists and
    dictionaries that the chunk has beside its document's metadata go into the record, for stores that take none.
    Without `embedding` the vector is left out, for a framework that has a place for it.

    Raises `DocumentError` for a value that gives way to another one and is none that JSON knows (tuples come back as
    lists), and `OptionError` for a `key` that does not end as keys do.
    """
    end = (chunk.key if key is None else key).rpartition(":")[2]
    if not (end.isascii() and end.isdigit()):
        raise OptionError(f"a chunk's key ends with a colon and a number, got {key!r}. Take it from Keys().of(chunks).")
    made = deepcopy(chunk.metadata)
    record: dict[str, Any] = {"v": _VERSION, "source": chunk.source, "index": chunk.index}
    record |= {"start": chunk.start, "end": chunk.end, "number": int(end)}
    record["hash"] = chunk.embed_hash[:16]
    rest = {
        "overlap": chunk.overlap,
        "prefix": chunk.prefix,
        "path": list(chunk.path),
        "oversize": chunk.oversize,
        "cut": None if chunk.cut is None else chunk.cut._asdict(),
    }
    record |= {name: value for name, value in rest.items() if value}
    if chunk.spans is not None:
        record["spans"] = [list(span) for span in chunk.spans]
    if chunk.embedding is not None and embedding:
        record["embedding"] = [float(number) for number in chunk.embedding]
    added = {name: value for name, value in shown.items() if value is not None}
    kept = {name: made[name] for name in (*added, RECORD) if name in made}
    record["added"] = list(added)
    own = chunk.own_metadata
    if flat:
        kept |= {name: made.pop(name) for name in own if name not in kept and _nested(made[name])}
    if kept:
        record["kept"] = {name: _writable(f"{name!r} in the metadata", value) for name, value in kept.items()}
    if own:
        record["own"] = list(own)
    return {**made, **added, RECORD: _written(record)}


def unpack(text: str, metadata: Mapping[str, Any]) -> Chunk:
    """The chunk that `pack` made these metadata of; `text` is its text or its content.

    It equals the chunk that was packed, in `id` and `key` too. Raises `DocumentError` where the metadata hold no record
    or a broken one, and where the text is another one: then it no longer is the stretch that the offsets name.
    """
    record = _record(metadata)
    prefix = record.get("prefix", "")
    content = None
    for candidate in (text, text.removeprefix(prefix)):
        if content_hash(prefix + candidate)[:16] == record["hash"]:
            content = candidate
    if content is None:
        raise DocumentError(
            f"the text of chunk {record.get('index')} of {record.get('source')!r} is not the one that was cut, so its "
            f"offsets no longer hold: {text!r:.100}. Give the text as it was, or cut the document again."
        )
    chunk = Chunk.from_dict(
        {**record, "content": content, "metadata": _own(metadata), "key": f":{record.get('number', 0)}"}
    )
    # So that it is known again what is the document's.
    own = {name for name in record.get("own", ()) if isinstance(name, str)}
    chunk._base = {name: value for name, value in chunk.metadata.items() if name not in own}
    return chunk


def _own(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata without what `pack` added."""
    record = _record(metadata)
    left = {name: value for name, value in metadata.items() if name != RECORD and name not in record.get("added", ())}
    return {**left, **record.get("kept", {})}


def _record(metadata: Mapping[str, Any]) -> dict[str, Any]:
    written = metadata.get(RECORD)
    if written is None:
        raise DocumentError(
            f"this text was not cut by cantle: its metadata have no {RECORD!r}, they have "
            f"{', '.join(map(repr, metadata)) or 'nothing at all'}. "
            "Cut it with the adapter; a store that drops metadata must be told to keep this one."
        )
    try:
        record: object = json.loads(_ESCAPE.sub(_unescaped, written))
        if not isinstance(record, dict):
            raise ValueError("no object")
        if record.get("v") != _VERSION:
            raise ValueError(f"version {record.get('v')!r}, and this cantle knows {_VERSION}")
        if missing := [name for name in ("source", "hash", "number", "start", "end", "added") if name not in record]:
            raise ValueError(f"without {', '.join(missing)}")
        expected = {"hash": str, "prefix": str, "added": list, "kept": dict, "number": int, "own": list}
        if any(not isinstance(record.get(name, kind()), kind) for name, kind in expected.items()):
            raise ValueError("a field of the wrong kind")
    except (TypeError, ValueError, RecursionError) as error:
        raise DocumentError(
            f"{RECORD!r} in the metadata is no record of a chunk ({error}): {written!r:.100}. Cut the document again."
        ) from None
    return record


def _written(record: dict[str, Any]) -> str:
    """As JSON, with surrogates escaped: not every store takes them."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=str)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _unescaped(found: re.Match[str]) -> str:
    """Surrogates as they are: to a JSON reader two escaped ones in a row would be one character."""
    return chr(int(found[1], 16)) if found[1] else found[0]


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


def _nested(value: Any) -> bool:
    """Whether it is a list or a dictionary that JSON gives back as it is."""
    try:
        return isinstance(value, list | dict) and bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def _writable(what: str, value: Any) -> Any:
    """The value as JSON gives it back. Raises for one that JSON does not know."""
    try:
        back = json.loads(json.dumps(value, allow_nan=False, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        back = None
    if back is None and value is not None:
        kind = getattr(value, "__qualname__", type(value).__name__)
        error: type[CantleError] = DocumentError if "metadata" in what else OptionError
        step = (
            "Rename it, or make it a string"
            if "metadata" in what
            else "Give it by name: a plugin can offer a length function, an extractor or a strategy under one"
        )
        raise error(f"{what} is {kind}, which cannot be written down. {step}.")
    return back
