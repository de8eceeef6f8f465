"""From the bytes of a file to the text, kind and metadata of a document.

Line ends stay as they are in the file; a byte order mark never stays in the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import DocumentError, GuessedEncodingWarning, OptionError
from .warn import warn

if TYPE_CHECKING:
    from .source import Source

__all__ = [
    "FRONT_MATTER",
    "KINDS",
    "TEXT_SUFFIXES",
    "assemble",
    "check_front_matter",
    "decode",
    "encoding_of",
    "kind_of",
    "media_type",
    "read",
    "sha256_of",
]

S = TypeVar("S", bound="Source")

KINDS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".tex": "latex",
    ".latex": "latex",
}
"""The kind of a file by its suffix; any other suffix is `text`."""

TEXT_SUFFIXES = frozenset({*KINDS, ".txt", ".text", ".rst", ".adoc", ".asciidoc", ".org", ".log"})
"""The suffixes of text documents: what is taken from a directory without asking the plugins."""

FRONT_MATTER = ("read", "keep")
"""The values of `front_matter`."""

_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".xhtml": "application/xhtml+xml",
    ".tex": "application/x-tex",
    ".latex": "application/x-tex",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".epub": "application/epub+zip",
}

_MARKS = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_BINARY = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive (or a DOCX, XLSX, PPTX, ODT or EPUB file)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office file"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
)

_OFFICE = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

_PDF = (
    " (cantle-files), or extract its text: `pdftotext FILE.pdf - | cantle chunk - -k pdf`, or in Python with pypdf or "
    "pypdfium2, and give the texts of the pages to MDocument.from_pdf_text()."
)

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b"))

# What browsers take for these declared names.
_DECLARED = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252"}


def media_type(path: str | PurePath) -> str | None:
    """The MIME type that a file's suffix stands for, or None. The same on every machine."""
    from mimetypes import MimeTypes

    path = PurePath(path)
    return _MEDIA_TYPES.get(path.suffix.lower()) or MimeTypes().guess_type(path.name)[0]


def kind_of(path: str | PurePath) -> str:
    """The kind that a file's suffix stands for; `text` when it stands for none."""
    return KINDS.get(PurePath(path).suffix.lower(), "text")


def read(path: Path) -> bytes:
    """The bytes of a file. Raises `OSError`, and `DocumentError` for a path that none can have."""
    try:
        return path.read_bytes()
    except ValueError as error:
        raise DocumentError(f"{str(path)!r} is no path of a file: {error}.") from None


def sha256_of(path: str | Path) -> str:
    """The SHA-256 of a file's bytes, hexadecimal, read in blocks. Raises as `read` does."""
    from hashlib import file_digest

    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except ValueError as error:
        raise DocumentError(f"{str(path)!r} is no path of a file: {error}.") from None


def decode(data: bytes, name: str, encoding: str | None = None, kind: str | None = None) -> str:
    """The text of a file, without a byte order mark, line ends as they are.

    `encoding` is obeyed when given. Otherwise: the byte order mark; what HTML or XML declares;
    UTF-16 without a mark where it is obvious; UTF-8; and at last a guess, with a
    `GuessedEncodingWarning`. `name` is for messages and its suffix, `kind` goes before the suffix.
    Raises `DocumentError` when the data is not text or cannot be decoded, `OptionError` for an
    unknown encoding.
    """
    if encoding is not None:
        return _given(data, name, encoding)
    for mark, found in _MARKS:
        if data.startswith(mark) and (text := _try(data[len(mark) :], found)) is not None:
            return text.lstrip("\ufeff")  # some tools put a second mark in front
    data = data.removeprefix(codecs.BOM_UTF8)
    _refuse_known(data, name)
    text = _markup(data, name, kind) or _utf16(data)
    if text is None:
        text = _try(data, "utf-8")
        _refuse_binary(data, name, valid=text is not None)
    return _guessed(data, name) if text is None else text


