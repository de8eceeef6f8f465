"""The words that a text is found by, in one spelling, kept where the database indexes words."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, normalize

from sqlalchemy import Connection, text

from cantle.words import fold, words

__all__ = ["delete_terms", "terms", "write_terms"]


def terms(value: str) -> list[str]:
    """The words of a text without case and accents."""
    return [plain for word in words(value) if (plain := _without_marks(fold(word.text)))]


def _without_marks(word: str) -> str:
    return "".join(one for one in normalize("NFKD", word) if not combining(one))


def write_terms(connection: Connection, pk: int, value: str) -> None:
    """Index the words of a chunk."""
    found = " ".join(terms(value))
    if connection.dialect.name == "postgresql":
        sql = "INSERT INTO chunk_terms (chunk_pk, terms) VALUES (:pk, to_tsvector('simple', :terms))"
    else:
        sql = "INSERT INTO chunk_terms (rowid, terms) VALUES (:pk, :terms)"
    connection.execute(text(sql), {"pk": pk, "terms": found})


def delete_terms(connection: Connection, pks: Sequence[int]) -> None:
    """Forget the words of chunks."""
    column = "chunk_pk" if connection.dialect.name == "postgresql" else "rowid"
    for pk in pks:
        connection.execute(text(f"DELETE FROM chunk_terms WHERE {column} = :pk"), {"pk": pk})
