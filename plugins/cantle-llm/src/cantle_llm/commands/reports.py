"""What commands that ask a model say of a run on standard error: what it cost, why it ended, what to do next."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from cantle.commands import as_json, counted, printable

from ..errors import error_of

if TYPE_CHECKING:
    from ..client.client import Client, Run
    from ..client.ledger import Ledger
    from ..estimates import Estimate

__all__ = ["advice", "money", "report", "resumable", "spent", "stopped", "tell"]


def money(amount: Decimal) -> str:
    """US dollars, with as many decimals as small sums need."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.6f}"


def spent(ledger: Ledger, model: str, *, failed: int = 0) -> list[str]:
    """Calls, answers on file and what they had cost, tokens, and money, as parts of a line."""
    usage, cost, had = ledger.usage, ledger.cost, ledger.recorded_cost
    parts = [counted(usage.calls, "call")]
    if ledger.replayed:
        once = "" if had.pricing_missing or not had.total_cost else f" ({money(had.total_cost)} when asked for)"
        parts.append(f"{counted(ledger.replayed, 'answer')} on file{once}")
    if failed:
        parts.append(f"{failed} failed")
    if usage.calls:
        about = "about " if usage.is_estimated else ""
        parts.append(f"{about}{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out")
        unknown = f"the price of {model} is not known (--price gives it)"
        parts.append(unknown if cost.pricing_missing else f"{about}{money(cost.total_cost)}")
    return parts


def report(run: Run, *, failed: int = 0) -> None:
    """Say what a run asked for, what that cost, and why it was stopped, if it was."""
    click.echo(printable(", ".join(spent(run.ledger, run.client.model, failed=failed))), err=True)
    for reason in run.ledger.control.reasons:
        click.echo(printable(f"Stopped: {reason}"), err=True)


def stopped(reasons: Collection[str]) -> str:
    """Reasons of a control as part of a sentence, without full stops."""
    return f"stopped: {'; '.join(reason.rstrip('.') for reason in reasons)}"


def advice(client: Client, reasons: Collection[str], *, these: str = "only these are asked for") -> str:
    """What the user may do about calls that failed for these `reasons`; empty where nothing is known to help."""
    kept = client.answers is not None
    passing = any(error_of(reason).may_pass for reason in reasons)
    if client.settings.replay:
        return "Nothing is asked in replay: without --replay they are asked for."
    if "budget" in reasons:
        limit = "--token-budget" if client.settings.budget is None else "--budget"
        if client.usage.calls:
            return f"Raise {limit} and run the same command again: {these}." if kept else f"Raise {limit}."
        nothing = not (client.settings.budget or client.settings.token_budget)
        return f"Raise {limit}" + (
            "." if nothing else ", or lower --max-output-tokens: a call has to have room for the longest answer."
        )
    if "unreachable" in reasons:
        return "Start the server, or name another address with --base-url."
    if "unauthorized" in reasons:
        if not client.settings.api_key:
            return ""  # the error says what to set
        return "Look at the key in CANTLE_LLM_API_KEY or OPENAI_API_KEY."
    if "not_found" in reasons:
        return "Look at --model and --base-url."
    if "quota" in reasons:
        return "Once there is credit, run the same command again." if kept else ""
    if "context_length" in reasons and not passing:
        return "A model with a longer context may take them: --model."
    if kept and passing:
        return f"Run the same command again: {these}."
    return ""


@contextmanager
def resumable(client: Client) -> Iterator[None]:
    """When the user interrupts (Ctrl-C), say what was spent and how to go on; the exit code is 130 as ever."""
    try:
        yield
    except KeyboardInterrupt:
        said = [f"So far: {', '.join(spent(client.ledger, client.model))}."]
        kept = client.settings.answers
        if client.usage.calls or client.ledger.replayed:
            if kept is None or kept == os.devnull:
                said.append("No answers were kept. Without --no-answers, what was paid for is kept.")
            else:
                said.append(
                    f"The answers so far are in {kept}. Run the same command again: only what is missing is asked for."
                )
        click.echo(f"\n{printable(' '.join(said))}", err=True)
        raise


def tell(found: Estimate, client: Client, format: str | None, answer: str) -> None:
    """Write what a dry run found, for people or as JSON. `answer` is what an answer is called."""
    if format == "json":
        as_json({"model": client.model, **found.to_dict()})
        return
    if format not in (None, "text"):
        raise click.UsageError(f"--dry-run writes text, or JSON with -f json; it has no results to write as {format}.")
    if found.missing:
        click.echo(f"0 calls in replay, {counted(found.recorded, answer)} on file, {found.missing} missing")
        return
    each = "" if found.is_bounded else " (4,096 an answer: no limit is set, --max-output-tokens sets one)"
    lines = [f"{counted(found.calls, 'call')} of {client.model}, {counted(found.recorded, answer)} on file"]
    if found.calls:
        lines.append(f"{found.input_tokens:,} tokens in, at most {found.output_tokens:,} out{each}")
        price = client.ledger.price
        known = "" if price is None else f" ({price.key})"
        lines.append(
            "The price of the model is not known; give it with --price IN,OUT."
            if found.cost is None
            else f"At most {money(found.cost)}{known}"
        )
        if found.reasks:
            times = "once" if found.reasks == 1 else f"{found.reasks} times"
            lines.append(f"An answer of no use is asked for up to {times} more, which is not counted here.")
    click.echo(printable("\n".join(lines)))
