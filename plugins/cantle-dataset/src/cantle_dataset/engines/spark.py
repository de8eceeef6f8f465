"""Spark: chunks by `mapInArrow`, with Spark Connect too."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cantle import Strategy
from cantle.errors import CantleError, MissingDependencyError, OptionError

from ..chunker import Chunker
from ..errors import DatasetError
from . import Job, Summary
from .carried import carry
from .slices import Done, Plan, added, planned
from .spark_session import MARK, session, told
from .watching import Watch

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["chunk_dataframe", "for_spark", "run"]

REMEDY = (
    "Install it on all executors, or send it along: spark.archives with a packed environment, spark.submit.pyFiles or "
    "addArtifacts(..., pyfile=True) for modules of your own."
)


def for_spark(
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    schema: StructType | None = None,
    **options: Any,
) -> tuple[Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], StructType]:
    """A function for `dataframe.mapInArrow(function, schema)`, and the schema of what it gives.

    Takes what `Chunker` takes. `schema` is that of the documents (`dataframe.schema`); it is needed with `keep=`,
    whose columns have the types that they have there. Works on a DataFrame of Spark Connect too. Batches are cut
    piece by piece; strategies that a plugin brings are looked up in the driver, and their package must be on the
    executors; classes and functions of the script itself are sent along.

    `chunk_dataframe` does the same in one call. Raises what `Chunker` raises, and `MissingDependencyError` without
    PySpark.
    """
    _pyspark("for_spark()")
    return _function(Chunker(strategy, **options), schema, None)


def chunk_dataframe(
    dataframe: DataFrame,
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    partitions: int | None = None,
    **options: Any,
) -> DataFrame:
    """The chunks of a DataFrame of documents, as a DataFrame with the columns of `schema()`.

    Lazy, as all of Spark: nothing is cut before the result is read or written. Takes what `Chunker` takes, and
    `partitions`: the documents are first dealt out to so many partitions in turn, for input in few or uneven ones.
    Columns that are not needed are left out before text is sent to Python. Spark sends 10,000 rows at a time, which
    is too much for long documents: set `spark.sql.execution.arrow.maxRecordsPerBatch`.

    Raises what `Chunker` raises, and `MissingDependencyError` without PySpark.
    """
    _pyspark("chunk_dataframe()")
    if partitions is not None and (isinstance(partitions, bool) or not isinstance(partitions, int) or partitions < 1):
        raise OptionError(f"partitions must be an integer of at least 1, got {partitions!r}.")
    chunker = Chunker(strategy, **options)
    columns = chunker.columns
    for column in columns:
        if column not in dataframe.columns:
            raise OptionError(f"The DataFrame has no column {column!r}. Its columns: {', '.join(dataframe.columns)}.")
    documents, names = dataframe.select(*map(_quoted, columns)), None
    if any("." in column or "`" in column for column in columns):  # mapInArrow finds no such column
        documents, names = documents.toDF(*(f"c{i}" for i in range(len(columns)))), columns
    function, schema = _function(chunker, dataframe.schema, names)
    if partitions is not None:
        documents = documents.repartition(partitions)
    return documents.mapInArrow(function, schema)


def run(job: Job) -> Summary:
    """Cut a dataset of files: each task reads its rows, cuts them and writes its part, on executors that see the files.

    Uses the session of this process if there is one, else that of `job.address` (a master, or `sc://` of Spark
    Connect), else one of `job.workers` threads on this machine, which ends with the job. A task that is run again
    writes the same part again.
    """
    pyspark = _pyspark("--engine spark")
    plan = planned(job)
    count = len(plan.ranges)
    sent = carry(plan, pyspark.cloudpickle.dumps)
    data, name = carry(job.chunker, pyspark.cloudpickle.dumps), job.chunker.name
    remedy = REMEDY

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            from cantle_dataset.engines.spark import tasks
        except ImportError as error:
            raise ImportError(f"cantle-dataset cannot be loaded on an executor of Spark: {error}. {remedy}") from error
        yield from tasks(batches, sent, data, name)

    with warnings.catch_warnings(), session(job.address, job.workers) as spark, Watch(job, plan) as watch:
        try:
            # One number in each partition: so a task is run, and run again, by itself.
            rows = spark.range(0, count, 1, count).mapInArrow(work, _DONE).collect()
        except Exception as error:
            raise told(error) from error
    done = (Done(**{**row.asDict(), "warnings": tuple(row["warnings"])}) for row in rows)
    summary = added(plan, done, None)
    watch.end(summary)
    return summary


_DONE = "documents bigint, chunks bigint, failed bigint, bytes bigint, warnings array<string>"


def tasks(batches: Iterator[pa.RecordBatch], plan: bytes, data: bytes, name: str) -> Iterator[pa.RecordBatch]:
    """What an executor does with the numbers of tasks; each gives one row of `Done`."""
    import pyarrow

    there: Plan = pickle.loads(plan)
    for batch in batches:
        numbers: list[Any] = batch.column(0).to_pylist()
        for number in numbers:
            try:
                done = there.run(number, data, name, REMEDY)
            except CantleError as error:
                raise DatasetError(f"{MARK}{error}{MARK}") from error
            row = {key: [value] for key, value in vars(done).items()}
            types = [pyarrow.int64()] * 4 + [pyarrow.list_(pyarrow.string())]
            yield pyarrow.RecordBatch.from_pydict(row, pyarrow.schema(list(zip(row, types, strict=True))))


def _function(
    chunker: Chunker, schema: StructType | None, names: list[str] | None
) -> tuple[Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]], StructType]:
    """The function and the schema for `mapInArrow`; `names` are those of the columns when they come under others."""
    pyspark = _pyspark("Spark")
    target = _target(pyspark, chunker, schema)
    data, name = carry(chunker, pyspark.cloudpickle.dumps), chunker.name
    fields = [(field.name, field.type) for field in target]
    remedy = REMEDY

    def chunk(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        # Sent by value and without anything of ours, so that an executor without the package can say so.
        import pyarrow

        try:
            from cantle_dataset.engines.carried import cut
        except ImportError as error:
            raise ImportError(f"cantle-dataset cannot be loaded on an executor of Spark: {error}. {remedy}") from error
        schema = pyarrow.schema(fields)
        for batch in batches:
            if names is not None:
                batch = pyarrow.RecordBatch.from_arrays(batch.columns, names)
            for piece in cut(data, name, remedy, batch):
                yield from pyarrow.Table.from_batches([piece]).cast(schema).to_batches()

    return chunk, pyspark.sql.pandas.types.from_arrow_schema(target)


def _target(pyspark: Any, chunker: Chunker, schema: StructType | None) -> pa.Schema:
    """The Arrow schema of the chunks of documents that have this schema in Spark."""
    if schema is None and not chunker.keep:
        return chunker.schema
    if schema is None:
        raise OptionError(
            f"The types of the columns to keep ({', '.join(chunker.keep)}) are not known. Give the schema of the "
            "documents: for_spark(..., schema=dataframe.schema)."
        )
    types = pyspark.sql.pandas.types
    kept = pyspark.sql.types.StructType([field for field in schema if field.name in chunker.keep])
    documents: pa.Schema = types.to_arrow_schema(kept)
    return chunker.schema_for(documents)


def _quoted(name: str) -> str:
    """A column's name as Spark reads one, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def _pyspark(what: str) -> Any:
    """PySpark, imported; what a user asked for is named if it is not installed."""
    try:
        import pyspark.cloudpickle
        import pyspark.sql.pandas.types
    except ImportError as error:
        raise MissingDependencyError(what, "PySpark", "cantle-dataset[spark]") from error
    return pyspark
