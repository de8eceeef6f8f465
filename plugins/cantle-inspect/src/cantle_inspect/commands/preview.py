"""`cantle preview`: a question against the chunks of a directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cantle.commands import as_json, cutting

from ..access import Access
from ..corpus import read_corpus
from ..pool import Cutting
from ..preview import preview
from ..rank import NamedRanker
from .shared import filtering, ranking, requiring

__all__ = ["command"]


@click.command("preview", short_help="Ask the chunks of a directory a question.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True), metavar="DIR...")
@click.option("-q", "--question", required=True, help="The question.")
@filtering
@requiring
@click.option(
    "-k", "--top-k", type=click.IntRange(min=1), default=5, show_default=True, help="How many chunks to show."
)
@ranking
@cutting
def command(
    paths: tuple[str, ...],
    question: str,
    access: Access,
    roles: Path | None,
    require: list[str],
    ranker: NamedRanker,
    top_k: int,
    strategy: str | None,
    options: dict[str, Any],
) -> None:
    """Rank the chunks of the documents in DIRECTORY by a question."""
    corpus = read_corpus(paths, require=require, skip=[roles] if roles else [])
    found = preview(corpus, question, where=access, cutting=Cutting(strategy, options), ranker=ranker, top_k=top_k)
    as_json(found.to_dict())
