"""The command line: `cantle`, or `python -m cantle`. Each command is imported when it is run.

Exit codes: 0 all went well; 1 something failed (some files, or a check); 2 wrong usage (arguments,
options, unknown names); 130 interrupted; 141 the reader of our output went away; 143 terminated.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from .. import __version__
from .group import Cli

__all__ = ["cli", "main"]


@click.command(
    cls=Cli,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 all went well, 1 something failed, 2 wrong usage, 130 interrupted, "
    "141 the reader of the output went away, 143 terminated. "
    "`cantle COMMAND --help` shows examples.",
)
@click.version_option(__version__, "-V", "--version", prog_name="cantle")
def cli() -> None:
    """Cut documents into chunks for retrieval.

    \b
    cantle chunk README.md                     see the chunks
    cantle chunk docs/ -o chunks.jsonl         write them
    cantle strategies                          ways to cut, and their options
    """


def main(args: list[str] | None = None) -> Any:
    """Run the command line; ends the process with its exit code."""
    if sys.stderr is None:  # closed by the caller, as in `2>&-`
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # open as long as the process
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115
    if sys.stdout is None:
        sys.exit("Error: standard output is closed. Leave it open, or write to a file with -o.")
    return cli.main(args, prog_name="cantle")
