"""Settings of the client: by arguments, else by `CANTLE_LLM_*` variables, else by defaults."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any

from cantle.errors import OptionError

from .model.wire import FORMATS

__all__ = ["PREFIX", "Settings"]

PREFIX = "CANTLE_LLM_"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a client is made of.

    `model` has no default: which one is paid for is yours to say. `base_url` None is OpenAI's own address. The key of
    `OPENAI_API_KEY` is sent to that address, or to the one in `OPENAI_BASE_URL`, and to no other. `budget` is in US
    dollars; `price` two numbers, US dollars for a million tokens of input and of output, where price lists have none.
    """

    model: str = ""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    provider: str = ""
    temperature: float | None = 0.0
    max_output_tokens: int | None = None
    timeout: float = 60.0
    retries: int = 5
    reasks: int = 1
    concurrency: int = 8
    structured: str = "auto"
    budget: Decimal | None = None
    price: tuple[Decimal, Decimal] | None = None
    answers: str | None = None
    replay: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from arguments, the environment, and defaults. Raises `OptionError` for a wrong value."""
        env = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        for one in fields(cls):
            variable = PREFIX + one.name.upper()
            if given.get(one.name) is not None:
                values[one.name] = _READ[one.name](one.name, given[one.name])
            elif env.get(variable):
                values[one.name] = _READ[one.name](variable, env[variable])
        unknown = given.keys() - {one.name for one in fields(cls)}
        if unknown:
            known = ", ".join(one.name for one in fields(cls))
            raise OptionError(f"Client has no argument {sorted(unknown)[0]!r}. It takes: {known}.")
        values.setdefault("base_url", env.get("OPENAI_BASE_URL") or None)
        if "api_key" not in values and values["base_url"] == (env.get("OPENAI_BASE_URL") or None):
            values["api_key"] = env.get("OPENAI_API_KEY") or None
        return cls(**values)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str | os.PathLike):
        raise OptionError(f"{name} must be a string, got {value!r}.")
    return os.fspath(value)


def _number(least: float, most: float) -> Callable[[str, Any], float]:
    def read(name: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(value, bool) or not least <= number <= most:
            raise OptionError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}.")
        return number

    return read


def _whole(least: int, most: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        number = _number(least, most)(name, value)
        if number != int(number):
            raise OptionError(f"{name} must be a whole number, got {value!r}.")
        return int(number)

    return read


def _money(name: str, value: Any) -> Decimal:
    try:
        found = Decimal(str(value).strip())
    except InvalidOperation:
        found = Decimal(-1)
    if isinstance(value, bool) or not found.is_finite() or found < 0:
        raise OptionError(f"{name} must be an amount in US dollars of 0 or more, got {value!r}.")
    return found


def _pair(name: str, value: Any) -> tuple[Decimal, Decimal]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise OptionError(
            f"{name} must be two numbers, US dollars for a million tokens of input and of output, got {value!r}."
        )
    return _money(name, parts[0]), _money(name, parts[1])


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise OptionError(f"{name} must be true or false, got {value!r}.")


def _form(name: str, value: Any) -> str:
    good = ("auto", *FORMATS)
    if value not in good:
        raise OptionError(f"{name} must be one of {', '.join(map(repr, good))}, got {value!r}.")
    return str(value)


_READ: dict[str, Callable[[str, Any], Any]] = {
    "model": _text,
    "base_url": _text,
    "api_key": _text,
    "provider": _text,
    "temperature": _number(0, 2),
    "max_output_tokens": _whole(1, 10_000_000),
    "timeout": _number(0.001, 86_400),
    "retries": _whole(0, 100),
    "reasks": _whole(0, 10),
    "concurrency": _whole(1, 1024),
    "structured": _form,
    "budget": _money,
    "price": _pair,
    "answers": _text,
    "replay": _boolean,
}
