"""`run_async` gives what `run` gives, and lets the event loop go on."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar

from haystack import Document

from cantle import Chunk, Source
from cantle_haystack import CantleDocumentSplitter


def documents(number: int) -> list[Document]:
    return [Document(content=f"Text {number}. And more of it.", meta={"file_path": str(number)}) for _ in range(3)]


def test_many_at_once() -> None:
    splitter = CantleDocumentSplitter("recursive", max_size=15, overlap=0)
    wanted = [splitter.run(documents(i)) for i in range(20)]

    async def all_of_them() -> list[dict[str, list[Document]]]:
        return list(await asyncio.gather(*[splitter.run_async(documents(i)) for i in range(20)]))

    assert asyncio.run(all_of_them()) == wanted
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda i: splitter.run(documents(i)), range(20))) == wanted


class Copied:
    """Keeps which threads copied it."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> "Copied":
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
    assert len(asyncio.run(CantleDocumentSplitter(strategy).run_async(documents(1)))["documents"]) == 3
    assert strategy.value.threads
    assert threading.main_thread() not in strategy.value.threads
