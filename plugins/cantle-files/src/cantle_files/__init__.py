"""Documents for cantle from files: PDF, DOCX, PPTX, XLSX, ODT, EPUB, notebooks, CSV, ...

```python
from cantle import MDocument

doc = MDocument.from_file("report.docx")  # with this plugin installed; or any other of these files
chunks = doc.chunk()
```
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantle import hookimpl
from cantle.errors import DocumentError

if TYPE_CHECKING:
    from cantle import Chunks, MDocument, Strategy

    from .limits import Limits
    from .pdf.pdf import PagesWithoutTextWarning, read_pdf
    from .reading import read_file
    from .tables.sheets import HiddenCellsWarning

_HOMES = {
    "HiddenCellsWarning": "tables.sheets",
    "Limits": "limits",
    "PagesWithoutTextWarning": "pdf.pdf",
    "read_file": "reading",
    "read_pdf": "pdf.pdf",
}

__all__ = ["HiddenCellsWarning", "Limits", "PagesWithoutTextWarning", "read_file", "read_pdf"]


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
    """The document that a file of a known format holds; None for any other file, and for one that cannot be opened."""
    from .formats import find
    from .limits import Limits
    from .reading import load

    try:
        found = find(data, name, media_type)
        if found is None:
            return None
        return load(data, data.as_posix() if isinstance(data, Path) else name, found, Limits())
    except DocumentError:
        raise
    except (OSError, ValueError):  # who reads it next says what is wrong with the path
        return None


@hookimpl
def register_strategies() -> list[type[Strategy]]:
    """The strategies for kinds of documents that only this plugin makes."""
    from .notebooks.strategy import NotebookCells
    from .tables.rows import Csv

    return [Csv, NotebookCells]


streams = True
"""What `finish_chunks` does concerns the documents of this plugin alone, so text may be cut while it is read."""


@hookimpl
def finish_chunks(document: MDocument, chunks: Chunks) -> None:
    """Give the chunks of documents of this plugin their pages."""
    if "page_count" in document.metadata:
        from .pages import number

        number(document, chunks)
