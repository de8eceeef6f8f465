"""Chunks of `ContextRetrievalChunker` that were checked against its contract."""

from __future__ import annotations

from typing import Any

from facade_contract import broken

from cantle.cleaning import clean_markdown, clean_pdf, clean_text
from cantle.context.engine.engine import chunk_cleaned
from cantle.context.engine.grammar import is_markdown
from cantle.context.settings import Settings, resolved
from cantle.context.settings import given as given_options

Chunks = list[dict[str, Any]]


def cut(kind: str, text: str, **options: Any) -> Chunks:
    """The chunks, checked against the contract."""
    settings = resolved(Settings(), given_options(options, {}))
    if kind == "chunk":
        kind = "markdown" if is_markdown(text) else "text"
    if kind == "pdf":
        cleaned = clean_pdf(text)
    else:
        clean = clean_markdown if kind == "markdown" else clean_text
        cleaned = clean(text, comments=settings.strip_html_comments, data_uris=settings.strip_data_uri)
    chunks = chunk_cleaned(cleaned.text, kind, cleaned.pages, settings)
    counted = settings.encoding if settings.unit == "tokens" else "utf16"
    assert broken(cleaned.text, chunks, settings.size, settings.repeat, counted) == []
    return chunks


def contents(kind: str, text: str, size: int, overlap: int = 0, least: int = 0, **options: Any) -> list[str]:
    chunks = cut(kind, text, chunk_size=size, overlap=overlap, min_chunk_size=least, **options)
    return [chunk["content"] for chunk in chunks]
