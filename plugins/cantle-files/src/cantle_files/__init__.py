"""Documents for cantle from files that are no text: PDF.

```python
from cantle import MDocument

doc = MDocument.from_file("report.pdf")  # with this plugin installed
chunks = doc.chunk()                     # structural-context: pages, headings, no running lines
```
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from cantle import MDocument

    from .pdf import PagesWithoutTextWarning, read_pdf

_HOMES = {"PagesWithoutTextWarning": "pdf", "read_pdf": "pdf"}

__all__ = ["PagesWithoutTextWarning", "read_pdf"]

_PDF = b"%PDF-"


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a plugin that is not used costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})


@hookimpl
def load_document(data: bytes | Path, name: str, media_type: str | None) -> MDocument | None:
    """The document that a PDF holds; None for any other file, and for one that cannot be opened."""
    try:
        if not _is_pdf(data, name, media_type):
            return None
        held = data.read_bytes() if isinstance(data, Path) else data
    except (OSError, ValueError):  # who reads it next says what is wrong with the path
        return None
    from .pdf import read_pdf

    return read_pdf(held, name=data.as_posix() if isinstance(data, Path) else name)


def _is_pdf(data: bytes | Path, name: str, media_type: str | None) -> bool:
    if media_type == "application/pdf" or name.lower().endswith(".pdf"):
        return True
    if not isinstance(data, Path):
        return data.startswith(_PDF)
    if not data.is_file():  # what is read of a pipe is gone
        return False
    with data.open("rb") as file:
        return file.read(len(_PDF)) == _PDF
