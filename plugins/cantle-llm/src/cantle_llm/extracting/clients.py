"""Which client the options of a field mean."""

from __future__ import annotations

import atexit
import os
from threading import Lock
from typing import Any

from cantle.errors import OptionError

from ..client.client import Client
from ..settings import PREFIX

__all__ = ["client_for"]


def client_for(llm: Any, model: str | None, field: str) -> tuple[Any, str | None]:
    """The client that `llm` is, or that of the `CANTLE_LLM_*` variables, and the model to name in its calls.

    None stands for the client's own model. Raises `OptionError` for what is no client, where no model is named, or
    where a spending limit could not be kept; `ModelError` where no key is given.
    """
    if isinstance(llm, str):
        if model is not None:
            raise OptionError(f"extract[{field!r}]: llm={llm!r} and model={model!r} both name a model. Keep one.")
        llm, model = None, llm
    if llm is None:
        llm = _shared(field)
    if not callable(getattr(llm, "complete", None)):
        raise OptionError(
            f"extract[{field!r}]: llm must be a Client, an object with complete(messages, **options), or the name of a "
            f"model, got {llm!r}."
        )
    if isinstance(llm, Client):
        if model is None and not llm.model:
            raise OptionError(
                f"extract[{field!r}] asks a model, and none is named. Give it as llm, a Client(...) or a name such as "
                "'gpt-4.1-nano', or set CANTLE_LLM_MODEL."
            )
        _ = llm.ready
        llm.request([{"role": "user", "content": "-"}], model=model)  # raises where it could not be asked
    return llm, model


_clients: dict[object, Client] = {}
_lock = Lock()


def _shared(field: str) -> Client:
    """One client for all fields and documents of a process, whatever models they name.

    So a spending limit is kept over all of them, and the file of answers read once. What a limit is over several
    processes nobody counts, so in a worker process one is an error.
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
            f"extract[{field!r}]: the spending limit of CANTLE_LLM_BUDGET or CANTLE_LLM_TOKEN_BUDGET holds in one "
            "process, and this is one of several, each of which would spend as much. Use workers=1 (the calls of a "
            "document are made at once in any case), or set no limit."
        )
    return client


def _is_child() -> bool:
    from multiprocessing import parent_process

    return parent_process() is not None
