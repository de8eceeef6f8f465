"""From a PDF to a document: the texts of its pages."""

from __future__ import annotations

from pathlib import Path

from cantle import MDocument
from cantle.errors import CantleWarning, DocumentError, OptionError
from cantle.warn import warn

from .forms import drawn_most
from .pdfium import Broken, Locked, Page, opened

__all__ = ["MOST_BYTES", "MOST_CHARACTERS", "MOST_PAGES", "PagesWithoutTextWarning", "read_pdf"]

MOST_BYTES = 500_000_000
MOST_PAGES = 20_000
MOST_CHARACTERS = 100_000_000

_FREE_OBJECTS = 2_000_000
"""Pieces of text, lines and pictures that a PDF may draw besides one for each of its bytes. Pages may share what is
drawn, so that a small file could draw without end."""

_BEGINS = 1024
"""How far into a file its `%PDF-` may stand: some programs put something in front (PDF 1.7, annex H, note 13)."""

_OCR = "for example `ocrmypdf scan.pdf text.pdf`"


class PagesWithoutTextWarning(CantleWarning):
    """Some pages of a PDF show something but have no text: scanned pages, text that was made into pictures."""


def read_pdf(
    data: bytes | str | Path,
    *,
    name: str = "",
    password: str | None = None,
    max_bytes: int = MOST_BYTES,
    max_pages: int = MOST_PAGES,
    max_characters: int = MOST_CHARACTERS,
) -> MDocument:
    """The document that a PDF holds, given as its bytes or its path.

    The kind is `pdf`, the text that of the pages, joined with form feeds (see `MDocument.from_pdf_text`); lines end
    with line feeds. Its metadata are `title`, where the PDF has one, and `page_count`. `name` is what the document and
    messages call it, by default the path. `max_characters` counts code points.

    Raises `DocumentError` for what is no PDF, is broken, wants a password, has no text at all, or is larger than one of
    the limits, `OptionError` for a wrong argument, and `OSError` where a path cannot be read. Pages that show something
    but have no text are a `PagesWithoutTextWarning`.
    """
    for what, limit in (("max_bytes", max_bytes), ("max_pages", max_pages), ("max_characters", max_characters)):
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise OptionError(f"{what} must be a whole number of at least 1, got {limit!r}.")
    if not isinstance(data, bytes | bytearray | memoryview):
        path = Path(data)
        name = name or path.as_posix()
        size = path.stat().st_size
        if size > max_bytes:
            raise _too_large(name, "bytes", size, max_bytes)
        data = path.read_bytes()
    name = name or "the PDF"
    if len(data) > max_bytes:
        raise _too_large(name, "bytes", len(data), max_bytes)
    data = bytes(data)
    _check_begin(data, name)
    if drawn_most(data) > _FREE_OBJECTS + len(data):
        raise DocumentError(
            f"{name} holds forms that draw one another without end: that is how files are made that use up all memory. "
            "Print it to a new PDF."
        )
    try:
        return _read(data, name, password, max_pages, max_characters)
    except Locked:
        wanted = "another password" if password else "a password"
        raise DocumentError(
            f"{name} is encrypted and wants {wanted}. Give it: cantle_files.read_pdf(path, password=...); or save the "
            "file without one, for example with `qpdf --decrypt --password=... in.pdf out.pdf`."
        ) from None
    except Broken as error:
        raise DocumentError(
            f"{name} is a PDF that cannot be read ({error}): it is damaged or was cut off. Get it once more, or repair "
            "it, for example with `qpdf in.pdf out.pdf`."
        ) from None


def _check_begin(data: bytes, name: str) -> None:
    if not data:
        raise DocumentError(f"{name} is an empty file, not a PDF.")
    if b"%PDF-" not in data[:_BEGINS]:
        begun = data[:20].decode("latin-1")
        raise DocumentError(
            f"{name} is no PDF: it does not begin with '%PDF-' but with {begun!r}. If it is text, say so: --kind text; "
            "kind='text' in Python."
        )


def _read(data: bytes, name: str, password: str | None, max_pages: int, max_characters: int) -> MDocument:
    pages: list[Page] = []
    size = objects = 0
    with opened(data, password) as pdf:
        if pdf.count > max_pages:
            raise _too_large(name, "pages", pdf.count, max_pages)
        for number in range(pdf.count):
            page = pdf.page(number)
            size += len(page.text) + 1
            objects += page.objects
            if size > max_characters:
                raise _too_large(name, "characters", None, max_characters)
            if objects > _FREE_OBJECTS + len(data):
                raise DocumentError(
                    f"{name} draws {objects:,} objects on its first {number + 1:,} pages and has but {len(data):,} "
                    "bytes: that is how files are made that keep a reader busy for hours. Print it to a new PDF."
                )
            pages.append(page)
        title = " ".join(pdf.title().split())
    if not pages:
        raise DocumentError(f"{name} is a PDF without pages: it is damaged, or empty.")
    silent = [number for number, page in enumerate(pages, 1) if page.objects and not page.text.strip()]
    if not any(page.text.strip() for page in pages):
        why = "its pages are pictures" if silent else "its pages are blank"
        step = f" Recognise its text first, {_OCR}." if silent else ""
        raise DocumentError(f"{name} is a PDF without text: {why}.{step}")
    if silent:
        warn(
            f"{name} has {len(pages)} pages; {_named(silent)} no text, only pictures or drawings, and nothing of these "
            f"is in the document. If they were scanned, recognise their text first, {_OCR}.",
            PagesWithoutTextWarning,
        )
    metadata = ({"title": title} if title else {}) | {"page_count": len(pages)}
    return MDocument.from_pdf_text([page.text for page in pages], metadata=metadata, source=name)


def _named(pages: list[int]) -> str:
    if len(pages) == 1:
        return f"page {pages[0]} has"
    shown = ", ".join(map(str, pages[:10])) + (f" and {len(pages) - 10} more" if len(pages) > 10 else "")
    return f"pages {shown} have"


def _too_large(name: str, what: str, size: int | None, limit: int) -> DocumentError:
    held = f"{size:,}" if size is not None else f"more than {limit:,}"
    return DocumentError(
        f"{name} has {held} {what}; the limit is {limit:,}. Divide the file, or allow more: "
        f"cantle_files.read_pdf(path, max_{what}=...)."
    )