def encoding_of(head: bytes, size: int | None, name: str, kind: str | None) -> tuple[str, int]:
    """The encoding of a file that is read piece by piece, and the length of its byte order mark.

    As `decode` finds it, but by the first 8 KiB alone and `size`, the number of bytes if it is known: without a guess.
    """
    for mark, found in _MARKS:
        if head.startswith(mark):
            return found, len(mark)
    _refuse_known(head, name)
    declared = _declared(head, name, kind)
    if declared and _keeps_ascii(declared):
        return _DECLARED.get(declared, declared), 0
    if declared:
        _warn_of(declared, name)
    order = _utf16_of(head[:4096], len(head) if size is None else size)
    if order and not _is_strange(head[: len(head) // 2 * 2].decode(order, "replace")):
        return order, 0
    _refuse_binary(head, name, valid=True)
    return "utf-8", 0


def _given(data: bytes, name: str, encoding: str) -> str:
    try:
        codec = codecs.lookup(encoding)
        if not getattr(codec, "_is_text_encoding", True):
            raise LookupError
        text = data.decode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise DocumentError(
                f"{name} is not {encoding}: byte 0x{data[error.start]:02x} at offset {error.start} ({error.reason}). "
                "Give the right encoding=, or leave it out to have it found."
            ) from error
        raise OptionError(
            "encoding must be a text encoding that Python knows, such as 'utf-8', 'cp1252' or 'utf-16', "
            f"got {encoding!r}."
        ) from None
    return text.lstrip("\ufeff")


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def _refuse_known(data: bytes, name: str) -> None:
    for magic, what in _BINARY:
        # Text may begin with the letters of a magic number; then no control characters follow.
        if data.startswith(magic) and (what == "a PDF file" or data[:4096].translate(None, _CONTROLS) != data[:4096]):
            convert = _PDF if what == "a PDF file" else ", or convert the file to text."
            if magic in _OFFICE:
                convert = f" (for office files and EPUB: cantle-files){convert}"
            raise DocumentError(
                f"{name} is {what}, not text, and no installed plugin reads it. "
                f"`cantle plugins` lists what is installed; install a plugin that loads this format{convert}"
            )


def _refuse_binary(data: bytes, name: str, valid: bool) -> None:
    """Many control characters in the first 8 KiB are no text; a few in valid UTF-8 are."""
    sample = data[:8192]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > len(sample) * (0.1 if valid else 0.02) and controls > 3:
        raise DocumentError(
            f"{name} looks like a binary file: {controls} of its first {len(sample)} bytes are control characters. "
            "If it is text, say in which encoding: --encoding utf-16-le, for example; encoding='utf-16-le' in Python."
        )


def _markup(data: bytes, name: str, kind: str | None) -> str | None:
    """HTML and XML in the encoding that they declare, or None."""
    declared = _declared(data, name, kind)
    if not declared:
        return None
    text = _try(data, _DECLARED.get(declared, declared)) if _keeps_ascii(declared) else None
    if text is None and declared not in ("utf-8", "utf8"):
        _warn_of(declared, name)
    return text


def _warn_of(declared: str, name: str) -> None:
    _warn(f"{name} declares the encoding {declared!r} but is not in it; the declaration is left aside.")


def _declared(data: bytes, name: str, kind: str | None) -> str | None:
    """The encoding that HTML and XML declare, or None."""
    head = data[:8192].lstrip()
    xml = head.startswith(b"<?xml")
    html = (kind or kind_of(name)) == "html" or head[:15].lower().startswith((b"<!doctype html", b"<html"))
    if not (xml or html):
        return None
    from bs4.dammit import EncodingDetector

    declared = EncodingDetector.find_declared_encoding(head, is_html=html, search_entire_document=True)
    if not declared:
        return None
    declared = declared.strip().lower()
    # It could be read as bytes: it is not UTF-16.
    return "utf-8" if declared.startswith("utf-16") else str(declared)


def _keeps_ascii(encoding: str) -> bool:
    """Whether bytes in which a declaration was read as ASCII can be in this encoding at all.

    EBCDIC cannot, and codecs such as unicode_escape are no encodings of documents.
    """
    every = bytes(range(32, 127)) + b"\\n"
    try:
        return every.decode(_DECLARED.get(encoding, encoding)) == every.decode("ascii")
    except (LookupError, ValueError):
        return False


def _utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: an even length, and zeros at every second byte only."""
    encoding = _utf16_of(data[:4096], len(data))
    text = _try(data, encoding) if encoding else None
    return None if text is None or _is_strange(text) else text


def _utf16_of(sample: bytes, size: int) -> str | None:
    """The byte order of such data, going by its first bytes."""
    if size % 2 or b"\x00" not in sample:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) * 20 > max(even, odd) or max(even, odd) * 20 < len(sample) // 2:
        return None
    return encoding


def _is_strange(text: str) -> bool:
    from unicodedata import category

    strange = sum(category(c) in ("Cc", "Cn", "Co", "Cs") and c not in "\t\n\v\f\r" for c in text[:2000])
    return strange * 50 > min(len(text), 2000)


_GUESS_SIZE = 1 << 18

# The letters beyond ASCII of languages that are written in Windows-1252.
_WESTERN = (
    "áâãàçéêíóôõúü",  # Portuguese
    "áéíóúüñ",  # Spanish
    "àâæçéèêëîïôœùûüÿ",  # French
    "äöüß",  # German
    "àèéìíîòóùú",  # Italian
    "åäöæøéüà",  # Swedish, Danish, Norwegian, Finnish
    "áéíóúýðþæö",  # Icelandic
    "àçèéíïòóúü",  # Catalan
    "áéíóúëïöüèê",  # Dutch
)
_WESTERN_SIGNS = frozenset("“”‘’„–—…€«»°ºª§©®™·¿¡•½¼¾£×±²³\u00a0\u00ad")


def _guessed(data: bytes, name: str) -> str:
    sample = data
    if len(data) > _GUESS_SIZE:  # the lines that tell: those with bytes beyond ASCII
        lines, size = [], 0
        for match in re.finditer(rb"[^\n]*[\x80-\xff][^\n]*\n?", data):
            lines.append(match[0][:_GUESS_SIZE])
            size += len(lines[-1])
            if size >= _GUESS_SIZE:
                break
        sample = b"".join(lines)
    for encoding in _candidates(sample):
        text = _try(data, encoding)
        if text is not None:
            _warn(
                f"{name} is not UTF-8 and declares no encoding; it was read as {encoding}. "
                f"If that is right, say so: encoding={encoding!r}; if not, give the right one."
            )
            return text.lstrip("\ufeff")
    raise DocumentError(
        f"The encoding of {name} is unknown: it is not UTF-8, and no guess fits. Give it, for example "
        "encoding='cp1252' (Western Windows), or save the file as UTF-8."
    )


def _candidates(sample: bytes) -> list[str]:
    text = _try(sample, "cp1252")
    if text is not None and _western(text):
        return ["cp1252"]
    from charset_normalizer import from_bytes

    return [match.encoding for match in from_bytes(sample)][:3]


def _western(text: str) -> bool:
    """Whether the text, read as Windows-1252, has the letters of one of its languages.

    Statistics alone often mistake short Western texts for a neighbouring code page.
    """
    from collections import Counter

    count = Counter(re.sub(r"[\x00-\x7f]+", "", text.lower()))
    letters = {c: n for c, n in count.items() if c.isalpha() and c not in "ºª"}
    signs = sum(n for c, n in count.items() if c not in letters)
    known = sum(n for c, n in count.items() if c in _WESTERN_SIGNS)
    total = sum(letters.values())
    plain = len(re.findall("[a-zA-Z]", text))
    if signs > known or total > plain:
        return False
    best = max(sum(letters.get(c, 0) for c in language) for language in _WESTERN)
    return best >= total * 0.98


def _warn(message: str) -> None:
    warn(message, GuessedEncodingWarning)


def assemble(
    cls: type[S], text: str, kind: str, metadata: Mapping[str, Any], name: str, front_matter: str = "read"
) -> S:
    """The document of class `cls` that a decoded file holds.

    YAML front matter of the kinds `text` and `markdown` goes into the metadata; values in `metadata`
    win. `read` leaves its lines out of the chunks (`body` is set behind them; offsets stay the
    file's), `keep` leaves them in. Raises `OptionError` for another value.
    """
    check_front_matter(front_matter)
    body = 0
    if kind in ("text", "markdown"):
        from .front_matter import read

        found, end = read(text, name)
        metadata = {**found, **metadata}
        body = end if front_matter == "read" else 0
    return cls(text, kind, dict(metadata), name, body)


def check_front_matter(value: Any) -> None:
    """Raise `OptionError` unless it is a value of `front_matter`."""
    from . import checks

    checks.choice("front_matter", value, FRONT_MATTER)
