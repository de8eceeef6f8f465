"""`Run`: several calls of a client that belong together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import REASONS, AnswerError, ModelError, ModelWarning, RefusedError, error_of
from ..model.protocol import Message, Reply, Request
from ..model.wire import in_words
from .answers import Answers, key_of
from .structured import plain_schema, valid_value
from .usage import Cost, Usage
from .written import without_thoughts

if TYPE_CHECKING:
    from .client import Client

__all__ = ["Run"]

_Read = Callable[[str], Any]


class Run:
    """Several calls of a client that belong together, with their own usage, cost and control in `ledger`.

    May be used from several threads at once.
    """

    def __init__(self, client: Client, name: str, stopped: Callable[[], bool] = lambda: False) -> None:
        self.client, self._stopped = client, stopped
        self.ledger = client.ledger.run(f"{name}_aggregate")

    @property
    def replayed(self) -> int:
        """How many answers were taken from the recorded ones."""
        return self.ledger.replayed

    @property
    def recorded_usage(self) -> Usage:
        """What those had cost when they were asked for, in tokens: `source` is `recorded`, and nothing is paid now."""
        return self.ledger.recorded_usage

    @property
    def recorded_cost(self) -> Cost:
        """What those cost by the prices of today; the same as `ledger.cost` was, unless prices changed."""
        return self.ledger.recorded_cost

    def complete(
        self, messages: Sequence[Message], *, check: Callable[[str], Any] | None = None, **options: Any
    ) -> Any:
        """The model's answer, or what `check` makes of it. `check` raises `AnswerError` for one that is of no use.

        White space around the answer, and a `<think>` block before it, are left out. Options are those of
        `Client.request`; with a `schema` JSON is asked for, and given as text. Raises `ModelError`.
        """

        def read(text: str) -> Any:
            answer = without_thoughts(text)
            if not answer:
                raise AnswerError("empty")
            return answer if check is None else check(answer)

        return self.ask(self.client.request(messages, **options), read)

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
        `reasks` times, and never recorded. The JSON may stand in a code fence or between words. Raises `ModelError`,
        and `OptionError` for a schema that is none or that refers to another document.
        """
        plain, _ = plain_schema(schema)

        def read(text: str) -> Any:
            value = valid_value(text, plain)
            return value if check is None else check(value)

        return self.ask(self.client.request(messages, schema=plain, schema_name=name, **options), read)

    def ask(self, request: Request, read: Callable[[str], Any]) -> Any:
        """What `read` makes of the model's answer, as it was written: the recorded one, or a fresh one.

        `read` raises `AnswerError` for an answer that is of no use. Raises `ModelError`.
        """
        answers = self.client.answers
        if answers is None:
            return self._fresh(request, read, None, "")
        key = key_of(request)
        with self.client._flights.alone(key):
            held, stale = answers.get(key), ""
            if held is not None and not held.reason:
                try:
                    value = read(held.answer)
                except AnswerError as error:  # another version wrote it, or another check is made of it
                    stale = f"The recorded one cannot be used: {error}"
                else:
                    self.ledger.replay(held.usage, request.model)
                    return value
            if not self.client.settings.replay:
                return self._fresh(request, read, answers, key)
            if held is None or stale:
                raise ModelError("not_recorded", stale)
            self.ledger.replay(held.usage, request.model)
            raise error_of(held.reason, held.detail)

    def _fresh(self, request: Request, read: _Read, answers: Answers | None, key: str) -> Any:
        used: list[Usage] = []
        try:
            reply, value = self._tried(request, read, used)
        except ModelError as error:
            if answers is not None and not error.is_fatal:
                reason, detail = error.reason, error.detail
                self._keep(lambda: answers.fail(key, reason, detail, Usage.total(used, "provider")))
            raise
        if answers is not None:
            self._keep(lambda: answers.add(key, reply.text, Usage.total(used, "provider")))
        return value

    def _tried(self, request: Request, read: _Read, used: list[Usage]) -> tuple[Reply, Any]:
        tries, asked = 1 + self.client.settings.reasks, request
        while True:
            tries -= 1
            try:
                reply = self._reply(asked, used)
                return reply, _value(request, reply, read)
            except RefusedError:
                raise
            except AnswerError as error:
                if not tries or error.reason == "truncated":  # with no more room it would end there once more
                    raise
                asked = _asked_again(request, error)

    def _reply(self, request: Request, used: list[Usage]) -> Reply:
        api = self.client._model_api()
        if request.media and not getattr(api, "takes_media", False):
            raise ModelError(
                "bad_request",
                "The model_api that was given takes no pictures or recordings; one that does says so by takes_media.",
            )
        with self.client._calls, self.ledger.call(request) as call:
            if self._stopped():  # perhaps while this call waited for others
                raise ModelError("cancelled")
            try:
                reply = api.ask(request)
            except ModelError:
                raise
            except Exception as error:
                if not self.client.has_own_api:
                    raise
                raise ModelError("client", f"{type(error).__name__}: {error}") from error
            used.append(call.add(reply))
        return reply

    def _keep(self, write: Callable[[], object]) -> None:
        """Write to the file of answers. What was paid for is given back even if it cannot be kept."""
        try:
            write()
        except OSError as error:
            if self.client._warned.acquire(blocking=False):  # once
                warnings.warn(
                    f"Answers cannot be kept in {self.client.settings.answers!r}: {error}. The run goes on; what is "
                    "not kept has to be paid for again by a later one.",
                    ModelWarning,
                    stacklevel=2,
                )


def _value(request: Request, reply: Reply, read: _Read) -> Any:
    if reply.refusal:
        raise RefusedError("refused", f"It said: {reply.refusal[:200]}")
    if reply.finish_reason == "content_filter":
        raise RefusedError("content_filter")
    if reply.finish_reason != "length":
        return read(reply.text)
    limit = request.max_output_tokens
    cut = AnswerError("truncated", f"max_output_tokens is {limit}." if limit else "")
    if request.schema is None:
        raise cut
    try:
        return read(reply.text)  # the JSON may have been whole by then
    except AnswerError:
        raise cut from None


def _asked_again(request: Request, error: AnswerError) -> Request:
    """The request, told why the first answer was of no use: asked in the same words, a model may answer in the same.

    The user's message stays as it is. Nothing of the answer is repeated, which may hold what a document told the model.
    """
    said = f"An earlier answer could not be used: {REASONS.get(error.reason, error.reason)}."
    if request.schema is not None and error.reason in ("malformed", "invalid", "empty"):
        said += f" {in_words(request.schema)}"
    messages = [dict(message) for message in request.messages]
    if messages[0]["role"] == "system":
        messages[0]["content"] += f"\n\n{said}"
    else:
        messages.insert(0, {"role": "system", "content": said})
    return replace(request, messages=tuple(messages))
