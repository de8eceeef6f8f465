"""Rankers by name: ours, and any object of a module."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle.errors import OptionError

from .bm25 import bm25
from .languages import LANGUAGES, check_languages, language_of, stop_words
from .terms import needs_words, plain_words, terms
from .tf_cosine import tf_cosine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import Scorer

__all__ = ["RANKERS", "NamedRanker", "named"]

_MAKERS: dict[str, Callable[..., Any]] = {"tf-cosine": tf_cosine, "bm25": bm25}
_LANGUAGE = {"tf-cosine": "auto", "bm25": "none"}

RANKERS = tuple(_MAKERS)
"""The rankers that have a name."""


@dataclass(frozen=True)
class NamedRanker:
    """A ranker that knows its name. `languages` are those whose stop words it leaves out, `()` where it has no say."""

    name: str
    languages: tuple[str, ...]
    make: Callable[..., Scorer]
    sample: tuple[str, ...] = ()

    def __call__(self, texts: Sequence[str]) -> Scorer:
        """The scorer over the texts."""
        if not self.languages:
            return self.make(texts)
        return self.make(texts, self._stop_words(texts))

    def language(self, texts: Sequence[str]) -> list[str]:
        """The languages whose stop words are left out; for `auto` that of the sample, or else of the texts."""
        if self.languages == ("auto",):
            found = language_of(self.sample or texts)
            return [] if found == "none" else [found]
        if self.languages == ("all",):
            return list(LANGUAGES)
        return [language for language in self.languages if language != "none"]

    def asked(self, question: str, texts: Sequence[str]) -> list[str]:
        """The words of a question that are looked for in the texts, folded."""
        stop = self._stop_words(texts)
        if self.name == "bm25" and not needs_words(question):
            return [word for word in plain_words(question) if word not in stop]
        return terms(question, stop, least=1 if self.name == "bm25" else 3)

    def _stop_words(self, texts: Sequence[str]) -> frozenset[str]:
        return frozenset[str]().union(*map(stop_words, self.language(texts)))


def named(name: str, *, language: str | Iterable[str] | None = None, sample: Sequence[str] = ()) -> NamedRanker:
    """The ranker of a name: `tf-cosine`, `bm25`, or `module:object` for one of your own.

    `language` says whose stop words are left out: `pt`, `en`, `es` or several of them, `all` of them, `none`, or
    `auto`, that of the `sample`; without a sample, that of the texts that are ranked. None stands for `auto` with
    `tf-cosine` and for `none` with `bm25`. Rankers of your own take no language. Raises `OptionError`.
    """
    if name in _MAKERS:
        languages = check_languages(_LANGUAGE[name] if language is None else language)
        return NamedRanker(name, languages, _MAKERS[name], tuple(sample))
    if ":" not in name:
        raise OptionError(
            f"No ranker is named {name!r}. Known: {', '.join(RANKERS)}; or module:object for one of your own, "
            "a callable that is given the texts and gives a callable from a question to scores."
        )
    if language is not None:
        raise OptionError(f"language is for {' and '.join(RANKERS)}; the ranker {name} leaves out words by itself.")
    return NamedRanker(name, (), _imported(name))


def _imported(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    try:
        with _current_directory():
            found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # a stranger's module may raise anything
        raise OptionError(f"The ranker {name!r} cannot be loaded: {type(error).__name__}: {error}.") from error
    if not callable(found):
        raise OptionError(
            f"The ranker {name!r} is {type(found).__name__}, and cannot be called. It must take a list of texts and "
            "give a callable from a question to a score for each text."
        )
    return found  # type: ignore[no-any-return]


@contextmanager
def _current_directory() -> Iterator[None]:
    """Look for modules in the current directory too, as `python -m` does."""
    before = list(sys.path)
    sys.path.append("")
    try:
        yield
    finally:
        sys.path[:] = before  # the module may have changed it
