"""The processes behind `chunk_many`: batches out, results back, one document's accident kept to itself."""

from __future__ import annotations

import io
import os
import pickle
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path
from typing import Any

from .batch import Result, Task, name_of
from .document import MDocument
from .errors import CantleError, OptionError, PluginWarning
from .plugins import registry

__all__ = ["run", "sendable"]

BATCH_COUNT = 16
BATCH_SIZE = 1 << 18
"""A batch ends at so many documents, or code points of text: sending costs more than small documents."""

Item = MDocument | str | Path
Noted = tuple[bytes, list[tuple[Any, ...]]]


def sendable(task: Task) -> bytes:
    """The task, pickled; `OptionError` when it cannot be sent to another process."""
    try:
        return pickle.dumps(task)
    except Exception as error:  # pickle raises PicklingError, AttributeError, TypeError, ...
        raise OptionError(
            f"The strategy and its options cannot be sent to worker processes: {error}. Define functions and classes "
            "at the top level of a module (no lambdas), or use workers=1."
        ) from error


def run(documents: Iterable[Item], task: bytes, workers: int, ordered: bool) -> Iterator[Result]:
    """The results of all documents. Holds at most two batches a worker."""
    pool = _Pool(task, workers)
    batches = _batches(documents)
    running: deque[tuple[Future[list[Noted]], list[Item]]] = deque()
    failure: BaseException | None = None
    try:
        while True:
            while failure is None and len(running) < 2 * workers:
                try:
                    batch = next(batches, None)
                except Exception as error:  # the caller's generator: what it gave before is still done
                    failure, batch = error, None
                if batch is None:
                    batches = iter(())
                    break
                running.append((pool.submit(batch), batch))
            if not running:
                break
            if not ordered:
                done = wait([future for future, _ in running], return_when=FIRST_COMPLETED).done
                running.rotate(-next(i for i, (future, _) in enumerate(running) if future in done))
            try:
                finished = running[0][0].result()
            except BrokenProcessPool:
                yield from pool.one_by_one(running)
                continue
            _, batch = running.popleft()
            yield from map(pool.received, batch, finished)
    finally:
        pool.stop()
    if failure is not None:
        raise failure


