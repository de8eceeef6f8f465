"""What the pages take from the code: tables of options, the help of commands, unreleased changes, docstrings."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from cantle import plugins
from cantle.cli import cli
from cantle.cli.group import COMMANDS
from cantle.plugins import BUILTIN, Registry
from cantle.strategy import Sized, describe

FRAGMENTS = Path(__file__).parent.parent / "changelog.d"


def registry() -> Registry:
    """Our own strategies only, whatever plugins are installed where the pages are built."""
    return Registry({name.rpartition(".")[2]: name for name in BUILTIN})


def strategy(name: str) -> type[Any]:
    """A strategy of ours, else of an installed plugin."""
    ours = registry()
    return (ours if name in ours.strategies() else plugins.registry()).strategy(name)


class MarkdownDirective(SphinxDirective):
    """A directive that writes Markdown."""

    def markdown(self) -> list[str]:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        parent = nodes.section()
        parent.document = self.state.document
        self.state.nested_parse(StringList(self.markdown(), "generated"), 0, parent)
        return parent.children


class Options(MarkdownDirective):
    """`{cantle-options} NAME`: the options of a strategy, or of one of a plugin; without a name the shared ones."""

    optional_arguments = 1

    def markdown(self) -> list[str]:
        kind: type[Any] = strategy(self.arguments[0]) if self.arguments else Sized
        rows = ["| option | type | default | unit | meaning |", "|---|---|---|---|---|"]
        for o in describe(kind):
            doc = o.doc if o.used else "Accepted for parity; has no effect here, and giving it warns."
            if o.choices and o.used:
                doc += f" One of: {', '.join(f'`{choice}`' for choice in o.choices)}."
            cells = [f"`{o.name}`", f"`{o.type}`", f"`{o.default}`", o.unit, doc]
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        return rows


class Strategies(MarkdownDirective):
    """`{cantle-strategies}`: every strategy with the first line of its docstring."""

    def markdown(self) -> list[str]:
        rows = ["| strategy | what it does |", "|---|---|"]
        for name, kind in registry().strategies().items():
            doc = (kind.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
            rows.append(f"| [`{name}`](strategies/{name}.md) | {re.sub(' +', ' ', doc)} |")
        return rows


class Help(SphinxDirective):
    """`{cantle-help} COMMAND`: what `cantle COMMAND --help` prints; the command may be that of an installed plugin."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        target = COMMANDS.get(name) or plugins.registry().commands()[name]
        module, _, attribute = target.partition(":")
        found: click.Command = getattr(import_module(module), attribute)
        parent = click.Context(cli, info_name="cantle", max_content_width=88, terminal_width=88)
        text = found.get_help(click.Context(found, parent, name, max_content_width=88, terminal_width=88))
        return [nodes.literal_block(text, text, language="text")]


class Unreleased(MarkdownDirective):
    """`{cantle-unreleased}`: the changelog fragments that no release has taken up yet."""

    def markdown(self) -> list[str]:
        lines = []
        for kind in ("security", "removed", "deprecated", "added", "changed", "fixed"):
            found = sorted(FRAGMENTS.glob(f"*.{kind}.md"))
            if found:
                lines += [f"**{kind.capitalize()}**", ""]
                lines += [f"- {' '.join(path.read_text(encoding='utf-8').split())}" for path in found]
                lines.append("")
        return lines or ["Nothing yet."]


def restructured(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are Markdown; autodoc wants reStructuredText."""
    text = "\n".join(lines)
    text = re.sub(
        r"^```(\w*)\n(.*?)^```$",
        lambda m: f".. code-block:: {m[1] or 'text'}\n\n" + re.sub(r"^(?=.)", "    ", m[2], flags=re.M),
        text,
        flags=re.M | re.S,
    )
    text = re.sub(r"(?<![`:])`([^`\n]+)`(?!`)", r"``\1``", text)
    lines[:] = text.split("\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("cantle-options", Options)
    app.add_directive("cantle-strategies", Strategies)
    app.add_directive("cantle-help", Help)
    app.add_directive("cantle-unreleased", Unreleased)
    app.connect("autodoc-process-docstring", restructured)
    return {"parallel_read_safe": True}
