"""The vocabularies in the package: files as OpenAI publishes them, packed with gzip."""

from __future__ import annotations

import base64
import gzip
import zlib
from functools import cache
from importlib.resources import files
from typing import Any

from ..errors import VocabularyError
from .encodings import EncodingFacts

__all__ = ["begins_inside", "character_lengths", "ranks", "unpacked"]


def unpacked(name: str) -> bytes:
    """The `.tiktoken` file of a vocabulary: a line a token, its bytes in base64 and its rank."""
    file = f"{name}.tiktoken.gz"
    try:
        return gzip.decompress(files("cantle").joinpath("data", "vocab", file).read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise VocabularyError(
            f"the vocabulary {file} of the package cannot be read ({type(error).__name__}: {error}). "
            "Install cantle again."
        ) from error


def ranks(facts: EncodingFacts) -> dict[bytes, int]:
    """Token bytes -> id, special tokens not included."""
    fields = unpacked(facts.vocabulary).split()
    return dict(zip(map(base64.b64decode, fields[::2]), map(int, fields[1::2]), strict=True))


@cache
def character_lengths(name: str) -> Any:
    """How many characters begin in each token of a vocabulary, by id; a numpy array of uint8.

    Summed over the tokens of a text they count its characters, although tokens may end inside one:
    a character counts for the token that holds its first byte.
    """
    import numpy

    fields = unpacked(name).split()
    tokens = [base64.b64decode(field) for field in fields[::2]]
    data = numpy.frombuffer(b"".join(tokens), numpy.uint8)
    starts = numpy.cumsum([0, *map(len, tokens[:-1])])
    ids = numpy.array(list(map(int, fields[1::2])))
    lengths = numpy.zeros(int(ids.max()) + 1, numpy.uint8)  # no token is longer than 128 bytes
    lengths[ids] = numpy.add.reduceat((data & 0xC0) != 0x80, starts, dtype=numpy.int64)
    return lengths


@cache
def begins_inside(name: str) -> Any:
    """Whether each token of a vocabulary begins inside a character, by id; a numpy array of bool."""
    import numpy

    fields = unpacked(name).split()
    ids = numpy.array(list(map(int, fields[1::2])))
    inside = numpy.zeros(int(ids.max()) + 1, numpy.bool_)
    inside[ids] = [base64.b64decode(field)[0] & 0xC0 == 0x80 for field in fields[::2]]
    return inside
