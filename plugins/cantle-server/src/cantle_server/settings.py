"""Settings of the service: by arguments, else by `CANTLE_SERVER_*` variables, else by defaults."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

from cantle.errors import OptionError

from .variables import is_address, warn_of_unknown

__all__ = ["PREFIX", "Settings", "is_loopback"]

PREFIX = "CANTLE_SERVER_"

SHORTEST_SECRET = 32
"""Bytes; RFC 7518 asks for a key of HS256 that is as long as its hash."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a service is made of. Times are in seconds, sizes of bodies in bytes, of texts in code points.

    Tokens are checked with one of `secret` (HS256), `public_key` (the path of a PEM file or of a JSON Web Key Set) and
    `jwks_url` (where such a set is fetched); `dev` makes a secret of its own. `issuer` and `audience`, when set, must
    be in the token. `store` is the URL of a store and `embedder` the name of its embedder, `model` the model that
    partitions texts and sees pictures, `audio_model` the one that hears recordings; what else a model needs comes from
    the `CANTLE_LLM_*` variables. Each of them is left out unless it is named here. What edits took away is wiped from
    the disk of the store when there was no edit for `wipe_after` seconds. `rate` counts requests a minute for each
    token, 0 is no limit. `max_jobs` is how many requests are worked on at once, `queue` how many may wait; `workers`
    processes cut documents, each with `worker_memory` MiB at most (0: no limit). `media_hosts` names the hosts that
    media may be fetched from, `*.host` for all below it, `*` for all that are public. `playground` serves a page at `/`
    to try strategies on.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    dev: bool = False
    secret: str | None = field(default=None, repr=False)
    public_key: str | None = None
    jwks_url: str | None = None
    issuer: str | None = None
    audience: str | None = None
    leeway: float = 10.0
    store: str | None = field(default=None, repr=False)
    embedder: str | None = None
    model: str | None = None
    audio_model: str | None = None
    wipe_after: float = 60.0
    max_body_bytes: int = 16 << 20
    max_characters: int = 4_000_000
    max_response_bytes: int = 64 << 20
    max_connections: int = 1000
    max_jobs: int = 32
    queue: int = 128
    rate: float = 600.0
    workers: int = 0
    worker_memory: int = 2048
    header_timeout: float = 10.0
    body_timeout: float = 30.0
    job_timeout: float = 30.0
    request_timeout: float = 300.0
    shutdown_timeout: float = 30.0
    media_schemes: tuple[str, ...] = ("https",)
    media_hosts: tuple[str, ...] = ()
    max_media: int = 8
    max_media_bytes: int = 32 << 20
    media_timeout: float = 30.0
    playground: bool = True
    log_level: str = "info"

    def __post_init__(self) -> None:
        self._check_keys()
        if self.dev and not is_loopback(self.host):
            raise OptionError(
                "dev prints a token that opens everything, so it listens on loopback alone, got the host "
                f"{self.host!r}. Use 127.0.0.1, or set a secret and leave dev out."
            )
        if self.embedder is not None and self.store is None:
            raise OptionError("embedder is for a store, and none is named. Set store, such as sqlite:///chunks.db.")

    def _check_keys(self) -> None:
        given = [name for name in ("secret", "public_key", "jwks_url") if getattr(self, name) is not None]
        if self.dev and given and given != ["secret"]:
            raise OptionError(f"dev makes a secret of its own, and {given[0]} is given. Leave one of them out.")
        if len(given) > 1:
            raise OptionError(
                f"{' and '.join(given)} are given. Tokens are checked in one way alone, so that none passes for "
                "another kind. Keep one."
            )
        if not given and not self.dev:
            raise OptionError(
                "No key for tokens is set. Set secret (HS256, at least 32 bytes), public_key (a file) or jwks_url; "
                "or use dev for trying it out."
            )
        if self.secret is not None and len(self.secret.encode("utf-8", "surrogatepass")) < SHORTEST_SECRET:
            raise OptionError(
                f"secret must have at least {SHORTEST_SECRET} bytes. Make one: "
                'python -c "import secrets; print(secrets.token_urlsafe(48))"'
            )

    @property
    def processes(self) -> int:
        """How many worker processes there are: `workers`, or one more than processors.

        A worker waits while its answer is passed on; with one more no processor waits with it.
        """
        if self.workers:
            return self.workers
        return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

    @classmethod
    def of(cls, given: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Settings:
        """Settings from arguments, the environment, and defaults. Raises `OptionError` for a wrong value.

        An argument that is None, and a variable that is empty, count as left out. A variable with the prefix that
        stands for no setting is a `CantleWarning`.
        """
        given = given or {}
        env = os.environ if environment is None else environment
        names = [one.name for one in fields(cls)]
        unknown = given.keys() - set(names)
        if unknown:
            raise OptionError(f"There is no setting {sorted(unknown)[0]!r}. There are: {', '.join(names)}.")
        warn_of_unknown(env, PREFIX, names)
        values: dict[str, Any] = {}
        for name in names:
            variable = PREFIX + name.upper()
            if given.get(name) is not None:
                values[name] = _READ[name](name, given[name])
            elif env.get(variable, "").strip() and not (name == "port" and is_address(env[variable])):
                values[name] = _READ[name](variable, env[variable])
        return cls(**values)


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**30:
        return "an integer of more than 30 digits"
    shown = repr(value)
    return shown if len(shown) <= 100 else f"{shown[:100]}..."


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise OptionError(f"{name} must be a string that is not empty, got {_shown(value)}.")
    return value.strip()


def _path(name: str, value: Any) -> str:
    return _text(name, os.fspath(value) if isinstance(value, os.PathLike) else value)


def _secret(name: str, value: Any) -> str:
    """A secret, which no message repeats."""
    if not isinstance(value, str):
        raise OptionError(f"{name} must be a string, got one of type {type(value).__name__}.")
    return value.strip()


def _store(name: str, value: Any) -> str:
    """The URL of a store, which may have a password in it: no message repeats it."""
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise OptionError(f"{name} must be a URL such as sqlite:///chunks.db or postgresql://user@host/database.")
    return value.strip()


def _jwks_url(name: str, value: Any) -> str:
    url = _text(name, value)
    try:
        parts = urlsplit(url)
        good = bool(parts.hostname) and (parts.port or 1) > 0 and "@" not in parts.netloc
        good &= parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    except ValueError:
        good = False
    if not good:
        raise OptionError(
            f"{name} must be an address that begins with https://, without a name and password in it (http:// only on "
            "this machine): whoever answers there decides which tokens are good."
        )
    return url


def _host(name: str, value: Any) -> str:
    host = _text(name, value).strip("[]")
    if not re.fullmatch(r"[\w.:%-]+", host, re.A):
        raise OptionError(f"{name} must be an address or a host name to listen on, got {_shown(value)}.")
    return host


def _number(least: float, most: float) -> Callable[[str, Any], float]:
    def read(name: str, value: Any) -> float:
        try:
            number = float(value) if isinstance(value, int | float | str) else float("nan")
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


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise OptionError(f"{name} must be true or false, got {_shown(value)}.")


def _words(name: str, value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise OptionError(f"{name} must be names with commas between them, got {_shown(value)}.")
    return tuple(part.strip().lower() for part in parts if part.strip())


def _schemes(name: str, value: Any) -> tuple[str, ...]:
    words = _words(name, value)
    if not words or not set(words) <= {"http", "https"}:
        raise OptionError(f"{name} must be https, or http,https, got {_shown(value)}.")
    return words


def _hosts(name: str, value: Any) -> tuple[str, ...]:
    words = _words(name, value)
    for word in words:
        if not re.fullmatch(r"\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*", word):
            raise OptionError(
                f"{name} must be host names such as files.example.com, *.example.com or *, with commas between them, "
                f"got {_shown(word)}."
            )
    return words


def _level(name: str, value: Any) -> str:
    good = ("debug", "info", "warning", "error")
    if not isinstance(value, str) or value.strip().lower() not in good:
        raise OptionError(f"{name} must be one of {', '.join(good)}, got {_shown(value)}.")
    return value.strip().lower()


_SECONDS = _number(0.05, 86_400)

_READ: dict[str, Callable[[str, Any], Any]] = {
    "host": _host,
    "port": _whole(0, 65_535),
    "dev": _boolean,
    "secret": _secret,
    "public_key": _path,
    "jwks_url": _jwks_url,
    "issuer": _text,
    "audience": _text,
    "leeway": _number(0, 3600),
    "store": _store,
    "embedder": _text,
    "model": _text,
    "audio_model": _text,
    "wipe_after": _number(0, 86_400),
    "max_body_bytes": _whole(1024, 1 << 31),
    "max_characters": _whole(1, 1 << 31),
    "max_response_bytes": _whole(1024, 1 << 31),
    "max_connections": _whole(1, 1_000_000),
    "max_jobs": _whole(1, 10_000),
    "queue": _whole(0, 100_000),
    "rate": _number(0, 10**9),
    "workers": _whole(0, 1024),
    "worker_memory": _whole(0, 1 << 24),
    "header_timeout": _SECONDS,
    "body_timeout": _SECONDS,
    "job_timeout": _SECONDS,
    "request_timeout": _SECONDS,
    "shutdown_timeout": _SECONDS,
    "media_schemes": _schemes,
    "media_hosts": _hosts,
    "max_media": _whole(0, 1000),
    "max_media_bytes": _whole(1024, 1 << 33),
    "media_timeout": _SECONDS,
    "playground": _boolean,
    "log_level": _level,
}
