"""Embeddings of an OpenAI-compatible endpoint; httpx's door."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any

from cantle.errors import OptionError

from ..errors import EmbedderError, FatalEmbedderError
from .endpoint import endpoint
from .plain import plain

__all__ = ["OpenAIEmbedder"]

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FATAL = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404, 405, 410})
_FATAL_CODES = frozenset({"insufficient_quota", "invalid_api_key", "model_not_found"})
"""No other request would fare better; OpenAI tells some of these with the status of a busy server."""
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 60.0
_MOST_BYTES = 250_000
"""Bytes of all texts of a request: OpenAI takes 300,000 tokens, of which each stands for a byte or more."""


class OpenAIEmbedder:
    """Asks `BASE_URL/embeddings`, of OpenAI or of any server that speaks like it.

    `dimensions` asks for shorter vectors, where the model can. At most `batch_size` texts go into one request, which
    may take `timeout` seconds, and is sent again up to `retries` times when the server is busy, fails or does not
    answer; `waiting(seconds, why)`, which may be set, is called before each wait. Where the first request finds no
    server, or the key or the model is refused, a `FatalEmbedderError` says so at once. `tokens` adds up the tokens that
    the endpoint reports for its answers. See `endpoint` for address and key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 60.0,
        retries: int = 5,
    ) -> None:
        model, at, size = model.rpartition("@") if "@" in model else (model, "", "")
        if at and size.isdecimal() and dimensions in (None, int(size)):
            dimensions = int(size)
        elif at:
            raise OptionError(f"What follows '@' must be the number of dimensions, got {size!r}.")
        if not model:
            raise OptionError("The name of the model is empty. Example: 'openai:text-embedding-3-small'.")
        for name, value, least, most in (
            ("dimensions", dimensions, 1, 16_000),
            ("batch_size", batch_size, 1, 2048),
            ("retries", retries, 0, 100),
        ):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most
            ):
                raise OptionError(f"{name} must be a whole number from {least} to {most:,}, got {value!r}.")
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= 86_400:
            raise OptionError(f"timeout must be a number of seconds above 0, got {timeout!r}.")
        self.model, self.dimension = model, dimensions
        self.name = f"openai:{model}@{dimensions}" if dimensions else f"openai:{model}"
        self.batch_size, self.timeout, self.retries = batch_size, float(timeout), retries
        self.base_url, self._key = endpoint(base_url, api_key)
        self.tokens = 0
        self.waiting: Callable[[float, str], Any] | None = None
        self._answered = False
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.model!r}, base_url={self.base_url!r}, dimensions={self.dimension!r})"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order. Raises `EmbedderError` when the endpoint does not give them."""
        import httpx

        found: list[list[float]] = []
        with httpx.Client(timeout=self.timeout) as client:  # it follows no redirect: the key stays where it belongs
            for some in self._batches([plain(text) for text in texts]):
                found += self._asked(client, some)
        return found

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        some: list[str] = []
        size = 0
        for text in texts:
            more = len(text.encode())
            if some and (len(some) == self.batch_size or size + more > _MOST_BYTES):
                yield some
                some, size = [], 0
            some.append(text)
            size += more
        if some:
            yield some

    def _asked(self, client: Any, texts: list[str]) -> list[list[float]]:
        body: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self.dimension:
            body["dimensions"] = self.dimension
        answer = self._answer(client, body)
        data = answer.get("data") if isinstance(answer, dict) else None
        try:
            vectors = {int(one["index"]): one["embedding"] for one in data or ()}
            found = [vectors[number] for number in range(len(texts))]
        except (KeyError, TypeError, ValueError):
            raise EmbedderError(
                f"{self._place} gave {len(data) if isinstance(data, list) else 'no'} vectors for {len(texts)} texts, "
                "or they have no index. Is it an endpoint for embeddings?"
            ) from None
        if len(data or ()) != len(texts):
            raise EmbedderError(f"{self._place} gave {len(data or ())} vectors for {len(texts)} texts.")
        usage = answer.get("usage")
        read = usage.get("total_tokens") if isinstance(usage, dict) else 0
        with self._lock:
            self.tokens += read if isinstance(read, int) else 0
        return found

    def _answer(self, client: Any, body: dict[str, Any]) -> Any:
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        for attempt in range(self.retries + 1):
            wait = min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
            fatal = False
            try:
                response = client.post(f"{self.base_url}/embeddings", json=body, headers=headers)
            except httpx.TransportError as error:
                fatal = isinstance(error, httpx.ConnectError)
                said, more = f"no answer: {type(error).__name__}: {error}", self._answered or not fatal
            else:
                self._answered = True
                if response.status_code == 200:
                    try:
                        return response.json()
                    except ValueError:
                        raise EmbedderError(f"{self._place} gave no JSON. Is it an endpoint for embeddings?") from None
                fatal = response.status_code in _FATAL or _code(response) in _FATAL_CODES
                said, more = self._said(response), response.status_code in _AGAIN and not fatal
                wait = _asked_wait(response.headers.get("retry-after"), wait)
            if not more or attempt == self.retries:
                tries = f" ({attempt + 1} attempts)" if attempt else ""
                kind = FatalEmbedderError if fatal else EmbedderError
                raise kind(f"{self._place}: {self._hidden(said)}{tries}.{_hint(said, len(body['input']))}")
            if self.waiting is not None:
                self.waiting(wait, f"{self._place}: {self._hidden(said)}")
            time.sleep(wait)
        raise AssertionError

    def _said(self, response: Any) -> str:
        try:
            error = response.json()["error"]
            message = error["message"] if isinstance(error, dict) else error
        except (ValueError, KeyError, TypeError):
            message = response.text
        message = " ".join(str(message).split())
        return f"HTTP {response.status_code}: {message[:300]}".rstrip(": .")

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "...") if self._key else text

    @property
    def _place(self) -> str:
        return f"{self.model!r} at {self.base_url}"


def _code(response: Any) -> Any:
    """What the server calls its error, or None."""
    try:
        code = response.json()["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return None
    return code if isinstance(code, str) else None


def _asked_wait(header: str | None, wait: float) -> float:
    """Seconds to wait: what the server asks for, as seconds or as a date, within a minute."""
    if not header:
        return wait
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError):
            return wait
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else wait


def _hint(said: str, count: int) -> str:
    lowered = said.lower()
    if said.startswith("no answer: ConnectError"):
        return " Is there a server at this address?"
    if said.startswith(("HTTP 401", "HTTP 403")):
        return " Give the key as api_key, or in CANTLE_STORE_EMBEDDER_API_KEY."
    if said.startswith(("HTTP 400", "HTTP 413", "HTTP 422")) and ("token" in lowered or "length" in lowered):
        return f" One of the {count} texts is too long for the model: cut them into smaller chunks."
    return ""
