"""One session of Ray and one of Spark for all tests here, both small; what they need that is missing is said."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_AUTH_MODE"] = "disabled"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.pop("SPARK_REMOTE", None)


def pytest_configure(config: pytest.Config) -> None:
    for line in (
        # What the frameworks say of themselves, and of each other.
        "ignore:PySpark does not yet fully support pandas:FutureWarning",
    ):
        config.addinivalue_line("filterwarnings", line)


@pytest.fixture(scope="session")
def ray_session() -> Iterator[Any]:
    """The module `ray`, with a cluster of two processors on this machine."""
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("ray.data", reason="Ray Data is not installed")
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=300 << 20,
        configure_logging=True,
        logging_level="warning",
        log_to_driver=True,
    )
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.fixture(scope="session")
def spark_session() -> Iterator[Any]:
    """A Spark session with two threads on this machine; a task may fail once."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    needs_java()
    session = (
        sql.SparkSession.builder.master("local[2,2]")
        .appName("cantle-dataset")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    end_java()


def needs_java() -> None:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed")


def end_java() -> None:
    """`stop` ends the session; the process of Java lives until its standard input is closed."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        process = gateway.proc
        process.stdin.close()
        process.wait(30)
        SparkContext._gateway = SparkContext._jvm = None
