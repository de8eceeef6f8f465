"""What plugins make of a file, and its text where none is asked or none answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import files
from .errors import DocumentError
from .plugins import registry

if TYPE_CHECKING:
    from .document import MDocument

__all__ = ["load", "text_of"]

_PDF = b"%PDF-"


def load(data: bytes | Path, name: str, kind: str | None, encoding: str | None) -> MDocument | None:
    """The document that a plugin reads. None where none does, or where `kind` or `encoding` says that it is text.

    The kind `pdf` says so only of text: what begins as a PDF file does is one.
    """
    if encoding or (kind and not (kind == "pdf" and _is_pdf(data))):
        return None
    return registry().load_document(data, name, files.media_type(name))


def text_of(data: bytes | Path, name: str, kind: str | None, encoding: str | None) -> str:
    """The text of a file that no plugin was asked for, or none read; errors call it by the path or by `name`.

    Raises `OSError`, and `DocumentError` for what is no text: where a plugin would read it, that says so.
    """
    shown = data.as_posix() if isinstance(data, Path) else name or "the file"
    held = files.read(data) if isinstance(data, Path) else data
    try:
        return files.decode(held, shown, encoding, kind)
    except DocumentError:
        if kind and not encoding and _is_for_plugin(data, name):
            raise DocumentError(
                f"{shown} is not text, and kind {kind!r} has it read as text. An installed plugin reads it: leave "
                "--kind out (kind= in Python)."
            ) from None
        raise


def _is_pdf(data: bytes | Path) -> bool:
    if not isinstance(data, Path):
        return data.startswith(_PDF)
    if not data.is_file():  # what is read of a pipe is gone
        return False
    with data.open("rb") as file:
        return file.read(len(_PDF)) == _PDF


def _is_for_plugin(data: bytes | Path, name: str) -> bool:
    try:
        return registry().load_document(data, name, files.media_type(name)) is not None
    except Exception:  # it knows what this is, if not how to read it
        return True
