"""`cantle compare`: what several strategies make of one document."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from cantle.commands import STRATEGY, Failure, as_json, counted, document, parsed, printable, reading, sizing

from ..comparing.columns import COLUMNS, cells
from ..comparing.compare import compare
from ..comparing.comparison import Candidate, Comparison
from ..measures.cuts import KINDS
from ..measures.settings import worded_options
from .tables import chosen_format, format_option, show_table
from .view import PAGES, save, target_of

__all__ = ["command", "split_options"]

_HELP = """Cut FILE by several strategies and show how they differ.

For each strategy: how many chunks, their sizes, which share of the limit the mean size is, how much is
repeated (overlap) and dropped, and how many cuts go through a sentence, a table or a code block. With -o
also a page with the document and its cuts side by side, a column a strategy.

A strategy may have options of its own behind a colon, and may be given several times. -n, --overlap, -l
and -O go to all strategies that take them and have no own value. Without -n the limit is 480 and the
overlap a sixth of it, as in preview and eval, so that all are compared at one size; max_size=None behind
the colon leaves it to the strategy. Mind the unit: `token` counts tokens whatever -l says.

Without -s those are compared that suit the kind of the document: for Markdown markdown,
structural-context, recursive and sentence (with language=any); for HTML html and structural-context; for LaTeX latex,
structural-context and recursive; for JSON json and recursive; for text of a PDF and all else recursive,
sentence and structural-context.

\b
Examples:
  cantle compare README.md
  cantle compare manual.md -s recursive -s structural-context -n 320 -l cl100k_base
  cantle compare manual.md -s recursive -s 'recursive:max_size=800,overlap=0' -o compare.html --open
  cantle compare paper.tex -s latex -s 'recursive:separators=["\\n\\n", "\\n", " "]' -f csv > paper.csv
  cantle compare README.md -f json | jq '.strategies[] | [.strategy, .cutsInside.sentence.cuts]'

\b
Exit codes: 0 all well, 1 a strategy failed (its row says why) or the document could not be read, 2 wrong usage.
"""


@click.command("compare", help=_HELP, short_help="Compare strategies on one document.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "-s",
    "--strategy",
    "specs",
    multiple=True,
    type=STRATEGY,
    metavar="NAME[:KEY=VALUE,...]",
    help="A strategy, with options of its own; may be given several times. Default: by kind.",
)
@sizing
@reading
@click.option("--source", help="The name of the document. Default: its path.")
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write a page to this file.")
@click.option("--open", "shown", is_flag=True, help="Write the page and open it in a browser.")
@format_option("table", "json", "csv")
def command(
    file: str,
    specs: tuple[str, ...],
    options: dict[str, Any],
    read: dict[str, Any],
    source: str | None,
    out: str | None,
    shown: bool,
    format_: str | None,
) -> None:
    """Compare and show; the help is `_HELP`."""
    if out and out != "-" and (suffix := Path(out).suffix.lower()) and suffix not in PAGES:
        raise click.UsageError(
            f"-o {printable(out)} is the page, which is HTML: name it {Path(printable(out)).stem}.html. "
            "For the table: -f csv > FILE, or -f json > FILE."
        )
    target = target_of(file, out, "compare", shown) if out is not None or shown else None
    if target == "-" and format_ is not None:
        raise click.UsageError("-o - sends the page where -f sends its table. Give -o a file, or leave -f out.")
    asked = [_candidate(spec) for spec in specs] or None
    found = compare(document(file, read, source), asked, options=options)
    if target is not None:
        save(found.to_html(), target, counted(len(found.rows), "column"), shown)
    if target != "-":
        _write(found, chosen_format(format_, "table", "json"))
    failed = [row for row in found.rows if row.error]
    if failed:
        lines = [f"{row.strategy}: {row.error}" for row in failed]
        raise Failure("\n".join(lines))


def _candidate(spec: str) -> Candidate:
    name, colon, rest = spec.partition(":")
    if not name.strip() or (colon and not rest.strip()):
        raise click.BadParameter(f"{spec!r} is no NAME:KEY=VALUE. Example: recursive:max_size=400.", param_hint="-s")
    try:
        return Candidate(name.strip(), parsed(split_options(rest)))
    except click.BadParameter as error:
        raise click.BadParameter(f"{spec!r}: {error.message}", param_hint="-s") from None


def split_options(text: str) -> list[str]:
    """`a=1,b=[2, 3]` at the commas between options: those in brackets and strings part nothing."""
    found, start, depth, quoted, escaped = [], 0, 0, False, False
    for i, character in enumerate(text):
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth <= 0:
            found.append(text[start:i])
            start = i + 1
    return [part.strip() for part in (*found, text[start:]) if part.strip()]


def _write(found: Comparison, format_: str) -> None:
    if format_ == "json":
        as_json(found.to_dict())
    elif format_ == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(_lines(found))
    else:
        _table(found)


def _table(found: Comparison) -> None:
    """A column a strategy: so it fits a terminal with names and options of any length."""
    shown = [cells(found, row) for row in found.rows]
    names = ["", *(column.name for column in COLUMNS)]
    lines = [list(line) for line in zip(names, *shown, strict=True)]
    if not found.unit:
        lines.insert(2, ["unit", *("–" if row.error else row.sizes.unit for row in found.rows)])
    if found.failed:
        lines.append(["error", *(row.error for row in found.rows)])
    about = worded_options({k: v for k, v in found.common.items() if k != "length_function"})
    about += [f"sizes in {found.unit}"] if found.unit else []
    title = f"{found.document.source}: {', '.join(about)}" if about else found.document.source
    click.echo(f"{printable(title)}\n")
    show_table(lines[0], lines[1:])


def _lines(found: Comparison) -> Iterator[list[object]]:
    yield [
        *("strategy", "options", "totalChunks", "unit", "limit", "min", "median", "mean", "max", "limitUsed"),
        *("overlapShare", "dropped", "undeclared", "cuts", *(f"{kind}Cuts" for kind in KINDS), "configHash", "error"),
    ]
    for row in found.rows:
        values = row.to_dict()
        if row.error:
            yield [row.strategy, ", ".join(worded_options(row.options)), *[""] * (13 + len(KINDS)), row.error]
            continue
        sizes, inside = values["sizes"], values["cutsInside"]
        yield [
            *(row.strategy, ", ".join(worded_options(row.options))),
            *(values[name] for name in ("totalChunks", "unit", "limit")),
            *(sizes[name] for name in ("min", "median", "mean", "max")),
            *(values["limitUsed"], values["overlapShare"], row.losses.characters, values["undeclared"], values["cuts"]),
            *(inside[kind]["cuts"] for kind in KINDS),
            *(values["configHash"], ""),
        ]
