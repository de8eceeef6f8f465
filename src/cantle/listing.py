"""Chunks as lists, one for each field of `Chunk.to_dict()`: for tables, which need no `Chunk` objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .chunk import Chunk
from .columns import Columns
from .errors import OptionError

if TYPE_CHECKING:
    from .chunks import Chunks

__all__ = ["FIELDS", "listing"]

FIELDS = (
    *("id", "key", "index", "source", "text", "content", "prefix", "start", "end", "spans", "overlap", "path"),
    *("hash", "embed_hash", "oversize", "cut", "metadata", "lines"),
)
"""The names, in the order of `Chunks.to_dicts()`."""

_OWN = ("source", "content", "prefix", "start", "end", "spans", "overlap", "path", "oversize", "cut", "metadata")


def listing(chunks: Chunks, fields: Collection[str] | None = None) -> dict[str, Sequence[Any]]:
    """A list of the values of all chunks, for each of the `fields`. Raises `OptionError` for an unknown field."""
    wanted = FIELDS if fields is None else tuple(fields)
    for name in wanted:
        if name not in FIELDS:
            raise OptionError(f"Chunks have no field {name!r}; there are: {', '.join(FIELDS)}.")
    columns = chunks._columns
    if isinstance(columns, Columns):
        found = _of_columns(chunks, columns, "metadata" in wanted)
        made = [(i, chunk) for i, chunk in enumerate(chunks._items) if chunk is not None]
        for name, values in found.items():
            for i, chunk in made:  # whoever has it may have changed it
                values[i] = _metadata_of(chunks, chunk) if name == "metadata" else getattr(chunk, name)
    else:
        found = {name: [getattr(chunk, name) for chunk in chunks] for name in _OWN[:-1]}
        found["metadata"] = [_metadata_of(chunks, chunk) for chunk in chunks]
    _derive(chunks, found, wanted)
    return {name: found[name] for name in wanted}


def _of_columns(chunks: Chunks, columns: Columns, metadata: bool) -> dict[str, list[Any]]:
    count, text = len(chunks), chunks.source.text
    starts, ends = list(columns.starts), list(columns.ends)
    content = [text[a:b] for a, b in zip(starts, ends, strict=True)]
    for i in columns.joined:
        content[i] = columns.content(text, i)
    overlap = [max(0, min(last, end) - start) for last, start, end in zip(ends, starts[1:], ends[1:], strict=False)]
    found: dict[str, list[Any]] = {
        "source": [chunks.source.source] * count,
        "content": content,
        "prefix": [""] * count if columns.prefixes is None else list(map(columns.prefixes, range(count))),
        "start": starts,
        "end": ends,
        "spans": list(map(columns.joined.get, range(count))) if columns.joined else [None] * count,
        "overlap": [0, *overlap] if count else [],
        "path": [()] * count if columns.paths is None else list(map(columns.path, range(count))),
        "oversize": [False] * count,
        "cut": [None] * count if columns.cuts is None else list(columns.cuts),
    }
    return found | {"metadata": _metadata(chunks, columns)} if metadata else found


def _metadata_of(chunks: Chunks, chunk: Chunk) -> Mapping[str, Any]:
    """A chunk's metadata, which is not settled by that: what shares it goes on to."""
    if chunk._metadata is not None:
        return chunk._metadata
    return {**chunks._base, **chunk._extra} if chunk._extra else chunks._base


def _metadata(chunks: Chunks, columns: Columns) -> list[Mapping[str, Any]]:
    base = chunks._base
    if columns.metadata is None and not chunks._start_index:
        return [base] * len(chunks)
    found = []
    for i, start in enumerate(columns.starts):
        own = None if columns.metadata is None else columns.metadata(i)
        all_ = {**base, **own} if own else base
        found.append({**all_, "start_index": start} if chunks._start_index else all_)
    return found


def _derive(chunks: Chunks, found: dict[str, Any], wanted: Collection[str]) -> None:
    """Add what follows from the fields of chunks to these."""
    content, prefix, count = found["content"], found["prefix"], len(chunks)
    found["index"] = range(count)
    plain = not any(prefix)
    found["text"] = content if plain else [a + b for a, b in zip(prefix, content, strict=True)]
    if not {"id", "key", "hash", "embed_hash"}.isdisjoint(wanted):  # hashing is most of the work: each text once
        embed = found["embed_hash"] = _hashes(found["text"])
        own = embed if plain else _hashes(content)
        found["hash"] = [digits[:16] for digits in own]
        names = found["source"]
        found["id"] = [f"{name}#{i}-{digits[:8]}" for i, (name, digits) in enumerate(zip(names, own, strict=True))]
        seen: dict[str, int] = {}
        keys = []
        for name, digits in zip(names, embed, strict=True):
            number = seen.get(digits, 0)
            seen[digits] = number + 1
            keys.append(f"{name}:{digits}:{number}")
        found["key"] = keys
    if "lines" in wanted:
        found["lines"] = [
            (*chunks._line_column(start), *chunks._line_column(max(start, end - 1)))
            for start, end in zip(found["start"], found["end"], strict=True)
        ]


def _hashes(texts: Sequence[str]) -> list[str]:
    """`content_hash` of each."""
    from hashlib import sha256

    return [sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
