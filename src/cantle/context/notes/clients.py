"""What a client is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from ...errors import OptionError

__all__ = ["Client", "check_client", "is_ready"]


class Client(Protocol):
    """What `contextualize` needs of a client: `complete(messages, **options)`, ordinary or `async`.

    `messages` is a list of `{"role": "system" or "user", "content": str}`; the options are `temperature`, and `model`
    where one was given. The answer is the model's text. Retries, time limits and keys are the client's business. A
    client may have `ready` or `is_ready()`; where that is false, nothing is asked.
    """

    @property
    def complete(self) -> Callable[..., str | Awaitable[str]]:
        """The model's answer to `complete(messages, **options)`."""
        ...


def check_client(client: Any) -> None:
    """Raise `OptionError` for what is no client."""
    if not callable(getattr(client, "complete", None)):
        raise OptionError(
            f"client must have a method complete(messages, **options) that gives the model's answer, got {client!r}. "
            "A client of another library is wrapped in a class with that method."
        )


def is_ready(client: Any) -> Any:
    """What the client says of itself, perhaps an awaitable; True when it says nothing."""
    for name in ("ready", "is_ready"):
        value = getattr(client, name, None)
        if value is not None:
            return value() if callable(value) else value
    return True
