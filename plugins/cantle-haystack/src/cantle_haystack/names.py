"""The name of a byte stream, from which cantle learns what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from mimetypes import MimeTypes
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

__all__ = ["name_of"]

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"
_SUFFIXES = {
    "application/epub+zip": ".epub",
    "application/ld+json": ".json",
    "application/pdf": ".pdf",
    "application/rtf": ".rtf",
    "application/x-ipynb+json": ".ipynb",
    "application/x-ndjson": ".ndjson",
    "application/x-tex": ".tex",
    "application/xhtml+xml": ".xhtml",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OPEN}.presentation": ".odp",
    f"{_OPEN}.spreadsheet": ".ods",
    f"{_OPEN}.text": ".odt",
    "message/rfc822": ".eml",
    "text/html": ".html",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/rtf": ".rtf",
    "text/x-tex": ".tex",
}
"""Those that Python's own list leaves out or has several suffixes for."""


def name_of(meta: Mapping[str, Any], mime_type: str | None) -> str:
    """The name of a stream with this metadata and MIME type, with a suffix where they tell one.

    It is that of `file_path`, `file_name` or `name`, whose suffix says what the stream is; else the last part of `url`,
    whose MIME type is trusted more.
    """
    suffix = _suffix(mime_type or meta.get("mime_type") or meta.get("content_type"))
    for key in ("file_path", "file_name", "name"):
        if meta.get(key):
            name = PurePosixPath(str(meta[key]).replace("\\", "/")).name
            return name if PurePosixPath(name).suffix else name + suffix
    try:
        name = PurePosixPath(unquote(urlsplit(str(meta.get("url") or "")).path)).name
    except ValueError:  # no URL after all
        name = ""
    return name if not suffix or name.lower().endswith(suffix) else (name or "stream") + suffix


def _suffix(mime_type: Any) -> str:
    if not isinstance(mime_type, str):
        return ""
    plain = mime_type.partition(";")[0].strip().lower()
    return _SUFFIXES.get(plain) or MimeTypes().guess_extension(plain) or ""
