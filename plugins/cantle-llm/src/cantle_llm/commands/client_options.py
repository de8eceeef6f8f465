"""Options of commands that ask a model, and the client they stand for."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from cantle.errors import OptionError

from ..settings import PREFIX

if TYPE_CHECKING:
    from ..client.client import Client

__all__ = ["client_of", "client_options", "default_answers"]

Function = Callable[..., Any]


def default_answers() -> str:
    """The file of answers where none is named: `answers.jsonl` in the user's directory for caches."""
    from platformdirs import user_cache_path

    return str(user_cache_path("cantle", appauthor=False) / "answers.jsonl")


_NAMES = (
    "model",
    "base_url",
    "provider",
    "budget",
    "token_budget",
    "price",
    "max_output_tokens",
    "timeout",
    "concurrency",
)
"""Settings that are options of commands, by the same name."""


def client_options(function: Function) -> Function:
    """Add the options of `_NAMES`, --answers, --no-answers and --replay.

    The function gets `settings`: arguments of `Client`, those that were given; `answers` is the file in the user's
    cache directory unless a file, or none, is asked for. What is left out comes from `CANTLE_LLM_*`, as everywhere.
    """

    @functools.wraps(function)
    def call(answers: str | None, no_answers: bool, replay: bool, **rest: Any) -> Any:
        given = {name: value for name in _NAMES if (value := rest.pop(name)) is not None}
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
            "--timeout",
            type=click.FloatRange(0.001, 86_400),
            metavar="SECONDS",
            help="How long to wait for a connection, and between two pieces of an answer. Default: 60.",
        ),
        click.option(
            "--max-output-tokens",
            type=click.IntRange(1, 10_000_000),
            metavar="N",
            help="How long an answer may be. Default: the model's limit; 4096 with a budget.",
        ),
        click.option(
            "--price", metavar="IN,OUT", help="US dollars for a million tokens, where the price lists have none."
        ),
        click.option(
            "--token-budget",
            type=click.IntRange(0, 10**15),
            metavar="N",
            help="Like --budget, in tokens of input and output; needs no price.",
        ),
        click.option(
            "--budget",
            metavar="USD",
            help="Stop before this command has spent more, in US dollars. Each call needs room for the longest answer.",
        ),
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
    from ..errors import ModelError, PriceError

    try:
        client = Client(**settings)
    except PriceError as error:
        raise click.UsageError(
            f"A budget needs the price of the model, and none is known for {error.model!r}. Give --price IN,OUT, in US "
            "dollars for a million tokens of input and of output, such as --price 0.1,0.4, or --provider. A limit in "
            "tokens, --token-budget, needs none."
        ) from error
    except OptionError as error:
        name, _, rest = str(error).partition(" ")
        if name in settings and settings.get(name) != default_answers():
            raise click.UsageError(f"--{name.replace('_', '-')} {rest}") from error
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
