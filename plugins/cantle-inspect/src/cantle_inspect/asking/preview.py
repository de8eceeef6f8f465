"""One question against the chunks of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cantle.lengths import LengthLike, resolve

from ..corpus.access import Access
from ..corpus.pool import MODEL, Cutting, Passage, Pool
from ..corpus.reading import Corpus
from ..measures.settings import strategy_name
from ..names import camel
from ..rank import NamedRanker, Ranker, named, words
from ..rank.hits import Hit, ranked, ranker_name
from .audit import audit_record, where_of

__all__ = ["Preview", "preview"]

_SHOWN = ("dept", "classification")
"""Keys of the metadata that every chunk in JSON has at its top."""


@dataclass(frozen=True)
class Preview:
    """What a question finds: `hits`, best first. `pool` are all chunks, `candidates` those that were ranked."""

    question: str
    hits: tuple[Hit, ...]
    pool: Pool
    candidates: tuple[Passage, ...]
    access: Access
    cutting: Cutting
    ranker: Ranker
    keys: tuple[str, ...] = ()
    """Keys of the metadata that stand at the top of each chunk in JSON, beside `dept` and `classification`."""
    tokenizer: LengthLike = field(default=MODEL, repr=False)

    @cached_property
    def tokens(self) -> int:
        """The tokens of all chunks: what indexing them would pay for."""
        return round(self.pool.size(self.tokenizer))

    def to_dict(self) -> dict[str, Any]:
        """The question, the chunks found, best first, and statistics, ready for JSON.

        `lines` are the first and the last line of the chunk in its document's text, from 1.
        """
        strategies, options = self.settings
        return {
            "question": self.question,
            "chunks": [_chunk(hit, self.keys) for hit in self.hits],
            "stats": {
                "totalChunks": len(self.pool.passages),
                "tokensEstimate": self.tokens,
                "rankedChunks": len(self.candidates),
                "documents": len(self.pool.documents),
                "leftOut": [one._asdict() for one in self.pool.left_out],
                "strategy": strategies[0] if len(strategies) == 1 else strategies,
                "options": {camel(name): value for name, value in options.items()},
                "ranker": ranker_name(self.ranker),
                "language": self.languages,
                "role": self.access.role,
                "where": where_of(self.access),
                "model": self.model,
            },
        }

    @property
    def model(self) -> str:
        """The name of what counts the tokens."""
        return self.tokenizer if isinstance(self.tokenizer, str) else type(self.tokenizer).__name__

    @cached_property
    def settings(self) -> tuple[list[str], dict[str, Any]]:
        """The names of the strategies that cut the documents, and the options in force."""
        return _settings(self.pool, self.cutting)

    @cached_property
    def asked(self) -> list[str]:
        """The words of the question that were looked for, folded; for a ranker of your own all of them."""
        if not isinstance(self.ranker, NamedRanker):
            return words(self.question)
        return self.ranker.asked(self.question, [passage.chunk.text for passage in self.candidates])

    @cached_property
    def languages(self) -> list[str]:
        """The languages whose stop words were left out of the ranking."""
        if not isinstance(self.ranker, NamedRanker):
            return []
        return self.ranker.language([passage.chunk.text for passage in self.candidates])

    def audit(self) -> dict[str, Any]:
        """The audit line of this answer: the best chunk, unless no word of the question is in it (score 0)."""
        best = self.hits[0] if self.hits and self.hits[0].score > 0 else None
        return audit_record(self.question, best, self.access, ranker_name(self.ranker))


def preview(
    corpus: Corpus,
    question: str,
    *,
    where: Mapping[str, Any] | Access | None = None,
    cutting: Cutting | None = None,
    ranker: Ranker | str = "tf-cosine",
    top_k: int = 5,
    min_score: float | None = None,
    keys: Iterable[str] = (),
    tokenizer: LengthLike = MODEL,
) -> Preview:
    """The `top_k` chunks that answer a question best, of those that `where` lets through.

    `where` is applied before ranking: what may not be seen has no part in any score. Chunks with scores below
    `min_score` are left out; without it the best `top_k` are given whatever their score. `keys` of the metadata stand
    at the top of each chunk in `to_dict`, as those of filters do. `tokenizer` counts tokens. Raises `OptionError` for
    wrong options and `RankError` for a ranker that gives no scores.
    """
    cutting = cutting or Cutting()
    access = where if isinstance(where, Access) else Access.of(where)
    chosen = named(ranker) if isinstance(ranker, str) else ranker
    tokenizer = resolve(tokenizer) if not isinstance(tokenizer, str) else tokenizer
    pool = Pool.of(corpus, cutting)
    candidates = pool.visible(access)
    hits = ranked(candidates, chosen, question)[:top_k]
    if min_score is not None:
        hits = [hit for hit in hits if hit.score >= min_score]
    shown = tuple(dict.fromkeys([*access.keys, *keys]))
    return Preview(question, tuple(hits), pool, tuple(candidates), access, cutting, chosen, shown, tokenizer)


def _chunk(hit: Hit, keys: Iterable[str]) -> dict[str, Any]:
    passage = hit.passage
    chunk = passage.chunk
    first, _, last, _ = passage.chunks.lines(chunk)
    theirs = passage.document.metadata
    found = {
        "id": passage.id,
        "source": chunk.source,
        **{key: theirs.get(key) for key in _SHOWN},
        "score": round(hit.score, 6),
        "text": chunk.text,
        "chunkId": chunk.id,
        "key": chunk.key,
        "hash": chunk.hash,
        "start": chunk.start,
        "end": chunk.end,
        "lines": [first, last],
        "path": list(chunk.path),
        "metadata": passage.metadata,
    }
    return {**found, **{key: theirs.get(key) for key in keys if key not in found}}


def _settings(pool: Pool, cutting: Cutting) -> tuple[list[str], dict[str, Any]]:
    """The names of the strategies that cut the documents, and the options in force."""
    names: dict[str, None] = {}
    options: dict[str, Any] = {}
    for document in pool.documents:
        chosen = cutting.strategy_for(document)
        names[chosen if isinstance(chosen, str) else strategy_name(chosen)] = None
        options.update(cutting.options_for(document))
    return list(names), options
