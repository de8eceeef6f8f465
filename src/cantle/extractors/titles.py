"""The title of a document, whatever its kind."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..blocks.latex_titles import title as latex_text
from ..blocks.sentences import segmenter
from ..cleaning import clean_pdf
from ..graphemes import previous_boundary
from ..structure import Outline
from ..structure.html import HtmlOutline
from ..structure.latex import LatexOutline
from ..structure.markdown import MarkdownOutline
from ..words.prose import bare, one_line, sentences

if TYPE_CHECKING:
    from ..document import MDocument

__all__ = ["title_of"]

_LONGEST = 100
_LOOKED_AT = 20_000
"""So many characters are looked at for a first sentence."""
_TRIED = 20
"""So many titles that turn out to be none."""

_IN_JSON = ("title", "headline", "name", "subject", "label")
_HTML_TITLE = re.compile(r"<title(?:\s[^<>]{0,200})?>([^<]{1,2000})</title", re.IGNORECASE)
_LATEX_TITLE = re.compile(r"\\title(?![A-Za-z@])\s{0,20}(?:\[[^\[\]\n]{0,500}\]\s{0,20})?\{")
_LATEX_NOTE = re.compile(r"\\(?:thanks|footnote|label)\s{0,5}\{[^{}]{0,1000}\}|\\\\(?:\[[^\[\]\n]{0,20}\])?")
_LATEX_BODY = re.compile(r"\\begin\s{0,5}\{document\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\](?:\([^()\s]{0,1000}\)|\[[^\[\]\n]{0,200}\])")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,200})\*(?![\w*])")
_MARKS = re.compile(r"`+|<[^<>\n]{1,300}>|\*\*|__(?=\S)|(?<=\S)__|\{#[^{}\s]{1,100}\}\s*$")
_BEHIND = " \t.:;,\u3002\uff0c\uff1a-\u2013\u2014"


def title_of(document: MDocument, language: str | None = None) -> str:
    """The title of a document, on one line; "" where nothing can be one.

    The `title` in its metadata, as it is; else its first heading: in HTML an `h1` before the page's `title` before any
    other heading, in LaTeX what `\\title` says before the first section, in JSON a value such as `title` or `name` of
    the outermost object. Else the first sentence, whose end the rules of `language` tell; for plain text and that of
    PDFs at once, since their headings are no more than lines. What is longer than 100 characters is cut between two
    words.
    """
    given = document.metadata.get("title")
    if isinstance(given, str | int | float) and not isinstance(given, bool) and str(given).strip():
        return one_line(str(given))
    text = document.text[document.body :]
    if not text.strip():
        return ""
    titles = map(_shortened, _titles(document.kind, text, language or "any"))
    return next(filter(None, titles), "")


def _titles(kind: str, text: str, language: str) -> Iterator[str]:
    """What may be the title, the best first."""
    if kind == "html":
        yield from _html(text, language)
    elif kind == "latex":
        yield from _latex(text, language)
    elif kind == "json":
        yield from _json(text)
    elif kind == "markdown":
        yield from map(_unmarked, _headings(MarkdownOutline(text, segmenter("rules", language))))
        yield _unmarked(_first(text, language))
    else:
        beginning = text[: 5 * _LOOKED_AT]
        yield _first(clean_pdf(beginning, join_across_pages=True).text if kind == "pdf" else beginning, language)


def _headings(outline: Outline, level: int | None = None) -> Iterator[str]:
    """The titles of the first headings, of one level or of any."""
    numbers = (i for i, heading in enumerate(outline.headings) if heading.level == level or level is None)
    return (outline.title(number) for number in islice(numbers, _TRIED))


def _html(text: str, language: str) -> Iterator[str]:
    outline = HtmlOutline(text, segmenter("rules", language))
    yield from _headings(outline, 1)
    yield from (html.unescape(match[1]) for match in islice(_HTML_TITLE.finditer(text), 1))
    yield from _headings(outline)
    yield _first(outline.shown, language)


def _latex(text: str, language: str) -> Iterator[str]:
    for match in islice(_LATEX_TITLE.finditer(text), _TRIED):
        line = text.rfind("\n", max(0, match.start() - 2000), match.start()) + 1
        if "%" not in text[line : match.start()].replace("\\%", ""):
            yield latex_text(_LATEX_NOTE.sub(" ", _braced(text, match.end())))
    yield from _headings(LatexOutline(text, segmenter("rules", language)))
    body = _LATEX_BODY.search(text)
    yield latex_text(_first(text[body.end() :] if body else text, language))


def _braced(text: str, start: int) -> str:
    """What stands before the brace that closes one; "" where none does soon."""
    depth = 1
    for brace in _BRACE.finditer(text, start, start + 2000):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if not depth:
            return text[start : brace.start()]
    return ""


def _json(text: str) -> Iterator[str]:
    try:
        value: Any = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from (value[key] for key in _IN_JSON if isinstance(value.get(key), str))


def _first(text: str, language: str) -> str:
    """The first sentence that has a word in it, without the marks of a list or quotation in front."""
    beginning = text.lstrip()[:_LOOKED_AT]
    found = next((sentence for sentence in sentences(beginning, language) if sentence.words), None)
    return beginning[bare(beginning, found.start, found.end) : found.end] if found else ""


def _unmarked(title: str) -> str:
    """A title of Markdown without the marks of emphasis, code and links."""
    return _EMPHASIS.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", title[:2000]))) or title


def _shortened(title: str) -> str:
    """A title on one line, without a full stop, cut between two words where it is too long."""
    title = one_line(title[: 20 * _LONGEST])
    if len(title) > _LONGEST:
        end = title.rfind(" ", _LONGEST // 2, _LONGEST)
        end = end if end > 0 else previous_boundary(title, _LONGEST - 1, 0)
        return title[:end].rstrip(_BEHIND) + "\u2026"
    return title.rstrip(_BEHIND)
