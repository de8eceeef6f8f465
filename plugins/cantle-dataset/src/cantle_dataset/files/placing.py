"""Where a dataset goes: a folder or a file that appears when it is complete, with what is to be told of it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
from pyarrow import compute, parquet

from cantle.commands import to_json
from cantle.errors import OptionError

from ..columns import SCHEMA_VERSION
from ..errors import DatasetError
from .writing import writer_of

__all__ = ["ERRORS", "MARKER", "Failure", "Place"]

MARKER = "_SUCCESS"
ERRORS = "_errors.jsonl"
"""Files beside the parts; readers of Parquet leave out what begins with `_`."""


@dataclass(frozen=True)
class Failure:
    """A document that failed, as it stands in the file of errors."""

    document_id: str | None
    error: str


class Place:
    """A temporary folder beside `out`, for parts; `finish` puts them in their place, leaving the block removes it."""

    def __init__(self, out: str, *, overwrite: bool) -> None:
        if "://" in out:
            raise OptionError(f"{out} is no path of a folder. Write to a folder, or to a mounted storage.")
        self._out = Path(os.path.realpath(out))
        self.single = self._out.suffix.lower() == ".parquet"
        self._overwrite = overwrite
        if self._out.exists() and not overwrite:
            raise OptionError(f"{out} is there already. Give another name, or --overwrite to replace it.")
        if self._out.is_dir() and (foreign := _foreign(self._out)):
            raise OptionError(
                f"{out} holds other things than a dataset of cantle ({foreign}), so it is not replaced. "
                "Remove it yourself, or give another name."
            )
        if self._out.exists() and self._out.is_dir() == self.single:
            what = "a folder" if self.single else "a file"
            raise OptionError(f"{out} is {what}. A name that ends with .parquet is one file, all others are folders.")
        self._errors = self._out.with_name(f"{self._out.name}.errors.jsonl")
        if self.single and os.path.lexists(self._errors) and not _is_of_errors(self._errors):
            raise OptionError(
                f"{self._errors} is there, which {out} needs for the documents that fail, and is not ours. Remove it "
                "yourself, or give another name."
            )
        self._folder: Path | None = None

    def __enter__(self) -> Place:
        self._out.parent.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix=f".{self._out.name}.", suffix=".partial", dir=self._out.parent))
        self._parts = self._folder / "parts"
        self._parts.mkdir()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def check(self, source: str, files: Iterable[str]) -> None:
        """Raise `OptionError` where the output is the input, or one is in the other."""
        given = Path(os.path.realpath(source))
        if given == self._out or given in self._out.parents or self._out in given.parents:
            raise OptionError(f"{self._out} is what is read, or one is in the other. Write the chunks elsewhere.")
        replaced = {self._out, self._errors} if self.single else {self._out}
        for real in map(Path, map(os.path.realpath, files)):
            if not replaced.isdisjoint((real, *real.parents)):  # links may lead there
                raise OptionError(f"{real} is read, and would be replaced. Write the chunks to another place.")

    @property
    def folder(self) -> str:
        """Where the parts are to be written."""
        return str(self._parts)

    def failures(self, *, drop: bool) -> list[Failure]:
        """The documents that have an error in the parts; with `drop` their rows are taken out."""
        found: list[Failure] = []
        for part in self._files():
            mine = list(_failures(part))
            if mine and drop:
                _without_failures(part)
            found += mine
        return found

    def finish(self, schema: pa.Schema | None, failures: list[Failure], told: dict[str, Any]) -> int:
        """Move all to its place; the number of rows. `told` goes into the marker, `schema` is for a part without rows.

        An output that was there is replaced now.
        """
        parts = self._files()
        if not parts and schema is not None:
            empty = self._parts / "part-00000.parquet"
            writer_of(empty, schema).close()
            parts = [empty]
        made = self._folder / "made" if self._folder is not None else Path()
        made.mkdir()
        named = []
        for i, part in enumerate(parts):
            named.append(made / f"part-{i:05}.parquet")
            os.rename(part, named[-1])
        rows = [parquet.read_metadata(part).num_rows for part in named]
        failed = sum(failure.document_id is not None or bool(failure.error) for failure in failures)
        lines = "".join(to_json({"document_id": f.document_id, "error": f.error}) + "\n" for f in failures)
        if self.single:
            one = named[0] if len(named) == 1 else _concatenated(named, made / "all.parquet")
            with suppress(FileNotFoundError):
                self._errors.unlink()
            if failures:
                self._errors.write_text(lines, encoding="utf-8")
            _umasked(one, 0o666)
            _synced(one)
            os.replace(one, self._out)
        else:
            if failures:
                (made / ERRORS).write_text(lines, encoding="utf-8")
            parts_told = {part.name: count for part, count in zip(named, rows, strict=True)}
            marker = {"schema": SCHEMA_VERSION, **told, "failed": failed, "parts": parts_told}
            (made / MARKER).write_text(json.dumps(marker, indent=2) + "\n", encoding="utf-8")
            _umasked(made, 0o777)
            for file in made.iterdir():
                _synced(file)
            self._replace(made)
        return sum(rows)

    def _replace(self, made: Path) -> None:
        assert self._folder is not None
        old = self._folder / "old"
        try:
            if self._overwrite and self._out.exists():
                os.rename(self._out, old)
            os.rename(made, self._out)
        except BaseException as error:  # Ctrl-C too
            if old.exists() and not self._out.exists():
                os.rename(old, self._out)
            if not isinstance(error, OSError):
                raise
            raise DatasetError(
                f"{self._out} came to be while this ran and is not replaced ({error.strerror})."
            ) from None

    def _files(self) -> list[Path]:
        """The parts, in the order of their names; what engines leave beside them is no part."""
        return sorted(
            file for file in self._parts.rglob("*.parquet") if file.is_file() and not file.name.startswith((".", "_"))
        )


def _foreign(folder: Path) -> str:
    """What is in a folder that is no part of a dataset of ours; nothing if there is nothing else."""
    names = sorted(file.name for file in folder.iterdir())
    if not names:
        return ""
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        marker = None
    if not isinstance(marker, dict) or "schema" not in marker or not isinstance(marker.get("parts"), dict):
        return f"no {MARKER} of ours"
    ours = {MARKER, ERRORS, *marker["parts"]}
    others = [name for name in names if name not in ours and not name.startswith(".")]
    return others[0] if others else ""


def _is_of_errors(file: Path) -> bool:
    """Whether a file is a list of documents that failed: what its first line holds tells."""
    try:
        with file.open("rb") as lines:
            first = json.loads(lines.readline(1 << 20))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() == {"document_id", "error"}


def _umasked(path: Path, mode: int) -> None:
    """The mode of a new file or folder: temporary ones are private."""
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(path, mode & ~mask)


def _synced(file: Path) -> None:
    """Have a file on the disk before its name is: a power cut leaves the whole or nothing."""
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def _groups_with_failures(file: parquet.ParquetFile) -> set[int]:
    place = next(i for i in range(file.metadata.num_columns) if file.metadata.schema.column(i).path == "error")
    with_errors = set()
    for group in range(file.num_row_groups):
        found = file.metadata.row_group(group)
        column = found.column(place)
        nulls = None if column.statistics is None else column.statistics.null_count
        if nulls is None or nulls < found.num_rows:
            with_errors.add(group)
    return with_errors


def _failures(part: Path) -> Iterator[Failure]:
    with parquet.ParquetFile(part) as file:
        for group in sorted(_groups_with_failures(file)):
            for batch in file.iter_batches(row_groups=[group], columns=["document_id", "error"]):
                table = pa.Table.from_batches([batch]).filter(compute.is_valid(batch.column("error")))
                yield from (Failure(**row) for row in table.to_pylist())


def _without_failures(part: Path) -> None:
    """Write the part anew without the rows of documents that failed, row group by row group."""
    fresh = part.with_name("_fresh")
    with parquet.ParquetFile(part) as file:
        schema = file.schema_arrow
        with writer_of(fresh, schema) as writer:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                table = table.filter(compute.is_null(table.column("error")))
                if table.num_rows:
                    writer.write_table(table, row_group_size=table.num_rows)
    os.replace(fresh, part)


def _concatenated(parts: list[Path], to: Path) -> Path:
    schema = parquet.read_schema(parts[0])
    with writer_of(to, schema) as writer:
        for part in parts:
            with parquet.ParquetFile(part) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group).cast(schema)
                    writer.write_table(table, row_group_size=max(1, table.num_rows))
    return to
