"""A recording as text."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from cantle.errors import OptionError

from ..client.client import Client, Run
from ..client.ledger import most_of_sound
from ..model.protocol import Media, Request
from .checks import checked_data, run_of
from .kinds import AUDIO, media_type_of

__all__ = ["MOST_AUDIO_BYTES", "transcribe"]

MOST_AUDIO_BYTES = 26_214_400
"""The most bytes of a recording by default, 25 MiB: the limit of OpenAI's endpoint, which others have taken over."""

_ENDINGS = {
    "audio/mpeg": ("mp3", "mpga", "mpeg"),
    "video/mpeg": ("mpeg",),
    "audio/mp4": ("m4a", "mp4"),
    "video/mp4": ("mp4", "m4a"),
    "audio/wav": ("wav",),
    "video/webm": ("webm",),
    "audio/ogg": ("ogg",),
    "audio/flac": ("flac",),
}
"""Endings of names by what a file is: an endpoint goes by the ending, so it must fit. The first one is the common."""


def transcribe(
    data: bytes,
    name: str = "",
    *,
    client: Client | Run,
    model: str | None = None,
    language: str = "",
    prompt: str = "",
    max_bytes: int = MOST_AUDIO_BYTES,
) -> str:
    """What is said in a recording, by a model for speech, such as `gpt-4o-transcribe` or `whisper-1`.

    `data` is a file of sound, or a video with sound: mp3, mp4, mpeg, mpga, m4a, wav, webm, ogg or flac; what it is, its
    first bytes tell. `name` is its name, of which only the ending is sent. `client` is a `Client`, or a run of one,
    whose usage, limits and answers on file apply: there a recording is its hash, never the recording. `model` is
    another model than the client's own, which is likely one for chats. `language` (ISO 639-1, such as `pt`) and
    `prompt`, names and words that occur in it, help the model. A recording in which nobody speaks may give "".

    Where the provider counts no tokens, they are estimated and `usage.is_estimated` is true; models that are paid by
    the hour cost what their seconds cost, if the provider counts these, else `cost.pricing_missing` is true.

    Raises `OptionError` for what is no such file, or larger than `max_bytes`, and `ModelError`.
    """
    checked_data(data, "a recording", max_bytes, "Divide it, or send sound alone at a lower bit rate")
    if not isinstance(name, str) or not isinstance(prompt, str):
        raise OptionError(f"name and prompt must be strings, got {name!r} and {prompt!r}.")
    if not isinstance(language, str) or not re.fullmatch("([a-z]{2,3})?", language):
        raise OptionError(f"language must be a code such as 'en' or 'pt', or empty, got {language!r}.")
    found = media_type_of(data)
    if found not in _ENDINGS:
        what = f"of type {found}" if found else f"that begins with {data[:12]!r}"
        raise OptionError(f"A recording must be one of {', '.join(AUDIO)}, got a file {what}.")
    ending = PurePosixPath(name).suffix.lower().removeprefix(".")
    if ending not in _ENDINGS[found]:
        ending = _ENDINGS[found][0]
    sound = Media(bytes(data), found, f"recording.{ending}")
    run = run_of(client, "transcription")
    request = run.client.request(
        [{"role": "user", "content": prompt}],
        model=model,
        media=(sound,),
        task="transcribe",
        language=language,
        temperature=None,
        max_output_tokens=_most_written(sound) if run.client.has_limit else None,
    )
    return str(run.ask(request, str.strip))


def _most_written(sound: Media) -> int:
    """Tokens of the longest transcript: less is said in a second than the sound of it has tokens."""
    bare = Request(messages=({"role": "user", "content": ""},), model="", media=(sound,), task="transcribe")
    return max(1000, most_of_sound(bare) // 2)
