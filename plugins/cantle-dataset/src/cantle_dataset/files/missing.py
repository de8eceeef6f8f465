"""What is said of a column that is not there."""

from __future__ import annotations

from collections.abc import Sequence

from cantle.errors import OptionError

__all__ = ["missing_column"]


def missing_column(file: str, name: str, there: Sequence[str]) -> OptionError:
    """What to say of a column that a file has not."""
    return OptionError(
        f"{file} has no column {name!r}; there are: {', '.join(there) or 'none'}. Name the right one by --text-column, "
        "--id-column (or make ids of the texts by --hash-ids), --kind, --metadata-column or --keep."
    )
