"""What counts the tokens of an embedding model."""

from __future__ import annotations

from typing import NamedTuple

from cantle.errors import UnknownLengthError
from cantle.lengths import ByteLength, CharacterLength, Length, LengthLike, Utf16Length, WordLength, resolve

__all__ = ["FALLBACK", "MODEL", "Tokenizer", "tokenizer_of"]

MODEL = "text-embedding-3-small"
"""The embedding model whose tokens are counted when none is named."""

FALLBACK = "cl100k_base"
"""What counts the tokens of a model whose own tokenizer is not known."""


class Tokenizer(NamedTuple):
    """What counts, its name, and whether it only estimates what the model would count."""

    length: Length
    name: str
    is_estimated: bool


def tokenizer_of(model: str, given: LengthLike | None = None) -> Tokenizer:
    """The tokenizer of a model, which may be written `provider:model` or `provider/model`; else `FALLBACK`.

    `given` counts instead, whatever the model. Raises `UnknownLengthError` when it is not known.
    """
    if given is not None:
        length = resolve(given)
        return Tokenizer(length, given if isinstance(given, str) else _name_of(length), False)
    found = _known(model.strip().rpartition("/")[2].rpartition(":")[2])
    if found is None or isinstance(
        found, CharacterLength | Utf16Length | ByteLength | WordLength
    ):  # `words` is no model
        return Tokenizer(resolve(FALLBACK), FALLBACK, True)
    return Tokenizer(found, _name_of(found), False)


def _known(name: str) -> Length | None:
    """What is known by a name, in any case: prices are found so too."""
    for spelling in dict.fromkeys((name, name.lower())):
        try:
            return resolve(spelling)
        except UnknownLengthError:
            continue
    return None


def _name_of(length: Length) -> str:
    return str(getattr(length, "name", "") or type(length).__qualname__)
