"""The words that a text is found by, in one spelling, kept where the database indexes words.

SQLite has them in an FTS5 table, Postgres in a `tsvector`, neither with positions. How often a chunk has a word is part
of what is indexed: it is the sum of the parts that there are tokens of, "word" for 1 and "word/PART" for others. So it
is read from a few plain lists of chunks, without looking at these. Which words there are, and how often each counts, is
decided here, so that both databases find and score the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from unicodedata import combining, normalize

from sqlalchemy import Connection, text

from cantle.words import fold, words

__all__ = [
    "MOST_COUNTED",
    "MOST_IN_QUERY",
    "Indexed",
    "delete_terms",
    "indexed",
    "query_terms",
    "terms",
    "tokens",
    "write_terms",
]

MOST_COUNTED = 255
"""A word counts so often at most. BM25 makes next to no difference between such counts."""

_PARTS = (*range(1, 16), *range(16, MOST_COUNTED, 16))
"""The digits of a count in base 16, with their places: most counts are one digit, so most words are one token."""

MOST_IN_QUERY = 256
"""So many different words of a query are looked for, the first ones."""

_LONGEST = 100
_MOST_BYTES = 1_000_000  # of a tsvector: Postgres takes 1 MiB
_READ = 20_000  # words of a query

# What joins the parts of a word would be an end of a word to FTS5, and a quote to a tsvector. No ASCII but letters and
# digits is left, so no word has the stroke in it that tokens are made with.
_JOINS = str.maketrans({"'": "\u2019", "-": "\u2010", "_": "\u203f", ".": "\u00b7", ",": "\u201a"})
# Letters with a stroke and ligatures have no decomposition.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"})
_NO_PART = re.compile(r"[\x00-/:-@\[-`{-\x7f\s]+")
# Nukta, the marks of voiced Kana, and virama are no accents: what has them is another letter.
_LETTERS = frozenset({7, 8, 9})


class Indexed(NamedTuple):
    """The words of a text, as a database indexes them, and their number."""

    words: int
    terms: str


def terms(value: str) -> Iterator[str]:
    """The words of a text, without case and accents and in the compatible form, in order."""
    for word in words(value):
        folded = fold(word.text)
        if folded.isascii() and folded.isalnum():
            yield folded[:_LONGEST]
            continue
        # A compatible form may have blanks and brackets in it (U+FDFA is four words).
        for part in _NO_PART.split(_plain(folded).translate(_JOINS)):
            if part:
                yield part[:_LONGEST]


def query_terms(query: str) -> list[str]:
    """The different words of a query, the first `MOST_IN_QUERY` of them."""
    found: dict[str, None] = {}
    for term in islice(terms(query), _READ):
        found[term] = None
        if len(found) == MOST_IN_QUERY:
            break
    return list(found)


def tokens(term: str) -> dict[str, int]:
    """All tokens that there may be of a word, with the part of its count that each stands for."""
    return {_token(term, part): part for part in _PARTS}


def _token(term: str, part: int) -> str:
    return term if part == 1 else f"{term}/{part}"


def _plain(word: str) -> str:
    apart = normalize("NFKD", word[: 4 * _LONGEST])
    kept = "".join(one for one in apart if not (mark := combining(one)) or mark in _LETTERS)
    return normalize("NFC", kept.casefold()).translate(_PLAIN)


def indexed(value: str, dialect: str) -> Indexed:
    """What is kept of a text. It takes a while, so it is made before others have to wait."""
    counts = Counter(terms(value))
    kept = _within(counts)
    vector = " ".join(f"'{token}'" for token in kept) if dialect == "postgresql" else " ".join(kept)
    return Indexed(sum(counts.values()), vector)


def write_terms(connection: Connection, rows: Iterable[tuple[int, Indexed]]) -> None:
    """Index the words of chunks, given by their primary keys."""
    if connection.dialect.name == "postgresql":
        sql = "INSERT INTO chunk_terms (chunk_pk, terms) VALUES (:pk, CAST(:terms AS tsvector))"
    else:
        sql = "INSERT INTO chunk_terms (rowid, terms) VALUES (:pk, :terms)"
    values = [{"pk": pk, "terms": one.terms} for pk, one in rows]
    if values:
        connection.execute(text(sql), values)


def _within(counts: Mapping[str, int]) -> list[str]:
    """The tokens of the words that fit into a `tsvector`, the first ones: a megabyte of different words has more."""
    left = _MOST_BYTES
    found: list[str] = []
    for term, count in counts.items():
        count = min(count, MOST_COUNTED)
        low, high = count % 16, count // 16 * 16
        size = (len(term) if term.isascii() else len(term.encode())) + 8  # with the stroke, the part, and some to spare
        left -= 2 * size if low and high else size
        if left < 0:
            return found
        if low:
            found.append(term if low == 1 else f"{term}/{low}")
        if high:
            found.append(f"{term}/{high}")
    return found


def delete_terms(connection: Connection, pks: Sequence[int]) -> None:
    """Forget the words of chunks."""
    column = "chunk_pk" if connection.dialect.name == "postgresql" else "rowid"
    if pks:
        connection.execute(text(f"DELETE FROM chunk_terms WHERE {column} = :pk"), [{"pk": pk} for pk in pks])
