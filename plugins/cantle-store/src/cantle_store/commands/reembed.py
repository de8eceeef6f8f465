"""`cantle reembed`: all vectors of a dataset by another embedder."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from cantle.commands import Bar, as_json, counted, printable

from .shared import embedding, opened_store, owner, say_waits, storing

__all__ = ["command"]

_HELP = """Make all vectors of a dataset anew, by the embedder that is named.

It is for a dataset without vectors too, and for one whose embedder is to be another: vectors of two embedders cannot be
compared. Files are not needed, nothing is cut anew. Every text of the dataset is embedded, once where several chunks
have the same; with openai:MODEL all of them are sent to that endpoint, which costs money: --dry-run says how many.

The old vectors are searched until the last new one is there, and are then replaced at once. What fails or is
interrupted changes nothing.

\b
Examples:
  cantle reembed --store sqlite:///chunks.db --dataset docs --embedder e5
  cantle reembed --dataset docs --embedder openai:text-embedding-3-small --dry-run
  cantle reembed --dataset docs --embedder openai:nomic-embed-text --base-url http://localhost:11434/v1

\b
Exit codes: 0 all is well; 1 something failed; 2 wrong usage; 130 interrupted.
"""


@click.command("reembed", help=_HELP, short_help="Make all vectors of a dataset anew.")
@storing
@click.option("--dataset", required=True, metavar="NAME", help="The dataset.")
@embedding
@click.option("--dry-run", is_flag=True, help="Say how many texts would be embedded, and do nothing.")
@click.option("--json", "json_", is_flag=True, help="The counts as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    url: str, host: str, avatar: str | None, dataset: str, maker: Any, dry_run: bool, json_: bool, quiet: bool
) -> None:
    """Make the vectors and say how many; the help is `_HELP`."""
    if maker is None:
        raise click.UsageError("Name the embedder: --embedder openai:MODEL, e5 or wordllama.")
    embedder = maker()
    if not quiet:
        say_waits(embedder)
    with ExitStack() as stack:
        store = stack.enter_context(opened_store(url, host))
        target = store.dataset(dataset, avatar=owner(store, avatar))
        before = target.embedder
        if dry_run:
            texts = len({chunk.embed_hash for chunk in store.chunks(target)})
        else:
            bar: Bar | None = None
            texts = 0

            def then(done: int, total: int) -> None:
                nonlocal bar, texts
                if bar is None and not quiet:
                    bar = stack.enter_context(Bar(total, "Texts", "vector"))
                if bar is not None:
                    bar.advance(done - texts, items=done - texts)
                texts = done

            target = store.reembed(target, embedder, then=then)
    if json_:
        as_json(
            {
                "dataset": target.name, "texts": texts, "chunks": target.chunks, "before": before,
                "embedder": embedder.name, "dryRun": dry_run,
            }
        )  # fmt: skip
        return
    was = f", in place of those of {before!r}" if before else ""
    done = "would get vectors" if dry_run else "got vectors"
    click.echo(
        printable(f"{counted(target.chunks, 'chunk')} ({counted(texts, 'text')}) {done} of {embedder.name!r}{was}.")
    )
    if dry_run:
        click.echo("A dry run: nothing was asked, nothing was written.")
