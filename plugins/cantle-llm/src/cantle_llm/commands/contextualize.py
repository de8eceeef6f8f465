"""`cantle contextualize`: cut files, and have a model write a note for each chunk."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantle import MDocument, chunk_many
from cantle.commands import (
    FORMATS,
    Bar,
    Failure,
    Writer,
    chosen_format,
    counted,
    cutting,
    document,
    find,
    opened,
    printable,
    reading,
    writer,
)
from cantle.errors import CantleWarning, ContextWarning

from ..extracting import refused
from .client_options import client_of, client_options
from .reports import advice, report, resumable, tell

if TYPE_CHECKING:
    from ..client.client import Client, Run
    from ..errors import ModelError
    from ..estimates import Estimate

__all__ = ["command"]

_HELP = """Cut FILES into chunks, and have a model write a note for each that says what it is about.

FILES are files, directories (walked; hidden files and unknown suffixes are left out), or - for standard input. They are
cut as `cantle chunk` cuts them. A note says what its chunk takes for granted because it stands elsewhere in the
document, and names what someone may search for. It stands before the text of the chunk (`prefix`, and so in what is
embedded) and in its metadata (`context`). Chunks are written as `cantle chunk` writes them.

The model is any behind an OpenAI-compatible server: --model and --base-url, with the key in CANTLE_LLM_API_KEY (or
OPENAI_API_KEY, which is sent to OpenAI's own address alone). All settings may stand in variables CANTLE_LLM_*. Each
chunk is a call, which sends the document with it and costs money: --dry-run says how much at most, --budget sets a
limit for this command, which ends the run before it is exceeded.

Notes are kept on file as they come, under the document, the chunk, the prompt and the model. A run that was
interrupted, or of which calls failed, is started again and asks for what is missing; --replay asks for nothing at all.

What was asked, what failed and what it cost is said on standard error. Chunks whose call failed are written without a
note.

\b
Examples:
  cantle contextualize handbook.md --model gpt-4.1-nano -o handbook.jsonl
  cantle contextualize docs/ --model gpt-4.1-nano --dry-run
  cantle contextualize docs/ --model gpt-4.1-nano --budget 0.50 -o a.parquet
  cantle contextualize a.md --model m --base-url http://localhost:8000/v1
  cantle contextualize a.md -s structural-context -O context_size=300
  cantle contextualize docs/ --model gpt-4.1-nano --replay -f csv > docs.csv

\b
Exit codes: 0 every chunk has its note, 1 some have none or a file could not
be cut, 2 wrong usage, 130 interrupted.
"""


@click.command("contextualize", help=_HELP, short_help="Have a model write a note for each chunk.")
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@cutting
@reading
@click.option("--source", help="The name of the one input, which ids begin with. Default: its path.")
@client_options
@click.option(
    "--template",
    type=click.Path(exists=True, dir_okay=False, allow_dash=False),
    metavar="FILE",
    help="A prompt of your own: a text file with {document}, {chunk}, {breadcrumb} and {heading}.",
)
@click.option(
    "--language",
    type=click.Choice(["en", "pt"]),
    help="The language of the built-in prompt. Default: the document's. Notes are in the document's in either case.",
)
@click.option(
    "--document-max-chars",
    type=int,
    metavar="N",
    help="How much of a document is sent with each chunk, in UTF-16 units; 0 sends all. Default: 60000.",
)
@click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would be, and ask nothing.")
@click.option("-f", "--format", "format_", type=click.Choice(FORMATS), help="The format of the output.")
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    files: tuple[str, ...],
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    source: str | None,
    settings: dict[str, Any],
    template: str | None,
    language: str | None,
    document_max_chars: int | None,
    dry_run: bool,
    format_: str | None,
    out: str | None,
    quiet: bool,
) -> None:
    """Cut the files, ask for notes, write the chunks; the help is `_HELP`."""
    if "" in files or out == "":
        raise click.UsageError("A name is empty. Name a file or a directory, or - for standard input.")
    if source is not None and (len(files) > 1 or (files[0] != "-" and Path(files[0]).is_dir())):
        raise click.UsageError("--source names one input; several files have their paths as names. Leave it out.")
    for name in options.keys() & {"plugins", "read", "then", "workers", "errors", "ordered", "progress"}:
        raise click.UsageError(f"{name} is no option of a strategy; see the options of `cantle contextualize --help`.")
    _check_cutting(strategy, options)
    if dry_run and out not in (None, "-"):
        raise click.UsageError("--dry-run writes no chunks. Leave out -o.")
    given = {"language": language, "document_max_chars": document_max_chars}
    notes = {name: value for name, value in given.items() if value is not None}
    if template is not None:
        notes["template"] = _template(template)
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    # What this sums up, and what to do, is said at the end, for all files.
    warnings.filterwarnings("ignore", r"\d+ of \d+ chunks? (has|have) no note", ContextWarning)
    work = _Work(files, read, source, strategy, options, notes)
    with client_of(settings, asks=not dry_run) as client, refused(_INSTEAD):
        if dry_run:
            tell(work.estimate(client), client, format_, "note")
        else:
            work.shows = not quiet and (out is not None or not sys.stdout.isatty())
            _write(work, client, chosen_format(format_, out), out, quiet)
        work.end(client)


_INSTEAD = "`cantle contextualize` asks for notes alone. Do that with `cantle chunk`."


def _check_cutting(strategy: str | None, options: dict[str, Any]) -> None:
    """Cutting asks no model here: it would be paid for by another client, in a dry run too."""
    if strategy == "partition" and (options.keys() & {"client", "model"} or options.get("engine") == "model"):
        raise click.UsageError(f"partition with a model asks one. {_INSTEAD}")


def _template(path: str) -> str:
    try:
        text = Path(path).read_text("utf-8-sig")
    except ValueError as error:
        raise click.BadParameter(f"{path} is no UTF-8.", param_hint="--template") from error
    if not text.strip():
        raise click.BadParameter(f"{path} is empty.", param_hint="--template")
    return text


def _write(work: _Work, client: Client, format: str, out: str | None, quiet: bool) -> None:
    run = client.run("contextualize")
    if any(_same(out, path) for path in work.files):
        raise click.UsageError(f"{out} is read and would be replaced. Give -o another name.")
    with opened(out) as output, resumable(client):
        to = writer(format, output, work.options.get("length_function"))
        work.write(run, to)
        if work.notes or not work.missing:  # chunks without a single note replace no file
            to.close()
            output.commit()
    if not quiet:
        report(run, failed=work.missing)


def _same(out: str | None, path: str) -> bool:
    if out is None or "-" in (out, path) or not (Path(out).is_file() and Path(path).exists()):
        return False
    return Path(out).samefile(path)


@dataclass
class _Work:
    """The documents of one call, and what became of them. `asked` are the options of `contextualize`.

    Counted are `chunks`, their `notes` and the `missing` ones; documents that were `found` and are `done`.
    """

    files: tuple[str, ...]
    read: dict[str, Any]
    source: str | None
    strategy: str | None
    options: dict[str, Any]
    asked: dict[str, Any]
    notes: int = 0
    chunks: int = 0
    missing: int = 0
    found: int = 0
    done: int = 0
    stopped: ModelError | None = None
    shows: bool = False
    reasons: set[str] = field(default_factory=set)
    failed: list[tuple[str, Exception]] = field(default_factory=list)

    def _documents(self) -> Iterator[MDocument | Path]:
        items = list(find(self.files))
        self.found = len(items)
        for item in items:
            if isinstance(item, Path) and self.source is None:
                yield item
                continue
            try:
                yield document(item, self.read, self.source)
            except Exception as error:
                self.failed.append((str(item), error))

    def _cut(self) -> Iterator[Any]:
        """The chunks of each document that can be cut."""
        results = chunk_many(self._documents(), self.strategy, errors="collect", read=self.read, **self.options)
        with closing(results):
            for result in results:
                if result.error is not None:
                    self.failed.append((result.name, result.error))
                else:
                    self.done += 1
                    yield result.chunks

    def estimate(self, client: Client) -> Estimate:
        """What it would be."""
        from ..contextualizing import estimate_notes
        from ..estimates import Estimate

        total = Estimate()
        for chunks in self._cut():
            total += estimate_notes(chunks, client, **self.asked)
        return total

    def write(self, run: Run, to: Writer) -> None:
        """Ask for notes and write, until something ends the run."""
        from ..contextualizing import contextualize

        for chunks in self._cut():
            name = printable(chunks.source.source or "standard input")[-40:]
            what = name if self.found == 1 else f"{name}, {self.done + len(self.failed)} of {self.found}"
            with _Shown(what, self.shows) as shown:
                found = contextualize(chunks, run=run, **self.asked, progress=shown)
            to.write(to.render(found.chunks))
            self.chunks += len(chunks)
            self.missing += len(found.missing)
            self.notes = self.chunks - self.missing
            self.reasons |= found.failures.keys()
            if found.error is not None:
                self.stopped = found.error
                return

    def end(self, client: Client) -> None:
        """What failed, a line each, and the exit code."""
        for name, error in self.failed:
            click.echo(printable(f"Error: {_line(name, error)}"), err=True)
        said = []
        if self.stopped is not None:
            why = str(self.stopped)
            if self.stopped.reason == "budget":
                why = f"{why.partition('. ')[0]}."  # the sums are in the report
            said.append(f"The run was stopped: {why}")
            if unread := self.found - self.done - len(self.failed):
                said.append(f"{counted(unread, 'document')} left unread.")
        if self.missing:
            verb = "has" if self.missing == 1 else "have"
            said.append(f"{self.missing} of {counted(self.chunks, 'chunk')} {verb} no note.")
            said.append(advice(client, self.reasons))
        if self.failed:
            said.append(f"{len(self.failed)} of {counted(self.done + len(self.failed), 'document')} failed.")
        if said:
            raise Failure(" ".join(part for part in said if part))


class _Shown:
    """Progress of one document: a bar that is called as it is and begins with the first call."""

    def __init__(self, what: str, shows: bool) -> None:
        self._what, self._shows = what, shows
        self._bar: Bar | None = None
        self._stack = ExitStack()

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and self._shows:
            self._bar = self._stack.enter_context(Bar(total, self._what, "call"))
        if self._bar is not None:
            self._bar.advance(1)

    def tick(self) -> None:
        """Time has passed."""
        if self._bar is not None:
            self._bar.tick()


def _line(name: str, error: Exception) -> str:
    """The error on one line, the file's name in front where the message does not begin with it."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error) or type(error).__name__
    text, name = " ".join(text.split()), "standard input" if name in ("", "-") else name
    return text if text.startswith(name) else f"{name}: {text}"
