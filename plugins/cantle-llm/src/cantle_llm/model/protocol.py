"""What a model is: something that answers a `Request` with a `Reply`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

__all__ = ["Message", "Model", "Reply", "Request"]

Message = Mapping[str, str]
"""`{"role": "system" or "user" or "assistant", "content": str}`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One call. With a `schema` the answer is to be one JSON value of that JSON Schema."""

    messages: tuple[Message, ...]
    model: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"


class Reply(NamedTuple):
    """What a model answered. Counts of tokens are None where the provider gives none."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    """How many of the input tokens were read from the provider's cache, which costs less."""
    finish_reason: str = "stop"
    """`stop`, `length` (cut off) or `content_filter`."""
    refusal: str = ""


class Model(Protocol):
    """A provider's model, behind its SDK. Asked from several threads at once."""

    provider: str
    """The provider's name as price lists have it, such as `openai`; empty where it is not known."""

    def ask(self, request: Request) -> Reply:
        """Answer, or raise `ModelError`. Retries and waiting are done in here."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
