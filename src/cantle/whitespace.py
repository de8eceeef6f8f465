"""What counts as white space, in one place.

Two sets are needed. `STRIP` is what a chunk is trimmed by: ECMAScript's white space, which is what
the mirrored systems trim. `is_blank` is wider: it also takes U+001C to U+001F and U+0085, which
Python counts as white space; a text of only those characters holds nothing to retrieve.
"""

from __future__ import annotations

__all__ = ["STRIP", "is_blank"]

STRIP = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def is_blank(text: str) -> bool:
    """Whether the text is empty or holds nothing but white space and U+FEFF."""
    return text.isspace() or not text or not text.replace("\ufeff", " ").strip()
