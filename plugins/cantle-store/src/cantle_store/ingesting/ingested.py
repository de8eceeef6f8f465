"""What an ingest did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Counts", "Ingested"]


@dataclass
class Counts:
    """How many are new, changed, kept as they were, and gone."""

    new: int = 0
    changed: int = 0
    kept: int = 0
    gone: int = 0

    def add(self, new: int, changed: int, kept: int, gone: int) -> None:
        """Count some more."""
        self.new += new
        self.changed += changed
        self.kept += kept
        self.gone += gone

    def to_dict(self) -> dict[str, int]:
        """The counts, ready for JSON."""
        return {"new": self.new, "changed": self.changed, "kept": self.kept, "gone": self.gone}


@dataclass
class Ingested:
    """What an ingest did, or would do. `embedded` counts texts that an embedder was asked for.

    `failed` has the name and the error of each document that could not be ingested; what is kept of it stays.
    `left_out` names the files of directories that nothing installed reads. `recut` counts the documents that were cut
    another way before, with other options, or by another version of cantle. `replaced` has, by the keys of the given
    metadata, the documents that say something else themselves.
    """

    dataset: str
    documents: Counts = field(default_factory=Counts)
    chunks: Counts = field(default_factory=Counts)
    embedded: int = 0
    failed: list[tuple[str, Exception]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    recut: int = 0
    replaced: dict[str, list[str]] = field(default_factory=dict)
    dry_run: bool = False

    @property
    def wrote(self) -> bool:
        """Whether anything was written; of a dry run, whether anything would be."""
        return bool(self.documents.new or self.documents.changed or self.documents.gone)

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "dataset": self.dataset,
            "documents": self.documents.to_dict(),
            "chunks": self.chunks.to_dict(),
            "embedded": self.embedded,
            "failed": [{"source": name, "error": str(error)} for name, error in self.failed],
            "leftOut": self.left_out,
            "recut": self.recut,
            "replaced": self.replaced,
            "dryRun": self.dry_run,
        }
