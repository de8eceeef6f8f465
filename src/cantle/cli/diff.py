"""`cantle diff`: what changed between two runs."""

from __future__ import annotations

from typing import Any

import click

from ..sync import diff as compare
from ..sync import read_jsonl
from .tables import as_json, printable

__all__ = ["command"]

_HELP = """Compare two runs: which chunks are kept, moved, new and gone, and what must be embedded again.

OLD and NEW are JSON Lines, as `cantle chunk -f jsonl` writes them. A chunk is kept when its text
and its place are the same; moved when its text is the same, but not its place or metadata.

\b
Examples:
  cantle chunk docs/ -o new.jsonl && cantle diff old.jsonl new.jsonl
  cantle diff old.jsonl new.jsonl --json | jq -r '.embed[].key'
  cantle diff --quiet old.jsonl new.jsonl || echo changed

Exit codes: 0 the runs were compared; with --quiet 1 when anything is moved, new or gone.
"""


@click.command("diff", help=_HELP, short_help="Compare two runs: what must be embedded again.")
@click.argument("old", type=click.Path(exists=True, dir_okay=False))
@click.argument("new", type=click.Path(exists=True, dir_okay=False))
@click.option("--json", "as_json_", is_flag=True, help="Write JSON: counts, and the keys and ids of each sort.")
@click.option("-q", "--quiet", is_flag=True, help="Write nothing; the exit code says whether something changed.")
def command(old: str, new: str, as_json_: bool, quiet: bool) -> None:
    """Compare the two files; the help is `_HELP`."""
    found = compare(read_jsonl(old), read_jsonl(new))
    if quiet:
        raise click.exceptions.Exit(1 if found.changed else 0)
    if as_json_:
        as_json(
            {
                "counts": found.counts,
                "kept": [_name(pair.new) for pair in found.kept],
                "moved": [{"old": _name(pair.old), "new": _name(pair.new)} for pair in found.moved],
                "new": [_name(record) for record in found.new],
                "gone": [_name(record) for record in found.gone],
                "embed": [_name(record) for record in found.embed],
            }
        )
        return
    click.echo(found.summary())
    embed = {id(record) for record in found.embed}
    for record in found.new:
        click.echo(_line("+" if id(record) in embed else "=", record))
    for record in found.gone:
        click.echo(_line("-", record))
    if found.new or found.gone:
        click.echo("+ new, to embed   = new, its text has a vector   - gone")


def _name(record: Any) -> dict[str, Any]:
    return {name: record.get(name) for name in ("key", "id", "embed_hash")}


def _line(sign: str, record: Any) -> str:
    text = " ".join(str(record.get("text", "")).split())
    shown = text if len(text) <= 70 else f"{text[:67]}..."
    return printable(f"{sign} {record.get('id', record.get('key', '?'))}  {shown}")
