"""How costs are written: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from decimal import Decimal

import click

from cantle.commands import counted, printable, to_json

from ..costs.cost import Cost
from ..costs.money import shown, written
from ..measures.settings import plain
from ..names import camel
from .tables import show_table
from .writing import csv_text

__all__ = ["notes", "rendered", "show", "too_much"]

_MOST = 30
"""Of more documents the table shows only those with the most tokens."""
_FIELDS = {
    "source": "source",
    "chunks": "chunks",
    "tokens": "tokens",
    "document_tokens": "documentTokens",
    "overlap_tokens": "overlapTokens",
    "prefix_tokens": "prefixTokens",
    "changed_tokens": "changedTokens",
}


def rendered(found: Cost, format: str) -> str:
    """The costs as a text in a format: `table`, `json` or `csv`."""
    if format == "json":
        return to_json(found.to_dict(), indent=2) + "\n"
    if format == "csv":
        return _csv(found)
    with contextlib.redirect_stdout(io.StringIO()) as text:
        show(found)
    return click.unstyle(text.getvalue())  # FORCE_COLOR is about terminals


def show(found: Cost) -> None:
    """Write tables for people to standard output: the documents, then what an indexing and a year cost."""
    money = found.currency
    show_table(["document", "chunks", "tokens", money], _documents(found), right=f"chunks tokens {money}")
    click.echo()
    show_table(["", "tokens", money], _totals(found), right=f"tokens {money}")
    click.echo()
    for line in [*_basis(found), *(f"Note: {note}" for note in notes(found))]:
        click.echo(printable(line))


def notes(found: Cost) -> Iterator[str]:
    """What a reader must know of these figures."""
    if found.is_estimated:
        yield (
            f"the tokenizer of {found.model} is not known here: tokens are counted with {found.tokenizer}, and the "
            "model may count more or fewer. --tokenizer names another."
        )
    if found.pricing_missing:
        near = f" Known are, among others: {', '.join(found.near)}." if found.near else ""
        yield f"no price is known for {found.model}.{near} Give --price, in US dollars for a million tokens."
    elif found.price and not found.price.is_embedding:
        yield f"{found.price.key} does not look like an embedding model: its price is that of its input tokens."
    if found.change is None and found.reindex:
        yield "no document has a place for a sentence more, so what an edit costs is not known."
    if found.change is not None and found.change.recut:
        cut = ", ".join(f"{camel(name)} {plain(value)}" for name, value in found.options.items())
        yield (
            "OLD was cut with other settings: its chunks are too long, or gone although their texts still stand in "
            f"the documents. Here it is {cut}; the defaults of `cantle chunk` are others (4,000 characters). "
            "To measure edits: cantle chunk DIR -n 480 --overlap 80 -o old.jsonl."
        )


def too_much(found: Cost, most: Decimal) -> str:
    """Why one indexing costs too much; nothing when it does not."""
    if found.total_cost is None:
        return f"Whether an indexing costs more than {written(most)} {found.currency} is not known: there is no price."
    if found.total_cost > most:
        return f"An indexing costs {written(found.total_cost)} {found.currency}, more than {written(most)}."
    return ""


def _money(value: Decimal | None) -> str:
    return "-" if value is None else shown(value)


def _documents(found: Cost) -> Iterator[Sequence[object]]:
    documents = list(found.documents)
    if len(documents) > _MOST:
        documents = sorted(documents, key=lambda document: -document.tokens)[:_MOST]
    for document in documents:
        yield document.source, document.chunks, f"{document.tokens:,}", _money(found.of(document.tokens))
    others = len(found.documents) - len(documents)
    if others:
        tokens = found.tokens - sum(document.tokens for document in documents)
        chunks = found.chunks - sum(document.chunks for document in documents)
        yield f"({counted(others, 'other')})", chunks, f"{tokens:,}", _money(found.of(tokens))
    yield "total", found.chunks, f"{found.tokens:,}", _money(found.total_cost)


def _totals(found: Cost) -> Iterator[Sequence[object]]:
    yield "one indexing", f"{found.tokens:,}", _money(found.total_cost)
    for name, tokens in (
        ("  of it overlap", sum(document.overlap_tokens for document in found.documents)),
        ("  of it prefixes", sum(document.prefix_tokens for document in found.documents)),
    ):
        if tokens:
            yield name, f"{tokens:,}", _money(found.of(tokens))
    yield "the documents as written", f"{sum(document.document_tokens for document in found.documents):,}", ""
    if not found.reindex:
        return
    times = f"{found.reindex} a year,"
    yield f"{times} everything again", f"{found.tokens * found.reindex:,}", _money(found.year_all)
    if found.change is not None:
        tokens = found.change.tokens * found.reindex
        yield f"{times} changed chunks only", f"{tokens:,}", _money(found.year_changed)


def _basis(found: Cost) -> Iterator[str]:
    """What the figures rest on."""
    if found.per_million is not None:
        source = f"{found.price.key}, {written(found.per_million)}" if found.price else written(found.per_million)
        rate = "" if found.currency == "USD" else f", {written(found.rate)} {found.currency} for one US dollar"
        less = f", {written(found.discount * 100)} % less" if found.discount else ""
        yield f"Price: {source} US dollars for a million tokens{less}{rate}."
    yield f"Tokens: counted with {found.tokenizer}{', an estimate' if found.is_estimated else ''}."
    change = found.change
    if change is None:
        return
    measured = change.basis == "measured"
    what = "since the earlier state" if measured else "by one more sentence in each document, itself counted too"
    yield (
        f"Changed {what}: {change.share:.1%} of the tokens, {change.median_share:.1%} in the median document; "
        f"{counted(change.counts['embed'], 'chunk')} of {found.chunks} to embed again."
    )


def _csv(found: Cost) -> str:
    fields = dict(_FIELDS)
    if found.change is None:
        del fields["changed_tokens"]
    rows = [
        {
            **{name: getattr(document, field) for field, name in fields.items()},
            "cost": _plain(found.of(document.tokens)),
            "currency": found.currency,
            "model": found.model,
        }
        for document in found.documents
    ]
    return csv_text([*fields.values(), "cost", "currency", "model"], rows)


def _plain(value: Decimal | None) -> str:
    return "" if value is None else written(value)
