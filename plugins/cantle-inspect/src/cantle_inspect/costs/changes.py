"""Which chunks are embedded again after documents were edited, and how many tokens that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from cantle import Chunk, diff

from ..corpus.pool import Cutting, Pool
from ..corpus.reading import Corpus
from .edits import edited

if TYPE_CHECKING:
    from cantle.sync import Diff

__all__ = ["Change", "Record", "by_source", "measured", "simulated"]

Record = Chunk | Mapping[str, Any]
"""A chunk, or its dictionary."""


@dataclass(frozen=True)
class Change:
    """What is embedded again. `basis` is `measured`, against an earlier state, or `simulated`, by one edit a document.

    `tokens` are those of the texts that need a vector, `whole` those of all chunks after the change.
    `shares` are the parts of each document that are embedded again, by tokens, from 0 to 1.
    """

    basis: str
    tokens: int
    whole: int
    tokens_of: dict[str, int]
    """The tokens that are embedded again of each document, by its source."""
    shares: tuple[float, ...]
    counts: dict[str, int]
    """How many chunks are kept, moved, new, gone, and embedded again."""
    recut: bool = False
    """Whether most earlier chunks are gone though their texts still stand in the documents: other settings cut them."""

    @property
    def share(self) -> float:
        """The part of all tokens that is embedded again, from 0 to 1."""
        return self.tokens / self.whole if self.whole else 0.0

    @property
    def median_share(self) -> float:
        """The median over the documents of the part that is embedded again."""
        return median(self.shares) if self.shares else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON."""
        return {
            "basis": self.basis,
            "documents": len(self.shares),
            "changedDocuments": sum(1 for share in self.shares if share),
            **self.counts,
            "tokens": self.tokens,
            "recut": self.recut,
            "share": round(self.share, 6),
            "medianShare": round(self.median_share, 6),
        }


def by_source(pool: Pool) -> dict[str, list[Chunk]]:
    """The chunks of each document, by its source, in order."""
    found: dict[str, list[Chunk]] = {document.source: [] for document in pool.documents}
    for passage in pool.passages:
        found[passage.document.source].append(passage.chunk)
    return found


def measured(old: Iterable[Record], pool: Pool, count: Callable[[str], int]) -> Change:
    """What changed since an earlier run, given by its records: chunks, or their dictionaries."""
    found = diff(list(old), [passage.chunk for passage in pool.passages])
    change = _change("measured", [found], by_source(pool), count)
    return replace(change, recut=_is_recut(found, pool))


_SAMPLE = 50


def _is_recut(found: Diff, pool: Pool) -> bool:
    """Whether most chunks are gone, and nearly all of these are still there, word for word, in the documents; or one is
    longer than any may be now. Chunks of files that are no documents here say nothing of settings."""
    names = {document.source.rpartition("/")[2] for document in pool.documents}
    gone = [record for record in found.gone if _source(record).rpartition("/")[2] in names]
    if any(_is_too_long(_content(record), pool) for record in gone):
        return True
    if len(gone) <= len(found.kept) + len(found.moved):
        return False
    step = max(1, len(gone) // _SAMPLE)
    texts = [text for record in gone[::step] if (text := _content(record).strip())]
    there = sum(1 for text in texts if any(text in document.text for document in pool.documents))
    return bool(texts) and there >= 0.9 * len(texts)


def _is_too_long(text: str, pool: Pool) -> bool:
    """Whether a text is above the limit of every strategy that cut the documents, as far as these have one."""
    strategies = {id(s): s for passage in pool.passages if (s := passage.chunks.strategy) is not None}.values()
    limits = [(s.limit, s.length) for s in strategies if hasattr(s, "limit") and hasattr(s, "length")]
    return len(limits) == len(strategies) > 0 and all(length(text) > limit for limit, length in limits)


def _source(record: Record) -> str:
    found = record.source if isinstance(record, Chunk) else record.get("source", "")
    return found if isinstance(found, str) else ""


def _content(record: Record) -> str:
    if isinstance(record, Chunk):
        return record.content
    found = record.get("content", record.get("text"))
    return found if isinstance(found, str) else ""


def simulated(pool: Pool, cutting: Cutting, count: Callable[[str], int]) -> Change | None:
    """What one more sentence in the middle of each document changes; None where no document has a place for one.

    Documents that have none (numbers in JSON, say) are left out.
    """
    after = Pool.of(Corpus(tuple(new for new in map(edited, pool.documents) if new is not None)), cutting)
    before, now = by_source(pool), by_source(after)
    if not now:
        return None
    return _change("simulated", [diff(before[source], now[source]) for source in now], now, count)


def _change(basis: str, found: Iterable[Diff], now: dict[str, list[Chunk]], count: Callable[[str], int]) -> Change:
    tokens_of = dict.fromkeys(now, 0)
    source_of = {id(chunk): source for source, chunks in now.items() for chunk in chunks}
    counts: Counter[str] = Counter(dict.fromkeys(("kept", "moved", "new", "gone", "embed"), 0))
    for difference in found:
        counts.update(difference.counts)
        for chunk in difference.embed:
            assert isinstance(chunk, Chunk)  # one of those in `now`
            tokens_of[source_of[id(chunk)]] += count(chunk.text)
    whole_of = {source: sum(count(chunk.text) for chunk in chunks) for source, chunks in now.items()}
    return Change(
        basis,
        tokens=sum(tokens_of.values()),
        whole=sum(whole_of.values()),
        tokens_of=tokens_of,
        shares=tuple(tokens_of[source] / whole if whole else 0.0 for source, whole in whole_of.items()),
        counts=dict(counts),
    )
