"""`cantle eval`: golden questions against the chunks of a directory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from math import isnan, prod
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cantle.access import Access
from cantle.commands import Bar, Failure, counted, cutting, parsed, printable, reading
from cantle.errors import DocumentError

from ..asking.audit import write_audit
from ..corpus.pool import Cutting
from ..corpus.reading import Corpus, read_corpus
from ..golden.answers import FATAL
from ..golden.evaluate import BUDGETS, Evaluator
from ..golden.evaluation import Evaluation
from ..golden.questions import Question, read_golden
from ..golden.sweep import Sweep, sweep
from ..rank import named
from .results import rendered, show
from .shared import ROLES, filtering_by_roles, outputs, ranking, requiring, told
from .tables import format_option
from .writing import format_of, write

__all__ = ["command"]

_HELP = """Ask the golden questions in GOLDEN of the documents in DIR, and fail when answers are not found.

GOLDEN is a JSON list of questions, an object with `questions`, or JSON Lines:

\b
  [{"question": "How many days of leave?", "source": "leave-policy.md", "text": "30 days", "roles": ["employee"]},
   {"question": "How do I deploy?", "source": "runbook.md", "where": {"dept": "sre"}, "forbidden": ["old-runbook.md"]}]

A chunk is right when it comes from the source, holds the text (case, accents and white space aside), and touches one of
the `spans`, stretches [source, start, end] of documents. Other keys: id, exclude, minScore, group.

Documents are cut, chunks that may not be seen are taken out, and what is left is ranked by the words of the question,
as `cantle preview` does it. A question that names roles is asked as each of them; any other role in the file of roles
must not be able to see an expected source, wherever it would be ranked. Such questions need a file of roles, or
--no-roles.

The table shows the questions that failed and why, then the means over all questions with their 95 % intervals. Formats:
json holds everything, jsonl and csv a line for each question and role.

--sweep compares settings: all combinations of the values of options of a strategy, `strategy` and `ranker`. Values that
hold commas are given as a list of JSON. What is compared is recall within the first budget where all questions have
spans, else recall@k. A sweep fails on what no setting can help: sources that are not there, spans that do not fit,
leaks. Forbidden sources and low scores are noted for each setting.

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
Exit codes: 0 all is well; 1 recall or MRR is too low, a role may see what it should not, a chunk was outside the
filter, a forbidden source was found, a score was below minScore, a source that is named is not there, or there are no
documents; 2 wrong usage, a GOLDEN that cannot be read, or roles in it that the file of roles does not have.
"""

_FORMATS = ("table", "json", "jsonl", "csv")


class _Share(click.FloatRange):
    """A number from 0 to 1. NaN is none: no recall would be less than it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found: float = super().convert(value, param, ctx)
        if isnan(found):
            self.fail(f"{value!r} is not in the range 0<=x<=1.", param, ctx)
        return found


_SHARE = _Share(0, 1)


