"""`cantle chunk`: cut files."""

from __future__ import annotations

import os
import stat
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from inspect import signature
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Any

import click

from ..batch import Result, chunk_many
from ..document import MDocument
from ..errors import CantleWarning
from . import options as opt
from .group import Failure
from .inputs import document, find, is_special
from .outputs import FORMATS, Output, Writer, chosen_format, opened, writer
from .summary import failure_line, totals
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
cut all the same, unless --strict. So does a file that takes longer than --timeout and, with --workers
or --timeout, one that the process which cuts it dies of.

--resume keeps what is done in FILE.partial, beside the FILE of -o, and a journal of it in
FILE.partial.journal. After Ctrl-C, a crash or a power cut the same command goes on from there: a
document whose bytes are the same is not cut again, files may be changed, added or removed meanwhile,
and the result is what one run would have given. What failed is tried again. Both files go when all
is done. A run that was begun without --resume leaves nothing to go on from.

--stream cuts one text that is larger than memory while it is read, into the same chunks, with the
strategies that can: recursive (the default for text), token, sentence, structural-context. No
encoding is guessed, and no plugin reads standard input.

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
  cantle chunk corpus/ --workers 4 --timeout 60 --resume -o corpus.jsonl
  cantle chunk dump.txt --stream -n 512 -l cl100k_base -o dump.jsonl
  zcat dump.txt.gz | cantle chunk - --stream --source dump.txt -o dump.parquet

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
@click.option("--timeout", type=opt.SECONDS, help="A document that takes longer than so many seconds fails.")
@click.option("--resume", is_flag=True, help="Keep what is done; go on where an interrupted run ended. Needs -o FILE.")
@click.option("--unordered", is_flag=True, help="Write documents as they are done, not in the order of FILES.")
@click.option("--stream", is_flag=True, help="Cut one text while it is read, in little memory however long it is.")
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
    timeout: float | None,
    resume: bool,
    unordered: bool,
    stream: bool,
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
    if resume and out in (None, "-"):
        raise click.UsageError("--resume keeps what is done beside a file. Give -o FILE.")
    written = chosen_format(format_, out)
    if relations and written == "text":
        raise click.UsageError("--relations is not for the text format. Give -f jsonl, json, csv or parquet.")
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    elif read["kind"] and (said := opt.unknown_kind(read["kind"])):
        click.echo(f"Warning: {printable(said)}", err=True)
    if stream:
        from .streaming import command as cut_stream

        others = {"--workers": workers > 1, "--timeout": timeout is not None, "--resume": resume}
        others |= {"--unordered": unordered, "--relations": relations, "--strict": strict}
        if out is not None:
            _refuse_to_replace(out, False, files)
        cut_stream(files, strategy, options, read, source, written, out, quiet, others)
        return
    run = _Run(files, read, source, resume)
    documents: Iterable[MDocument | Path] = run.documents()
    if resume or (source is None and "-" not in files):
        documents = list(documents)  # paths, nearly always: how many there are is good to know
    if out is not None:
        _refuse_to_replace(out, resume, documents if isinstance(documents, list) else files)

    def to_write(output: Output) -> Writer:
        return writer(written, output, options.get("length_function"), relations, "extract" in options)

    def results(documents: Iterable[MDocument | Path], to: Writer) -> Generator[Result]:
        return chunk_many(
            documents,
            strategy,
            workers=workers,
            timeout=timeout,
            ordered=not unordered,
            errors="collect",
            progress=_wants_progress(files, out, quiet),
            read=read,
            then=to.render,
            sha256=resume,
            **options,
        )

    if resume:
        from .resume import Partial
        from .settings import settings

        config = settings(strategy, options, read, written, relations)
        to = to_write(Output(BytesIO()))
        with Partial(out or "-", config, to.start, quiet=quiet) as partial:
            progress = _wants_progress(files, out, quiet)
            todo = partial.begin(list(documents), workers, missing=len(run.failed), progress=progress)
            run.kept = partial.kept
            run.write(results(todo, to), partial.take, strict)
            if partial.kept or not run.failed:
                partial.finish(to_write, ordered=not unordered, whole=not run.failed)
    else:
        with opened(out) as output:
            to = to_write(output)

            def take(result: Result) -> None:
                if result.error is None:
                    to.write(result.value)

            run.write(results(documents, to), take, strict)
            if run.done or not run.failed:  # nothing but failures replaces no file
                to.close()
                output.commit()
    run.report(quiet)


def _refuse_to_replace(out: str, resume: bool, paths: Iterable[MDocument | Path | str]) -> None:
    """Raise a usage error where what is read would be written to."""
    names = [out, *(f"{os.path.realpath(out)}{end}" for end in (".partial", ".partial.journal") if resume)]
    replaced = {found: name for name in names if (found := _file(name))}
    for path in paths if replaced else ():
        if (found := _file(path)) in replaced:
            raise click.UsageError(f"{replaced[found]} is read and would be replaced. Give -o another name.")


def _file(path: MDocument | str | Path) -> tuple[int, int] | None:
    """What tells a file from all others, by whatever name. None for what is no file."""
    try:
        found = None if isinstance(path, MDocument) else os.stat(path)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if found is not None and stat.S_ISREG(found.st_mode) else None


def _wants_progress(files: tuple[str, ...], out: str | None, quiet: bool) -> bool:
    several = len(files) > 1 or (files[0] != "-" and Path(files[0]).is_dir())
    return several and not quiet and sys.stderr.isatty() and (out is not None or not sys.stdout.isatty())


@dataclass
class _Run:
    """The documents of one call, and what became of them."""

    files: tuple[str, ...]
    read: dict[str, Any]
    source: str | None
    resume: bool = False
    kept: int = 0
    done: int = 0
    chunks: int = 0
    bytes: int = 0
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)
    """A line for each: the exceptions hold what they came of, the text of the document too."""

    def documents(self) -> Iterator[MDocument | Path]:
        for item in find(self.files):
            if isinstance(item, Path) and self.source is None and not (self.resume and is_special(item)):
                yield item  # read where it is cut, in a worker perhaps
                continue
            try:
                yield document(item, self.read, self.source)
            except Exception as error:
                self.failed.append(failure_line(str(item), error))

    def write(self, results: Generator[Result], take: Callable[[Result], None], strict: bool) -> None:
        began = monotonic()
        with closing(results):  # stops the workers
            for result in results:
                take(result)
                if result.error is not None:
                    self.failed.append(failure_line(result.name, result.error))
                else:
                    self.done += 1
                    self.chunks += result.count
                    self.bytes += result.bytes
                if strict and self.failed:
                    break
        self.seconds = monotonic() - began
        if strict and self.failed:
            raise Failure(f"{self.failed[0]}\nStopped there (--strict); no file was written.")

    def report(self, quiet: bool) -> None:
        """The failures, one line each; without any, a line about the result for a person at a terminal."""
        if self.failed:
            for line in self.failed:
                click.echo(f"Error: {printable(line)}", err=True)
            total = self.kept + self.done + len(self.failed)
            raise Failure(f"{len(self.failed)} of {counted(total, 'document')} failed.")
        if not quiet and sys.stderr.isatty():
            said = totals(self.done, self.chunks, self.bytes, self.seconds)
            click.echo(f"{said}, besides {self.kept} done before" if self.kept else said, err=True)
