"""A document divided without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..client.usage import Control, Cost, Usage
from ..lines import lines_of
from .assembling import audited, begun, block_of, snake
from .cleaning import clean
from .counters import count
from .merging import Group
from .options import Options
from .result import PartitionResult

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["by_words"]


def by_words(source: Source, options: Options, caller: str) -> PartitionResult:
    """The result of the lexical engine."""
    from ..lexical import segment

    lines = lines_of(source, options.max_words_per_line)
    topics = segment(source.text, lines, language=options.language) if lines else []
    groups = [
        Group(list(range(topic.first, topic.last + 1)), (clean(topic.label) or None) if topic.label else None)
        for topic in topics
    ]
    log = [
        *begun(source, lines, "lexical engine"),
        f"{len(groups)} block(s) assembled",
        f"Coverage: 100.0% ({len(lines)}/{len(lines)})",
        "Partition finished",
    ]
    count(partitions=1)
    return PartitionResult(
        source=source,
        success=True,
        blocks=tuple(block_of(source, lines, group) for group in groups),
        coverage=1.0,
        total_lines=len(lines),
        reasoning="Divided by headings and by the words that neighbouring lines share." if groups else "",
        audit_log=audited(log),
        usage=Usage(source=f"{snake(caller)}_aggregate"),
        cost=Cost(),
        control=Control(),
        caller=caller,
    )
