"""Part of point 7 of the contract: a text that is read piece by piece gives the chunks of the whole text."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..chunk import Chunk
from ..chunks import Chunks
from ..errors import OptionError
from ..packing.reading import small_windows
from ..source import Source
from ..streams import ChunkStream
from .case import fail, shown
from .run import BARE, guarded

__all__ = ["same_on_stream"]

_STEPS = (1, 7, 1000)
_LONG = 4000
"""Longer texts are not read in single characters, and so on: that takes long."""

_WINDOW = 64


class _Steps:
    """Reads a text in steps of so many characters."""

    def __init__(self, text: str, step: int) -> None:
        self._text, self._step, self._at = text, step, 0

    def read(self, size: int, /) -> str:
        text = self._text[self._at : self._at + min(size, self._step)]
        self._at += len(text)
        return text


def same_on_stream(strategy: Any, document: Source, chunks: Chunks, seconds: float) -> None:
    """Where the strategy has `stream`, read the text in steps of several sizes, in windows that are small.

    An `OptionError` of `stream` says that the strategy cannot with these options, which it may.
    """
    if not callable(getattr(strategy, "stream", None)) or document.body:
        return
    if document.kind in getattr(strategy, "whole_kinds", ()):
        return
    wanted = list(chunks)
    for step in _STEPS:
        if len(document.text) <= _LONG * step or step == _STEPS[-1]:
            found = guarded(partial(_streamed, strategy, document, step), document, seconds)
            if found is None:
                return
            _compare(wanted, found, step)


def _streamed(strategy: Any, document: Source, step: int) -> list[Chunk] | None:
    with small_windows(_WINDOW):
        try:
            stream = ChunkStream(
                _Steps(document.text, step),
                strategy,
                kind=document.kind,
                metadata=document.metadata,
                source=document.source,
                encoding=None,
                front_matter="read",
                plugins=BARE,
                options={},
            )
        except OptionError:
            return None
        with stream:
            return list(stream)


def _compare(wanted: list[Chunk], found: list[Chunk], step: int) -> None:
    reader = f"stream() of a reader that gives {step} character{'' if step == 1 else 's'} at a time"
    for i, (a, b) in enumerate(zip(wanted, found, strict=False)):
        if a != b or a.key != b.key:
            names = [name for name in (*Chunk.__slots__, "key") if not name.startswith("_") and name != "embedding"]
            name = next((name for name in names if getattr(a, name) != getattr(b, name)), "metadata")
            mine, other = (shown(repr(getattr(chunk, name))) for chunk in (b, a))
            fail(7, f"{reader} gives the chunk {i} with {name} {mine}, split() with {other}")
    if len(wanted) != len(found):
        fail(7, f"{reader} gives {len(found)} of {len(wanted)} chunks")
