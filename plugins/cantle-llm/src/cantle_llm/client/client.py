"""`Client`: what extractors, notes and partition ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import BoundedSemaphore
from typing import Any

from cantle.errors import OptionError, UnknownLengthError
from cantle.lengths import Length, resolve

from ..errors import AnswerError, ModelError, RefusedError
from ..model.protocol import Message, Model, Reply, Request
from ..settings import Settings
from .answers import Answers, Recorded, key_of
from .ledger import Ledger
from .prices import Price, price_of
from .structured import checked, parsed
from .usage import Control, Cost, Usage

__all__ = ["Client", "Run"]

_OUTPUT = 4096
"""The most that an answer may have, in tokens, where a spending limit needs a bound and none is given."""


class Client:
    """A model, with recorded answers, counted usage, a spending limit, and a limit of calls at once.

    Arguments are those of `Settings`; each one that is left out is taken from `CANTLE_LLM_NAME`. `model_api` is a
    `Model` of your own in place of the `openai` SDK. May be used from several threads; `close()` it, or use it in a
    `with` statement. Nothing is asked, and the SDK not loaded, before the first call.
    """

    def __init__(self, model: str | None = None, *, model_api: Model | None = None, **settings: Any) -> None:
        self.settings = Settings.of({"model": model, **settings})
        self.answers = (
            None if self.settings.answers is None else Answers(self.settings.answers, read_only=self.settings.replay)
        )
        if self.settings.replay and self.answers is None:
            raise OptionError("replay needs answers, the path of a file that an earlier run wrote.")
        self._api = model_api
        self._calls = BoundedSemaphore(self.settings.concurrency)
        self.ledger = Ledger("client", self._price(), _counter(self.settings.model), budget=self.settings.budget)
        if self.settings.budget is not None and self.ledger.price is None:
            raise OptionError(
                f"A budget needs the price of the model, and none is known for {self.settings.model!r}. Give price, in "
                "US dollars for a million tokens of input and of output: price=(0.1, 0.4)."
            )

    def _price(self) -> Price | None:
        if self.settings.price is not None:
            read, write = self.settings.price
            return Price(f"given:{self.settings.model}", read, write, read)
        return price_of(self.settings.model, self.provider) if self.settings.model else None

    @property
    def provider(self) -> str:
        """The provider's name as price lists have it; empty where it is not known."""
        if self.settings.provider:
            return self.settings.provider
        if self._api is not None:
            return getattr(self._api, "provider", "")
        return "openai" if self.settings.base_url is None else ""

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.settings.model

    @property
    def concurrency(self) -> int:
        """How many calls are made at once, at most."""
        return self.settings.concurrency

    @property
    def usage(self) -> Usage:
        """Tokens of all calls so far."""
        return self.ledger.usage

    @property
    def cost(self) -> Cost:
        """What they cost."""
        return self.ledger.cost

    @property
    def control(self) -> Control:
        """What became of the spending limit."""
        return self.ledger.control

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of connections."""
        if self._api is not None:
            self._api.close()

    def run(self, name: str) -> Run:
        """A run of several calls, whose usage is added up apart."""
        return Run(self, name)

    def complete(self, messages: Sequence[Message], **options: Any) -> str:
        """The model's answer as text. Options: `model`, `temperature`, `max_output_tokens`. Raises `ModelError`."""
        return str(self.run("complete").complete(messages, **options))

    def structured(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        *,
        name: str = "answer",
        check: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> Any:
        """The model's answer as a JSON value that is valid against `schema`: see `Run.structured`."""
        return self.run("structured").structured(messages, schema, name=name, check=check, **options)

    def _request(self, messages: Sequence[Message], **options: Any) -> Request:
        settings = self.settings
        model = options.pop("model", None) or settings.model
        if not model:
            raise OptionError("No model is named. Give Client(model=...), or set CANTLE_LLM_MODEL.")
        most = options.pop("max_output_tokens", settings.max_output_tokens)
        if most is None and settings.budget is not None:
            most = _OUTPUT
        request = Request(
            messages=tuple(messages),
            model=model,
            temperature=options.pop("temperature", settings.temperature),
            max_output_tokens=most,
            schema=options.pop("schema", None),
            schema_name=options.pop("schema_name", "answer"),
        )
        if options:
            raise OptionError(
                f"A call has no option {sorted(options)[0]!r}. It takes: model, temperature, max_output_tokens."
            )
        return request

    def _model_api(self) -> Model:
        if self._api is None:
            from ..model.openai_sdk import OpenAIModel

            settings = self.settings
            if settings.api_key is None and settings.base_url is None:
                raise ModelError(
                    "unauthorized",
                    "No key is given. Give Client(api_key=...), or set CANTLE_LLM_API_KEY or OPENAI_API_KEY.",
                )
            self._api = OpenAIModel(
                base_url=settings.base_url,
                api_key=settings.api_key or "none",  # servers of one's own want none
                timeout=settings.timeout,
                retries=settings.retries,
                structured=settings.structured,
                provider=self.provider,
            )
        return self._api


class Run:
    """Several calls of a client that belong together, with their own usage, cost and control."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.ledger = client.ledger.run(f"{name}_aggregate")
        self.replayed = 0
        """How many answers were taken from the recorded ones."""

    def complete(
        self, messages: Sequence[Message], *, check: Callable[[str], Any] | None = None, **options: Any
    ) -> Any:
        """The model's answer, or what `check` makes of it. `check` raises `AnswerError` for one that is of no use."""
        return self._asked(self.client._request(messages, **options), check or str)

    def structured(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any],
        *,
        name: str = "answer",
        check: Callable[[Any], Any] | None = None,
        **options: Any,
    ) -> Any:
        """The model's answer as a JSON value that is valid against `schema`, or what `check` makes of that.

        An answer that cannot be used (no JSON, another form, `check` raises `AnswerError`) is asked for once more, or
        `reasks` times, and never recorded. Raises `ModelError`.
        """

        def read(text: str) -> Any:
            value = checked(parsed(text), schema)
            return value if check is None else check(value)

        return self._asked(self.client._request(messages, schema=schema, schema_name=name, **options), read)

    def _asked(self, request: Request, read: Callable[[str], Any]) -> Any:
        answers, key = self.client.answers, key_of(request)
        held = answers.get(key) if answers is not None else None
        if held is not None and not held.reason:
            self.replayed += 1
            return read(held.answer)
        if self.client.settings.replay:
            raise _failed_then(held)
        try:
            return self._fresh(request, key, read)
        except ModelError as error:
            if answers is not None and not error.is_fatal:
                answers.fail(key, error.reason, error.detail)
            raise

    def _fresh(self, request: Request, key: str, read: Callable[[str], Any]) -> Any:
        tries = 1 + self.client.settings.reasks
        while True:
            tries -= 1
            reply = self._reply(request)
            try:
                value = read(_text_of(reply))
            except RefusedError:
                raise
            except AnswerError:
                if not tries:
                    raise
                continue
            if self.client.answers is not None:
                self.client.answers.add(key, reply.text)
            return value

    def _reply(self, request: Request) -> Reply:
        api = self.client._model_api()
        reserved = self.ledger.reserve(request)
        try:
            with self.client._calls:
                reply = api.ask(request)
            self.ledger.add(request, reply)
        finally:
            self.ledger.release(reserved)
        return reply


def _text_of(reply: Reply) -> str:
    if reply.refusal:
        raise RefusedError("refused", f"It said: {reply.refusal[:200]}")
    if reply.finish_reason == "content_filter":
        raise RefusedError("content_filter")
    if reply.finish_reason == "length":
        raise AnswerError("truncated")
    return reply.text


def _failed_then(held: Recorded | None) -> ModelError:
    if held is None:
        return ModelError("not_recorded")
    return ModelError(held.reason, held.detail)


def _counter(model: str) -> Length:
    """What estimates tokens: the model's own encoding where it is known."""
    for name in (model, "o200k_base"):
        try:
            return resolve(name)
        except (UnknownLengthError, OptionError):
            continue
    raise AssertionError("unreachable")
