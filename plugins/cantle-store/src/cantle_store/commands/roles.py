"""`cantle roles`: what each role of a host may see."""

from __future__ import annotations

import json
from typing import Any

import click

from cantle.commands import as_json, printable

from .shared import no_host, of_host, one_line, opened_store

__all__ = ["command"]

_HELP = """Show which documents each role of a host may see, or replace the rules by those of FILE.

FILE is YAML: the name of a role, and a rule over the metadata of documents, a list of rules of which one must hold, or
"*" for everything:

\b
  intern: {dept: [hr, product], classification: internal}   # both keys must hold
  sre: [{dept: sre}, {classification: internal}]            # one of the rules
  auditor: "*"

It takes the place of all rules of the host. Roles count where somebody searches with them, as in `cantle search
--role intern`; they may be changed at any time, and nothing is cut or embedded anew.

\b
Examples:
  cantle roles --store sqlite:///chunks.db
  cantle roles roles.yaml --store sqlite:///chunks.db
  cantle roles --json > roles.json
  cantle roles --clear --host acme

\b
Exit codes: 0 all is well; 1 there is no such store; 2 wrong usage, and a file that is no roles.
"""


@click.command("roles", help=_HELP, short_help="Show or set what roles may see.")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False))
@of_host
@click.option("--clear", is_flag=True, help="Delete all rules of the host.")
@click.option("--json", "json_", is_flag=True, help="As JSON, which FILE may be too.")
def command(file: str | None, url: str, host: str, clear: bool, json_: bool) -> None:
    """Show or set the roles; the help is `_HELP`."""
    from cantle.access import read_roles

    if clear and file is not None:
        raise click.UsageError("--clear deletes the rules, FILE replaces them. Give one of the two.")
    wanted = None if file is None else read_roles(file)
    with opened_store(url, host) as store:
        if wanted is not None or clear:
            store.set_roles(wanted)
        rules: dict[str, Any] = store.roles().to_dict()
        nothing = "" if rules else no_host(store) if host not in store.hosts() else f"Host {host!r} has no roles."
    if json_:
        as_json(rules)
        return
    for name, of in rules.items():
        said = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in of]
        click.echo(one_line(f"{name}: {' or '.join(said)}"))
    if nothing:
        click.echo(printable(nothing), err=True)
