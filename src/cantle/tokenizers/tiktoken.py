"""The door to tiktoken, the reference. Its downloader is never reached: ranks are package data."""

from __future__ import annotations

from typing import Any

from .encodings import EncodingFacts
from .vocabulary import ranks

__all__ = ["Tiktoken"]


class Tiktoken:
    """Ids and counts of ordinary text; texts of up to 65,536 characters a call."""

    name = "tiktoken"
    quick = 64
    """Up to so many characters, counting anew costs less than looking up counts."""
    any_size = False
    """Whether it takes texts of any size."""

    def __init__(self, facts: EncodingFacts) -> None:
        from tiktoken import Encoding

        self._encoding = Encoding(
            facts.name,
            pat_str=facts.pattern,
            mergeable_ranks=ranks(facts),
            special_tokens={},
        )

    @staticmethod
    def supports(facts: EncodingFacts) -> bool:
        """All encodings."""
        return True

    def count(self, text: str) -> int:
        """The number of tokens."""
        if not text.isascii():
            text.encode()  # raises for surrogates, of which tiktoken would make characters of its own
        return len(self._encoding.encode_ordinary(text))

    def encode(self, text: str) -> Any:
        """The ids, a numpy array."""
        return self._encoding.encode_to_numpy(text, disallowed_special=())
