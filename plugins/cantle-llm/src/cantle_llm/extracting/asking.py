"""Who is asked for the metadata of chunks, and how: all prompts of a field at once, equal ones once."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

from cantle.errors import OptionError

from ..client.client import Client, Run
from ..client.structured import valid_value
from ..client.written import without_thoughts
from ..errors import AnswerError, ModelError
from ..runs import Outcome, each
from ..settings import PREFIX
from .loop import Loop
from .progress import SlowBar
from .prompts import in_words
from .schemas import Form

__all__ = ["Asker", "asker_of", "client_for"]


class Asker:
    """Asks for one field. `system` comes before every prompt."""

    keeps = False
    """Whether answers are kept in a file."""

    def __init__(self, system: str, concurrency: int) -> None:
        self.system = system
        self.concurrency = concurrency

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of what was made for this field."""

    def answer(self, prompt: str) -> str:
        """The model's answer. Raises `ModelError`, for one that is blank too (`empty`)."""
        raise NotImplementedError

    def object(self, prompt: str, form: Form) -> dict[str, Any]:
        """The model's answer as an object of the form. Raises `ModelError`."""
        raise NotImplementedError

    def messages(self, prompt: str, more: str = "") -> list[dict[str, str]]:
        """The system message, unless it is blank, and the prompt."""
        system = f"{self.system}\n\n{more}".strip() if more else self.system
        first = [{"role": "system", "content": system}] if system.strip() else []
        return [*first, {"role": "user", "content": prompt}]

    def all(self, prompts: Sequence[str], ask: Callable[[str], Any]) -> list[Outcome]:
        """`ask` every prompt, equal ones once; the outcomes in the order of the prompts."""
        distinct = list(dict.fromkeys(prompts))
        with SlowBar(len(distinct)) as bar:
            found = each(distinct, ask, workers=self.concurrency, done=bar)
        by_prompt = dict(zip(distinct, found, strict=True))
        return [by_prompt[prompt] for prompt in prompts]


class _OurClient(Asker):
    def __init__(self, client: Client, system: str, model: str | None, field: str) -> None:
        super().__init__(system, client.concurrency)
        self.keeps = client.answers is not None
        self._run: Run = client.run(f"extract_{field}")
        self._options = {"model": model} if model else {}

    def answer(self, prompt: str) -> str:
        # Not `complete`, which takes off the white space around an answer: the fields decide on that.
        request = self._run.client.request(self.messages(prompt), **self._options)
        found: str = self._run.ask(request, _said)
        return found

    def object(self, prompt: str, form: Form) -> dict[str, Any]:
        found: dict[str, Any] = self._run.structured(
            self.messages(prompt), form.schema, name="metadata", check=form.read, **self._options
        )
        return found


class _AnyClient(Asker):
    """A client as `cantle.contextualize` takes it: `complete(messages, **options)`, ordinary or `async`."""

    def __init__(self, client: Any, system: str, model: str | None, language: str) -> None:
        most = getattr(client, "concurrency", 1)
        super().__init__(system, most if isinstance(most, int) and most > 0 else 1)
        self._client, self._language, self._loop = client, language, Loop()
        self._options: dict[str, Any] = {"temperature": 0.0} | ({"model": model} if model else {})

    def __exit__(self, *error: object) -> None:
        self._loop.close()

    def answer(self, prompt: str) -> str:
        return _said(self._complete(self.messages(prompt)))

    def object(self, prompt: str, form: Form) -> dict[str, Any]:
        from cantle.commands import to_json

        messages = self.messages(prompt, in_words(self._language, to_json(form.schema)))
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


def asker_of(llm: Any, model: str | None, system: str, field: str, language: str) -> Asker:
    """Who is asked, by the options `llm` and `model`: see `client_for`."""
    client = client_for(llm, model, field)
    if isinstance(client, Client):
        return _OurClient(client, system, None if llm is None or isinstance(llm, str) else model, field)
    return _AnyClient(client, system, model, language)


def client_for(llm: Any, model: str | None, field: str) -> Any:
    """The client that `llm` is, or that of the `CANTLE_LLM_*` variables, for the model that `llm` or `model` names.

    Raises `OptionError` for what is none, and where no model is named; `ModelError` where no key is given.
    """
    if isinstance(llm, str) and model is not None:
        raise OptionError(f"extract[{field!r}]: llm={llm!r} and model={model!r} both name a model. Keep one.")
    if llm is None or isinstance(llm, str):
        llm = _shared(llm or model)
    if not callable(getattr(llm, "complete", None)):
        raise OptionError(
            f"extract[{field!r}]: llm must be a Client, an object with complete(messages, **options), or the name of a "
            f"model, got {llm!r}."
        )
    if isinstance(llm, Client):
        if not (llm.model or model):
            raise OptionError(
                f"extract[{field!r}] asks a model, and none is named. Give it as llm, a Client(...) or a name such as "
                "'gpt-4.1-nano', or set CANTLE_LLM_MODEL."
            )
        _ = llm.ready
    return llm


_clients: dict[object, Client] = {}
_lock = Lock()


def _shared(model: str | None) -> Client:
    """One client for all documents of a process: a spending limit is kept over all of them, the file read once."""
    said = tuple(sorted(item for item in os.environ.items() if item[0].startswith((PREFIX, "OPENAI_"))))
    key = os.getpid(), model, said  # connections of another process are not ours
    with _lock:
        if key not in _clients:
            _clients[key] = Client(model)
            atexit.register(_clients[key].close)
        return _clients[key]


def _said(text: str) -> str:
    """The answer without a model's thoughts; without these as it was written. Raises `AnswerError` for a blank one."""
    answer = without_thoughts(text)
    if not answer:
        raise AnswerError("empty")
    return text if text.strip("\ufeff \t\r\n") == answer else answer
