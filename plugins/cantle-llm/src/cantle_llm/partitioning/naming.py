"""A data set's name by the model, from the labels of the blocks."""

from __future__ import annotations

from typing import Any

from ..client.client import Run
from ..errors import AnswerError, ModelError, ModelWarning
from ..warn import warn
from .cleaning import clean
from .prompts import naming
from .result import PartitionResult, plain_name

__all__ = ["Namer"]

_MOST_LABELS, _MOST_CHARACTERS = 200, 80


class Namer:
    """Asks when it is called, and adds what that costs to the result."""

    def __init__(self, run: Run, options: dict[str, Any], language: str | None, given: bool) -> None:
        self._run, self._options = run, options
        self._language, self._given = language, given

    def __call__(self, result: PartitionResult) -> str:
        """The name. A call that fails is a `ModelWarning`, and the name made of the labels."""
        labels = list(dict.fromkeys(block.label for block in result.blocks if block.label))[:_MOST_LABELS]
        if not labels:
            return plain_name(result)
        try:
            messages = naming(labels, self._language, self._given)
            name: str = self._run.complete(messages, check=_named, **self._options)
        except ModelError as error:
            warn(f"The model gave no name for the data set, so it is made of the labels: {error}", ModelWarning)
            name = plain_name(result)
        finally:
            ledger = self._run.ledger
            result.usage, result.cost = ledger.usage, ledger.cost
            if ledger.control.reasons:
                result.control = ledger.control
        return name


def _named(answer: str) -> str:
    name = clean(answer, _MOST_CHARACTERS).strip("\"'`*#“”«». ")
    if not name:
        raise AnswerError("empty")
    return name
