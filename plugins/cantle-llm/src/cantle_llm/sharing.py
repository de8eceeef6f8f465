"""The client that documents and fields without one of their own have in common."""

from __future__ import annotations

import atexit
import os
from threading import Lock

from cantle.errors import OptionError

from .client.client import Client
from .settings import PREFIX

__all__ = ["shared_client"]

_clients: dict[object, Client] = {}
_lock = Lock()


def shared_client(asking: str) -> Client:
    """One client of the `CANTLE_LLM_*` variables for all that a process asks, whatever models are named in the calls.

    So a spending limit is kept over all of it, and the file of answers read once. What a limit is over several
    processes nobody counts, so in a worker process one is an `OptionError`, which says who was `asking`.
    """
    said = tuple(sorted(item for item in os.environ.items() if item[0].startswith((PREFIX, "OPENAI_"))))
    key = os.getpid(), said  # connections of another process are not ours
    with _lock:
        if key not in _clients:
            _clients[key] = Client()
            atexit.register(_clients[key].close)
        client = _clients[key]
    if client.has_limit and _is_child():
        raise OptionError(
            f"{asking}: the spending limit of CANTLE_LLM_BUDGET or CANTLE_LLM_TOKEN_BUDGET holds in one process, and "
            "this is one of several, each of which would spend as much. Use workers=1 (the calls of a document are "
            "made at once in any case), or set no limit."
        )
    return client


def _is_child() -> bool:
    from multiprocessing import parent_process

    return parent_process() is not None
