"""What several strategies made of one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cantle import Chunks, MDocument, Strategy

from ..measures.cuts import KINDS
from ..measures.settings import literal, plain, worded_options
from ..measures.sizes import Losses, Sizes
from ..names import camel

__all__ = ["Candidate", "Compared", "Comparison", "Named"]

Named = str | type[Strategy] | Strategy
"""A strategy, as it is named."""


@dataclass(frozen=True)
class Candidate:
    """A strategy with options of its own."""

    strategy: Named
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Compared:
    """What one strategy makes of the document; with an `error`, nothing.

    `options` are those with another value than their default; with an error, those that were asked for. `overlap` is
    the share of all contents that stands in a chunk before, 0 to 1. `torn` has one entry a cut, which is a place
    between two chunks: the kinds of units that it goes through, of those that the document can have (`measured`).
    """

    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    chunks: Chunks | None = None
    sizes: Sizes = field(default_factory=lambda: Sizes(()))
    overlap: float = 0.0
    losses: Losses = field(default_factory=lambda: Losses({}, 0))
    torn: tuple[frozenset[str], ...] = ()
    measured: frozenset[str] = frozenset(KINDS)
    error: str = ""

    @property
    def total(self) -> int:
        """How many chunks there are."""
        return 0 if self.chunks is None else len(self.chunks)

    def through(self, kind: str) -> int:
        """How many cuts go through a unit of a kind: `sentence`, `table` or `code`."""
        return sum(kind in kinds for kinds in self.torn)

    def share(self, kind: str) -> float:
        """Which share of all cuts they are, 0 to 1."""
        return self.through(kind) / len(self.torn) if self.torn else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The row, ready for JSON: sizes in the unit of the strategy, `dropped` in characters by reason."""
        if self.chunks is None:
            return {"strategy": self.strategy, "options": self._options(), "error": self.error}
        sizes = self.sizes
        return {
            "strategy": self.strategy,
            "options": self._options(),
            "configHash": self.chunks.config_hash,
            "totalChunks": len(self.chunks),
            "unit": sizes.unit,
            "limit": sizes.limit,
            "sizes": {"min": sizes.least, "median": sizes.median, "mean": _rounded(sizes.mean), "max": sizes.most},
            "limitUsed": _rounded(sizes.used),
            "overlapShare": _rounded(self.overlap),
            "dropped": {reason: characters for reason, (_, characters) in self.losses.dropped.items()},
            "undeclared": self.losses.undeclared,
            "cuts": len(self.torn),
            "cutsInside": {kind: self._inside(kind) for kind in KINDS},
            "error": None,
        }

    def _options(self) -> dict[str, Any]:
        return {camel(name): plain(value) for name, value in self.options.items()}

    def _inside(self, kind: str) -> dict[str, Any]:
        if kind not in self.measured:
            return {"cuts": None, "share": None}
        return {"cuts": self.through(kind), "share": _rounded(self.share(kind))}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


@dataclass(frozen=True)
class Comparison:
    """Rows in the order that was asked for. `units`: kind -> how many the document has, of the kinds it can have."""

    document: MDocument
    rows: tuple[Compared, ...]
    units: Mapping[str, int]

    @property
    def common(self) -> dict[str, Any]:
        """The options that all rows without an error have in common."""
        done = [{k: literal(v) for k, v in row.options.items()} for row in self.rows if not row.error]
        shared = {k for k in done[0] if all(options.get(k) == done[0][k] for options in done)} if done else set()
        first = next((row.options for row in self.rows if not row.error), {})
        return {name: value for name, value in first.items() if name in shared}

    def title(self, row: Compared) -> str:
        """A strategy with what sets it apart from the others, its unit aside: `recursive, overlap=0`."""
        said = {name: literal(value) for name, value in self.common.items()}
        own = {k: v for k, v in row.options.items() if k != "length_function" and literal(v) != said.get(k)}
        return ", ".join([row.strategy, *worded_options(own)])

    @property
    def unit(self) -> str:
        """The unit of all sizes; empty when there are several."""
        found = {row.sizes.unit for row in self.rows if not row.error}
        return found.pop() if len(found) == 1 else ""

    @property
    def failed(self) -> bool:
        """Whether a strategy could not cut the document."""
        return any(row.error for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "source": self.document.source,
            "kind": self.document.kind,
            "characters": len(self.document.text),
            "units": dict(self.units),
            "strategies": [row.to_dict() for row in self.rows],
        }

    def to_html(self) -> str:
        """A self-contained page: the figures, and the document with its cuts in a column a strategy."""
        from .page import side_by_side

        return side_by_side(self)

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)
