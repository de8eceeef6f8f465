"""The package pypdfium2, Google's PDFium. Its only door.

PDFium may be in use by one thread at a time, whatever the document: everything in here holds one lock, a page long, and
closes what it opened before it gives the lock back, so that no finalizer calls PDFium from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple

from .spacing import spaced

__all__ = ["Broken", "Locked", "Page", "Pdf", "opened"]

_LOCK = Lock()
_FAR = 1e7
"""Points beyond any page: what is drawn at its edge is on the page as well."""

_HYPHEN = re.compile("[\ufffe\x02](?:\n)?")
"""What PDFium makes of a hyphen at a line's end, with the line break."""


class Broken(Exception):
    """PDFium cannot read this."""


class Locked(Exception):
    """The PDF wants a password, or another one."""


class Page(NamedTuple):
    """The text of a page, lines ended by line feeds, paragraphs by blank ones, and how many objects are drawn on it."""

    text: str
    objects: int


class Pdf:
    """An open PDF."""

    def __init__(self, document: Any) -> None:
        self._document = document
        with _LOCK:
            self.count: int = len(document)

    def title(self) -> str:
        """The title in the document's information; empty where there is none."""
        with _LOCK:
            try:
                return str(self._document.get_metadata_value("Title"))
            except UnicodeDecodeError:
                return ""

    def page(self, number: int) -> Page:
        """A page, from 0."""
        from pypdfium2 import PdfiumError
        from pypdfium2.raw import FPDFPage_CountObjects

        with _LOCK:
            try:
                page = self._document[number]
            except PdfiumError as error:
                raise Broken(f"page {number + 1}: {_plain(error)}") from None
            try:
                words = page.get_textpage()
                try:
                    # Not get_text_range(), which knows no characters beyond U+FFFF.
                    text = words.get_text_bounded(-_FAR, -_FAR, _FAR, _FAR, errors="replace")
                    boxes = [(top, bottom) for _, bottom, _, top in map(words.get_rect, range(words.count_rects()))]
                finally:
                    words.close()
                objects = int(FPDFPage_CountObjects(page))
            except PdfiumError as error:
                raise Broken(f"page {number + 1}: {_plain(error)}") from None
            finally:
                page.close()
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        return Page(spaced(_HYPHEN.sub("-\n", text), boxes), objects)


@contextmanager
def opened(data: bytes, password: str | None = None) -> Iterator[Pdf]:
    """Open a PDF. Raises `Locked` and `Broken`."""
    from pypdfium2 import PdfDocument, PdfiumError
    from pypdfium2.raw import FPDF_ERR_PASSWORD

    with _LOCK:
        try:
            document = PdfDocument(data, password=password)
        except PdfiumError as error:
            if getattr(error, "err_code", None) == FPDF_ERR_PASSWORD:
                raise Locked from None
            raise Broken(_plain(error)) from None
    try:
        yield Pdf(document)
    finally:
        with _LOCK:
            document.close()


def _plain(error: Exception) -> str:
    found = re.search(r"PDFium: ([^()]*?)(?: error)?\)", str(error))
    said = found[1].lower() if found else str(error).rstrip(".")
    return {"data format": "its structure is not that of a PDF", "success": "it has no pages"}.get(said, said)
