"""How evaluations and sweeps are written: tables for people, JSON, JSON Lines and CSV for programs."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from cantle.commands import counted, printable, to_json

from ..golden.answers import FATAL, UNFIT, Answer
from ..golden.evaluation import Evaluation, failure
from ..golden.metrics import Interval
from ..golden.sweep import Sweep, SweepRow, shown
from ..golden.unfound import expectation
from ..names import camel
from .tables import show_table
from .writing import csv_text

__all__ = ["rendered", "show"]


def show(result: Evaluation | Sweep) -> None:
    """Write tables for people to standard output."""
    if isinstance(result, Sweep):
        _show_sweep(result)
    else:
        _show_evaluation(result)


def rendered(result: Evaluation | Sweep, format: str) -> str:
    """The result as a text in a format: `table`, `json`, `jsonl` or `csv`."""
    if format == "json":
        return to_json(result.to_dict(), indent=2) + "\n"
    if format == "jsonl":
        parts: Sequence[Answer | SweepRow] = result.rows if isinstance(result, Sweep) else result.answers
        return "".join(to_json(part.to_dict()) + "\n" for part in parts)
    if format == "csv":
        return _csv(_sweep_rows(result) if isinstance(result, Sweep) else map(_answer_row, result.answers))
    with contextlib.redirect_stdout(io.StringIO()) as text:
        show(result)
    return click.unstyle(text.getvalue())  # FORCE_COLOR is about terminals


def _show_evaluation(found: Evaluation) -> None:
    if found.failed:
        roles = any(answer.role for answer in found.answers)
        columns = ["id", "question", *(["role"] if roles else []), "expected", "found instead", "why"]
        show_table(columns, _failed_rows(found.failed, roles, found.lowest))
        click.echo()
    names = [name for name in found.totals if name in ("recall", "hit@1", "mrr")]
    spans = [name for name in found.totals if name not in names]
    rows = [(_title(name, found.top_k), *_interval(found.totals[name])) for name in [*names, *spans]]
    if rows:
        show_table(["measure", "mean", "95 % interval"], rows, right="mean")
        click.echo()
    for line in _summary(found, bool(spans)):
        click.echo(printable(line))


def _failed_rows(failed: Iterable[Answer], roles: bool, lowest: float) -> Iterator[list[str]]:
    """A row a question; one for each role only where these fail differently."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for answer in failed:
        question = answer.question
        best = answer.hits[0] if answer.hits and answer.hits[0].score > lowest else None
        instead = f"{best.passage.id} ({best.score:.3f})" if best else "nothing"
        expected = expectation(question) if answer.wanted or not question.expects else f"not {expectation(question)}"
        why = "; ".join(problem.text for problem in answer.problems)
        rows.setdefault((question.id, _short(question.question), expected, instead, why), []).append(answer.role or "")
    for (name, asked, expected, instead, why), by in rows.items():
        yield [name, asked, *([", ".join(by)] if roles else []), expected, instead, why]


def _summary(found: Evaluation, spans: bool) -> Iterator[str]:
    asked, failed = len(found.answers), len({answer.question.id for answer in found.failed})
    times = f", asked {asked} times for their roles" if asked != found.questions else ""
    verdict = f"{failed} failed" if failed else "all passed"
    yield f"{counted(found.questions, 'question')}{times}: {verdict}."
    if spans:
        yield f"{counted(len(found.scores['iou']), 'question')} with spans."
    problems = [f"{_PROBLEMS[kind]} {found.problems[kind]}" for kind in _PROBLEMS]
    yield f"Problems: {', '.join(problems)}."
    left_out = len(found.pool.left_out)
    yield (
        f"{counted(len(found.pool.passages), 'chunk')} of {counted(len(found.pool.documents), 'document')}, "
        f"{left_out} left out; ranked by {found.ranker}."
    )
    if found.untested:
        yield untested(found.untested)


def untested(count: int) -> str:
    """That roles were not tested."""
    return f"Roles not tested: {counted(count, 'question')} with roles, asked as nobody in particular."


_PROBLEMS = {
    "leak": "leaks",
    "outside": "outside the filter",
    "forbidden": "forbidden",
    "missing": "missing sources",
    "span": "spans that do not fit",
    "score": "scores too low",
}


