"""What changed between two runs: what a store keeps, updates, adds and deletes, and what is embedded again."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .chunk import Chunk, content_hash
from .errors import DocumentError
from .written import to_json

__all__ = ["Diff", "Pair", "Record", "diff", "read_jsonl"]

Record = Chunk | Mapping[str, Any]
"""A chunk, or its dictionary as `to_dict()` makes it."""

_PLACE = ("source", "index", "start", "end", "path", "metadata")


class Pair(NamedTuple):
    """The same text in both runs."""

    old: Record
    new: Record


@dataclass(frozen=True)
class Diff:
    """What changed from an old run to a new one. Records are the objects that were given.

    `kept`: the same text at the same place; nothing to do. `moved`: the same text, but its place
    (source, index, offsets, path) or its metadata changed; the vector stays, the record is updated.
    `new`: to be added. `gone`: to be deleted. `embed`: the new records that need a vector: one for
    each text that the old run did not have; other new records repeat a text that has one.
    """

    kept: list[Pair]
    moved: list[Pair]
    new: list[Record]
    gone: list[Record]
    embed: list[Record]

    @property
    def counts(self) -> dict[str, int]:
        """The number of records of each sort."""
        return {name: len(getattr(self, name)) for name in ("kept", "moved", "new", "gone", "embed")}

    @property
    def changed(self) -> bool:
        """Whether anything is moved, new or gone."""
        return bool(self.moved or self.new or self.gone)

    def summary(self) -> str:
        """One line for people."""
        size = sum(len(_text(record) or "") for record in self.embed)
        texts = "1 text" if len(self.embed) == 1 else f"{len(self.embed)} texts"
        return (
            f"{len(self.kept)} kept, {len(self.moved)} moved, {len(self.new)} new, {len(self.gone)} gone; "
            f"{texts} to embed ({size} characters)"
        )


def diff(old: Iterable[Record], new: Iterable[Record]) -> Diff:
    """Compare two runs, each a sequence of chunks or of their dictionaries, of one or many documents.

    A new record is matched with the old one of the same `key` (source, text, occurrence), else with
    any that has the same text (`embed_hash`): a renamed file moves its chunks. Takes time in
    proportion to the records. Raises `DocumentError` for a record without text and hash.
    """
    for run, records in (("old", old), ("new", new)):
        if not isinstance(records, Iterable) or isinstance(records, str | bytes | Mapping):
            raise DocumentError(
                f"the {run} run must be a sequence of chunks or of their dictionaries, got {records!r}."
            )
    olds, news = [_entry(r, i, "old") for i, r in enumerate(old)], [_entry(r, i, "new") for i, r in enumerate(new)]
    had = {entry.hash for entry in olds}
    pairs, rest_old, rest_new = _match(olds, news, "key")
    more, rest_old, rest_new = _match(rest_old, rest_new, "hash")
    kept: list[Pair] = []
    moved: list[Pair] = []
    for a, b in sorted(pairs + more, key=lambda pair: pair[1].position):
        (kept if _same_place(a, b) else moved).append(Pair(a.record, b.record))
    embed = {entry.hash: entry.record for entry in reversed(rest_new) if entry.hash not in had}
    return Diff(kept, moved, [e.record for e in rest_new], [e.record for e in rest_old], list(reversed(embed.values())))


class _Entry(NamedTuple):
    record: Record
    position: int
    key: str
    hash: str
    place: tuple[Any, ...]


def _entry(record: Record, position: int, run: str) -> _Entry:
    if isinstance(record, Chunk):
        hashed = record.embed_hash
        place = (record.source, record.index, record.start, record.end, list(record.path), record.metadata)
        return _Entry(record, position, f"{record.key} {hashed}", hashed, place)
    if not isinstance(record, Mapping):
        raise DocumentError(
            f"the {run} run must hold chunks or their dictionaries, got {type(record).__name__} at position {position}."
        )
    given, text = record.get("embed_hash"), _text(record)
    if isinstance(given, str):
        hashed = given
    else:
        if text is None:
            raise DocumentError(
                f"record {position} of the {run} run has no embed_hash and no text: it is no chunk. "
                "Write records with to_dicts(), to_jsonl() or `cantle chunk -f jsonl`."
            )
        hashed = content_hash(text)
    key = record.get("key")
    if not isinstance(key, str):
        key = f"{record.get('source', '')}:{hashed}:0"
    return _Entry(record, position, f"{key} {hashed}", hashed, tuple(record.get(name) for name in _PLACE))


def _same_place(a: _Entry, b: _Entry) -> bool:
    if a.place[:-1] != b.place[:-1]:
        return False
    # Metadata that was written and read again has lists for tuples and strings for dates.
    return bool(a.place[-1] == b.place[-1]) or to_json(a.place[-1], sort_keys=True) == to_json(
        b.place[-1], sort_keys=True
    )


def _text(record: Record) -> str | None:
    text = record.text if isinstance(record, Chunk) else record.get("text")
    return text if isinstance(text, str) else None


def _match(
    olds: list[_Entry], news: list[_Entry], field: str
) -> tuple[list[tuple[_Entry, _Entry]], list[_Entry], list[_Entry]]:
    """Pair entries with equal fields, in order: several may share a key where sources have no names."""
    waiting: dict[str, deque[_Entry]] = {}
    for entry in olds:
        waiting.setdefault(getattr(entry, field), deque()).append(entry)
    pairs, rest = [], []
    for entry in news:
        queue = waiting.get(getattr(entry, field))
        if queue:
            pairs.append((queue.popleft(), entry))
        else:
            rest.append(entry)
    left = sorted((entry for queue in waiting.values() for entry in queue), key=lambda entry: entry.position)
    return pairs, left, rest


_LONGEST_LINE = 256 << 20
_READS = "`cantle diff` reads what `cantle chunk -f jsonl` writes."


def read_jsonl(path: str | Path) -> list[dict[str, Any]]:
    """The records of a file: JSON Lines, as `to_jsonl()` and `cantle chunk -f jsonl` write them.

    Empty lines are skipped. A file that begins with `[` is read as one JSON array, as `cantle chunk
    -f json` writes it. Raises `DocumentError` with the number of the line or record for what is no
    JSON object or no chunk, and `OSError`.
    """
    import json

    records: list[dict[str, Any]] = []
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if not records and line.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"["):
                return _array(b"\n" * (number - 1) + line + file.read(), str(path))
            where = f"{path}, line {number}"
            if len(line) == _LONGEST_LINE:
                raise DocumentError(f"{where}: longer than {_LONGEST_LINE >> 20} MiB. {_READS}")
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError as error:
                raise DocumentError(f"{where}: not UTF-8 ({error.reason} at byte {error.start}). {_READS}") from None
            except (ValueError, RecursionError) as error:
                raise DocumentError(f"{where}: not JSON ({error}). Each line must be one chunk: {_READS}") from None
            records.append(_checked(record, where))
    return records


def _array(data: bytes, name: str) -> list[dict[str, Any]]:
    """The records of one JSON array."""
    import json

    try:
        records = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError(
            f"{name}, line {line}: not UTF-8 ({error.reason} at byte {error.start}). {_READS}"
        ) from None
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DocumentError(f"{name}, line {line}: not JSON ({getattr(error, 'msg', error)}). {_READS}") from None
    return [_checked(record, f"{name}, record {number}") for number, record in enumerate(records)]


def _checked(record: Any, where: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise DocumentError(f"{where}: a chunk must be a JSON object, got {type(record).__name__}. {_READS}")
    if not isinstance(record.get("text"), str) and not isinstance(record.get("embed_hash"), str):
        raise DocumentError(f"{where}: the object has no text and no embed_hash: it is no chunk. {_READS}")
    return record
