"""An embedding without a model, which counts what it was asked to embed."""

from __future__ import annotations

import math
import re
from hashlib import sha256

import pytest
from langchain_core.embeddings import Embeddings


class HashedWords(Embeddings):
    """Each word of a text adds one to one of 256 numbers; vectors have the length 1. `asked` lists all texts."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * 256
        for word in re.findall(r"\w+", text.lower()):
            vector[sha256(word.encode("utf-8", "surrogatepass")).digest()[0]] += 1.0
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return [x / length for x in vector]


@pytest.fixture
def embedding() -> HashedWords:
    return HashedWords()


GUIDE = """\
---
title: Harbour
---

# Harbour

Ships of more than sixty metres take a pilot.

## Pilots

Call the tower on channel twelve, four hours before arrival.

## Fees

| tonnage | fee |
|---------|-----|
| 500     | 120 |
| 5000    | 480 |

The fee is half as much again at night.
"""


@pytest.fixture
def guide() -> str:
    """A Markdown text with front matter, headings, and a table."""
    return GUIDE
