"""A strategy, a plugin of any extractors, and chunks with what they extract."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, Registry, Source, hookimpl


class Words:
    """A strategy: a chunk a word."""

    name = "words"

    def split(self, source: Source) -> list[Chunk]:
        chunks, at = [], 0
        for word in source.text.split():
            at = source.text.index(word, at)
            chunks.append(Chunk(word, at, at + len(word)))
            at += len(word)
        return chunks


class Plugin:
    """A plugin of the given extractors."""

    def __init__(self, **extractors: Any) -> None:
        self.extractors = extractors

    @hookimpl
    def register_extractors(self) -> Mapping[str, Any]:
        return self.extractors


def every(**found: Any) -> Any:
    return lambda document, chunks, options: [{**found, **options} for _ in chunks]


async def later(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    await asyncio.sleep(0)
    return [{"summary": f"{chunk.content}, later", "loop": id(asyncio.get_running_loop())} for chunk in chunks]


DOC = MDocument.from_text("one two three", metadata={"lang": {"main": "en"}}, source="d")


def chunk(extract: Any, **plugins: Any) -> Chunks:
    return DOC.chunk(Words(), extract=extract, plugins=Registry(plugins))


def achunk(extract: Any, **plugins: Any) -> Chunks:
    return asyncio.run(DOC.achunk(Words(), extract=extract, plugins=Registry(plugins)))


BOTH = pytest.mark.parametrize("run", [chunk, achunk])
