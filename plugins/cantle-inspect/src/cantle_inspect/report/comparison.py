"""`compare`: what several strategies make of one document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cantle import Chunks, MDocument, Strategy, registry
from cantle.errors import CantleError, OptionError

from ..corpus.pool import Cutting
from ..measures.cuts import KINDS, Whole
from ..measures.explain import explained
from ..measures.settings import changed, fields, literal, strategy_name, worded_options
from ..measures.sizes import Losses, Sizes, losses, measured, repeated

__all__ = ["Candidate", "Compared", "Comparison", "candidates", "compare"]

_DEFAULT = {
    "markdown": ("markdown", "structural-context", "recursive", "sentence"),
    "html": ("html", "structural-context"),
    "json": ("json", "recursive"),
    "latex": ("latex", "structural-context", "recursive"),
    "pdf": ("structural-context", "recursive", "sentence"),
}

Named = str | type[Strategy] | Strategy


@dataclass(frozen=True)
class Candidate:
    """A strategy with options of its own."""

    strategy: Named
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Compared:
    """What one strategy makes of the document; with an `error`, nothing.

    `options` are those with another value than their default. `overlap` is the share of all contents that repeats, 0
    to 1. `torn` has one entry a cut, which is a place between two chunks: the kinds of units that it goes through.
    """

    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)
    chunks: Chunks | None = None
    sizes: Sizes = field(default_factory=lambda: Sizes(()))
    overlap: float = 0.0
    losses: Losses = field(default_factory=lambda: Losses({}, 0))
    torn: tuple[frozenset[str], ...] = ()
    error: str = ""

    def through(self, kind: str) -> int:
        """How many cuts go through a unit of a kind: `sentence`, `table` or `code`."""
        return sum(kind in kinds for kinds in self.torn)

    def share(self, kind: str) -> float:
        """Which share of all cuts they are, 0 to 1."""
        return self.through(kind) / len(self.torn) if self.torn else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The row, ready for JSON: sizes in the unit of the strategy, `dropped` in characters by reason."""
        if self.chunks is None:
            return {"strategy": self.strategy, "error": self.error}
        sizes = self.sizes
        return {
            "strategy": self.strategy,
            "options": {name: _plain(value) for name, value in self.options.items()},
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
            "cutsInside": {kind: {"cuts": self.through(kind), "share": _rounded(self.share(kind))} for kind in KINDS},
            "error": None,
        }


def _plain(value: Any) -> Any:
    """An option's value for JSON; of objects and functions the name."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else literal(value)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


@dataclass(frozen=True)
class Comparison:
    """Rows in the order that was asked for. `units`: kind -> how many the document has."""

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
        said = {*self.common, "length_function"}
        own = {name: value for name, value in row.options.items() if name not in said}
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
        from .side_by_side import side_by_side

        return side_by_side(self)

    def _repr_html_(self) -> str:
        from .side_by_side import fragment

        return fragment(self)


def candidates(document: MDocument) -> list[str]:
    """The strategies that are compared when none are named: those made for the document's kind, and general ones."""
    return list(_DEFAULT.get(document.kind, ("recursive", "sentence", "structural-context")))


def compare(
    document: MDocument,
    strategies: Sequence[Named | tuple[Named, Mapping[str, Any]] | Candidate] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Cut a document by several strategies and count.

    A strategy is a name, a class, an instance, or a pair of one and its own options; None takes those that suit the
    document's kind (`candidates`). `options` are common: each strategy gets those of them that it takes and has no own
    value for. Where no `max_size` is given it is 480, and the overlap a sixth of it, as in `preview` and `evaluate`; an
    instance is taken as it is, common options apart.

    A strategy that fails is a row with an `error`. Raises `OptionError` for an option that a strategy named with it, or
    of the common ones no strategy, takes, and `UnknownStrategyError`.
    """
    common = dict(options or {})
    asked = [_candidate(item) for item in (candidates(document) if strategies is None else strategies)]
    if not asked:
        raise OptionError(
            "compare needs a strategy at least, got an empty list. Give names, or None for the usual ones."
        )
    classes = [_known(candidate) for candidate in asked]
    _refuse_unused(common, classes)
    whole = Whole(document)
    rows = []
    for candidate, known in zip(asked, classes, strict=True):
        taken = {name: value for name, value in common.items() if name in known}
        rows.append(_row(document, candidate, {**taken, **candidate.options}, whole))
    return Comparison(document, tuple(rows), whole.counts)


def _candidate(item: Named | tuple[Named, Mapping[str, Any]] | Candidate) -> Candidate:
    if isinstance(item, Candidate):
        return item
    if isinstance(item, tuple):
        return Candidate(item[0], dict(item[1]))
    return Candidate(item, {})


def _known(candidate: Candidate) -> frozenset[str]:
    """The options that a strategy takes. Raises for options of its own that it does not have."""
    chosen = candidate.strategy
    if isinstance(chosen, str):
        chosen = registry().strategy(chosen)
    known = fields(chosen)
    if set(candidate.options) - known - set(getattr(chosen, "unused", ())):
        registry().make(chosen, candidate.options)  # says what it takes
    return known


def _refuse_unused(common: Iterable[str], classes: Iterable[frozenset[str]]) -> None:
    known = frozenset[str]().union(*classes)
    unused = [name for name in common if name not in known]
    if unused:
        from difflib import get_close_matches

        close = get_close_matches(unused[0], sorted(known), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise OptionError(
            f"None of the strategies takes {', '.join(map(repr, unused))}.{hint} They take: {', '.join(sorted(known))}."
        )


def _row(document: MDocument, candidate: Candidate, options: Mapping[str, Any], whole: Whole) -> Compared:
    chosen = candidate.strategy
    name = chosen if isinstance(chosen, str) else strategy_name(chosen)
    try:
        chunks = explained(document, chosen, Cutting(chosen, options).options_for(document))
        return Compared(
            name,
            changed(chunks.strategy),
            chunks,
            measured(chunks),
            repeated(chunks),
            losses(chunks),
            tuple(whole.torn(chunks)),
        )
    except Exception as error:  # a strategy of a plugin may raise anything
        message = str(error) if isinstance(error, CantleError) else f"{type(error).__name__}: {error}"
        return Compared(name, error=message)
