"""The Ray cluster that a job runs in: that of this process, that of an address, or one of its own."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import DatasetError
from .addresses import check

__all__ = ["cluster"]

STORE_BYTES = 256 << 20
"""The object store of a cluster that is begun for a job: no text goes through it."""


@contextmanager
def cluster(ray: Any, address: str | None, workers: int) -> Iterator[bool]:
    """Ray, initialized, and whether that is undone at the end, with all tasks that run then.

    Raises `DatasetError` where there is no cluster.
    """
    if ray.is_initialized():
        yield False
        return
    terminated = signal.getsignal(signal.SIGTERM)
    came: list[int] = []

    def end(number: int, frame: Any) -> None:
        came.append(number)
        if callable(terminated):
            terminated(number, frame)

    try:
        _begin(ray, address, workers)
        if callable(terminated) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, end)  # in place of Ray's own, which ends Python with another code
        yield True
    except SystemExit as error:
        raise SystemExit(128 + came[0] if came else error.code) from None  # Ray loses the code
    finally:
        ray.shutdown()


def _begin(ray: Any, address: str | None, workers: int) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    settings: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        settings |= {"address": "local", "num_cpus": workers, "include_dashboard": False}
        settings["object_store_memory"] = STORE_BYTES
    else:
        check(address, "Ray", ("", "ray"))
        settings["address"] = address
    try:
        ray.init(**settings)
    except Exception as error:  # of many kinds
        where = "on this machine" if address is None else f"at {address!r}"
        raise DatasetError(f"There is no Ray cluster {where}: {type(error).__name__}: {error}") from error
