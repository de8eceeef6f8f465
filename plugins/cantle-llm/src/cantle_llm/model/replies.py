"""A chat completion as providers write it, and as they write it wrongly, read as a `Reply`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import ModelError
from .protocol import Reply
from .wire import of_status

__all__ = ["count", "error_in", "read_body", "read_reply", "read_tokens"]

_FINISH = {"max_tokens": "length", "model_length": "length", "safety": "content_filter", "sensitive": "content_filter"}


def read_body(content: bytes) -> Mapping[str, Any]:
    """The body of a reply of status 200. Raises `ModelError` where it is no JSON object."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        begun = " ".join(content[:80].decode("utf-8", "replace").split())
        raise ModelError("server_error", f"The provider's answer is no JSON. It begins with {begun!r}.") from None
    if not isinstance(body, Mapping):
        raise ModelError("server_error", "The provider's answer is no JSON object.")
    return body


def error_in(body: Mapping[str, Any], secret: str = "") -> ModelError | None:
    """The error that a body of status 200 has in it, as routers send it."""
    for held in (body, _choice(body)):
        if isinstance(held, Mapping) and held.get("error"):
            return _error(held["error"], secret)
    return None


def _choice(body: Mapping[str, Any]) -> Any:
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices else None


def read_reply(body: Mapping[str, Any], *, structured: bool) -> Reply:
    """The reply in a body. Raises `ModelError` where there is none.

    The text is `content`, or the parts of it that are text; what a model thought (`reasoning_content`, parts of
    thinking) is left out. Where JSON was asked for, the arguments of the only tool call count as well: some servers
    answer so.
    """
    choice = _choice(body)
    if not isinstance(choice, Mapping) or not isinstance(choice.get("message"), Mapping):
        raise ModelError("server_error", "The provider's answer has no choices.")
    message = choice["message"]
    text = _text(message.get("content"))
    if not text and structured:
        text = _arguments(message.get("tool_calls"))
    finish = str(choice.get("finish_reason") or "stop").lower()
    refusal = message.get("refusal")
    if finish == "error":
        raise ModelError("server_error", "The provider ended the answer with an error.")
    read, written, cached = read_tokens(body.get("usage"))
    return Reply(
        text=text,
        input_tokens=read,
        output_tokens=written,
        cached_tokens=cached,
        finish_reason=_FINISH.get(finish, finish),
        refusal=refusal if isinstance(refusal, str) else "",
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return _text([content])
    if not isinstance(content, list):
        return ""
    parts = []
    for part in content:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, Mapping) and part.get("type", "text") in ("text", "output_text"):
            parts.append(part["text"] if isinstance(part.get("text"), str) else "")
    return "".join(parts)


def _arguments(calls: Any) -> str:
    call = calls[0] if isinstance(calls, list) and len(calls) == 1 else None
    function = call.get("function") if isinstance(call, Mapping) else None
    found = function.get("arguments") if isinstance(function, Mapping) else None
    return found if isinstance(found, str) else json.dumps(found) if isinstance(found, Mapping) else ""


def _error(error: Any, secret: str) -> ModelError:
    held = error if isinstance(error, Mapping) else {"message": error}
    code, said = held.get("code"), str(held.get("message") or "The provider's answer is an error.")
    if isinstance(held.get("metadata"), Mapping) and isinstance(held["metadata"].get("raw"), str):
        said += f" {held['metadata']['raw']}"
    said = " ".join(said.split())
    if len(secret) > 3:
        said = said.replace(secret, "***")
    number = int(str(code)) if re.fullmatch("[1-5][0-9]{2}", str(code)) else None
    return of_status(number, f"{code or ''} {held.get('type') or ''}", said[:500])


def read_tokens(usage: Any) -> tuple[int | None, int | None, int]:
    """Input, output and cached tokens, by the names of chats or of transcripts. What is no count is missing."""
    if not isinstance(usage, Mapping):
        return None, None, 0
    read, written = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if read is None and written is None:
        read, written = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
    total = count(usage.get("total_tokens"))
    if written is None and read is not None and total is not None and total >= read:
        written = total - read
    details = usage.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    if cached is None:
        cached = count(usage.get("prompt_cache_hit_tokens"))  # DeepSeek
    return read, written, min(cached or 0, read or 0)


def count(value: Any) -> int | None:
    """The value, where it is a count of tokens."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None
