"""Ray Data: chunks by `map_batches`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from cantle import Strategy
from cantle.errors import CantleError, MissingDependencyError, OptionError

from ..chunker import Chunker
from ..errors import DatasetError
from . import Job, Summary
from .carried import carry, cut
from .ray_cluster import cluster
from .slices import Done, Plan, added, planned

if TYPE_CHECKING:
    import pyarrow as pa
    import ray.data

__all__ = ["chunk_dataset", "for_ray", "run"]

REMEDY = (
    "Install it on all nodes, or send it along: ray.init(runtime_env={'pip': ['cantle-dataset', ...]}) for packages, "
    "runtime_env={'working_dir': '.'} or {'py_modules': [...]} for modules of your own."
)
MAX_RETRIES = 5
"""How often a task may be run again because its worker died. Ray Data itself would try for ever."""
WINDOW = 1000
"""So many tasks of a job are submitted at once."""


def for_ray(strategy: str | type[Strategy] | Strategy | None = None, **options: Any) -> Callable[[Any], Iterator[Any]]:
    """A function for `dataset.map_batches(function, batch_format="pyarrow")`, which gives the chunks of a batch.

    Takes what `Chunker` takes. Options are checked here, in the driver. Blocks are cut piece by piece, so a large
    one costs little memory; strategies that a plugin brings are looked up in the driver, and their package must be
    on the workers; classes and functions of the script itself are sent along.

    `chunk_dataset` does the same with settings that suit Ray. Raises what `Chunker` raises, and
    `MissingDependencyError` without Ray.
    """
    chunker = Chunker(strategy, **options)
    data, name = carry(chunker, _ray("for_ray()").cloudpickle.dumps), chunker.name
    remedy = REMEDY

    def chunk(batch: Any) -> Iterator[Any]:
        # Sent by value and without anything of ours, so that a worker without the package can say so.
        import pyarrow

        try:
            from cantle_dataset.engines.ray import cut_here
        except ImportError as error:
            raise ImportError(f"cantle-dataset cannot be loaded on a worker of Ray: {error}. {remedy}") from error
        for piece in cut_here(data, name, batch):
            yield pyarrow.Table.from_batches([piece])

    chunk.__name__ = chunk.__qualname__ = f"cantle[{name}]"  # what Ray shows
    return chunk


def chunk_dataset(
    dataset: ray.data.Dataset,
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    num_cpus: float = 1,
    concurrency: int | None = None,
    batch_size: int | None = None,
    map_batches: Mapping[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """The chunks of a dataset of documents, as a dataset with the columns of `schema()`.

    Lazy, as all of Ray Data: nothing is cut before the result is read or written. Takes what `Chunker` takes, and of
    Ray: `num_cpus` of a task, `concurrency` (how many tasks at once; by default all that fit), `batch_size` (rows
    given to a task at once; by default whole blocks, which Ray bounds by bytes), and further arguments of
    `Dataset.map_batches` as a dictionary: `{"memory": 2 << 30}`. Columns that are not needed are left out first.

    A document that ends its process ends the task; Ray runs it again, and after 5 times the job fails. With
    `timeout=` documents are cut in a process of their own, and such a document fails alone.

    Raises what `Chunker` raises, `OptionError` for a column that the dataset is known to lack, and
    `MissingDependencyError` without Ray.
    """
    ray = _ray("chunk_dataset()")
    function = for_ray(strategy, **options)
    columns = Chunker(strategy, **options).columns
    schema = dataset.schema(fetch_if_missing=False)
    for column in columns:
        if schema is not None and column not in schema.names:
            raise OptionError(f"The dataset has no column {column!r}. Its columns: {', '.join(schema.names)}.")
    dataset = dataset.select_columns(columns)
    settings: dict[str, Any] = {"batch_size": batch_size, "num_cpus": num_cpus, "zero_copy_batch": True}
    if concurrency is not None:
        pool = getattr(ray.data, "TaskPoolStrategy", None)  # newer versions want it so
        settings |= {"concurrency": concurrency} if pool is None else {"compute": pool(concurrency)}
    return dataset.map_batches(function, batch_format="pyarrow", **settings, **(map_batches or {}))


def run(job: Job) -> Summary:
    """Cut a dataset of files: each task reads its rows, cuts them and writes its part, on nodes that see the files.

    Uses the cluster of this process if there is one, else that of `job.address`, else one of `job.workers` processors
    on this machine, which ends with the job. A task that is run again writes the same part again.
    """
    ray = _ray("--engine ray")
    plan = planned(job)
    data, name = carry(job.chunker, ray.cloudpickle.dumps), job.chunker.name
    with cluster(ray, job.address, job.workers) as ends:
        tasks = _done(ray, ray.put(plan), ray.put(data), name, len(plan.ranges), cancel=not ends)
        return added(plan, tasks, job.progress)


def _done(ray: Any, plan: Any, data: Any, name: str, count: int, *, cancel: bool) -> Iterator[Done]:
    """What the tasks did, as they end; a window of them is submitted, the rest when there is room.

    After an error those that run are cancelled, but not by force, nor without need: Ray can abort the process then.
    """
    remote = ray.remote(num_cpus=1, max_retries=MAX_RETRIES)(_task)
    waiting = iter(range(count))
    running: dict[Any, int] = {}
    try:
        while True:
            for number in islice(waiting, WINDOW - len(running)):
                running[remote.remote(plan, number, data, name)] = number
            if not running:
                return
            ready, _ = ray.wait(list(running))
            for one in ready:
                number = running.pop(one)
                yield _answer(ray, one, number)
    finally:
        for one in running if cancel else ():
            ray.cancel(one)


def _answer(ray: Any, reference: Any, number: int) -> Done:
    try:
        done: Done = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, CantleError) else DatasetError(f"Task {number} failed: {cause!r}.") from error
    except ray.exceptions.RayError as error:  # its worker died, each time
        raise DatasetError(
            f"Task {number} ended {MAX_RETRIES + 1} workers of Ray: {str(error).splitlines()[0]} A document that the "
            "strategy cannot stand, or too little memory. With --timeout such a document fails alone."
        ) from error
    return done


def _task(plan: Plan, number: int, data: bytes, name: str) -> Done:
    return plan.run(number, data, name, REMEDY)


def cut_here(data: bytes, name: str, batch: pa.Table) -> Iterator[pa.RecordBatch]:
    """What a task does with a batch. Raises `CantleError` when it has ended its worker too often."""
    attempt = _attempt()
    if attempt > MAX_RETRIES:
        raise CantleError(
            f"A task has ended {attempt} workers of Ray: a document that the strategy {name!r} cannot stand, or too "
            "little memory. With timeout=SECONDS and errors='collect' such a document fails alone; memory is asked for "
            "by map_batches={'memory': BYTES}."
        )
    yield from cut(data, name, REMEDY, batch)


def _attempt() -> int:
    """How often this task was begun before; 0 where Ray does not say."""
    from ray._private.worker import global_worker

    core: Any = getattr(global_worker, "core_worker", None)  # nothing public says it
    return int(getattr(core, "get_current_task_attempt_number", int)())


def _ray(what: str) -> Any:
    """Ray, imported; what a user asked for is named if it is not installed."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingDependencyError(what, "Ray Data", "cantle-dataset[ray]") from error
    return ray
