"""How models are asked for the metadata of chunks: all prompts of a field at once, equal ones once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from ..client.client import Client, Run
from ..client.structured import valid_value
from ..client.written import without_thoughts
from ..errors import AnswerError, ModelError
from ..runs import Outcome, each
from .clients import client_for
from .loop import Loop
from .progress import SlowBar
from .prompts import Prompt, in_words
from .schemas import Form
from .together import Together

__all__ = ["Asker", "asker_of"]


class Asker(ABC):
    """Asks for one field.

    `together` is what the fields of one call of `chunk()` know of each other, `client` and `model` whom they ask. Once
    `stopped()` is true no call is begun any more.
    """

    kept_in = ""
    """The file that answers are kept in, if they are."""
    has_answers = False
    """Whether there are any of this field."""

    def __init__(
        self,
        client: Any,
        model: str | None,
        concurrency: int,
        together: Together,
        stopped: Callable[[], bool],
    ) -> None:
        self._client, self._model, self._together = client, model, together
        self._concurrency, self._stopped = concurrency, stopped
        self._options: dict[str, Any] = {"model": model} if model else {}

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027  # not every one has made something
        """Let go of what was made for this field."""

    @abstractmethod
    def answer(self, prompt: Prompt) -> str:
        """The model's answer. Raises `ModelError`, for one that is blank too (`empty`)."""

    @abstractmethod
    def object(self, prompt: Prompt, form: Form) -> dict[str, Any]:
        """The model's answer as an object of the form. Raises `ModelError`."""

    def messages(self, prompt: Prompt, more: str = "") -> list[dict[str, str]]:
        """The system message, unless it is blank, and the prompt."""
        system = f"{prompt.system}\n\n{more}".strip() if more else prompt.system
        first = [{"role": "system", "content": system}] if system.strip() else []
        return [*first, {"role": "user", "content": prompt.text}]

    def all(self, prompts: Sequence[Prompt], ask: Callable[[Prompt], Any]) -> list[Outcome]:
        """`ask` every prompt, equal ones once; the outcomes in the order of the prompts.

        None is asked once something went wrong that no call of this client survives, in whichever field.
        """
        fatal = self._together.fatal(self._client, self._model)
        if fatal is not None:
            return [Outcome(error=fatal)] * len(prompts)

        def one(prompt: Prompt) -> Any:
            if self._stopped():
                raise ModelError("cancelled")
            return ask(prompt)

        from cantle.commands import say_waiting

        distinct = list(dict.fromkeys(prompts))
        with SlowBar(len(distinct)) as bar:
            found = each(distinct, one, workers=self._concurrency, done=bar, waiting=bar.tick, ending=say_waiting)
        for outcome in found:
            self._together.note(self._client, self._model, outcome.error)
        by_prompt = dict(zip(distinct, found, strict=True))
        return [by_prompt[prompt] for prompt in prompts]


class _OurClient(Asker):
    def __init__(
        self,
        client: Client,
        model: str | None,
        together: Together,
        stopped: Callable[[], bool],
        field: str,
    ) -> None:
        super().__init__(client, model, client.concurrency, together, stopped)
        self.kept_in = "" if client.answers is None else client.answers.path
        self._run: Run = client.run(f"extract_{field}", stopped=stopped)

    @property
    def has_answers(self) -> bool:  # type: ignore[override]
        return bool(self._run.ledger.usage.calls or self._run.replayed)

    def answer(self, prompt: Prompt) -> str:
        # Not `complete`, which takes off the white space around an answer: the fields decide on that.
        request = self._run.client.request(self.messages(prompt), **self._options)
        found: str = self._run.ask(request, _said)
        return found

    def object(self, prompt: Prompt, form: Form) -> dict[str, Any]:
        found: dict[str, Any] = self._run.structured(
            self.messages(prompt), form.schema, name="metadata", check=form.read, **self._options
        )
        return found


class _AnyClient(Asker):
    """A client as `cantle.contextualize` takes it: `complete(messages, **options)`, ordinary or `async`."""

    def __init__(
        self,
        client: Any,
        model: str | None,
        together: Together,
        stopped: Callable[[], bool],
    ) -> None:
        most = getattr(client, "concurrency", 1)
        super().__init__(client, model, most if isinstance(most, int) and most > 0 else 1, together, stopped)
        self._loop = Loop()
        self._options = {"temperature": 0.0, **self._options}

    def __exit__(self, *error: object) -> None:
        self._loop.close()

    def answer(self, prompt: Prompt) -> str:
        return _said(self._complete(self.messages(prompt)))

    def object(self, prompt: Prompt, form: Form) -> dict[str, Any]:
        from cantle.commands import to_json

        messages = self.messages(prompt, in_words(prompt.language, to_json(form.schema)))
        for again in (True, False):
            try:
                return form.read(valid_value(self._complete(messages), form.schema))
            except AnswerError:
                if not again:
                    raise
        raise AssertionError("unreachable")

    def _complete(self, messages: list[dict[str, str]]) -> str:
        try:
            answer = self._loop.settled(self._client.complete(messages, **self._options))
        except ModelError:
            raise
        except Exception as error:  # a client may be anyone's
            raise ModelError("client", f"{type(error).__name__}: {error}") from error
        if answer is not None and not isinstance(answer, str):
            raise ModelError("client", f"complete() must give a str, got {type(answer).__name__}.")
        return answer or ""


def asker_of(
    llm: Any,
    model: str | None,
    together: Together,
    stopped: Callable[[], bool],
    field: str,
) -> Asker:
    """Who is asked, by the options `llm` and `model`: see `client_for`."""
    client, model = client_for(llm, model, field)
    if isinstance(client, Client):
        return _OurClient(client, model, together, stopped, field)
    return _AnyClient(client, model, together, stopped)


def _said(text: str) -> str:
    """The answer without a model's thoughts; without these as it was written. Raises `AnswerError` for a blank one."""
    answer = without_thoughts(text)
    if not answer:
        raise AnswerError("empty")
    return text if text.strip("\ufeff \t\r\n") == answer else answer
