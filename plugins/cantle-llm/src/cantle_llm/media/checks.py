"""What pictures and recordings have in common."""

from __future__ import annotations

from typing import Any

from cantle.errors import OptionError

from ..client.client import Client, Run

__all__ = ["checked_data", "run_of"]


def checked_data(data: Any, what: str, most: int, step: str = "Make it smaller") -> None:
    """Raise `OptionError` unless it is bytes, not empty, and no more than `most`."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise OptionError(f"data must be the bytes of {what}, got {type(data).__name__}.")
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise OptionError(f"max_bytes must be a whole number of at least 1, got {most!r}.")
    if not len(data):
        raise OptionError(f"data must be the bytes of {what}, got none.")
    if len(data) > most:
        raise OptionError(
            f"data is {what} of {len(data):,} bytes; the limit is {most:,}. {step}; if your endpoint takes more, give "
            "max_bytes."
        )


def run_of(client: Client | Run, name: str) -> Run:
    """The run itself, or a new one of a client. Raises `OptionError` for what is neither, `ModelError` for no key."""
    if isinstance(client, Client):
        client = client.run(name)
    if not isinstance(client, Run):
        raise OptionError(f"client must be a cantle_llm.Client, or a run of one, got {type(client).__name__}.")
    _ = client.client.ready
    return client