class _Pool:
    """A process pool that can be started anew."""

    def __init__(self, task: bytes, workers: int) -> None:
        self._task, self._workers = task, workers
        self._warned: dict[Any, Any] = {}
        self._executor = self._start(workers)

    def _start(self, workers: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(workers, initializer=_begin, initargs=(self._task,))

    def submit(self, batch: list[Item]) -> Future[list[Noted]]:
        try:
            return self._executor.submit(_work, batch)
        except BrokenProcessPool as error:  # noticed only now; it is dealt with when its turn comes
            future: Future[list[Noted]] = Future()
            future.set_exception(error)
            return future

    def one_by_one(self, running: deque[tuple[Future[list[Noted]], list[Item]]]) -> Iterator[Result]:
        """After a worker died: the documents under way, each alone, to find the one it died of."""
        self._restart(1)
        while running:
            future, batch = running.popleft()
            if future.done() and future.exception() is None:
                yield from map(self.received, batch, future.result())
                continue
            for item in batch:
                try:
                    yield self.received(item, self._executor.submit(_work, [item]).result()[0])
                except BrokenProcessPool:
                    yield _died(item)
                    self._restart(1)
        self._restart(self._workers)

    def _restart(self, workers: int) -> None:
        self.stop()
        self._executor = self._start(workers)
        try:
            self._executor.submit(_work, []).result()
        except BrokenProcessPool as error:
            raise CantleError(
                "Worker processes cannot start. A script that starts workers needs its main part under "
                "`if __name__ == '__main__':`; or use workers=1."
            ) from error

    def received(self, item: Item, noted: Noted) -> Result:
        """What a worker found, its warnings given again under our filters."""
        data, notes = noted
        result: Result = _Unpickler(io.BytesIO(data), item).load()
        try:
            for message, category, filename, line in notes:
                warnings.warn_explicit(message, category, filename, line, registry=self._warned)
        except Warning as error:  # a filter turned it into an error
            return Result(result.name, result.document, None, error)
        return result

    def stop(self) -> None:
        """End the processes now: after an error or Ctrl-C nobody waits for the rest."""
        # Only private attributes know the processes (before Python 3.14) and the pipe of results.
        processes = list((getattr(self._executor, "_processes", None) or {}).values())
        for process in processes:
            process.terminate()
        # A worker that ended in the middle of a result leaves a reader that waits for the rest, unless
        # nobody holds the other end any more.
        writer = getattr(getattr(self._executor, "_result_queue", None), "_writer", None)
        if writer is not None:
            with suppress(OSError):
                writer.close()
        # Python before 3.11.5 waits for ever for what is still being sent to workers that are gone (gh-94777).
        if sys.version_info < (3, 11, 5):
            with suppress(AttributeError, OSError):
                _let_go(self._executor._call_queue._reader)  # type: ignore[attr-defined]
        self._executor.shutdown(wait=True, cancel_futures=True)
        for process in processes:
            process.join()


def _let_go(reader: Any) -> None:
    """Close our end of a pipe, but leave its number open: the thread that sends closes that, perhaps just now."""
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(null, reader.fileno(), inheritable=False)
    finally:
        os.close(null)


def _died(item: Item) -> Result:
    error = CantleError(
        "the worker process died while it cut this document, most often for lack of memory. "
        "Try it alone with workers=1, or cut the document into parts."
    )
    return Result(name_of(item), item if isinstance(item, MDocument) else None, None, error)


def _batches(documents: Iterable[Item]) -> Iterator[list[Item]]:
    """Batches that grow from 1, so that the first results come soon."""
    batch: list[Item] = []
    size, most = 0, 1
    try:
        for item in documents:
            batch.append(item)
            size += _size(item)
            if len(batch) >= most or size >= BATCH_SIZE:
                yield batch
                batch, size, most = [], 0, min(BATCH_COUNT, most * 2)
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _size(item: Item) -> int:
    if isinstance(item, MDocument):
        return len(item.text)
    try:
        return Path(item).stat().st_size
    except (OSError, TypeError, ValueError):
        return 0  # the worker meets the same error and reports it


# -- in the workers ---------------------------------------------------------------------------------

_task: Task | None = None
_failure = ""


def _begin(task: bytes) -> None:
    global _task, _failure
    # Ctrl-C reaches the whole process group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # `stop` ends us by it, whatever the parent does with its own
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PluginWarning)  # the parent gave it already
            _task = pickle.loads(task)
            registry()
    except Exception as error:  # an error here would only say that the pool is broken
        _failure = f"{type(error).__name__}: {error}"


def _outlive_nobody() -> None:
    """End with the parent: one that was killed cannot stop us, and we would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(batch: list[Item]) -> list[Noted]:
    """Each document's result, pickled, with the warnings that it caused."""
    if _task is None:
        raise CantleError(
            f"Worker processes cannot load the strategy ({_failure}). Define it in a module that can be imported, "
            "or use workers=1."
        )
    found = []
    for item in batch:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")  # the parent's filters decide
            result = _task(item)
        notes = [(str(w.message), w.category, w.filename, w.lineno) for w in caught]
        found.append((_packed(result, item), notes))
    return found


def _packed(result: Result, item: Item) -> bytes:
    try:
        return _pickled(result, item)
    except Exception as error:  # metadata or an exception that does not pickle
        cause = result.error or error
        what = "failed with" if result.error else "has chunks that cannot be sent back:"
        lost = CantleError(f"{what} {type(cause).__name__}: {cause}")
        return _pickled(Result(result.name, None, None, lost), item)


def _pickled(result: Result, item: Item) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, item).dump(result)
    data = buffer.getvalue()
    if result.error is not None:
        _Unpickler(io.BytesIO(data), item).load()  # some exceptions pickle but do not come back
    return data


def _given() -> None:
    """Stands for the document that the parent has: its text is not sent back."""


class _Pickler(pickle.Pickler):
    def __init__(self, file: Any, given: Item) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._document = given

    def reducer_override(self, obj: Any) -> Any:
        return (_given, ()) if obj is self._document else NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: Any, given: Item) -> None:
        super().__init__(file)
        self._document = given

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == (__name__, _given.__name__):
            return lambda: self._document
        return super().find_class(module, name)
