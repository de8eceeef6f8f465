"""The official `openai` SDK, for every endpoint that speaks its chat completions. Its only door."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from ..errors import ModelError, sentence
from .attempts import current
from .dialect import Dialect, Dialects
from .media import read_transcription, recording, with_pictures
from .protocol import Reply, Request
from .replies import error_in, read_body, read_reply
from .wire import classified, complaint, formatted, sendable

__all__ = ["OpenAIModel"]

_TRANSIENT = ("server_error", "rate_limited", "timeout")
_LONGEST = 120
"""Seconds that are waited at most because a server asks for it."""
_OURS = ("openai", "azure", "")
"""Providers that know `max_completion_tokens`; `max_tokens` is what all others know."""


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Timeouts, and retries with growing pauses (or the server's `Retry-After`, if that is a minute or two) on 408, 409,
    429, 5xx and lost connections, are the SDK's; a body of status 200 that is no answer is tried again like a 502. What
    an endpoint does not know (JSON by schema, a strict schema, `max_completion_tokens`, a temperature) is left out or
    written otherwise once it has said so. Lone surrogates are sent as U+FFFD. Addresses of this machine are never asked
    through a proxy. `environment` says whether `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and `OPENAI_CUSTOM_HEADERS` are
    meant for this endpoint; else nothing of them is sent. `without_key` says why there is no key, for
    when one is wanted. Pictures are sent as data URLs, recordings to `/audio/transcriptions`.
    """

    takes_media = True

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str,
        timeout: float = 60.0,
        retries: int = 5,
        structured: str = "auto",
        provider: str = "",
        environment: bool | None = None,
        without_key: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.provider = provider
        self._base_url, self._api_key, self._retries = base_url, api_key, retries
        self._timeout, self._headers = timeout, headers
        self._without_key = without_key
        self._environment = base_url is None if environment is None else environment
        self._sdks: dict[int, Any] = {}  # by the retries that are left; they share their connections
        self._reached = False  # whether the server ever sent anything
        self._lock = Lock()
        self._fixed_format = structured != "auto"
        limit = "max_completion_tokens" if base_url is None or provider in _OURS[:2] else "max_tokens"
        self._dialects = Dialects(Dialect("json_schema" if structured == "auto" else structured, limit=limit))

    def __repr__(self) -> str:
        return f"OpenAIModel(base_url={self._base_url!r}, provider={self.provider!r})"

    def _client(self, retries: int) -> Any:
        with self._lock:
            if retries not in self._sdks:
                full = self._sdks.get(self._retries) or self._own(self._made())
                self._sdks[self._retries] = full
                if retries != self._retries:
                    self._sdks[retries] = self._own(full.with_options(max_retries=retries))
            return self._sdks[retries]

    def _own(self, sdk: Any) -> Any:
        if not self._environment:  # what the SDK reads from variables that are meant for OpenAI
            sdk.organization = sdk.project = None
            sdk._custom_headers = dict(self._headers or {})
        return sdk

    def _made(self) -> Any:
        from openai import DefaultHttpxClient, OpenAI

        class Http(DefaultHttpxClient):
            """A request that found no connection was never sent, and costs nothing."""

            def send(self, *args: Any, **kwargs: Any) -> Any:
                try:
                    return super().send(*args, **kwargs)
                except Exception as error:
                    if _has_no_connection(error):
                        current().settle()
                    raise

        return OpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            timeout=self._timeout,
            max_retries=self._retries,
            default_headers=self._headers,
            http_client=Http(
                timeout=self._timeout,
                trust_env=not _is_here(self._base_url),
                event_hooks={"request": [_on_request], "response": [self._on_response]},
            ),
        )

    def close(self) -> None:
        """Let go of connections. A later call opens new ones."""
        with self._lock:
            sdks, self._sdks = self._sdks, {}
        for sdk in sdks.values():
            sdk.close()

    def ask(self, request: Request) -> Reply:
        """Answer, or raise `ModelError`."""
        try:
            return self._ask(request)
        except ModelError as error:
            if error.reason == "unauthorized" and self._without_key:
                raise ModelError("unauthorized", f"{self._without_key} {error.detail}") from error
            raise

    def _ask(self, request: Request) -> Reply:
        if request.task == "transcribe":
            return self._transcribed(request)
        schema = "" if request.schema is None else json.dumps(request.schema, sort_keys=True)
        dialect = self._dialects.get(request.model, schema)
        complaints: set[str] = set()
        tried, first = {dialect}, None
        while True:
            sent = _sent(request, dialect)
            try:
                reply = self._asked("chat", sent, lambda body: read_reply(body, structured=request.schema is not None))
            except _Refused as refused:
                first = first or refused
                what = complaint(refused.error)
                other = dialect.after(what, sent, fixed_format=self._fixed_format)
                if other is None or other in tried:
                    raise first.made from first.error
                complaints.add(what)
                tried.add(other)
                dialect = other
                continue
            if complaints:
                self._dialects.keep(request.model, schema, dialect, complaints)
            return reply

    def _transcribed(self, request: Request) -> Reply:
        try:
            return self._asked("transcribe", recording(request), read_transcription)
        except _Refused as refused:
            raise refused.made from refused.error

    def _asked(self, task: str, sent: dict[str, Any], read: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        """One request and what it takes to get through with it."""
        left = self._retries
        while True:
            raw = self._through(task, sent, left)
            left -= raw.retries_taken
            try:
                return self._read(raw.http_response.content, read)
            except ModelError as error:
                if error.reason not in _TRANSIENT or left <= 0:
                    raise
                left -= 1
                pause = _pause(raw.http_response.headers, self._retries - left)
                if pause > _LONGEST:  # as the SDK does it for a status: the run is not to hang
                    raise
                time.sleep(pause)

    def _read(self, content: bytes, read: Callable[[Mapping[str, Any]], Reply]) -> Reply:
        body = read_body(content)
        error = error_in(body, self._api_key)
        if error is not None:
            current().settle()
            raise error
        reply = read(body)
        current().settle()
        return reply

    def _through(self, task: str, sent: dict[str, Any], retries: int) -> Any:
        import openai

        try:
            sdk = self._client(max(0, retries))
            asked = sdk.audio.transcriptions if task == "transcribe" else sdk.chat.completions
            return asked.with_raw_response.create(**sent)
        except openai.OpenAIError as error:
            if not self._reached and error.__cause__ is not None and _has_no_connection(error.__cause__):
                raise self._unreachable(error.__cause__) from error
            made = classified(error, secret=self._api_key, sent=current().sent)
            if getattr(error, "status_code", None) in (400, 404, 422) and complaint(error):
                raise _Refused(error, made) from None
            raise made from error

    def _on_response(self, response: Any) -> None:
        self._reached = True
        if response.status_code >= 300:
            current().settle()
        if response.status_code == 429 and b"insufficient_quota" in response.read():
            response.headers["x-should-retry"] = "false"  # the SDK takes it for a rate that will pass

    def _unreachable(self, cause: BaseException) -> ModelError:
        address = str(self._client(self._retries).base_url).rstrip("/")
        sent = current().sent
        tried = f" It was tried {sent} times." if sent > 1 else ""
        why = f"{type(cause).__name__}: {' '.join(str(cause).split())[:200]}"
        return ModelError(
            "unreachable", f"Is a server running at {address}, and is the address right? {sentence(why)}{tried}"
        )


_UNCONNECTED = {"ConnectError", "ConnectTimeout", "ProxyError"}


def _has_no_connection(error: BaseException) -> bool:
    """Whether it came before there was a connection: refused, no such host, a certificate, a proxy.

    By name: releases of the SDK differ in the package that their HTTP client is from.
    """
    return any(kind.__name__ in _UNCONNECTED for kind in type(error).__mro__)


class _Refused(Exception):
    """The endpoint took offence at something that can be sent otherwise."""

    def __init__(self, error: Exception, made: ModelError) -> None:
        super().__init__(str(made))
        self.error, self.made = error, made


def _on_request(request: Any) -> None:
    current().send()


def _pause(headers: Any, nth: int) -> float:
    """Seconds before the next request: what the server says, else growing ones."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if seconds >= 0:
            return seconds
    return float(min(0.5 * 2 ** min(nth - 1, 10), 8.0))


def _is_here(base_url: str | None) -> bool:
    host = urlsplit(base_url or "").hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost")


def _sent(request: Request, dialect: Dialect) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {name: sendable(value) for name, value in message.items()} for message in request.messages
    ]
    if request.media:
        messages[-1]["content"] = with_pictures(messages[-1]["content"], request.media)
    sent: dict[str, Any] = {"model": sendable(request.model), "messages": messages}
    if request.temperature is not None and dialect.temperature:
        sent["temperature"] = request.temperature
    if request.max_output_tokens is not None:
        sent[dialect.limit] = request.max_output_tokens
    if request.schema is not None:
        schema = json.loads(sendable(json.dumps(request.schema, ensure_ascii=False)))
        sent |= formatted(dialect.format, messages, schema, request.schema_name, strict=dialect.strict)
    return sent
