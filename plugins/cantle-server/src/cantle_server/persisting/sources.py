"""Names of documents that have none."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["source_of"]


def source_of(text: str) -> str:
    """A name made from the text: the same text is the same document, another text another one."""
    return f"text-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
