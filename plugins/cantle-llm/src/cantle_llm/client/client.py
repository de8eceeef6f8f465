"""`Client`: what extractors, notes and partition ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from threading import BoundedSemaphore, Lock
from typing import Any

from cantle.errors import OptionError, UnknownLengthError
from cantle.lengths import Length, resolve

from ..errors import ModelError, PriceError
from ..model.protocol import Message, Model, Request
from ..settings import Settings, read_setting
from .answers import Answers
from .flights import Flights
from .ledger import Ledger
from .prices import Price, check_provider, price_of, provider_of
from .run import Run
from .usage import Control, Cost, Usage

__all__ = ["Client", "Run", "counter_of"]

_OUTPUT = 4096
"""The most that an answer may have, in tokens, where a spending limit needs a bound and none is given."""


class Client:
    """A model, with recorded answers, counted usage, a spending limit, and a limit of calls at once.

    Arguments are those of `Settings`; each one that is left out is taken from `CANTLE_LLM_NAME`. `model_api` is a
    `Model` of your own in place of the `openai` SDK; what it raises besides `ModelError` has the reason `client`. May
    be used from several threads; `close()` it, or use it in a `with` statement; a call after that opens it again.
    Nothing is asked, and the SDK not loaded, before the first call. Pickled, it is its settings, the key among them: in
    another process it is a client of its own, which a spending limit does not allow. Raises `OptionError` for a wrong
    setting.
    """

    def __init__(self, model: str | None = None, *, model_api: Model | None = None, **settings: Any) -> None:
        self._begin(Settings.of({"model": model, **settings}), model_api)

    def _begin(self, own: Settings, model_api: Model | None) -> None:
        self.settings = own
        kept = None if own.answers in (None, os.devnull) else own.answers
        if own.replay and kept is None:
            raise OptionError("replay needs answers, the path of a file that an earlier run wrote.")
        self.answers = None if kept is None else Answers(kept, read_only=own.replay)
        self._api, self._given = model_api, model_api is not None
        self._lock = Lock()
        self._calls = BoundedSemaphore(own.concurrency)
        self._flights = Flights()
        self._warned = Lock()
        self._own_counter: Length | None = None
        self.ledger = Ledger(
            "client",
            self.price,
            self._count,
            model=own.model,
            budget=own.budget,
            token_budget=own.token_budget,
        )
        check_provider(own.provider)
        if own.model:
            self._check_price(own.model)

    def __repr__(self) -> str:
        return f"Client({self.settings!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Its settings, the key too, for a client of its own in another process."""
        if self.has_limit:
            raise OptionError(
                "A Client with a spending limit cannot be copied or sent to another process: the limit holds in one "
                "process. Use workers=1 (calls are made at once in any case), or a Client without a limit."
            )
        return _again, (self.settings, self._api if self._given else None)

    def _check_price(self, model: str) -> None:
        if self.settings.budget and self.price(model) is None:
            raise PriceError(
                f"A budget needs the price of the model, and none is known for {model!r}. Give price, in US dollars "
                "for a million tokens of input and of output, as price=(0.1, 0.4), or provider. A limit in tokens, "
                "token_budget, needs none.",
                model,
            )

    def price(self, model: str) -> Price | None:
        """What this model costs; None where that is not known."""
        if self.settings.price is not None:
            read, write = self.settings.price
            return Price(f"given:{model}", read, write)
        return price_of(model, self.provider)

    def _count(self, text: str) -> float:
        """Tokens where the provider counts none: by the model's own encoding where it is known."""
        if self._own_counter is None:
            self._own_counter = counter_of(self.settings.model)
        return self._own_counter(text)

    @property
    def name(self) -> str:
        """The model, and the temperature if one is set: what tells one client from another in a `config_hash`."""
        warmth = self.settings.temperature
        return self.model if warmth is None else f"{self.model} at temperature {warmth:g}"

    @property
    def provider(self) -> str:
        """The provider's name as price lists have it; empty where it is not known."""
        if self.settings.provider:
            return self.settings.provider
        if self._given:
            return getattr(self._api, "provider", "")
        return "openai" if self.settings.base_url is None else provider_of(self.settings.base_url)

    @property
    def has_own_api(self) -> bool:
        """Whether a `model_api` was given."""
        return self._given

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.settings.model

    @property
    def concurrency(self) -> int:
        """How many calls are made at once, at most."""
        return self.settings.concurrency

    @property
    def ready(self) -> bool:
        """True; raises `ModelError` where neither a key nor an address is given, so that nothing could be asked.

        `cantle.contextualize` looks at it first: the error says what to do, where False would leave all chunks without
        notes and a warning.
        """
        own = self.settings
        if not self._given and not own.replay and own.api_key is None and own.base_url is None:
            raise ModelError(
                "unauthorized",
                "No key is given. Give Client(api_key=...), or set CANTLE_LLM_API_KEY or OPENAI_API_KEY; a server that "
                "wants none is named by base_url.",
            )
        return True

    @property
    def usage(self) -> Usage:
        """Tokens of all calls so far."""
        return self.ledger.usage

    @property
    def recorded_usage(self) -> Usage:
        """Tokens of the answers that were taken from the recorded ones; nothing is paid for these."""
        return self.ledger.recorded_usage

    @property
    def recorded_cost(self) -> Cost:
        """What those cost by the prices of today."""
        return self.ledger.recorded_cost

    @property
    def cost(self) -> Cost:
        """What all calls cost."""
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
        with self._lock:
            api = self._api
        if api is not None:
            api.close()

    @property
    def has_limit(self) -> bool:
        """Whether there is a spending limit that calls count against: one of 0 makes none, nor does replay."""
        return bool(self.settings.budget or self.settings.token_budget) and not self.settings.replay

    def run(self, name: str, *, stopped: Callable[[], bool] | None = None) -> Run:
        """A run of several calls, whose usage is added up apart.

        Once `stopped()` is true no call is begun any more: what would be asked is a `ModelError` with the reason
        `cancelled`. Calls under way end, and are recorded.
        """
        return Run(self, name) if stopped is None else Run(self, name, stopped)

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

    def request(self, messages: Sequence[Message], **options: Any) -> Request:
        """What a call would send, with the settings in force. `answers.key_of` gives the key that its answer has.

        Options: `model`, `temperature`, `max_output_tokens`, `schema`, `schema_name`; `media`, `task` and `language`
        are those of `Request`. Raises `OptionError`.
        """
        settings = self.settings
        schema, name = options.pop("schema", None), options.pop("schema_name", "answer")
        media, task = tuple(options.pop("media", ())), options.pop("task", "chat")
        language = options.pop("language", "")
        unknown = options.keys() - {"model", "temperature", "max_output_tokens"}
        if unknown:
            raise OptionError(
                f"A call has no option {sorted(unknown)[0]!r}. It takes: model, temperature, max_output_tokens."
            )
        model = settings.model if options.get("model") is None else read_setting("model", options["model"])
        if not model:
            raise OptionError("No model is named. Give Client(model=...), or set CANTLE_LLM_MODEL.")
        self._check_price(model)
        temperature = options.get("temperature", settings.temperature)
        most = options.get("max_output_tokens", settings.max_output_tokens)
        if most is None and self.ledger.has_limit:
            most = _OUTPUT
        return Request(
            messages=_messages(messages),
            model=model,
            temperature=None if temperature is None else read_setting("temperature", temperature),
            max_output_tokens=None if most is None else read_setting("max_output_tokens", most),
            schema=schema,
            schema_name=name,
            media=media,
            task=task,
            language=language,
        )

    def _model_api(self) -> Model:
        if self._api is None:
            with self._lock:
                if self._api is None:
                    self._api = self._made()
        return self._api

    def _made(self) -> Model:
        from ..model.openai_sdk import OpenAIModel

        settings = self.settings
        _ = self.ready
        return OpenAIModel(
            base_url=settings.base_url,
            api_key=settings.api_key or "none",  # servers of one's own want none
            without_key="" if settings.api_key else _why_no_key(),
            timeout=settings.timeout,
            retries=settings.retries,
            structured=settings.structured,
            provider=self.provider,
            environment=settings.base_url is None or settings.base_url == _openais_address(),
        )


