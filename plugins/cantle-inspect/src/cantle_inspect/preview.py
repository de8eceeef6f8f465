"""One question against the chunks of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .access import Access
from .corpus import Corpus
from .pool import Cutting, Passage, Pool
from .rank import Ranker, tf_cosine

__all__ = ["Hit", "Preview", "preview", "ranked"]


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
    """All passages, best first; equal scores in the order of the corpus."""
    scores = ranker([passage.chunk.text for passage in passages])(question)
    order = sorted(range(len(passages)), key=lambda i: -scores[i])
    return [Hit(passages[i], float(scores[i])) for i in order]
