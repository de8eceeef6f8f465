"""`cantle plugins`: what is installed, and what is broken."""

from __future__ import annotations

from dataclasses import asdict

import click

from ..plugins import BUILTIN, Plugin, registry
from .tables import as_json, definitions

__all__ = ["command"]

_HELP = """List the plugins: cantle's own, the installed ones, and those that could not be loaded.

\b
Examples:
  cantle plugins
  cantle plugins --json
  CANTLE_PLUGINS=off cantle plugins        without installed plugins
  CANTLE_PLUGINS=acme cantle plugins       only this one

Exit codes: 0 all plugins were loaded, 1 one could not be.
"""


@click.command("plugins", help=_HELP, short_help="List plugins, broken ones with their error.")
@click.option("--json", "as_json_", is_flag=True, help="Write JSON.")
def command(as_json_: bool) -> None:
    """Show all plugins; the help is `_HELP`."""
    found = registry().plugins
    broken = {name: plugin for name, plugin in found.items() if plugin.error}
    if as_json_:
        as_json([{**asdict(plugin), "builtin": plugin.module in BUILTIN} for plugin in found.values()])
    else:
        own = [p for p in found.values() if p.module in BUILTIN and not p.error]
        others = [p for p in found.values() if p.module not in BUILTIN and not p.error]
        definitions("Built in", [(p.name, offers(p)) for p in own])
        click.echo()
        definitions("Installed", [(f"{p.name} {p.version}".strip(), f"{offers(p)} ({p.module})") for p in others])
        if broken:
            click.echo()
            definitions("Broken", [(name, f"{p.error} ({p.module})") for name, p in broken.items()])
    if broken:
        raise click.exceptions.Exit(1)


def offers(plugin: Plugin) -> str:
    """What a plugin offers, in words."""
    parts = []
    for one, names in (
        ("strategy", plugin.strategies),
        ("length function", plugin.length_functions),
        ("extractor", plugin.extractors),
        ("command", plugin.commands),
    ):
        if names:
            many = "strategies" if one == "strategy" else f"{one}s"
            parts.append(f"{one if len(names) == 1 else many} {', '.join(names)}")
    others = [hook for hook in plugin.hooks if not hook.startswith("register_")]
    if others:
        parts.append(f"hooks {', '.join(others)}")
    return "; ".join(parts) or "nothing"
