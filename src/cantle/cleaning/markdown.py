"""Cleaning of Markdown and of plain text."""

from __future__ import annotations

from ..source import OffsetMap
from ..whitespace import BLANKS
from .blanks import edges, line_ends, plain_blanks, tidy, without_width
from .cleaned import Cleaned
from .comments import comments as find_comments
from .comments import with_their_lines
from .data_uris import any_data_uri
from .data_uris import data_uris as find_data_uris
from .draft import Draft, Edit
from .fences import fences

__all__ = ["clean_markdown", "clean_text"]


def clean_markdown(
    text: str, *, comments: bool = True, data_uris: bool = True, whitespace: bool = True, joiners: bool = True
) -> Cleaned:
    """Take HTML comments and the data of images out of Markdown; fenced code stays as it is.

    With `whitespace`, characters without width and a byte order mark go, lines end in a line feed and not in blanks,
    tabs and no-break spaces are spaces, one blank line stands where there were more, and none at the ends. Without
    `joiners`, those of the characters that join to the one before them stay, and so every grapheme cluster. Without
    `whitespace`, a text with nothing to take out comes back as the same object.

    A comment is taken out without the line ends in it. One that is never closed stays.
    """
    return _clean(text, True, comments, data_uris, whitespace, joiners)


def clean_text(
    text: str, *, comments: bool = True, data_uris: bool = True, whitespace: bool = True, joiners: bool = True
) -> Cleaned:
    """What `clean_markdown` does, for a text in which nothing is fenced code."""
    return _clean(text, False, comments, data_uris, whitespace, joiners)


def _clean(text: str, fenced: bool, comments: bool, data_uris: bool, whitespace: bool, joiners: bool) -> Cleaned:
    comments = comments and "<!--" in text and "-->" in text
    # Taking a comment out brings others together, which a joiner may join or not.
    invisible = whitespace and not text.isascii() and (comments or bool(without_width(text, joiners)))
    if not (comments or invisible):  # without what these take out, new ones may come about
        data_uris = data_uris and any_data_uri(text)
    if not (whitespace or comments or data_uris or invisible):
        return Cleaned(text, OffsetMap.identity(len(text)))
    draft = Draft(text)
    if whitespace:
        line_ends(draft)
    if fenced:
        lines = draft.text if "\r" not in draft.text else draft.text.replace("\r", "\n")
        draft.marks = [mark for fence in fences(lines) for mark in fence]
    if comments:
        found_comments = find_comments(draft.text, _code(draft))
        draft.cut(found_comments if whitespace else with_their_lines(draft.text, found_comments), "comment")
    if whitespace:
        plain_blanks(draft, _examined(draft))
    if invisible:
        draft.cut(without_width(_examined(draft), joiners), "zero-width")
    if data_uris and any_data_uri(draft.text):
        found = find_data_uris(_examined(draft))
        draft.report([(uri.start, uri.end) for uri in found], "data-uri")
        edits: list[Edit] = []
        for uri in found:
            if whitespace and uri.blank < uri.address:
                edits.append((uri.blank, uri.address, ""))
            edits.append((uri.start, uri.end, ""))
        draft.edit(edits)
    if whitespace:
        draft.edit(_tidy(draft))
    elif draft.text == text:
        return Cleaned(text, OffsetMap.identity(len(text)))
    return draft.result()


def _code(draft: Draft) -> list[tuple[int, int]]:
    """The fenced blocks."""
    return list(zip(draft.marks[::4], draft.marks[3::4], strict=True))


def _examined(draft: Draft) -> str:
    """The text with line feeds all over its fenced blocks: as long, and nothing to be found there."""
    text, marks = draft.text, draft.marks
    if not marks:
        return text
    parts, end = [], 0
    for i in range(0, len(marks), 4):
        start = marks[i]
        parts.append(text[end:start])
        end = marks[i + 3]
        parts.append("\n" * (end - start))
    parts.append(text[end:])
    return "".join(parts)


def _tidy(draft: Draft) -> list[Edit]:
    """Take out blanks at the ends of lines and blank lines beyond the first, outside of fenced code."""
    text, marks = draft.text, draft.marks
    start, end = edges(text)
    if not end:
        return [(0, len(text), "")]
    edits: list[Edit] = [(0, start, "")] if start else []
    closed = True
    for i in range(0, len(marks), 4):
        opening, body, closing, _ = marks[i : i + 4]
        edits += tidy(text, start, body)
        closed = closing < len(text)
        last = opening + len(text[opening:body].rstrip(BLANKS))
        if last < body and end > body:
            edits.append((last, body, ""))
        if not closed and end > body:  # blank lines at the end go, the blanks of the last line stay
            end = text.find("\n", end)
            end = len(text) if end < 0 else end
        start = closing
    if closed:
        edits += tidy(text, start, end)
    if end < len(text):
        edits.append((end, len(text), ""))
    return edits
