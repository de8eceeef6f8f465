"""Which chunks have a word, and how many words chunks have, read from either database as arrays.

Numbers come as one value for many rows: a hundred thousand rows of a driver take longer than all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import BigInteger, Connection, Text, cast, func, literal, select, text
from sqlalchemy.dialects.postgresql import JSONB

from ..terms import tokens
from .bm25 import Array, Lengths

__all__ = ["either", "listed", "own_postings", "postings", "read_lengths"]

_SQLITE = text(
    """
    SELECT q.value, (SELECT group_concat(t.rowid) FROM chunk_terms t WHERE t.chunk_terms MATCH '"' || q.value || '"')
    FROM json_each(:tokens) q
    """
)
_POSTGRES = text(
    """
    SELECT q.value, (
        SELECT string_agg(int8send(t.chunk_pk), '') FROM chunk_terms t
        WHERE t.terms @@ CAST('''' || q.value || '''' AS tsquery)
    )
    FROM jsonb_array_elements_text(CAST(:tokens AS jsonb)) q
    """
)
_OWN_SQLITE = text("SELECT t.rowid, t.terms FROM json_each(:pks) q JOIN chunk_terms t ON t.rowid = q.value")
_OWN_POSTGRES = text(
    """
    SELECT t.chunk_pk, array_to_string(tsvector_to_array(t.terms), ' ')
    FROM jsonb_array_elements_text(CAST(:pks AS jsonb)) q JOIN chunk_terms t ON t.chunk_pk = CAST(q.value AS bigint)
    """
)


def postings(connection: Connection, term: str) -> list[tuple[int, Array]]:
    """Lists of primary keys of chunks, of all tenants, each with how often these have the word; they add up."""
    asked = tokens(term)
    sql = _POSTGRES if connection.dialect.name == "postgresql" else _SQLITE
    rows = connection.execute(sql, {"tokens": json.dumps(list(asked))})
    return [(asked[token], _numbers(found)) for token, found in rows if found]


def either(lists: Iterable[Array]) -> list[int]:
    """The primary keys that are in one of the lists."""
    found: list[int] = np.unique(np.concatenate([np.zeros(0, np.int64), *lists])).tolist()
    return found


def own_postings(connection: Connection, terms: Sequence[str], pks: Array) -> dict[str, list[tuple[int, Array]]]:
    """What `postings` says of these chunks, read from each of them. It does not depend on what else there is."""
    asked = {token: (term, part) for term in terms for token, part in tokens(term).items()}
    found: dict[str, list[tuple[int, Array]]] = {term: [] for term in terms}
    sql = _OWN_POSTGRES if connection.dialect.name == "postgresql" else _OWN_SQLITE
    lists: dict[str, list[int]] = {}
    for pk, held in connection.execute(sql, {"pks": json.dumps(pks.tolist())}):
        for token in asked.keys() & set(held.split(" ")):
            lists.setdefault(token, []).append(pk)
    for token, having in lists.items():
        term, part = asked[token]
        found[term].append((part, np.array(having, np.int64)))
    return found


def read_lengths(connection: Connection, query: Any) -> Lengths:
    """The chunks that a query of (pk, words) finds."""
    rows = query.subquery()
    if connection.dialect.name == "postgresql":
        columns = [
            func.string_agg(func.int8send(cast(column, BigInteger)), literal(b""))
            for column in (rows.c.pk, rows.c.words)
        ]
    else:
        columns = [func.group_concat(rows.c.pk), func.group_concat(rows.c.words)]
    pks, words = (_numbers(found) for found in connection.execute(select(*columns)).one())
    order = np.argsort(pks, kind="stable")
    return Lengths(pks[order], words[order])


def listed(numbers: Sequence[int], dialect: str) -> Any:
    """Numbers as a query, of one value: databases limit how many are bound."""
    held = json.dumps(numbers)
    if dialect == "postgresql":
        return select(cast(func.jsonb_array_elements_text(cast(literal(held, Text()), JSONB)), BigInteger))
    return select(func.json_each(held).table_valued("value").c.value)


def _numbers(found: str | bytes | None) -> Array:
    if not found:
        return np.zeros(0, np.int64)
    if isinstance(found, str):
        return np.fromstring(found, np.int64, sep=",")
    return np.frombuffer(found, ">i8").astype(np.int64)
