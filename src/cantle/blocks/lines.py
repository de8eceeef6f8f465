"""Line ends, for formats that take LF, CR LF and CR as the same."""

from __future__ import annotations

import re

__all__ = ["line_gaps", "view"]

_BREAKS = {1: re.compile(r"\r\n|\n|\r"), 2: re.compile(r"[\r\n]{2,}")}


def view(text: str) -> str:
    """The text with LF as its only line end, every character at its place: before the LF of a CR LF is a blank."""
    if "\r" in text:
        return text.replace("\r\n", " \n").replace("\r", "\n")
    return text


def line_gaps(text: str, least: int, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The stretches of `least` (1 or 2) and more line ends, LF, CR LF or CR; with 1 each by itself."""
    found = _BREAKS[least].finditer(text, start, len(text) if end is None else end)
    return [match.span() for match in found if least == 1 or match[0] != "\r\n"]
