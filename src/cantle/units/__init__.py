"""What a document is made of that a cut should not go through: sentences, tables, code, lists, headings, formulas.

For those who judge chunks: a chunk that ends inside a unit has cut it. All positions are code points of
`source.text`, ends exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..source import Source
from .unit import Unit, nested

__all__ = ["Unit", "units"]


def units(source: Source) -> list[Unit]:
    """The units of a document, by their starts, an outer one before those inside it.

    Sentences, lists, quotes and environments may hold other units; the other kinds hold none. Which kinds there are
    depends on the document's kind:

    - `markdown`: `sentence`, `heading`, `table`, `code`, `list`, `quote`, `formula` (displays) and `html`. Lists and
      quotes are the outermost ones; the sentences, tables, code and headings in them are units too. Link definitions,
      comments and front matter are none.
    - `html`: `sentence`, `heading`, `table`, `code`, `list` and `quote`, of what a browser shows. A table that holds
      headings or another table is layout, and none. Bounds are those of the text: the tags around it are outside.
    - `latex`: `sentence`, `heading`, `table`, `code`, `list`, `formula` (displays) and `environment`, which is any
      other, from `\\begin{document}` on.
    - `text` and all others: `sentence` and `heading`, which are numbered ones such as `3.1 Installation`. In text of a
      PDF running lines and page numbers are in none, and a page ends a sentence except in a divided word.
    - `json`: none. What belongs together there is a matter of size.

    What stands before `source.body` is in no unit. Takes linear time for any text.
    """
    if source.kind == "json":
        return []
    body = source.body
    text = source.text[body:] if body else source.text
    found: Iterable[Unit]
    if source.kind == "markdown":
        from .markdown import markdown_units

        found = markdown_units(text)
    elif source.kind == "html":
        from .html import html_units

        found = html_units(text)
    elif source.kind == "latex":
        from .latex import latex_units

        found = latex_units(text)
    elif source.kind == "pdf":
        from .plain import pdf_units

        found = pdf_units(text)
    else:
        from .plain import plain_units

        found = plain_units(text)
    return [Unit(kind, start + body, end + body) for kind, start, end in nested(found)]
