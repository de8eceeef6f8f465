"""What media is: by what its server says and by its first bytes, which must agree."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from .fetching import Fetched
from .refusals import problem

__all__ = ["ACCEPT", "Known", "kind_of", "text_of"]


class Known(NamedTuple):
    """A kind (`pdf`, `image`, `audio`, `video`, `text`), the MIME type, and the name that such a file has."""

    kind: str
    media_type: str
    name: str


_KNOWN = {
    "application/pdf": Known("pdf", "application/pdf", "media.pdf"),
    "image/png": Known("image", "image/png", "media.png"),
    "image/jpeg": Known("image", "image/jpeg", "media.jpg"),
    "image/gif": Known("image", "image/gif", "media.gif"),
    "image/webp": Known("image", "image/webp", "media.webp"),
    "audio/mpeg": Known("audio", "audio/mpeg", "media.mp3"),
    "audio/mp4": Known("audio", "audio/mp4", "media.m4a"),
    "audio/wav": Known("audio", "audio/wav", "media.wav"),
    "audio/webm": Known("audio", "audio/webm", "media.webm"),
    "audio/ogg": Known("audio", "audio/ogg", "media.ogg"),
    "audio/flac": Known("audio", "audio/flac", "media.flac"),
    "video/mp4": Known("video", "video/mp4", "media.mp4"),
    "video/mpeg": Known("video", "video/mpeg", "media.mpeg"),
    "video/webm": Known("video", "video/webm", "media.webm"),
    "text/plain": Known("text", "text/plain", "media.txt"),
    "text/markdown": Known("text", "text/markdown", "media.md"),
}

_OTHER_NAMES = {
    "application/x-pdf": "application/pdf",
    "image/jpg": "image/jpeg",
    "audio/mp3": "audio/mpeg",
    "audio/mpga": "audio/mpeg",
    "audio/m4a": "audio/mp4",
    "audio/x-m4a": "audio/mp4",
    "audio/wave": "audio/wav",
    "audio/x-wav": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "application/ogg": "audio/ogg",
    "audio/opus": "audio/ogg",
    "audio/x-flac": "audio/flac",
    "text/x-markdown": "text/markdown",
}

_CONTAINERS = {"audio/mp4": "video/mp4", "audio/webm": "video/webm"}
"""Sound in the container of a video: the bytes may say the one, the server the other."""

_SAYS_NOTHING = ("", "application/octet-stream", "binary/octet-stream")

ACCEPT = ", ".join(_KNOWN)
"""What a server is told that is wanted."""


def kind_of(found: Fetched) -> Known:
    """What was fetched. Raises `Problem` 415 where it is nothing that becomes text, or not what its server says."""
    from cantle_llm import media_type_of

    said = _OTHER_NAMES.get(found.content_type, found.content_type)
    sniffed = media_type_of(found.data)
    if not found.data:
        raise problem(415, "media_unsupported", "The media is empty.", found.url)
    if said in _SAYS_NOTHING:
        if sniffed not in _KNOWN:
            raise problem(
                415, "media_unsupported", f"The server does not say what the media is. Known are {ACCEPT}.", found.url
            )
        return _KNOWN[sniffed]
    if said not in _KNOWN:
        raise problem(415, "media_unsupported", f"Media of type {said!r} does not become text: {ACCEPT} do.", found.url)
    expected = None if _KNOWN[said].kind == "text" else said
    if sniffed != expected and _CONTAINERS.get(sniffed or "", sniffed) != _CONTAINERS.get(said, said):
        is_what = sniffed or "nothing of that kind"
        raise problem(
            415,
            "media_unsupported",
            f"The server says that the media is {said}, but its bytes are {is_what}.",
            found.url,
        )
    return _KNOWN[said]


def text_of(found: Fetched) -> str:
    """The text in text: by a byte order mark, by what the server says, else UTF-8. Raises `Problem`."""
    data, encoding = found.data, found.charset or "utf-8"
    for mark, of_mark in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            data, encoding = data[len(mark) :], of_mark
            break
    if encoding in ("iso-8859-1", "latin-1", "latin1", "us-ascii", "ascii"):  # what browsers take for these names
        encoding = "cp1252"
    try:
        if not codecs.lookup(encoding)._is_text_encoding:
            raise LookupError
        text = data.decode(encoding)
    except (LookupError, ValueError):
        raise problem(
            415, "media_unsupported", f"The text is not {encoding[:40]!r}, which is what it should be.", found.url
        ) from None
    if "\0" in text:
        raise problem(
            415, "media_unsupported", "The server says that the media is text, but it has NULs in it.", found.url
        )
    return text
