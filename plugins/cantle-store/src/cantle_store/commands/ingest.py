"""`cantle ingest`: files into a store."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import Bar, Failure, as_json, counted, cutting, parsed, printable, reading
from cantle.errors import CantleWarning

from . import reports
from .shared import embedding, offline_embedder, one_line, opened_store, owner, say_waits, storing
from .speaking import in_options

if TYPE_CHECKING:
    from ..ingesting.ingested import Ingested

__all__ = ["command"]

_HELP = """Cut the files of PATHS and bring a dataset of a store up to them.

PATHS are files, or directories, which are walked (hidden files are left out, and so are files that no installed plugin
reads, which a line on standard error tells). Run it again after edits: only chunks that are new or changed are written
and embedded, those that are gone are deleted, and a second run without edits writes nothing.

A document is called by its path within the directory, as guides/leave.md; a file that is named itself by its name. What
came from the same directory earlier and whose file is there no more is deleted, unless --keep-gone. A document of the
same name that came from another directory is never overwritten: give --source-prefix. With that one file of a directory
is brought up to date, too: docs/guides/leave.md --source-prefix guides/ after docs/.

-m goes before what documents say themselves, in front matter for example, and so may decide who sees them; where it
replaces another value a warning says so.

Without --embedder no vectors are made, and the dataset is searched by words; later runs take the embedder of the
dataset where it works offline. With openai:MODEL each text that is new is
sent to that endpoint, which costs money: the key is that of CANTLE_STORE_EMBEDDER_API_KEY or OPENAI_API_KEY (which is
sent to OpenAI's own address alone). --dry-run says how many texts that would be. `cantle reembed` changes the embedder.

A file that cannot be read, cut or embedded costs a line on standard error and the exit code 1; what the store has of it
stays. Ctrl-C keeps what was done.

\b
Examples:
  cantle ingest docs/ --store sqlite:///chunks.db --dataset docs
  cantle ingest docs/ --store sqlite:///chunks.db --dataset docs --embedder e5
  cantle ingest policies/ --dataset policies -m dept=hr --roles roles.yaml
  cantle ingest policies/ --store chunks.db --dataset policies --dry-run
  cantle ingest policies/hr/leave.md --dataset policies --source-prefix hr/
  cantle ingest handbook.pdf --dataset docs --strategy recursive --max-size 800 --overlap 80
  cantle ingest docs/ --dataset docs --embedder openai:text-embedding-3-small --dry-run
  cantle ingest docs/ --store postgresql://user:secret@localhost/chunks --dataset docs --json

\b
Exit codes: 0 all is well; 1 a document failed, or everything would have been
deleted; 2 wrong usage; 130 interrupted.
"""


@click.command("ingest", help=_HELP, short_help="Put files into a store, again and again.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True))
@storing
@click.option("--dataset", required=True, metavar="NAME", help="The dataset, which is made where there is none.")
@embedding
@cutting
@reading
@click.option(
    "-m",
    "--metadata",
    "said",
    multiple=True,
    metavar="KEY=VALUE",
    help="Metadata of all documents; goes before their own.",
)
@click.option(
    "--roles",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A YAML file that says which documents each role may see; it replaces that of the host.",
)
@click.option("--source-prefix", default="", metavar="TEXT", help="What names of documents begin with.")
@click.option("--keep-gone", is_flag=True, help="Keep documents whose files are gone.")
@click.option("--allow-empty", is_flag=True, help="Delete all that came from there when no file is found.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--json", "json_", is_flag=True, help="The counts as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    paths: tuple[str, ...],
    url: str,
    host: str,
    avatar: str | None,
    dataset: str,
    maker: Any,
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    said: tuple[str, ...],
    roles: str | None,
    source_prefix: str,
    keep_gone: bool,
    allow_empty: bool,
    dry_run: bool,
    json_: bool,
    quiet: bool,
) -> None:
    """Ingest the paths and say what was done; the help is `_HELP`."""
    from cantle.access import read_roles

    from ..ingesting.ingest import ingest

    if not dataset:
        raise click.UsageError("The name of the dataset is empty.")
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    known_roles = None if roles is None else read_roles(roles)
    embedder = None if maker is None else maker()
    if not quiet:
        say_waits(embedder)
    with ExitStack() as stack:
        store = stack.enter_context(opened_store(url, host, missing="memory" if dry_run else "make"))
        if known_roles is not None and not dry_run:
            store.set_roles(known_roles)
        of = owner(store, avatar)
        if embedder is None:
            embedder, note = _recorded(store, dataset, of)
            if note and not quiet:
                click.echo(printable(f"Warning: {note}"), err=True)
        bar: Bar | None = None

        def then(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                bar = stack.enter_context(Bar(total, "Documents", "document"))
            bar.advance(1)

        found = ingest(
            store,
            dataset,
            paths,
            strategy=strategy,
            options=options,
            read=read,
            metadata=parsed(said) if said else None,
            embedder=embedder,
            avatar=of,
            source_prefix=source_prefix,
            keep_gone=keep_gone,
            allow_empty=allow_empty,
            dry_run=dry_run,
            then=None if quiet else then,
        )
    if json_:
        as_json(found.to_dict())
    else:
        click.echo(_told(found))
    if not quiet:
        _tell(found)
    for name, error in found.failed:
        text = " ".join(in_options(str(error)).split()) or type(error).__name__
        click.echo(one_line(f"Error: {name}: {text}"), err=True)
    if found.failed:
        raise Failure(f"{counted(len(found.failed), 'document')} failed.")


def _recorded(store: Any, dataset: str, avatar: Any) -> tuple[Any, str]:
    """The embedder that made the vectors of the dataset, where it works offline; else a warning."""
    from ..errors import NotFoundError

    try:
        name = store.dataset(dataset, avatar=avatar).embedder
    except NotFoundError:
        name = None
    if name is None:
        return None, ""
    found, why = offline_embedder(name)
    return found, why and f"new chunks get no vectors, and are found by words alone: {why}"


def _tell(found: Ingested) -> None:
    lines = [f"Warning: {line}" for line in reports.replaced(found.replaced)]
    if found.recut:
        lines.append(f"Note: {reports.recut(found.recut, dry_run=found.dry_run)}")
    if found.left_out:
        lines.append(f"Note: {reports.left_out(found.left_out)}")
    for line in lines:
        click.echo(one_line(f"{line}."), err=True)


def _told(found: Ingested) -> str:
    rows: list[tuple[str, ...]] = [("", "new", "changed", "kept", "gone")]
    for name, counts in (("documents", found.documents), ("chunks", found.chunks)):
        rows.append((name, *map(str, counts.to_dict().values())))
    lines = [f"{row[0]:<10}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in rows]
    would = "would be " if found.dry_run else ""
    lines.append(f"{counted(found.embedded, 'text')} {would}embedded.")
    if not found.wrote:
        lines.append("Nothing changed, nothing was written.")
    elif found.dry_run:
        lines.append("A dry run: nothing was written.")
    return "\n".join(lines)
