"""Checks of option values. Each raises `OptionError` with the bad value, the good ones and a next step."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Real
from typing import Any

from .errors import OptionError

__all__ = ["boolean", "choice", "minimum", "number", "pairs", "processes", "shown", "string", "strings"]


def shown(value: object) -> str:
    """A value in a message. Python writes no number of some thousand digits."""
    try:
        return repr(value)
    except ValueError:
        return f"{type(value).__name__} that is too long to write"


def number(name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """A finite number (not a bool) greater than `above` or at least `least`."""
    want = "a number" + (f" greater than {above}" if above is not None else f" of at least {least}")
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:
        raise OptionError(f"{name} must be {want}, got {shown(value)}.")
    if value in (float("inf"), float("-inf")):
        raise OptionError(
            f"{name} must be {want} and finite, got {shown(value)}. A large number does what infinity would."
        )
    if (above is not None and value <= above) or (least is not None and value < least):
        raise OptionError(f"{name} must be {want}, got {shown(value)}.")


def minimum(value: Any, size: Any) -> None:
    """A `min_size` beside a `max_size`: not above it, and given once, by itself or in the pair."""
    if value is None:
        return
    number("min_size", value, above=0)
    if isinstance(size, tuple):
        raise OptionError(
            f"min_size is given twice, as min_size={value} and in max_size={size}. "
            f"Leave one out: max_size={size[1]} with min_size, or the pair alone."
        )
    if size is not None and value > size:
        raise OptionError(
            f"min_size must be at most max_size ({size}), got {value}. Lower min_size, or raise max_size."
        )


def boolean(name: str, value: Any) -> None:
    """True or False and nothing else."""
    if not isinstance(value, bool):
        raise OptionError(f"{name} must be True or False, got {value!r}.")


def string(name: str, value: Any, *, none: bool = False) -> None:
    """A string; None too when `none`."""
    if not (isinstance(value, str) or (none and value is None)):
        raise OptionError(f"{name} must be a string{' or None' if none else ''}, got {value!r}.")


def strings(name: str, value: Any) -> None:
    """A list or tuple of strings."""
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise OptionError(f"{name} must be a list of strings, got {value!r}. For a single one write [{value!r}].")
    for i, item in enumerate(value):
        if not isinstance(item, str):
            raise OptionError(f"{name}[{i}] must be a string, got {item!r}.")


def choice(name: str, value: Any, good: Collection[Any]) -> None:
    """One of the given values."""
    if not any(value is item or (isinstance(value, type(item)) and value == item) for item in good):
        raise OptionError(f"{name} must be one of {', '.join(map(repr, good))}, got {value!r}.")


def pairs(name: str, value: Any, example: str) -> tuple[tuple[str, str], ...]:
    """A list or tuple of pairs of strings; given back as tuples, so that lists from JSON are taken too."""
    want = f"{name} must be a list of pairs of strings such as {example}"
    if isinstance(value, str) or not isinstance(value, list | tuple):
        raise OptionError(f"{want}, got {value!r}.")
    for i, pair in enumerate(value):
        good = isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        if not good or not pair[0]:
            raise OptionError(f"{want}; {name}[{i}] is {pair!r}.")
    return tuple((first, second) for first, second in value)


def processes(workers: Any, timeout: Any, start_method: Any) -> None:
    """How many worker processes, how many seconds for one document (or None), how they start (or None)."""
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise OptionError(f"workers must be an integer of at least 1, got {shown(workers)}.")
    if timeout is not None:
        number("timeout", timeout, above=0)
    if start_method is not None:
        import multiprocessing

        choice("start_method", start_method, multiprocessing.get_all_start_methods())
