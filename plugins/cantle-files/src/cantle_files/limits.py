"""How much a file may hold before it is refused."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from cantle.errors import DocumentError, OptionError

__all__ = ["Limits", "too_large", "without_text"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a file may hold. One with more is a `DocumentError`; a value that is no limit an `OptionError`.

    `max_bytes` is the size of the file. `max_unpacked` is the size in bytes of everything in an archive
    (DOCX, EPUB, ...) once unpacked, and `max_entries` the number of files in it. `max_pages` counts pages, slides,
    sheets, chapters and cells of notebooks. `max_characters` is the length of the document's text, in code points.
    """

    max_bytes: int = 500_000_000
    max_unpacked: int = 1_000_000_000
    max_entries: int = 100_000
    max_pages: int = 20_000
    max_characters: int = 100_000_000

    def __post_init__(self) -> None:
        """Raise `OptionError` for a limit that is no whole number of at least 1."""
        for field in fields(self):
            check(field.name, getattr(self, field.name))


def check(what: str, limit: Any) -> None:
    """Raise `OptionError` unless it is a limit."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise OptionError(f"{what} must be a whole number of at least 1, got {limit!r}.")


def without_text(name: str) -> DocumentError:
    """The error for a file that has pictures at most."""
    return DocumentError(
        f"{name} has no text: it is blank, or all that it holds are pictures. If these were scanned, save the file as "
        "PDF and recognise their text, for example with `ocrmypdf scan.pdf text.pdf`."
    )


def too_large(name: str, what: str, size: int | None, limit: int, option: str) -> DocumentError:
    """The error for a file with too much of something, `what` in the plural; without a size: more than allowed."""
    held = f"{size:,}" if size is not None else f"more than {limit:,}"
    return DocumentError(
        f"{name} has {held} {what}; the limit is {limit:,}. Divide the file, or allow more: "
        f"cantle_files.read_file(path, limits=Limits({option}=...))."
    )
