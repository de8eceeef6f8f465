"""`cantle contextualize` against a scripted server: what tests of it share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from click.testing import Result

from cantle_llm.testing import Asked

Run = Callable[..., Result]


def block_of(asked: Asked) -> str:
    """The first word of the block that a prompt of ours is about."""
    return asked.prompt.rpartition("\n<block-")[2].partition("\n")[2].split()[0]


def rows(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]
