"""`structural-context`: sections and blocks that know their place, with the headings around them in front."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from .. import checks
from ..blocks.html import of_span
from ..blocks.sentences import Segmenter, segmenter
from ..chunk import Chunk, Span
from ..chunks import Chunks
from ..cleaning import Cleaned, CleanedReader, clean_markdown, clean_pdf, clean_text
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..lengths import TokenLength
from ..packing.reading import TextReader
from ..places import Paths
from ..source import OffsetMap, Source
from ..strategy import MAX_SIZE, Sized, Strategy, option
from ..structure import Cutter, Outline, Plan
from ..structure.facts import Facts
from ..structure.html import MADE, HtmlOutline
from ..structure.latex import LatexOutline
from ..structure.markdown import MarkdownOutline
from ..structure.text import TextOutline
from ..structure.windows import stream_text

__all__ = ["StructuralContext"]


@dataclass(frozen=True, kw_only=True)
class StructuralContext(Sized):
    """Sections, cut at their blocks where they are too long, with the headings around each chunk in its `prefix`."""

    name: ClassVar[str] = "structural-context"
    drops: ClassVar[tuple[str, ...]] = (
        "comment", "data-uri", "zero-width", "running-line", "page-number", "hyphen", "markup", "hidden",
    )  # fmt: skip
    separator_patterns: ClassVar[tuple[str, ...]] = ()
    decode: ClassVar[Mapping[str, Callable[[str], str]]] = {"html": of_span}
    made: ClassVar[Mapping[str, str]] = {"html": MADE}
    unused: ClassVar[tuple[str, ...]] = ("separator_position", "strip_whitespace")

    max_size: float | tuple[float, float] | None = option(1024, MAX_SIZE, "length units", above=0, none=False)
    overlap: float | None = option(
        0,
        "How much of the end of a chunk is repeated at the start of the next, at most, in whole sentences, or in whole "
        "words where a sentence had to be cut; within a section only, and never code or tables.",
        "length units",
        least=0,
    )
    min_chunk_size: float | None = option(
        None,
        "A section shorter than this is joined with its subsections and siblings where the result fits. "
        "None: a quarter of max_size.",
        "length units",
        least=0,
    )
    context_size: float = option(
        0, "Room to leave free for a note that `contextualize` puts in front later.", "length units", least=0
    )
    prepend_heading: bool = option(True, "Put the headings around a chunk in front of it, in `chunk.prefix`.")
    heading_path: bool = option(True, "Put all of them there, outermost first. False: the nearest one alone.")
    split_on_headings: bool = option(
        True, "Begin a new chunk at a heading. False: headings are no borders, and chunks are filled up."
    )

    strip_html_comments: bool = option(
        True, "Markdown: leave HTML comments out; they are listed in `dropped`. Those in fenced code stay."
    )
    strip_data_uri: bool = option(
        True, "Markdown and text: leave the data of embedded images out, up to their type: `![alt](data:image/png)`."
    )
    normalize_whitespace: bool = option(
        False,
        "Markdown and text: take blanks at line ends, blank lines after a blank line and characters without width "
        "out, write line ends as line feeds, and tabs and no-break spaces as spaces. Chunks that this changes are no "
        "literal slices; their offsets are right all the same. Text of a PDF is always cleaned so.",
    )

    def __post_init__(self) -> None:
        for name in ("strip_html_comments", "strip_data_uri", "normalize_whitespace"):
            checks.boolean(name, getattr(self, name))
        for name in ("prepend_heading", "heading_path", "split_on_headings"):
            checks.boolean(name, getattr(self, name))
        super().__post_init__()
        if self.min_chunk_size is not None:
            checks.number("min_chunk_size", self.min_chunk_size, least=0)
            if isinstance(self.max_size, tuple):
                raise OptionError(
                    f"the minimum is given twice, as min_chunk_size={self.min_chunk_size} and in max_size="
                    f"{self.max_size}. Give the minimum once: min_chunk_size, or a pair (min, max) as max_size."
                )
            if self.min_chunk_size > self.limit:
                raise OptionError(
                    f"min_chunk_size must be at most max_size ({self.limit}), got {self.min_chunk_size}. "
                    "Lower min_chunk_size, or raise max_size."
                )
        checks.number("context_size", self.context_size, least=0)
        if self.context_size >= self.limit:
            raise OptionError(
                f"context_size must be smaller than max_size ({self.limit}), got {self.context_size}. "
                "Lower context_size, or raise max_size; a note of two or three sentences takes some 100 tokens."
            )

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if not self.prepend_heading and not self.heading_path:
            found["heading_path"] = "with prepend_heading=False"
        return found

    @cached_property
    def _segmenter(self) -> Segmenter:
        return segmenter("rules", "any")

    @property
    def _plan(self) -> Plan:
        least = self.limit / 4 if self.min_chunk_size is None else self.min_chunk_size
        return Plan(
            limit=self.limit,
            least=min(self.least if isinstance(self.max_size, tuple) else least, self.limit),
            overlap=self.repeat,
            reserved=self.context_size,
            prepend_heading=self.prepend_heading,
            heading_path=self.heading_path,
            split_on_headings=self.split_on_headings,
            explain=self.explain,
        )

    whole_kinds: ClassVar[tuple[str, ...]] = ("html", "latex", "markdown", "pdf")
    """What `stream` is not for."""

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`."""
        cleaned = self._cleaned(source)
        if cleaned.text is source.text:
            return self._cut(source)
        chunks = self._cut(replace(source, text=cleaned.text), cleaned.pages)
        return chunks.moved(source, cleaned.offsets, cleaned.dropped)

    def stream(self, reader: TextReader) -> Iterator[Chunk]:
        """The chunks that `split` gives for a document of kind text with all the text of `reader`, while it is read.

        The memory is that of some windows of a megabyte. It grows with what is cleaned at a time: the longest line,
        for there may be an image in it; and with runs of white space, of marks that end sentences or of parts of
        flags. What a function measures must depend on nothing but the text that it is given, and be no less for a much
        longer text. Raises `OptionError` for `split_on_headings=False` with `prepend_heading`: then the room in each
        chunk depends on all headings.
        """
        if self.prepend_heading and not self.split_on_headings:
            raise OptionError(
                "split_on_headings=False on a stream needs prepend_heading=False: all headings of the document say how "
                "much room each chunk has. Give that, or leave split_on_headings out, or use chunk()."
            )
        if isinstance(self.length, TokenLength) and self.length.special.allowed:
            raise OptionError(
                "structural-context cannot cut a stream with a length function that has special tokens: whether there "
                "are any in the whole text says how chunks are measured. Name the encoding alone, such as "
                f"length_function={self.length.name!r}, or use chunk()."
            )
        if not (self.strip_data_uri or self.normalize_whitespace):
            return stream_text(reader, self.length, self._segmenter, self._plan)
        cleaned = CleanedReader(reader, data_uris=self.strip_data_uri, whitespace=self.normalize_whitespace)
        return map(cleaned.moved, stream_text(cleaned, self.length, self._segmenter, self._plan))

    def _cleaned(self, source: Source) -> Cleaned:
        """The text without what is no text: comments, embedded images, a PDF's running lines."""
        text = source.text
        if source.kind == "pdf":
            return clean_pdf(text, join_across_pages=True, joiners=False)
        if source.kind in ("html", "latex"):
            return Cleaned(text, OffsetMap.identity(len(text)))
        clean = clean_markdown if source.kind == "markdown" else clean_text
        options = {"comments": source.kind == "markdown" and self.strip_html_comments, "data_uris": self.strip_data_uri}
        return clean(text, whitespace=self.normalize_whitespace, joiners=False, **options)

    def _outline(self, source: Source) -> Outline:
        if source.kind == "markdown":
            return MarkdownOutline(source.text, self._segmenter)
        if source.kind == "html":
            return HtmlOutline(source.text, self._segmenter)
        if source.kind == "latex":
            return LatexOutline(source.text, self._segmenter)
        return TextOutline(source.text, self._segmenter)

    def _cut(self, source: Source, pages: Sequence[int] = ()) -> Chunks:
        """The chunks of a cleaned text."""
        outline = self._outline(source)
        cutter = Cutter(outline, self.length.measure(outline.shown), self.length, self._segmenter, self._plan)
        pieces = cutter.run()
        paths = Paths(((heading.start, heading.level) for heading in outline.headings), outline.title)
        facts = Facts(outline, paths, pages)
        prefixed = self.prepend_heading and bool(outline.headings)
        if isinstance(outline, HtmlOutline):
            return _on_page(source, outline, cutter, paths, facts)
        return Chunks.from_spans(
            source,
            [piece.start for piece in pieces],
            [piece.end for piece in pieces],
            own=[piece.own for piece in pieces],
            cuts=[piece.cut for piece in pieces],
            paths=paths,
            prefixes=(lambda i: cutter.prefix(pieces[i])) if prefixed else None,
            metadata=lambda i: facts.of(pieces[i].start, pieces[i].end),
            joined={i: piece.spans for i, piece in enumerate(pieces) if piece.lead or piece.tail},
            dropped=(),
        )


def _on_page(source: Source, outline: HtmlOutline, cutter: Cutter, paths: Paths, facts: Facts) -> Chunks:
    """The chunks of an HTML page, whose text comes from many stretches of the source."""
    page = outline.page
    found: list[Chunk] = []
    covered: list[Span] = []
    before = 0
    for piece in cutter.pieces:
        spans = tuple(span for a, b in piece.spans for span in page.spans(a, b))
        own = page.spans(piece.start, piece.end)
        if not own:  # what a table writes between its rows
            continue
        content = cutter.content(piece)
        start, end = own[0][0], own[-1][1]
        exact = len(spans) == 1 and source.text[start:end] == content
        chunk = Chunk(
            content,
            start,
            end,
            spans=None if exact else spans,
            overlap=max(0, min(before, piece.end) - piece.start),
            prefix=cutter.prefix(piece),
            path=paths(piece.own),
            metadata=facts.of(piece.start, piece.end),
            cut=piece.cut,
        )
        found.append(chunk)
        covered += spans
        before = piece.end
    return Chunks(source, found, dropped=page.dropped(covered, outline.left_out))


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [StructuralContext]
