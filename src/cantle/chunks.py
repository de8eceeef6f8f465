"""`Chunks`, what `chunk()` returns: the chunks of one document, in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from typing import TYPE_CHECKING, Any, overload

from .chunk import Chunk, Cut, Span
from .errors import MissingDependencyError, PluginError
from .moves import moved, rewritten, shift
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
        self._config_hash = config_hash
        self._items: list[Chunk | None] = list(chunks)
        self._kept: dict[int, Chunk] = {}
        self._starts: Sequence[int] | None = None
        self._ends: Sequence[int] = ()
        self._cuts: Sequence[Cut] | None = None
        self._path: Callable[[int], tuple[str, ...]] | None = None
        self._extras: Sequence[Mapping[str, Any] | None] | None = None
        self._start_index = False
        self._find_dropped = dropped if callable(dropped) else None
        self._dropped = None if dropped is None or callable(dropped) else list(dropped)
        self._gap_reason = gap_reason
        self._occurrences: list[int] | None = None
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
        cuts: Sequence[Cut] | None = None,
        paths: Callable[[int], tuple[str, ...]] | None = None,
        metadata: Sequence[Mapping[str, Any] | None] | None = None,
        gap_reason: str = "separator",
    ) -> Chunks:
        """Chunks that are the literal slices `text[starts[i]:ends[i]]`; starts ascend.

        Where a chunk begins before its predecessor ends, the difference is its overlap. `paths` gives the
        path of a chunk from its start; it is called when the chunk is asked for. `metadata` is what each chunk
        has beside the document's.
        """
        chunks = cls(source, gap_reason=gap_reason)
        chunks._extras = metadata
        if paths is not None:
            chunks._path = lambda i: paths(starts[i])
        chunks._starts, chunks._ends, chunks._cuts = starts, ends, cuts
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
            chunk = self._made(i)
            self._adopt(chunk, i)
            # Threads that ask at once get one and the same: what is written into it is not lost.
            chunk = self._items[i] = self._kept.setdefault(i, chunk)
        return chunk

    def _made(self, i: int) -> Chunk:
        """A chunk made from the columns."""
        assert self._starts is not None
        start, end = self._starts[i], self._ends[i]
        overlap = max(0, min(self._ends[i - 1], end) - start) if i else 0
        cut = self._cuts[i] if self._cuts is not None else None
        path = self._path(i) if self._path is not None else ()
        extra = self._extras[i] if self._extras is not None else None
        content = self.source.text[start:end]
        return Chunk(content, start, end, overlap=overlap, path=path, metadata=extra, cut=cut)

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

    def __getstate__(self) -> dict[str, Any]:
        """Small: a chunk that is a literal slice goes as its positions."""
        state = {name: value for name, value in self.__dict__.items() if name != "_line_starts"}
        state["_config_hash"] = self.config_hash
        # Functions need not pickle.
        if self._find_dropped is not None:
            state |= {"_dropped": self.dropped, "_find_dropped": None}
        if self._path is not None:
            state["_path"] = list(map(self._path, range(len(self)))).__getitem__
        rows = [None if chunk is None else self._row(chunk, i) for i, chunk in enumerate(self._items)]
        return {**state, "_items": rows, "_kept": {}, "_occurrences": None, "_outline": None, "_relations": None}

    def _row(self, chunk: Chunk, i: int) -> dict[str, Any] | None:
        if self._starts is not None and self._is_as_made(chunk, i):
            return None  # made on demand, and again when it is next asked for
        row = {name: value for name in _SENT if not _is_default(value := getattr(chunk, name))}
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        text = self.source.text
        self._items = [None] * len(state["_items"])
        for i, row in enumerate(state["_items"]):
            if row is not None:
                start, end = row["start"], row["end"]
                chunk = Chunk(text[start:end], start, end)
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
        if self._starts is None or any(self._items):
            return [(chunk.start, chunk.end) for chunk in self]
        return list(zip(self._starts, self._ends, strict=True))

    @property
    def texts(self) -> list[str]:
        """The text of every chunk: what to embed."""
        if self._starts is None or any(self._items):
            return [chunk.text for chunk in self]
        text = self.source.text
        return [text[a:b] for a, b in zip(self._starts, self._ends, strict=True)]

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
        if self._starts is not None:
            return zip(self._starts, self._ends, strict=True)
        return (span for chunk in self for span in chunk.spans or ((chunk.start, chunk.end),))

    def moved(self, document: Source, offsets: OffsetMap) -> Chunks:
        """These chunks as chunks of `document`, whose text ours was made from as `offsets` says."""
        distance = shift(document, offsets)
        # A plugin may call a text unchanged that it has rewritten letter for letter.
        if (
            distance is not None
            and document.text[distance:] == self.source.text
            and self._starts is not None
            and all(item is None for item in self._items)
        ):
            starts = [start + distance for start in self._starts] if distance else self._starts
            ends = [end + distance for end in self._ends] if distance else self._ends
            new = Chunks.from_spans(document, starts, ends, cuts=self._cuts, gap_reason=self._gap_reason)
            new._path, new._extras, new.unique_paths = self._path, self._extras, self.unique_paths
            return new
        dropped = [(a, b, reason) for s, e, reason in self.dropped for a, b in offsets.stretches(s, e)]
        dropped += rewritten(document, offsets)
        chunks = [moved(chunk, document, offsets) for chunk in self]
        return Chunks(document, chunks, dropped=sorted(dropped), unique_paths=self.unique_paths)

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
        starts: list[int] | None = self.__dict__.get("_line_starts")
        if starts is None:
            import re

            starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.source.text))]
            self.__dict__["_line_starts"] = starts
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
        return pandas.DataFrame([{name: _storable(value) for name, value in row.items()} for row in rows])


def _is_default(value: Any) -> bool:
    return value is None or (isinstance(value, str | tuple | int) and not value)


def _storable(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value
