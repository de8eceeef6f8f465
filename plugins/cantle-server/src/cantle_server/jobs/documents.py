"""A text or a file into chunks for a dataset: what a worker does for `/v1/datasets/{id}/documents`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cantle import MDocument
from cantle.commands import snake_case
from cantle.errors import OptionError

from ..errors import Problem
from .chunk import FIELDS, Upload, check_length, document_of, fields_of, refuse_models

if TYPE_CHECKING:
    from cantle import Chunks

__all__ = ["FILE_FIELDS", "UNNAMED", "Filed", "chunks_of", "filed", "options_of"]

UNNAMED = "document"
"""The name of a file that was sent without one."""

FILE_FIELDS = {
    name: FIELDS[name] for name in ("source", "kind", "strategy", "options", "metadata", "encoding", "frontMatter")
}
"""What may be sent beside a file for a dataset, and of what type."""

_LONGEST_SOURCE = 1000


@dataclass(frozen=True)
class Filed:
    """A file as a document: its name, its metadata with those of its front matter, its length, its chunks."""

    source: str
    metadata: dict[str, Any]
    characters: int
    chunks: Chunks


def options_of(given: dict[str, Any] | None) -> dict[str, Any]:
    """Options of a strategy, by their names in Python. Raises `OptionError` for what has a field of its own."""
    options: dict[str, Any] = snake_case(given or {})
    for name in ("strategy", "extract", "plugins", "metadata"):
        if name in options:
            raise OptionError(f"options has {name!r}, which is no option of a strategy.")
    return options


def filed(upload: Upload, max_characters: int) -> Filed:
    """The document of a file. Raises `Problem` for wrong fields, and what reading and cutting raise."""
    given = fields_of(upload, FILE_FIELDS)
    if upload.name == UNNAMED and not given.get("source"):
        raise Problem(422, "invalid_field", "The file has no name. Send it with one, or the field `source`.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a guessed encoding, say: the answer has no place for it
        document = document_of({**given, "source": given.get("source") or None}, upload)
    check_length(document.text, max_characters)
    if len(document.source) > _LONGEST_SOURCE:
        raise Problem(422, "invalid_field", f"source must have {_LONGEST_SOURCE} characters at most.")
    chunks = _cut(document, given.get("strategy") or None, options_of(given.get("options")))
    return Filed(document.source, dict(document.metadata), len(document.text), chunks)


def chunks_of(
    text: str, kind: str, source: str, metadata: dict[str, Any], strategy: str | None, options: dict[str, Any]
) -> Chunks:
    """The chunks of a text."""
    return _cut(MDocument(text, kind, metadata, source), strategy, options)


def _cut(document: MDocument, strategy: str | None, options: dict[str, Any]) -> Chunks:
    from cantle_llm import refused

    name = strategy or document.strategy_for(options)
    refuse_models(name, options)
    with warnings.catch_warnings(), refused("Datasets are filled without a model; POST /v1/partition has one."):
        warnings.simplefilter("ignore")
        return document.chunk(name, **options)
