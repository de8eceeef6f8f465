"""Text from the bytes of a file, decoded while it is read."""

from __future__ import annotations

import codecs
from typing import Protocol

from . import files
from .errors import DocumentError, OptionError

__all__ = ["BinaryReader", "Decoded"]

_HEAD = 8192
_LEAST = 4096

_ANOTHER = "Give the right encoding=, or leave it out to have it found."
_NO_GUESS = (
    "To guess another one takes the whole file: give it, for example encoding='cp1252' (Western Windows), or use "
    "MDocument.from_file()."
)


class BinaryReader(Protocol):
    """A file opened as bytes, or anything with such a `read`."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes; b"" at the end."""
        ...


class Decoded:
    """A `TextReader` for a file: what `files.decode` makes of all its bytes, but that no encoding is guessed.

    `encoding` is obeyed when given; `size` is the number of the bytes, where it is known. Raises `DocumentError` for
    bytes that are not text of that encoding, when they are read, and `OptionError` for an unknown encoding.
    """

    def __init__(
        self, file: BinaryReader, name: str, *, encoding: str | None, kind: str | None, size: int | None
    ) -> None:
        self._file, self._name, self._given = file, name, encoding is not None
        head = self._bytes(_HEAD)
        while len(head) < _HEAD and (more := self._bytes(_HEAD - len(head))):  # pipes give what they have
            head += more
        mark = 0
        if encoding is None:
            encoding, mark = files.encoding_of(head, size, name, kind)
        self._encoding = encoding
        self._decoder = _decoder(encoding)
        self._taken = mark  # bytes that were given to the decoder
        self._marked = mark > 0 or self._given
        self._ended = False
        self._text = self._decode(head[mark:])

    def read(self, size: int, /) -> str:
        """At most `size` code points; '' at the end."""
        while not self._text and not self._ended:
            self._text = self._decode(self._bytes(max(size, _LEAST)))
        text, self._text = self._text[:size], self._text[size:]
        return text

    def _bytes(self, size: int) -> bytes:
        return self._file.read(size) or b""

    def _decode(self, data: bytes) -> str:
        self._ended = not data
        waiting = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            at = self._taken - waiting + error.start
            advice = _ANOTHER if self._given else _NO_GUESS
            raise DocumentError(
                f"{self._name} is not {self._encoding}: byte 0x{error.object[error.start]:02x} at offset {at} "
                f"({error.reason}). {advice}"
            ) from None
        except ValueError as error:
            raise DocumentError(f"{self._name} is not {self._encoding}: {error}.") from None
        self._taken += len(data)
        if self._marked and text:
            text = text.lstrip("\ufeff")  # some tools put a second mark in front
            self._marked = not text
        return text


def _decoder(encoding: str) -> codecs.IncrementalDecoder:
    try:
        codec = codecs.lookup(encoding)
        if not getattr(codec, "_is_text_encoding", True) or codec.incrementaldecoder is None:
            raise LookupError
        return codec.incrementaldecoder("strict")
    except (LookupError, TypeError, ValueError):
        raise OptionError(
            "encoding must be a text encoding that Python knows and decodes piece by piece, such as 'utf-8', 'cp1252' "
            f"or 'utf-16', got {encoding!r}."
        ) from None
