"""One field of some chunks: what the prompts hold of them, who is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cantle import Chunks

from ..errors import AnswerError
from .asking import Asker
from .contents import fill, mark_of
from .prompts import Prompts
from .tally import Tally

__all__ = ["Found", "Task"]

Found = list[dict[str, Any]]
"""One mapping for each chunk."""


class Task:
    """Given to the function of a field, which asks and returns `Found`."""

    def __init__(self, chunks: Chunks, contents: Sequence[str], asker: Asker, prompts: Prompts, tally: Tally) -> None:
        self.chunks, self.contents, self.asker, self.prompts, self.tally = chunks, contents, asker, prompts, tally
        self.lost: list[int] | None = None
        """The chunks without a result, where they are others than those whose call failed."""

    @property
    def texts(self) -> dict[int, str]:
        """What prompts hold of the chunks, by number, without those that are blank."""
        return {i: text for i, text in enumerate(self.contents) if text}

    def prompt(self, template: str, context: str, **numbers: int) -> str:
        """The user message for a text."""
        values = {name: str(number) for name, number in numbers.items()}
        return fill(template, {"context": context, "mark": mark_of(context), **values})

    def ask(self, prompts: Mapping[int, str], ask: Callable[[str], Any], what: str) -> dict[int, Any]:
        """The answers by number, without those that failed; None where the model answered nothing.

        That is told, but it is an answer: it does not count where all calls failed.
        """
        outcomes = self.asker.all(list(prompts.values()), ask)
        answers: dict[int, Any] = {}
        for number, (value, error) in zip(prompts, outcomes, strict=True):
            if error is None:
                self.tally.answer()
                answers[number] = value
            else:
                self.tally.fail(number, what, error)
                if isinstance(error, AnswerError) and error.reason == "empty":
                    self.tally.answer()
                    answers[number] = None
        return answers

    def under(self, key: str, values: Mapping[int, Any], blank: Any = None) -> Found:
        """The values under a key; `blank` for chunks without text; no key for those without a value."""
        empty = {} if blank is None else {key: blank}
        return [
            {key: values[i]} if i in values else {} if text else dict(empty) for i, text in enumerate(self.contents)
        ]
