"""Read by mypy only, never run: calls that must be accepted, and calls that must not (with their ignore)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, assert_type

from cantle import (
    Chunk,
    Chunks,
    Length,
    MDocument,
    Registry,
    Relation,
    Result,
    Sized,
    Source,
    Strategy,
    acontextualize,
    chunk_many,
    contextualize,
    hookimpl,
    option,
)
from cantle.errors import UnknownStrategyError
from cantle.strategies.recursive import Recursive
from cantle.testing import check_strategy

doc = MDocument.from_markdown("# A", metadata={"lang": "en"}, source="a")
assert_type(doc, MDocument)
assert_type(MDocument.from_file(Path("a.md"), kind="text", front_matter="keep"), MDocument)
MDocument.from_text(b"bytes")  # type: ignore[arg-type]
MDocument.from_text("a", {"lang": "en"})  # type: ignore[call-arg]
doc.text = "b"  # type: ignore[misc]

chunks = doc.chunk("recursive", max_size=100, overlap=0)
assert_type(chunks, Chunks)
assert_type(chunks[0], Chunk)
assert_type(chunks[:2], list[Chunk])
assert_type([chunk.start for chunk in chunks], list[int])
assert_type(chunks.texts, list[str])
assert_type(chunks.relations(), list[Relation])
assert_type(chunks.relations()[0].parent, str | None)
assert_type(chunks.section(chunks[0], at_most=500), tuple[int, int])
chunks.to_dicts(True)  # type: ignore[call-arg]
assert_type(chunks.dropped, list[tuple[int, int, str]])
assert_type(chunks.lines(chunks[0]), tuple[int, int, int, int])
chunks["a"]  # type: ignore[call-overload]

doc.chunk()
doc.chunk(Recursive)
doc.chunk(Recursive(max_size=(100, 200), separators=["\n"], length_function=len))
doc.chunk(3)  # type: ignore[arg-type]
Recursive(maxsize=100)  # type: ignore[call-arg]
Recursive(max_size="100")  # type: ignore[arg-type]
Recursive(100)  # type: ignore[call-arg]


class Model:
    """A client for notes."""

    def complete(self, messages: list[dict[str, str]], *, temperature: float, model: str = "m") -> str:
        return messages[-1]["content"]


class LaterModel:
    """A client that is awaited."""

    async def complete(self, messages: list[dict[str, str]], **options: object) -> str:
        return messages[-1]["content"]


assert_type(contextualize(Model(), None, chunks, max_size=100, concurrency=2), Chunks)
assert_type(contextualize(Model(), None, chunks[:3]), Chunks)
rows: list[dict[str, object]] = [{"content": "a"}]
assert_type(contextualize(LaterModel(), "a", rows, {"failFast": True}), list[dict[str, object]])
contextualize(Model(), None, rows)  # type: ignore[arg-type]  # dictionaries do not know their document
contextualize(len, doc, chunks)  # type: ignore[call-overload]
contextualize(Model(), doc, chunks, max_sise=100)  # type: ignore[call-overload]


async def wait() -> None:
    assert_type(await doc.achunk("recursive"), Chunks)
    assert_type(await acontextualize(LaterModel(), doc, chunks), Chunks)


for result in chunk_many([doc, "a.md", Path("b.md")], "recursive", workers=2, max_size=100):
    assert_type(result, Result)
    assert_type(result.chunks, Chunks | None)
    result.chunks.texts  # type: ignore[union-attr]


@dataclass(frozen=True, kw_only=True)
class Whole(Sized):
    """A strategy with the shared options and one of its own."""

    name: ClassVar[str] = "whole"
    upper: bool = option(False, "An option.")

    def split(self, source: Source) -> Iterator[Chunk]:
        yield Chunk(source.text, 0, len(source.text), metadata={"limit": self.limit})


class Nothing:
    """No strategy: it has no split."""

    name: ClassVar[str] = "nothing"


strategy: Strategy = Whole(max_size=10)
doc.chunk(Whole, max_size=10)
doc.chunk(Nothing)  # type: ignore[arg-type]
check_strategy(Whole, examples=10)
check_strategy(Whole, exmples=10)  # a misspelt argument is an option of the strategy: an error when run


class Double:
    """A length function."""

    def __call__(self, text: str, /) -> float:
        return 2.0 * len(text)


length: Length = Double()  # type: ignore[assignment]  # it has no measure()
doc.chunk("recursive", length_function=Double())


@hookimpl
def register_strategies() -> list[type[Strategy]]:
    return [Whole]


registry = Registry({"mine": "my_module"}, entry_points=True)
assert_type(registry.strategies(), dict[str, type[Strategy]])
doc.chunk("recursive", plugins=registry)
doc.chunk("recursive", plugins="mine")  # type: ignore[arg-type]
assert_type(UnknownStrategyError("a", ["b"]).known, list[str])
