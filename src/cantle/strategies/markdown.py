"""`markdown`: cut at headings, then paragraphs; or one chunk a section, headings in the metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..chunk import Chunk, Cut, Span
from ..chunks import Chunks
from ..graphemes import trim
from ..hookspecs import hookimpl
from ..markdown import Layout, Part, Tables, sections
from ..packing import Level, Packer, Spans, level
from ..places import Path, Paths
from ..separators import LANGUAGES
from ..source import Source
from ..strategy import DEFAULT_SIZE, MAX_SIZE, NO_LIMIT, Sized, Strategy, option

__all__ = ["Markdown"]

_ONLY_WITH_HEADERS = ("return_each_line", "strip_headers", "setext_headers")
_ONLY_WITH_LIMIT = ("overlap", "length_function", "repeat_table_header")


@dataclass(frozen=True, kw_only=True)
class Markdown(Sized):
    """Cut at headings; where a section is too long at paragraphs, lines and words.

    Neighbouring sections are joined up to `max_size`. Fenced code, display formulas, comments and front matter are
    not cut while they fit. `chunk.path` holds the titles of the headings around the chunk's start.

    With `headers` every section is a chunk, with the titles in its metadata; `max_size` then is no limit unless it is
    given.

    With `separator_position` the text is cut at the patterns that `recursive` knows for `language="markdown"`, as
    Mastra does it.
    """

    name: ClassVar[str] = "markdown"
    kind: ClassVar[str] = "markdown"

    max_size: float | tuple[float, float] | None = option(
        None, MAX_SIZE + " None: 4000, or no limit with headers.", "length units", above=0
    )
    headers: Sequence[tuple[str, str]] | None = option(
        None,
        "Make every section a chunk: pairs (mark, key), such as ('#', 'title'). The title of a heading with this mark "
        "goes into the metadata under the key, for its whole section. Headings with other marks are text. Other marks "
        "than # to ###### are words that a heading's line begins with.",
    )
    return_each_line: bool = option(False, "With headers: every line is a chunk of its own.")
    strip_headers: bool = option(True, "With headers: leave the lines of headings out of the text.")
    setext_headers: bool = option(
        False, "With headers: a title underlined with = or - is a heading, like one with # or ##."
    )
    repeat_table_header: bool = option(
        False,
        "Where a table is longer than max_size and is cut, begin each further chunk of it with its header and "
        "delimiter rows.",
    )

    def __post_init__(self) -> None:
        if self.headers is not None:
            object.__setattr__(self, "headers", checks.pairs("headers", self.headers, "[('#', 'title')]"))
        for name in (*_ONLY_WITH_HEADERS, "repeat_table_header"):
            checks.boolean(name, getattr(self, name))
        super().__post_init__()

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.headers is None:
            reason, names = "without headers", list(_ONLY_WITH_HEADERS)
        elif self.max_size is None:
            reason, names = "with headers and no max_size", [*_ONLY_WITH_LIMIT, "separator_position"]
        else:
            reason, names = "with headers", ["separator_position"]
        found |= dict.fromkeys(self._given(names), reason)
        if self.repeat_table_header:
            if self.headers is None and self.separator_position is not None:
                found["repeat_table_header"] = "with separator_position"
            elif self.headers is not None and self.return_each_line:
                found["repeat_table_header"] = "with return_each_line"
        return found

    @property
    def drops(self) -> tuple[str, ...]:
        """Why text may be in no chunk."""
        return ("heading-in-metadata",) if self.headers is not None and self.strip_headers else ()

    @property
    def limit(self) -> float:
        """The most a chunk may measure."""
        if self.max_size is None:
            return DEFAULT_SIZE if self.headers is None else NO_LIMIT
        return super().limit

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text, or with a table's header in front."""
        layout = Layout(source.text)
        if self.headers is not None:
            return self._sections(source, layout)
        measure = self.length.measure(source.text)
        levels = layout.levels(measure, self.limit) if self.separator_position is None else self._patterns()
        packer, paths = self.packer(source.text, levels, measure), layout.paths()
        if self.repeat_table_header and self.separator_position is None:
            tables = Tables(layout, packer, self.length)
            return Chunks(source, self._cut(packer, tables, (0, len(source.text)), paths), dropped=())
        spans = packer.pack()
        return Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts, paths=paths)

    def _patterns(self) -> list[Level]:
        return [level(p, regex=True, position=self.separator_position) for p in LANGUAGES["markdown"]]

    def _sections(self, source: Source, layout: Layout) -> Chunks:
        assert self.headers is not None
        text = source.text
        found = sections(
            layout,
            self.headers,
            strip=self.strip_headers,
            lines=self.return_each_line,
            underlined=self.setext_headers,
        )
        dropped = [(a, b, "heading-in-metadata") for a, b in found.dropped]
        if self.max_size is None:
            return Chunks(source, self._whole(text, found.parts), dropped=dropped)
        measure = self.length.measure(text)
        packer = self.packer(text, layout.levels(measure, self.limit), measure)
        tables = Tables(layout, packer, self.length) if self.repeat_table_header else None
        chunks = []
        for part in found.parts:
            chunks += self._cut(packer, tables, (part.start, part.end), part.path, part.metadata)
        return Chunks(source, chunks, dropped=dropped)

    def _whole(self, text: str, parts: Iterable[Part]) -> Iterator[Chunk]:
        """Every part as one chunk."""
        kind = "line" if self.return_each_line else "heading"
        for start, end, metadata, path in parts:
            cut = Cut("end" if end >= len(text) else kind, 0) if self.explain else None
            if self.strip_whitespace:
                start, end = trim(text, start, end)
            yield Chunk(text[start:end], start, end, path=path, metadata=metadata, cut=cut)

    def _cut(
        self,
        packer: Packer,
        tables: Tables | None,
        region: Span,
        paths: Paths | Path,
        metadata: Mapping[str, str] | None = None,
    ) -> list[Chunk]:
        """The chunks of a region that is one of its own: nothing is joined or repeated over its ends."""
        text = packer.text
        chunks: list[Chunk] = []
        border = Cut("line" if self.return_each_line else "heading", 0)
        for start, end, table in tables.regions(*region) if tables is not None else [(*region, None)]:
            cut = border if tables is None or end == region[1] else tables.border(end)
            if tables is not None and table is not None:
                chunks += tables.chunks(table, paths, metadata, cut)
                continue
            spans = packer.spans = Spans(text, self.strip_whitespace, self.explain)
            packer.add_or_cut(start, end, cut)
            if self.least:
                spans.join_small(packer.measure, self.least, self.limit)
            chunks += _slices(text, spans, paths, metadata)
        return chunks


def _slices(text: str, spans: Spans, paths: Paths | Path, metadata: Mapping[str, str] | None) -> Iterator[Chunk]:
    cuts: Sequence[Cut | None] = spans.cuts if spans.cuts is not None else [None] * len(spans.starts)
    before = 0
    for start, end, cut in zip(spans.starts, spans.ends, cuts, strict=True):
        path = paths if isinstance(paths, tuple) else paths(start)
        overlap = max(0, min(before, end) - start)
        yield Chunk(text[start:end], start, end, overlap=overlap, path=path, metadata=metadata, cut=cut)
        before = end


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Markdown]
