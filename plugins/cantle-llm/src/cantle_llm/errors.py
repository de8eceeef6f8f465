"""What goes wrong between us and a model. All errors derive from `CantleError`."""

from __future__ import annotations

from typing import Any

from cantle.errors import CantleError, CantleWarning, OptionError

__all__ = [
    "REASONS",
    "AnswerError",
    "BudgetError",
    "ModelError",
    "ModelWarning",
    "PersistError",
    "PriceError",
    "RefusedError",
    "error_of",
    "sentence",
]

REASONS = {
    "rate_limited": "the provider asks to slow down (429)",
    "server_error": "the provider failed (5xx)",
    "timeout": "no answer came in time",
    "connection": "the connection failed or was cut",
    "unreachable": "no connection to the server can be made",
    "bad_request": "the provider does not take the request (4xx)",
    "context_length": "the request is too long for the model",
    "unauthorized": "the key is missing, wrong or not allowed to do this (401, 403)",
    "not_found": "there is no such model or address (404)",
    "quota": "the account has no credit left",
    "refused": "the model refused",
    "content_filter": "the provider's filter kept the answer back",
    "empty": "the answer is empty",
    "truncated": "the answer was cut off at the limit for its length",
    "malformed": "the answer is no JSON",
    "invalid": "the answer is JSON of another form than asked for",
    "not_recorded": "the answer is not among the recorded ones, and nothing is asked in replay",
    "budget": "the call could exceed the spending limit",
    "cancelled": "the run was ended before the call began",
    "client": "the client that was given failed",
}
"""Why a call failed, as `ModelError.reason` says it."""

_FATAL = {"unreachable", "unauthorized", "not_found", "quota", "budget", "cancelled"}


_PASSING = {
    "rate_limited",
    "server_error",
    "timeout",
    "connection",
    "empty",
    "truncated",
    "malformed",
    "invalid",
    "client",
}


def sentence(text: str) -> str:
    """The text with one full stop at its end, or what ends it else: what providers write often has none."""
    said = text.strip()
    if said.endswith("..") and not said.endswith("..."):
        return said[:-1]
    return said if said.rstrip("\"')]}").endswith((".", "!", "?", "…", ":")) or not said else f"{said}."


class ModelError(CantleError):
    """A call of a model that gave no usable answer. `reason` is a key of `REASONS`, `detail` what was said."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        meant = REASONS.get(reason, reason)  # a model of one's own may have reasons of its own
        super().__init__(
            " ".join(sentence(part) for part in (f"{meant[:1].upper()}{meant[1:]}", detail) if part.strip())
        )

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str]]:
        return type(self), (self.reason, self.detail)

    @property
    def is_fatal(self) -> bool:
        """Whether all other calls would fail as well, so that a run need not go on."""
        return self.reason in _FATAL

    @property
    def may_pass(self) -> bool:
        """Whether the same call may succeed when it is made once more, with nothing changed."""
        return self.reason in _PASSING


class AnswerError(ModelError):
    """The model answered, and was paid, but its answer cannot be used."""


class RefusedError(AnswerError):
    """The model, or the provider's filter, declined: asking once more gives the same."""


class BudgetError(ModelError):
    """The next call could exceed the spending limit, so it was not made. What was paid for before is kept."""

    def __init__(self, reason: str = "budget", detail: str = "") -> None:
        super().__init__(reason, detail)


class PriceError(OptionError):
    """A spending limit in money, and a `model` whose price is not known."""

    def __init__(self, message: str, model: str) -> None:
        super().__init__(message)
        self.model = model

    def __reduce__(self) -> tuple[type[PriceError], tuple[str, str]]:
        return type(self), (str(self), self.model)


class PersistError(CantleError):
    """A partition was made and could not be stored. `result` is what was made, with all that was paid for."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[PersistError], tuple[str, Any]]:
        return type(self), (str(self), self.result)


class ModelWarning(CantleWarning):
    """Some calls of a model failed, or their answers could not be kept; what depends on the others is there."""


_CLASSES: dict[str, type[ModelError]] = {
    "refused": RefusedError,
    "content_filter": RefusedError,
    "empty": AnswerError,
    "truncated": AnswerError,
    "malformed": AnswerError,
    "invalid": AnswerError,
    "budget": BudgetError,
}


def error_of(reason: str, detail: str = "") -> ModelError:
    """The error of a reason, in the class that it has: a failure that was recorded comes back as it was."""
    return _CLASSES.get(reason, ModelError)(reason, detail)
