"""`cantle preview`: a question against the chunks of a directory."""

from __future__ import annotations

from typing import Any

import click

from cantle.commands import as_json, cutting

from ..access import Access
from ..corpus import read_corpus
from ..pool import Cutting
from ..preview import preview

__all__ = ["command"]


@click.command("preview", short_help="Ask the chunks of a directory a question.")
@click.argument("directory", type=click.Path(exists=True))
@click.option("-q", "--question", required=True, help="The question.")
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Only chunks with this metadata.")
@click.option("--require", help="Keys of the metadata that a document must have, with commas between them.")
@click.option(
    "-k", "--top-k", type=click.IntRange(min=1), default=5, show_default=True, help="How many chunks to show."
)
@cutting
def command(
    directory: str,
    question: str,
    where: tuple[str, ...],
    require: str | None,
    top_k: int,
    strategy: str | None,
    options: dict[str, Any],
) -> None:
    """Rank the chunks of the documents in DIRECTORY by a question."""
    corpus = read_corpus(directory, require=require.split(",") if require else ())
    pairs = [pair.partition("=") for pair in where]
    access = Access.of({key: value for key, _, value in pairs})
    found = preview(corpus, question, where=access, cutting=Cutting(strategy, options), top_k=top_k)
    as_json(found.to_dict())
