"""What a file of golden questions looks like: such a file is no document, for it holds every question word for word."""

from __future__ import annotations

import json
from typing import Any

from ..names import snake

__all__ = ["FIELDS", "entries", "field_of", "looks_golden", "snake"]

FIELDS = {
    "question": "question",
    "id": "id",
    "source": "sources",
    "sources": "sources",
    "expected_source": "sources",
    "expected_sources": "sources",
    "text": "text",
    "expected_text": "text",
    "spans": "spans",
    "refs": "spans",
    "exclude": "exclude",
    "forbidden": "forbidden",
    "where": "where",
    "roles": "roles",
    "min_score": "min_score",
    "group": "group",
    "comment": "",
}
"""The keys of a question, in snake_case -> what they stand for."""

_EXPECTATIONS = {"sources", "spans", "forbidden"}
"""What only a golden question has; answers to frequent questions have a `text` too."""


def field_of(key: Any) -> str | None:
    """What a key stands for, in snake_case or camelCase; None for one that is unknown."""
    return FIELDS.get(snake(key)) if isinstance(key, str) else None


def looks_golden(text: str) -> bool:
    """Whether a text is JSON or JSON Lines of golden questions: of nothing but questions with what they must find."""
    if '"question"' not in text:
        return False
    found = entries(text)
    return bool(found) and all(map(_is_question, found))


def _is_question(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
        return False
    fields = {field_of(key) for key in entry}
    return None not in fields and bool(fields & _EXPECTATIONS)


def entries(text: str) -> list[Any]:
    """The entries of a list, of an object with a list of `questions`, or of JSON Lines; none of other texts."""
    try:
        value = json.loads(text)
    except RecursionError:
        return []
    except ValueError:
        try:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            return []
    if isinstance(value, dict):
        questions = value.get("questions")
        value = questions if isinstance(questions, list) else [value]
    return value if isinstance(value, list) else []
