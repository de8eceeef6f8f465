"""Settings of the client: by arguments, else by `CANTLE_LLM_*` variables, else by defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from cantle.errors import OptionError

from .model.wire import FORMATS

__all__ = ["PREFIX", "Settings", "read_setting"]

PREFIX = "CANTLE_LLM_"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a client is made of.

    `model` has no default: which one is paid for is yours to say. `base_url` None is OpenAI's own address. The key of
    `OPENAI_API_KEY` is sent to that address, or to the one in `OPENAI_BASE_URL`, and to no other; that of
    `CANTLE_LLM_API_KEY` to whatever is asked, unless `CANTLE_LLM_BASE_URL` says that it is for another address.
    `temperature` "none" sends none. `budget` is in US dollars, `token_budget` in tokens, input and output together;
    `price` is two numbers, US dollars for a million tokens of input and of output, where price lists have none.
    `answers` is the path of a file, or `os.devnull` for none.
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
    token_budget: int | None = None
    price: tuple[Decimal, Decimal] | None = None
    answers: str | None = None
    replay: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from arguments, the environment, and defaults. Raises `OptionError` for a wrong value.

        An argument that is None, and a variable that is empty, count as left out.
        """
        env = os.environ if environment is None else environment
        unknown = given.keys() - {one.name for one in fields(cls)}
        if unknown:
            known = ", ".join(one.name for one in fields(cls))
            raise OptionError(f"Client has no argument {sorted(unknown)[0]!r}. It takes: {known}.")
        values: dict[str, Any] = {}
        from_env: dict[str, Any] = {}
        for one in fields(cls):
            variable = PREFIX + one.name.upper()
            if given.get(one.name) is not None:
                values[one.name] = read_setting(one.name, given[one.name])
            elif env.get(variable, "").strip():
                values[one.name] = from_env[one.name] = read_setting(one.name, env[variable], variable)
        meant = env.get(f"{PREFIX}BASE_URL", "").strip()
        if meant and "base_url" not in from_env and "api_key" in from_env and not _is_same(values["base_url"], meant):
            del values["api_key"]
        openai = env.get("OPENAI_BASE_URL", "").strip()
        openais = read_setting("base_url", openai, "OPENAI_BASE_URL") if openai else None
        values.setdefault("base_url", openais)
        if "api_key" not in values and values["base_url"] == openais and env.get("OPENAI_API_KEY", "").strip():
            values["api_key"] = read_setting("api_key", env["OPENAI_API_KEY"], "OPENAI_API_KEY")
        return cls(**values)


def read_setting(name: str, value: Any, said: str = "") -> Any:
    """The value of one setting in its type; `said` is what messages call it. Raises `OptionError`."""
    return _READ[name](said or name, value)


def _is_same(url: str, written: str) -> bool:
    try:
        return url == _url("", written)
    except OptionError:
        return False


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{name} must be a string that is not empty, got {value!r}. Leave it out for its default.")
    return value.strip()


