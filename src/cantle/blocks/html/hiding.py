"""Elements that their attributes hide: `hidden`, and `display: none` in a style of their own."""

from __future__ import annotations

import re

from .selectors import attributes_of
from .tokens import Tokens

__all__ = ["is_hidden", "suspects_of"]

_STYLE = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)\s*(!\s*important)?", re.IGNORECASE)


def suspects_of(tokens: Tokens) -> list[int]:
    """The tags whose attributes may hide their element: those with one of two words in them."""
    import numpy

    low = tokens.source.lower()
    if len(low) != len(tokens.source):  # a few letters become two
        return [i for i, written in enumerate(tokens.attributes) if re.search("hidden|display", written, re.I)]
    at = numpy.array([m.start() for word in ("hidden", "display") for m in re.finditer(word, low)], numpy.int64)
    tags = numpy.unique(tokens.tag_at[:-1].searchsorted(at) - 1)
    at.sort()
    tags = tags[tags >= 0]
    inside = at.searchsorted(tokens.text_at[1:][tags]) > at.searchsorted(tokens.tag_at[tags])
    return list(tags[inside].tolist())


def is_hidden(written: str) -> bool:
    """Whether attributes, as written, hide their element."""
    have = attributes_of(written)
    shown = _STYLE.findall(have.get("style", ""))
    if shown:
        important = [value for value, weight in shown if weight]
        return bool((important or [value for value, _ in shown])[-1].lower() == "none")
    return "hidden" in have and have["hidden"].strip().lower() != "until-found"
