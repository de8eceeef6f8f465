"""What both engines make a result of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..lines import Line
from .merging import Group
from .ranges import runs_of
from .result import Block

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["audited", "begun", "block_of", "snake"]


def begun(source: Source, lines: Sequence[Line], engine: str) -> list[str]:
    """The first entries of the audit log."""
    return [
        f"Partitioning a text of {len(source.text) - source.body} characters by the {engine}",
        f"Text divided into {len(lines)} line(s)",
    ]


def block_of(source: Source, lines: Sequence[Line], group: Group) -> Block:
    """The block of a group of lines."""
    from .chunking import JOINT

    runs = tuple(runs_of(group.lines))
    ranges = tuple((lines[a].start, lines[b].end) for a, b in runs)
    return Block(
        JOINT.join(source.text[start:end] for start, end in ranges),
        group.label,
        ranges[0][0],
        ranges[-1][1],
        ranges,
        runs,
        group.fallback,
    )


def audited(log: Sequence[str]) -> tuple[str, ...]:
    """The entries of an audit log, marked as ours."""
    return tuple(f"[partition] {line}" for line in log)


def snake(name: str) -> str:
    """`smartSplit` as `smart_split`."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1], name).lower()
