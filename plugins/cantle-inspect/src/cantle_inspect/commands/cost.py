"""`cantle cost`: what it costs to embed the documents of a directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cantle.commands import LENGTH, Failure, cutting, printable, reading

from .shared import outputs, requiring, told
from .tables import format_option
from .writing import format_of, write

__all__ = ["command"]

_HELP = """Say what it costs to embed the documents in DIR, before anything is embedded.

DIR is a directory of documents (walked; hidden files and unknown suffixes are left out) or a file; several may be
given. Documents are cut, and the tokens of every chunk are counted as it is embedded, with overlap and prefix, by the
model's own tokenizer. Where that is not known, cl100k_base gives an estimate, and the output says so.

Prices are those of the data in the installed genai-prices; no network is asked. --price is your own, in US dollars for
a million tokens. Another currency needs a --rate; the 5.0 below is an example, not the rate of any day.

A year is --reindex times an indexing of everything, the first left out; and, on a line of its own, of what changed.
What changed is measured against --since: chunks that `cantle chunk` wrote with the same settings (its own defaults are
others, see the example), or an older copy of DIR. Without it, one sentence is put into the middle of each document, and
the chunks that this changes are counted, with the sentence.

\b
Examples:
  cantle cost policies/
  cantle cost policies/ --currency BRL --rate 5.0 --reindex 4
  cantle cost policies/ --model text-embedding-3-large -s structural-context -n 400 -l cl100k_base
  cantle cost policies/ --model text-embedding-3-small --provider azure
  cantle cost policies/ --model our-own-model --price 0.05 --discount 0.5
  cantle chunk policies/ -n 480 --overlap 80 -o old.jsonl
  cantle cost policies/ --since old.jsonl -f json -o cost.json
  cantle cost policies/ --max-cost 0.50 -f csv

\b
Exit codes: 0 also when no price is known, 1 there is no document, none could be cut, or an indexing costs more than
--max-cost (or what it costs is not known), 2 wrong usage.
"""

_FORMATS = ("table", "json", "csv")


@click.command("cost", help=_HELP, short_help="Say what embedding a directory costs.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True), metavar="DIR...")
@click.option(
    "--model",
    default="text-embedding-3-small",
    show_default=True,
    metavar="NAME",
    help="The embedding model; PROVIDER:NAME is taken too.",
)
@click.option("--provider", metavar="NAME", help="Who sells it. Default: its maker, or whoever sells it.")
@click.option("--price", metavar="USD", help="US dollars for a million tokens, instead of the price that is known.")
@click.option(
    "--discount", default="0", metavar="PART", help="The part that is not paid: 0.5 for a batch at half price."
)
@click.option("--currency", default="USD", show_default=True, metavar="CODE", help="The currency of all sums.")
@click.option("--rate", metavar="NUMBER", help="How much of the currency one US dollar is, such as 5.0.")
@click.option(
    "--reindex",
    type=click.IntRange(0, 1_000_000),
    default=4,
    show_default=True,
    metavar="TIMES",
    help="How often a year documents are embedded again; 0 leaves it out.",
)
@click.option(
    "--since",
    type=click.Path(exists=True),
    metavar="OLD",
    help="Measure what changed since then: a file of chunks (JSON Lines), or an older copy of DIR.",
)
@click.option("--max-cost", metavar="SUM", help="Fail when one indexing costs more, in the currency.")
@click.option(
    "-t",
    "--tokenizer",
    type=LENGTH,
    metavar="NAME",
    help="What counts tokens, instead of the model's tokenizer; a name as --length takes it.",
)
@requiring
@cutting
@reading
@format_option(*_FORMATS)
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    paths: tuple[str, ...],
    model: str,
    provider: str | None,
    price: str | None,
    discount: str,
    currency: str,
    rate: str | None,
    reindex: int,
    since: str | None,
    max_cost: str | None,
    tokenizer: str | None,
    require: list[str],
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    format_: str | None,
    out: str | None,
    quiet: bool,
) -> None:
    """Count tokens and write what they cost; the help is `_HELP`."""
    from ..corpus.pool import Cutting
    from ..corpus.reading import read_corpus
    from ..costs.cost import cost
    from ..costs.earlier import files_of
    from ..costs.money import amount
    from .costs import notes, rendered, show, too_much

    most = amount("max-cost", max_cost, zero=True) if max_cost is not None else None
    written = format_of(format_, out, _FORMATS)
    # What is named may lie in DIR, and is no document of it.
    ours = outputs({"-o": out}, paths, [since], {"-o": written})
    old = files_of(since, paths) if since is not None else []
    corpus = read_corpus(paths, require=require, skip=[*ours, *old], read=read)
    earlier: Any = since
    if since is not None and Path(since).is_dir():
        earlier = read_corpus(since, require=require, read=read)
    found = cost(
        corpus,
        model=model,
        provider=provider,
        cutting=Cutting(strategy, options),
        tokenizer=tokenizer,
        price=price,
        currency=currency,
        rate=rate,
        discount=discount,
        reindex=reindex,
        since=earlier,
    )
    if not quiet:
        told(found.left_out)
    if not found.documents:
        raise Failure(f"None of the documents in {', '.join(paths)} could be cut.")
    if not quiet and written != "table":  # a table holds them
        for note in notes(found):
            click.echo(printable(f"Note: {note}"), err=True)
    write(written, out, lambda: show(found), lambda format: rendered(found, format))
    if most is not None and (failure := too_much(found, most)):
        raise Failure(failure)
