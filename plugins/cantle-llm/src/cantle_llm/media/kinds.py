"""What a file is, by its first bytes: pictures, and containers of sound and video that transcription takes."""

from __future__ import annotations

import re

__all__ = ["AUDIO", "IMAGES", "media_type_of"]

IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The pictures that models take."""

AUDIO = {
    "mp3": "audio/mpeg",
    "mpga": "audio/mpeg",
    "mpeg": "audio/mpeg",
    "m4a": "audio/mp4",
    "mp4": "video/mp4",
    "wav": "audio/wav",
    "webm": "video/webm",
    "ogg": "audio/ogg",
    "flac": "audio/flac",
}
"""The endings of what is transcribed, and the MIME type of each."""

_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"%PDF-", "application/pdf"),
)

_MPEG_FRAME = re.compile(rb"\xff[\xe2\xe3\xf2-\xf5\xfa-\xfd][\x00-\xef]|ID3[\x02-\x04]", re.DOTALL)
"""A frame of MPEG audio of layer II or III (not I, whose frames begin as UTF-16 does), or tags in front of one."""


def media_type_of(data: bytes) -> str | None:
    """The MIME type that the first bytes of a file stand for; None where they stand for none that we know.

    Known are PNG, JPEG, GIF, WebP, MP3, MPEG, MP4 (audio/mp4 where it says that it has sound alone), WAV, WebM, Ogg,
    FLAC and PDF, by the signatures in the WHATWG's MIME sniffing standard and the formats' own.
    """
    for begins, media_type in _BEGINNINGS:
        if data.startswith(begins):
            return media_type
    if data[:4] == b"RIFF":
        return {b"WAVE": "audio/wav", b"WEBP": "image/webp"}.get(bytes(data[8:12]))
    if data[4:8] == b"ftyp":
        brand = bytes(data[8:12])
        if brand in (b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"):
            return None  # pictures in the same container, which no endpoint takes everywhere
        return "audio/mp4" if brand in (b"M4A ", b"M4B ") else "video/mp4"
    if data[:4] == b"\x1a\x45\xdf\xa3":  # Matroska, of which WebM is a part
        return "video/webm" if b"webm" in data[:64] else None
    return "audio/mpeg" if _MPEG_FRAME.match(data) else None
