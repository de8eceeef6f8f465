"""HTML: the text that a browser shows of a page, its sections, and where in the source each piece stands.

`tokens` reads tags and texts, `tree` how they nest, `texts` and `pieces` prepare the texts that are shown,
`render` puts them together to a `Page`, `sections` divides it at headings, `selectors` says what those are.

No parser library is used: neither lxml nor lexbor tells where in the source a text stands, and asking for the
nodes one by one from Python costs more than reading the tags here. lxml also loses the text that is nested deeper
than about 250 levels, and lexbor takes squared time on blocks that are never closed. The tests hold what is shown
here against lexbor's tree.
"""

from __future__ import annotations

from .page import Page
from .references import of_span
from .render import gaps_of, render
from .sections import Plan, Section, plan, titles_at
from .selectors import Selector, parse
from .tables import MADE_BY_MARKDOWN, are_data
from .texts import Texts, read
from .tokens import Tokens, tokens
from .tree import Element, Tree, nest

__all__ = [
    "MADE_BY_MARKDOWN",
    "Element",
    "Page",
    "Plan",
    "Section",
    "Selector",
    "Texts",
    "Tokens",
    "Tree",
    "are_data",
    "gaps_of",
    "nest",
    "of_span",
    "parse",
    "plan",
    "read",
    "render",
    "titles_at",
    "tokens",
]
