"""Extraction against a scripted server: what tests of it share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cantle import Chunks, MDocument
from cantle_llm import Client
from cantle_llm.testing import Asked, ScriptedServer

TEXT = "Tide tables list the times.\n\nHigh water comes twice a day.\n\nThe datum is the level of zero."
PARTS = TEXT.split("\n\n")

BOOK = {
    "type": "object",
    "properties": {"topic": {"type": "string"}, "level": {"type": ["integer", "null"]}},
    "required": ["topic", "level"],
    "additionalProperties": False,
}


def part_of(prompt: str) -> int:
    """The number of the paragraph that a prompt is about."""
    return next(i for i, part in enumerate(PARTS) if part in prompt)


def values(chunks: Chunks, key: str) -> list[Any]:
    return [chunk.metadata.get(key) for chunk in chunks]


class Setup:
    """A server whose answers a test sets, and a client for it."""

    def __init__(self) -> None:
        self.answer: Callable[[Asked], Any] = lambda asked: f"about {part_of(asked.prompt)}"
        self.server = ScriptedServer(lambda asked: self.answer(asked))
        self.clients: list[Client] = []

    def client(self, **settings: Any) -> Client:
        given = {"base_url": self.server.url, "retries": 0, "reasks": 0, **settings}
        self.clients.append(Client("scripted", **given))
        return self.clients[-1]

    def extract(self, field: str, text: str = TEXT, source: str = "", **options: Any) -> Chunks:
        given = {"by": "llm", "llm": options.pop("llm", None) or self.client(), **options}
        return MDocument(text, source=source).chunk("character", extract={field: given})

    @property
    def prompts(self) -> list[str]:
        return [asked.prompt for asked in self.server.requests]