def _show_sweep(found: Sweep) -> None:
    names = ["mrr", *(name for name in ("iou", "precision-omega") if name in found.best.totals)]
    main = list(dict.fromkeys([found.measure, "recall"]))
    titles = [_title(name, found.top_k).removeprefix("precision-") for name in [*main, *names]]
    varied = list(found.best.settings)
    # The default of the overlap is a share of max_size: where it varies, a row shows what it is.
    overlaps = {shown(row.options.get("overlap")) for row in found.rows if not row.error}
    extra = ["overlap"] if "overlap" not in varied and len(overlaps) > 1 else []
    show_table(
        ["#", *varied, *extra, "chunks", "tokens", *titles, "difference"],
        (_sweep_cells(number, row, extra, main, names, found.measure) for number, row in enumerate(found.rows, 1)),
        right="# overlap chunks tokens MRR IoU omega",
        spare=["MRR", "tokens", "IoU", "omega"],
    )
    click.echo()
    for line in found.conclusions:
        click.echo(printable(line))
    if found.untested:
        click.echo(untested(found.untested))
    for _, name, text in found.unfit:
        click.echo(printable(f"{name}: {text}"))
    for number, row in enumerate(found.rows, 1):
        for note in row.notes:
            click.echo(printable(f"#{number}: {note}"))
        if noted := [failure(kind, row.problems[kind]) for kind in _NOTED if row.problems.get(kind)]:
            click.echo(printable(f"#{number}: {'; '.join(noted)}."))
        if row.error:
            click.echo(printable(f"#{number} cannot be used: {row.error}"))


def _sweep_cells(
    number: int, row: SweepRow, extra: Sequence[str], main: Sequence[str], names: Sequence[str], measure: str
) -> list[object]:
    settings = [shown(value) for value in row.settings.values()]
    settings += ["" if (value := row.options.get(name)) is None else shown(value) for name in extra]
    if row.error:
        return [number, *settings, "", "", *("" for _ in (*main, *names)), "cannot be\nused"]
    said = row.verdict(measure)
    difference = _DIFFERENCES.get(said) or "{:+.3f} {}\n{:+.3f}..{:+.3f}".format(
        row.differences[measure].value, said, *row.differences[measure][1:]
    )
    intervals = ("{:.3f}\n{:.3f}..{:.3f}".format(*row.totals[name]) for name in main)
    means = (f"{row.totals[name].value:.3f}" for name in names)
    return [number, *settings, row.chunks, f"{row.tokens:.0f}", *intervals, *means, difference]


_NOTED = tuple(kind for kind in FATAL if kind not in UNFIT)
_DIFFERENCES = {"best": "best", "equal": "none"}


def _title(name: str, top_k: int) -> str:
    return {"recall": f"recall@{top_k}", "mrr": "MRR", "iou": "IoU"}.get(name, name)


def _interval(interval: Interval) -> tuple[str, str]:
    return f"{interval.value:.3f}", f"[{interval.low:.3f}, {interval.high:.3f}]"


def _short(text: str, most: int = 120) -> str:
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def _csv(rows: Iterable[Mapping[str, Any]]) -> str:
    found = list(rows)
    return csv_text(list(dict.fromkeys(name for row in found for name in row)), found)


def _answer_row(answer: Answer) -> dict[str, Any]:
    found = answer.to_dict()
    return {
        **{name: found[name] for name in ("id", "question", "group", "role", "wanted", "passed", "found", "rank")},
        "score": found["score"],
        "right": found["right"] and found["right"]["chunkId"],
        "expected": " ".join(found["expected"]),
        "problems": "; ".join(problem.text for problem in answer.problems),
        **found["spans"],
    }


def _sweep_rows(found: Sweep) -> Iterator[dict[str, Any]]:
    for row in found.rows:
        plain = row.to_dict()
        values = {key: value if _is_plain(value) else to_json(value) for key, value in plain["settings"].items()}
        totals = {
            f"{name}{suffix}": interval[part]
            for name, interval in plain["totals"].items()
            for suffix, part in (("", "value"), (".low", "low"), (".high", "high"))
        }
        difference = plain["differences"].get(camel(found.measure), {})
        yield {
            **values,
            "totalChunks": plain["totalChunks"],
            "meanTokens": plain["meanTokens"],
            **totals,
            **{f"difference.{part}": difference.get(part) for part in ("value", "low", "high")},
            "verdict": row.verdict(found.measure),
            "error": plain["error"],
        }


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)
