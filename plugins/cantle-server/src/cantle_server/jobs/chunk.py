"""A document into chunks, as bytes of JSON: what a worker does for `/v1/chunk`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from cantle import MDocument, registry
from cantle.commands import snake_case
from cantle.errors import CantleWarning, OptionError

from ..bodies import parse_json
from ..errors import Problem
from ..written import json_line
from .sizes import measure_of

if TYPE_CHECKING:
    from cantle import Chunks

__all__ = ["ASKING", "FIELDS", "Upload", "check_length", "chunk", "document_of", "fields_of", "refuse_models"]

FIELDS = {
    "text": str,
    "kind": str,
    "strategy": str,
    "options": dict,
    "extract": dict,
    "metadata": dict,
    "source": str,
    "encoding": str,
    "frontMatter": str,
    "relations": bool,
    "returnText": bool,
    "returnSizes": bool,
    "stream": bool,
}
"""The fields of a request and their types."""

_OF_FILES = ("encoding", "frontMatter")
_TYPES = {str: "a string", dict: "an object", bool: "true or false"}

_PIECE = 1 << 16
_SENT = 1 << 19
"""Bytes of an answer that go together: each piece costs its receiver some work."""
ASKING = ("client", "model", "llm", "base_url", "api_key", "url", "endpoint", "proxy")
"""Options by which a strategy would ask a model, or somebody whom the caller names."""

_NO_MODEL = "This route asks no model and opens no address; for blocks by a model there is POST /v1/partition."


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent, with the fields beside it as they came."""

    data: bytes
    name: str
    fields: Mapping[str, str]


def chunk(body: bytes | Upload, stream: bool, max_characters: int) -> Iterator[dict[str, Any] | bytes]:
    """First what the answer is, `{"stream": ..., "characters": ..., "chunks": ...}`, then its bytes, in pieces.

    `body` is the JSON of a request, or a file with fields. `stream` asks for NDJSON, as the field of that name does.
    """
    began = time.perf_counter()
    given = fields_of(body)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", CantleWarning)
        document = document_of(given, body)
        check_length(document.text, max_characters)
        chunks = _chunks(document, given)
    stream = stream or given.get("stream", False)
    yield {"stream": stream, "characters": len(document.text), "chunks": len(chunks)}
    answer = _Answer(document, chunks, given, [str(one.message) for one in caught], began)
    yield from answer.lines() if stream else answer.whole()


class _Answer:
    def __init__(
        self, document: MDocument, chunks: Chunks, given: dict[str, Any], said: list[str], began: float
    ) -> None:
        self._document, self._chunks, self._given, self._said, self._began = document, chunks, given, said, began

    def _head(self) -> dict[str, Any]:
        document = self._document
        head = {
            "source": document.source,
            "kind": document.kind,
            "strategy": getattr(self._chunks.strategy, "name", ""),
            "configHash": self._chunks.config_hash,
            "metadata": document.metadata,
            "body": document.body,
        }
        if self._given.get("returnText"):
            head["text"] = document.text
        if self._given.get("returnSizes"):
            head["unit"] = measure_of(self._chunks.strategy)[0]
        return head

    def _tail(self) -> dict[str, Any]:
        return {
            "dropped": [{"start": start, "end": end, "reason": reason} for start, end, reason in self._chunks.dropped],
            "warnings": list(dict.fromkeys(self._said)),
            "stats": {
                "characters": len(self._document.text),
                "chunks": len(self._chunks),
                "milliseconds": round((time.perf_counter() - self._began) * 1000, 1),
            },
        }

    def whole(self) -> Iterator[bytes]:
        """One JSON object."""
        parts, size, comma = [json_line(self._head())[:-2], b',"chunks":['], 0, b""
        for rows in self._batches():
            parts += comma, json_line(rows)[1:-2]
            comma, size = b",", size + len(parts[-1])
            if size >= _SENT:
                yield b"".join(parts)
                parts, size = [], 0
        yield b"".join([*parts, b"],", json_line(self._tail())[1:]])

    def lines(self) -> Iterator[bytes]:
        """Lines of JSON: the document, its chunks, the end."""
        yield json_line({"type": "document", **self._head()})
        for rows in self._batches():
            yield b"".join(json_line({"type": "chunk", **row}) for row in rows)
        yield json_line({"type": "end", **self._tail()})

    def _batches(self) -> Iterator[list[dict[str, Any]]]:
        """The chunks as dictionaries, some at once: never all of them."""
        chunks, rows, size = self._chunks, [], 0
        relations = chunks.relations() if self._given.get("relations") else None
        measure = measure_of(chunks.strategy)[1] if self._given.get("returnSizes") else None
        for one in chunks:
            row = one.to_dict()
            row["embedHash"] = row.pop("embed_hash")
            row["lines"] = chunks.lines(one)
            if measure is not None:
                row["size"] = measure(row["text"])
            if relations is not None:
                row |= relations[one.index].fields()
            rows.append(row)
            size += len(row["text"])
            if size >= _PIECE:
                yield rows
                rows, size = [], 0
        if rows:
            yield rows


