"""Chunks in the metadata of other frameworks' texts, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from hashlib import sha1
from typing import Any
from uuid import UUID

from ..chunk import Chunk, content_hash
from ..errors import CantleError, DocumentError, OptionError

__all__ = ["PATH", "RECORD", "Keys", "key_uuid", "own_metadata", "pack", "record_of", "unpack", "writable"]

RECORD = "cantle"
"""The key of the metadata under which `pack` keeps what belongs to a chunk: one string, which every store takes."""

PATH = " > "
"""What stands between the titles of a path that is written as one string."""

_VERSION = 1
_NAMESPACE = UUID("7c1d3f0e-52a4-5d0b-9f0a-6b1c2a4e8d37")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(?:u(d[89a-f][0-9a-f]{2})|.)", re.DOTALL)


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
        record["kept"] = {name: writable(f"{name!r} in the metadata", value) for name, value in kept.items()}
    if own:
        record["own"] = list(own)
    return {**made, **added, RECORD: _written(record)}


def unpack(text: str, metadata: Mapping[str, Any]) -> Chunk:
    """The chunk that `pack` made these metadata of; `text` is its text or its content.

    It equals the chunk that was packed, in `id` and `key` too. Raises `DocumentError` where the metadata hold no record
    or a broken one, and where the text is another one: then it no longer is the stretch that the offsets name.
    """
    record = record_of(metadata)
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
        {**record, "content": content, "metadata": own_metadata(metadata), "key": f":{record.get('number', 0)}"}
    )
    # So that it is known again what is the document's.
    own = {name for name in record.get("own", ()) if isinstance(name, str)}
    chunk._base = {name: value for name, value in chunk.metadata.items() if name not in own}
    return chunk


def own_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata without what `pack` added."""
    record = record_of(metadata)
    left = {name: value for name, value in metadata.items() if name != RECORD and name not in record.get("added", ())}
    return {**left, **record.get("kept", {})}


def record_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The record that `pack` wrote into the metadata. Raises `DocumentError` where there is none, or a broken one."""
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


def _nested(value: Any) -> bool:
    """Whether it is a list or a dictionary that JSON gives back as it is."""
    try:
        return isinstance(value, list | dict) and bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def writable(what: str, value: Any) -> Any:
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
