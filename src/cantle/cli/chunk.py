"""`cantle chunk`: cut files."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from typing import Any

import click

from ..batch import Result, chunk_many
from ..document import MDocument
from ..errors import CantleWarning
from . import options as opt
from .group import Failure
from .inputs import document, find
from .outputs import FORMATS, Writer, chosen_format, opened, writer
from .tables import counted, printable

__all__ = ["command"]

_HELP = """Cut FILES into chunks.

FILES are files, directories (walked; hidden files and unknown suffixes are left out), or - for
standard input. The kind of a file (markdown, html, json, latex, text) comes from its suffix and
decides the default strategy. The kind pdf, the text of a PDF with a form feed at the end of each
page, must be given. Plugins read other files and say their kind. The plugin cantle-files reads PDF,
Word, Excel, PowerPoint, OpenDocument, RTF, EPUB, e-mail, notebooks (kind notebook) and CSV (kind csv).

Chunks go to standard output, or to the file of -o, which appears only when it is complete. Without
-f the format comes from the suffix of -o: .json, .txt (text), .csv or .parquet; any other suffix
gives JSON Lines. Without -o and -f it is text on a terminal and JSON Lines in a pipe. Positions
count characters (Unicode code points).

A file that cannot be read or cut costs a line on standard error and the exit code 1; the others are
cut all the same, unless --strict.

\b
Examples:
  cantle chunk README.md
  cantle chunk docs/ --max-size 512 --length cl100k_base -o chunks.jsonl
  cantle chunk a.txt --strategy character --option 'separator="\\n\\n"'
  cantle chunk book.md --option 'separators=["\\n## ", "\\n\\n", " "]' -f csv > book.csv
  curl -s https://example.org | cantle chunk - --kind html --source example.html
  cantle chunk report.pdf minutes.docx -s structural-context
  pdftotext report.pdf - | cantle chunk - --kind pdf --source report.pdf
  cantle chunk book.md -f csv --option 'extract={"title": true, "keywords": true}'
  cantle chunk corpus/ --workers 4 -o corpus.parquet

\b
Exit codes: 0 all files were cut, 1 some failed, 2 wrong usage, 130 interrupted,
141 the reader of the output went away, 143 terminated.
"""


@click.command("chunk", help=_HELP, short_help="Cut files into chunks.")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@opt.cutting
@opt.reading
@click.option("--source", help="The name of the one input, which ids begin with. Default: its path.")
@click.option("-f", "--format", "format_", type=click.Choice(FORMATS), help="The format of the output.")
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("--relations", is_flag=True, help="Add parent, previous, next, children and section to each chunk.")
@click.option("-w", "--workers", type=click.IntRange(min=1, max=1024), default=1, show_default=True, help="Processes.")
@click.option("--strict", is_flag=True, help="Stop at the first file that fails and write no file.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    files: tuple[str, ...],
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    source: str | None,
    format_: str | None,
    out: str | None,
    relations: bool,
    workers: int,
    strict: bool,
    quiet: bool,
) -> None:
    """Cut the files and write the chunks; the help is `_HELP`."""
    if "" in files or out == "":
        raise click.UsageError("A name is empty. Name a file or a directory, or - for standard input.")
    if source is not None and (len(files) > 1 or (files[0] != "-" and Path(files[0]).is_dir())):
        raise click.UsageError("--source names one input; several files have their paths as names. Leave it out.")
    for name in options.keys() & signature(chunk_many).parameters.keys() - {"extract"}:
        raise click.UsageError(f"{name} is no option of a strategy; see the options of `cantle chunk --help`.")
    written = chosen_format(format_, out)
    if relations and written == "text":
        raise click.UsageError("--relations is not for the text format. Give -f jsonl, json, csv or parquet.")
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    elif read["kind"] and (said := opt.unknown_kind(read["kind"])):
        click.echo(f"Warning: {printable(said)}", err=True)
    run = _Run(files, read, source)
    documents: Iterable[MDocument | Path] = run.documents()
    if source is None and "-" not in files:
        documents = list(documents)  # paths only: how many there are is good to know
    if out is not None and any(_same(out, path) for path in (documents if isinstance(documents, list) else files)):
        raise click.UsageError(f"{out} is read and would be replaced. Give -o another name.")
    with opened(out) as output:
        to = writer(written, output, options.get("length_function"), relations, "extract" in options)
        results = chunk_many(
            documents,
            strategy,
            workers=workers,
            errors="collect",
            progress=_wants_progress(files, out, quiet),
            read=read,
            then=to.render,
            **options,
        )
        run.write(results, to, strict)
        if run.done or not run.failed:  # nothing but failures replaces no file
            to.close()
            output.commit()
    run.report(quiet)


def _same(out: str, path: MDocument | str | Path) -> bool:
    return not isinstance(path, MDocument) and os.path.isfile(path) and os.path.realpath(path) == os.path.realpath(out)


def _wants_progress(files: tuple[str, ...], out: str | None, quiet: bool) -> bool:
    several = len(files) > 1 or (files[0] != "-" and Path(files[0]).is_dir())
    return several and not quiet and sys.stderr.isatty() and (out is not None or not sys.stdout.isatty())


@dataclass
class _Run:
    """The documents of one call, and what became of them."""

    files: tuple[str, ...]
    read: dict[str, Any]
    source: str | None
    done: int = 0
    chunks: int = 0
    failed: list[tuple[str, Exception]] = field(default_factory=list)

    def documents(self) -> Iterator[MDocument | Path]:
        for item in find(self.files):
            if isinstance(item, Path) and self.source is None:
                yield item  # read where it is cut, in a worker perhaps
                continue
            try:
                yield document(item, self.read, self.source)
            except Exception as error:
                self.failed.append((str(item), error))

    def write(self, results: Generator[Result], output: Writer, strict: bool) -> None:
        with closing(results):  # stops the workers
            for result in results:
                if result.error is not None:
                    self.failed.append((result.name, result.error))
                else:
                    output.write(result.value)
                    self.done += 1
                    self.chunks += result.count
                if strict and self.failed:
                    break
        if strict and self.failed:
            raise Failure(f"{_line(*self.failed[0])}\nStopped there (--strict); no file was written.")

    def report(self, quiet: bool) -> None:
        """The failures, one line each; without any, a line about the result for a person at a terminal."""
        if self.failed:
            for name, error in self.failed:
                click.echo(f"Error: {printable(_line(name, error))}", err=True)
            total = self.done + len(self.failed)
            raise Failure(f"{len(self.failed)} of {counted(total, 'document')} failed.")
        if not quiet and sys.stderr.isatty():
            click.echo(f"{counted(self.done, 'document')}, {counted(self.chunks, 'chunk')}", err=True)


def _line(name: str, error: Exception) -> str:
    """The error on one line, the file's name in front where the message does not begin with it."""
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error) or type(error).__name__
        if type(error).__module__ == "builtins":  # its text alone may be a single word
            text = f"{type(error).__name__}: {text}"
    text = " ".join(text.split())
    name = "standard input" if name in ("", "-") else name
    return text if text.startswith(name) else f"{name}: {text}"
