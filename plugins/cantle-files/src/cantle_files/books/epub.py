"""EPUB, 2 and 3: the chapters in reading order, as Markdown."""

from __future__ import annotations

from typing import Any

from cantle import MDocument
from cantle.errors import DocumentError

from ..containers.archive import opened
from ..limits import Limits, too_large
from ..markup.writing import Writer
from .chapters import Chapter, Notes
from .package import Package

__all__ = ["read"]


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document of an EPUB: Markdown, its chapters in the order of the spine.

    A chapter without a heading gets the title that the table of contents has for it. Metadata are `title`, `author`,
    `language`, `publisher`, `date`, `identifier` and `chapter_count`. Raises `DocumentError` for what is no EPUB, is
    damaged or protected (DRM), has no text, or is larger than the limits.
    """
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        package.refuse_protected()
        if len(package.spine) > limits.max_pages:
            raise too_large(name, "chapters", len(package.spine), limits.max_pages, "max_pages")
        titles = package.contents()
        writer = Writer(name, limits)
        notes = Notes(package.spine)
        shift = written = 0
        for path in package.spine:
            chapter = Chapter(path, package.read(path), notes, name)
            if chapter.root is None:
                continue
            shift = chapter.write(writer, titles.get(path, []), shift)
            written += chapter.has_text
        if not written:
            raise DocumentError(
                f"{name} is an EPUB without text: its pages are pictures, or blank. If they are pictures, recognise "
                "their text first, for example by way of PDF: `ebook-convert book.epub book.pdf`, then "
                "`ocrmypdf book.pdf text.pdf`."
            )
    metadata: dict[str, Any] = {**package.metadata(), "chapter_count": written}
    return writer.document(metadata)
