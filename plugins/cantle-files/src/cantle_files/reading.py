"""`read_file`: any file of a known format."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from cantle.errors import DocumentError, OptionError

from .formats import FORMATS, Format, find
from .limits import Limits, too_large, without_text

if TYPE_CHECKING:
    from cantle import MDocument

__all__ = ["load", "read_file"]

_TEXTS = ("tables.delimited", "notebooks.notebook", "mail")
"""Modules of formats that are text, of which some may be empty."""


def read_file(
    data: bytes | str | Path,
    *,
    name: str = "",
    media_type: str | None = None,
    limits: Limits | None = None,
    password: str | None = None,
) -> MDocument:
    """The document that a file holds, given as its bytes or its path.

    Its format is found in its bytes, else by the suffix of `name` (by default the path), else by `media_type`. `name`
    is also what the document and messages call it. `password` opens an encrypted PDF.

    Raises `DocumentError` for a file of no known format, and for one that is broken, encrypted, empty or larger than
    one of the `limits`; `OptionError` for a wrong argument; `OSError` where a path cannot be read.
    """
    limits = Limits() if limits is None else limits
    if not isinstance(limits, Limits):
        raise OptionError(f"limits must be a cantle_files.Limits, for example Limits(max_pages=100), got {limits!r}.")
    given = bytes(data) if isinstance(data, bytes | bytearray | memoryview) else Path(data)
    name = name or (given.as_posix() if isinstance(given, Path) else "")
    if isinstance(given, Path):
        given.stat()  # OSError for what is not there
    found = find(given, name, media_type)
    if found is None:
        known = sorted({suffix for one in FORMATS if one.module != "refused" for suffix in one.suffixes})
        raise DocumentError(
            f"{name or 'the file'} is of no format that cantle_files reads: {', '.join(known)}, by content, name or "
            "media_type=. MDocument.from_file() and from_bytes() read text."
        )
    if password is not None and found.name != "pdf":
        raise OptionError(
            f"password is for PDF files, and {name or 'the file'} is a {found.title}. "
            "Save the file without a password, and leave password= out."
        )
    return load(given, name, found, limits, password)


def load(data: bytes | Path, name: str, found: Format, limits: Limits, password: str | None = None) -> MDocument:
    """The document that a file of a known format holds. Errors are those of `read_file`."""
    name = name or "the file"
    size = data.stat().st_size if isinstance(data, Path) else len(data)
    if size > limits.max_bytes:
        raise too_large(name, "bytes", size, limits.max_bytes, "max_bytes")
    held = data.read_bytes() if isinstance(data, Path) else data
    if found.name == "pdf":
        from .pdf.pdf import read_pdf

        return read_pdf(
            held,
            name=name,
            password=password,
            max_bytes=limits.max_bytes,
            max_pages=limits.max_pages,
            max_characters=limits.max_characters,
        )
    if not held and found.module not in _TEXTS:
        raise DocumentError(f"{name} is an empty file, not a {found.title}.")
    try:
        document: MDocument = import_module(f".{found.module}", __package__).read(held, name, limits)
    except RecursionError:
        raise DocumentError(
            f"{name} is nested too deeply to be read. Open it with the program that made it and save it again."
        ) from None
    if found.module not in _TEXTS and not document.text.strip():
        raise without_text(name)
    return document
