"""`cantle dataset`: files of documents into files of chunks."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from importlib import import_module
from inspect import signature
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import KIND, Bar, Failure, counted, cutting, printable
from cantle.errors import CantleWarning

from ..engines import ENGINES, Job, Summary

if TYPE_CHECKING:
    import pyarrow as pa

    from ..chunker import Chunker
    from ..files.finding import Input
    from ..files.placing import Failure as FailedDocument
    from ..files.reading import Files

__all__ = ["command"]

_HELP = """Cut all documents of IN, and write their chunks to OUT as Parquet.

IN is a file or a folder of Parquet, JSON Lines (.jsonl, .ndjson, also .gz) or Arrow IPC files, with a document a row,
or a folder of documents (Markdown, HTML, PDF, ... as `cantle chunk` finds them). Files are read bit by bit: they may be
far larger than memory. Of tables, --text-column names the texts and --id-column the ids of documents, which must
differ. Documents in files are called by their path in the folder.

OUT is a folder, with part-00000.parquet and so on, or one file if it ends with .parquet. It appears when it is
complete. In a folder, _SUCCESS tells in JSON what it was made of, and _errors.jsonl which documents failed; readers of
Parquet leave both out. The columns are document_id, chunk_id (the same in every run, and different in all of the
dataset where ids are), index, text (what to embed), content, prefix, start, end, spans, overlap, path, hash,
embed_hash, oversize, config_hash, metadata (JSON), error, and those of --keep.

A document that fails is skipped, is listed and makes the exit code 1; --errors collect gives it a row with its error
too, --errors raise ends the run. --timeout also guards against documents that kill their process.

--engine local uses --workers processes on this machine, and writes the same bytes for any number. ray and spark use
as many threads here, or the cluster at --address, whose nodes must see IN and OUT under the same paths.

\b
Examples:
  cantle dataset docs/ chunks/
  cantle dataset articles.parquet chunks/ --text-column body --id-column url
  cantle dataset articles.parquet chunks.parquet -s recursive -n 512 -l cl100k_base
  cantle dataset wiki/ chunks/ --workers 8 --timeout 60 --keep language
  cantle dataset tickets.jsonl chunks/ --kind format --metadata-column team
  cantle dataset wiki/ chunks/ --dry-run
  cantle dataset /data/wiki /data/chunks --engine ray --address auto
  cantle dataset /data/wiki /data/chunks --engine spark --address spark://host:7077

