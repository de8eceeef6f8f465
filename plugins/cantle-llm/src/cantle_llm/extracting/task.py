"""One field of some chunks: what the prompts hold of them, who is asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cantle import Chunks

from ..errors import AnswerError
from .asking import Asker
from .contents import content, fill, mark_of
from .prompts import PROMPTS, Prompt, Prompts
from .tally import Tally

__all__ = ["Found", "Task"]

Found = list[dict[str, Any]]
"""One mapping for each chunk."""


class Task:
    """Given to the function of a field, which asks and returns `Found`.

    By the number of each chunk, `documents` are those of the documents, `languages` the languages of built-in prompts.
    `system` is a system message in place of the built-in one.
    """

    def __init__(
        self,
        chunks: Chunks,
        documents: Sequence[int],
        languages: Sequence[str],
        asker: Asker,
        tally: Tally,
        system: str | None = None,
    ) -> None:
        self.chunks, self.documents, self.asker, self.tally = chunks, documents, asker, tally
        self.contents = [content(chunk) for chunk in chunks]
        self._languages, self._system = languages, system
        self.lost: list[int] | None = None
        """The chunks without a result, where they are others than those whose call failed."""

    @property
    def texts(self) -> dict[int, str]:
        """What prompts hold of the chunks, by number, without those that are blank."""
        return {i: text for i, text in enumerate(self.contents) if text}

    def prompt(self, number: int, name: str, template: str | None, context: str, **numbers: int) -> Prompt:
        """What is asked for a text of the chunk: by the template, else by the built-in one of this name."""
        values = {name: str(number) for name, number in numbers.items()}
        template = getattr(self._prompts(number), name) if template is None else template
        return self._asked(number, fill(template, {"context": context, "mark": mark_of(context), **values}))

    def bare(self, number: int) -> Prompt:
        """What is asked where the user's message is the text and nothing else."""
        return self._asked(number, self.contents[number], self._prompts(number).schema)

    def _prompts(self, number: int) -> Prompts:
        return PROMPTS[self._languages[number]]

    def _asked(self, number: int, text: str, system: str | None = None) -> Prompt:
        built_in = self._prompts(number).system if system is None else system
        return Prompt(built_in if self._system is None else self._system, text, self._languages[number])

    def ask(self, prompts: Mapping[int, Prompt], ask: Callable[[Prompt], Any], what: str) -> dict[int, Any]:
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
