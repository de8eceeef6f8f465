"""What partition gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..client.usage import Control, Cost, Usage
from .reading import Repair

if TYPE_CHECKING:
    from cantle import Chunks, Source

__all__ = ["Block", "Failure", "PartitionResult", "Persisted", "Uncovered"]

Range = tuple[int, int]


@dataclass(frozen=True)
class Block:
    """A topical block: stretches of the source, in order.

    `ranges` are those stretches, `(start, end)` in code points, end exclusive; `start` and `end` bound them all.
    `lines` are the lines, as inclusive ranges. `text` is the source's text, several stretches with a blank line
    between them. `label` is None where a block was made mechanically, or the model gave none; `fallback` says which.
    """

    text: str
    label: str | None
    start: int
    end: int
    ranges: tuple[Range, ...]
    lines: tuple[Range, ...]
    fallback: bool = False

    def to_dict(self) -> dict[str, Any]:
        """`text`, `label`, `start`, `end`, `ranges`, `lines`."""
        return {
            "text": self.text,
            "label": self.label,
            "start": self.start,
            "end": self.end,
            "ranges": [list(one) for one in self.ranges],
            "lines": [list(one) for one in self.lines],
        }


@dataclass(frozen=True)
class Uncovered:
    """Lines that the blocks of the model left out: their numbers, as inclusive ranges, and their texts."""

    indices: tuple[int, ...] = ()
    ranges: tuple[Range, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many."""
        return len(self.indices)

    def to_dict(self) -> dict[str, Any]:
        """`count`, `indices`, `ranges`, `lines`."""
        return {
            "count": self.count,
            "indices": list(self.indices),
            "ranges": [list(one) for one in self.ranges],
            "lines": list(self.lines),
        }


@dataclass(frozen=True)
class Failure:
    """A session that gave no usable answer: its window, its lines (inclusive), and why, as in `ModelError`."""

    window: int
    lines: Range
    reason: str
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """`window`, `lines`, `reason`, `detail`."""
        return {"window": self.window, "lines": list(self.lines), "reason": self.reason, "detail": self.detail}


@dataclass(frozen=True, kw_only=True)
class Persisted:
    """Where the blocks were stored, as the store says."""

    dataset_id: str | int
    avatar_id: str | int | None = None
    dataset_created: bool = False
    dataset_name: str | None = None
    chunk_ids: tuple[str | int, ...] = ()
    count: int = 0

    def to_dict(self) -> dict[str, Any]:
        """`datasetId`, `avatarId`, `datasetCreated`, `datasetName`, `chunkIds`, `count`."""
        return {
            "datasetId": self.dataset_id,
            "avatarId": self.avatar_id,
            "datasetCreated": self.dataset_created,
            "datasetName": self.dataset_name,
            "chunkIds": list(self.chunk_ids),
            "count": self.count,
        }


