"""The chunks of one document as bytes, in each format. Functions that workers can be sent."""

from __future__ import annotations

import csv as csv_module
import io
import json
from collections.abc import Iterable

import click

from ..arrow import COLUMNS, RELATIONS, flat, packed
from ..chunks import Chunks
from ..written import to_json
from .tables import printable

__all__ = ["arrow", "csv", "csv_header", "jsonl", "text"]


def arrow(chunks: Chunks, relations: bool) -> bytes:
    """The Arrow table."""
    return packed(chunks, relations=relations)


def jsonl(chunks: Chunks, relations: bool) -> bytes:
    """One line of JSON a chunk."""
    return chunks.to_jsonl(relations=relations).encode("utf-8")


def csv(chunks: Chunks, relations: bool) -> bytes:
    """The columns of the Arrow table; lists are JSON."""
    rows = flat(chunks, relations=relations)
    lists = [name for name, value in rows[0].items() if isinstance(value, list)] if rows else []
    for row in rows:
        row.update((name, json.dumps(row[name], ensure_ascii=False)) for name in lists)
    return _csv(row.values() for row in rows)


def csv_header(relations: bool) -> bytes:
    """The first line of a CSV file."""
    return _csv([COLUMNS | RELATIONS if relations else COLUMNS])


def _csv(rows: Iterable[Iterable[object]]) -> bytes:
    buffer = io.StringIO(newline="")
    csv_module.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode("utf-8")


def text(chunks: Chunks, length: str | None, terminal: bool, color: bool, metadata: bool = False) -> bytes:
    """For reading: a line about each chunk, one for each value of its own metadata if that is wanted, then its text."""
    measure = None
    if length is not None and length != "characters":
        from ..lengths import resolve

        measure = resolve(length)
    shown = []
    for chunk in chunks:
        first, _, last, _ = chunks.lines(chunk)
        parts = [
            f"{chunk.source}#{chunk.index}",
            f"{chunk.start}-{chunk.end}",
            f"line {first}" if first == last else f"lines {first}-{last}",
            f"{len(chunk.text)} characters",
        ]
        if measure is not None:
            parts.append(f"{measure(chunk.text):g} {length}")
        if chunk.overlap:
            parts.append(f"overlap {chunk.overlap}")
        if chunk.path:
            parts.append(" > ".join(chunk.path))
        head, body = f"--- {'  '.join(parts)}".replace("\n", " "), chunk.text
        if metadata:
            head += "".join(f"\n    {_entry(name, value)}" for name, value in chunk.own_metadata.items())
        if terminal:
            head, body = printable(head), printable(body.replace("\r\n", "\n"))
        if color:
            head = click.style(head, fg="cyan")
        shown.append(f"{head}\n{body}\n\n")
    return "".join(shown).encode("utf-8", "replace")


def _entry(name: str, value: object) -> str:
    """A value of the metadata on one line."""
    said = value if isinstance(value, str) else to_json(value)
    return " ".join(f"{name}: {said}".split())
