"""One run of a pool: who gets which batch, and what is done when a worker dies or is late."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Generator, Iterator
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import TYPE_CHECKING, Any

from ..errors import CantleError, DocumentTimeoutError, WorkerError
from .ends import keep
from .messages import ANSWER, BROKEN, FAILED, READY, place_of
from .process import Job, Process

if TYPE_CHECKING:
    from .pool import Pool

__all__ = ["Run"]

HELD = 1 << 25
"""Bytes of batches and answers that are held for more than one batch a worker to be fed."""

LARGE = 1 << 20
"""A batch of so many bytes waits in no worker's queue: another one may be free sooner."""

QUICK = 0.1
"""Nor does any where the worker's latest one took so many seconds."""

PATIENCE = 0.25
"""Seconds that a batch is waited for before others are worked on beyond it."""

_BLANK = 4
"""Attempts at a batch whose workers die before they are at an item: nothing but chance may be to blame."""

_GOING = 1.0
"""Seconds for a process to end by itself that has closed its end of the connection: then it can say why."""

_TICK = 1.0
"""Seconds between two looks at workers from which nothing comes."""


class Run:
    """Feeds the workers of a pool, waits for them, and hands out answers."""

    def __init__(self, pool: Pool[Any], batches: Iterator[Any], ordered: bool, ahead: int) -> None:
        self._pool, self._ordered, self._ahead = pool, ordered, max(1, ahead)
        self._batches: Iterator[Any] | None = batches
        self._failure: Exception | None = None
        self._jobs: deque[Job] = deque()
        """What was read and not handed out, in order."""
        self._queue: deque[Job] = deque()
        """Those of them that no worker has."""
        self._done: deque[Job] = deque()
        """Those that are answered, as they come; not kept where the order is."""
        self._held = 0
        self._tick = _TICK if pool.timeout is None else max(0.01, min(_TICK, pool.timeout / 4))
        self._looked = time.monotonic()
        self._early = 0
        """How many workers died one after another before they could begin."""
        self._began = any(process.ready for process in pool.processes)
        """Whether any worker could: then nothing is wrong with the program."""
        self._patience = 2 * pool.workers + 8
        """How many may die so, one after another, before all is given up."""
        self._idle = 0
        """How many died that could have begun, but did not."""
        self._selector = DefaultSelector()
        keep(self._selector)
        for process in pool.processes:
            self._selector.register(process.link, EVENT_READ, process)

    def answers(self) -> Generator[tuple[Any, Any]]:
        """Each batch with its answer; then what went wrong with the batches, if anything did."""
        while True:
            self._feed()
            if not self._jobs:
                break
            job = self._finished()
            self._wait(0.0 if job is not None else self._tick)
            if job is None:
                continue
            self._take_out(job)
            data, batch = job.answer, job.batch
            assert data is not None
            answer = pickle.loads(data)
            if job.failed:
                raise answer
            del data, job
            yield batch, answer
            del batch, answer
        if self._failure is not None:
            raise self._failure

    def end(self) -> None:
        """Kill the workers that are in the middle of something: nobody wants it any more."""
        busy = [process for process in self._pool.processes if process.jobs or not process.ready]
        for process in busy:
            process.kill()
        for process in busy:
            process.close()
            self._pool.processes.remove(process)
        self._selector.close()

    # -- feeding ------------------------------------------------------------------------------------

    def _feed(self) -> None:
        while True:
            if not self._queue and not self._read():
                return
            process = self._target(self._queue[0])
            if process is None:
                return
            process.give(self._queue.popleft(), self._pool.number())
            self._watch(process)

    def _read(self) -> bool:
        """Put the next batch into the queue, if there is one and room for it."""
        if self._batches is None or not self._room():
            return False
        try:
            batch = next(self._batches)
        except StopIteration:
            self._batches = None
            return False
        except Exception as error:  # the caller's generator: what it gave before is still done
            self._batches, self._failure = None, error
            return False
        job = Job(batch)
        self._jobs.append(job)
        self._queue.append(job)
        self._held += job.size
        return True

    def _room(self) -> bool:
        count = len(self._jobs)
        if count < self._pool.workers:
            return True
        if self._held >= HELD:
            return False
        return count < self._ahead * self._pool.workers or self._held_up()

    def _held_up(self) -> bool:
        """Whether workers rest because a batch takes long whose turn it is."""
        if not self._ordered or self._jobs[0].answer is not None:
            return False
        rests = any(process.ready and not process.jobs for process in self._pool.processes)
        return rests and any(
            process.jobs[0] is self._jobs[0] and time.monotonic() - process.since > PATIENCE
            for process in self._pool.processes
            if process.jobs
        )

    def _target(self, job: Job) -> Process | None:
        """The worker for a batch: one that has nothing to do, a new one, or one with little to do."""
        processes = self._pool.processes
        best = min(processes, key=lambda process: len(process.jobs), default=None)
        if best is not None and not best.jobs:
            return best
        if len(processes) < self._pool.workers:
            return self._start()
        if (
            best is None
            or not best.quick
            or len(best.jobs) >= self._ahead
            or job.size >= LARGE
            or best.jobs[-1].size >= LARGE
        ):
            return None
        return best

    def _start(self) -> Process | None:
        try:
            process = self._pool.start()
        except OSError as error:  # no more processes, files or memory
            if not self._pool.processes:
                raise CantleError(
                    f"Worker processes cannot start: {error}. Use fewer workers, or workers=1."
                ) from error
            self._pool.workers = len(self._pool.processes)
            self._pool.say(f"Only {self._pool.workers} worker processes can be started: {error}.")
            return None
        self._selector.register(process.link, EVENT_READ, process)
        self._watch(process)
        return process

    def _watch(self, process: Process) -> None:
        events = EVENT_READ | EVENT_WRITE if process.sending else EVENT_READ
        if events != process.events:
            self._selector.modify(process.link, events, process)
            process.events = events

    # -- waiting ------------------------------------------------------------------------------------

    def _finished(self) -> Job | None:
        if self._ordered:
            return self._jobs[0] if self._jobs[0].answer is not None else None
        return self._done[0] if self._done else None

    def _take_out(self, job: Job) -> None:
        if self._ordered:
            self._jobs.popleft()
        else:
            self._jobs.remove(job)
            self._done.popleft()
        self._held -= job.size

    def _wait(self, seconds: float) -> None:
        """Send and receive what can be, after at most so many seconds; then look after those that are late or gone."""
        for key, events in self._selector.select(seconds):
            process: Process = key.data
            if events & EVENT_WRITE:
                process.send()
                self._watch(process)
            if events & EVENT_READ:
                self._receive(process)
        now = time.monotonic()
        if now - self._looked >= self._tick / 2:
            # No single pause counts for much: the caller was busy, or all of us were stopped.
            passed, self._looked = min(now - self._looked, self._tick * 2), now
            for process in list(self._pool.processes):
                self._look_at(process, passed, now)

    def _receive(self, process: Process) -> None:
        message = process.receive()
        if message is not None:
            self._received(process, *message)
        elif process.ended:
            self._died(process)

    def _received(self, process: Process, kind: int, number: int, spent: float, data: bytearray) -> None:
        if kind == READY:
            process.ready = self._began = True
            self._early = 0
        elif kind == BROKEN:
            raise CantleError(
                f"Worker processes cannot load what they shall do ({pickle.loads(data)}). Define it in a module that "
                "can be imported, or use workers=1."
            )
        elif process.jobs and process.jobs[0].number == number:
            self._idle = 0
            job = process.jobs.popleft()
            process.quick = spent < QUICK
            process.since = time.monotonic()
            job.answer, job.failed = data, kind == FAILED
            assert kind in (ANSWER, FAILED)
            job.size += len(data)
            self._held += len(data)
            if not self._ordered:
                self._done.append(job)

    def _look_at(self, process: Process, passed: float, now: float) -> None:
        if not process.ended and not process.alive:
            self._died(process)  # its end of the connection is still open: a process that it started has it too
            return
        word = process.raw_place
        if word != process.word:
            process.word, process.stood = word, 0.0
            return
        process.stood += passed
        number, item, packing = place_of(word)
        timeout = self._pool.timeout
        if timeout is None or process.stood <= timeout or item is None or packing:
            return
        if process.jobs and process.jobs[0].number == number:
            self._late(process, process.jobs[0], item)

    # -- accidents ----------------------------------------------------------------------------------

    def _late(self, process: Process, job: Job, item: int) -> None:
        """End a worker whose item takes too long. If the batch is done meanwhile, its answer is taken."""
        process.kill()
        self._drop(process)
        if job.answer is None:
            job.skip[item] = DocumentTimeoutError(
                f"the document took longer than {self._pool.timeout:g} seconds and was given up. Raise timeout, or cut "
                "the document into parts."
            )
            job.attempts = 0
        self._queue_again(process)

    def _died(self, process: Process) -> None:
        number, item, _ = process.place
        how = self._drop(process)
        if process.jobs and process.jobs[0].number == number:
            self._died_of(process.jobs[0], item, process.pid, how)
        elif not process.ready:
            self._early += 1
            self._died_early(process.pid, how)
        else:
            self._idle += 1
            if self._idle > self._patience:
                raise CantleError(f"Worker processes die before they begin ({how}). Use workers=1 to see why.")
            self._pool.say(f"Worker process {process.pid} died ({how}) while it did nothing. Another one goes on.")
        self._queue_again(process)

    def _died_early(self, pid: int | None, how: str) -> None:
        if not self._began and how.startswith("exit code"):  # it was not killed: the program is wrong
            if self._early > 1:
                raise CantleError(
                    f"Worker processes cannot start ({how}). A script that starts workers needs its main part under "
                    "`if __name__ == '__main__':`, and must be a file; or use workers=1."
                )
            return
        if self._early > self._patience:
            raise CantleError(f"Worker processes die before they can begin ({how}). Use fewer workers, or workers=1.")
        self._pool.say(f"Worker process {pid} died ({how}) before it could begin. Another one is started.")

    def _died_of(self, job: Job, item: int | None, pid: int, how: str) -> None:
        job.attempts += 1
        if job.attempts < 2:
            count = len(job)
            self._pool.say(
                f"Worker process {pid} died ({how}) while it worked on {count} document{'' if count == 1 else 's'}. "
                f"{'It is' if count == 1 else 'They are'} tried once more."
            )
            return
        if item is None or not item < len(job) or item in job.skip:
            if job.attempts > _BLANK:
                raise CantleError(
                    f"Worker processes die ({how}) before they get to a document. Use workers=1 to see why."
                )
            return
        job.skip[item] = WorkerError(
            f"the worker process died while it cut this document, twice ({how}), most often for lack of memory. Try it "
            "alone with workers=1, or cut the document into parts."
        )
        job.attempts = 0

    def _drop(self, process: Process) -> str:
        """Have done with a process that ends, but take the answers that it gave. Says how it ended."""
        process.join(_GOING)
        process.kill()  # it may have closed its end and go on
        while (message := process.receive()) is not None:
            self._received(process, *message)
        self._selector.unregister(process.link)
        self._pool.processes.remove(process)
        return process.close()

    def _queue_again(self, process: Process) -> None:
        self._queue.extendleft(reversed(process.jobs))
        process.jobs.clear()
