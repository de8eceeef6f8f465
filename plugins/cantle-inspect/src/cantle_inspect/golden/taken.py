"""What callers may give, checked: a corpus or its path, questions or their file, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from cantle.access import Roles, read_roles
from cantle.errors import OptionError

from ..corpus.reading import Corpus, read_corpus
from .questions import Question, read_golden

__all__ = ["Asked", "Documents", "RolesLike", "corpus_of", "golden_of", "roles_of", "share", "whole", "wholes"]

Documents = Corpus | str | Path
Asked = Iterable[Question] | str | Path
RolesLike = str | Path | Roles | Literal[False] | None


def corpus_of(given: Documents, golden: Asked = (), roles: RolesLike = None) -> Corpus:
    """The corpus, or that of a path; files of questions and roles are no documents. Raises `OptionError`."""
    if isinstance(given, Corpus):
        return given
    if isinstance(given, str | Path):
        return read_corpus(given, skip=[name for name in (golden, roles) if name and isinstance(name, str | Path)])
    raise OptionError(
        f"The corpus must be a Corpus or a path, got {type(given).__name__}. Give read_corpus(path), or "
        "Corpus((document, ...)) of documents with a source."
    )


def golden_of(given: Asked) -> tuple[Question, ...]:
    """The questions, or those of a file. Raises `OptionError` for none, for wrong types and for ids that are equal."""
    if isinstance(given, str | Path):
        return read_golden(given)
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping):
        raise OptionError(f"Golden questions must be a sequence of Question, got {type(given).__name__}. {_MADE}")
    found = tuple(given)
    seen: set[str] = set()
    for question in found:
        if not isinstance(question, Question):
            raise OptionError(f"Golden questions must be of the type Question, got {type(question).__name__}. {_MADE}")
        if question.id in seen:
            raise OptionError(f"Two golden questions have the id {question.id!r}. Give each an id of its own.")
        seen.add(question.id)
    if not found:
        raise OptionError(f"There is no golden question, so nothing would be tested. {_MADE}")
    return found


_MADE = "Make them with read_golden(path), or questions_of([{'question': ..., 'source': ...}])."


def roles_of(given: RolesLike) -> Roles | Literal[False] | None:
    """The roles of a file, or as they are. Raises `OptionError`."""
    if isinstance(given, str | Path):
        return read_roles(given)
    if given is None or given is False or isinstance(given, Roles):
        return given
    raise OptionError(
        f"roles must be a file of roles, what read_roles made of one, or False to test none, got {given!r:.80}."
    )


def whole(name: str, value: Any) -> int:
    """A whole number of at least 1. Raises `OptionError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError(f"{name} must be a whole number of at least 1, got {value!r}.")
    return value


def wholes(name: str, values: Any) -> tuple[int, ...]:
    """Whole numbers of at least 1, each once. Raises `OptionError` for anything else."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        raise OptionError(f"{name} must be a list of whole numbers, got {values!r}.")
    return tuple(dict.fromkeys(whole(f"each of {name}", value) for value in values))


def share(name: str, value: Any) -> float:
    """A number from 0 to 1. Raises `OptionError` for anything else, NaN too: nothing is less than it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not (isfinite(value) and 0 <= value <= 1):
        raise OptionError(f"{name} must be a number from 0 to 1, got {value!r}.")
    return float(value)
