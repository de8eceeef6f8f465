"""Audit lines: which chunk sustains the answer to a question, and who asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cantle.access import Access
from cantle.commands import opened, to_json

if TYPE_CHECKING:
    from ..rank.hits import Hit

__all__ = ["audit_record", "write_audit"]


def audit_record(question: str, hit: Hit | None, access: Access, ranker: str, **more: Any) -> dict[str, Any]:
    """What an auditor asks of an answer: the question, who asked, and the chunk that sustains it (None: there is none).

    `hash` is that of the chunk's content, `key` names the chunk in a store, `start` and `end` are code points of the
    document's text, `config` stands for the strategy, its options and the version that cut it. `more` is added.
    """
    chunk = hit.passage.chunk if hit else None
    return {
        "question": question,
        "role": access.role,
        "where": where_of(access),
        "id": hit.passage.id if hit else None,
        "key": chunk.key if chunk else None,
        "hash": chunk.hash if chunk else None,
        "source": hit.passage.document.source if hit else None,
        "start": chunk.start if chunk else None,
        "end": chunk.end if chunk else None,
        "score": round(hit.score, 6) if hit else None,
        "ranker": ranker,
        "config": hit.passage.chunks.config_hash if hit else None,
        **more,
    }


def where_of(access: Access) -> dict[str, list[str]]:
    """The filter of an access as JSON has it: key -> values of which one must hold."""
    return {key: list(values) for key, values in access.where.items()}


def write_audit(file: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Write audit lines as JSON Lines, one a record. A file that is there is replaced when the new one is complete."""
    with opened(file) as output:
        for record in records:
            output.stream.write(to_json(record).encode("utf-8") + b"\n")
        output.commit()
