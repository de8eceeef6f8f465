"""Notes and what becomes of them: in the dictionaries of the facade, and in `Chunks`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from ...chunk import Chunk
from ...chunks import Chunks
from ...errors import OptionError
from ...whitespace import BLANKS

__all__ = ["Block", "block_of", "block_of_dict", "cut_note", "is_blank", "strip", "text_of", "with_notes", "write"]

_USEFUL = 40
"""A note cut to fewer characters says little: a text that is too long is the lesser evil."""

_RESERVED_USEFUL = 10
"""The same where room was kept for a note: then the text is to stay within the limit."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？]|\S(?=\s*\n)")

_UNSPACED = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_WORD_END = re.compile(rf"\s+|(?<=[，、；：。！？{_UNSPACED}])(?=[{_UNSPACED}])")
"""White space; in Chinese and Japanese, which have none, any character may end a word."""


class Block(NamedTuple):
    """What a model is told of a chunk, whether the chunk has a note already, and the name of its document."""

    number: int
    name: str
    content: str
    breadcrumb: str
    heading: str
    noted: bool
    source: str = ""


def strip(text: str) -> str:
    """The text without Java's white space at its ends."""
    return text.strip(BLANKS)


def is_blank(text: str) -> bool:
    """Whether the text is empty or holds nothing but Java's white space."""
    return not text.strip(BLANKS)


def text_of(header: str, context: str, content: str, embed: str) -> str:
    """What is embedded of a chunk: header, context and content as `embed` says, with blank lines between."""
    if embed == "content":
        return content
    body = content if not context else context if embed == "context" else f"{context}\n\n{content}"
    return f"{header}\n\n{body}" if header else body


def block_of_dict(chunk: Any, index: int) -> Block:
    """A chunk of the facade; raises `OptionError` where it is none."""
    if not isinstance(chunk, MutableMapping):
        raise OptionError(
            f"chunks must be Chunks, or a list of dictionaries as ContextRetrievalChunker gives them, got {chunk!r} "
            f"at position {index}."
        )
    if "header" not in chunk and ("prefix" in chunk or "embed_hash" in chunk):
        raise OptionError(
            f"chunks[{index}] is a row of to_dicts(), which has its note elsewhere. Pass the Chunks, and make rows of "
            "what comes back."
        )
    _field(chunk, index, "header")  # checked before anything is paid for
    content, context, breadcrumb, heading, name = (
        _field(chunk, index, name) for name in ("content", "context", "breadcrumb", "heading", "id")
    )
    source = name.rpartition("#")[0]
    return Block(index, name or f"number {index}", content, breadcrumb, heading, not is_blank(context), source)


def _field(chunk: Mapping[str, Any], index: int, name: str) -> str:
    value = chunk.get(name)
    if value is None and name != "content":
        return ""
    if not isinstance(value, str):
        raise OptionError(f"chunks[{index}][{name!r}] must be a string, got {value!r}.")
    return value


def write(chunk: MutableMapping[str, Any], note: str, embed: str | None) -> None:
    """Put a note into a chunk of the facade: `context`, and `text` made anew. `embed` None is the chunk's own."""
    chunk["context"] = note
    mode = chunk.get("embed") if embed is None else embed
    chunk["text"] = text_of(
        chunk.get("header") or "", note, chunk["content"], mode if isinstance(mode, str) else "full"
    )


class Room(NamedTuple):
    """What a chunk with its note may measure, and what is left at least of a note that is cut for it, in characters.

    `useful` is None where notes are not cut: a chunk that is too long with one is flagged.
    """

    limit: float
    length: Callable[[str], float]
    useful: int | None

    @classmethod
    def of_option(cls, limit: float, length: Callable[[str], float]) -> Room:
        """The room where a limit is given for the chunks with their notes."""
        return cls(limit, length, _USEFUL)

    @classmethod
    def of_strategy(cls, limit: float, length: Callable[[str], float], reserved: bool) -> Room:
        """The room by the strategy's limit, which counts for notes if it kept room for them."""
        return cls(limit, length, _RESERVED_USEFUL if reserved else None)


def block_of(chunk: Chunk, index: int) -> Block:
    """A chunk of `Chunks`."""
    heading = chunk.path[-1] if chunk.path else ""
    breadcrumb = " > ".join(chunk.path)
    return Block(index, chunk.id, chunk.content, breadcrumb, heading, bool(_note_of(chunk)), chunk.source)


def _note_of(chunk: Chunk) -> str:
    """The note that a chunk's prefix ends with; a document may have metadata of that name."""
    note = chunk.metadata.get("context")
    return note if isinstance(note, str) and note and chunk.prefix.endswith(f"{note}\n\n") else ""


def with_notes(chunks: Chunks, notes: Mapping[int, str], room: Room | None) -> Chunks:
    """`chunks` with `notes`, which go by the number of the chunk, in the prefix and in the metadata."""
    made = [_with_note(chunk, notes.get(i), room) for i, chunk in enumerate(chunks)]
    result = Chunks(
        chunks.source,
        [chunk for chunk, _ in made],
        dropped=chunks.dropped,
        config_hash=chunks.config_hash,
        unique_paths=chunks.unique_paths,
    )
    result.strategy = chunks.strategy
    for new, old, (_, note) in zip(result, chunks, made, strict=True):
        metadata = deepcopy(old.metadata)
        new.metadata.clear()
        new.metadata.update(metadata if note is None else {**metadata, "context": note})
    return result


def _with_note(chunk: Chunk, note: str | None, room: Room | None) -> tuple[Chunk, str | None]:
    """A copy of the chunk, and the note as it was put in."""
    prefix, oversize = chunk.prefix, chunk.oversize
    if note is not None:
        header = prefix.removesuffix(f"{_note_of(chunk)}\n\n") if _note_of(chunk) else prefix
        header = f"{stripped}\n\n" if (stripped := header.rstrip("\n")) else ""
        if room is not None:

            def fits(note: str) -> bool:
                return room.length(f"{header}{note}\n\n{chunk.content}") <= room.limit

            if not fits(note):
                shorter = None if room.useful is None else cut_note(note, fits, room.useful)
                note, oversize = (note, True) if shorter is None else (shorter, oversize)
        prefix = f"{header}{note}\n\n"
    new = Chunk(
        chunk.content,
        chunk.start,
        chunk.end,
        spans=chunk.spans,
        overlap=chunk.overlap,
        prefix=prefix,
        path=chunk.path,
        oversize=oversize,
        cut=chunk.cut,
    )
    if note is None and chunk.embedding is not None:
        new.embedding = list(chunk.embedding)
    return new, note


def cut_note(note: str, fits: Callable[[str], bool], useful: int = _USEFUL) -> str | None:
    """The beginning of a note that `fits`: whole sentences, or whole words where those are less than half as much.

    None where less than `useful` characters fit.
    """
    words = _longest(note, [m.start() for m in _WORD_END.finditer(note)], fits)
    sentences = _longest(note, [m.end() for m in _SENTENCE_END.finditer(note)], fits)
    best = sentences if len(sentences) * 2 >= len(words) else words
    if len(best) < useful:
        best = max(words, sentences, key=len)
    return best if len(best) >= useful else None


def _longest(note: str, ends: Sequence[int], fits: Callable[[str], bool]) -> str:
    """The longest beginning with one of these ends that is found to fit; what is given is always tried."""
    found, low, high = "", 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        piece = note[: ends[middle]].rstrip(" \t\n,;:")
        if fits(piece):
            found, low = piece, middle + 1
        else:
            high = middle
    return found
