"""The Spark session that a job runs in: that of this process, that of an address, or one of its own."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import DatasetError
from .addresses import check

__all__ = ["MARK", "session", "told"]

MARK = "\u2063"
"""Stands around an error of ours: Spark hands on text alone, with the traces of two languages around it."""

LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
"""The settings of a session that is begun on this machine: no text goes through Java."""


@contextmanager
def session(address: str | None, workers: int) -> Iterator[Any]:
    """A session; one that is begun for this ends with it. Raises `DatasetError` where there is no Spark.

    The filters of warnings are changed; the caller puts them back.
    """
    warnings.filterwarnings(
        "ignore", "PySpark does not yet fully support pandas", FutureWarning
    )  # nothing of ours does
    from pyspark.sql import SparkSession

    there = SparkSession.getActiveSession()
    if there is not None:
        yield there
        return
    if address is not None:
        check(address, "Spark Connect", ("sc",), 15002)
        check(address, "Spark", ("spark",), 7077)
    try:
        begun = _begun(SparkSession.builder.appName("cantle dataset"), address, workers)
    except Exception as error:  # of many kinds: no Java, no cluster, no packages for Spark Connect
        where = "on this machine" if address is None else f"at {address!r}"
        needs = "" if shutil.which("java") or "JAVA_HOME" in os.environ else " Spark needs Java 17 or newer."
        raise DatasetError(f"There is no Spark {where}: {type(error).__name__}: {error}{needs}") from error
    try:
        yield begun
    except Exception:
        _end(begun)
        raise
    except BaseException:  # Ctrl-C, SIGTERM: in the middle of a call, after which Java cannot be spoken to
        _end(begun, speak=False)
        raise
    _end(begun)


def _begun(builder: Any, address: str | None, workers: int) -> Any:
    if address is not None and address.startswith("sc://"):
        return builder.remote(address).getOrCreate()
    if address is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else whatever python3 is on the path
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.master(f"local[{workers}]")
        for key, value in LOCAL.items():
            builder = builder.config(key, value)
    else:
        builder = builder.master(address)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")  # an error is told once, by us
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    return spark


def _end(spark: Any, *, speak: bool = True) -> None:
    """End a session, and the Java process with it, which `stop` leaves to the end of Python."""
    context = None if type(spark).__module__.startswith("pyspark.sql.connect") else spark.sparkContext
    gateway = getattr(context, "_gateway", None)
    process = getattr(gateway, "proc", None)
    if speak or process is None:
        with suppress(Exception):  # the job is done, or has failed with an error that tells more
            spark.stop()
    if gateway is None or process is None:
        return
    if speak:
        with suppress(Exception):
            gateway.shutdown()
        process.stdin.close()  # of which it ends
    else:
        process.terminate()
    seconds = 30 if speak else 5
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    kind: Any = type(context)
    kind._gateway = kind._jvm = None


def told(error: Exception) -> DatasetError:
    """Our error, if Spark's tells of one; else one with the first line that Spark says."""
    text = str(error)
    if text.count(MARK) >= 2:
        return DatasetError(text.split(MARK, 2)[1])
    line = next((line for line in text.splitlines() if line.strip()), type(error).__name__)
    if "exited unexpectedly" in text:
        line = (
            "A process of Python ended on an executor: a document that the strategy cannot stand, or too little "
            "memory. With --timeout such a document fails alone."
        )
    return DatasetError(f"The job of Spark failed. {line.strip()}")
