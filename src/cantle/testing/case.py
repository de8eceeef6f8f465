"""One run of a strategy over a document, and the words in which a breach is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from ..chunk import Chunk, Span
from ..chunks import Chunks
from ..errors import ContractError
from ..source import Source

__all__ = ["TITLES", "Case", "fail", "length_of", "limit_of", "merged", "repeat_of", "shown", "unit_of"]

TITLES = {
    1: "exact",
    2: "nothing lost",
    3: "limit",
    4: "clusters",
    5: "overlap",
    6: "order",
    7: "same input, same output",
    8: "linear",
    9: "any str",
}
"""The contract's points and their titles."""


def fail(point: int, detail: str) -> NoReturn:
    """Raise the `ContractError` of a point."""
    raise ContractError(point, TITLES[point], detail)


def shown(text: str, most: int = 60) -> str:
    """A text in ASCII, shortened in the middle, as it goes into a report."""
    if len(text) <= most:
        return ascii(text)
    return f"{text[: most // 2]!a} ... {text[-most // 2 :]!a} ({len(text)} characters)"


@dataclass
class Case:
    """A strategy, a document and the chunks that came of it."""

    strategy: Any
    document: Source
    chunks: Chunks

    @property
    def text(self) -> str:
        """The document's text."""
        return self.document.text

    @cached_property
    def items(self) -> list[Chunk]:
        """The chunks as a list."""
        return list(self.chunks)

    @cached_property
    def covered(self) -> list[Span]:
        """The stretches of the text that lie in a chunk, ascending, joined where they touch."""
        return merged(span for chunk in self.items for span in spans_of(chunk))


def spans_of(chunk: Chunk) -> tuple[Span, ...]:
    """The stretches a chunk's characters come from."""
    return ((chunk.start, chunk.end),) if chunk.spans is None else chunk.spans


def merged(spans: Any) -> list[Span]:
    """Stretches in ascending order, joined where they touch or overlap."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def limit_of(strategy: Any) -> float | None:
    """The strategy's limit in its length units, or None when it has none."""
    value = getattr(strategy, "limit", None)
    if value is None:
        value = getattr(strategy, "max_size", None)
    if isinstance(value, tuple | list):
        value = value[1]
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def repeat_of(strategy: Any) -> float | None:
    """The most a chunk may repeat, in the strategy's length units, or None when it does not say."""
    value = getattr(strategy, "repeat", None)
    if value is None:
        value = getattr(strategy, "overlap", None)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def length_of(strategy: Any) -> Callable[[str], float]:
    """The strategy's length function; code points when it has none."""
    from ..lengths import resolve

    length = getattr(strategy, "length", None)
    if length is None:
        length = resolve(getattr(strategy, "length_function", "characters"))
    return length if callable(length) else length.length


def unit_of(strategy: Any) -> str:
    """What the strategy's sizes count, for reports."""
    name = getattr(strategy, "length_function", "characters")
    plain = {"characters": "characters", "utf16": "UTF-16 units", "bytes": "bytes", "words": "words"}
    return plain.get(name, "tokens") if isinstance(name, str) else "length units"
