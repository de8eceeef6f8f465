"""`cantle view`: a page that shows a document with its chunks."""

from __future__ import annotations

import os
import webbrowser
from pathlib import Path
from typing import Any

import click

from cantle.commands import counted, cutting, document, opened, printable, reading

from ..measures.explain import explained
from ..report.page import view

__all__ = ["PAGES", "command", "save", "target_of"]

PAGES = (".html", ".htm", ".xhtml")
"""How names of pages end."""

_OTHERS = (
    *(".csv", ".doc", ".docx", ".epub", ".json", ".jsonl", ".latex", ".markdown", ".md", ".ndjson", ".odt", ".parquet"),
    *(".pdf", ".png", ".pptx", ".ps", ".rst", ".rtf", ".svg", ".tex", ".tsv", ".txt", ".xls", ".xlsx", ".xml"),
    *(".yaml", ".yml"),
)
"""How names of other things end, which a page would take for its own or, worse, replace."""

_HELP = """Show FILE with its chunks, as a page to look at.

The page is one HTML file that loads nothing, so it can be sent to others. It shows the whole text with its
chunks in alternating colours, what they share, what stands in front of them when they are embedded, and
what is left out. For the chunk under the pointer it says where it is, how large in the unit of --length,
what metadata it has, and why it ends where it ends. Press j and k to go from chunk to chunk. No script is
needed to read it.

FILE is a file, or - for standard input. The page goes to NAME.chunks.html in the current directory, or
where -o says; -o - is standard output.

\b
Examples:
  cantle view README.md --open
  cantle view manual.md -s structural-context -n 320 -l cl100k_base --overlap 48
  cantle view page.html -O 'headers=[["h1", "title"], ["h2", "section"]]' -o page-chunks.html
  curl -s https://example.org | cantle view - --kind html -o - > example.html

\b
Exit codes: 0 the page was written, 1 the document could not be read or cut, 2 wrong usage.
"""


@click.command("view", help=_HELP, short_help="Show a document with its chunks, as a page.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@cutting
@reading
@click.option("--source", help="The name of the document, which ids begin with. Default: its path.")
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("--open", "shown", is_flag=True, help="Open the page in a browser.")
def command(
    file: str,
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    source: str | None,
    out: str | None,
    shown: bool,
) -> None:
    """Cut the file and write the page; the help is `_HELP`."""
    target = target_of(file, out, "chunks", shown)
    chunks = explained(document(file, read, source), strategy, options)
    save(view(chunks), target, counted(len(chunks), "chunk"), shown)


def target_of(file: str, out: str | None, what: str, shown: bool) -> str:
    """Where the page goes: `out`, or a name made of the document's in the current directory."""
    if out == "":
        raise click.UsageError("The name after -o is empty. Name a file, or - for standard output.")
    if out == "-" and shown:
        raise click.UsageError("--open needs a file to open. Give -o the name of a file, or leave it out.")
    target = out or f"{'stdin' if file == '-' else Path(file).stem}.{what}.html"
    if file != "-" and target != "-" and os.path.realpath(target) == os.path.realpath(file):
        raise click.UsageError(f"{target} is read and would be replaced. Give -o another name.")
    if out and Path(out).suffix.lower() in _OTHERS:
        raise click.UsageError(f"The page is HTML, and {printable(out)} is no name of one. Give -o a name in .html.")
    return target


def save(page: str, target: str, content: str, shown: bool) -> None:
    """Write a page and say so on standard error; open it if that is wanted."""
    with opened(target) as output:
        output.stream.write(page.encode("utf-8"))
        output.commit()
    if target == "-":
        return
    click.echo(f"Wrote {printable(target)}: {content}.", err=True)
    if shown and not webbrowser.open(Path(target).resolve().as_uri()):
        click.echo(f"Warning: no browser could be started. Open {printable(target)} in one.", err=True)
