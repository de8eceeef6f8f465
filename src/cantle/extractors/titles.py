"""The title of a document, whatever its kind."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ..blocks.latex_titles import title as latex_text
from ..blocks.sentences import segmenter
from ..cleaning import clean_pdf
from ..structure import Outline
from ..structure.html import HtmlOutline
from ..structure.latex import LatexOutline
from ..structure.markdown import MarkdownOutline
from ..words import words
from ..words.prose import BEHIND, bare, cut_short, one_line, sentences
from ..words.tokens import is_unspaced

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
_HTML_BODY = re.compile(r"<(?:body|svg)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"\s{1,5}[-/]|\s{0,5}[|:\u00b7\u2022\u00bb\u00ab\u2013\u2014\u203a\u2039]")
_SAYS_NOTHING = frozenset(
    {"", "untitled", "untitled document", "new page", "document", "page", "home", "index", "welcome", "overview"}
    | {"introduction", "contents", "table of contents", "abstract", "summary"}
)
"""What an editor writes, what any page may have, and what first sections are called."""
_ROMAN = r"(?=[IVXLC])(?:XC|XL|C|L?X{0,3})(?:IX|IV|V?I{0,3})"
_NUMERAL = re.compile(rf"[^\w\s]*(?:\d{{1,2}}(?:\.\d{{1,2}})*|{_ROMAN})[^\w\s]*")
_NUMBERED = re.compile(rf"(?:\d{{1,3}}(?:\.\d{{1,3}})*[.):]|\d{{1,3}}(?:\.\d{{1,3}})+|{_ROMAN}[.):])\s")
_LATEX_TITLE = re.compile(r"\\title(?![A-Za-z@])\s{0,20}(?:\[[^\[\]\n]{0,500}\]\s{0,20})?\{")
_LATEX_NOTE = re.compile(r"\\(?:thanks|footnote|label)\s{0,5}\{[^{}]{0,1000}\}|\\\\(?:\[[^\[\]\n]{0,20}\])?")
_LATEX_BODY = re.compile(r"\\begin\s{0,5}\{document\}")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\](?:\([^()\s]{0,1000}\)|\[[^\[\]\n]{0,200}\])")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,200})\*(?![\w*])")
_MARKS = re.compile(r"`+|<[^<>\n]{1,300}>|\*\*|__(?=\S)|(?<=\S)__|\{ ?#[^{}\s]{1,100} ?\}\s*$")


def title_of(document: MDocument, language: str | None = None) -> str:
    """The title of a document, on one line; "" where nothing can be one.

    The `title` in its metadata, as it is; else its first heading: in LaTeX what `\\title` says before the first
    section, in JSON a value such as `title` or `name` of the outermost object. In HTML that `h1` with which the page's
    `title` begins or ends, or an `h1` that is alone, has no number and says something (unlike "Overview"); else the
    page's `title`, then other headings. Else the first sentence, whose end the rules of `language` tell; for plain text
    and that of PDFs at once, since their headings are no more than lines, in JSON that of the first string of several
    words in the outermost object. Numerals alone ("1.", "IV") are passed over where there is something else. What is
    longer than 100 characters is cut between two words.
    """
    given = document.metadata.get("title")
    if isinstance(given, str | int | float) and not isinstance(given, bool) and str(given).strip():
        return one_line(str(given))
    text = document.text[document.body :]
    if not text.strip():
        return ""
    numeral = ""
    for title in filter(None, map(_shortened, _titles(document.kind, text, language or "any"))):
        if not _NUMERAL.fullmatch(title):
            return title
        numeral = numeral or title
    return numeral


def _titles(kind: str, text: str, language: str) -> Iterator[str]:
    """What may be the title, the best first."""
    if kind == "html":
        yield from _html(text, language)
    elif kind == "latex":
        yield from _latex(text, language)
    elif kind == "json":
        yield from _json(text, language)
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
    tops = [top for top in dict.fromkeys(map(one_line, _headings(outline, 1))) if top]
    body = _HTML_BODY.search(text)
    found = _HTML_TITLE.search(text, 0, body.start() if body else len(text))
    page = one_line(html.unescape(found[1])) if found else ""
    # The name of the site may be the first `h1` of every page.
    yield from [top for top in tops if _begins_or_ends(page, top)][-1:]
    if len(tops) == 1 and not _NUMBERED.match(tops[0]) and tops[0].casefold() not in _SAYS_NOTHING:
        yield tops[0]
    if page.casefold() not in _SAYS_NOTHING:
        yield page
    yield from tops
    yield from _headings(outline)
    yield page
    yield _first(outline.shown, language)


def _begins_or_ends(page: str, top: str) -> bool:
    """Whether the title of a page is an `h1`, or that and the name of the site, with a mark between them."""
    page, top = page.casefold(), top.casefold()
    rest = page[len(top) :] if page.startswith(top) else page[: -len(top)] if page.endswith(top) else None
    return rest is not None and (not rest or _BETWEEN.match(rest) is not None or _BETWEEN.match(rest[::-1]) is not None)


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


def _json(text: str, language: str) -> Iterator[str]:
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_int=float)  # int() refuses long ones
    except (ValueError, RecursionError):
        return
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from (value[key] for key in _IN_JSON if isinstance(value.get(key), str))
        yield from (_first(one, language) for one in value.values() if isinstance(one, str) and _is_told(one))


def _is_told(text: str) -> bool:
    """Whether a string is no mere name: two words with white space between them, or without where none is written."""
    first, second = (*islice(words(text), 2), None, None)[:2]
    if first is None or second is None:
        return False
    return any(map(str.isspace, text[first.end : second.start])) or is_unspaced(first.text)


def _first(text: str, language: str) -> str:
    """The first sentence that has a word in it and is no numeral, without the marks of a list or quotation in front.

    In a text without words the first that has a symbol, such as an emoji.
    """
    beginning = text.lstrip()[:_LOOKED_AT]
    wordless = numeral = ""
    for start, end, inside in sentences(beginning, language):
        sentence = beginning[bare(beginning, start, end) : end]
        if inside and not _NUMERAL.fullmatch(_shortened(sentence)):
            return sentence
        if inside:
            numeral = numeral or sentence
        elif not wordless and any(unicodedata.category(character) == "So" for character in sentence):
            wordless = sentence
    return numeral or wordless


def _unmarked(title: str) -> str:
    """A title of Markdown without the marks of emphasis, code and links."""
    return _EMPHASIS.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", title[:2000]))) or title


def _shortened(title: str) -> str:
    """A title on one line, without a full stop, cut between two words where it is too long."""
    return cut_short(one_line(title[: 20 * _LONGEST]), _LONGEST).rstrip(BEHIND)
