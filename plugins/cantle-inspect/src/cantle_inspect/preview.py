"""One question against the chunks of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from cantle.errors import CantleError

from .access import Access
from .corpus import Corpus
from .pool import Cutting, Passage, Pool
from .rank import Ranker, tf_cosine

__all__ = ["Hit", "Preview", "RankError", "ordered", "preview", "ranked"]


class RankError(CantleError):
    """A ranker gave no scores that can be used."""


class Hit(NamedTuple):
    """A passage that was found, and its score."""

    passage: Passage
    score: float


@dataclass(frozen=True)
class Preview:
    """What a question finds."""

    question: str
    hits: tuple[Hit, ...]
    pool: Pool

    def to_dict(self) -> dict[str, Any]:
        """The question, the chunks found, best first, and statistics, ready for JSON."""
        return {
            "question": self.question,
            "chunks": [_hit(hit) for hit in self.hits],
            "stats": {"totalChunks": len(self.pool.passages)},
        }


def _hit(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    chunk = passage.chunk
    return {
        "id": passage.id,
        "source": chunk.source,
        "dept": passage.metadata.get("dept"),
        "classification": passage.metadata.get("classification"),
        "score": round(hit.score, 6),
        "text": chunk.text,
        "chunkId": chunk.id,
        "key": chunk.key,
    }


def preview(
    corpus: Corpus,
    question: str,
    *,
    where: Mapping[str, str] | Access | None = None,
    cutting: Cutting | None = None,
    ranker: Ranker = tf_cosine,
    top_k: int = 5,
) -> Preview:
    """The `top_k` chunks that answer a question best, of those that `where` lets through."""
    pool = Pool.of(corpus, cutting or Cutting())
    access = where if isinstance(where, Access) else Access.of(where)
    visible = pool.visible(access)
    return Preview(question, tuple(ranked(visible, ranker, question)[:top_k]), pool)


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
    numbers = [float(score) for score in scores]
    if len(numbers) != len(passages) or any(number != number for number in numbers):
        wrong = "a score that is no number" if len(numbers) == len(passages) else f"{len(numbers)} scores"
        raise RankError(f"The ranker gave {wrong} for {len(passages)} texts. It must give one number for each.")
    order = sorted(range(len(passages)), key=lambda i: -numbers[i])
    return [Hit(passages[i], numbers[i]) for i in order]
