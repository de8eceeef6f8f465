"""`Encoding`: exact token counts and ids, whatever the tokenizer behind it and whatever the text."""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from ..errors import OptionError, UnknownLengthError
from .encodings import ENCODINGS, MODELS, EncodingFacts

__all__ = ["AFTER", "BLOCK", "SAFE", "Encoding", "backends", "encoding"]

BLOCK = 65_536
"""The most characters a tokenizer gets at a time: some overflow on a megabyte of spaces."""

_WINDOW = 4096

# Where every encoding's pattern starts a new piece, whatever stands around: after a letter or digit
# and before one of these. (No apostrophe: contractions; no marks: o200k takes them for letters.)
AFTER = ' \t\n\r-.,;:!?()[]{}<>"/|*=+#&%$@~`^_' + (
    "\u3000\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f\u300c\u300d\u300e\u300f\u2014\u2026\u201c\u201d"
)
SAFE = re.compile(rf"[^\W_](?=[{re.escape(AFTER)}])")

_SURROGATES = re.compile("[\ud800-\udfff]")

_DOORS = (("toktok", "Toktok"), ("fastokens", "Fastokens"), ("tiktoken", "Tiktoken"))


class Tokenizer(Protocol):
    """What a door gives: counts and ids of ordinary text."""

    name: str
    quick: int
    any_size: bool

    def count(self, text: str) -> int: ...
    def encode(self, text: str) -> Any: ...


class Encoding:
    """An encoding by name: `count(text)` and `ids(text)`, special-token text taken as plain text.

    `special_tokens` maps special tokens to ids. Lone surrogates count as U+FFFD. Text is encoded
    in blocks of at most 65,536 characters, cut where the count is not changed by the cut; only a
    longer run without any such place is counted block by block.
    """

    def __init__(self, facts: EncodingFacts) -> None:
        self.name = facts.name
        self.special_tokens = facts.special_tokens
        self._facts = facts
        self._tokenizer = _tokenizer(facts)
        self.quick = self._tokenizer.quick
        self._lengths: Any = None

    @property
    def backend(self) -> str:
        """The name of the tokenizer in use."""
        return self._tokenizer.name

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        if len(text) > BLOCK and (parts := self._parts(text)):
            return sum(self.count(text[a:b]) for a, b, _ in parts)
        try:
            return self._tokenizer.count(text)
        except UnicodeEncodeError:
            return self._tokenizer.count(_SURROGATES.sub("\ufffd", text))

    def ids(self, text: str) -> Any:
        """The ids of `text`, a numpy array of unsigned integers."""
        if len(text) > BLOCK and (parts := self._parts(text)):
            import numpy

            return numpy.concatenate([self.ids(text[a:b]) for a, b, _ in parts])
        try:
            return self._tokenizer.encode(text)
        except UnicodeEncodeError:
            return self._tokenizer.encode(_SURROGATES.sub("\ufffd", text))

    def _parts(self, text: str) -> list[tuple[int, int, bool]]:
        """The blocks to encode one by one; none when the tokenizer takes the text at once to the same end."""
        parts = blocks(text)
        return parts if not self._tokenizer.any_size or any(hard for *_, hard in parts) else []

    @property
    def character_lengths(self) -> Any:
        """How many characters begin in each token, by id; a numpy array of uint8."""
        if self._lengths is None:
            from .vocabulary import character_lengths

            self._lengths = character_lengths(self._facts.vocabulary)
        return self._lengths

    @property
    def begins_inside(self) -> Any:
        """Whether each token begins inside a character, by id; a numpy array of bool."""
        from .vocabulary import begins_inside

        return begins_inside(self._facts.vocabulary)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return encoding, (self.name,)


def blocks(text: str) -> list[tuple[int, int, bool]]:
    """`(start, end, hard)` of the blocks of a text; `hard` when the end is no safe place."""
    found, start, total = [], 0, len(text)
    while total - start > BLOCK:
        end = start + BLOCK
        match = SAFE.search(text, end - _WINDOW, end) or _last_safe(text, start, end - _WINDOW)
        found.append((start, match.end() if match else end, match is None))
        start = found[-1][1]
    found.append((start, total, False))
    return found


def _last_safe(text: str, start: int, end: int) -> re.Match[str] | None:
    """The last safe place up to `end`: the first would do, but make blocks of a few characters."""
    while end > start:
        match = None
        for match in SAFE.finditer(text, max(start, end - _WINDOW), end + 1):  # noqa: B007
            pass
        if match:
            return match
        end -= _WINDOW
    return None


@cache
def encoding(name: str) -> Encoding:
    """The encoding of that name, or of the model of that name. Raises `UnknownLengthError`."""
    facts = ENCODINGS.get(MODELS.get(name, name))
    if facts is None:
        raise UnknownLengthError(name, [*ENCODINGS, *MODELS])
    return Encoding(facts) if facts.name == name else encoding(facts.name)


def backends() -> dict[str, str]:
    """The tokenizers by preference: name -> empty when usable, else what is wrong."""
    found = {}
    for module, door in _DOORS:
        try:
            _open(module, door, ENCODINGS["cl100k_base"])
            found[module] = ""
        except Exception as error:
            found[module] = f"{type(error).__name__}: {error}"
    return found


def _tokenizer(facts: EncodingFacts) -> Tokenizer:
    forced = os.environ.get("CANTLE_TOKENIZER", "")
    names = [module for module, _ in _DOORS]
    if forced and forced not in names:
        raise OptionError(f"CANTLE_TOKENIZER must be one of {', '.join(names)}, got {forced!r}.")
    for module, door in _DOORS:
        if forced and module not in (forced, "tiktoken"):
            continue
        try:
            tokenizer = _open(module, door, facts)
        except Exception as error:  # not installed, or not the version we know: the next one serves
            if module == forced != "tiktoken":
                raise OptionError(
                    f"CANTLE_TOKENIZER asks for {forced}, which cannot be used ({type(error).__name__}: {error}). "
                    "Install it, or unset the variable."
                ) from error
            if module == "tiktoken":
                raise
            continue
        if tokenizer is not None:
            return tokenizer
    raise AssertionError("tiktoken supports every encoding")


def _open(module: str, door: str, facts: EncodingFacts) -> Tokenizer | None:
    kind = getattr(import_module(f".{module}", __package__), door)
    if not kind.supports(facts):
        return None
    tokenizer: Tokenizer = kind(facts)
    # A tokenizer that changed under us must not change anyone's chunks.
    if tokenizer.count("hello world") != 2 or len(tokenizer.encode("hello world")) != 2:
        raise RuntimeError(f"{module} does not count as tiktoken does")
    return tokenizer
