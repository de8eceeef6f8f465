"""What commands of plugins are made of, so that they look and behave as ours do.

A plugin names its commands in the hook `register_commands`; each is a click command in a module of its own, which may
import this one. Errors that derive from `CantleError` become one line and an exit code by themselves.
"""

from __future__ import annotations

from .cli.group import Failure
from .cli.inputs import document, find, is_document
from .cli.options import KIND, LENGTH, SIZE, STRATEGY, cutting, parsed, reading, sizing
from .cli.outputs import FORMATS, Writer, chosen_format, opened, writer
from .cli.tables import as_json, counted, definitions, printable
from .console import Bar, say_waiting
from .document import config_hash
from .strategy import snake_case
from .written import to_json

__all__ = [
    "FORMATS",
    "KIND",
    "LENGTH",
    "SIZE",
    "STRATEGY",
    "Bar",
    "Failure",
    "Writer",
    "as_json",
    "chosen_format",
    "config_hash",
    "counted",
    "cutting",
    "definitions",
    "document",
    "find",
    "is_document",
    "opened",
    "parsed",
    "printable",
    "reading",
    "say_waiting",
    "sizing",
    "snake_case",
    "to_json",
    "writer",
]