def check_length(text: str, most: int) -> None:
    """Raise `Problem` (413) for a text of more than `most` characters."""
    if len(text) > most:
        raise Problem(
            413,
            "too_many_characters",
            f"The text has {len(text):,} characters, and this server takes {most:,} at most.",
            limit=most,
        )


def fields_of(body: bytes | Upload, fields: Mapping[str, type] = FIELDS) -> dict[str, Any]:
    """The fields of a request, which are among `fields` and of these types; null is left out. Raises `Problem`."""
    given = _of_upload(body) if isinstance(body, Upload) else parse_json(body)
    if not isinstance(given, dict):
        raise Problem(422, "invalid", 'The body must be a JSON object, such as {"text": "..."}.')
    found = {}
    for name, value in given.items():
        kind = fields.get(name)
        if kind is None:
            close = get_close_matches(name[:100], fields, n=1)  # its time grows with the name
            hint = f" Did you mean {close[0]!r}?" if close else " Options of a strategy go into `options`."
            raise Problem(422, "unknown_field", f"There is no field {name[:100]!r}.{hint} Fields: {', '.join(fields)}.")
        if value is None:
            continue
        if not isinstance(value, kind):
            raise Problem(422, "invalid_field", f"{name} must be {_TYPES[kind]}.")
        found[name] = value
    return found


def _of_upload(upload: Upload) -> dict[str, Any]:
    """Fields of a form: strings as they are, all else as JSON."""
    found: dict[str, Any] = {}
    for name, value in upload.fields.items():
        if name == "text":
            raise Problem(422, "invalid_field", "A file and a text are given. Send one of them.")
        kind = FIELDS.get(name, str)
        if kind is str:
            found[name] = value
        elif value.strip():
            try:
                found[name] = parse_json(value.encode("utf-8", "surrogatepass"))
            except Problem as problem:
                raise Problem(400, problem.code, f"The field {name} is no JSON: {problem.message}") from None
    return found


def document_of(given: Mapping[str, Any], body: bytes | Upload) -> MDocument:
    """The document that a request brings, with its fields."""
    metadata = given.get("metadata")
    if isinstance(body, Upload):
        return MDocument.from_bytes(
            body.data,
            body.name,
            kind=given.get("kind") or None,
            metadata=metadata,
            source=given.get("source"),
            encoding=given.get("encoding") or None,
            front_matter=given.get("frontMatter") or "read",
        )
    for name in _OF_FILES:
        if name in given:
            raise Problem(422, "invalid_field", f"{name} is for files: send one as multipart/form-data.")
    if "text" not in given:
        raise Problem(422, "invalid_field", "text is missing: the document, as a string.")
    return MDocument(given["text"], given.get("kind") or "text", metadata or {}, given.get("source", ""))


def _chunks(document: MDocument, given: dict[str, Any]) -> Chunks:
    options = snake_case(given.get("options", {}))
    for name in ("strategy", "extract", "plugins", "metadata"):
        if name in options:
            raise OptionError(
                f"options has {name!r}, which is no option of a strategy. It is a field beside `options`."
            )
    extract = snake_case({"extract": given["extract"]})["extract"] if "extract" in given else None
    name = given.get("strategy") or document.strategy_for(options)
    refuse_models(name, options)
    from cantle_llm import refused

    with refused(_NO_MODEL):
        return document.chunk(name, extract=extract, **options)


def refuse_models(name: str, options: Mapping[str, Any]) -> None:
    """Raise `OptionError` for options by which a strategy would ask a model or open an address.

    A model would be paid for by the server, and an address of the caller's choice could be inside of its network.
    """
    cls = registry().strategy(name)
    known = {one.name for one in fields(cls)} if is_dataclass(cls) else set(options)
    for option in ASKING:
        if option in known and options.get(option) is not None:
            raise OptionError(f"{option} is not possible here. {_NO_MODEL}")
    if "engine" in known and options.get("engine") == "model":
        raise OptionError(f"engine='model' is not possible here. {_NO_MODEL}")
