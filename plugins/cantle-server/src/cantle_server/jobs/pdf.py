"""The text of a PDF, by the plugin that reads them."""

from __future__ import annotations

import warnings

from cantle.errors import DocumentError, MissingDependencyError

__all__ = ["pdf_text"]


def pdf_text(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """The text, a blank line between pages, and what is to be said of it, such as pages that are pictures.

    Raises `DocumentError` for a PDF that cannot be read, `MissingDependencyError` where no plugin reads PDF.
    """
    from cantle import registry

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        document = registry().load_document(data, name, "application/pdf")
    if document is None:
        raise MissingDependencyError("PDF", "cantle-files", "cantle-server[files]")
    text = "\n\n".join(page.strip("\n") for page in document.text.split("\f"))
    if not text.strip():
        raise DocumentError(f"{name} is a PDF without text.")
    return text.strip("\n"), tuple(str(one.message) for one in caught)
