"""`cantle eval`: golden questions against the chunks of a directory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cantle.commands import Bar, Failure, counted, cutting, opened, parsed, printable, reading

from ..asking.audit import write_audit
from ..corpus.access import Access
from ..corpus.pool import Cutting
from ..corpus.reading import Corpus, read_corpus
from ..golden.evaluate import BUDGETS, Evaluator
from ..golden.evaluation import Evaluation
from ..golden.questions import Question, read_golden
from ..golden.sweep import Sweep, sweep
from ..rank import named
from .results import rendered, show
from .shared import filtering_by_roles, ranking, requiring, told
from .tables import chosen_format, format_option

__all__ = ["command"]

_HELP = """Ask the golden questions in GOLDEN of the documents in DIR, and fail when answers are not found.

GOLDEN is a JSON list of questions, an object with `questions`, or JSON Lines:

\b
  [{"question": "How many days of leave?", "source": "leave-policy.md", "text": "30 days", "roles": ["employee"]},
   {"question": "How do I deploy?", "source": "runbook.md", "where": {"dept": "sre"}, "forbidden": ["old-runbook.md"]}]

A chunk is right when it comes from the source, holds the text (case, accents and white space aside), and touches one of
the `spans`, stretches [source, start, end] of documents. Other keys: id, exclude, minScore, group.

Documents are cut, chunks that may not be seen are taken out, and what is left is ranked by the words of the question,
as `cantle preview` does it. With a file of roles, a question that names roles is asked as each of them, and as every
other role, which must not find it.

The table shows the questions that failed and why, then the means over all questions with their 95 % intervals. Formats:
json holds everything, jsonl and csv a line for each question and role.

--sweep compares settings: all combinations of the values of options of a strategy, `strategy` and `ranker`. Values that
hold commas are given as a list of JSON. What is compared is recall within the first budget where all questions have
spans, else recall@k.

\b
Examples:
  cantle eval golden.json policies/
  cantle eval golden.json policies/ --top-k 5 --min-recall 0.9 --ranker bm25 -f table
  cantle eval golden.json policies/ --roles roles.yaml --audit answers.jsonl
  cantle eval golden.json policies/ --role intern --require dept,classification
  cantle eval golden.json policies/ --sweep max_size=240,480,960 --sweep overlap=0,80
  cantle eval golden.json policies/ --sweep strategy=recursive,structural-context --sweep ranker=bm25,tf-cosine
  cantle eval golden.json policies/ -s recursive --sweep 'separators=[["\\n\\n", " "], ["\\n## ", "\\n\\n", " "]]'

