"""What `cantle ingest` tells about files and documents, a line for each thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from cantle.commands import counted

__all__ = ["left_out", "recut", "replaced"]

_FEW = 3
_SUFFIXES = 5
_READERS = {".pdf": "cantle-files"}
"""Our plugins that read files, by suffix."""


def left_out(sources: Sequence[str]) -> str:
    """That nothing reads these files: their names, how many have which suffix, and what would read them."""
    kinds = Counter(PurePosixPath(source).suffix.lower() for source in sources)
    were = "1 file was" if len(sources) == 1 else f"{len(sources)} files were"
    line = f"{were} left out, since no installed plugin reads {'it' if len(sources) == 1 else 'them'}: {_some(sources)}"
    if len(sources) > _FEW:
        shown = [f"{count} {suffix or 'without a suffix'}" for suffix, count in kinds.most_common(_SUFFIXES)]
        line += f" ({', '.join(shown)}{', ...' if len(kinds) > _SUFFIXES else ''})"
    hints = [f"{suffix}: install {plugin}" for suffix, plugin in _READERS.items() if suffix in kinds]
    return "; ".join([line, *hints])


def recut(count: int, *, dry_run: bool) -> str:
    """That documents were cut another way before."""
    were, they = ("was", "it") if count == 1 else ("were", "they")
    would = "would be" if dry_run else "was" if count == 1 else "were"
    return (
        f"{counted(count, 'document')} {were} cut another way before (other options, or another version of cantle): "
        f"{they} {would} cut anew"
    )


def replaced(by_key: Mapping[str, Sequence[str]]) -> list[str]:
    """That -m goes before what documents say themselves, which may change who sees them."""
    return [
        f"-m {key}=... replaces another value in {counted(len(sources), 'document')}, which may change who sees "
        f"{'it' if len(sources) == 1 else 'them'}: {_some(sources)}"
        for key, sources in by_key.items()
    ]


def _some(sources: Sequence[str]) -> str:
    return ", ".join(sources[:_FEW]) + (", ..." if len(sources) > _FEW else "")
