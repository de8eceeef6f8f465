"""CSV and TSV files: the text as it is in the file, of the kind `csv`."""

from __future__ import annotations

from cantle import MDocument

from ..limits import Limits, too_large

__all__ = ["read"]


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document. Raises `DocumentError` for what is no text, and for more characters than allowed."""
    # Not by its own name: where the text cannot be decoded, plugins are asked, by name, whether they read it.
    document = MDocument.from_bytes(data, f"{name} (CSV)", kind="csv", source=name)
    if len(document.text) > limits.max_characters:
        raise too_large(name, "characters", len(document.text), limits.max_characters, "max_characters")
    return document
