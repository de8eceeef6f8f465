"""How large chunks are, in the unit of the strategy that made them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cantle.errors import CantleError
from cantle.lengths import EncodeLength, Length, TokenLength, resolve

__all__ = ["UNITS", "measure_of"]

UNITS = {"characters": "characters", "utf16": "UTF-16 units", "bytes": "bytes", "words": "words"}


def measure_of(strategy: Any) -> tuple[str, Callable[[str], float]]:
    """The unit that a strategy measures chunks in, as people call it, and the function that measures.

    Characters (code points) where the strategy does not say, or names what cannot be found.
    """
    given = getattr(strategy, "length_function", None)
    encoding = getattr(strategy, "encoding", None)
    unused = getattr(strategy, "unused", ())
    if isinstance(encoding, str) and "length_function" in unused:
        given = encoding  # it counts tokens of that, whatever the option says
    try:
        length = getattr(strategy, "length", None)
        found = length if isinstance(length, Length) else None if given is None else resolve(given)
    except CantleError:
        found = None
    if found is None:
        return "characters", len
    if not isinstance(given, str):
        return "length units", found
    if given in UNITS:
        return UNITS[given], found
    counts_tokens = isinstance(found, TokenLength | EncodeLength)
    return f"tokens ({given})" if counts_tokens else f"units of {given}", found
