"""Wrong arguments, told as kindly as wrong options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from cantle.errors import OptionError

__all__ = ["check_arguments", "check_client"]


def check_arguments(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], called: str) -> None:
    """Raise `OptionError` where `function` cannot be called like this; `called` is the name that was used."""
    known = _names(function)
    document, *options = known
    unknown = next((name for name in named if name not in known), None)
    if unknown is not None:
        close = get_close_matches(unknown, known, 1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise OptionError(f"{called} has no argument {unknown!r}.{meant} It takes: {', '.join(known)}.")
    if len(given) > 1:
        raise OptionError(
            f"{called} takes one argument by place, the {document}; give the others by name: "
            f"{called}({document}, client=..., {options[2]}=...)."
        )
    if bool(given) == (document in named):
        how = "twice" if given else "not"
        raise OptionError(f"{called} needs the {document}, a text, once, and it is {how} given.")


@lru_cache
def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def check_client(client: Any) -> None:
    """Raise `OptionError` for what is no client."""
    from ..client.client import Client

    if isinstance(client, str):
        raise OptionError(
            f"client must be a cantle_llm.Client, got {client!r}. To name a model, give model={client!r}."
        )
    if client is not None and not isinstance(client, Client):
        raise OptionError(f"client must be a cantle_llm.Client, got {type(client).__name__}.")
