"""How long a text is: in characters, UTF-16 units, bytes, words, tokens, or by any function.

A `Length` measures a string; its `measure(text)` gives a `Measure`, which answers for stretches of
one text without cutting them out.
"""

from __future__ import annotations

from .arithmetic import ByteLength, CharacterLength, Utf16Length, WordLength
from .base import Length, LengthLike, Measure, fit_back, within
from .calls import CallLength, EncodeLength
from .names import add_provider, names, resolve
from .tokens import SpecialTokens, TokenLength

__all__ = [
    "ByteLength",
    "CallLength",
    "CharacterLength",
    "EncodeLength",
    "Length",
    "LengthLike",
    "Measure",
    "SpecialTokens",
    "TokenLength",
    "Utf16Length",
    "WordLength",
    "add_provider",
    "fit_back",
    "names",
    "resolve",
    "within",
]