def _word(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be a string, got {value!r}.")
    return value.strip()


def _path(name: str, value: Any) -> str:
    try:
        path = os.fspath(value)
    except TypeError:
        path = None
    if not isinstance(path, str) or not path or "\0" in path:
        raise OptionError(f"{name} must be the path of a file, got {value!r}.")
    return path


def _key(name: str, value: Any) -> str:
    """A key, which is never repeated in a message. An empty one says that none is to be sent."""
    if not isinstance(value, str):
        raise OptionError(f"{name} must be a string, got one of type {type(value).__name__}.")
    key = value.strip()
    if not all("!" <= character <= "~" for character in key):
        raise OptionError(f"{name} must be of ASCII characters without spaces, as a key is. Copy it once more.")
    return key


def _url(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name} must be an address such as 'http://localhost:11434/v1', got {value!r}.")
    url = value.strip()
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good, parts = False, urlsplit("")
    if "@" in parts.netloc:
        raise OptionError(f"{name} must have no name and password in it. Give the key as api_key.")
    if parts.query or parts.fragment:
        raise OptionError(
            f"{name} must have nothing after the path, no '?' and no '#', got {_shown(_without_secrets(url))}. Give a "
            "key as api_key."
        )
    if not good or any(ord(one) < 33 or ord(one) == 127 for one in url):
        raise OptionError(
            f"{name} must be an address that begins with http:// or https://, such as 'http://localhost:11434/v1', "
            f"got {_shown(_without_secrets(url))}."
        )
    return url.rstrip("/").removesuffix("/chat/completions").rstrip("/")


def _without_secrets(url: str) -> str:
    """An address for a message: without what comes before `@`, and after `?` or `#`, which may be a key."""
    shown = re.split(r"[?#]", url, maxsplit=1)[0]
    before, at, after = shown.rpartition("@")
    shown = f"...@{after}" if at else before + after
    return shown if len(shown) == len(url) else f"{shown}..."


def _number(least: float, most: float) -> Callable[[str, Any], float]:
    def read(name: str, value: Any) -> float:
        try:
            number = float(value) if isinstance(value, int | float | Decimal | str) else float("nan")
        except (ValueError, OverflowError):
            number = float("nan")
        if isinstance(value, bool) or not least <= number <= most:
            raise OptionError(f"{name} must be a number from {least:g} to {most:,g}, got {_shown(value)}.")
        return number

    return read


def _whole(least: int, most: int) -> Callable[[str, Any], int]:
    def read(name: str, value: Any) -> int:
        try:
            number = _number(least, most)(name, value)
        except OptionError:
            number = 0.5
        if number != int(number):
            raise OptionError(f"{name} must be a whole number from {least} to {most:,}, got {_shown(value)}.")
        return int(number)

    return read


def _temperature(name: str, value: Any) -> float | None:
    if isinstance(value, str) and value.strip().lower() == "none":
        return None
    return _number(0, 2)(name, value)


def _money(name: str, value: Any) -> Decimal:
    try:
        found = Decimal(str(value).strip()) if isinstance(value, int | float | Decimal | str) else Decimal(-1)
    except (InvalidOperation, ValueError):
        found = Decimal(-1)
    if isinstance(value, bool) or not found.is_finite() or not 0 <= found <= 10**9 or found.as_tuple().exponent < -18:  # type: ignore[operator]
        raise OptionError(f"{name} must be an amount in US dollars of 0 or more, got {_shown(value)}.")
    return found


def _pair(name: str, value: Any) -> tuple[Decimal, Decimal]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise OptionError(
            f"{name} must be two numbers, US dollars for a million tokens of input and of output, got {_shown(value)}."
        )
    return _money(name, parts[0]), _money(name, parts[1])


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise OptionError(f"{name} must be true or false, got {_shown(value)}.")


def _form(name: str, value: Any) -> str:
    good = ("auto", *FORMATS)
    if value not in good:
        raise OptionError(f"{name} must be one of {', '.join(map(repr, good))}, got {_shown(value)}.")
    return str(value)


def _shown(value: Any) -> str:
    """A wrong value in a message: integers of thousands of digits have no `repr`."""
    if isinstance(value, int) and abs(value) > 10**30:
        return "an integer of more than 30 digits"
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:100]}..."


_READ: dict[str, Callable[[str, Any], Any]] = {
    "model": _text,
    "base_url": _url,
    "api_key": _key,
    "provider": _word,
    "temperature": _temperature,
    "max_output_tokens": _whole(1, 10_000_000),
    "timeout": _number(0.001, 86_400),
    "retries": _whole(0, 100),
    "reasks": _whole(0, 10),
    "concurrency": _whole(1, 1024),
    "structured": _form,
    "budget": _money,
    "token_budget": _whole(0, 10**15),
    "price": _pair,
    "answers": _path,
    "replay": _boolean,
}
