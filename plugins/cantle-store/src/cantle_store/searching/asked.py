"""What is searched for, checked; and the datasets that it is searched in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from cantle.access import Access
from cantle.errors import OptionError

from ..embedders import Embedder
from ..errors import NoEmbedderError, NotFoundError
from ..tables import AvatarRow, DatasetRow

__all__ = ["MODES", "Asked", "SearchedDataset", "searched_datasets"]

MODES = ("auto", "vector", "text", "hybrid")
MOST = 10_000


_MOST_KEYS = 100
"""Each key of a filter is an expression of its own in SQL."""


@dataclass(frozen=True)
class Asked:
    """What is searched for. `maker` makes the vector of the query where `vector` is None."""

    query: str | None
    vector: Sequence[float] | None
    where: Mapping[str, Any] | None
    roles: Sequence[str] | None
    k: int
    mode: str
    maker: Embedder | None

    def checked_mode(self) -> str:
        """The mode; "auto" is left only where it depends on the datasets. Raises `OptionError`, `EmbedderError`."""
        if self.mode not in MODES:
            raise OptionError(f"mode must be one of {', '.join(map(repr, MODES))}, got {self.mode!r}.")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= MOST:
            raise OptionError(f"k must be a whole number from 1 to {MOST:,}, got {self.k!r}.")
        if self.query is not None and not isinstance(self.query, str):
            raise OptionError(f"query must be a text, got {self.query!r}. A vector is given as vector=[...].")
        if self.query is None and self.vector is None:
            raise OptionError("Nothing is searched for. Give a query, a vector, or both.")
        Access.of(self.where)
        if self.where is not None and len(self.where) > _MOST_KEYS:
            raise OptionError(f"where may have {_MOST_KEYS} keys, got {len(self.where):,}. Of a key, name many values.")
        return self._fitting()

    def _fitting(self) -> str:
        if self.mode in ("text", "hybrid") and self.query is None:
            raise OptionError(f"mode={self.mode!r} needs a query. Give one, or mode='vector'.")
        if self.mode == "text" and self.vector is not None:
            raise OptionError("mode='text' takes no vector. Leave it out, or give mode='hybrid'.")
        has_vector = self.vector is not None or self.maker is not None
        if self.mode in ("vector", "hybrid") and not has_vector:
            raise NoEmbedderError(
                f"mode={self.mode!r} needs an embedder (embedder=..., of the search or of the store), or the vector of "
                "the query itself (vector=[...]). Without one there is mode='text'."
            )
        if self.mode != "auto":
            return self.mode
        if self.query is None:
            return "vector"
        return "auto" if has_vector else "text"


@dataclass(frozen=True)
class SearchedDataset:
    """A dataset as far as a search needs to know it."""

    id: str
    name: str
    embedder: str | None
    dimension: int | None


def searched_datasets(connection: Connection, host: str, named: str | None) -> list[SearchedDataset]:
    """The dataset of the host with this id, or name (of the main avatar); all of them when it is None."""
    rows = connection.execute(
        select(DatasetRow.id, DatasetRow.name, DatasetRow.embedder, DatasetRow.dimension, AvatarRow.main)
        .join(AvatarRow, AvatarRow.id == DatasetRow.avatar_id)
        .where(DatasetRow.host_id == host)
        .order_by(DatasetRow.name, DatasetRow.id)
    ).all()
    if named is not None:
        known = ", ".join(repr(row.name) for row in rows[:20] if row.main) or "none"
        rows = [row for row in rows if row.id == named] or [row for row in rows if row.main and row.name == named]
        if not rows:
            raise NotFoundError(f"There is no dataset {named!r}. Known: {known}.")
    return [SearchedDataset(row.id, row.name, row.embedder, row.dimension) for row in rows]
