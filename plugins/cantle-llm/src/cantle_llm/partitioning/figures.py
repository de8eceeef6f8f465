"""A result in a few words and figures, as all views of it have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Block, PartitionResult

__all__ = ["percent", "ranges", "state", "unlabelled"]

_MOST_RANGES = 4


def percent(part: int, whole: int) -> str:
    """A share, rounded down: what is below a limit never looks as if it had reached it."""
    tenths = 1000 * part // whole if whole else 1000
    return f"{tenths // 10}.{tenths % 10}%"


def ranges(runs: Sequence[tuple[int, int]]) -> str:
    """Inclusive ranges; of many the first ones and the last."""
    said = [f"{a}-{b}" if a < b else f"{a}" for a, b in runs]
    if len(said) <= _MOST_RANGES:
        return ", ".join(said)
    return f"{', '.join(said[: _MOST_RANGES - 1])} ... {said[-1]}"


def state(result: PartitionResult) -> str:
    """How many blocks of how many sentences, and what of them is the model's."""
    sentences = f"{result.total_lines} sentence{'' if result.total_lines == 1 else 's'}"
    blocks = f"{len(result.blocks)} block{'' if len(result.blocks) == 1 else 's'}"
    covered = percent(result.total_lines - result.missing_count, result.total_lines)
    said = f"{blocks}, {sentences}, coverage {covered}"
    if result.failed_sessions:
        said += f", {result.failed_sessions} of {result.sessions_used} sessions failed"
    return said if result.success else f"{said}: {result.reason}"


def unlabelled(block: Block) -> str:
    """What stands in place of a label."""
    return "mechanical" if block.fallback else "no label"
