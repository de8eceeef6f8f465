"""The official `openai` SDK, for every endpoint that speaks its chat completions. Its only door."""

from __future__ import annotations

from threading import Lock
from typing import Any

from ..errors import ModelError
from .protocol import Reply, Request
from .wire import FORMATS, classified, complaint, formatted

__all__ = ["OpenAIModel"]


class OpenAIModel:
    """A model behind an OpenAI-compatible endpoint.

    Timeouts, and retries with growing pauses on 408, 409, 429, 5xx and lost connections, are the SDK's. What an
    endpoint does not know (JSON by schema, `max_completion_tokens`, a temperature) is left out or written otherwise
    once it has said so.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str,
        timeout: float = 60.0,
        retries: int = 5,
        structured: str = "auto",
        provider: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.provider = provider
        self._settings: dict[str, Any] = {
            "base_url": base_url,
            "api_key": api_key,
            "timeout": timeout,
            "max_retries": retries,
            "default_headers": headers,
        }
        self._sdk: Any = None
        self._lock = Lock()
        self._format = 0 if structured == "auto" else FORMATS.index(structured)
        self._falls_back = structured == "auto"
        self._limit_name = "max_completion_tokens"
        self._has_temperature = True

    def _client(self) -> Any:
        with self._lock:
            if self._sdk is None:
                from openai import OpenAI

                self._sdk = OpenAI(**self._settings)
            return self._sdk

    def close(self) -> None:
        """Let go of connections."""
        with self._lock:
            if self._sdk is not None:
                self._sdk.close()
                self._sdk = None

    def ask(self, request: Request) -> Reply:
        """Answer, or raise `ModelError`."""
        import openai

        while True:
            form = self._format if request.schema is not None else None
            sent = self._sent(request, form)
            try:
                answer = self._client().chat.completions.create(**sent)
            except openai.BadRequestError as error:
                if self._learnt(error, sent, form):
                    continue
                raise classified(error) from error
            except openai.UnprocessableEntityError as error:
                if self._learnt(error, sent, form):
                    continue
                raise classified(error) from error
            except openai.OpenAIError as error:
                raise classified(error) from error
            return _reply(answer)

    def _sent(self, request: Request, form: int | None) -> dict[str, Any]:
        messages = [dict(message) for message in request.messages]
        sent: dict[str, Any] = {"model": request.model, "messages": messages}
        if request.temperature is not None and self._has_temperature:
            sent["temperature"] = request.temperature
        if request.max_output_tokens is not None:
            sent[self._limit_name] = request.max_output_tokens
        if form is not None and request.schema is not None:
            sent |= formatted(FORMATS[form], messages, request.schema, request.schema_name)
        return sent

    def _learnt(self, error: Any, sent: dict[str, Any], form: int | None) -> bool:
        """Whether the endpoint complained of something that can be sent otherwise; it is, from now on."""
        what = complaint(error)
        if what == "limit" and self._limit_name in sent and self._limit_name == "max_completion_tokens":
            self._limit_name = "max_tokens"
        elif what == "temperature" and "temperature" in sent:
            self._has_temperature = False
        elif what == "format" and form is not None and self._falls_back and form < len(FORMATS) - 1:
            self._format = max(self._format, form + 1)
        else:
            return False
        return True


def _reply(answer: Any) -> Reply:
    choices = getattr(answer, "choices", None)
    if not choices:
        raise ModelError("server_error", "The provider's answer has no choices.")
    message, usage = choices[0].message, getattr(answer, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    return Reply(
        text=message.content or "",
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
        cached_tokens=getattr(details, "cached_tokens", None) or 0,
        finish_reason=choices[0].finish_reason or "stop",
        refusal=getattr(message, "refusal", None) or "",
    )
