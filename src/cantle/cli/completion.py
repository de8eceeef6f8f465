"""`cantle completion`: the script that lets a shell complete commands, strategies and lengths."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

__all__ = ["command"]

_HELP = """Print the script that lets SHELL complete commands, options, strategies and lengths.

\b
Examples, for this and all later shells:
  bash   echo 'eval "$(cantle completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(cantle completion zsh)"' >> ~/.zshrc
  fish   cantle completion fish > ~/.config/fish/completions/cantle.fish
"""


@click.command("completion", help=_HELP, short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script; the help is `_HELP`."""
    kind = get_completion_class(shell)
    assert kind is not None  # the three are click's own
    click.echo(kind(ctx.find_root().command, {}, "cantle", "_CANTLE_COMPLETE").source())
