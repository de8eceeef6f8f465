"""Lengths by somebody's function or tokenizer, of which nothing is known but its answers."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..errors import OptionError
from .base import Measure

__all__ = ["CallLength", "EncodeLength"]

_REMEMBERED = 4096
HEAD = 2000
"""How much of a text tells how long its characters are."""
_LEAST_RATE = 0.1
"""What is guessed at least, so that a text that begins with blanks is not measured as a whole again and again."""
_MOST = float(1 << 53)
"""Longer than any text; larger numbers would not stay exact in what is reckoned with them."""
_SURROGATES = re.compile("[\ud800-\udfff]")


class CallLength:
    """A function from `str` to a number. It need not be monotone; it should be deterministic."""

    def __init__(self, function: Callable[[str], float]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def __call__(self, text: str, /) -> float:
        result = self.function(text)
        if isinstance(result, bool) or not isinstance(result, int | float) or not result >= 0:
            try:  # numpy's numbers, decimals and the like
                number = float(result)
            except (TypeError, ValueError):
                number = -1.0
            if isinstance(result, bool | str) or not number >= 0:
                shown = repr(result) if len(repr(result)) <= 60 else repr(result)[:57] + "..."
                hint = " To count what it returns, pass lambda text: len(function(text))." if _listed(result) else ""
                raise OptionError(
                    f"length_function must return a number that is not negative, got {shown} "
                    f"for a text of {len(text)} characters.{hint}"
                )
            result = number
        return min(result, _MOST)

    def measure(self, text: str) -> Measure:
        return CallMeasure(self, text)


class EncodeLength(CallLength):
    """An object with `encode`: the length is the number of ids it gives.

    Hugging Face tokenizers and fast tokenizers of `transformers` are asked for ids without special
    tokens where they let us.
    """

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._plain: bool | None = None
        super().__init__(self._count)
        self.name = getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__

    def _count(self, text: str) -> int:
        try:
            return self._ids(text)
        except (TypeError, UnicodeError):  # most tokenizers refuse lone surrogates
            if _SURROGATES.search(text) is None:
                raise
            return self._ids(_SURROGATES.sub("\ufffd", text))

    def _ids(self, text: str) -> int:
        encode = getattr(self.tokenizer, "encode_ordinary", None)  # tiktoken: specials are plain text
        if encode is not None:
            return len(encode(text))
        if self._plain is None:
            self._plain = _takes_plain(self.tokenizer)
        encoded = self.tokenizer.encode(text, add_special_tokens=False) if self._plain else self.tokenizer.encode(text)
        if hasattr(encoded, "overflowing"):
            return _whole(self.tokenizer, encoded)
        return len(getattr(encoded, "ids", encoded))

    def __getstate__(self) -> dict[str, Any]:
        return {"tokenizer": self.tokenizer}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["tokenizer"])  # type: ignore[misc]


def _takes_plain(tokenizer: Any) -> bool:
    """Whether `encode` can be asked to leave special tokens out."""
    try:
        tokenizer.encode("a", add_special_tokens=False)
    except TypeError:
        return False
    return True


def _whole(tokenizer: Any, encoded: Any) -> int:
    """The ids of a Hugging Face `Encoding`, padding left out and what was cut off for its length put back."""
    cut_off = encoded.overflowing
    if not cut_off and getattr(tokenizer, "padding", None) is None:
        return len(encoded.ids)
    stride = (getattr(tokenizer, "truncation", None) or {}).get("stride", 0)  # ids repeated by each further part
    return sum(map(sum, (part.attention_mask for part in (encoded, *cut_off)))) - int(stride * len(cut_off))


def _listed(result: Any) -> bool:
    return isinstance(result, list | tuple) or hasattr(result, "ids")


class CallMeasure:
    """Asks the function about stretches of a text; the latest few thousand answers are kept.

    `fit` guesses from the rate at the start of the text and closes in by false position, so the function is
    called a handful of times for each answer, on stretches near the size looked for.
    """

    exact = False

    def __init__(self, length: CallLength, text: str) -> None:
        self._length, self._text = length, text
        self._known: OrderedDict[tuple[int, int], float] = OrderedDict()
        self._rate: float | None = None

    @property
    def rate(self) -> float:
        """Units a character at the start of the text: what `fit` guesses by, wherever it is asked, so that the answer
        depends on the place alone."""
        if self._rate is None:
            head = self._text[:HEAD]
            self._rate = max(_LEAST_RATE, self._length(head) / len(head)) if head else _LEAST_RATE
        return self._rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._rate = rate

    def length(self, start: int, end: int) -> float:
        key = (start, end)
        found = self._known.get(key)
        if found is None:
            found = self._length(self._text[start:end]) if end > start else 0
            self._known[key] = found
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found

    def fit(self, start: int, limit: float) -> int:
        width = self._search(lambda n: self.length(start, start + n), len(self._text) - start, limit)
        return start + width

    def fit_back(self, end: int, limit: float) -> int:
        return end - self._search(lambda n: self.length(end - n, end), end, limit)

    def back_to(self, end: int, limit: float, least: int) -> int:
        """What `fit_back` looks for, from `least` on: it is asked about nothing longer."""
        if least >= end:
            return least
        return end - self._search(lambda n: self.length(end - n, end), end - least, limit)

    def _search(self, length: Callable[[int], float], most: int, limit: float) -> int:
        """The greatest width up to `most` whose length is within the limit, taking it for monotone."""
        low, high, low_length, high_length = 0, most + 1, 0.0, 0.0
        guess = min(most, max(1, int(limit / self.rate) + 1))
        while high - low > 1:
            found = length(guess)
            if found <= limit:
                low, low_length = guess, found
            else:
                high, high_length = guess, found
            if high > most:  # nothing too long seen yet: stretch out
                if low == most:
                    break
                guess = min(most, low + max(low, 16) if low_length < limit / 2 else low + low // 8 + 1)
            else:
                guess = _between(low, high, low_length, high_length, limit)
        return low


def _between(low: int, high: int, low_length: float, high_length: float, limit: float) -> int:
    if high - low > 8 and high_length > low_length:
        at = low + int((high - low) * (limit - low_length + 0.5) / (high_length - low_length))
        margin = (high - low) // 16
        return min(max(at, low + 1 + margin), high - 1 - margin)
    return (low + high) // 2
