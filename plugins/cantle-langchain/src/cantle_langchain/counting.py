"""The arguments by which LangChain names a tokenizer, as options of cantle's strategies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, is_dataclass
from typing import Any

from cantle import Measure, Strategy, registry
from cantle.lengths import TokenLength

__all__ = ["tiktoken_options"]


class StrictLength(TokenLength):
    """Tokens of an encoding; a text with a special token that is disallowed is refused before it is cut."""

    def measure(self, text: str) -> Measure:
        """Raises `DocumentError`."""
        self.special.check(text)
        return super().measure(text)


def tiktoken_options(
    strategy: str | type[Strategy] | Strategy | None,
    encoding_name: str,
    model_name: str | None,
    allowed_special: str | Collection[str] | None,
    disallowed_special: str | Collection[str] | None,
) -> dict[str, Any]:
    """What makes a strategy count these tokens: `length_function`, or the arguments themselves where it takes them.

    Raises `OptionError` for an encoding or a model that is not known, and for what is no special token.
    """
    named: dict[str, Any] = {"encoding_name": encoding_name} if model_name is None else {"model_name": model_name}
    special: dict[str, Any] = {}
    for option, value in (("allowed_special", allowed_special), ("disallowed_special", disallowed_special)):
        if value is not None:
            special[option] = value if isinstance(value, str) else frozenset(value)
    # The strategy that takes these options checks them, and knows the special tokens of each encoding.
    counter: Any = registry().make("token", {**named, **special})
    if _has_encoding(strategy):
        return {**named, **special}
    if not special:
        return {"length_function": model_name or encoding_name}
    return {"length_function": StrictLength(counter.length.name, counter.length.special)}


def _has_encoding(strategy: str | type[Strategy] | Strategy | None) -> bool:
    """Whether a strategy counts the tokens of an encoding that is one of its options."""
    if isinstance(strategy, str):
        strategy = registry().strategies().get(strategy)
    return is_dataclass(strategy) and any(f.name == "encoding_name" for f in fields(strategy))
