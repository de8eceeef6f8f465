"""`atransform_documents` gives what `split_documents` gives, and lets the event loop go on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from langchain_core.documents import Document

from cantle import Chunk, Source
from cantle_langchain import CantleTextSplitter


def documents() -> list[Document]:
    return [Document(page_content=f"Text {i}. And more of it.", metadata={"source": "s"}) for i in range(5)]


def test_it_gives_the_same() -> None:
    splitter = CantleTextSplitter("recursive", max_size=15, overlap=0)
    found = asyncio.run(splitter.atransform_documents(documents()))
    assert found == splitter.split_documents(documents())
    assert len({piece.id for piece in found}) == len(found) > 5


@dataclass(frozen=True)
class Waits:
    """Cuts nothing, and goes on only when somebody else lets it."""

    name: ClassVar[str] = "waits"
    let_go: threading.Event = field(default_factory=threading.Event)

    def split(self, source: Source) -> Iterator[Chunk]:
        assert self.let_go.wait(60), "the event loop stands still"
        yield Chunk(source.text, 0, len(source.text))


def test_the_event_loop_goes_on() -> None:
    strategy = Waits()

    async def both() -> list[Document]:
        cutting = asyncio.ensure_future(CantleTextSplitter(strategy).atransform_documents(documents()))
        await asyncio.sleep(0.01)
        assert not cutting.done()
        strategy.let_go.set()
        return list(await cutting)

    assert [piece.page_content for piece in asyncio.run(both())] == [d.page_content for d in documents()]


@dataclass(frozen=True)
class Awaits:
    """A strategy that can only be awaited."""

    name: ClassVar[str] = "awaits"

    def split(self, source: Source) -> Iterator[Chunk]:
        raise AssertionError("asplit is there")

    async def asplit(self, source: Source) -> AsyncIterator[Chunk]:
        await asyncio.sleep(0)
        yield Chunk(source.text, 0, len(source.text))


def test_a_strategy_that_waits_is_awaited() -> None:
    found = asyncio.run(CantleTextSplitter(Awaits()).atransform_documents(documents()))
    assert [piece.page_content for piece in found] == [document.page_content for document in documents()]


class Copied:
    """Keeps which threads copied it."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> Copied:
        self.threads.append(threading.current_thread())
        return self


@dataclass(frozen=True)
class Tells:
    """Cuts nothing, and puts one object into the metadata."""

    name: ClassVar[str] = "tells"
    value: Copied = field(default_factory=Copied)

    def split(self, source: Source) -> Iterator[Chunk]:
        yield Chunk(source.text, 0, len(source.text), metadata={"value": self.value})


def test_documents_are_made_beside_the_event_loop() -> None:
    strategy = Tells()
    assert len(asyncio.run(CantleTextSplitter(strategy).atransform_documents(documents()))) == 5
    assert strategy.value.threads
    assert threading.main_thread() not in strategy.value.threads
