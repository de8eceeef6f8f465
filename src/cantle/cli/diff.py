"""`cantle diff`: what changed between two runs."""

from __future__ import annotations

from collections import deque
from typing import Any

import click

from ..sync import diff as compare
from ..sync import read_jsonl
from .tables import as_json, printable

__all__ = ["command"]

_HELP = """Compare two runs: which chunks are kept, moved, new and gone, and what must be embedded again.

OLD and NEW are JSON Lines, as `cantle chunk -f jsonl` writes them, or arrays of JSON, as -f json
writes them. A chunk is kept when its text and its place are the same; moved when its text is the
same, but not its place or metadata.

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
    starts = _starts(found.gone, found.new)
    lines = [("+" if id(record) in embed else "=", record) for record in found.new]
    lines += [("-", record) for record in found.gone]
    for sign, record in lines:
        click.echo(_line(sign, record, starts.get(id(record), 0)))
    signs = {sign for sign, _ in lines}
    if signs:
        click.echo("   ".join(f"{sign} {meaning}" for sign, meaning in _LEGEND.items() if sign in signs))
    if found.moved:
        click.echo("moved: the same text at another place or with other metadata; it keeps its vector")


def _name(record: Any) -> dict[str, Any]:
    return {name: record.get(name) for name in ("key", "id", "embed_hash")}


_LEGEND = {"+": "new, to embed", "=": "new, its text has a vector", "-": "gone"}

_ALIKE = 40  # as many equal characters at the front make a gone and a new chunk versions of one


def _starts(gone: list[Any], new: list[Any]) -> dict[int, int]:
    """Where the previews of chunks that begin alike start: a little before the first difference."""
    waiting: dict[tuple[Any, str], deque[Any]] = {}
    for record in gone:
        waiting.setdefault((record.get("source"), _preview(record)[:_ALIKE]), deque()).append(record)
    starts = {}
    for record in new:
        text = _preview(record)
        others = waiting.get((record.get("source"), text[:_ALIKE]))
        if others and len(text) >= _ALIKE:
            other = others.popleft()
            pairs = enumerate(zip(text, _preview(other), strict=False))
            first = next((i for i, (a, b) in pairs if a != b), min(len(text), len(_preview(other))))
            starts[id(record)] = starts[id(other)] = first - _ALIKE // 2
    return starts


def _preview(record: Any) -> str:
    return " ".join(str(record.get("text", "")).split())


def _line(sign: str, record: Any, start: int) -> str:
    text = _preview(record)
    if start:
        text = f"...{text[start:]}"
    shown = text if len(text) <= 70 else f"{text[:67]}..."
    return printable(f"{sign} {record.get('id', record.get('key', '?'))}  {shown}")
