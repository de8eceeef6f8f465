"""The text of a PDF, by the plugin that reads them."""

from __future__ import annotations

import warnings

from cantle.errors import DocumentError, MissingDependencyError

__all__ = ["pdf_text"]

_WHOLE = 10**9
"""A size that no document has: it is not to be cut."""


def pdf_text(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text, and what is to be said of it, such as pages that are pictures.

    It is what chunks would be made of: without running lines and page numbers, words divided at the ends of lines
    joined, a blank line between pages. Raises `DocumentError` for a PDF that cannot be read, `MissingDependencyError`
    where no plugin reads PDF.
    """
    from cantle import registry

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = registry().load_document(data, name, "application/pdf")
    if document is None:
        raise MissingDependencyError("PDF", "cantle-files", "cantle-server[files]")
    text = document.text
    if document.kind == "pdf":
        text = "\n\n".join(chunk.content for chunk in document.chunk("structural-context", max_size=_WHOLE))
    if not text.strip():
        raise DocumentError(f"{name} is a PDF without text.")
    return text, tuple(str(one.message) for one in caught)