\b
Exit codes: 0 all is well; 1 recall or MRR is too low, a role got what it may not, a chunk was outside the filter,
a forbidden source was found, a score was below minScore, or an expected source is not there; 2 wrong usage.
"""

_FORMATS = ("table", "json", "jsonl", "csv")
_SUFFIXES = {".txt": "table", ".json": "json", ".jsonl": "jsonl", ".csv": "csv"}


@click.command("eval", help=_HELP, short_help="Ask golden questions; compare settings.")
@click.argument("golden", type=click.Path(exists=True, dir_okay=False), metavar="GOLDEN")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True), metavar="DIR...")
@click.option(
    "--top-k", type=click.IntRange(min=1), default=3, show_default=True, help="How many chunks count as found."
)
@click.option(
    "--min-recall",
    type=click.FloatRange(0, 1),
    help="Fail below this recall. Default: 1, every question must be found; with --sweep 0.",
)
@click.option("--min-mrr", type=click.FloatRange(0, 1), default=0.0, help="Fail below this mean reciprocal rank.")
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(min=1),
    multiple=True,
    help="Tokens within which spans are looked for; may be repeated. Default: 1000 and 2000.",
)
@click.option(
    "--sweep", "pairs_swept", multiple=True, metavar="KEY=V1,V2,...", help="Compare settings; may be repeated."
)
@filtering_by_roles
@requiring
@ranking
@cutting
@reading
@click.option(
    "--audit",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a line of JSON for each answer to FILE: the question, the role, and the chunk that sustains it.",
)
@format_option(*_FORMATS)
@click.option("-o", "--output", "out", type=click.Path(allow_dash=True), help="Write to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Nothing on standard error but errors.")
def command(
    golden: str,
    paths: tuple[str, ...],
    top_k: int,
    min_recall: float | None,
    min_mrr: float,
    budgets: tuple[int, ...],
    pairs_swept: tuple[str, ...],
    access: Access,
    roles: Path | None,
    require: list[str],
    ranker: Any,
    strategy: str | None,
    options: dict[str, Any],
    read: dict[str, Any],
    audit: str | None,
    format_: str | None,
    out: str | None,
    quiet: bool,
) -> None:
    """Ask the questions and write what came of it; the help is `_HELP`."""
    settings = _settings(swept(pairs_swept), options, strategy)
    if audit == "-":
        raise click.UsageError("--audit needs the name of a file: standard output has the result.")
    if settings and audit is not None:
        raise click.UsageError("--audit is about one setting. Leave it or --sweep out.")
    if audit is not None and out is not None and Path(audit).resolve() == Path(out).resolve():
        raise click.UsageError("--audit and --output are one file. Name two.")
    written = format_ or _SUFFIXES.get(Path(out or "").suffix.lower()) or chosen_format(None, *_FORMATS)
    questions = read_golden(golden)
    corpus = read_corpus(paths, require=require, skip=[golden, *([roles] if roles else [])], read=read)
    if not quiet:
        told(corpus.left_out)
        _noted(questions, access, roles)
    how: dict[str, Any] = {"where": access, "roles": roles, "top_k": top_k, "budgets": budgets or BUDGETS}
    cut = Cutting(strategy, options)
    if settings:
        compared = _compare(corpus, questions, settings, cut, ranker, how, quiet)
        _write(compared, written, out)
        failures = _too_low(compared, min_recall or 0.0, min_mrr)
    else:
        least = 1.0 if min_recall is None else min_recall
        found = _ask(corpus, questions, cut, ranker, how, {"min_recall": least, "min_mrr": min_mrr}, quiet)
        _write(found, written, out)
        if audit is not None:
            write_audit(audit, found.audit())
        failures = found.failures
    if failures:
        raise Failure(f"{'; '.join(failures)}.")


def swept(pairs: Iterable[str]) -> dict[str, list[Any]]:
    """The settings of `KEY=V1,V2,...`: values as `--option` takes them, or a list of JSON."""
    found: dict[str, list[Any]] = {}
    for pair in pairs:
        key, equals, values = pair.partition("=")
        is_list = values.lstrip().startswith("[")
        parts = [values] if is_list or values.lstrip().startswith("{") else values.split(",")
        if not (equals and key.strip() and all(part.strip() for part in parts)):
            raise _wrong(f"{pair!r} is no KEY=V1,V2,... Example: max_size=240,480.")
        several = [parsed([f"{key}={part.strip()}"]) for part in parts]
        name = next(iter(several[0]))
        given = [value[name] for value in several]
        if is_list:
            given = given[0]
            if not isinstance(given, list) or not given:
                raise _wrong(f"{values!r} is no list of JSON with a value.")
        name = "length_function" if name == "length" else name
        if name in found:
            raise _wrong(f"{name!r} is given twice.")
        found[name] = given
    return found


def _wrong(message: str) -> click.BadParameter:
    return click.BadParameter(message, param_hint="--sweep")


def _settings(found: dict[str, list[Any]], options: dict[str, Any], strategy: str | None) -> dict[str, list[Any]]:
    """The settings, with rankers made of their names; none may be given elsewhere too."""
    context = click.get_current_context()
    is_given = context.get_parameter_source("ranker") is ParameterSource.COMMANDLINE
    given = {*options, *(["strategy"] if strategy is not None else []), *(["ranker"] if is_given else [])}
    if both := sorted(given & found.keys()):
        raise click.UsageError(f"{both[0]} is given and in --sweep. Keep one.")
    if "ranker" in found:
        language = context.params.get("language") or None
        found["ranker"] = [named(str(name), language=language) for name in found["ranker"]]
    return found


def _noted(questions: Sequence[Question], access: Access, roles: Path | None) -> None:
    """Say what of the roles is not looked at."""
    naming = sum(1 for question in questions if question.roles)
    if naming and roles is None:
        click.echo(
            f"Note: {counted(naming, 'question')} with roles, but there is no file of roles: asked as nobody in "
            "particular. Give --roles FILE.",
            err=True,
        )
    is_given = click.get_current_context().get_parameter_source("roles") is ParameterSource.COMMANDLINE
    if is_given and not naming and access.role is None:
        click.echo(f"Note: no question names a role, so {printable(str(roles))} is not looked at.", err=True)


def _ask(
    corpus: Corpus,
    questions: Sequence[Question],
    cut: Cutting,
    ranker: Any,
    how: dict[str, Any],
    least: dict[str, float],
    quiet: bool,
) -> Evaluation:
    evaluator = Evaluator(corpus, questions, **how)
    with ExitStack() as stack:
        progress = None if quiet else stack.enter_context(Bar(evaluator.askings, "Questions", "answer")).advance
        found = evaluator(cut, ranker, progress=progress, **least)
    if not quiet:
        told(found.pool.left_out[len(corpus.left_out) :])
    return found


def _compare(
    corpus: Corpus,
    questions: Sequence[Question],
    settings: dict[str, list[Any]],
    cut: Cutting,
    ranker: Any,
    how: dict[str, Any],
    quiet: bool,
) -> Sweep:
    with ExitStack() as stack:
        total = prod(map(len, settings.values()))
        progress = None if quiet else stack.enter_context(Bar(total, "Settings", "question")).advance
        return sweep(corpus, questions, settings, cutting=cut, ranker=ranker, progress=progress, **how)


def _too_low(compared: Sweep, min_recall: float, min_mrr: float) -> list[str]:
    totals = compared.best.totals
    said = [
        f"{name} of the best settings is {totals[key].value:.3f}, less than {least:g}"
        for key, name, least in (("recall", f"recall@{compared.top_k}", min_recall), ("mrr", "MRR", min_mrr))
        if totals[key].value < least
    ]
    if compared.leaks:
        said.append(f"with some settings a role got what it may not: {counted(compared.leaks, 'time')}")
    return said


def _write(result: Evaluation | Sweep, format: str, out: str | None) -> None:
    """Write the result in a format, to standard output or a file."""
    if format == "table" and out in (None, "-"):
        show(result)
        return
    with opened(out) as output:
        output.stream.write(rendered(result, format).encode("utf-8", "replace"))
        output.commit()
