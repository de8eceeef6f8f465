"""Strategies that misbehave, importable in worker processes; a file that tests and workers load by its path."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator

from cantle import Chunk, Source


class Poisoned:
    """Cuts at blank lines; what a text begins with may make it hang, die, raise or warn."""

    name = "poisoned"

    def split(self, source: Source) -> Iterator[Chunk]:
        """The paragraphs."""
        if source.text.startswith("HANG"):
            time.sleep(600)
        if source.text.startswith("DIE"):
            os._exit(7)
        if source.text.startswith("RAISE"):
            raise Unsendable(source.text, 1)
        if source.text.startswith("WARN"):
            warnings.warn("this text warns", UserWarning, stacklevel=2)
        if source.text.startswith("FLOOD"):
            for i in range(20_000):
                warnings.warn(f"flood {i}", UserWarning, stacklevel=2)
        at = 0
        for part in source.text.split("\n\n"):
            yield Chunk(part, at, at + len(part))
            at += len(part) + 2


class Unsendable(Exception):
    """One that pickles, and does not come back."""

    def __init__(self, text: str, number: int) -> None:
        super().__init__(f"no good: {text[:20]}")
