"""What goes over the wire: forms of JSON output, and what an endpoint's complaints mean."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import AnswerError, ModelError, RefusedError, sentence
from .dialect import FORMATS
from .strict import is_strict

__all__ = ["FORMATS", "classified", "complaint", "formatted", "in_words", "of_status", "sendable"]

_ASKED = (
    "Answer with one JSON value and nothing else: no introduction, no code fence. It must be valid against this JSON "
    "Schema:\n"
)


def sendable(text: str) -> str:
    """Text that UTF-8 can carry: lone surrogates are U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def in_words(schema: Mapping[str, Any]) -> str:
    """The demand for JSON of a schema, as part of a message."""
    return _ASKED + json.dumps(schema, ensure_ascii=False)


def formatted(
    form: str, messages: list[dict[str, Any]], schema: Mapping[str, Any], name: str, *, strict: bool = True
) -> dict[str, Any]:
    """Arguments that ask for JSON. Where the schema is not sent as such, it is written into `messages`."""
    if form == "json_schema":
        described = {"name": name, "schema": dict(schema), "strict": strict and is_strict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": described}}
    words = in_words(schema)
    if messages and messages[0]["role"] == "system":
        messages[0]["content"] += f"\n\n{words}"
    else:
        messages.insert(0, {"role": "system", "content": words})
    return {"response_format": {"type": "json_object"}} if form == "json_object" else {}


def complaint(error: Any) -> str:
    """What a refused request is about: `limit`, `temperature`, `format`, `schema`, or nothing that we know.

    Told from the texts of OpenAI, Azure, Mistral (`extra_forbidden`), vLLM, llama.cpp (grammars), Ollama, Groq,
    DeepSeek and OpenRouter; a text that names several is about the first of the list.
    """
    body = getattr(error, "body", None)
    text = f"{body if isinstance(body, Mapping | list) else ''} {error}".lower()
    if _is_length(text) or "must be at least 1" in text:
        return ""
    if "max_completion_tokens" in text or "max_tokens" in text:
        return "limit"
    if "temperature" in text:
        return "temperature"
    if any(word in text for word in ("invalid schema", "invalid json schema", "grammar", "schema conversion")):
        return "schema"
    if any(word in text for word in ("response_format", "response format", "json_schema", "json_object", "structured")):
        return "format"
    return "schema" if "schema" in text or "strict" in text or "guided" in text else ""


_LENGTHS = re.compile(
    r"context[ _]length|maximum context|context[ _]size|context window|prompt is too long|too many tokens"
    r"|reduce the length|input is too long"
)


def _is_length(text: str) -> bool:
    return _LENGTHS.search(text) is not None


def of_status(status: int | None, code: str, said: str, detail: str = "") -> ModelError:
    """An HTTP status, or one in a body, as our error. `said` is what the provider wrote, `detail` what we pass on."""
    text, detail = f"{code} {said}".lower(), detail or said
    if status in (401, 403) and ("moderation" in text or "flagged" in text):
        return RefusedError("content_filter", detail)
    if status in (401, 403) or "api key not valid" in text:
        return ModelError("unauthorized", detail)
    if status == 402 or "insufficient_quota" in text or "credit balance" in text:
        return ModelError("quota", detail)
    if _is_length(text) or status == 413:
        return ModelError("context_length", detail)
    if "content_filter" in text or "content management policy" in text:
        return RefusedError("content_filter", detail)
    if "json_validate_failed" in text:  # Groq: the model wrote no JSON
        return AnswerError("malformed", detail)
    if status in (404, 405):
        return ModelError("not_found", detail)
    if status in (408, 504, 524):
        return ModelError("timeout", detail)
    if status == 429:
        return ModelError("rate_limited", detail)
    if status is None or status >= 500 or status < 400:
        return ModelError("server_error", detail)
    return ModelError("bad_request", detail)


def classified(error: Any, *, secret: str = "", sent: int = 1) -> ModelError:
    """The SDK's error as ours, without the key, which some providers repeat."""
    import openai

    body = getattr(error, "body", None)
    said = " ".join(f"{getattr(error, 'message', error)}{_more(body)}".split())
    if len(secret) > 3:
        said = said.replace(secret, "***")
    said = said[:500]
    detail = f"{sentence(said)} {sent} requests were made." if sent > 1 else said
    if isinstance(error, openai.APITimeoutError):
        return ModelError("timeout", detail)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        more = f"{type(cause).__name__}: {str(cause)[:200]}" if cause else ""
        return ModelError("connection", f"{sentence(detail)} {sentence(more)}".strip())
    status = getattr(error, "status_code", None)
    made = of_status(status, f"{getattr(error, 'code', '') or ''} {_field(body, 'type')}", said, detail)
    if made.reason == "not_found" and (hint := _path_hint(error)):
        return ModelError("not_found", f"{sentence(detail)} {hint}")
    return made


def _field(body: Any, name: str) -> str:
    return str(body.get(name) or "") if isinstance(body, Mapping) else ""


def _more(body: Any) -> str:
    """What the SDK's message lacks: what a router's provider said, and bodies that are lists, as Gemini's."""
    if isinstance(body, list):
        return f" {json.dumps(body)}"
    raw = (body.get("metadata") or {}) if isinstance(body, Mapping) else {}
    raw = raw.get("raw") if isinstance(raw, Mapping) else None
    return f" {raw}" if isinstance(raw, str) else ""


def _path_hint(error: Any) -> str:
    url = getattr(getattr(error, "request", None), "url", None)
    if url is None or str(getattr(url, "path", "")) != "/chat/completions":
        return ""
    return f"The address was {url}: most servers want a base_url that ends in /v1."
