"""What can go wrong with an answer on its way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Fault"]


@dataclass(frozen=True)
class Fault:
    """A fault in place of an answer. Made by the class methods."""

    kind: str
    status: int = 200
    body: str = ""
    code: str = ""
    seconds: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def http(
        cls, status: int, message: str = "scripted", code: str = "", *, headers: Mapping[str, str] | None = None
    ) -> Fault:
        """An HTTP status such as 429 or 500, with an error body as OpenAI writes it.

        `headers` come on top, such as `{"retry-after": "30"}`; without one of these, `retry-after-ms: 1` is sent.
        """
        return cls("http", status=status, body=message, code=code, headers=headers or {})

    @classmethod
    def raw(cls, body: Any, status: int = 200, *, headers: Mapping[str, str] | None = None) -> Fault:
        """A body of your own, any JSON value: errors as other servers write them, answers of an odd form."""
        return cls("raw", status=status, body=json.dumps(body), headers=headers or {})

    @classmethod
    def slow(cls, seconds: float) -> Fault:
        """Nothing for so long, then the connection closes."""
        return cls("slow", seconds=seconds)

    @classmethod
    def cut(cls) -> Fault:
        """The connection ends in the middle of the answer."""
        return cls("cut")

    @classmethod
    def dropped(cls) -> Fault:
        """The connection ends before any answer."""
        return cls("dropped")

    @classmethod
    def garbage(cls, body: str = "<html>Bad gateway</html>") -> Fault:
        """Status 200 with a body that is no JSON, as proxies send it."""
        return cls("garbage", body=body)

    @classmethod
    def refusal(cls, words: str = "I cannot help with that.") -> Fault:
        """The model refuses, in the field for it."""
        return cls("refusal", body=words)

    @classmethod
    def filtered(cls) -> Fault:
        """The provider's filter keeps the answer back."""
        return cls("filtered")

    @classmethod
    def truncated(cls, text: str) -> Fault:
        """The answer is cut off at the limit for its length."""
        return cls("truncated", body=text)

    @classmethod
    def no_choices(cls) -> Fault:
        """An answer without any choice."""
        return cls("no_choices")
