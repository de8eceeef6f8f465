"""`Pool`: batches to worker processes, answers back, in bounded memory; accidents cost what they are about."""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from multiprocessing import util
from typing import Any, Generic, Protocol, TypeVar

from .. import checks
from ..errors import CantleError, OptionError, WorkerWarning
from ..warn import warn
from .process import Process
from .run import Run

__all__ = ["Pool", "Work"]

B = TypeVar("B")
B_contra = TypeVar("B_contra", contravariant=True)


class Work(Protocol[B_contra]):
    """What workers do: a picklable callable, unpickled once in each of them, then called with batch after batch."""

    def __call__(self, batch: B_contra, skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        """The answer to a batch; it must pickle.

        Call `mark(i)` before you begin with item `i`: it says which item a time-out or a crash is about, and costs
        next to nothing. Leave the items in `skip` alone: they are lost, and the answer should hold their errors.
        An exception that is raised here ends the run and is raised there.
        """
        ...


class Pool(Generic[B]):
    """Worker processes for batches of items. A context manager; several runs use the same processes.

    ```python
    with Pool(work, 4, timeout=60) as pool:
        for batch, answer in pool.run(batches):
            ...
    ```

    `work` is done in up to `workers` processes, which are started when there is something for them. `start_method` is
    one of `multiprocessing.get_all_start_methods()`, by default that of the program. It must pickle, and so must
    batches and answers; `OptionError` is raised for work that does not.

    `timeout` is the number of seconds that one item may take: then its worker is killed, and the batch goes on without
    it, with a `DocumentTimeoutError` in `skip`. Where a worker dies, a `WorkerWarning` says so (`on_event` is called
    with it instead, if given), and the batch is tried once more from its beginning. If a worker dies of it again, the
    batch goes on without the item that it was at, with a `WorkerError` in `skip`. So `work` may be called with the same
    items again, but only one answer counts.

    Workers end with the pool, or with the process that it is in, whatever that died of. The pool has no threads and
    belongs to the process that made it.
    """

    def __init__(
        self,
        work: Work[B],
        workers: int,
        *,
        start_method: str | None = None,
        timeout: float | None = None,
        on_event: Callable[[WorkerWarning], Any] | None = None,
    ) -> None:
        checks.processes(workers, timeout, start_method)
        try:
            self.work = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # pickle raises PicklingError, AttributeError, TypeError, ...
            raise OptionError(
                f"{type(work).__name__} cannot be sent to worker processes: {error}. Define functions and classes at "
                "the top level of a module (no lambdas)."
            ) from error
        self.workers = workers
        self.timeout = None if timeout is None else float(timeout)
        self.processes: list[Process] = []
        self._context = multiprocessing.get_context(start_method)
        self._on_event = on_event
        self._number = 0
        self._running = False
        # At the end of the program too, before `multiprocessing` waits there for all processes to end.
        self._finalizer = util.Finalize(self, _end, (self.processes,), exitpriority=100)

    def run(self, batches: Iterable[B], *, ordered: bool = True, ahead: int = 2) -> Generator[tuple[B, Any]]:
        """Work on batches: each with its answer, in order or as they come.

        `batches` is read no further than `ahead` batches a worker, and no further than some 32 MB. A batch is anything
        that pickles and has a `len()`, the number of its items; an attribute `size` may say how many bytes it stands
        for where that is more than it takes to send it: file names. What waits behind a batch that takes long is
        bounded likewise, so other workers go on for a while and then rest.

        Close the generator when you stop before its end: then what is under way is ended. One run at a time.
        """
        if self._running:
            raise CantleError("A pool does one run at a time. Finish or close the other run, or make another pool.")
        if not self._finalizer.still_active():
            raise CantleError("This pool is closed. Make another one.")
        self._running = True
        run = Run(self, iter(batches), ordered, ahead)
        try:
            yield from run.answers()
        finally:
            self._running = False
            run.end()

    def close(self) -> None:
        """End all workers. Those that have nothing to do end by themselves, the others are killed."""
        if not self._finalizer.still_active():
            return
        idle = [process for process in self.processes if not process.jobs]
        for process in idle:
            process.hang_up()
        until = time.monotonic() + 2
        for process in idle:
            process.join(max(0.0, until - time.monotonic()))
        self._finalizer()

    def __enter__(self) -> Pool[B]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        if kind is None:
            self.close()
        else:
            self._finalizer()

    def start(self) -> Process:
        """A new worker process."""
        process = Process(self._context, self.work)
        self.processes.append(process)
        return process

    def number(self) -> int:
        """A number for an attempt at a batch: none is given twice."""
        self._number += 1
        return self._number

    def say(self, message: str) -> None:
        """Tell of an accident."""
        if self._on_event is not None:
            self._on_event(WorkerWarning(message))
        else:
            warn(message, WorkerWarning)


def _end(processes: list[Process]) -> None:
    for process in processes:
        process.kill()
    for process in processes:
        process.close()
    processes.clear()
