"""What counts as white space, in one place.

Three sets are needed. `STRIP` is what a chunk is trimmed by: ECMAScript's white space, which is what
the mirrored systems trim. `is_blank` is wider: it also takes U+001C to U+001F and U+0085, which
Python counts as white space; a text of only those characters holds nothing to retrieve. `BLANKS` is
Java's white space: what cleaning looks for, and what lines and blocks of text are trimmed by.
"""

from __future__ import annotations

__all__ = ["BLANKS", "STRIP", "is_blank"]

STRIP = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)
"""Unicode's separators but the no-break ones (U+00A0, U+2007, U+202F), and ASCII controls; not U+0085."""


def is_blank(text: str) -> bool:
    """Whether the text is empty or holds nothing but white space and U+FEFF."""
    return text.isspace() or not text or not text.replace("\ufeff", " ").strip()
