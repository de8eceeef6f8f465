"""`ContextRetrievalChunker`: documents as dictionaries ready to embed, configured by chained calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..cleaning import Cleaned, clean_markdown, clean_pdf, clean_text
from ..errors import OptionError
from ..lengths import resolve
from ..whitespace import BLANKS
from . import settings as options_
from .engine.engine import chunk_cleaned
from .engine.grammar import is_markdown
from .settings import DEFAULT_ENCODING, DEFAULTS, Settings, given, resolved

__all__ = ["ContextRetrievalChunker"]

Chunk = dict[str, Any]

_METHODS = ("chunk", "markdown", "text", "pdf")


class ContextRetrievalChunker:
    """Cuts Markdown, plain text and text of PDFs into chunks of limited size that know their headings.

    ```python
    from cantle import ContextRetrievalChunker

    chunker = ContextRetrievalChunker().unit("tokens").chunk_size(320).overlap(48).source("manual-v1")
    for chunk in chunker.markdown("# Guide\\n\\n## Install\\n\\nRun the installer."):
        print(chunk["id"], chunk["breadcrumb"], chunk["text"])
    ```

    A chunk is a dictionary: `id`, `hash`, `index`, `total`, `start`, `end`, `length`, `tokens`, `heading`,
    `headingLevel`, `path`, `breadcrumb`, `sections`, `header`, `content`, `context`, `text`, `embed`, `type`,
    `blocks`, `overlap`, `page`, `pages`, `metadata`, `synthetic`. Positions, `length`, `overlap` and sizes in `chars`
    count UTF-16 units (characters, but two for those above U+FFFF); `start` and `end` lie in the cleaned text.

    Settings are given by setters or by name to the class, which is the same: `ContextRetrievalChunker(chunk_size=320)`.
    Every method that cuts takes the text alone, the text with `chunk_size` and `overlap`, or the text with a mapping of
    options, which hold for that call. Their names are those of the setters; letter case and underscores do not matter
    (`chunkSize`, `chunk_size`). They can be given as keyword arguments too. A number that cannot be read leaves the
    value as it was, and a word that is not known acts as the default: an `UnusedOptionWarning`, as for an unknown name.
    A value of the wrong kind is an `OptionError`.
    """

    def __init__(self, **settings: Any) -> None:
        self._settings = Settings()
        for name, value in options_.named(settings).items():
            getattr(self, name)(value)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self._settings, name)!r}" for name in vars(self._settings))
        return f"{type(self).__name__}({shown})"

    def __getattr__(self, name: str) -> Any:
        """Raise `AttributeError`, with the name of the method where it was written in camelCase."""
        ours = re.sub(r"(?<=[a-z])[A-Z]", lambda m: f"_{m[0]}", name).lower()
        hint = f" Its name is {ours}()." if ours != name and callable(getattr(type(self), ours, None)) else ""
        raise AttributeError(f"{type(self).__name__} has no {name!r}.{hint}", name=name, obj=self)

    # What cuts

    def chunk(self, text: str | None, size_or_options: Any = None, overlap: Any = None, **options: Any) -> list[Chunk]:
        """The chunks of a text that may be Markdown: headings, fences, tables or three list items make it that."""
        return self._chunks("chunk", text, size_or_options, overlap, options)

    def markdown(
        self, text: str | None, size_or_options: Any = None, overlap: Any = None, **options: Any
    ) -> list[Chunk]:
        """The chunks of a Markdown text. None or a blank text gives none."""
        return self._chunks("markdown", text, size_or_options, overlap, options)

    def text(self, text: str | None, size_or_options: Any = None, overlap: Any = None, **options: Any) -> list[Chunk]:
        """The chunks of plain text, in which lines such as `3.1 Installation` are headings."""
        return self._chunks("text", text, size_or_options, overlap, options)

    def pdf(self, text: str | None, size_or_options: Any = None, overlap: Any = None, **options: Any) -> list[Chunk]:
        """The chunks of text that was extracted from a PDF, whose pages end with form feeds."""
        return self._chunks("pdf", text, size_or_options, overlap, options)

    def normalized(
        self, text: str | None, method: str = "markdown", options: Mapping[str, Any] | None = None, **more: Any
    ) -> str:
        """The cleaned text, in which `start` and `end` of the chunks lie that `method` makes with these options.

        `method` is "chunk", "markdown", "text" or "pdf". Positions count UTF-16 units.
        """
        if method not in _METHODS:
            raise OptionError(f"method must be {', '.join(map(repr, _METHODS))}, got {method!r}.")
        return self._cleaned(method, text, options, None, more)[1].text

    def count_tokens(self, text: str | None, encoding_or_model: str | None = None) -> int:
        """The number of tokens of a text, in the encoding set or in another one, given by its name or a model's."""
        if text is not None and not isinstance(text, str):
            raise OptionError(f"text must be a string, got {text!r}.")
        name = self._settings.encoding if encoding_or_model is None else options_.text("encoding", encoding_or_model)
        return int(resolve(options_.encoding(name.strip(BLANKS) or DEFAULT_ENCODING))(text)) if text else 0

    def contextualize(
        self, client: Any, document: str, chunks: list[Chunk], options: Mapping[str, Any] | None = None, **more: Any
    ) -> list[Chunk]:
        """Have a model write a note for each chunk into `context` and `text`; see `cantle.contextualize`."""
        from .contextualize import contextualize

        return contextualize(client, document, chunks, options, **more)

    def _chunks(self, kind: str, text: Any, size: Any, overlap: Any, more: dict[str, Any]) -> list[Chunk]:
        kind, cleaned, settings = self._cleaned(kind, text, size, overlap, more)
        return chunk_cleaned(cleaned.text, kind, cleaned.pages, settings)

    def _cleaned(
        self, kind: str, text: Any, size: Any, overlap: Any, more: dict[str, Any]
    ) -> tuple[str, Cleaned, Settings]:
        """What the text is, the text cleaned, and the settings in force."""
        if text is not None and not isinstance(text, str):
            raise OptionError(f"the text to cut must be a str or None, got {type(text).__name__}. Decode bytes first.")
        options = more.pop("options", None)
        if isinstance(size, Mapping):
            if options is not None:
                raise OptionError("options are given twice, by position and by name. Keep one.")
            options, size = size, None
        sizes = {name: value for name, value in (("chunk_size", size), ("overlap", overlap)) if value is not None}
        settings = resolved(self._settings, given(options, sizes, more))
        text = text or ""
        if kind == "chunk":
            kind = "markdown" if is_markdown(text) else "text"
        if kind == "pdf":
            return kind, clean_pdf(text), settings
        clean = clean_markdown if kind == "markdown" else clean_text
        cleaned = clean(text, comments=settings.strip_html_comments, data_uris=settings.strip_data_uri)
        return kind, cleaned, settings

    # What is set

    def unit(self, unit: str) -> ContextRetrievalChunker:
        """What sizes count: `chars` or `tokens`; anything else is `chars`, with a warning."""
        return self._set(unit=options_.unit(options_.text("unit", unit)))

    def chunk_size(self, chunk_size: float | str) -> ContextRetrievalChunker:
        """The most that a chunk's text may measure, 32 to 200000; 1024, or 256 tokens, unless set."""
        return self._set(chunk_size=_whole("chunk_size", chunk_size))

    def overlap(self, overlap: float | str) -> ContextRetrievalChunker:
        """How much of the chunk before is repeated at most, up to half of the size; 128, or 32 tokens, unless set."""
        return self._set(overlap=_whole("overlap", overlap))

    def min_chunk_size(self, min_chunk_size: float | str) -> ContextRetrievalChunker:
        """A smaller chunk is merged into a neighbour where that fits. Negative: a quarter of the size; 0: never."""
        return self._set(min_chunk_size=_whole("min_chunk_size", min_chunk_size))

    def encoding(self, encoding: str | None) -> ContextRetrievalChunker:
        """What counts tokens: an encoding (`cl100k_base` unless set) or a model's name."""
        name = "" if encoding is None else options_.text("encoding", encoding).strip(BLANKS)
        return self._set(encoding=name or DEFAULT_ENCODING)

    def embed(self, embed: str) -> ContextRetrievalChunker:
        """What goes into `text`: `full` (header, note, content), `context` (header, note) or `content`."""
        return self._set(embed=options_.embed(options_.text("embed", embed)))

    def source(self, source: str | None) -> ContextRetrievalChunker:
        """The name of the document, with which every `id` begins."""
        return self._set(source="" if source is None else options_.text("source", source).strip(BLANKS))

    def metadata(self, metadata: Mapping[str, Any] | None) -> ContextRetrievalChunker:
        """What is copied into the `metadata` of every chunk."""
        if metadata is not None and not isinstance(metadata, Mapping):
            raise OptionError(f"metadata must be a mapping of names to values, got {metadata!r}.")
        return self._set(metadata={} if metadata is None else metadata)

    def heading_path(self, heading_path: bool) -> ContextRetrievalChunker:
        """Whether `header` shows all headings around a chunk, or the nearest one alone."""
        return self._set(heading_path=options_.boolean("heading_path", heading_path))

    def prepend_heading(self, prepend_heading: bool) -> ContextRetrievalChunker:
        """Whether `text` begins with the headings around the chunk."""
        return self._set(prepend_heading=options_.boolean("prepend_heading", prepend_heading))

    def split_on_headings(self, split_on_headings: bool) -> ContextRetrievalChunker:
        """Whether a heading begins a new chunk when the one before is not too small."""
        return self._set(split_on_headings=options_.boolean("split_on_headings", split_on_headings))

    def strip_data_uri(self, strip_data_uri: bool) -> ContextRetrievalChunker:
        """Whether embedded images are reduced to their type."""
        return self._set(strip_data_uri=options_.boolean("strip_data_uri", strip_data_uri))

    def strip_html_comments(self, strip_html_comments: bool) -> ContextRetrievalChunker:
        """Whether HTML comments are left out; those in fenced code stay."""
        return self._set(strip_html_comments=options_.boolean("strip_html_comments", strip_html_comments))

    def _set(self, **values: Any) -> ContextRetrievalChunker:
        self._settings = replace(self._settings, **values)
        return self

    # What was set

    def get_unit(self) -> str:
        """`chars` or `tokens`."""
        return self._settings.unit

    def get_chunk_size(self) -> int:
        """As it was set; limits are applied when a text is cut."""
        return DEFAULTS["chars"][0] if self._settings.chunk_size is None else self._settings.chunk_size

    def get_overlap(self) -> int:
        """As it was set; limits are applied when a text is cut."""
        return DEFAULTS["chars"][1] if self._settings.overlap is None else self._settings.overlap

    def get_min_chunk_size(self) -> int:
        """As it was set; -1 stands for a quarter of the size."""
        return self._settings.min_chunk_size

    def get_encoding(self) -> str:
        """The name as it was set."""
        return self._settings.encoding

    def get_embed(self) -> str:
        """`full`, `context` or `content`."""
        return self._settings.embed

    def get_source(self) -> str:
        """The name of the document, empty unless set."""
        return self._settings.source

    def get_metadata(self) -> Mapping[str, Any]:
        """The mapping that was set."""
        return self._settings.metadata

    def is_heading_path(self) -> bool:
        """Whether `header` shows all headings around a chunk."""
        return self._settings.heading_path

    def is_prepend_heading(self) -> bool:
        """Whether `text` begins with the headings."""
        return self._settings.prepend_heading

    def is_split_on_headings(self) -> bool:
        """Whether chunks begin at headings."""
        return self._settings.split_on_headings

    def is_strip_data_uri(self) -> bool:
        """Whether embedded images are reduced to their type."""
        return self._settings.strip_data_uri

    def is_strip_html_comments(self) -> bool:
        """Whether HTML comments are left out."""
        return self._settings.strip_html_comments


def _whole(name: str, value: Any) -> int:
    number = options_.whole(name, value)
    if number is None:
        raise OptionError(f"{name} must be a whole number such as 320, got {value!r}.")
    return number
