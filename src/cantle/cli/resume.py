"""`cantle chunk --resume`: what is done stays beside the output until all is done, and is not done again."""

from __future__ import annotations

import hashlib
import io
import os
from array import array
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

import click

from ..batch import Result, name_of
from ..document import MDocument
from ..files import sha256_of
from ..written import to_json
from .group import Failure
from .journal import Done, Entries, Journal, checksum, opened_for_both, sync_directory, write_all
from .outputs import Output, Writer, mode_of, target
from .settings import differences
from .tables import counted, printable

__all__ = ["Partial"]

_BLOCK = 1 << 20
_ASKED = 1000
"""So many documents are looked at together."""


class Partial:
    """The partial file of an output with its journal; a context manager.

    `begin` tells which documents must be cut, `take` gets their results, `finish` makes the output of all. Left before
    that, both files stay for the next run, unless they hold nothing.
    """

    def __init__(self, out: str, config: Mapping[str, Any], start: bytes | None, *, quiet: bool = False) -> None:
        """`start` is that of the `Writer`. Raises `Failure` where the files cannot be gone on with."""
        self.out = target(out)
        if self.out.exists() and not self.out.is_file():
            raise Failure(f"{out} is no file that can be replaced; --resume needs one. Give -o another name.", 2)
        self.path = self.out.with_name(f"{self.out.name}.partial")
        journal = self.out.with_name(f"{self.out.name}.partial.journal")
        self._new_file = self.path.with_name(f"{self.path.name}.new")  # always the same: one of a killed run goes
        self._start, self._plain, self._quiet = start or b"", start is not None, quiet
        self._places = array("q")  # for each input the number of its entry, or -1
        self._asked = array("q")  # the inputs that are cut, in their order
        self._results = self._missing = 0
        self._synced = monotonic()
        self._pause = 1.0
        try:
            self._journal = Journal(journal, mode_of(self.out))
        except OSError as error:
            raise Failure(f"Cannot write {journal}: {error.strerror}", 2) from error
        self.entries = Entries()
        self._new = True
        try:
            self._open(config)
        except BaseException:
            (self._journal.remove if self._new else self._journal.close)()
            raise

    # -- opening --------------------------------------------------------------------------------------

    def _open(self, config: Mapping[str, Any]) -> None:
        self._new = False
        before, documents = self._journal.read()
        self._new = before is None
        if before is None:
            self._refuse_foreign()
        elif before != config:
            raise Failure(
                f"{self.path} was begun with other settings: {differences(before, config)}. Give the same again to "
                f"go on, or remove it and {self._journal.path.name} to begin anew.",
                2,
            )
        if before is None:
            self._journal.begin(config)
        try:
            self._file = opened_for_both(self.path, mode_of(self.out))
        except OSError as error:
            raise Failure(f"Cannot write {self.path}: {error.strerror}", 2) from error
        size = os.fstat(self._file.fileno()).st_size
        if before is not None and self._file.read(len(self._start)) == self._start:
            for done in documents:
                if done.at != (self.entries.end or len(self._start)) or done.at + done.size > size:
                    break  # what follows was never written as a whole
                self.entries.add(done, before=True)
            self._journal.shorten(len(self.entries))
        else:
            if before is not None:
                self._journal.begin(config)
            self._file.truncate(0)
            self._file.seek(0)
            write_all(self._file, self._start)
        self._end = self.entries.end or len(self._start)
        self._file.truncate(self._end)
        self._file.seek(self._end)
        sync_directory(self.path.parent)

    def _refuse_foreign(self) -> None:
        """The journal is made first: a file without one is not ours, or nobody can say what is in it."""
        with suppress(FileNotFoundError):
            if self.path.stat().st_size:
                raise Failure(
                    f"{self.path} is there without a journal that says what is in it. Remove it, or rename it.", 2
                )

    # -- documents ------------------------------------------------------------------------------------

    def begin(
        self, inputs: list[MDocument | Path], threads: int = 1, *, missing: int = 0, progress: bool = False
    ) -> list[MDocument | Path]:
        """Those of the inputs that must be cut. The others are in the partial file, made from the same bytes.

        `missing` counts further ones, which could not be read.
        """
        self._missing = missing
        todo: list[MDocument | Path] = []
        waiting = iter(inputs)
        with ExitStack() as stack:
            pool = stack.enter_context(ThreadPoolExecutor(max(1, min(threads, 16))))
            advance = None
            if progress and len(self.entries):
                from ..console import Bar

                advance = stack.enter_context(Bar(len(inputs), "Compared", "kept document")).advance
            while some := list(islice(waiting, _ASKED)):
                found = pool.map(self._kept, some) if len(self.entries) else [None] * len(some)
                for item, number in zip(some, found, strict=True):
                    if number is None:
                        self._asked.append(len(self._places))
                        todo.append(item)
                    self._places.append(-1 if number is None else number)
                    if advance is not None:
                        advance(number is not None)
        if self.kept and not self._quiet:
            click.echo(f"{self.kept} of {counted(self.total, 'document')} were done before.", err=True)
        return todo

    def _kept(self, item: MDocument | Path) -> int | None:
        name = name_of(item)
        if not self.entries.knows(name):
            return None
        try:
            digest = _digest(item)
        except (OSError, ValueError):
            return None  # it is reported when it is to be cut
        number = self.entries.find(name, digest)
        return number if number is not None and self._is_whole(name, digest, number) else None

    def _is_whole(self, name: str, digest: str, number: int) -> bool:
        crc = checksum(name, digest, b"")
        with self.path.open("rb") as file:
            for block in _blocks(file, self.entries.at[number], self.entries.size[number]):
                crc = checksum(name, digest, block, crc)
        return crc == self.entries.crc[number]

    @property
    def total(self) -> int:
        """How many inputs there are."""
        return len(self._places) + self._missing

    @property
    def kept(self) -> int:
        """How many of them are done."""
        return len(self._places) - self._places.count(-1)

    def take(self, result: Result) -> None:
        """The next result of what `begin` gave; in any order where only the sum counts."""
        position = self._asked[self._results]
        self._results += 1
        if result.error is not None:
            return
        digest = result.sha256 or ("" if result.document is None else _digest(result.document))
        crc = checksum(result.name, digest, result.value)
        done = Done(result.name, digest, self._end, len(result.value), result.count, crc)
        write_all(self._file, result.value)  # before the journal says so
        self._end += done.size
        self._journal.add(done)
        self._places[position] = self.entries.add(done)
        self._sync_now_and_then()

    def _sync_now_and_then(self) -> None:
        """A machine that stops costs a second's work; on a slow disk more, for one that waits does no work."""
        now = monotonic()
        if now - self._synced > self._pause:
            self._sync()
            self._synced = monotonic()
            self._pause = min(max(1.0, 10 * (self._synced - now)), 60.0)

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._journal.sync()

    # -- the end --------------------------------------------------------------------------------------

    def finish(self, make: Callable[[Output], Writer], *, ordered: bool, whole: bool) -> None:
        """Write the output: what a run that was never interrupted writes. `make` gives the writer for it.

        The partial file goes when the `whole` work is done; if not, what failed can be tried again.
        """
        numbers = [number for number in self._places if number >= 0]
        if not ordered:
            numbers.sort()
        if self._plain and whole and self._is_the_output(numbers):
            self._sync()
            os.chmod(self.path, mode_of(self.out))
            self._file.close()
            os.replace(self.path, self.out)
        else:
            self._write_whole(make, numbers)
        sync_directory(self.out.parent)
        if whole:
            self._remove()

    def _write_whole(self, make: Callable[[Output], Writer], numbers: list[int]) -> None:
        self._new_file.unlink(missing_ok=True)
        try:
            with (
                io.BufferedWriter(opened_for_both(self._new_file, mode_of(self.out))) as stream,
                self.path.open("rb") as file,
            ):
                to = make(Output(stream))
                for number in numbers:
                    to.write(b"".join(_blocks(file, self.entries.at[number], self.entries.size[number])))
                to.close()
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(self._new_file, mode_of(self.out))
            os.replace(self._new_file, self.out)
        finally:
            self._new_file.unlink(missing_ok=True)

    def _is_the_output(self, numbers: list[int]) -> bool:
        end = len(self._start)
        for number in numbers:
            if self.entries.at[number] != end:
                return False
            end += self.entries.size[number]
        return end == self._end

    def _remove(self) -> None:
        self._file.close()
        self._new_file.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
        self._journal.remove()  # last: a partial file without a journal is refused

    def __enter__(self) -> Partial:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._file.closed:
            return
        if not len(self.entries):
            self._remove()
            if isinstance(error, KeyboardInterrupt) and not self._quiet:
                error.add_note("No document was done yet, and nothing is kept.")
            return
        with suppress(OSError):
            self._sync()
        self._file.close()
        self._journal.close()
        if self._quiet or (error is None and self.kept == self.total):
            return
        said = f"{self.kept} of {counted(self.total, 'document')} are kept in {printable(str(self.path))}:"
        if error is None:
            said += " the same command tries the others again. Remove it and its journal if you do not want that."
        else:
            said += " run the same command again, with --resume, to go on."
        if isinstance(error, KeyboardInterrupt):
            error.add_note(said)
        else:
            click.echo(said, err=True)


def _blocks(file: Any, at: int, size: int) -> Iterator[bytes]:
    file.seek(at)
    while size > 0:
        block = file.read(min(size, _BLOCK))
        if not block:
            return  # shorter than it was: no checksum fits
        size -= len(block)
        yield block


def _digest(item: MDocument | Path) -> str:
    """The SHA-256 of a file's bytes, or of what a document is that was read already."""
    if isinstance(item, Path):
        return sha256_of(item)
    told = f"{item.kind}\0{item.body}\0{to_json(item.metadata, sort_keys=True)}\0{item.text}"
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
