"""`cantle search`: what a store has for a question."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import Failure, as_json, printable
from cantle.errors import CantleWarning

from .shared import by_key, embedding, no_host, offline_embedder, one_line, opened_store, owner, say_waits, storing

if TYPE_CHECKING:
    from ..records import Dataset, Hit

__all__ = ["command"]

_SNIPPET = 200
_FEW = 5

_HELP = """Find the chunks of a store that fit QUERY best.

--where and --role are part of the query to the database: what may not be seen takes no place among the -k, and changes
no score. --where looks at the metadata of a chunk, then of its document; given for one key twice, one of the values
must hold; * stands for any. --role, which may be given several times, looks at the document alone; what roles see is
said by `cantle roles FILE`. Without --role you are trusted, and see everything.

--mode text ranks by words (BM25, case and accents aside), vector by meaning, hybrid by both. auto is hybrid where the
dataset has vectors of an embedder that works offline, or the one of --embedder; else text. Only --embedder openai:MODEL
sends the query to an endpoint.

Without --dataset all datasets of the host are searched, and each result shows its dataset: by meaning those that have
vectors of the embedder, by words all.

The score is comparable within one search: BM25, the cosine, or for hybrid the sum of 1 / (60 + rank).

\b
Examples:
  cantle search "how long is parental leave?" --store sqlite:///chunks.db --dataset docs
  cantle search "férias" --where dept=hr --where classification=internal -k 5
  cantle search "deploy" --dataset runbooks --role sre --mode hybrid --json
  cantle search "deploy" --dataset runbooks --embedder openai:text-embedding-3-small

\b
Exit codes: 0 all is well, with no result too; 1 something failed; 2 wrong usage.
"""


@click.command("search", help=_HELP, short_help="Find chunks in a store.")
@click.argument("query")
@storing
@click.option("--dataset", metavar="NAME", help="The dataset. Default: all of the host.")
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Only what has this metadata.")
@click.option("--role", "roles", multiple=True, metavar="NAME", help="Only what this role may see.")
@click.option("-k", "k", type=click.IntRange(1, 10_000), default=10, show_default=True, help="How many results.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "vector", "text", "hybrid"]),
    default="auto",
    show_default=True,
    help="How to rank.",
)
@embedding
@click.option("--json", "json_", is_flag=True, help="Scores, ranks and chunks as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    query: str,
    url: str,
    host: str,
    avatar: str | None,
    dataset: str | None,
    where: tuple[str, ...],
    roles: tuple[str, ...],
    k: int,
    mode: str,
    maker: Any,
    json_: bool,
    quiet: bool,
) -> None:
    """Search and show what was found; the help is `_HELP`."""
    if avatar is not None and dataset is None:
        raise click.UsageError("--avatar says whose dataset is meant. Name one with --dataset.")
    filters = by_key(where, "--where")
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    embedder = maker() if maker is not None and mode != "text" else None
    if not quiet:
        say_waits(embedder)
    with opened_store(url, host) as store:
        target = None if dataset is None else store.dataset(dataset, avatar=owner(store, avatar))
        if embedder is None and mode != "text":
            embedder, note = _recorded(store.datasets() if target is None else [target], target is not None, mode)
            if note and not quiet:
                click.echo(printable(f"Note: {note}"), err=True)
        hits = store.search(
            query, dataset=target, where=filters or None, roles=list(roles) or None, k=k, mode=mode, embedder=embedder
        )
        names = {one.id: one.name for one in ([target] if target is not None else store.datasets())}
        nothing = "Nothing was found." if names else no_host(store)
    if json_:
        as_json(
            [
                {
                    "score": hit.score,
                    "ranks": hit.ranks,
                    "dataset": names.get(hit.chunk.dataset_id),
                    "chunk": hit.chunk.to_dict(),
                }
                for hit in hits
            ]
        )
        return
    for number, hit in enumerate(hits, 1):
        click.echo(one_line(_line(number, hit, "" if target is not None else names.get(hit.chunk.dataset_id, ""))))
        click.echo(printable(f"   {_snippet(hit.chunk.content)}"))
    if not hits and not quiet:
        click.echo(printable(nothing), err=True)


def _recorded(datasets: Sequence[Dataset], is_named: bool, mode: str) -> tuple[Any, str]:
    """The embedder that made the vectors, where it is one that works offline; else why it is left out.

    A mode that needs vectors is refused then.
    """
    having = [one for one in datasets if one.embedder]
    names = {str(one.embedder) for one in having}
    found, why = None, ""
    if len(names) == 1:
        found, why = offline_embedder(*names)
    elif names:
        shown = ", ".join(f"{one.name!r} of {one.embedder!r}" for one in having[:_FEW])
        shown += ", ..." if len(having) > _FEW else ""
        why = (
            f"the datasets have vectors of several embedders ({shown}). Give --dataset for one of them, or --embedder "
            "for all that have its vectors."
        )
    elif mode != "auto":
        if is_named:
            what, whose = f"the dataset {datasets[0].name!r} has no vectors", quote(datasets[0].name)
        else:
            what, whose = "no dataset of the host has vectors", "NAME"
        why = (
            f"{what}, which --mode {mode} needs. Search with --mode text, or make vectors: `cantle reembed --dataset "
            f"{whose} --embedder NAME`."
        )
    if found is None and mode != "auto":
        raise Failure(f"{why[:1].upper()}{why[1:]}")
    if found is not None and mode == "vector" and len(having) < len(datasets):
        bare = ", ".join(repr(one.name) for one in datasets if not one.embedder)
        return found, f"not searched, since they have no vectors: {bare}."
    return found, why and f"searched by words alone: {why}"


def _line(number: int, hit: Hit, dataset: str) -> str:
    ranks = ", ".join(f"{name} {rank}" for name, rank in sorted(hit.ranks.items())) if len(hit.ranks) > 1 else ""
    path = " > ".join(" ".join(title.split()) for title in hit.chunk.path)
    place = f"{hit.chunk.source}#{hit.chunk.index}"
    parts = [f"{number}. {hit.score:.4f}", dataset, place, path, ranks and f"({ranks})"]
    return "  ".join(part for part in parts if part)


def _snippet(text: str) -> str:
    words = " ".join(text[: 4 * _SNIPPET].split())
    return words if len(words) <= _SNIPPET else f"{words[: _SNIPPET - 3]}..."
