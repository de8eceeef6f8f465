"""How an endpoint wants to be asked: learnt from its complaints, one step at a time, so that it comes to an end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

__all__ = ["FORMATS", "Dialect", "Dialects"]

FORMATS = ("json_schema", "json_object", "text")
"""How JSON is asked for, from the strictest: by schema, as some object, or in words alone."""

_LIMITS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True)
class Dialect:
    """What is sent to a model: the form of JSON, whether strictly, the name of the limit, and a temperature or not."""

    format: str = "json_schema"
    strict: bool = True
    limit: str = "max_completion_tokens"
    temperature: bool = True

    def after(self, complaint: str, sent: Mapping[str, Any], *, fixed_format: bool) -> Dialect | None:
        """What to try next once the endpoint has complained of something in `sent`; None if there is nothing."""
        if complaint == "limit" and self.limit in sent:
            return replace(self, limit=_LIMITS[1 - _LIMITS.index(self.limit)])
        if complaint == "temperature" and "temperature" in sent:
            return replace(self, temperature=False)
        if complaint in ("format", "schema") and "response_format" in sent:
            described = sent["response_format"].get("json_schema", {})
            if complaint == "schema" and described.get("strict"):
                return replace(self, strict=False)
            if not fixed_format:
                return replace(self, format=FORMATS[FORMATS.index(self.format) + 1])
        return None


class Dialects:
    """What was learnt of each model of an endpoint. What a schema was refused for is learnt of that schema alone."""

    def __init__(self, first: Dialect) -> None:
        self._first = first
        self._of_models: dict[str, Dialect] = {}
        self._of_schemas: dict[tuple[str, str], Dialect] = {}
        self._lock = Lock()

    def get(self, model: str, schema: str) -> Dialect:
        """How to ask this model for an answer of this schema, written as JSON; "" for text."""
        with self._lock:
            general = self._of_models.get(model, self._first)
            special = self._of_schemas.get((model, schema))
            if special is None:
                return general
            return replace(special, limit=general.limit, temperature=general.temperature)

    def keep(self, model: str, schema: str, dialect: Dialect, complaints: set[str]) -> None:
        """Keep what made the model answer."""
        with self._lock:
            if "schema" in complaints:
                self._of_schemas[model, schema] = dialect
                general = self._of_models.get(model, self._first)
                dialect = replace(dialect, format=general.format, strict=general.strict)
            self._of_models[model] = dialect
