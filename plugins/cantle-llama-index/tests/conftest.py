"""An embedding without a model, which keeps what it was asked to embed, and a few texts."""

from __future__ import annotations

import math
import re
from hashlib import sha256
from typing import Any

import pytest
from llama_index.core.embeddings import BaseEmbedding
from pydantic import Field


class HashedWords(BaseEmbedding):
    """Each word of a text adds one to one of 256 numbers; vectors have the length 1. `asked` lists all texts."""

    asked: list[str] = Field(default_factory=list, exclude=True)

    @classmethod
    def class_name(cls) -> str:
        return "HashedWords"

    def _get_text_embedding(self, text: str) -> list[float]:
        self.asked.append(text)
        return self._get_query_embedding(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        vector = [0.0] * 256
        for word in re.findall(r"\w+", query.lower()):
            vector[sha256(word.encode("utf-8", "surrogatepass")).digest()[0]] += 1.0
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return [x / length for x in vector]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def __deepcopy__(self, memo: Any) -> HashedWords:
        return self


@pytest.fixture
def embedding() -> HashedWords:
    return HashedWords()


GUIDE = """\
# Harbour guide

For skippers who come for the first time. The office is open from April to October.

## Coming in

Keep the leading lights in line: the front one is white, the rear one red.
Give way to the ferry.

## Berths

| Berth | Depth |
|-------|-------|
| A     | 2.1 m |
| B     | 3.0 m |

### Fees

A night costs 20 crowns. Give way to the ferry.

## Leaving

Wait for the ebb: {braces} and %s stay as they are.
"""


@pytest.fixture
def guide() -> str:
    return GUIDE
