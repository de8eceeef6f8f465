"""`Chunks`, what `chunk()` returns: the chunks of one document, in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any, overload

from .chunk import Chunk, Cut, Span
from .columns import Columns
from .errors import MissingDependencyError, PluginError
from .moves import Moved, rewritten, shift
from .source import OffsetMap, Source
from .whitespace import is_blank
from .written import to_json, without_surrogates

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from .relations import Outline, Relation

__all__ = ["Chunks"]

_SENT = ("content", "overlap", "prefix", "path", "embedding", "oversize", "cut", "_extra", "_metadata")
"""What of a chunk is pickled with its siblings, where it differs from the default."""

_WRITTEN = {
    *("source", "strategy", "_config_hash", "_items", "_kept", "_columns", "_find_dropped", "_dropped"),
    *("_occurrences", "_line_starts", "_outline", "_relations", "_base"),
}
"""Attributes of a result that are pickled in a form of their own, or not at all."""

_FIELDS = len(_WRITTEN) + 3
"""How many it has beside what others have written to it."""

_MADE = ("content", "start", "end", "spans", "overlap", "prefix", "path", "oversize", "cut")
"""What a chunk has from the columns of positions."""


class Chunks(Sequence[Chunk]):
    """The chunks of one document, in order, with the document they come from.

    Columns of positions inside; `Chunk` objects are made when asked for, and kept. `source` is the
    document, `config_hash` names strategy, options and version. Pickles.
    """

    def __init__(
        self,
        source: Source,
        chunks: Iterable[Chunk] = (),
        *,
        dropped: Iterable[tuple[int, int, str]] | Callable[[], Iterable[tuple[int, int, str]]] | None = None,
        gap_reason: str = "separator",
        config_hash: str | Callable[[], str] = "",
        unique_paths: bool = False,
    ) -> None:
        """Hold `chunks` of `source`, numbering them.

        `dropped` lists what is in no chunk by intent, as `(start, end, reason)`; when it is None,
        every gap between chunks that holds more than white space counts as dropped for
        `gap_reason`. A function is called when the list is first asked for. `unique_paths` says that a path
        is one place, as in JSON: where it comes again it is no other section of the same name.
        """
        self.source = source
        self.unique_paths = unique_paths
        self.strategy: object = None
        """The strategy that made them, while it is at hand: it does not pickle along."""
        self._config_hash = config_hash
        self._items: list[Chunk | None] = list(chunks)
        self._kept: dict[int, Chunk] = {}
        self._columns: Columns | Moved | None = None
        self._start_index = False
        self._find_dropped = dropped if callable(dropped) else None
        self._dropped = None if dropped is None or callable(dropped) else list(dropped)
        self._gap_reason = gap_reason
        self._occurrences: list[int] | None = None
        self._line_starts: list[int] | None = None
        self._outline: Outline | None = None
        self._relations: list[Relation] | None = None
        # As it is now: chunks settle their metadata when they are asked for it.
        self._base: Mapping[str, Any] = deepcopy(dict(source.metadata)) if source.metadata else {}
        for i, chunk in enumerate(self._items):
            if not isinstance(chunk, Chunk):
                raise PluginError(f"a strategy must give Chunk objects, got {chunk!r} at position {i}.")
            if not (isinstance(chunk.content, str) and isinstance(chunk.start, int) and isinstance(chunk.end, int)):
                raise PluginError(
                    f"the chunk at position {i} must have a str and two whole numbers as content, start and end, "
                    f"got {chunk.content!r}, {chunk.start!r} and {chunk.end!r}."
                )
            if chunk._siblings is self:
                raise PluginError(f"a strategy must give each Chunk once, got {chunk!r} again at position {i}.")
            if chunk._siblings is not None:  # it belongs to another result already, which keeps it
                chunk = self._items[i] = copy(chunk)
            self._adopt(chunk, i)

    @classmethod
    def from_spans(
        cls,
        source: Source,
        starts: Sequence[int],
        ends: Sequence[int],
        *,
        cuts: Sequence[Cut | None] | None = None,
        own: Sequence[int] | None = None,
        paths: Callable[[int], tuple[str, ...]] | None = None,
        prefixes: Callable[[int], str] | None = None,
        metadata: Sequence[Mapping[str, Any] | None] | Callable[[int], Mapping[str, Any] | None] | None = None,
        joined: Mapping[int, tuple[Span, ...]] | None = None,
        dropped: Iterable[tuple[int, int, str]] | None = None,
        gap_reason: str = "separator",
    ) -> Chunks:
        """Chunks that are the literal slices `text[starts[i]:ends[i]]`; starts ascend.

        Where a chunk begins before its predecessor ends, the difference is its overlap; `own` is where its own text
        begins then. `paths` gives the path of such a place, `prefixes` the prefix of a chunk by its number, `metadata`
        what it has beside the document's; functions are called when a chunk is asked for. `joined` names the stretches
        of those that are no such slices, but stretches with line ends between them, by their numbers.
        """
        chunks = cls(source, dropped=dropped, gap_reason=gap_reason)
        if metadata is not None and not callable(metadata):
            metadata = metadata.__getitem__
        chunks._columns = Columns(starts, ends, cuts, own, paths, prefixes, metadata, joined or {})
        chunks._items = [None] * len(starts)
        return chunks

    @property
    def config_hash(self) -> str:
        """16 hexadecimal digits that stand for strategy, options and version."""
        if not isinstance(self._config_hash, str):
            self._config_hash = self._config_hash()
        return self._config_hash

    @config_hash.setter
    def config_hash(self, value: str | Callable[[], str]) -> None:
        self._config_hash = value

    def _adopt(self, chunk: Chunk, index: int) -> None:
        chunk.index = index
        chunk.source = self.source.source
        chunk._base = self._base
        chunk._siblings = self
        if chunk._metadata is not None:  # what was written into it before is kept, on top of ours
            chunk._extra, chunk._metadata = chunk._metadata, None
        if self._start_index:
            chunk._extra = {**(chunk._extra or {}), "start_index": chunk.start}

    def _at(self, i: int) -> Chunk:
        chunk = self._items[i]
        if chunk is None:
            self._adopt(chunk := self._made(i), i)
            # Threads that ask at once get one and the same: what is written into it is not lost.
            chunk = self._items[i] = self._kept.setdefault(i, chunk)
        return chunk

    def _made(self, i: int) -> Chunk:
        assert self._columns is not None
        return self._columns.make(self.source.text, i)

    def _occurrence(self, index: int) -> int:
        if self._occurrences is None:
            seen: dict[str, int] = {}
            numbers = []
            for chunk in self:
                text = chunk.text
                numbers.append(seen.get(text, 0))
                seen[text] = numbers[-1] + 1
            self._occurrences = numbers
        return self._occurrences[index]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Chunk: ...
    @overload
    def __getitem__(self, index: slice) -> list[Chunk]: ...
    def __getitem__(self, index: int | slice) -> Chunk | list[Chunk]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        i = index + len(self) if index < 0 else index
        if not 0 <= i < len(self):
            raise IndexError(f"there are {len(self)} chunks, no chunk {index}")
        return self._at(i)

    def __iter__(self) -> Iterator[Chunk]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Chunks):
            return self.source.text == other.source.text and list(self) == list(other)
        return list(self) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        name = f" of {self.source.source!r}" if self.source.source else ""
        return f"<{len(self)} chunks{name}, {len(self.source.text)} characters>"

    def __getstate__(self) -> tuple[Any, ...]:
        """Small: a chunk that is a literal slice goes as its positions. Functions need not pickle: their answers do."""
        dropped = self.dropped if self._find_dropped is not None else self._dropped
        columns: tuple[Any, ...] | None = None
        if isinstance(self._columns, Columns):
            columns = self._columns.settled()
        elif self._columns is not None:  # its own text need not go along
            list(self)
        rows: int | list[dict[str, Any] | None] = len(self._items)
        if any(self._items):
            rows = [None if chunk is None else self._row(chunk, i) for i, chunk in enumerate(self._items)]
        rest = None
        if self._start_index or self.unique_paths or self._gap_reason != "separator" or len(self.__dict__) > _FIELDS:
            rest = {name: value for name, value in self.__dict__.items() if name not in _WRITTEN}
        return self.source, self.config_hash, rows, columns, dropped, self._base or None, rest

    def _row(self, chunk: Chunk, i: int) -> dict[str, Any] | None:
        if isinstance(self._columns, Columns) and self._is_as_made(chunk, i):
            return None  # made on demand, and again when it is next asked for
        row = {name: getattr(chunk, name) for name in _SENT}
        row = {k: v for k, v in row.items() if v is not None and (v or not isinstance(v, str | tuple | int))}
        row["start"], row["end"] = chunk.start, chunk.end
        if self.source.text[chunk.start : chunk.end] == chunk.content:
            row.pop("content", None)
        if chunk.spans is not None:
            row["spans"] = chunk.spans
        return row

    def _is_as_made(self, chunk: Chunk, i: int) -> bool:
        """Whether a chunk that was made from the columns is still as it was made."""
        if chunk._metadata is not None or chunk.embedding is not None:
            return False
        made = self._made(i)
        return all(getattr(chunk, name) == getattr(made, name) for name in _MADE)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        source, config_hash, rows, columns, dropped, base, rest = state
        self.source, self._config_hash = source, config_hash
        self._items = [None] * (rows if isinstance(rows, int) else len(rows))
        self._columns = None if columns is None else Columns.of(columns)
        self._dropped, self._base = dropped, {} if base is None else base
        self._kept = {}
        self.strategy = self._find_dropped = None
        self._occurrences = self._line_starts = self._outline = self._relations = None
        self.unique_paths = self._start_index = False
        self._gap_reason = "separator"
        if rest is not None:
            self.__dict__.update(rest)
        if isinstance(rows, int):
            return
        for i, row in enumerate(rows):
            if row is not None:
                start, end = row["start"], row["end"]
                chunk = Chunk(source.text[start:end], start, end)
                for name, value in row.items():
                    setattr(chunk, name, value)
                self._adopt(chunk, i)
                self._items[i] = chunk

    def _repr_html_(self) -> str:
        from .html_view import render

        return render(self)

    @property
    def spans(self) -> list[Span]:
        """`(start, end)` of every chunk, in code points; makes no `Chunk` objects."""
        if not isinstance(self._columns, Columns) or any(self._items):
            return [(chunk.start, chunk.end) for chunk in self]
        return list(zip(self._columns.starts, self._columns.ends, strict=True))

    @property
    def texts(self) -> list[str]:
        """The text of every chunk: what to embed."""
        if self._columns is None or any(self._items):
            return [chunk.text for chunk in self]
        return self._columns.texts(self.source.text)

    @property
    def metadata(self) -> list[dict[str, Any]]:
        """The metadata of every chunk."""
        return [chunk.metadata for chunk in self]

    @property
    def dropped(self) -> list[tuple[int, int, str]]:
        """What is in no chunk by intent: `(start, end, reason)`, ascending, in code points."""
        if self._dropped is None:
            self._dropped = list(self._gaps() if self._find_dropped is None else self._find_dropped())
        return self._dropped

    def _gaps(self) -> Iterator[tuple[int, int, str]]:
        text, body = self.source.text, self.source.body
        if body:
            yield 0, body, "front-matter"
        covered = body
        for start, end in sorted(self._covered()):
            if start > covered and not is_blank(text[covered:start]):
                yield covered, start, self._gap_reason
            covered = max(covered, end)
        if covered < len(text) and not is_blank(text[covered:]):
            yield covered, len(text), self._gap_reason

    def _covered(self) -> Iterable[Span]:
        if isinstance(self._columns, Columns):
            return zip(self._columns.starts, self._columns.ends, strict=True)
        return (span for chunk in self for span in chunk.spans or ((chunk.start, chunk.end),))

    def moved(
        self, document: Source, offsets: OffsetMap, dropped: Iterable[tuple[int, int, str]] | None = None
    ) -> Chunks:
        """These chunks as chunks of `document`, whose text ours was made from as `offsets` says.

        `dropped` is what that left out, with the reasons; without it, all of it was `rewritten`.
        """
        distance = shift(document, offsets)
        # A plugin may call a text unchanged that it has rewritten letter for letter.
        if (
            distance is not None
            and document.text[distance:] == self.source.text
            and isinstance(self._columns, Columns)
            and all(item is None for item in self._items)
        ):
            new = Chunks(document, gap_reason=self._gap_reason, unique_paths=self.unique_paths)
            new._columns, new._items = self._columns.shifted(distance), [None] * len(self)
            if self._dropped is not None:
                new._dropped = [(a + distance, b + distance, reason) for a, b, reason in self._dropped]
                if document.body:
                    new._dropped.insert(0, (0, document.body, "front-matter"))
            return new
        left_out = [(a, b, reason) for s, e, reason in self.dropped for a, b in offsets.stretches(s, e)]
        left_out += rewritten(document, offsets) if dropped is None else dropped
        new = Chunks(document, dropped=sorted(left_out), unique_paths=self.unique_paths)
        new._columns, new._items = Moved(self, document, offsets), [None] * len(self)
        return new

    def add_start_index(self) -> None:
        """Write `start_index` into the metadata of every chunk."""
        self._start_index = True
        for i, chunk in enumerate(self._items):
            if chunk is not None:
                self._adopt(chunk, i)

    def lines(self, chunk: Chunk) -> tuple[int, int, int, int]:
        """First line, first column, last line, last column of a chunk.

        Lines and columns count from 1, columns in code points; the last column is that of the last
        character. A line ends with LF, CR LF or CR.
        """
        last = max(chunk.start, chunk.end - 1)
        return (*self._line_column(chunk.start), *self._line_column(last))

    def _line_column(self, position: int) -> tuple[int, int]:
        starts = self._line_starts
        if starts is None:
            import re

            starts = self._line_starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.source.text))]
        line = bisect_right(starts, position)
        return line, position - starts[line - 1] + 1

    def relations(self) -> list[Relation]:
        """Parent, neighbours, children and section of every chunk, in order; worked out at the first call."""
        if self._relations is None:
            self._relations = self._sections().relations([chunk.key for chunk in self])
        return self._relations

    def section(self, chunk: Chunk, *, at_most: int | None = None) -> Span:
        """Where the section that a chunk is in starts and ends in the source: see `Relation`.

        With `at_most` the largest section around the chunk of no more code points, the whole document if that
        is not longer; the chunk's own stretch if its section is. Raises `DocumentError` for a chunk of others.
        """
        return self._sections().section(chunk, at_most)

    def _sections(self) -> Outline:
        if self._outline is None:
            from .relations import Outline

            self._outline = Outline(self)
        return self._outline

    def to_dicts(self, *, relations: bool = False) -> list[dict[str, Any]]:
        """Every chunk as a dictionary, with its line numbers under `lines`.

        With `relations` also `parent`, `previous`, `next`, `children` and `section`: see `Relation`.
        """
        rows = [{**chunk.to_dict(), "lines": list(self.lines(chunk))} for chunk in self]
        if relations:
            self._sections().add_to(rows)
        return rows

    def to_columns(self, fields: Collection[str] | None = None) -> dict[str, Sequence[Any]]:
        """`to_dicts()` the other way round: the values of all chunks for each field, or each of those named; faster.

        Lists in it are tuples, values may be shared: for reading only. Raises `OptionError` for an unknown field.
        """
        from .listing import listing

        return listing(self, fields)

    def to_jsonl(self, *, relations: bool = False) -> str:
        """One line of JSON a chunk. Values that JSON does not know are written as their string."""
        return "".join(to_json(row) + "\n" for row in self.to_dicts(relations=relations))

    def to_arrow(self, *, relations: bool = False) -> pyarrow.Table:
        """A `pyarrow.Table`, one row a chunk; metadata as a JSON string. Needs the extra `arrow`."""
        from .arrow import table

        return table(self, relations=relations)

    def to_pandas(self, *, relations: bool = False) -> pandas.DataFrame:
        """A `pandas.DataFrame`, one row a chunk, lone surrogates as `?`. Needs the extra `pandas`."""
        try:
            import pandas
        except ImportError:
            raise MissingDependencyError("to_pandas()", "pandas", "cantle[pandas]") from None
        rows = self.to_dicts(relations=relations)
        for row in rows:
            row.update((name, without_surrogates(value)) for name, value in row.items() if isinstance(value, str))
        return pandas.DataFrame(rows)
