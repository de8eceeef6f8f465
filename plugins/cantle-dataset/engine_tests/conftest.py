"""One session of Ray and one of Spark for all tests here, both small; what they need that is missing is said."""

from __future__ import annotations

import os
import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from cantle import Chunk, Source
from cantle.errors import CantleWarning

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
        "ignore:.* deprecated:DeprecationWarning:ray.data.context",
        "ignore:The inplace keyword in DataFrame.set_index:DeprecationWarning",
        "ignore:Attempting to work in a virtualenv:UserWarning",
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
def spark_session(java: None) -> Iterator[Any]:
    """A Spark session with two threads on this machine; a task may fail once."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
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


@pytest.fixture(scope="session")
def java() -> None:
    """Skips where there is no Java."""
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


@pytest.fixture(scope="session")
def strategies() -> Any:
    """Strategies whose classes pickle finds in no module, as those of a script: they go to workers by value.

    All but the first act on the text that begins with `Title 13` and a line end, and give other texts whole.
    """

    @dataclass(frozen=True, kw_only=True)
    class Halves:
        name: ClassVar[str] = "halves"

        def split(self, source: Source) -> list[Chunk]:
            middle = len(source.text) // 2
            return [Chunk(source.text[:middle], 0, middle), Chunk(source.text[middle:], middle, len(source.text))]

    @dataclass(frozen=True, kw_only=True)
    class Failing:
        name: ClassVar[str] = "failing"

        def split(self, source: Source) -> list[Chunk]:
            if source.text.startswith("Title 13\n"):
                raise ValueError("not this one")
            return [Chunk(source.text, 0, len(source.text))]

    @dataclass(frozen=True, kw_only=True)
    class Deadly:
        """Ends its process, after a letter was added to the file at `path`; not when that has `times` already."""

        name: ClassVar[str] = "deadly"
        path: str
        times: int = 1000

        def split(self, source: Source) -> list[Chunk]:
            if source.text.startswith("Title 13\n"):
                with open(self.path, "a+") as file:
                    file.seek(0)
                    if len(file.read()) < self.times:
                        file.write("x")
                        file.close()
                        os._exit(3)
            return [Chunk(source.text, 0, len(source.text))]

    @dataclass(frozen=True, kw_only=True)
    class Endless:
        name: ClassVar[str] = "endless"

        def split(self, source: Source) -> list[Chunk]:
            while source.text.startswith("Title 13\n"):
                time.sleep(1)
            return [Chunk(source.text, 0, len(source.text))]

    @dataclass(frozen=True, kw_only=True)
    class Warning:
        name: ClassVar[str] = "warning"

        def split(self, source: Source) -> list[Chunk]:
            warnings.warn("Ships ahoy", CantleWarning, stacklevel=2)
            return [Chunk(source.text, 0, len(source.text))]

    return SimpleNamespace(Halves=Halves, Failing=Failing, Deadly=Deadly, Endless=Endless, Warning=Warning)
