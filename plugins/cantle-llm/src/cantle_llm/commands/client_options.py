"""Options of commands that ask a model, the client they stand for, and what is said of a run on standard error."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import counted, printable
from cantle.errors import OptionError

from ..settings import PREFIX

if TYPE_CHECKING:
    from ..client.client import Client, Run

__all__ = ["client_of", "client_options", "default_answers", "money", "report", "resumable"]

Function = Callable[..., Any]


def default_answers() -> str:
    """The file of answers where none is named: `answers.jsonl` in the user's directory for caches."""
    from platformdirs import user_cache_path

    return str(user_cache_path("cantle", appauthor=False) / "answers.jsonl")


def client_options(function: Function) -> Function:
    """Add --model, --base-url, --provider, --budget, --price, --concurrency, --answers, --no-answers and --replay.

    The function gets `settings`: arguments of `Client`, those that were given; `answers` is the file in the user's
    cache directory unless a file, or none, is asked for. What is left out comes from `CANTLE_LLM_*`, as everywhere.
    """

    @functools.wraps(function)
    def call(answers: str | None, no_answers: bool, replay: bool, **rest: Any) -> Any:
        names = ("model", "base_url", "provider", "budget", "price", "concurrency")
        given = {name: value for name in names if (value := rest.pop(name)) is not None}
        if no_answers and (answers is not None or replay):
            other = "--answers" if answers is not None else "--replay"
            raise click.UsageError(f"--no-answers and {other} exclude each other. Keep one.")
        if "" in (answers, given.get("model"), given.get("base_url")):
            raise click.UsageError("--model, --base-url and --answers must not be empty. Leave them out instead.")
        variable = os.environ.get(f"{PREFIX}ANSWERS", "").strip()
        if answers is not None:
            given["answers"] = answers
        elif no_answers:
            given |= {"answers": os.devnull} if variable else {}
        elif not variable:
            given["answers"] = default_answers()
        kept = given.get("answers", variable)
        if kept and _is_same(rest.get("out"), kept):
            raise click.UsageError(
                f"{rest['out']} is the file of answers, and would be replaced. Give -o another name."
            )
        return function(settings=given | ({"replay": True} if replay else {}), **rest)

    for add in (
        click.option("--replay", is_flag=True, help="Take all answers from the file; ask nothing, pay nothing."),
        click.option("--no-answers", is_flag=True, help="Neither take nor keep answers."),
        click.option(
            "--answers",
            type=click.Path(dir_okay=False),
            metavar="FILE",
            help="The file that keeps the model's answers, so that none is paid for twice. Default: "
            "answers.jsonl in the user's cache directory.",
        ),
        click.option("--concurrency", type=click.IntRange(1, 1024), metavar="N", help="Calls at once. Default: 8."),
        click.option(
            "--price", metavar="IN,OUT", help="US dollars for a million tokens, where the price lists have none."
        ),
        click.option("--budget", metavar="USD", help="Stop before more than this is spent, in US dollars."),
        click.option("--provider", metavar="NAME", help="Whose price list counts, such as openai or azure."),
        click.option(
            "--base-url", metavar="URL", help="The address of an OpenAI-compatible server. Default: OpenAI's."
        ),
        click.option("--model", metavar="NAME", help="The model to ask. Default: CANTLE_LLM_MODEL."),
    ):
        call = add(call)
    return call


def _is_same(out: str | None, kept: str) -> bool:
    """Whether an output is the file of answers, which may not be there yet."""
    if out in (None, "-") or kept == os.devnull:
        return False
    try:
        return os.path.samefile(str(out), kept)
    except OSError:
        return os.path.normcase(os.path.realpath(str(out))) == os.path.normcase(os.path.realpath(kept))


def client_of(settings: dict[str, Any], *, asks: bool = True) -> Client:
    """The client of `settings`. That no model or no key is given is said at once, before anything is read or asked.

    Without `asks` no key is needed.
    """
    from ..client.client import Client
    from ..errors import ModelError

    try:
        client = Client(**settings)
    except OptionError as error:
        if settings.get("answers") != default_answers() or not str(error).startswith("answers "):
            raise
        other = "." if settings.get("replay") else ", or keep none: --no-answers."
        raise click.UsageError(f"{error} Name another file with --answers{other}") from error
    if not client.model:
        raise click.UsageError("No model is named. Give --model NAME, or set CANTLE_LLM_MODEL.")
    try:
        _ = not asks or client.ready
    except ModelError as error:
        raise click.UsageError(
            "No key is given. Set CANTLE_LLM_API_KEY or OPENAI_API_KEY, or name a server that wants none: --base-url."
        ) from error
    return client


@contextmanager
def resumable(client: Client) -> Iterator[None]:
    """When the user interrupts (Ctrl-C), a line says how to go on; the exit code is 130 as ever."""
    try:
        yield
    except KeyboardInterrupt:
        kept = client.settings.answers
        if kept is None or kept == os.devnull:
            said = "No answers were kept. Without --no-answers, what was paid for is kept."
        else:
            said = f"The answers so far are in {kept}. Run the same command again: only what is missing is asked for."
        click.echo(f"\n{printable(said)}", err=True)
        raise


def report(run: Run, *, failed: int = 0) -> None:
    """Say on standard error what a run asked for, what that cost, and why it was stopped, if it was."""
    usage, cost, control = run.ledger.usage, run.ledger.cost, run.ledger.control
    parts = [counted(usage.calls, "call")]
    if run.replayed:
        parts.append(f"{counted(run.replayed, 'answer')} on file")
    if failed:
        parts.append(f"{failed} failed")
    about = "about " if usage.is_estimated else ""
    if usage.calls:
        parts.append(f"{about}{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out")
        parts.append(f"{about}{money(cost.total_cost)}" if not cost.pricing_missing else _unpriced(run))
    click.echo(printable(", ".join(parts)), err=True)
    for reason in control.reasons:
        click.echo(printable(f"Stopped: {reason}"), err=True)


def _unpriced(run: Run) -> str:
    return f"the price of {run.client.model} is not known (--price gives it)"


def money(amount: Decimal) -> str:
    """US dollars, with as many decimals as small sums need."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.6f}"
