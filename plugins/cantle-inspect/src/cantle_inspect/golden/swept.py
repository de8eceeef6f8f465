"""What may be varied in a sweep: a name that is misspelt is an error before anything is cut."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cantle import MDocument, Strategy, registry
from cantle.errors import OptionError

from ..corpus.pool import Cutting
from ..rank import NamedRanker, named

__all__ = ["check_settings"]


def check_settings(settings: Mapping[str, Sequence[Any]], base: Cutting) -> dict[str, NamedRanker]:
    """The rankers that are named among the values, by name.

    Raises `OptionError` or `UnknownStrategyError` for a key, a strategy or a ranker that does not exist.
    """
    if not settings:
        raise OptionError("Nothing is varied. Name a setting and its values: {'max_size': [240, 480]}.")
    for key, values in settings.items():
        if isinstance(values, str | bytes) or not isinstance(values, Sequence) or not values:
            raise OptionError(f"The values of {key} must be a list of at least one, got {values!r}.")
    known = _options(settings.get("strategy", [base.strategy]))
    for key in settings:
        if known is not None and key not in known and key not in _OTHERS:
            every = [*_OTHERS, *sorted(known)]
            close = get_close_matches(str(key), every, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise OptionError(f"There is no setting {key!r} to vary.{hint} There are: {', '.join(every)}.")
    return {name: named(name) for name in settings.get("ranker", ()) if isinstance(name, str)}


_OTHERS = ("strategy", "ranker")


def _options(strategies: Sequence[Any]) -> set[str] | None:
    """The options of all strategies that may cut a document; None where one does not tell its options."""
    every: list[Any] = []
    for strategy in strategies:
        if strategy in (None, ""):  # that of a kind, which the options may change
            every += filter(dataclasses.is_dataclass, registry().strategies().values())
        else:
            every.append(registry().strategy(strategy) if isinstance(strategy, str) else strategy)
    found = set(inspect.signature(MDocument.chunk).parameters) - {"self", "strategy", "more", "plugins", "options"}
    for one in every:
        if not dataclasses.is_dataclass(one) or not isinstance(one, type | Strategy):
            return None
        found.update(f.name for f in dataclasses.fields(one) if f.init)
    return found