def _again(settings: Settings, model_api: Model | None) -> Client:
    """A client of these very settings, whatever variables are set."""
    client = Client.__new__(Client)
    client._begin(settings, model_api)
    return client


def _why_no_key() -> str:
    """Why no key is sent, and what to set."""
    goes = {"CANTLE_LLM_API_KEY": "the address in CANTLE_LLM_BASE_URL", "OPENAI_API_KEY": "OpenAI"}
    held = next((name for name in goes if os.environ.get(name)), None)
    why = f": the one in {held} goes to {goes[held]} alone" if held else ""
    step = "give api_key" if held == "CANTLE_LLM_API_KEY" else "set CANTLE_LLM_API_KEY"
    return f"No key was sent{why}; {step}."


def _openais_address() -> str | None:
    address = os.environ.get("OPENAI_BASE_URL", "").strip()
    return read_setting("base_url", address, "OPENAI_BASE_URL") if address else None


def _messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    if isinstance(messages, str | bytes | Mapping) or not messages:
        raise OptionError('messages must be a list such as [{"role": "user", "content": "hello"}], and not be empty.')
    copied = []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.keys() != {"role", "content"}:
            raise OptionError(f'messages[{number}] must be {{"role": ..., "content": ...}}, got {message!r}.')
        if not all(isinstance(value, str) for value in message.values()):
            raise OptionError(f"messages[{number}] must have strings as role and content, got {message!r}.")
        copied.append({"role": message["role"], "content": message["content"]})
    return tuple(copied)


def counter_of(model: str) -> Length:
    """What estimates tokens: the model's own encoding where it is known."""
    for name in (model, "o200k_base"):
        try:
            return resolve(name)
        except (UnknownLengthError, OptionError):
            continue
    raise AssertionError("unreachable")