@click.command("eval", help=_HELP, short_help="Ask golden questions; compare settings.")
@click.argument("golden", type=click.Path(exists=True, dir_okay=False), metavar="GOLDEN")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True), metavar="DIR...")
@click.option(
    "--top-k", type=click.IntRange(min=1), default=3, show_default=True, help="How many chunks count as found."
)
@click.option(
    "--min-recall",
    type=_SHARE,
    help="Fail below this recall. Default: 1, every question must be found; with --sweep 0.",
)
@click.option("--min-mrr", type=_SHARE, default=0.0, help="Fail below this mean reciprocal rank.")
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
@click.option(
    "--no-roles",
    is_flag=True,
    help="Ask questions that name roles as nobody in particular; the output says that roles were not tested.",
)
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
    no_roles: bool,
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
    written = format_of(format_, out, _FORMATS)
    ours = outputs({"--audit": audit, "-o": out}, paths, [golden, roles], {"-o": written})
    questions = _golden(golden)
    _check_roles(questions, access, roles, no_roles, paths)
    if not quiet:
        _noted(questions, access, roles)
    corpus = read_corpus(paths, require=require, skip=[golden, *([roles] if roles else []), *ours], read=read)
    if not quiet:
        told(corpus.left_out)
    how: dict[str, Any] = {"where": access, "top_k": top_k, "budgets": budgets or BUDGETS}
    how["roles"] = False if no_roles else roles
    cut = Cutting(strategy, options)
    result: Evaluation | Sweep
    if settings:
        result = _compare(corpus, questions, settings, cut, ranker, how, quiet)
        failures = result.failures(min_recall or 0.0, min_mrr)
        problems = [(name, text) for _, name, text in result.unfit]
    else:
        least = 1.0 if min_recall is None else min_recall
        result = _ask(corpus, questions, cut, ranker, how, (least, min_mrr), quiet)
        failures = result.failures
        found = ((answer.question.id, p) for answer in result.answers for p in answer.problems)
        problems = [(name, problem.text) for name, problem in found if problem.kind in FATAL]
    write(written, out, lambda: show(result), lambda format: rendered(result, format))
    if audit is not None and isinstance(result, Evaluation):
        write_audit(audit, result.audit())
    if written != "table" or out not in (None, "-"):  # the table says it all
        _told(problems)
    if failures:
        raise Failure(f"{'; '.join(failures)}.")


def _golden(file: str) -> tuple[Question, ...]:
    """The questions of a file; one that is broken is wrong usage, not a bad result."""
    try:
        return read_golden(file)
    except DocumentError as error:
        raise Failure(str(error), 2) from error


def _check_roles(
    questions: Sequence[Question], access: Access, roles: Path | None, no_roles: bool, paths: Sequence[str]
) -> None:
    """Questions that name roles are tested for them, or the user says that they are not."""
    is_given = click.get_current_context().get_parameter_source("roles") is ParameterSource.COMMANDLINE
    if no_roles and (is_given or access.role is not None):
        raise click.UsageError(f"--no-roles and {'--roles' if is_given else '--role'} are both given. Keep one.")
    naming = sum(1 for question in questions if question.roles)
    if not naming or no_roles or roles is not None or access.role is not None:
        return
    several = [str(file) for path in paths if (file := Path(path, ROLES)).is_file()]
    there = (
        f"there are several files of roles: {', '.join(several)}"
        if several
        else (f"there is no {ROLES} in {', '.join(paths)}")
    )
    raise click.UsageError(
        f"{naming} of {counted(len(questions), 'golden question')} name roles, and {there}. "
        "Give --roles FILE, or --no-roles to ask them as nobody in particular."
    )


def _told(problems: Sequence[tuple[str, str]]) -> None:
    """Say on standard error, --quiet or not, why the run fails: each problem once."""
    said = list(dict.fromkeys(f"{name}: {text}" for name, text in problems))
    for line in said[:_MOST]:
        click.echo(printable(line), err=True)
    if len(said) > _MOST:
        click.echo(f"and {len(said) - _MOST} more", err=True)


_MOST = 5
"""Of more problems standard error names only the first."""


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
    naming = any(question.roles for question in questions)
    is_given = click.get_current_context().get_parameter_source("roles") is ParameterSource.COMMANDLINE
    if is_given and not naming and access.role is None:
        click.echo(f"Note: no question names a role, so {printable(str(roles))} is not looked at.", err=True)


def _ask(
    corpus: Corpus,
    questions: Sequence[Question],
    cut: Cutting,
    ranker: Any,
    how: dict[str, Any],
    least: tuple[float, float],
    quiet: bool,
) -> Evaluation:
    evaluator = Evaluator(corpus, questions, **how)
    with ExitStack() as stack:
        progress = None if quiet else stack.enter_context(Bar(evaluator.askings, "Questions", "answer")).advance
        found = evaluator(cut, ranker, min_recall=least[0], min_mrr=least[1], progress=progress)
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
