"""A picture as text: what is written in it, then what it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cantle.errors import OptionError

from ..client.client import Client, Run
from ..errors import AnswerError
from ..model.protocol import Media
from .checks import checked_data, run_of
from .kinds import IMAGES, media_type_of
from .prompts import PROMPTS, SCHEMA

__all__ = ["MOST_IMAGE_BYTES", "describe_image"]

MOST_IMAGE_BYTES = 20_000_000
"""The most bytes of a picture by default: what endpoints commonly take."""


def describe_image(
    data: bytes,
    media_type: str | None = None,
    *,
    client: Client | Run,
    model: str | None = None,
    language: str = "en",
    max_bytes: int = MOST_IMAGE_BYTES,
) -> str:
    """What a picture says and shows, put into words by a model that sees: its text first, then a description.

    `data` is a PNG, JPEG, GIF or WebP file; `media_type` is its MIME type, by default found by its first bytes, which
    it may not contradict. `client` is a `Client`, or a run of one, whose usage, limits and answers on file apply: there
    a picture is its hash, never the picture. `model` is another model than the client's own. `language`, "en" or "pt",
    is that of the description; text is written as it is in the picture.

    Raises `OptionError` for what is no such picture, or larger than `max_bytes`, and `ModelError`, also for an answer
    with neither text nor description.
    """
    checked_data(data, "a picture", max_bytes)
    if language not in PROMPTS:
        raise OptionError(f"language must be one of {', '.join(map(repr, PROMPTS))}, got {language!r}.")
    found = media_type_of(data)
    if found not in IMAGES:
        what = f"of type {found}" if found else f"that begins with {data[:12]!r}"
        raise OptionError(f"The picture must be one of {', '.join(IMAGES)}, got a file {what}.")
    if media_type is not None and media_type.split(";")[0].strip().lower().replace("/jpg", "/jpeg") != found:
        raise OptionError(f"media_type is {media_type!r}, but the picture is {found} by its first bytes.")
    prompt = PROMPTS[language]
    messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
    picture = Media(bytes(data), found)
    run = run_of(client, "image")
    answer = run.structured(messages, SCHEMA, name="picture", check=_joined, model=model, media=(picture,))
    return str(answer)


def _joined(value: Mapping[str, Any]) -> str:
    parts = [value[name].strip() for name in ("text", "description")]
    if not any(parts):
        raise AnswerError("empty")
    return "\n\n".join(part for part in parts if part)
