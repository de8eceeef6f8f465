"""What a ranker finds: passages with their scores, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import inf, isfinite
from typing import Any, NamedTuple

from cantle.errors import CantleError

from ..corpus.pool import Passage
from . import Ranker, Scorer, bm25, tf_cosine
from .named import NamedRanker

__all__ = ["Hit", "RankError", "lowest", "ordered", "ranked", "ranker_name", "scorer", "scores"]


class RankError(CantleError):
    """A ranker gave no scores that can be used."""


class Hit(NamedTuple):
    """A passage that was found, and its score."""

    passage: Passage
    score: float


def ranked(passages: Sequence[Passage], ranker: Ranker, question: str) -> list[Hit]:
    """All passages, best first; equal scores in the order of the corpus. Raises `RankError`.

    For many questions make the scorer once: `ordered(passages, scorer(question))`.
    """
    if not passages:
        return []
    texts = [passage.chunk.text for passage in passages]
    return _ordered(passages, scores(scorer(ranker, texts), question, len(texts), ranker_name(ranker)))


def ordered(passages: Sequence[Passage], given: Sequence[float]) -> list[Hit]:
    """The passages with their scores, best first; equal scores in the order of the passages.

    Raises `RankError` when there is not one number for each passage.
    """
    return _ordered(passages, _numbers(given, len(passages), "The ranker"))


def scorer(ranker: Ranker, texts: Sequence[str]) -> Scorer:
    """The scorer that a ranker makes of texts. Raises `RankError`, with the ranker's name, when it fails."""
    try:
        made = ranker(texts)
    except CantleError:
        raise
    except Exception as error:  # a stranger's ranker may raise anything
        raise RankError(f"The ranker {ranker_name(ranker)} failed: {type(error).__name__}: {error}.") from error
    if not callable(made):
        raise RankError(
            f"The ranker {ranker_name(ranker)} gave {type(made).__name__} for the texts. It must give a callable from "
            "a question to a score for each text."
        )
    return made


def scores(scorer: Scorer, question: str, count: int, name: str) -> list[float]:
    """The scores of a question for `count` texts. Any finite number is a score, negative ones too.

    Raises `RankError`, with the `name` of the ranker, when it fails and when there is not one number for each text.
    """
    try:
        given = scorer(question)
    except CantleError:
        raise
    except Exception as error:  # a stranger's ranker may raise anything
        raise RankError(
            f"The ranker {name} failed at the question {question!r}: {type(error).__name__}: {error}."
        ) from error
    return _numbers(given, count, f"The ranker {name}")


def _numbers(given: Any, count: int, who: str) -> list[float]:
    must = "It must give a list of numbers, one for each text."
    if isinstance(given, str | bytes | Mapping | Set) or not (hasattr(given, "__len__") and hasattr(given, "__iter__")):
        raise RankError(f"{who} gave {type(given).__name__} for {count} texts. {must}")
    found = [score if type(score) is float else _number(score, who, must) for score in given]
    if len(found) != count:
        raise RankError(f"{who} gave {len(found)} scores for {count} texts. {must}")
    if not all(map(isfinite, found)):
        raise RankError(f"{who} gave a score that is no number or infinite. {must}")
    return found


def _number(score: Any, who: str, must: str) -> float:
    try:
        if isinstance(score, str | bytes | bool) or getattr(score, "ndim", None):
            raise TypeError
        return float(score)
    except (TypeError, ValueError, OverflowError):
        raise RankError(f"{who} gave {_short(score)} as a score. {must}") from None


def _short(value: Any) -> str:
    shown = repr(value) if value is None or isinstance(value, str | bytes | bool) else f"a {type(value).__name__}"
    return shown if len(shown) <= 60 else shown[:60] + "..."


def _ordered(passages: Sequence[Passage], numbers: Sequence[float]) -> list[Hit]:
    order = sorted(range(len(passages)), key=lambda i: -numbers[i])
    return [Hit(passages[i], numbers[i]) for i in order]


def lowest(ranker: Ranker) -> float:
    """The score above which a chunk counts as found.

    It is 0 for `tf-cosine` and `bm25`: what scores 0 has no word of the question. Of the scores of other rankers
    nothing is known (those of cross-encoders are often negative), so every one counts, but for minus infinity.
    """
    made = getattr(ranker, "make", ranker)
    return 0.0 if made is tf_cosine or made is bm25 else -inf


def ranker_name(ranker: Ranker) -> str:
    """The name of a ranker: its own, or that of the function or class."""
    if isinstance(ranker, NamedRanker):
        return ranker.name
    return str(getattr(ranker, "__qualname__", type(ranker).__qualname__))
