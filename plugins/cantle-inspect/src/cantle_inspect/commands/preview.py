"""`cantle preview`: a question against the chunks of a directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cantle.access import Access
from cantle.commands import LENGTH, Failure, as_json, cutting, printable, reading

from .shared import filtering, outputs, ranking, requiring, told
from .tables import chosen_format, format_option

__all__ = ["command"]

_HELP = """Show which chunks of the documents in DIR a question finds.

DIR is a directory of documents (walked; hidden files and unknown suffixes are left out) or a file;
several may be given. Documents are cut, chunks that may not be seen are taken out, and what is left
is ranked by the words of the question. No model and no network are asked.

Chunks have at most 480 characters, of which up to a sixth repeats the chunk before, as far as the strategy takes these
options; -n and --overlap say otherwise. `cantle chunk` and `cantle view` cut by the strategy's own defaults unless
told: give them -n 480 --overlap 80 to see the same chunks.

Filters look at the metadata of documents: YAML front matter, and what loaders of plugins find.
Values must be the same, letter by letter. What lacks a key of a filter is not shown. Roles are
filters with names, in a file:

\b
  intern: {dept: [hr, product], classification: internal}
  sre:
    - {dept: sre}
    - {classification: internal}
  auditor: "*"

On a terminal the answer is a table, in a pipe JSON. A chunk with the score 0 has no word of the
question; --min-score hides it. `totalChunks` and `tokensEstimate` count all chunks, whatever the
filter, and so do the names in `leftOut`.

\b
Examples:
  cantle preview policies/ -q "Quantos dias de ferias posso tirar?"
  cantle preview policies/ -q "How do I deploy?" --dept sre --classification restricted
  cantle preview policies/ -q "How do I deploy?" --role intern --require dept,classification
  cantle preview policies/ -q "Reembolso" --ranker bm25 -s structural-context -n 200 -l cl100k_base
  cantle preview policies/ -q "Reembolso" --role intern --audit answer.jsonl

\b
Exit codes: 0 also when nothing was found, 1 there is no document or none could be cut, 2 wrong usage.
"""


@click.command("preview", help=_HELP, short_help="Ask the chunks of a directory a question.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True), metavar="DIR...")
@click.option("-q", "--question", required=True, help="The question.")
@filtering
@requiring
@click.option("--top-k", type=click.IntRange(min=1), default=5, show_default=True, help="How many chunks to show.")
@click.option("--min-score", type=float, help="Show no chunk with a lower score.")
@ranking
@cutting
@reading
@click.option(
    "--model",
    type=LENGTH,
    default="text-embedding-3-small",
    show_default=True,
    help="The embedding model whose tokens are counted; PROVIDER:NAME is taken too.",
)
@click.option(
    "-t",
    "--tokenizer",
    type=LENGTH,
    metavar="NAME",
    help="What counts tokens, instead of the model's tokenizer; a name as --length takes it.",
)
@click.option(
    "--audit",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a line of JSON to FILE: the question, the role, and the chunk that sustains the answer.",
)
@format_option("table", "json")
def command(
    paths: tuple[str, ...],
    question: str,
    access: Access,
    roles: Path | None,
    require: list[str],
    top_k: int,
    min_score: float | None,
    ranker: Any,
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    model: str,
    tokenizer: str | None,
    audit: str | None,
    format_: str | None,
) -> None:
    """Rank the chunks of documents; the help is `_HELP`."""
    from ..asking.audit import write_audit
    from ..asking.preview import preview
    from ..corpus.pool import Cutting
    from ..corpus.reading import read_corpus
    from .hits import notes, show

    if not question.strip():
        raise click.BadParameter("it is empty.", param_hint="--question")
    if audit == "-":
        raise click.UsageError("--audit needs the name of a file: standard output has the answer.")
    written = outputs({"--audit": audit}, paths, [roles])
    corpus = read_corpus(paths, require=require, skip=[*written, *([roles] if roles else [])], read=read)
    found = preview(
        corpus,
        question,
        where=access,
        cutting=Cutting(strategy, options),
        ranker=ranker,
        top_k=top_k,
        min_score=min_score,
        keys=require,
        model=model,
        tokenizer=tokenizer,
    )
    told(found.pool.left_out)
    if not found.pool.documents:
        raise Failure(f"None of the documents in {', '.join(paths)} could be cut.")
    if audit is not None:
        write_audit(audit, [found.audit()])
    for said in notes(found):
        click.echo(printable(f"Note: {said}"), err=True)
    if chosen_format(format_, "table", "json") == "json":
        as_json(found.to_dict())
    else:
        show(found)
