"""What it costs to embed a corpus: once, and in a year with changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from cantle import Chunk
from cantle.commands import counted
from cantle.errors import OptionError
from cantle.lengths import Length, LengthLike

from ..corpus.pool import Cutting, CuttingLike, Pool
from ..corpus.reading import Corpus, LeftOut
from ..measures.html_table import html_table
from ..measures.tokens import MODEL, tokenizer_of
from .changes import Change, by_source, measured, simulated
from .earlier import Since, corpus_of, records_of
from .money import amount, currency_code, product, shown
from .prices import Price, nearest, price_of

__all__ = ["MODEL", "Cost", "DocumentCost", "cost"]

_MILLION = 1_000_000
_MILLIONTH = Decimal("0.000001")
_TIMES = 1_000_000
"""More often a year nothing is embedded again."""


@dataclass(frozen=True)
class DocumentCost:
    """The tokens of one document. `tokens` are those of its chunks as they are embedded, repeated text included.

    `overlap_tokens` and `prefix_tokens` are the part of them that overlap and prefixes (headings, notes) add,
    `document_tokens` those of the document itself, front matter left out. `changed_tokens` are those that are embedded
    again after the change; None when there was none.
    """

    source: str
    chunks: int
    tokens: int
    document_tokens: int
    overlap_tokens: int
    prefix_tokens: int
    changed_tokens: int | None = None


@dataclass(frozen=True, repr=False)
class Cost:
    """What embedding a corpus costs. All money is exact (`Decimal`), in `currency`."""

    model: str
    tokenizer: str
    is_estimated: bool
    """Whether the tokens are an estimate: the model's own tokenizer is not known."""
    price: Price | None
    """The price that was found; None when it was given, or when there is none."""
    per_million: Decimal | None
    """US dollars for a million input tokens; None when no price is known."""
    currency: str
    rate: Decimal
    """Units of the currency for one US dollar."""
    discount: Decimal
    """The part of the price that is not paid, from 0 to 1."""
    reindex: int
    """How often in a year the corpus is embedded again."""
    documents: tuple[DocumentCost, ...]
    change: Change | None
    """What is embedded again when only changed chunks are; None when it was not asked for."""
    left_out: tuple[LeftOut, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options in force: size, overlap and unit, and those that were given."""
    near: tuple[str, ...] = ()
    """Where no price is known: models with names alike that have one."""

    def __repr__(self) -> str:
        total = "no price known" if self.total_cost is None else f"{shown(self.total_cost)} {self.currency}"
        parts = counted(len(self.documents), "document"), counted(self.chunks, "chunk"), counted(self.tokens, "token")
        return f"<Cost: {', '.join(parts)}, {total}>"

    def _repr_html_(self) -> str:
        def money(tokens: int) -> str | None:
            return None if (found := self.of(tokens)) is None else shown(found)

        rows = [(one.source, one.chunks, one.tokens, money(one.tokens)) for one in self.documents]
        rows.append(("total", self.chunks, self.tokens, money(self.tokens)))
        return html_table(["document", "chunks", "tokens", self.currency], rows, f"{self.model}: {self!r}"[:200])

    @property
    def tokens(self) -> int:
        """The tokens of all chunks as they are embedded."""
        return sum(document.tokens for document in self.documents)

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return sum(document.chunks for document in self.documents)

    @property
    def pricing_missing(self) -> bool:
        """Whether no price is known."""
        return self.per_million is None

    @property
    def input_cost(self) -> Decimal | None:
        """The list price of one indexing: every chunk is embedded once."""
        return self._list_price(self.tokens)

    @property
    def total_cost(self) -> Decimal | None:
        """What one indexing costs, with the discount."""
        return self.of(self.tokens)

    @property
    def year_all(self) -> Decimal | None:
        """What a year costs when everything is embedded again each time. The first indexing is not in it."""
        return self.of(self.tokens * self.reindex)

    @property
    def year_changed(self) -> Decimal | None:
        """What a year costs when only changed chunks are embedded again, and each time as much changes."""
        return None if self.change is None else self.of(self.change.tokens * self.reindex)

    def of(self, tokens: int) -> Decimal | None:
        """What so many tokens cost; None when no price is known."""
        listed = self._list_price(tokens)
        return None if listed is None else product(listed, self._paid)

    def _list_price(self, tokens: int) -> Decimal | None:
        return None if self.per_million is None else product(self.per_million, self.rate, tokens, _MILLIONTH)

    @property
    def _paid(self) -> Decimal:
        with localcontext(prec=50):
            return 1 - self.discount

    def to_dict(self) -> dict[str, Any]:
        """All figures, ready for JSON. Money is a number in `currency`; null when no price is known."""
        found: dict[str, Any] = {
            "model": self.model,
            "tokenizer": self.tokenizer,
            "isEstimated": self.is_estimated,
            "stats": {
                "totalChunks": self.chunks,
                "tokensEstimate": self.tokens,
                "documents": len(self.documents),
                "documentTokens": sum(document.document_tokens for document in self.documents),
                "overlapTokens": sum(document.overlap_tokens for document in self.documents),
                "prefixTokens": sum(document.prefix_tokens for document in self.documents),
            },
            "inputCost": _number(self.input_cost),
            "totalCost": _number(self.total_cost),
            "currency": self.currency,
            "rate": _number(self.rate),
            "discount": _number(self.discount),
            "pricePerMillion": _number(self.per_million),
            "pricingMissing": self.pricing_missing,
            "matchedPricingKey": self.price.key if self.price else None,
        }
        if self.pricing_missing:
            found["knownModels"] = list(self.near)
        found["reindex"] = {
            "timesPerYear": self.reindex,
            "all": {"tokens": self.tokens * self.reindex, "cost": _number(self.year_all)},
            "changed": self._changed(),
        }
        found["documents"] = [self._document(document) for document in self.documents]
        found["leftOut"] = [one._asdict() for one in self.left_out]
        return found

    def _changed(self) -> dict[str, Any] | None:
        if self.change is None:
            return None
        once = self.change
        return {
            "tokens": once.tokens * self.reindex,
            "cost": _number(self.year_changed),
            "once": {**once.to_dict(), "cost": _number(self.of(once.tokens))},
        }

    def _document(self, document: DocumentCost) -> dict[str, Any]:
        found = {
            "source": document.source,
            "chunks": document.chunks,
            "tokens": document.tokens,
            "documentTokens": document.document_tokens,
            "overlapTokens": document.overlap_tokens,
            "prefixTokens": document.prefix_tokens,
            "cost": _number(self.of(document.tokens)),
        }
        if document.changed_tokens is not None:
            found["changedTokens"] = document.changed_tokens
            found["changedCost"] = _number(self.of(document.changed_tokens))
        return found


def cost(
    corpus: Corpus | str | Path,
    *,
    model: str = MODEL,
    provider: str | None = None,
    cutting: CuttingLike = None,
    tokenizer: LengthLike | None = None,
    price: float | str | Decimal | None = None,
    currency: str = "USD",
    rate: float | str | Decimal | None = None,
    discount: float | str | Decimal = 0,
    reindex: int = 4,
    since: Since | None = None,
) -> Cost:
    """What it costs to embed the chunks of a corpus with a model. `corpus` may be a path.

    Tokens are counted of each chunk's text as it is embedded, by the model's own tokenizer, else by `cl100k_base`;
    `tokenizer` names another one. Prices come from the data of genai-prices; `price` is one of your own, in US dollars
    for a million tokens. `rate` is how many units of `currency` one US dollar is. `discount` is the part of the price
    that is not paid, 0.5 for half.

    `reindex` is how often a year the corpus is embedded again. What changes until then is measured against `since`, an
    earlier state: a file of JSON Lines with chunks, a directory or `Corpus` to be cut as this one, or chunks.
    Without it, one sentence is put into the middle of each document, and what that changes is counted. 0: neither.

    Raises `OptionError` for wrong options and types, and `DocumentError` for a `since` that cannot be read.
    """
    cut = Cutting.like(cutting)
    model = model.strip()
    code, units = _exchange(currency, rate)
    paid = amount("discount", discount, zero=True)
    if paid > 1:
        raise OptionError(f"discount must be from 0 to 1, such as 0.5 for half the price, got {discount!r}.")
    if isinstance(reindex, bool) or not isinstance(reindex, int) or not 0 <= reindex <= _TIMES:
        raise OptionError(f"reindex must be a whole number, 0 or more, and {_TIMES:,} at most, got {reindex!r:.80}.")
    if since is not None and not reindex:
        raise OptionError("since has no use with reindex=0: nothing is embedded again. Leave one of the two out.")
    found = None
    if price is None:
        found = price_of(model, provider)
    elif provider is not None:
        raise OptionError("price and provider are both given. The price needs no provider: leave that out.")
    per_million = amount("price", price, zero=True) if price is not None else found.per_million if found else None
    length, name, is_estimated = tokenizer_of(model, tokenizer)
    count = _Counter(length)
    pool = Pool.of(corpus_of(corpus, since), cut)
    if not reindex:
        change = None
    elif since is None:
        change = simulated(pool, cut, count)
    else:
        change = measured(records_of(since, cut), pool, count)
    return Cost(
        model=model,
        tokenizer=name,
        is_estimated=is_estimated,
        price=found,
        per_million=per_million,
        currency=code,
        rate=units,
        discount=paid,
        reindex=reindex,
        documents=tuple(_documents(pool, count, change)),
        change=change,
        left_out=pool.left_out,
        options=pool.settings(cut.options).options,
        near=tuple(nearest(model, provider)) if per_million is None else (),
    )


class _Counter:
    """Counts the tokens of texts, of each once."""

    def __init__(self, length: Length) -> None:
        self._length = length
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = int(self._length(text))
        return found


def _documents(pool: Pool, count: _Counter, change: Change | None) -> Iterable[DocumentCost]:
    chunks = by_source(pool)
    for document in pool.documents:
        own = chunks[document.source]
        yield DocumentCost(
            document.source,
            chunks=len(own),
            tokens=sum(count(chunk.text) for chunk in own),
            document_tokens=count(document.text[document.body :]),
            overlap_tokens=sum(_overlap(chunk, count) for chunk in own),
            prefix_tokens=sum(count(chunk.text) - count(chunk.content) for chunk in own),
            changed_tokens=None if change is None else change.tokens_of.get(document.source),
        )


def _overlap(chunk: Chunk, count: _Counter) -> int:
    """How many tokens of the content are there because of the overlap."""
    return count(chunk.content) - count(chunk.content[chunk.overlap :]) if chunk.overlap else 0


def _exchange(currency: str, rate: float | str | Decimal | None) -> tuple[str, Decimal]:
    code = currency_code(currency)
    if code == "USD":
        if rate is not None and amount("rate", rate) != 1:
            raise OptionError(f"rate={rate} has no use for US dollars. Name the currency too: currency='BRL'.")
        return code, Decimal(1)
    if rate is None:
        raise OptionError(
            f"currency {code} needs a rate: how many {code} one US dollar is, such as 5.0. No rate is looked up; take "
            "it from your invoice."
        )
    return code, amount("rate", rate)


def _number(value: Decimal | None) -> int | float | None:
    """The amount as a number of JSON: as it is, never rounded to nothing."""
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() and abs(value) < _MILLION else float(value)
