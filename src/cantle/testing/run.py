"""Running a strategy over a document under guard: point 9 of the contract."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from ..chunks import Chunks
from ..document import MDocument
from ..errors import CantleError, ContractError, PluginError
from ..plugins import Registry
from ..source import Source
from .case import fail, shown

__all__ = ["BARE", "Refused", "document_of", "guarded", "run"]


class Refused(Exception):  # an answer, not an error
    """The strategy refused the document with a `CantleError`, which the contract allows."""


BARE = Registry()
"""No plugin may rewrite what is checked."""


def document_of(value: str | Source, name: str = "") -> MDocument:
    """A document of a text or a source."""
    if isinstance(value, MDocument):
        return value
    if isinstance(value, Source):
        return MDocument(value.text, value.kind, value.metadata, value.source or name, value.body)
    return MDocument(value, "text", {}, name)


def run(strategy: Any, document: Source, seconds: float = 60.0) -> Chunks:
    """The chunks of a document. Raises `Refused`, or `ContractError` for a crash or a hang."""
    return guarded(lambda: split(strategy, document), document, seconds)  # type: ignore[no-any-return]


def split(strategy: Any, document: Source) -> Chunks:
    """What `chunk()` gives, with every chunk made; a strategy that waits is waited for."""
    document = document_of(document)
    if hasattr(strategy, "asplit"):
        chunks = asyncio.run(document.achunk(strategy, plugins=BARE))
    else:
        chunks = document.chunk(strategy, plugins=BARE)
    list(chunks)
    chunks.dropped  # noqa: B018  # the last thing that can fail
    return chunks


def guarded(call: Callable[[], Any], document: Source, seconds: float) -> Any:
    """Call in a thread of its own; errors that are not cantle's and hangs are breaches of point 9.

    A call that does not come back is told to stop (which only Python code hears).
    """
    outcome: dict[str, Any] = {}

    def work() -> None:
        try:
            outcome["value"] = call()
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=work, name="cantle-contract", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        _stop(thread)
        fail(9, f"no answer within {seconds:g} seconds for {len(document.text)} characters: {_described(document)}")
    if "error" in outcome:
        _judge(outcome["error"], document)
    return outcome["value"]


def _judge(error: BaseException, document: Source) -> None:
    if isinstance(error, ContractError | KeyboardInterrupt | SystemExit):
        raise error
    if isinstance(error, PluginError):  # what it gave is not what a strategy gives
        raise ContractError(9, "any str", f"{error} For {_described(document)}") from error
    if isinstance(error, CantleError):
        if not str(error).strip():
            fail(9, f"{type(error).__name__} without a message for {_described(document)}")
        raise Refused(str(error)) from error
    message = " ".join(str(error).split())
    where = _raised_at(error)
    detail = f"{type(error).__name__} instead of chunks or a CantleError for {_described(document)}: {message}{where}"
    raise ContractError(9, "any str", detail) from error


def _raised_at(error: BaseException) -> str:
    import traceback

    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return f" (raised in {frames[-1].name}, line {frames[-1].lineno})" if frames else ""


def _described(document: Source) -> str:
    name = f"{document.source!r}, " if document.source else ""
    return f"{name}{shown(document.text)}"


def _stop(thread: threading.Thread) -> None:
    import ctypes

    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
        thread.join(1.0)
