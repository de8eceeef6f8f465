"""The vocabularies in the package: files as OpenAI publishes them, packed with gzip."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from importlib.resources import files
from typing import Any

from .encodings import EncodingFacts

__all__ = ["byte_lengths", "ranks", "unpacked"]


def unpacked(name: str) -> bytes:
    """The `.tiktoken` file of a vocabulary: a line a token, its bytes in base64 and its rank."""
    packed = files("cantle").joinpath("data", "vocab", f"{name}.tiktoken.gz").read_bytes()
    return gzip.decompress(packed)


def ranks(facts: EncodingFacts) -> dict[bytes, int]:
    """Token bytes -> id, special tokens not included."""
    fields = unpacked(facts.vocabulary).split()
    return dict(zip(map(base64.b64decode, fields[::2]), map(int, fields[1::2]), strict=True))


@cache
def byte_lengths(name: str) -> Any:
    """How many bytes each token of a vocabulary has, by id; a numpy array of int32."""
    import numpy

    fields = unpacked(name).split()
    ids = numpy.array(list(map(int, fields[1::2])))
    lengths = numpy.zeros(int(ids.max()) + 1, numpy.int32)
    lengths[ids] = [len(token) // 4 * 3 - token.count(b"=") for token in fields[::2]]
    return lengths
