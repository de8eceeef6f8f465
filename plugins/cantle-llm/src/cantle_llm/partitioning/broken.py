"""Answers that were broken off, at a limit for their length or by a server: the blocks that are whole."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

__all__ = ["Broken", "broken_off"]

_BLOCKS = re.compile(r'"blocks"\s{0,9}:\s{0,9}(?=\[)')
_ALONE = re.compile(r"\s{0,9}(?:```[a-zA-Z0-9]{0,20}\s{0,9})?(?=[\[{])")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Broken(NamedTuple):
    """The blocks that are whole, and the end of the answer that is not."""

    blocks: list[Any]
    rest: str


def broken_off(answer: str) -> Broken | None:
    """What there is of the list of blocks in an answer whose JSON never ends; None where it ends, or there is none."""
    found = _BLOCKS.search(answer) or _ALONE.match(answer)
    if found is None or not _is_open(answer, found.end()):
        return None
    blocks: list[Any] = []
    at = found.end()
    while at < len(answer) and answer[at] in ("[" if not blocks else ","):
        try:
            block, at = _DECODER.raw_decode(answer, _after_space(answer, at + 1))
        except (ValueError, RecursionError):
            break
        blocks.append(block)
        at = _after_space(answer, at)
    return Broken(blocks, answer[at:].lstrip(", \t\r\n"))


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _is_open(text: str, start: int) -> bool:
    """Whether what begins with a bracket at `start` never ends."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark[0] == '"':
            if token.end() == len(text) and not _is_whole(mark):
                return True
        else:
            depth += 1 if mark in "[{" else -1
            if depth <= 0:
                return False
    return True


def _is_whole(written: str) -> bool:
    """Whether a string at the end has its closing quotation mark."""
    return len(written) > 1 and written[-1] == '"'
