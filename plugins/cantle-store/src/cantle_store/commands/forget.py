"""`cantle forget`: erases a document from a store."""

from __future__ import annotations

import click

from cantle.commands import as_json, counted, printable

from .shared import opened_store, owner, storing

__all__ = ["command"]

_HELP = """Erase every trace of the documents SOURCES from a store: chunks, vectors, words and metadata.

They are wiped from the disk too, where the database can: see the documentation of the store.

SOURCES are names as `cantle search` shows them before the #, such as guides/leave.md. Without --dataset they are erased
in all datasets of the host. With --all the whole dataset is deleted.

The file of a document is not touched: as long as it is there, the next `cantle ingest` brings it back.

\b
Examples:
  cantle forget cv/ana.pdf --store sqlite:///chunks.db
  cantle forget old/a.md old/b.md --dataset docs
  cantle forget --all --dataset trial

\b
Exit codes: 0 erased; 1 there was nothing of that name, or something failed; 2 wrong usage.
"""


@click.command("forget", help=_HELP, short_help="Erase documents from a store.")
@click.argument("sources", nargs=-1)
@storing
@click.option("--dataset", metavar="NAME", help="The dataset. Default: all of the host.")
@click.option("--all", "all_", is_flag=True, help="Delete the dataset with all its documents.")
@click.option("--json", "json_", is_flag=True, help="The counts as JSON.")
@click.pass_context
def command(
    context: click.Context,
    sources: tuple[str, ...],
    url: str,
    host: str,
    avatar: str | None,
    dataset: str | None,
    all_: bool,
    json_: bool,
) -> None:
    """Erase the documents and say how much it was; the help is `_HELP`."""
    if all_ and (sources or dataset is None):
        raise click.UsageError("--all deletes one dataset: name it with --dataset, and no SOURCES.")
    if not all_ and not sources:
        raise click.UsageError("Name the documents to erase, or a dataset and --all.")
    if avatar is not None and dataset is None:
        raise click.UsageError("--avatar says whose dataset is meant. Name one with --dataset.")
    with opened_store(url, host) as store:
        target = None if dataset is None else store.dataset(dataset, avatar=owner(store, avatar))
        if all_ and target is not None:
            done = [(target.name, store.delete_dataset(target))]
        else:
            done = [(source, store.delete(source, dataset=target)) for source in dict.fromkeys(sources)]
    unwiped = any(one.unwiped for _, one in done)
    missing = [] if all_ else [name for name, deleted in done if not deleted.documents]
    documents, chunks = sum(one.documents for _, one in done), sum(one.chunks for _, one in done)
    if json_:
        as_json({"documents": documents, "chunks": chunks, "notFound": missing, "unwiped": unwiped})
    else:
        click.echo(f"{counted(documents, 'document')} and {counted(chunks, 'chunk')} erased.")
    for name in missing:
        click.echo(printable(f"Error: there is no document {name!r}."), err=True)
    if unwiped:
        click.echo(
            "Error: no search finds them any more, but another process has been reading for a minute, so their bytes "
            "are still in the log of the file. Run this again when it has ended.",
            err=True,
        )
    if missing or unwiped:
        context.exit(1)
