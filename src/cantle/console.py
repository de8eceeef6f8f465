"""Rich's door: a progress bar on standard error. Rich is imported only when one is shown."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType

__all__ = ["Bar", "say_waiting"]


def say_waiting(calls: int) -> None:
    """Say, where Ctrl-C ended a run, that so many calls are waited for; to be called while that is handled."""
    if calls and isinstance(sys.exception(), KeyboardInterrupt) and sys.stderr is not None:
        what = "the call that is" if calls == 1 else f"{calls} calls that are"
        sys.stderr.write(f"\nWaiting for {what} under way and may be billed. Ctrl-C again ends at once.\n")
        sys.stderr.flush()


class Bar:
    """A progress bar on standard error: `total` documents or other `items`, or an open end when it is None.

    It counts `made` things that come of them, and where they are told characters, and bytes as megabytes a second.

    It has no thread of its own: a process that is forked while one runs could hang.
    """

    def __init__(self, total: int | None, items: str = "Documents", made: str = "chunk") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[made]}"),
            TimeElapsedColumn(),
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not (console.is_terminal or console.is_jupyter),  # in a log file a bar is noise
            redirect_stdout=False,  # it would send what the caller prints to standard error
        )
        self._task = self._progress.add_task(items, total=total, made=f"0 {made}s")
        self._unit = made
        self._made = self._characters = self._bytes = self._items = 0
        self._began = monotonic()
        self._shown = 0.0

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._show(refresh=False)  # what came since it was last shown; stopping draws it
        self._progress.stop()

    def tick(self) -> None:
        """Show the time that has passed."""
        self._show(refresh=True)
        self._shown = monotonic()

    def advance(self, made: int, items: int = 1, *, characters: int = 0, size: int = 0) -> None:
        """One more document is done, or so many `items`, with that many chunks.

        `characters` is the length of its text, `size` its bytes.
        """
        self._made += made
        self._characters += characters
        self._bytes += size
        self._items += items
        now = monotonic()
        if now - self._shown <= 0.1:
            return
        self._shown = now
        self._show(refresh=True)

    def _show(self, *, refresh: bool) -> None:
        shown = f"{self._made} {self._unit}{'' if self._made == 1 else 's'}"
        if self._characters:
            shown += f" · {_short(self._characters)} characters"
        if self._bytes:
            shown += f" · {self._bytes / 1e6 / max(monotonic() - self._began, 1e-3):.1f} MB/s"
        self._progress.update(self._task, completed=self._items, made=shown, refresh=refresh)


def _short(count: int) -> str:
    for unit, least in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= least:
            return f"{count / least:.1f}{unit}"
    return str(count)
