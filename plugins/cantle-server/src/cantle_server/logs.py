"""The log: lines of JSON that never hold the text of a document, a token or a secret."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

__all__ = ["configure", "trace"]


class _Lines(logging.Formatter):
    """A record as one line of JSON, in ASCII: nothing in it can be taken for another line or a terminal's command."""

    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            found["exception"] = trace(record.exc_info[1])
        return json.dumps(found, default=str)


def trace(error: BaseException) -> dict[str, Any]:
    """What was raised and where, without its message and without values: those may be text of a document."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    found: dict[str, Any] = {"type": f"{type(error).__module__}.{type(error).__qualname__}", "places": places[-30:]}
    if worker := getattr(error, "worker_places", None):
        found["worker"] = worker
    inner = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if inner is not None and inner is not error:
        found["cause"] = {"type": f"{type(inner).__module__}.{type(inner).__qualname__}"}
    return found


def configure(level: str = "info") -> None:
    """Write the log of the service and of uvicorn to standard error, as lines of JSON; uvicorn's access log is off."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name in ("cantle_server", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper())
    root = logging.getLogger()
    root.handlers, root.level = [handler], logging.WARNING
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)  # what is wrong with a form its sender is told
    access = logging.getLogger("uvicorn.access")
    access.handlers, access.propagate = [], False
