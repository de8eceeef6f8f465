"""`token`: windows of so many tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..chunk import Cut
from ..chunks import Chunks
from ..errors import OptionError
from ..graphemes import next_boundary, previous_boundary, trim
from ..hookspecs import hookimpl
from ..lengths import SpecialTokens, TokenLength
from ..lengths.tokens import TokenMeasure
from ..packing import Spans
from ..source import Source
from ..strategy import Sized, Strategy, option
from ..tokenizers.encodings import ENCODINGS, MODELS

__all__ = ["Token"]

Specials = set[str] | frozenset[str] | list[str] | tuple[str, ...] | str


@dataclass(frozen=True, kw_only=True)
class Token(Sized):
    """Windows of `max_size` tokens, each beginning `overlap` tokens before the last one's end.

    Windows begin and end between tokens, moved to the next border of a grapheme cluster where a
    token ends inside one. A window whose text, counted alone, has more tokens than `max_size` is
    made shorter.
    """

    name: ClassVar[str] = "token"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("length_function", "separator_position")

    encoding_name: str = option("cl100k_base", "The encoding: " + ", ".join(ENCODINGS) + ".")
    model_name: str | None = option(None, "Use the encoding of this OpenAI model instead.")
    allowed_special: Specials | None = option(
        None, "Special tokens to take as one token each where they stand in the text, or 'all'."
    )
    disallowed_special: Specials | None = option(
        None,
        "Special tokens that are an error in the text, or 'all'. With allowed_special alone: all others. "
        "With neither, special tokens are plain text.",
    )

    def __post_init__(self) -> None:
        checks.string("encoding_name", self.encoding_name)
        checks.string("model_name", self.model_name, none=True)
        if self.model_name is not None and self.model_name not in MODELS:
            raise OptionError(
                f"model_name {self.model_name!r} is not known. Known models: {', '.join(MODELS)}. "
                "For another one give its encoding_name."
            )
        if self.encoding_name not in ENCODINGS:
            raise OptionError(f"encoding_name must be one of {', '.join(ENCODINGS)}, got {self.encoding_name!r}.")
        for option_name in ("allowed_special", "disallowed_special"):
            value = getattr(self, option_name)
            if value is None or value == "all":
                continue
            if isinstance(value, str) or not isinstance(value, set | frozenset | list | tuple):
                raise OptionError(f"{option_name} must be a set of special tokens or 'all', got {value!r}.")
            checks.strings(option_name, list(value))
            if "" in value:
                raise OptionError(f"{option_name} must hold special tokens, got an empty string among {list(value)!r}.")
            object.__setattr__(self, option_name, frozenset(value))
        super().__post_init__()

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.model_name is not None and self.encoding_name != "cl100k_base":
            found["encoding_name"] = f"with model_name={self.model_name!r}, which has its own"
        if self.allowed_special is not None and self.allowed_special != "all":
            strange = sorted(set(self.allowed_special) - set(ENCODINGS[self.encoding].special_tokens))
            if strange:
                found["allowed_special"] = f"for {', '.join(strange)}: no special token of {self.encoding}"
        return found

    @property
    def encoding(self) -> str:
        """The name of the encoding in force."""
        return MODELS[self.model_name] if self.model_name is not None else self.encoding_name

    @property
    def length(self) -> TokenLength:
        """Tokens, special tokens as the options say."""
        return TokenLength(self.encoding, self._special())

    def _special(self) -> SpecialTokens:
        allowed, disallowed = self.allowed_special, self.disallowed_special
        if allowed is None and disallowed is None:
            return SpecialTokens()
        every = frozenset(ENCODINGS[self.encoding].special_tokens)
        allow = every if allowed == "all" else every & frozenset(allowed or ())
        refuse = every - allow if disallowed is None or disallowed == "all" else frozenset(disallowed)
        return SpecialTokens(allow, refuse)

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices. Raises `DocumentError` for a disallowed special token."""
        length = self.length
        length.special.check(source.text)
        text, start, end = source.text, 0, len(source.text)
        if self.strip_whitespace:
            start, end = trim(text, start, end)
        shift = 0
        if 0 < start < end and not (text[start - 1] == "\n" and text[start] != "/"):
            # The first token would take the blank before it along: encode what is left alone.
            text, shift, start, end = text[start:end], start, 0, end - start
        spans = Spans(text, self.strip_whitespace, self.explain)
        if start < end:
            measure = TokenMeasure(length, text)
            measure.ends  # noqa: B018  # one encoding for all windows
            self._windows(text, measure, spans, start, end)
            if self.least:
                spans.join_small(measure, self.least, self.limit)
        starts = [shift + at for at in spans.starts] if shift else spans.starts
        ends = [shift + at for at in spans.ends] if shift else spans.ends
        return Chunks.from_spans(source, starts, ends, cuts=spans.cuts)

    def _windows(self, text: str, measure: TokenMeasure, spans: Spans, at: int, total: int) -> None:
        limit, overlap, strip = self.limit, self.repeat, self.strip_whitespace
        add, starts, explain = spans.add, spans.starts, self.explain
        end, a, b = _window(text, measure, at, total, limit, strip)
        while True:
            add(a, b, Cut("tokens" if end < total else "end", 0) if explain else None)
            if end >= total:
                return
            last = end
            if overlap < 1:
                at = end
            else:
                first = starts[-1] if starts else 0
                at = _back(text, measure, at if at > first else first, end, overlap, strip)
            end, a, b = _window(text, measure, at, total, limit, strip)
            # A window that repeats so much that it does not get further is of no use.
            while end <= last:
                at = _back(text, measure, at, last, overlap, strip)
                end, a, b = _window(text, measure, at, total, limit, strip)


def _window(
    text: str, measure: TokenMeasure, start: int, total: int, limit: float, strip: bool
) -> tuple[int, int, int]:
    """Where the window that begins at `start` ends, at least a cluster further; and its trimmed bounds."""
    quickly = measure.window(start, limit, strip)
    if quickly is not None and quickly[0] < total:
        return quickly
    end = min(total, measure.fit(start, limit))
    while True:
        if end < total and not (start < end and text[end - 1] < "\u0300" and "\n" != text[end] < "\u0300"):
            end = previous_boundary(text, max(end, start), start)
        a, b = trim(text, start, end) if strip else (start, end)
        count = measure.length(a, b)
        if count <= limit or next_boundary(text, start + 1) >= end:
            return end, a, b
        end = min(end - 1, measure.fit(start, limit - (count - limit)))
        if end <= start:
            end = next_boundary(text, start + 1)


def _back(text: str, measure: TokenMeasure, start: int, end: int, overlap: float, strip: bool) -> int:
    """Where the window after `[start, end)` begins, so that it repeats at most `overlap` tokens."""
    quickly = measure.window_back(start, end, overlap, strip)
    if quickly is not None:
        return quickly
    at = measure.fit_back(end, overlap)
    at = next_boundary(text, at if at > start else start + 1)
    while at < end:
        a, b = trim(text, at, end) if strip else (at, end)
        if measure.length(a, b) <= overlap:
            return at
        at = next_boundary(text, at + 1)
    return end


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Token]
