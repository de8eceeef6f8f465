"""Text on one line, without what cannot be seen: what a model wrote, and what it is shown."""

from __future__ import annotations

import re

__all__ = ["clean", "flat"]

_LABEL = 120
"""The most characters of a label."""
_INVISIBLE = "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""Soft hyphens, zero-width and bidirectional ones, tags. Joiners stay: scripts and emoji are written with them."""
_UNWANTED = re.compile(f"[\u0000-\u001f\u007f-\u009f\u2028\u2029{_INVISIBLE}\ud800-\udfff]+")
_HIDDEN = re.compile(f"[{_INVISIBLE}]+")
_CONTROL = re.compile("[\u0000-\u001f\u007f-\u009f\ud800-\udfff]")


def clean(text: str, most: int = _LABEL) -> str:
    """A text of the model on one line, without controls, cut to `most` characters."""
    from cantle.text import previous_boundary

    line = " ".join(_UNWANTED.sub(" ", text[: 20 * most]).split())
    return line if len(line) <= most else f"{line[: previous_boundary(line, most - 1, 0)].rstrip()}…"


def flat(line: str) -> str:
    """A line of the document on one line of the prompt, so that a model reads what a reader of the document sees.

    Controls and lone surrogates are U+FFFD; invisible and bidirectional characters are left out.
    """
    return _CONTROL.sub("\ufffd", " ".join(_HIDDEN.sub("", line).split()))
