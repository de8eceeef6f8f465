"""Files that commands of this plugin wrote: they hold questions and chunks, and are no documents."""

from __future__ import annotations

from .golden_files import entries

__all__ = ["looks_written"]

_KEYS = {
    "preview": ({"question", "chunks", "stats"}, {"question", "role", "where", "hash", "ranker", "config"}),
    "eval": (
        {"ok", "failures", "totals", "results"},
        {"question", "wanted", "passed", "problems", "chunks"},
        {"measure", "topK", "best", "rows"},
        {"settings", "totals", "verdicts", "scores"},
    ),
    "cost": ({"model", "tokenizer", "isEstimated", "pricingMissing", "stats"},),
}
"""Command -> the keys by which an object of its output is known."""


def looks_written(text: str) -> str:
    """What a text of JSON or JSON Lines is, when it is nothing but what a command of ours wrote; else nothing."""
    if not text.lstrip().startswith("{"):
        return ""
    found = entries(text)
    for command, kinds in _KEYS.items():
        for keys in kinds:
            if found and all(isinstance(entry, dict) and keys <= entry.keys() for entry in found):
                return f"an output of cantle {command}"
    return ""
