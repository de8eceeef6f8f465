"""`cantle partition`: a file as labelled topical blocks."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import Failure, counted, document, opened, printable, reading
from cantle.errors import CantleWarning

from ..errors import REASONS
from ..partitioning.options import MOST_OVERLAP, Options
from .client_options import client_of, client_options, default_answers
from .reports import advice, resumable, spent, stopped, tell

if TYPE_CHECKING:
    from cantle import MDocument

    from ..client.client import Client
    from ..partitioning.result import PartitionResult

__all__ = ["command"]

Function = Callable[..., Any]

_FORMATS = ("text", "json", "jsonl")
_SUFFIXES = {".txt": "text", ".json": "json", ".jsonl": "jsonl"}

_HELP = """Divide FILE into labelled topical blocks, each a range of its text.

Without a model the embedded engine does it, by headings and by the words that neighbouring sentences share: offline
and for nothing. With -e model, or --model NAME, a model is asked, which costs money: the key is that of
CANTLE_LLM_API_KEY or OPENAI_API_KEY (which is sent to OpenAI's own address alone), the other settings are options or
CANTLE_LLM_* variables. --dry-run says how much it is at most; --budget sets a limit for this command. Answers are kept
in a file, so that the same command run again, after Ctrl-C too, asks only for what is missing.

FILE may be - for standard input. The text is divided into sentences; headings, rows of tables and lines of code count
as such. They are numbered from 0, and options and the json report call them lines: they are not the lines of the file.
The model is shown some of them at once and says which belong together. Where it gives no usable answer, they go into
blocks without a label; what it leaves out is reported, or put into the nearest block.

Formats: text shows the labels with the sentences and characters of each block; json is the whole report, with texts,
costs and an audit log; jsonl has the blocks as chunks, as `cantle chunk` writes them. Without -f the suffix of -o says
which; else it is text on a terminal and json in a pipe. Positions count characters (Unicode code points).

Several files, or a directory, as chunks of one file: `cantle chunk DIR -s partition`.

\b
Examples:
  cantle partition report.md
  cantle partition report.md -f json | jq -r '.blocks[].label'
  cantle partition book.txt --model gpt-4.1-nano --dry-run
  cantle partition book.txt --model gpt-4.1-nano --budget 0.10 -o book.json
  cantle partition a.txt --base-url http://localhost:11434/v1 --model llama3.1
  cantle partition a.txt --model gpt-4.1-nano --replay -f jsonl > a.jsonl
  pdftotext report.pdf - | cantle partition - --kind pdf --language pt

\b
Exit codes: 0 all is well; 1 the model covered too few sentences, a session
failed or the budget was reached (the result is written all the same), or no
call can succeed; 2 wrong usage; 130 interrupted.
"""


def _parameter(name: str, kind: Any, text: str) -> Callable[[Function], Function]:
    return click.option(f"--{name}", type=kind, metavar=None if isinstance(kind, click.Choice) else "N", help=text)


@click.command("partition", help=_HELP, short_help="Divide a file into labelled topical blocks.")
@click.argument("files", type=click.Path(allow_dash=True), metavar="FILE", nargs=-1, required=True)
@click.option(
    "-e",
    "--engine",
    type=click.Choice(["lexical", "model"]),
    help="Who divides. Default: lexical, or model where --model is given.",
)
@_parameter(
    "max-words-per-line",
    click.IntRange(min=1),
    f"Longer sentences are several lines. Default: {Options.max_words_per_line}.",
)
@_parameter(
    "max-lines-per-session",
    click.IntRange(min=1),
    f"Lines that the model is shown at once. Default: {Options.max_lines_per_session}.",
)
@_parameter(
    "overlap-lines",
    click.IntRange(min=0),
    f"How many of them the next session is shown too. Default: {MOST_OVERLAP}, or a tenth of a shorter session.",
)
@_parameter(
    "max-chars-per-chunk",
    click.IntRange(min=1),
    f"Longer texts are cut into sub-texts first. Default: {Options.max_chars_per_chunk}.",
)
@_parameter(
    "fallback-max-chars-per-block",
    click.IntRange(min=1),
    f"How long blocks are where the model gave no answer. Default: {Options.fallback_max_chars_per_block}.",
)
@_parameter(
    "min-coverage",
    click.FloatRange(0, 1),
    f"Fail when the model covers less of the lines. Default: {Options.min_coverage}.",
)
@_parameter(
    "uncovered",
    click.Choice(["report", "nearest"]),
    "Lines that the model left out: report them, or put them into the nearest block too. "
    f"Default: {Options.uncovered}.",
)
@click.option(
    "--language",
    type=click.Choice(["de", "en", "es", "fr", "it", "pt"]),
    help="The language of the labels, and of the words that the lexical engine counts. Default: that of the text.",
)
@client_options
@click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would be, and ask nothing.")
@reading
@click.option("--source", help="The name of the document. Default: its path.")
@click.option("-f", "--format", "format_", type=click.Choice(_FORMATS), help="The format of the output.")
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    files: tuple[str, ...],
    engine: str | None,
    settings: dict[str, Any],
    read: dict[str, Any],
    source: str | None,
    dry_run: bool,
    format_: str | None,
    out: str | None,
    quiet: bool,
    **parameters: Any,
) -> None:
    """Divide the file and write the result; the help is `_HELP`."""
    file = _one(files)
    if file == "" or out == "":
        raise click.UsageError("A name is empty. Name a file, or - for standard input.")
    if _same(file, out):
        raise click.UsageError(f"{out} is read and would be replaced. Give -o another name.")
    written = None if dry_run else _format(format_, out)
    if dry_run and out not in (None, "-"):
        raise click.UsageError("--dry-run writes no blocks. Leave out -o.")
    engine, client = engine or ("model" if settings.get("model") else "lexical"), None
    if quiet:
        warnings.simplefilter("ignore", CantleWarning)
    given = {name: value for name, value in parameters.items() if value is not None}
    if written is None:
        if engine == "lexical":
            raise click.UsageError("The lexical engine asks no model and costs nothing. Give --model, or -e model.")
        with client_of(settings, asks=False) as client:
            from ..partitioning.partition import estimate_partition

            tell(estimate_partition(document(file, read, source), client, **given), client, format_, "answer")
        return
    with opened(out) as output:  # before anything is paid for
        if engine == "lexical":
            _check_no_client(settings)
            result = _divided(document(file, read, source), None, given, quiet)
        else:
            with client_of(settings) as client, resumable(client):
                result = _divided(document(file, read, source), client, given, quiet)
        output.stream.write(_rendered(result, written).encode("utf-8", "replace"))
        output.commit()
    if not quiet:
        click.echo(printable(_summary(result, client)), err=True)
    if not result.success or result.failed_sessions:
        raise Failure(_failure(result, client))


def _one(files: tuple[str, ...]) -> str:
    if len(files) == 1 and not os.path.isdir(files[0]):
        return files[0]
    given = f"{files[0]} is a directory" if len(files) == 1 else f"{len(files)} files are given"
    names = files[0].rstrip(os.sep) if len(files) == 1 else "FILE1 FILE2"
    each = f"{names}/*" if len(files) == 1 else names
    loop = f'mkdir topics; for f in {each}; do cantle partition "$f" -o "topics/$(basename "$f").json"; done'
    raise click.UsageError(
        f"{given}, and cantle partition divides one file. The blocks of all as chunks: `cantle chunk {names} -s "
        f"partition`. A report for each, in a shell: `{loop}`."
    )


def _same(file: str, out: str | None) -> bool:
    return (
        out not in (None, "-")
        and file != "-"
        and all(map(os.path.exists, (file, str(out))))
        and os.path.samefile(file, str(out))
    )


def _format(wanted: str | None, out: str | None) -> str:
    if wanted:
        return wanted
    if out in (None, "-"):
        return "text" if sys.stdout.isatty() else "json"
    suffix = Path(str(out)).suffix.lower()
    if suffix not in _SUFFIXES:
        raise click.UsageError(
            f"-o {out}: the suffix {suffix!r} says nothing of the format. Known: {', '.join(_SUFFIXES)}. "
            f"Or give -f {'|'.join(_FORMATS)}."
        )
    return _SUFFIXES[suffix]


def _check_no_client(settings: dict[str, Any]) -> None:
    """Options of a client that nobody would use are a mistake."""
    kept = settings.get("answers")
    given = [name for name in settings if name != "answers" or kept not in (default_answers(), os.devnull)]
    if given:
        flag = given[0].replace("_", "-")
        raise click.UsageError(
            f"--{flag} is for a model, and the lexical engine asks none. Give -e model, or leave it out."
        )


def _divided(source: MDocument, client: Client | None, given: dict[str, Any], quiet: bool) -> PartitionResult:
    from ..partitioning.partition import partition

    return partition(source, client=client, progress=not quiet and client is not None, **given)


def _rendered(result: PartitionResult, format: str) -> str:
    if format == "json":
        return f"{result.to_json(indent=2)}\n"
    if format == "jsonl":
        return result.to_chunks().to_jsonl()
    from ..partitioning.text_view import as_text

    return "".join(f"{printable(line)}\n" for line in as_text(result, ends_with_state=False).split("\n"))


def _summary(result: PartitionResult, client: Client | None) -> str:
    from ..partitioning.figures import percent

    parts = [counted(len(result.blocks), "block"), counted(result.total_lines, "sentence")]
    if result.failed_sessions and result.failed_sessions == result.sessions_used:
        parts.append("no session was answered")
    else:
        parts.append(f"{percent(result.total_lines - result.missing_count, result.total_lines)} covered")
    if result.repairs:
        parts.append(f"answers repaired in {counted(len(result.repairs), 'place')}")
    if client is not None:
        parts.append(counted(result.sessions_used, "session"))
        parts += spent(client.ledger, client.model)
    return ", ".join(parts)


def _failure(result: PartitionResult, client: Client | None) -> str:
    said, more = [], ""
    if result.reason == "coverage_below_threshold":
        said.append(
            f"the model left out {result.missing_count:,} of {counted(result.total_lines, 'sentence')} "
            "(--uncovered nearest puts them into the nearest blocks, --min-coverage says how many may be left out)"
        )
    if result.control.reasons:
        said.append(stopped(result.control.reasons))
    if result.reason == "all_sessions_failed":
        said.append("no session was answered")
    if result.failed_sessions:
        reasons = list(dict.fromkeys(failure.reason for failure in result.failures))
        why = "" if result.control.reasons else f": {'; '.join(REASONS[reason] for reason in reasons)}"
        said.append(f"{result.failed_sessions} of {counted(result.sessions_used, 'session')} failed{why}")
        if client is not None:
            more = advice(client, reasons)
    return f"{'; '.join(said)}. {more}".rstrip()