\b
Exit codes: 0 all documents were cut, 1 some failed, 2 wrong usage,
130 interrupted, 143 terminated; OUT is only written with 0 and 1.
"""


@click.command("dataset", help=_HELP, short_help="Cut a dataset: Parquet in, Parquet out.")
@click.argument("source", metavar="IN")
@click.argument("out", metavar="OUT")
@click.option(
    "--engine", type=click.Choice(ENGINES), default="local", show_default=True, help="What runs it; see below."
)
@cutting
@click.option("--input-format", type=click.Choice(["parquet", "jsonl", "arrow", "documents"]), help="What IN is.")
@click.option("--text-column", metavar="NAME", help="The column with the texts. Default: text.")
@click.option("--id-column", metavar="NAME", help="The column with the ids, strings or integers. Default: id.")
@click.option("--hash-ids", is_flag=True, help="No column has ids: make them of the texts, by SHA-256.")
@click.option("-k", "--kind", type=KIND, help="The kind of all documents, or the column that holds it. Default: text.")
@click.option(
    "--metadata-column", "fields", multiple=True, metavar="NAME", help="A column that becomes a field of the metadata."
)
@click.option("--metadata-json", metavar="NAME", help="The column that holds all metadata, as JSON objects.")
@click.option("--keep", multiple=True, metavar="NAME", help="A column to repeat on each chunk.")
@click.option("-w", "--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Processes.")
@click.option("--timeout", type=click.FloatRange(0, 1e9, min_open=True), help="Seconds that a document may take.")
@click.option(
    "--errors",
    type=click.Choice(["raise", "skip", "collect"]),
    default="skip",
    show_default=True,
    help="What becomes of a document that fails.",
)
@click.option("--partitions", type=click.IntRange(1, 100_000), metavar="N", help="How many parts, of equal count.")
@click.option("--address", help="The Ray cluster, or the Spark master (or sc:// of Spark Connect).")
@click.option("--overwrite", is_flag=True, help="Replace OUT, when all is done, if it is a dataset or a file.")
@click.option("--dry-run", is_flag=True, help="Check everything, say what would be done, and do nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(source: str, out: str, **given: Any) -> None:
    """Cut the dataset; the help is `_HELP`."""
    from ..files.finding import find
    from ..files.placing import Place
    from ..files.reading import opened

    if not source or not out:
        raise click.UsageError("A name is empty. Name the input and the output.")
    engine, address, partitions = given["engine"], given["address"], given["partitions"]
    if engine == "local" and address:
        raise click.UsageError("--address goes with --engine ray or --engine spark.")
    place = Place(out, overwrite=given["overwrite"])
    if place.single and (partitions or 1) > 1:
        raise click.UsageError(f"{out} is one file, which has no partitions. Name a folder, or leave out --partitions.")
    if given["quiet"]:
        warnings.simplefilter("ignore", CantleWarning)
    found = find(source, given["input_format"])
    place.check(source, found.files)
    chunker = _chunker(found, given)
    files = opened(found.files, found.format, found.names, chunker.columns, chunker.typed)
    chunker.check(files.schema)
    schema = chunker.schema_for(files.schema)
    if given["dry_run"]:
        _tell(found, files.rows(), chunker, schema, given, out)
        return
    with place:
        parts = 1 if place.single and engine == "local" else partitions
        began = monotonic()
        with ExitStack() as stack:
            advance = None if given["quiet"] else stack.enter_context(Bar(_count(files, found.format))).advance
            job = Job(
                found.files,
                found.format,
                found.names,
                place.folder,
                chunker,
                given["workers"],
                parts,
                address,
                None if advance is None else lambda documents, _, chunks: advance(chunks, documents),
            )
            summary: Summary = import_module(f"..engines.{engine}", __package__).run(job)
        failures = place.failures(drop=given["errors"] == "skip")
        told = {
            "strategy": chunker.name,
            "config_hash": chunker.config_hash,
            "documents": summary.documents,
            "chunks": summary.chunks,
            "bytes": summary.bytes,
        }
        place.finish(schema, failures, told)
        seconds = monotonic() - began
    _report(summary, failures, seconds, given["quiet"])


def _chunker(found: Input, given: dict[str, Any]) -> Chunker:
    from ..chunker import Chunker
    from ..files.reading import ID, PATH

    options = given["options"]
    for name in options.keys() & signature(Chunker).parameters.keys() - {"extract"}:
        raise click.UsageError(f"{name} is no option of a strategy; see the options of `cantle dataset --help`.")
    if found.format == "documents":
        for flag in ("text_column", "id_column", "metadata_json"):
            if given[flag]:
                raise click.UsageError(f"--{flag.replace('_', '-')} is for tables, and IN holds documents.")
        if given["fields"] or given["keep"] or given["hash_ids"]:
            raise click.UsageError("--metadata-column, --keep and --hash-ids are for tables, and IN holds documents.")
        columns: dict[str, Any] = {"path": PATH, "document_id": ID}
    else:
        if given["hash_ids"] and given["id_column"]:
            raise click.UsageError("--hash-ids and --id-column exclude each other. Give one.")
        if given["metadata_json"] and given["fields"]:
            raise click.UsageError("--metadata-json and --metadata-column exclude each other. Give one.")
        columns = {
            "text": given["text_column"] or "text",
            "document_id": None if given["hash_ids"] else given["id_column"] or "id",
            "metadata": given["metadata_json"] or given["fields"],
            "keep": given["keep"],
        }
    chunker = Chunker(
        given["strategy"],
        kind=given["kind"],
        errors="raise" if given["errors"] == "raise" else "collect",
        timeout=given["timeout"],
        **columns,
        **options,
    )
    if found.format == "documents" and chunker.columns != [ID, PATH]:
        raise click.UsageError(f"{given['kind']!r} is no kind of documents. `cantle strategies` lists them.")
    return chunker


def _count(files: Files, format: str) -> int | None:
    """How many documents there are, where that costs nothing."""
    return files.rows() if format in ("documents", "parquet") else None


def _tell(found: Input, rows: int, chunker: Chunker, schema: pa.Schema, given: dict[str, Any], out: str) -> None:
    what = "file" if found.format == "documents" else f"{found.format} file"
    lines = [
        f"input: {counted(len(found.files), what)}, {counted(rows, 'document')}",
        f"columns read: {', '.join(chunker.columns)}",
        f"strategy: {chunker.name}",
        f"engine: {given['engine']}, {counted(given['workers'], 'worker')}",
        f"output: {out}, {counted(len(schema), 'column')}",
    ]
    click.echo(printable("\n".join(lines)))
    click.echo("Nothing was cut or written (--dry-run).", err=True)


def _report(summary: Summary, failures: list[FailedDocument], seconds: float, quiet: bool) -> None:
    for failure in failures[:10]:
        click.echo(printable(f"Error: {failure.document_id or 'a document'}: {failure.error}"), err=True)
    if len(failures) > 10:
        click.echo(f"... and {len(failures) - 10} more.", err=True)
    if not quiet:
        megabytes = summary.bytes / 1e6
        rate = f", {megabytes:.1f} MB, {megabytes / max(seconds, 1e-3):.1f} MB/s" if megabytes >= 0.1 else ""
        click.echo(f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}{rate}", err=True)
    if failures:
        raise Failure(f"{len(failures)} of {counted(summary.documents, 'document')} failed.")
