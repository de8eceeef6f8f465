"""How the answer to a question is shown to people."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

import click

from cantle import MDocument
from cantle.access import ANY, Rule, item, listed
from cantle.commands import counted, printable

from ..asking.preview import Preview
from ..corpus.reading import is_missing
from ..measures.settings import literal
from ..rank import words
from ..rank.hits import ranker_name
from .tables import in_utf8, show_table

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["notes", "show"]

SHOWN = 240
"""How many characters of a chunk are shown."""

BEFORE = 60
"""How many of them stand before the first word of the question, where that comes late."""


def show(found: Preview) -> None:
    """Write the table of the chunks found and a line about all chunks."""
    in_utf8()
    if found.hits:
        keys = [key for key in dict.fromkeys(["dept", "classification", *found.keys]) if _is_there(found, key)]
        asked = frozenset(found.asked)
        show_table(
            ["#", "score", "id", *keys, "text"],
            (
                [
                    number,
                    f"{hit.score:.3f}" if hit.score else "0",
                    hit.passage.id,
                    *(", ".join(listed(hit.passage.document.metadata.get(key))) for key in keys),
                    excerpt(hit.passage.chunk.text, asked),
                ]
                for number, hit in enumerate(found.hits, 1)
            ),
            right="# score",
        )
        if any(hit.score == 0 for hit in found.hits):
            click.echo("A score of 0: no word of the question is in the chunk.")
        click.echo()
    click.echo(printable("; ".join(_about(found))))


def notes(found: Preview) -> Iterator[str]:
    """What should be known of an answer: why it is empty, what filters left out unseen."""
    seen = [document for document in found.pool.documents if found.access.of_role.allows(document.metadata)]
    if not found.candidates:
        misses = [*_misses(found.access.where, seen), *_unknown_keys(found)]
        yield " ".join(["No chunk may be seen with these filters.", *misses])
    elif not found.asked:
        yield "The question has no word to look for: stop words and words of less than three letters are left out."
    elif not found.hits:
        yield "No chunk has a score that high."
    if found.tokenizer.is_estimated:
        yield (
            f"The tokenizer of {found.model} is not known here: tokens are counted with {found.tokenizer.name}, and "
            "the model may count more or fewer. --tokenizer names another."
        )
    for key in found.access.where:
        without = [document.source for document in seen if not listed(item(document.metadata, key))]
        if 0 < len(without) < len(seen):
            have = "document has" if len(without) == 1 else "documents have"
            are = "is" if len(without) == 1 else "are"
            yield f"{len(without)} {have} no {key} and {are} left out: {_few(without, 5)}."


def excerpt(text: str, asked: Collection[str]) -> Text:
    """The begin of a text, or the place where the first of the words asked for is, with these words marked."""
    from rich.text import Text

    text = " ".join(printable(normalize("NFC", text[: 1 << 16])).split())
    marks = [match.span() for match in _WORD.finditer(text) if any(word in asked for word in words(match[0]))]
    start = 0
    if marks and marks[0][1] > SHOWN - BEFORE:
        start = text.rfind(" ", 0, max(marks[0][0] - BEFORE, 0)) + 1 or marks[0][0] - BEFORE
    end = start + SHOWN
    shown = Text(("… " if start else "") + text[start:end] + (" …" if end < len(text) else ""))
    shift = 2 - start if start else 0
    for first, last in marks:
        if first < end:
            shown.stylize("bold reverse", first + shift, min(last, end) + shift)
    return shown


_WORD = re.compile(r"\w+")


def _is_there(found: Preview, key: str) -> bool:
    return any(not is_missing(hit.passage.document.metadata.get(key)) for hit in found.hits)


def _about(found: Preview) -> Iterable[str]:
    chunks, documents = counted(len(found.pool.passages), "chunk"), counted(len(found.pool.documents), "document")
    about = f", estimated by {found.tokenizer.name}" if found.tokenizer.is_estimated else ""
    yield f"{chunks} of {documents}, {found.tokens:,} tokens of {found.model}{about}"
    role = f" for role {found.access.role}" if found.access.role else ""
    without = f" without stop words ({', '.join(found.languages)})" if found.languages else ""
    yield f"{len(found.candidates):,} ranked{role} by {ranker_name(found.ranker)}{without}"
    strategies, options, unit = found.settings
    said = [f"cut by {' and '.join(strategies)}"]
    for key, value in options.items():
        if key != "length_function":
            shown = value if isinstance(value, str) else literal(value)
            said.append(f"{key} {shown} {unit}" if key == "max_size" and value is not None else f"{key} {shown}")
    yield ", ".join(said)


def _misses(where: Rule, seen: Sequence[MDocument]) -> Iterable[str]:
    """The filters that fit no document, with the keys or the values that there are; all of documents that may be seen
    without these filters, for what a role may not see must not show here either."""
    for key, values in where.items():
        there = sorted({value for document in seen for value in listed(item(document.metadata, key))})
        if there and (ANY in values or set(there) & set(values)):
            continue
        if not there:
            keys = sorted({name for document in seen for name, value in document.metadata.items() if listed(value)})
            yield f"No document has {key!r}." + (f" Keys there are: {_few(keys, 10)}." if keys else "")
            continue
        yield f"No document has {key}={' or '.join(values)}. There are: {_few(there, 10)}."
        for value in values:
            if "," in value:
                parts = [part.strip() for part in value.split(",") if part.strip()]
                yield f"{value!r} is one value; for several: {' '.join(f'--where {key}={part}' for part in parts)}."


def _unknown_keys(found: Preview) -> Iterable[str]:
    """Keys of the role's rules that no document has at all: most often they are misspelt."""
    there = {name for document in found.pool.documents for name, value in document.metadata.items() if listed(value)}
    for key in dict.fromkeys(key for rule in found.access.rules or () for key in rule):
        if key not in there:
            yield f"The rules of the role {found.access.role!r} name {key!r}, which no document has."


def _few(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
