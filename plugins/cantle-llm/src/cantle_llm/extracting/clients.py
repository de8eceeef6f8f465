"""Which client the options of a field mean."""

from __future__ import annotations

from typing import Any

from cantle.errors import OptionError

from ..client.client import Client
from ..sharing import shared_client

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
        llm = shared_client(f"extract[{field!r}]")
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
