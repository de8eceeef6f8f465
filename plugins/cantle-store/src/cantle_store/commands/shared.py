"""What the commands share: which store, which dataset, which embedder."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantle.commands import Failure, printable
from cantle.errors import MissingDependencyError

from .speaking import in_options, speaking

if TYPE_CHECKING:
    from ..embedders import Embedder
    from ..records import Avatar
    from ..store import Store

__all__ = [
    "by_key",
    "embedding",
    "made_embedder",
    "no_host",
    "of_host",
    "offline_embedder",
    "one_line",
    "opened_store",
    "owner",
    "say_waits",
    "storing",
]

Function = Callable[..., Any]

_OFFLINE = ("e5", "wordllama")
_KNOWN = 20  # names that a message shows


def storing(function: Function) -> Function:
    """Add --store, --host and --avatar: the function gets `url`, `host` and `avatar`; its errors name options."""
    add = click.option("--avatar", metavar="NAME", help="Whose datasets: a name or an id. Default: the main avatar's.")
    return of_host(add(function))


def of_host(function: Function) -> Function:
    """Add --store and --host: the function gets `url` and `host`; its errors name options."""
    function = speaking(function)
    for add in (
        click.option("--host", default="default", show_default=True, metavar="NAME", help="The tenant."),
        click.option(
            "--store",
            "url",
            envvar="CANTLE_STORE",
            required=True,
            metavar="URL",
            help="FILE or sqlite:///FILE, or postgresql://USER:PASSWORD@HOST/DATABASE. Default: $CANTLE_STORE.",
        ),
    ):
        function = add(function)
    return function


def embedding(function: Function) -> Function:
    """Add --embedder, --base-url and --dimensions: the function gets `maker`, a function that makes the embedder."""

    @functools.wraps(function)
    def call(embedder: str | None, base_url: str | None, dimensions: int | None, **rest: Any) -> Any:
        options = {"base_url": base_url, "dimensions": dimensions}
        given = {name: value for name, value in options.items() if value is not None}
        if given and not (embedder or "").startswith("openai:"):
            raise click.UsageError("--base-url and --dimensions are for --embedder openai:MODEL.")
        return function(maker=functools.partial(made_embedder, embedder, given) if embedder else None, **rest)

    for add in (
        click.option("--dimensions", type=click.IntRange(min=1), metavar="N", help="Ask openai:MODEL for so many."),
        click.option("--base-url", metavar="URL", help="The endpoint of openai:MODEL. Default: OpenAI's."),
        click.option("--embedder", metavar="NAME", help="openai:MODEL, e5 or wordllama (the last two are offline)."),
    ):
        call = add(call)
    return call


def made_embedder(name: str, options: Mapping[str, Any]) -> Embedder:
    """The embedder of this name; what is wrong with the name is wrong usage."""
    from ..embedders import embedder
    from ..errors import EmbedderError

    try:
        return embedder(name, **options)
    except EmbedderError as error:
        raise click.BadParameter(in_options(str(error)), param_hint="--embedder") from None


def offline_embedder(name: str) -> tuple[Embedder | None, str]:
    """The embedder of this name if it works offline, so that it may be taken unasked; else why it is not."""
    if name.partition(":")[0] not in _OFFLINE:
        hint = f"give --embedder {name}" if name.startswith("openai:") else "no --embedder makes these: use Python"
        return None, f"the vectors are of {name!r}; {hint}."
    try:
        return made_embedder(name, {}), ""
    except MissingDependencyError as error:
        return None, str(error)


def say_waits(embedder: Any) -> None:
    """Have an embedder that asks an endpoint say on standard error that it waits, and why."""

    def say(seconds: float, why: str) -> None:
        click.echo(one_line(f"Waiting {seconds:.3g} s, then asking again: {why}"), err=True)

    if hasattr(embedder, "waiting"):
        embedder.waiting = say


def no_host(store: Store) -> str:
    """What to say of a host that there is nothing of."""
    others = [name for name in store.hosts() if name != store.host]
    known = ", ".join(map(repr, others[:_KNOWN])) + (", ..." if len(others) > _KNOWN else "")
    hint = f" There is something of {known}: give --host." if others else ""
    return f"There is nothing of host {store.host!r} in this store.{hint}"


def opened_store(url: str, host: str, *, missing: str = "refuse") -> Store:
    """The store. Of an SQLite file that is not there: `refuse`, `make` it, or an empty store in `memory` instead.

    With `memory` no tables are made elsewhere either.
    """
    from ..database.urls import masked
    from ..errors import NoTablesError
    from ..store import Store

    file = url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else "" if "://" in url else url
    if file and file != ":memory:" and missing != "make" and not Path(file.partition("?")[0]).exists():
        if missing == "memory":
            return Store("sqlite://", host=host)
        raise Failure(
            f"There is no store {masked(file)}. `cantle ingest DIR --store {masked(url)} --dataset NAME` makes one."
        )
    place = Path(file) if file and "://" not in url else url
    if missing != "memory":
        return Store(place, host=host)
    try:
        return Store(place, host=host, migrate=False)
    except NoTablesError:
        return Store("sqlite://", host=host)


def owner(store: Store, avatar: str | None) -> Avatar | None:
    """The avatar of this name or id; None is the main one."""
    if avatar is None:
        return None
    found = store.avatars()
    for one in found:
        if avatar in (one.id, one.name):
            return one
    known = ", ".join(repr(one.name) for one in found) or "none"
    raise click.BadParameter(f"there is no avatar {avatar!r}. Known: {known}.", param_hint="--avatar")


def one_line(text: str) -> str:
    """A line for the terminal: names of files may have line feeds, which would make lines that look like ours."""
    return printable(text).replace("\n", "\N{REPLACEMENT CHARACTER}")


def by_key(pairs: Iterable[str], option: str) -> dict[str, list[str]]:
    """Key -> values of `KEY=VALUE`, in order."""
    found: dict[str, list[str]] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"{pair!r} is no KEY=VALUE. Example: dept=hr.", param_hint=option)
        found.setdefault(key.strip(), []).append(value)
    return found
