"""One question against the chunks of a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cantle.access import Access, listed
from cantle.commands import counted
from cantle.errors import OptionError
from cantle.lengths import LengthLike

from ..corpus.pool import Cutting, CuttingLike, Passage, Pool, Settings
from ..corpus.reading import Corpus, read_corpus
from ..measures.html_table import html_table
from ..measures.settings import plain
from ..measures.tokens import MODEL, Tokenizer, tokenizer_of
from ..names import camel
from ..rank import NamedRanker, Ranker, named, words
from ..rank.hits import Hit, lowest, ranked, ranker_name
from .audit import audit_record, where_of

__all__ = ["Preview", "preview"]

_SHOWN = ("dept", "classification")
"""Keys of the metadata that every chunk in JSON has at its top."""


@dataclass(frozen=True, repr=False)
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
    model: str = MODEL
    """Whose tokens are counted."""
    tokenizer: Tokenizer = field(default_factory=lambda: tokenizer_of(MODEL))

    def __repr__(self) -> str:
        best = f", best {self.hits[0].passage.id} ({self.hits[0].score:.3f})" if self.hits else ""
        return f"<Preview: {len(self.hits)} of {counted(len(self.candidates), 'chunk')}{best}>"

    def _repr_html_(self) -> str:
        """The chunks found, for notebooks."""
        keys = list(dict.fromkeys([*_SHOWN, *self.keys]))
        rows = [
            [
                number,
                round(hit.score, 3),
                hit.passage.id,
                *(", ".join(listed(hit.passage.document.metadata.get(key))) for key in keys),
                hit.passage.chunk.text,
            ]
            for number, hit in enumerate(self.hits, 1)
        ]
        return html_table(["#", "score", "id", *keys, "text"], rows, self.question)

    @cached_property
    def tokens(self) -> int:
        """The tokens of all chunks: what indexing them would pay for."""
        return round(self.pool.size(self.tokenizer.length))

    def to_dict(self) -> dict[str, Any]:
        """The question, the chunks found, best first, and statistics, ready for JSON.

        `lines` are the first and the last line of the chunk in its document's text, from 1.
        """
        strategies, options, _ = self.settings
        return {
            "question": self.question,
            "chunks": [_chunk(hit, self.keys) for hit in self.hits],
            "stats": {
                "totalChunks": len(self.pool.passages),
                "tokensEstimate": self.tokens,
                "rankedChunks": len(self.candidates),
                "documents": len(self.pool.documents),
                "leftOut": [one._asdict() for one in self.pool.left_out],
                "strategies": strategies,
                "options": {camel(name): plain(value) for name, value in options.items()},
                "ranker": ranker_name(self.ranker),
                "language": self.languages,
                "role": self.access.role,
                "where": where_of(self.access),
                "model": self.model,
                "tokenizer": self.tokenizer.name,
                "isEstimated": self.tokenizer.is_estimated,
            },
        }

    @cached_property
    def settings(self) -> Settings:
        """The names of the strategies that cut the documents, the options in force, and what sizes count."""
        return self.pool.settings(self.cutting.options)

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
        """The audit line of this answer: the best chunk, unless its score says that it is none (see `lowest`)."""
        best = self.hits[0] if self.hits and self.hits[0].score > lowest(self.ranker) else None
        return audit_record(self.question, best, self.access, ranker_name(self.ranker))


def preview(
    corpus: Corpus | str | Path | Sequence[str | Path],
    question: str,
    *,
    where: Mapping[str, Any] | Access | None = None,
    cutting: CuttingLike = None,
    ranker: Ranker | str = "tf-cosine",
    top_k: int = 5,
    min_score: float | None = None,
    keys: Iterable[str] = (),
    model: str = MODEL,
    tokenizer: LengthLike | None = None,
) -> Preview:
    """The `top_k` chunks that answer a question best, of those that `where` lets through.

    `corpus` may be a path, or several: `read_corpus` reads them. `where` is applied before ranking: what may not be
    seen has no part in any score. `cutting` may be a strategy or a mapping of options too, with `strategy` among them.
    Chunks with scores below `min_score` are left out; without it the best `top_k` are given whatever their score.
    `keys` of the metadata stand at the top of each chunk in `to_dict`, as those of filters do. Tokens are counted by
    the tokenizer of the embedding model `model`, else by `cl100k_base`; `tokenizer` names another one.

    Raises `OptionError` for wrong options and for a question that is empty, `DocumentError` for paths without documents
    and `RankError` for a ranker that gives no scores.
    """
    if not isinstance(question, str) or not question.strip():
        raise OptionError(f"question must be a text that is not empty, got {question!r}.")
    if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
        raise OptionError(f"top_k must be a whole number, 1 or more, got {top_k!r}.")
    is_number = isinstance(min_score, int | float) and not isinstance(min_score, bool) and min_score == min_score
    if min_score is not None and not is_number:
        raise OptionError(f"min_score must be a number or None, got {min_score!r}.")
    cut = Cutting.like(cutting)
    access = where if isinstance(where, Access) else Access.of(where)
    chosen = named(ranker) if isinstance(ranker, str) else ranker
    counter = tokenizer_of(model, tokenizer)
    pool = Pool.of(corpus if isinstance(corpus, Corpus) else read_corpus(corpus), cut)
    candidates = pool.visible(access)
    hits = ranked(candidates, chosen, question)[:top_k]
    if min_score is not None:
        hits = [hit for hit in hits if hit.score >= min_score]
    shown = tuple(dict.fromkeys([*access.keys, *keys]))
    return Preview(question, tuple(hits), pool, tuple(candidates), access, cut, chosen, shown, model, counter)


def _chunk(hit: Hit, keys: Iterable[str]) -> dict[str, Any]:
    passage = hit.passage
    chunk = passage.chunk
    first, _, last, _ = passage.chunks.lines(chunk)
    theirs = passage.document.metadata
    found = {
        "id": passage.id,
        "source": passage.document.source,
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
