"""The progress of a job whose engine tells nothing before the end: parts that are there."""

from __future__ import annotations

import os
import threading

from . import Job, Summary
from .slices import Plan

__all__ = ["Watch"]

SECONDS = 1.0


class Watch:
    """While this lasts, a thread tells the documents of each part that appears, and `end` tells the rest."""

    def __init__(self, job: Job, plan: Plan) -> None:
        self._progress, self._plan = job.progress, plan
        self._told: set[int] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cantle-dataset-progress", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def end(self, summary: Summary) -> None:
        """Tell what was not told before: the documents of other parts, all bytes and chunks."""
        if self._progress is not None:
            before = sum(stop - start for start, stop in map(self._plan.ranges.__getitem__, self._told))
            self._progress(summary.documents - before, summary.bytes, summary.chunks)

    def _run(self) -> None:
        while self._progress is not None and not self._stop.wait(SECONDS):
            for name in os.listdir(self._plan.output):
                number = name.removeprefix("part-").removesuffix(".parquet")
                if number.isdecimal() and int(number) not in self._told:
                    self._told.add(int(number))
                    start, stop = self._plan.ranges[int(number)]
                    self._progress(stop - start, 0, 0)
