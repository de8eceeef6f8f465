"""`cantle datasets`: what a store has."""

from __future__ import annotations

import click

from cantle.commands import as_json, printable

from .shared import no_host, one_line, opened_store, owner, storing

__all__ = ["command"]

_HELP = """List the datasets of a store, or the documents of one.

\b
Examples:
  cantle datasets --store sqlite:///chunks.db
  cantle datasets docs --json
"""


@click.command("datasets", help=_HELP, short_help="List the datasets of a store.")
@click.argument("name", required=False)
@storing
@click.option("--json", "json_", is_flag=True, help="As JSON.")
def command(name: str | None, url: str, host: str, avatar: str | None, json_: bool) -> None:
    """List datasets or documents; the help is `_HELP`."""
    nothing = ""
    with opened_store(url, host) as store:
        of = owner(store, avatar)
        if name is not None:
            found = store.documents(store.dataset(name, avatar=of))
            rows = [{"source": one.source, "chunks": one.chunks, "metadata": one.metadata} for one in found]
            lines = [f"{one.chunks:>8} chunks  {one.source}" for one in found]
        else:
            avatars = {one.id: one.name for one in store.avatars()}
            known = store.datasets(of)
            rows = [
                {
                    "id": one.id,
                    "name": one.name,
                    "avatar": avatars.get(one.avatar_id, one.avatar_id),
                    "documents": one.documents,
                    "chunks": one.chunks,
                    "embedder": one.embedder,
                    "dimension": one.dimension,
                }
                for one in known
            ]
            lines = [
                f"{one.documents:>8} documents {one.chunks:>8} chunks  {one.name}"
                + (f"  ({one.embedder}, {one.dimension} numbers)" if one.dimension else "")
                for one in known
            ]
            if not known:
                nothing = "The avatar has no dataset." if of is not None else no_host(store)
    if json_:
        as_json(rows)
        return
    for line in lines:
        click.echo(one_line(line))
    if not lines:
        click.echo(printable(nothing or f"The dataset {name!r} has no documents."), err=True)
