"""Files that are documents to people, and that nothing installed reads."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from cantle.commands import is_document

__all__ = ["SUFFIXES", "unread"]

_DOCUMENTS = """
    .pdf .ps .djvu .doc .docx .docm .odt .rtf .pages .wpd .ppt .pptx .pps .ppsx .odp .xls .xlsx .xlsm .xlsb .ods
    .numbers .csv .tsv .epub .mobi .azw3 .fb2 .eml .msg .mbox .xml .ipynb .rmd .qmd .mdx .vtt .srt .wiki .mediawiki
    .textile .creole .man .chm
"""
SUFFIXES = frozenset(_DOCUMENTS.split())
"""The suffixes of documents; pictures, sounds, archives and code are none."""


def unread(directory: Path, read: Collection[Path]) -> Iterator[Path]:
    """The documents in a directory, by their suffix, that `find` does not give; hidden ones left out, sorted.

    `read` are the files that are read, resolved.
    """
    known: dict[str, bool] = {}
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            suffix = file.suffix.lower()
            if suffix not in SUFFIXES or name.startswith(".") or not file.is_file() or file.resolve() in read:
                continue
            if suffix not in known:
                known[suffix] = is_document(file)
            if not known[suffix]:
                yield file
