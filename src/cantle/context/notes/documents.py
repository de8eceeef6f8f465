"""The document that the model reads: what is sent of it, and whether it is the one that the chunks come from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...chunk import Span
from ...chunks import Chunks
from ...errors import ContextWarning, OptionError
from ...source import Source
from ...warn import warn
from ...whitespace import is_blank
from .notes import Block

__all__ = ["check_document", "document_text", "shown_text"]

_KEPT = ("separator", "hyphen", "zero-width", "heading-in-metadata", "key-in-path", "front-matter")
"""Reasons for which text is in no chunk although who reads the document needs it."""

_DATA_URI = re.compile(r"(data:[A-Za-z0-9.+/-]+)[;,][^\s\"'<>()]*")
_REST_OF_LINE = re.compile(r"[^\S\n\f]*(?:\n|\Z)")
_BLANK_LINES = re.compile(r"(?:[^\S\n\f]*\n)*")

_LOOKED_FOR = 5
"""How many of the dictionaries are looked for before their document is taken for another one."""


def document_text(document: Any, chunks: Any) -> str:
    """The text to send: the given one as it is, or that of `Chunks` without what chunking left out on purpose.

    Raises `OptionError` for what is no document.
    """
    if document is None and isinstance(chunks, Chunks):
        return shown_text(chunks)
    text = document.text if isinstance(document, Source) else document
    if not isinstance(text, str):
        raise OptionError(
            f"document must be the text that the chunks come from, or a document, got {type(document).__name__}."
        )
    return text


def shown_text(chunks: Chunks) -> str:
    """The body of the chunks' document without comments, data of images, running lines, and what a page hides.

    Tags of a page stay, and all that a reader needs. Lines that hold nothing else than what goes, go with it, and
    the blank lines behind them where one stands before.
    """
    text, body = chunks.source.text, chunks.source.body
    parts, at = [], body
    for start, end in _joined(text, _left_out(chunks)):
        if start < at:
            continue  # within another one
        line = max(text.rfind("\n", at, start), text.rfind("\f", at, start)) + 1 or at
        begins = line in (0, body) or text[line - 1] in "\n\f"
        rest = _REST_OF_LINE.match(text, end)
        if begins and rest and is_blank(text[line:start]):
            start, end = line, rest.end()
            before = text[max(body, line - 4) : line].replace("\r", "")
            if not before or before.endswith("\n\n"):
                end = _BLANK_LINES.match(text, end).end()  # type: ignore[union-attr]  # matches anything
        parts.append(text[at:start])
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _left_out(chunks: Chunks) -> Iterator[Span]:
    text = chunks.source.text
    for start, end, reason in chunks.dropped:
        if reason == "markup":  # images in attributes
            if text.find("data:", start, end) >= 0:
                yield from ((m.end(1), m.end()) for m in _DATA_URI.finditer(text, start, end))
        elif reason not in _KEPT:
            yield start, end


def _joined(text: str, spans: Iterator[Span]) -> Iterator[Span]:
    """Those with nothing but white space between them as one."""
    last: Span | None = None
    for start, end in spans:
        if last is not None and is_blank(text[last[1] : start]) and "\f" not in text[last[1] : start]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last


def check_document(text: str, chunks: Any, blocks: Sequence[Block]) -> None:
    """Warn where the document is another one than that of the chunks that are asked for.

    It is that of `Chunks` where it holds the text they come from, or the first and the last of them; it is that of
    dictionaries where it holds one of the first few or most of their words, since their text was cleaned. Raises
    `OptionError` for a blank document of `Chunks`.
    """
    if not blocks:
        return
    words = " ".join(text.split())
    if isinstance(chunks, Chunks):
        if text == chunks.source.text:
            return
        if is_blank(text):
            raise OptionError("document is blank, the chunks are not. Pass None for the text that they come from.")
        missing = [block for block in (blocks[0], blocks[-1]) if _longest_line(block.content) not in words]
        if not missing or " ".join(chunks.source.text.split()) in words:
            return
        step = "None for the text that they come from"
    else:
        missing = [block for block in blocks[:_LOOKED_FOR] if _longest_line(block.content) not in words]
        if len(missing) < len(blocks[:_LOOKED_FOR]) or _most_words(missing, words):
            return
        step = "the text that they come from; of a file what is in it, not its name"
    given = f"{text[:40]!r}..." if len(text) > 40 else repr(text)
    warn(f"Chunk {missing[0].name} is not in the document {given}. Pass {step}.", ContextWarning)


def _longest_line(content: str) -> str:
    return max((" ".join(line.split()) for line in content.splitlines()), key=len, default="")


def _most_words(blocks: Sequence[Block], text: str) -> bool:
    """Whether two thirds of the words are in the text."""
    wanted = {word for block in blocks for word in block.content.split()}
    return 3 * len(wanted & set(text.split())) >= 2 * len(wanted)
