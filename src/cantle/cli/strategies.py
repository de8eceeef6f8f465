"""`cantle strategies`: the ways to cut and their options, from the code itself."""

from __future__ import annotations

import inspect
import shutil
from typing import Any

import click

from ..plugins import registry
from ..strategy import describe
from .options import STRATEGY
from .tables import as_json, definitions

__all__ = ["command"]

_HELP = """List the strategies, or explain one with all its options.

\b
Examples:
  cantle strategies
  cantle strategies recursive
  cantle strategies --json | jq 'keys'
  cantle strategies recursive --json-schema > recursive.schema.json

Options are given to `cantle chunk` as --option name=value.
"""


@click.command("strategies", help=_HELP, short_help="List ways to cut, and their options.")
@click.argument("name", required=False, type=STRATEGY)
@click.option("--json", "as_json_", is_flag=True, help="Write JSON.")
@click.option(
    "--json-schema", is_flag=True, help="Write JSON Schema of the options; without NAME that of each strategy, by name."
)
def command(name: str | None, as_json_: bool, json_schema: bool) -> None:
    """Show one strategy or all; the help is `_HELP`."""
    if as_json_ and json_schema:
        raise click.UsageError("--json and --json-schema are both given. Leave one out.")
    host = registry()
    found = {name: host.strategy(name)} if name else host.strategies()
    if json_schema:
        from ..schema import json_schema as schema_of

        as_json(schema_of(name) if name else {key: schema_of(cls) for key, cls in found.items()})
    elif as_json_:
        as_json({key: _facts(cls, host.provider(key)) for key, cls in found.items()})
    elif name:
        _explain(name, found[name], host.provider(name))
    else:
        definitions("Strategies", [(key, _summary(cls)) for key, cls in found.items()])
        click.echo("\n`cantle strategies NAME` explains one with its options.")


def _explain(name: str, cls: type[Any], plugin: str) -> None:
    click.echo(f"{name} (from {plugin})\n")
    said = inspect.getdoc(cls) or "It has no description."
    click.echo(click.wrap_text(said, min(shutil.get_terminal_size((100, 24)).columns, 120), preserve_paragraphs=True))
    rows = []
    for option in describe(cls):
        unit = f" {option.unit}" if option.unit and option.default.replace(".", "").isdigit() else ""
        default = "required" if option.default == "required" else f"default {option.default}{unit}"
        doc = option.doc if option.used else f"Accepted, but without effect here. {option.doc}"
        if option.choices:
            doc += f" One of: {', '.join(map(str, option.choices))}."
        rows.append((option.name, f"{option.type}, {default}. {doc}"))
    if rows:
        click.echo()
        definitions("Options", rows)


def _summary(cls: type[Any]) -> str:
    """The first sentence or paragraph of the docstring; a dataclass without one has only its signature."""
    doc = inspect.getdoc(cls) or ""
    if doc.startswith(f"{cls.__name__}("):
        return ""
    return " ".join(doc.split("\n\n")[0].split())


def _facts(cls: type[Any], plugin: str) -> dict[str, Any]:
    return {
        "summary": _summary(cls),
        "plugin": plugin,
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "options": [option._asdict() for option in describe(cls)],
    }
