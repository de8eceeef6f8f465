"""`cantle serve`: the service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantle.errors import OptionError

from ..settings import PREFIX, Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["command"]

Function = Callable[..., Any]

_HOST = "default"
"""The host of the token of --dev: that of `cantle ingest` and of `cantle_store.Store` where none is named."""

_HELP = """Serve cantle over HTTP: chunks, topical blocks, datasets and search, and a playground at /.

Every request brings a token, a JSON Web Token with the claims hostId (the tenant) and userId, and perhaps roles. How
tokens are checked must be said: by a secret of at least 32 bytes (CANTLE_SERVER_SECRET or --secret-file), by a public
key (--public-key) or by keys that are fetched (--jwks-url). With --dev the service makes a secret of its own, prints
one token on standard output, for the host `default` that commands without --host use, and listens on this machine
alone.

Without --store nothing is kept; without --model no model is asked, and nothing is paid for. What a model needs besides
its name, the key first of all, comes from the CANTLE_LLM_* variables.

Each option is a variable too: CANTLE_SERVER_MAX_JOBS is --max-jobs. Options go before variables. Ctrl-C and SIGTERM let
requests under way end, for --shutdown-timeout seconds.

\b
Examples:
  cantle serve --dev
  cantle serve --dev --store sqlite:///chunks.db --embedder e5
  CANTLE_SERVER_SECRET=... cantle serve --host 0.0.0.0 --store postgresql://cantle@db/cantle
  cantle serve --jwks-url https://login.example.com/.well-known/jwks.json --audience cantle --issuer https://login.example.com/
  CANTLE_SERVER_SECRET=... cantle serve --token acme ana --expires-in 3600
  curl -H "Authorization: Bearer $TOKEN" -F file=@report.pdf http://127.0.0.1:8000/v1/chunk

