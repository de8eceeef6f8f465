"""A page as tags and the text between them, with the position of each: one pass of one pattern.

The pattern follows the states of the HTML standard's tokenizer: quoted attribute values, comments and
their odd ends, elements whose content is raw text, scripts with comments in them. What is never closed
ends with the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import Any

from .names import RAW, Numbers

__all__ = ["SPACE", "Tokens", "token_at", "tokens"]

SPACE = "\t\n\f\r "
"""What HTML calls white space."""

_S = r"[\t\n\f\r ]"
_ATTRIBUTES = (  # the plain ones first, which are nearly all
    rf"(?:(?: [a-z-]++=\"[^\"]*+\")*(?=>)|(?:[\t\n\f\r /]++|[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rf"(?:{_S}*+={_S}*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?)?)*)"
)
_NAME_END = r"(?=[\t\n\f\r />])"
_COMMENT = r"!--(?:-?>|(?s:.*?)(?:--!?>|\Z))"
_BOGUS = r"[!?][^>]*+(?:>|\Z)|/(?:>|[^a-zA-Z>][^>]*+(?:>|\Z))"


def _letters(name: str) -> str:
    return "".join(f"[{c}{c.upper()}]" for c in name)


def _raw(name: str) -> str:
    """A start tag with the content behind it, up to the end tag or the end of the page."""
    if name == "plaintext":
        content = r"(?s:.*+)"
    else:
        end = f"/{_letters(name)}{_NAME_END}"
        inner = rf"<(?!{end})"
        if name == "script":  # in a comment, a script may hold whole scripts
            twice = rf"<{_letters(name)}{_NAME_END}(?:[^<-]++|-(?!->)|<(?!{end}))*(?:<{end})?"
            inner = rf"<!--(?!-?>)(?:[^<-]++|-(?!->)|{twice}|<(?!{end}))*(?:-->)?|" + inner
        content = rf"(?:[^<]++|{inner})*"
    return rf"{_letters(name)}{_NAME_END}{_ATTRIBUTES}(?:>{content}|\Z)"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    names = sorted(RAW)
    raw = "|".join(map(_raw, names))
    starts = "|".join(map(_letters, names))
    # A tag of a raw element goes to the third group, with its content.
    page = (
        rf"<(?:(?!(?=[sStTxXiInNpP])(?:{starts}){_NAME_END})(/?[a-zA-Z][^\t\n\f\r />]*+)({_ATTRIBUTES})(?:>|\Z)"
        rf"|({_COMMENT}|{_BOGUS}|{raw}))"
    )
    return re.compile(page), re.compile(rf"([a-zA-Z]+)({_ATTRIBUTES})(?:>|\Z)")


@dataclass
class Tokens:
    """Texts and tags in turn: `texts[i]` stands before tag `i`, the last text behind the last tag.

    `codes` are numbers of names (`names`), 0 for comments and other markup that is no tag; `text_at` and
    `tag_at` are the positions, one more than there are tags (the end of the page). All three are arrays.
    """

    source: str
    texts: list[str]
    attributes: list[str]
    codes: Any
    names: list[str]
    text_at: Any
    tag_at: Any
    comments: list[int]

    def __len__(self) -> int:
        return len(self.attributes)


def tokens(source: str) -> Tokens:
    """Read a page."""
    import numpy

    page, raw_tag = _patterns()
    parts = page.split(source)
    texts, names, attributes = parts[::4], parts[1::4], parts[2::4]
    count = len(names)
    sizes = numpy.zeros(2 * count + 1, numpy.int64)  # of texts and tags in turn
    others = parts[3::4]
    odd = list(compress(range(count), others))
    comments = []
    for i in odd:
        other = others[i]
        names[i] = attributes[i] = ""
        if other[0] in "!?/":
            sizes[2 * i + 1] = len(other) - 1
            if other.startswith("!--"):
                comments.append(i)
        else:
            tag = raw_tag.match(other)
            assert tag is not None
            names[i], attributes[i] = tag[1], tag[2]
            texts[i + 1] = other[tag.end() :] + texts[i + 1]
    sizes[::2] = numpy.fromiter(map(len, texts), numpy.int64, count + 1)
    sizes[1::2] += numpy.fromiter(map(len, names), numpy.int64, count)
    sizes[1::2] += numpy.fromiter(map(len, attributes), numpy.int64, count) + 2
    ends = numpy.minimum(numpy.cumsum(sizes), len(source))  # the last tag may lack its end
    numbers = Numbers()
    codes = numpy.fromiter(map(numbers.__getitem__, names), numpy.int64, count)
    text_at = numpy.concatenate(([0], ends[1::2]))
    tag_at = ends[::2]
    return Tokens(source, texts, attributes, codes, numbers.names, text_at, tag_at, comments)


def token_at(text: str, position: int) -> int:
    """Where the tag or comment that begins at `position` ends; `position` when none does."""
    page, raw_tag = _patterns()
    found = page.match(text, position)
    if found is None:
        return position
    if found[3] is not None and found[3][0] not in "!?/":  # without the content of a raw element
        tag = raw_tag.match(found[3])
        return position + 1 + (tag.end() if tag else 0)
    return found.end()
