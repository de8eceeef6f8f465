"""Filters as conditions of a query: what `cantle.access.Access.allows` decides, decided by the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, and_, cast, exists, false, func, literal, not_, or_, select
from sqlalchemy.dialects.postgresql import JSONB

from cantle.access import ANY, Access, Rule

from ..labels import named
from ..tables import AnyText, ChunkLabelRow, ChunkRow, DocumentLabelRow, DocumentRow

__all__ = ["Scope", "by_place", "conditions", "counted", "lengths"]

_FEW = 32
"""So many rules, or values of a key, are written out in the query; more are handed over as one JSON array."""


@dataclass(frozen=True)
class Scope:
    """Where is searched: the host, its datasets (None: all of them), and what may be seen there."""

    host: str
    datasets: tuple[str, ...] | None
    access: Access


def conditions(scope: Scope, dialect: str) -> list[ColumnElement[bool]]:
    """The conditions on `ChunkRow` that hold for what may be seen, and for nothing else. All values are bound."""
    found: list[ColumnElement[bool]] = [ChunkRow.host_id == scope.host]
    if scope.datasets is not None:
        found.append(ChunkRow.dataset_id.in_(scope.datasets))
    if scope.access.rules is not None:
        found += _by_roles(scope, scope.access.rules, dialect)
    found += [_by_key(scope, key, values, dialect) for key, values in scope.access.where.items()]
    return found


def counted(scope: Scope, dialect: str) -> Select[Any]:
    """How many chunks may be seen, as far as roles go: `where` may tell chunks of one document apart."""
    # Roles look at documents, and these know how many chunks they have.
    return _seen_documents(scope, dialect).with_only_columns(func.coalesce(func.sum(DocumentRow.chunks), 0))


def lengths(scope: Scope, dialect: str) -> Any:
    """The primary keys of all chunks that may be seen, with their numbers of words.

    It begins with the documents and looks into the index of their chunks alone, which is far smaller than the chunks.
    """
    of_chunk = [_by_key(scope, key, values, dialect) for key, values in scope.access.where.items()]
    documents = _seen_documents(scope, dialect)
    found: Any = select(ChunkRow.pk, ChunkRow.words)
    return found.where(ChunkRow.document_id.in_(documents), *of_chunk)


def _seen_documents(scope: Scope, dialect: str) -> Select[Any]:
    fits = None if scope.access.rules is None else _fits(scope.access.rules, dialect)
    return _documents(scope) if fits is None else _documents(scope).where(fits)


def by_place(dialect: str) -> list[ColumnElement[Any]]:
    """The order of chunks that are alike: by source and index, whatever the language of the database."""
    source: Any = ChunkRow.source
    return [source.collate("C") if dialect == "postgresql" else source, ChunkRow.index, ChunkRow.id]


def _by_roles(scope: Scope, given: Sequence[Rule], dialect: str) -> list[ColumnElement[bool]]:
    """Roles look at the document alone: what was written into a chunk opens nothing."""
    fits = _fits(given, dialect)
    return [] if fits is None else [ChunkRow.document_id.in_(_documents(scope).where(fits))]


def _fits(given: Sequence[Rule], dialect: str) -> ColumnElement[bool] | None:
    """Whether a document fits one of the rules; None: every document does."""
    rules = list({tuple(sorted(rule.items())): rule for rule in given}.values())
    if not rules:
        return false()
    if not all(rules):  # a rule without keys lets everything through
        return None
    few = sum(len(rule) for rule in rules) <= _FEW
    return _fits_few(rules, dialect) if few else DocumentRow.id.in_(_fit_many(rules, dialect))


def _fits_few(rules: Sequence[Rule], dialect: str) -> ColumnElement[bool]:
    return or_(
        *(
            and_(
                *(
                    exists().where(
                        DocumentLabelRow.document_id == DocumentRow.id,
                        DocumentLabelRow.key == named(key),
                        _among(DocumentLabelRow.value, values, dialect),
                    )
                    for key, values in rule.items()
                )
            )
            for rule in rules
        )
    )


def _fit_many(rules: Sequence[Rule], dialect: str) -> Select[Any]:
    """The documents that have, for one of the rules, one of its values for as many keys as the rule has."""
    asked = [
        [str(number), str(len(rule)), key, value]
        for number, rule in enumerate(rules)
        for key, values in rule.items()
        for value in ([ANY] if ANY in values else values)
    ]
    rows = _rows(asked, dialect)
    return (
        select(DocumentLabelRow.document_id)
        .select_from(rows)
        .join(DocumentLabelRow, and_(DocumentLabelRow.key == rows.c.key, DocumentLabelRow.value == rows.c.value))
        .group_by(DocumentLabelRow.document_id, rows.c.number, rows.c.size)
        .having(cast(func.count(DocumentLabelRow.key.distinct()), Text) == rows.c.size)
    )


def _by_key(scope: Scope, key: str, values: Sequence[str], dialect: str) -> ColumnElement[bool]:
    """One key of `where`: what the chunk itself has for it goes before what its document has."""
    own = select(ChunkLabelRow.pk).where(ChunkLabelRow.chunk_pk == ChunkRow.pk, ChunkLabelRow.key == named(key))
    # The documents do not depend on the chunk: they are looked up once.
    documents = _documents(scope).where(
        exists().where(
            DocumentLabelRow.document_id == DocumentRow.id,
            DocumentLabelRow.key == named(key),
            _among(DocumentLabelRow.value, values, dialect),
        )
    )
    of_chunk = exists(own.where(_among(ChunkLabelRow.value, values, dialect)))
    return or_(and_(ChunkRow.document_id.in_(documents), not_(exists(own))), of_chunk)


def _documents(scope: Scope) -> Select[Any]:
    found = select(DocumentRow.id).where(DocumentRow.host_id == scope.host)
    return found if scope.datasets is None else found.where(DocumentRow.dataset_id.in_(scope.datasets))


def _among(value: Any, wanted: Sequence[str], dialect: str) -> Any:
    if ANY in wanted:  # which every key that has a value has among its facts
        return value == ANY
    if len(wanted) <= _FEW:
        return value.in_([named(text) for text in wanted])
    rows = _rows([["", "", "", text] for text in dict.fromkeys(wanted)], dialect)
    return value.in_(select(rows.c.value))


def _rows(asked: Sequence[Sequence[str]], dialect: str) -> Any:
    """Rows (number, size, key, value) of texts, handed over as one value: databases limit how many are bound."""
    spelled = AnyText()
    held = json.dumps([[spelled.process_bind_param(named(text), None) for text in row] for row in asked])  # type: ignore[arg-type]
    if dialect == "postgresql":
        each: Any = select(func.jsonb_array_elements(cast(literal(held, Text()), JSONB)).label("value")).subquery()
        parts = [each.c.value.op("->>", return_type=Text())(index) for index in range(4)]
    else:
        each = func.json_each(held).table_valued("value")
        parts = [func.json_extract(each.c.value, f"$[{index}]", type_=Text()) for index in range(4)]
    names = ("number", "size", "key", "value")
    return select(*(part.label(name) for part, name in zip(parts, names, strict=True))).select_from(each).subquery()
