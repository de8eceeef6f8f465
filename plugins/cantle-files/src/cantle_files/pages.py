"""The pages of chunks, for documents in which a form feed stands between pages, slides or sheets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cantle import Chunks, MDocument

__all__ = ["number"]


def number(document: MDocument, chunks: Chunks) -> None:
    """Give each chunk the metadata `page`, where it begins, and `pages`, all that it is on, from 1.

    Only for documents of ours: not PDF, and with as many form feeds as `page_count` in their metadata tells.
    """
    count = document.metadata.get("page_count")
    if document.kind == "pdf" or not isinstance(count, int) or document.text.count("\f") + 1 != count:
        return
    begins = [0, *(found.end() for found in re.finditer("\f", document.text))]
    for chunk in chunks:
        page = bisect_right(begins, chunk.start)
        last = max(page, bisect_left(begins, chunk.end))
        chunk.metadata.update(page=page, pages=list(range(page, last + 1)))