\b
Exit codes: 0 it was stopped; 1 it cannot start, for instance because the
port is taken; 2 wrong usage; 130 a second Ctrl-C broke requests off.
"""

_TOKENS = (
    ("public_key", "FILE", "Check tokens with the public keys of this file: PEM, or a JSON Web Key Set."),
    ("jwks_url", "URL", "Check tokens with the JSON Web Key Set at this address."),
    ("issuer", "TEXT", "Tokens must have this issuer (iss)."),
    ("audience", "TEXT", "Tokens must have this audience (aud)."),
    ("leeway", "SECONDS", "How far the clocks of those who issue tokens may be off."),
)
_PARTS = (
    ("store", "URL", "Keep datasets here: sqlite:///FILE or postgresql://USER@HOST/DATABASE."),
    ("embedder", "NAME", "The embedder of the store, such as e5 or openai:text-embedding-3-large."),
    ("model", "NAME", "The model that partitions texts and sees pictures. Its key: CANTLE_LLM_API_KEY."),
    ("wipe_after", "SECONDS", "Wipe what edits took away when there was no edit for so long."),
    ("audio_model", "NAME", "The model that hears recordings, such as gpt-4o-transcribe. Needs --model too."),
)
_LIMITS = (
    ("max_body_bytes", "BYTES", "The largest body of a request."),
    ("max_characters", "N", "The longest text, in characters."),
    ("max_response_bytes", "BYTES", "The largest answer that is not NDJSON."),
    ("max_connections", "N", "How many connections there may be."),
    ("max_jobs", "N", "How many requests that wait for models and databases are worked on at once."),
    ("queue", "N", "How many requests may wait for their turn; the next gets 503."),
    ("rate", "N", "Requests a minute for each token; 0: no limit."),
    ("workers", "N", "Processes that cut documents. Default: one more than processors."),
    ("worker_memory", "MIB", "How much memory each of them may have; 0: no limit."),
    ("header_timeout", "SECONDS", "How long the headers of a request may take to arrive."),
    ("body_timeout", "SECONDS", "How long its body may take."),
    ("job_timeout", "SECONDS", "How long a document may take to be cut."),
    ("request_timeout", "SECONDS", "How long a request may take in all."),
    ("shutdown_timeout", "SECONDS", "How long requests under way have when the service is stopped."),
)
_MEDIA = (
    ("media_hosts", "NAMES", "Hosts that media may be fetched from: a.example.com,*.example.org, or * for all public."),
    ("media_schemes", "NAMES", "https, or http,https."),
    ("max_media", "N", "How many media a request may name."),
    ("max_media_bytes", "BYTES", "The largest of them."),
    ("media_timeout", "SECONDS", "How long fetching one may take."),
)


def _settings(function: Function) -> Function:
    """Add an option for each setting; None stands for one that was not given."""
    defaults = Settings.__dataclass_fields__
    for name, shown, text in reversed((*_TOKENS, *_PARTS, *_LIMITS, *_MEDIA)):
        default = defaults[name].default
        if isinstance(default, tuple):
            default = ",".join(default)
        if default not in (None, "") and "Default:" not in text:
            text = f"{text} Default: {default:,}." if isinstance(default, int) else f"{text} Default: {default}."
        function = click.option(f"--{name.replace('_', '-')}", name, metavar=shown, help=text)(function)
    return function


@click.command("serve", help=_HELP, short_help="Serve cantle over HTTP.")
@click.option("--host", metavar="ADDRESS", help=f"The address to listen on. Default: {Settings.host}.")
@click.option("--port", metavar="N", help=f"The port; 0 takes a free one. Default: {Settings.port}.")
@click.option("--dev", is_flag=True, help="For trying it out: print a token, listen on this machine alone.")
@click.option(
    "--secret-file",
    type=click.Path(exists=True, dir_okay=False),
    help="Check tokens with the secret in this file (HS256). Or set CANTLE_SERVER_SECRET.",
)
@_settings
@click.option("--playground/--no-playground", default=None, help="Serve a page at / to try strategies on. Default: do.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error. Default: info, one line a request.")
@click.option(
    "--token",
    nargs=2,
    metavar="HOST USER",
    help="Print a token for this host and user, signed with the secret, and serve nothing.",
)
@click.option("--role", "roles", multiple=True, metavar="NAME", help="With --token: a role; may be repeated.")
@click.option(
    "--expires-in", type=click.IntRange(1, 10**9), metavar="SECONDS", help="With --token. Default: 3600, an hour."
)
def command(
    dev: bool,
    secret_file: str | None,
    token: tuple[str, str] | None,
    roles: tuple[str, ...],
    expires_in: int | None,
    **given: Any,
) -> None:
    """Serve until it is stopped; the help is `_HELP`."""
    if token is None and (roles or expires_in is not None):
        raise click.UsageError("--role and --expires-in are for --token HOST USER.")
    if secret_file is not None:
        given["secret"] = Path(secret_file).read_text("utf-8", "surrogateescape").strip()
    settings = _of({**given, "dev": dev or None})
    if token is not None:
        _print_token(settings, token, roles, expires_in)
    else:
        _serve(settings)


def _of(given: dict[str, Any]) -> Settings:
    """The settings, with errors that name options where those are wrong."""
    try:
        return Settings.of(given)
    except OptionError as error:
        name, _, rest = str(error).partition(" ")
        if given.get(name) is not None and name != "secret":
            raise click.UsageError(f"--{name.replace('_', '-')} {rest}") from error
        text = str(error)
        if text.startswith("No key for tokens"):
            text = (
                "How are tokens checked? Set CANTLE_SERVER_SECRET, or give --secret-file, --public-key or --jwks-url. "
                "To try it out: --dev."
            )
        raise click.UsageError(text) from error


def _print_token(settings: Settings, names: tuple[str, str], roles: tuple[str, ...], expires_in: int | None) -> None:
    from ..auth.tokens import issue_token

    if settings.secret is None:
        raise click.UsageError(
            f"A token is signed with a secret. Set {PREFIX}SECRET, or give --secret-file; tokens for public keys come "
            "from who has the private one."
        )
    made = issue_token(
        settings.secret,
        *names,
        roles=list(roles) or None,
        expires_in=expires_in or 3600,
        issuer=settings.issuer,
        audience=settings.audience,
    )
    click.echo(made)


def _serve(settings: Settings) -> None:
    from ..serving import serve

    serve(settings, listening=_told)
    click.echo("Stopped.", err=True)


def _told(address: str, app: FastAPI) -> None:
    """Where it listens, to standard error; in development mode the token, to standard output."""
    click.echo(f"cantle listens on {address}", err=True)
    settings: Settings = app.state.settings
    if settings.dev:
        from ..auth.tokens import issue_token

        secret = settings.secret or ""
        day = 86_400
        token = issue_token(secret, _HOST, "dev", expires_in=day, issuer=settings.issuer, audience=settings.audience)
        if settings.playground:  # what stands behind # is not sent, and the page takes it out of the address
            click.echo(f"The playground: {address}/#token={token}", err=True)
        click.echo(f"A token for the host {_HOST} and the user dev, good for a day:", err=True)
        click.echo(token)
