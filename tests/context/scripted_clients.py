"""Clients that answer without a model, chunks for them, and the ways to call `contextualize`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cantle import Chunk, Chunks, Source, acontextualize, contextualize

TEMPLATE = "{document}|{chunk}"
DOCUMENT = "one. two. three. block 0"


def dictionaries(n: int = 3, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "id": f"d#{i}",
            "hash": "00",
            "header": "# T",
            "content": f"block {i}",
            "context": "",
            "text": f"# T\n\nblock {i}",
            "embed": "full",
            "breadcrumb": "T",
            "heading": "T",
            **more,
        }
        for i in range(n)
    ]


def chunks_of(*contents: str, prefix: str = "", **more: Any) -> Chunks:
    text, chunks = "", []
    for content in contents:
        chunks.append(Chunk(content, len(text), len(text) + len(content), prefix=prefix, **more))
        text += content + "\n\n"
    return Chunks(Source(text, metadata={"lang": "en"}, source="d"), chunks, config_hash="0" * 16)


class Client:
    """Answers with what `answer` makes of the user message; errors that it returns are raised."""

    def __init__(self, answer: Callable[[str], Any] = lambda user: f"note of {user.rpartition('|')[2]}") -> None:
        self.answer = answer
        self.messages: list[list[dict[str, str]]] = []
        self.options: list[dict[str, Any]] = []

    @property
    def users(self) -> list[str]:
        return [messages[-1]["content"] for messages in self.messages]

    def complete(self, messages: list[dict[str, str]], **options: Any) -> Any:
        self.messages.append(messages)
        self.options.append(options)
        answer = self.answer(messages[-1]["content"])
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Later(Client):
    """The same, to be awaited."""

    async def complete(self, messages: list[dict[str, str]], **options: Any) -> Any:
        await asyncio.sleep(0)
        return super().complete(messages, **options)


class Promises(Client):
    """An ordinary method that gives an awaitable."""

    def complete(self, messages: list[dict[str, str]], **options: Any) -> Any:
        async def wait() -> Any:
            await asyncio.sleep(0)
            return super(Promises, self).complete(messages, **options)

        return wait()


def run_async(*args: Any, **more: Any) -> Any:
    async def main() -> Any:
        return await acontextualize(*args, **more)

    return asyncio.run(main())


def run_inside(*args: Any, **more: Any) -> Any:
    """The ordinary function, where a loop is running."""

    async def main() -> Any:
        return contextualize(*args, **more)

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("run", [contextualize, run_async, run_inside])
CLIENTS = pytest.mark.parametrize("kind", [Client, Later, Promises])
COUNTS = pytest.mark.parametrize("concurrency", [1, 3])
