"""JSON in what a model wrote: in code fences, between words, after thoughts, with commas too many. In linear time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

__all__ = ["values", "without_thoughts"]

_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_MOST = 32
"""How many places are tried in vain at most, so that an answer made of brackets takes no long time."""

# A string, whole or broken off, or a comma that nothing follows.
_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"?|,(?=\s*[\]}])', re.DOTALL)


def without_thoughts(text: str) -> str:
    """The text without the `<think>` block that reasoning models write first, and white space around it.

    A block that is never closed leaves nothing. Where a chat template keeps the opening tag to itself, a line of
    `</think>` alone ends the block.
    """
    begun = text.lstrip("\ufeff \t\r\n")
    if begun.startswith("<think>"):
        end = begun.find("</think>")
        return "" if end < 0 else begun[end + len("</think>") :].strip()
    end = -1 if "<think>" in begun else begun.find("</think>")
    if end >= 0:
        before, after = begun[:end], begun[end + len("</think>") :]
        if before[-1:] in ("", "\n") and after[:1] in ("", "\n", "\r"):
            return after.strip()
    return text.strip("\ufeff \t\r\n")


def values(text: str) -> Iterator[Any]:
    """JSON values that the text may mean, the likeliest first: all of it, what is fenced, what stands between words.

    `NaN`, infinities, and numbers too large for a float are no JSON. Where a key is there twice, the last one counts.
    """
    answer = without_thoughts(text)
    found = list(_read([answer]))
    if found:  # what is in it is not the answer
        yield found[0]
        return
    seen = 0
    for value in _read(_fenced(answer)):
        seen += 1
        yield value
    end = failed = 0
    for opening in _OPENING.finditer(answer):
        if opening.start() >= end:
            try:
                value, end = _DECODER.raw_decode(answer, opening.start())
            except (ValueError, RecursionError):
                failed += 1
                if failed == _MOST:
                    break
                continue
            seen += 1
            yield value
    if not seen:
        yield from _read(_COMMA.sub(_kept, one) for one in (answer, *_fenced(answer), *_between(answer)))


def _read(texts: Iterable[str]) -> Iterator[Any]:
    for text in texts:
        try:
            yield _DECODER.decode(text)
        except (ValueError, RecursionError):
            continue


def _fenced(text: str) -> Iterator[str]:
    return (fence[1] for fence in islice(_FENCE.finditer(text), _MOST))


def _between(text: str) -> Iterator[str]:
    for opening, closing in ("{}", "[]"):
        low, high = text.find(opening), text.rfind(closing)
        if 0 <= low < high:
            yield text[low : high + 1]


def _kept(part: re.Match[str]) -> str:
    return "" if part[0] == "," else part[0]


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is too large")
    return number


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_float, parse_constant=_no_constant)
