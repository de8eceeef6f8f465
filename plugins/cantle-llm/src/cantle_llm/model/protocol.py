"""What a model is: something that answers a `Request` with a `Reply`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

__all__ = ["Media", "Message", "Model", "Reply", "Request"]

Message = Mapping[str, str]
"""`{"role": "system" or "user" or "assistant", "content": str}`."""


@dataclass(frozen=True)
class Media:
    """A picture or a recording that goes with a request: its bytes, MIME type and the name of its file."""

    data: bytes = field(repr=False)
    media_type: str
    name: str = ""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes, 64 hexadecimal digits: what stands for them where answers are kept."""
        return sha256(self.data).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One call. With a `schema` the answer is to be one JSON value of that JSON Schema.

    The `task` is `chat`, where `media` are pictures that belong to the last message, or `transcribe`, where they are
    one recording, the last message is a text that goes before it (it may be empty), and `language` is the recording's
    (ISO 639-1; empty: to be found out).
    """

    messages: tuple[Message, ...]
    model: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "answer"
    media: tuple[Media, ...] = ()
    task: str = "chat"
    language: str = ""


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
    audio_tokens: int = 0
    """How many of the input tokens were sound, which costs more."""
    audio_seconds: float = 0.0
    """How long the sound was, where a provider counts that in place of tokens."""


class Model(Protocol):
    """A provider's model, behind its SDK. Asked from several threads at once.

    One that knows requests with `media` says so by an attribute `takes_media` that is true; others are not given any.
    """

    provider: str
    """The provider's name as price lists have it, such as `openai`; empty where it is not known."""

    def ask(self, request: Request) -> Reply:
        """Answer, or raise `ModelError`. Retries and waiting are done in here."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
