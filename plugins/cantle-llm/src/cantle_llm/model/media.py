"""Pictures and recordings as they go over the wire, and transcripts as they come back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ModelError
from .protocol import Media, Reply, Request
from .replies import count, read_tokens
from .wire import sendable

__all__ = ["read_transcription", "recording", "with_pictures"]


def with_pictures(text: str, pictures: Sequence[Media]) -> list[dict[str, Any]]:
    """The content of a message: a text, then pictures as data URLs."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in pictures:
        url = f"data:{picture.media_type};base64,{b64encode(picture.data).decode('ascii')}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def recording(request: Request) -> dict[str, Any]:
    """Arguments of a transcription. A temperature is not sent: models of speech choose it themselves."""
    sound = request.media[0]
    sent: dict[str, Any] = {
        "model": sendable(request.model),
        "file": (sendable(sound.name), sound.data, sound.media_type),
        "response_format": "json",
    }
    if request.language:
        sent["language"] = request.language
    if request.messages[-1]["content"]:
        sent["prompt"] = sendable(request.messages[-1]["content"])
    return sent


def read_transcription(body: Mapping[str, Any]) -> Reply:
    """The transcript in a body. Raises `ModelError` where there is none.

    Usage is counted in tokens or, by older models, in seconds; some servers count nothing.
    """
    text = body.get("text")
    if not isinstance(text, str):
        raise ModelError("server_error", "The provider's answer has no transcript.")
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return Reply(text)
    read, written, cached = read_tokens(usage)
    details = usage.get("input_token_details")
    audio = count(details.get("audio_tokens")) if isinstance(details, Mapping) else None
    return Reply(
        text=text,
        input_tokens=read,
        output_tokens=written,
        cached_tokens=cached,
        audio_tokens=min(audio or 0, read or 0),
        audio_seconds=_length(usage.get("seconds")),
    )


def _length(seconds: Any) -> float:
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    return float(seconds) if is_number and 0 <= seconds < 10**7 else 0.0
