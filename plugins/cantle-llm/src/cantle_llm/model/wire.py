"""What goes over the wire: forms of JSON output, and what an endpoint's complaints mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..errors import ModelError
from .strict import is_strict

__all__ = ["FORMATS", "classified", "complaint", "formatted"]

FORMATS = ("json_schema", "json_object", "text")
"""How JSON is asked for, from the strictest: by schema, as some object, or in words alone."""

_ASKED = (
    "Answer with one JSON value and nothing else: no introduction, no code fence. It must be valid against this JSON "
    "Schema:\n"
)


def formatted(form: str, messages: list[dict[str, str]], schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Arguments that ask for JSON. Where the schema is not sent as such, it is written into `messages`."""
    if form == "json_schema":
        strict = is_strict(schema)
        described = {"name": name, "schema": dict(schema), "strict": strict}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    words = _ASKED + json.dumps(schema, ensure_ascii=False)
    if messages and messages[0]["role"] == "system":
        messages[0]["content"] += f"\n\n{words}"
    else:
        messages.insert(0, {"role": "system", "content": words})
    return {"response_format": {"type": "json_object"}} if form == "json_object" else {}


def complaint(error: Any) -> str:
    """What a 400 or 422 is about: `limit`, `temperature`, `format`, or nothing that we know."""
    body = getattr(error, "body", None)
    param = str((body or {}).get("param") or "") if isinstance(body, Mapping) else ""
    text = f"{param} {error}".lower()
    if "max_completion_tokens" in text or "max_tokens" in text:
        return "limit" if _is_length(text) is False else ""
    if "temperature" in text:
        return "temperature"
    if any(
        word in text for word in ("response_format", "json_schema", "json_object", "structured", "schema", "strict")
    ):
        return "format"
    return ""


def _is_length(text: str) -> bool:
    return "context length" in text or "context_length" in text or "maximum context" in text


def classified(error: Any) -> ModelError:
    """The SDK's error as ours."""
    import openai

    said = " ".join(str(getattr(error, "message", error)).split())[:500]
    status = getattr(error, "status_code", None)
    code = str(getattr(error, "code", "") or "")
    if isinstance(error, openai.APITimeoutError):
        return ModelError("timeout", said)
    if isinstance(error, openai.APIConnectionError):
        return ModelError("connection", said)
    if status in (401, 403):
        return ModelError("unauthorized", said)
    if status == 404:
        return ModelError("not_found", said)
    if status == 429:
        return ModelError("quota" if code == "insufficient_quota" else "rate_limited", said)
    if status is not None and status >= 500:
        return ModelError("server_error", said)
    if _is_length(f"{code} {said}".lower()):
        return ModelError("context_length", said)
    if code == "content_filter":
        return ModelError("content_filter", said)
    if status is None:
        return ModelError("server_error", said)
    return ModelError("bad_request", said)
