"""What a ranker finds: passages with their scores, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cantle.errors import CantleError

from ..corpus.pool import Passage
from . import Ranker
from .named import NamedRanker

__all__ = ["Hit", "RankError", "ordered", "ranked", "ranker_name"]


class RankError(CantleError):
    """A ranker gave no scores that can be used."""


class Hit(NamedTuple):
    """A passage that was found, and its score."""

    passage: Passage
    score: float


def ranked(passages: Sequence[Passage], ranker: Ranker, question: str) -> list[Hit]:
    """All passages, best first; equal scores in the order of the corpus.

    For many questions make the scorer once: `ordered(passages, scorer(question))`.
    """
    if not passages:
        return []
    return ordered(passages, ranker([passage.chunk.text for passage in passages])(question))


def ordered(passages: Sequence[Passage], scores: Sequence[float]) -> list[Hit]:
    """The passages with their scores, best first; equal scores in the order of the passages.

    Raises `RankError` when there is not one number for each passage.
    """
    try:
        numbers = [float(score) for score in scores]
    except (TypeError, ValueError) as error:
        raise RankError(f"The ranker gave no numbers: {error}. It must give one for each text.") from error
    if len(numbers) != len(passages) or any(number != number for number in numbers):
        wrong = "a score that is no number" if len(numbers) == len(passages) else f"{len(numbers)} scores"
        raise RankError(f"The ranker gave {wrong} for {len(passages)} texts. It must give one number for each.")
    order = sorted(range(len(passages)), key=lambda i: -numbers[i])
    return [Hit(passages[i], numbers[i]) for i in order]


def ranker_name(ranker: Ranker) -> str:
    """The name of a ranker: its own, or that of the function or class."""
    if isinstance(ranker, NamedRanker):
        return ranker.name
    return str(getattr(ranker, "__qualname__", type(ranker).__qualname__))