@dataclass(kw_only=True)
class PartitionResult:
    """The blocks of a document, with a report of how they came about.

    `success` is False when no session was answered (`reason` `"all_sessions_failed"`), when less than `min_coverage` of
    the lines were covered (`"coverage_below_threshold"`), or when the model could not be asked to the end (`"budget"`,
    `"quota"`, `"unauthorized"`, ...); the blocks are there all the same. `coverage` is the share of lines in blocks
    before any line was put into the nearest one. Blocks that were made mechanically count: it does not say how much of
    the document the model divided. That `failed_sessions`, `failures` and `fallback_used` say, and `fallback` of each
    block. `replayed` counts sessions whose answers were on file.
    `usage`, `cost` and `control` are those of this run: answers on file cost nothing.
    """

    source: Source = field(repr=False)
    success: bool
    blocks: tuple[Block, ...] = field(repr=False)
    coverage: float
    total_lines: int
    sessions_used: int = 0
    failed_sessions: int = 0
    replayed: int = 0
    reasoning: str = field(default="", repr=False)
    audit_log: tuple[str, ...] = field(default=(), repr=False)
    persisted: Persisted | None = None
    uncovered_lines: Uncovered = field(default_factory=Uncovered, repr=False)
    reason: str | None = None
    failures: tuple[Failure, ...] = ()
    repairs: tuple[Repair, ...] = field(default=(), repr=False)
    usage: Usage = field(default_factory=Usage)
    cost: Cost = field(default_factory=Cost)
    control: Control = field(default_factory=Control)
    caller: str = "partition"
    provider: str = "cantle"
    model: str = "lexical"
    namer: Callable[[PartitionResult], str] | None = field(default=None, repr=False, compare=False)
    """What gives the name and counts what that costs; not pickled."""

    @property
    def fallback_used(self) -> bool:
        """Whether any block was made mechanically."""
        return any(block.fallback for block in self.blocks)

    @property
    def missing_count(self) -> int:
        """How many lines the model left out."""
        return self.uncovered_lines.count

    def name(self) -> str:
        """A name for a data set of these blocks, made by the model from their labels: one call, counted in `usage`.

        Without a model, or where the call fails, it is made of the first label.
        """
        return plain_name(self) if self.namer is None else self.namer(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values under camelCase keys, ready for JSON.

        `success`, `blocks`, `coverage`, `totalLines`, `sessionsUsed`, `fallbackUsed`, `failedSessions`, `reasoning`,
        `auditLog`, `persisted`, `uncoveredLines`, `costControl`; where it failed `reason` and `missingCount`; where
        there are any, `failures` and `repairs`.
        """
        found: dict[str, Any] = {"success": self.success}
        if not self.success:
            found |= {"reason": self.reason, "missingCount": self.missing_count}
        found |= {
            "blocks": [block.to_dict() for block in self.blocks],
            "coverage": self.coverage,
            "totalLines": self.total_lines,
            "sessionsUsed": self.sessions_used,
            "fallbackUsed": self.fallback_used,
            "failedSessions": self.failed_sessions,
            "reasoning": self.reasoning,
            "auditLog": list(self.audit_log),
            "persisted": None if self.persisted is None else self.persisted.to_dict(),
            "uncoveredLines": self.uncovered_lines.to_dict(),
            "costControl": {
                "usage": self.usage.to_dict(),
                "cost": self.cost.to_dict(),
                "control": self.control.to_dict(),
                "references": {"caller": self.caller, "provider": self.provider, "model": self.model},
                "reconciliation": None,
            },
        }
        if self.failures:
            found["failures"] = [failure.to_dict() for failure in self.failures]
        if self.repairs:
            found["repairs"] = [repair.to_dict() for repair in self.repairs]
        return found

    def to_json(self, *, indent: int | None = None) -> str:
        """`to_dict()` as JSON; lone surrogates are escaped."""
        from cantle.commands import to_json

        return to_json(self.to_dict(), indent=indent)

    def to_chunks(self, *, max_size: int | None = None) -> Chunks:
        """The blocks as chunks of the source, with `label`, `block` and `fallback` in their metadata.

        A block of more than `max_size` characters (code points) is cut at paragraphs, lines and words.
        """
        from .chunking import chunks_of

        if max_size is None:
            return chunks_of(self)
        from cantle.errors import OptionError
        from cantle.lengths import resolve

        if isinstance(max_size, bool) or not isinstance(max_size, int) or max_size < 1:
            raise OptionError(f"max_size must be a whole number of at least 1, got {max_size!r}.")
        return chunks_of(self, limit=max_size, length=resolve("characters"))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "namer": None}

    def _repr_html_(self) -> str:
        from .html_view import view

        return view(self)

    def __str__(self) -> str:
        from .text_view import as_text

        return as_text(self)


def plain_name(result: PartitionResult, most: int = 60) -> str:
    """The first label, and how many others there are: `The Beginning (+2)`. Without labels the document's name.

    At most `most` characters; a label that is longer is cut behind a word.
    """
    from .cleaning import clean

    labels = [label for block in result.blocks if (label := (block.label or "").strip().rstrip(". "))]
    others = len(set(labels)) - 1
    count = f" (+{others})" if others > 0 else ""
    room = most - len(count)
    whole = clean(next(iter(labels), "") or result.source.source, 10 * most) or "Untitled"
    if len(whole) > room:
        shorter = clean(whole, room).removesuffix("…")
        word = shorter.rpartition(" ")[0].rstrip(" .,;:-") if whole[len(shorter)] != " " else shorter
        # A word that fills most of the name, or a script without blanks, is cut where it has to be.
        whole = f"{word if 2 * len(word) >= room else shorter}…"
    return whole + count
