"""Errors of the library as the command line says them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from shlex import quote
from typing import Any

from cantle.errors import CantleError

__all__ = ["in_options", "speaking"]

_SAID: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"store\.reembed\(('.*?'|\".*?\"), embedder\)", re.DOTALL),
        lambda found: f"`cantle reembed --dataset {quote(found[1][1:-1])} --embedder NAME`",
    ),
    (re.compile(r"\b(mode|encoding|kind)='([\w-]+)'"), r"--\1 \2"),
    (re.compile(r"\bencoding=(?=[ ,.])"), "--encoding"),
    (re.compile(r"\bsource_prefix='([^']*)'"), r"--source-prefix \1"),
    (re.compile(r"\ballow_empty=True"), "--allow-empty"),
    (re.compile(r"\bkeep_gone=True"), "--keep-gone"),
    (re.compile(r"\bGive (that one|one of these) as the embedder"), r"Give \1 with --embedder"),
    (re.compile(r"\bGive (that embedder|the embedder that made those)\b"), r"Give \1 with --embedder"),
    (re.compile(r"\bGive the key as api_key(, or)?"), "Give the key"),
    (re.compile(r"^(base_url|dimensions)(?= must)"), lambda found: f"--{found[1].replace('_', '-')}"),
)


def in_options(text: str) -> str:
    """A message of the library, with the options of commands for its arguments."""
    for pattern, said in _SAID:
        text = pattern.sub(said, text)
    return text


def speaking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have errors of cantle that a command ends with name its options."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except CantleError as error:
            said = in_options(str(error))
            if said != str(error):
                error.args = (said,)
            raise

    return call
