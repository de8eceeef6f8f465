"""`MDocument`: a text with its kind, and `chunk()`, which cuts it with any strategy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

from . import checks
from .chunk import Chunk, Cut
from .chunks import Chunks
from .errors import OptionError, PluginError
from .plugins import Registry, host_of, registry
from .source import OffsetMap, Source
from .strategy import Strategy, config

__all__ = ["MDocument", "config_hash"]

DEFAULT_STRATEGY = {
    "markdown": "markdown",
    "html": "html",
    "json": "json",
    "latex": "latex",
    "pdf": "structural-context",
}
"""What `chunk()` without a strategy takes for a kind; for other kinds plugins may bring one, else it is `recursive`."""


class MDocument(Source):
    """A document: text, kind, metadata and the name that chunk ids begin with. Frozen.

    ```python
    doc = MDocument.from_markdown(text, metadata={"lang": "pt"}, source="manual-v1")
    chunks = doc.chunk("recursive", max_size=512, overlap=64, length_function="cl100k_base")
    ```
    """

    @classmethod
    def from_text(cls, text: str, *, metadata: Mapping[str, Any] | None = None, source: str = "") -> MDocument:
        """A document of plain text."""
        return cls(text, "text", _metadata(metadata), source)

    @classmethod
    def from_markdown(cls, text: str, *, metadata: Mapping[str, Any] | None = None, source: str = "") -> MDocument:
        """A Markdown document. Front matter is left in the text; `from_file` reads it."""
        return cls(text, "markdown", _metadata(metadata), source)

    @classmethod
    def from_html(cls, text: str, *, metadata: Mapping[str, Any] | None = None, source: str = "") -> MDocument:
        """An HTML document, given as text."""
        return cls(text, "html", _metadata(metadata), source)

    @classmethod
    def from_json(cls, text: str, *, metadata: Mapping[str, Any] | None = None, source: str = "") -> MDocument:
        """A JSON document, given as text."""
        return cls(text, "json", _metadata(metadata), source)

    @classmethod
    def from_latex(cls, text: str, *, metadata: Mapping[str, Any] | None = None, source: str = "") -> MDocument:
        """A LaTeX document."""
        return cls(text, "latex", _metadata(metadata), source)

    @classmethod
    def from_pdf_text(
        cls, text: str | Iterable[str], *, metadata: Mapping[str, Any] | None = None, source: str = ""
    ) -> MDocument:
        """The text of a PDF, its pages separated by form feeds. `structural-context` cleans it and tells the pages.

        The texts of its pages, one by one, will do too. They are joined with form feeds, to which offsets then refer
        too; a form feed at the end of a page is left out, one inside of it is written as a line feed, and a page that
        is alone gets one behind it.
        """
        return cls(_pages(text), "pdf", _metadata(metadata), source)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        kind: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        source: str | None = None,
        encoding: str | None = None,
        front_matter: str = "read",
    ) -> MDocument:
        """The document that a file holds.

        A plugin that knows the file type reads it; otherwise it is text: UTF-8 or UTF-16 with or
        without a byte order mark, the encoding that HTML or XML declares, `encoding` when given,
        else a guess, with a `GuessedEncodingWarning`. `kind` comes from the suffix (.md, .html,
        .htm, .json, .tex, else text) and `source` from the path. YAML front matter of text and
        Markdown goes into the metadata (`metadata` wins) and its lines into no chunk;
        `front_matter="keep"` leaves them in. With `kind` or `encoding` no plugin is asked, unless
        the kind is `pdf` and the file is a PDF. Raises `DocumentError`, `OptionError` and `OSError`.
        """
        from . import files, loading

        files.check_front_matter(front_matter)
        checks.string("kind", kind, none=True)
        path = Path(path)
        name = path.as_posix() if source is None else source
        loaded = loading.load(path, path.name, kind, encoding)
        if loaded is not None:
            body = 0 if front_matter == "keep" else loaded.body
            return cls(loaded.text, loaded.kind, {**loaded.metadata, **_metadata(metadata)}, name, body)
        text = loading.text_of(path, path.name, kind, encoding)
        return files.assemble(cls, text, kind or files.kind_of(path), _metadata(metadata), name, front_matter)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        name: str = "",
        *,
        kind: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        source: str | None = None,
        encoding: str | None = None,
        front_matter: str = "read",
    ) -> MDocument:
        """The document that the bytes of a file hold: `from_file` for what is not on a disk.

        `name` is the name that the file has or had, and its suffix says what it is; `source` is the name unless it is
        given. All else, errors too, is as with `from_file`.
        """
        from . import files, loading

        files.check_front_matter(front_matter)
        checks.string("kind", kind, none=True)
        if not isinstance(data, bytes):
            raise OptionError(
                f"data must be bytes, got {type(data).__name__}. For text there is MDocument.from_text()."
            )
        checks.string("name", name)
        named = name if source is None else source
        loaded = loading.load(data, name, kind, encoding)
        if loaded is not None:
            body = 0 if front_matter == "keep" else loaded.body
            return cls(loaded.text, loaded.kind, {**loaded.metadata, **_metadata(metadata)}, named, body)
        text = loading.text_of(data, name, kind, encoding)
        return files.assemble(cls, text, kind or files.kind_of(name), _metadata(metadata), named, front_matter)

    def strategy_for(self, options: Collection[str] = ()) -> str:
        """The name of the strategy that `chunk(**options)` takes when none is named: that of the document's kind.

        `options` may be a dictionary or just the names. With `separators` or `language` text is meant, whatever the
        kind: that is `recursive`. For a kind of its own a plugin brings a strategy of the same name, with this `kind`.
        """
        return self._strategy_for(registry(), options)

    def _strategy_for(self, host: Registry, options: Collection[str]) -> str:
        if "separators" in options or "language" in options:
            return "recursive"
        if self.kind in DEFAULT_STRATEGY:
            return DEFAULT_STRATEGY[self.kind]
        return self.kind if self.kind != "text" and self.kind in host.kinds() else "recursive"

    def chunk(
        self,
        /,  # `self` may be an option of somebody's dictionary
        strategy: str | type[Strategy] | Strategy | None = None,
        *more: Never,
        extract: Mapping[str, Any] | None = None,
        plugins: Registry | None = None,
        **options: Any,
    ) -> Chunks:
        """Cut the document; the document itself is not changed.

        `strategy` is a name, a strategy class or an instance; None takes the default of the
        document's kind. `extract` maps metadata fields to options (or True). `plugins` is the
        registry to use, the installed plugins by default. All other options are the strategy's.
        """
        _only_keywords(strategy, more)
        host = host_of(plugins)
        if plugins is None:
            return self._chunk(host, strategy, extract, options)
        with host.in_use():
            return self._chunk(host, strategy, extract, options)

    def _chunk(
        self,
        host: Registry,
        strategy: str | type[Strategy] | Strategy | None,
        extract: Mapping[str, Any] | None,
        options: dict[str, Any],
    ) -> Chunks:
        chosen = self._strategy(host, strategy, options)
        source, offsets = self._prepare(host)
        chunks = self._finish(host, chosen, chosen.split(source), source, offsets)
        if extract is not None:
            from .extraction import extract_now

            extract_now(host, [(self, chunks)], extract)
        return chunks

    async def achunk(
        self,
        /,
        strategy: str | type[Strategy] | Strategy | None = None,
        *more: Never,
        extract: Mapping[str, Any] | None = None,
        plugins: Registry | None = None,
        **options: Any,
    ) -> Chunks:
        """Like `chunk`, for strategies and extractors that wait; other ones run in a thread."""
        _only_keywords(strategy, more)
        host = host_of(plugins)
        if plugins is None:
            return await self._achunk(host, strategy, extract, options)
        with host.in_use():
            return await self._achunk(host, strategy, extract, options)

    async def _achunk(
        self,
        host: Registry,
        strategy: str | type[Strategy] | Strategy | None,
        extract: Mapping[str, Any] | None,
        options: dict[str, Any],
    ) -> Chunks:
        import asyncio

        chosen = self._strategy(host, strategy, options)
        source, offsets = self._prepare(host)
        if hasattr(chosen, "asplit"):
            pieces = await _awaited(chosen.asplit(source))
        else:
            pieces = await asyncio.to_thread(lambda: _settled(chosen.split(source)))
        chunks = self._finish(host, chosen, pieces, source, offsets)
        if extract is not None:
            from .extraction import extract_async

            await extract_async(host, [(self, chunks)], extract)
        return chunks

    def _strategy(
        self, host: Registry, strategy: str | type[Strategy] | Strategy | None, options: dict[str, Any]
    ) -> Strategy:
        if strategy is None or strategy == "":
            strategy = self._strategy_for(host, options)
        return host.make(strategy, options)

    def _prepare(self, host: Registry) -> tuple[Source, OffsetMap | None]:
        """What the strategy gets: the body, rewritten by plugins, and the map back to our text."""
        source: Source = self
        offsets = None
        if self.body:
            source = replace(self, text=self.text[self.body :], body=0)
            offsets = OffsetMap.from_edits(len(self.text), [(0, self.body, 0)])
        source, rewritten = host.prepare_source(source)
        if rewritten is not None:
            offsets = rewritten if offsets is None else offsets.then(rewritten)
        return source, offsets

    def _finish(
        self, host: Registry, chosen: Strategy, pieces: Any, source: Source, offsets: OffsetMap | None
    ) -> Chunks:
        if not isinstance(pieces, Iterable):
            raise PluginError(
                f"split() of strategy {chosen.name!r} must give Chunks or an iterable of Chunk, got {pieces!r}."
            )
        chunks = pieces if isinstance(pieces, Chunks) else Chunks(source, pieces)
        if offsets is not None:
            chunks = chunks.moved(self, offsets)
        elif chunks.source is not self:
            chunks = chunks.moved(self, OffsetMap.identity(len(self.text)))
        if getattr(chosen, "explain", False) and len(chunks) and chunks[-1].cut is not None:
            chunks[-1].cut = Cut("end", 0)  # what else it was cut at left only blanks, or what is in no chunk
        if getattr(chosen, "add_start_index", False):
            chunks.add_start_index()
        chunks = host.finish_chunks(self, chunks)
        chunks.config_hash = lambda: config_hash(chosen)  # worked out when asked for
        chunks.strategy = chosen
        return chunks


async def _awaited(pieces: Any) -> Any:
    """What `asplit` gives: as a coroutine, an asynchronous generator, or at once."""
    if hasattr(pieces, "__aiter__"):
        return [piece async for piece in pieces]
    return await pieces if hasattr(pieces, "__await__") else pieces


def _only_keywords(strategy: Any, more: tuple[Any, ...]) -> None:
    """Refuse options that come as a dictionary, as other libraries take them."""
    if more or isinstance(strategy, Mapping):
        raise OptionError(
            f"options are keywords, got {more[0] if more else strategy!r} as an argument without a name. Write for "
            'example chunk("recursive", max_size=500), or chunk("recursive", **options) for options in a dictionary.'
        )


def _pages(text: Any) -> Any:
    """The text itself, or that of pages, joined. What is neither is left to `Source`, which refuses it."""
    if isinstance(text, str | bytes | bytearray | memoryview | Mapping) or not isinstance(text, Iterable):
        return text
    pages = list(text)
    for i, page in enumerate(pages):
        if not isinstance(page, str):
            raise OptionError(
                f"the pages of a PDF must be strings, the text of each, got {type(page).__name__} for page {i + 1}. "
                "Extract the text first; with pypdf that is page.extract_text()."
            )
    joined = "\f".join(page.removesuffix("\f").replace("\f", "\n") for page in pages)
    return joined + "\f" if len(pages) == 1 else joined


def _metadata(metadata: Any) -> dict[str, Any]:
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise OptionError(f"metadata must be a mapping of names to values, got {metadata!r}.")
    return deepcopy(dict(metadata))  # what its giver does to it later is not ours


def _settled(pieces: Any) -> Chunks | list[Chunk]:
    return pieces if isinstance(pieces, Chunks) else list(pieces)


def config_hash(strategy: Strategy) -> str:
    """What `Chunks.config_hash` is for a strategy: 16 hexadecimal digits for it, its options and our version."""
    import json

    from . import __version__
    from .chunk import content_hash

    made = config(strategy)
    made["options"].pop("explain", None)  # it changes no chunk
    return content_hash(json.dumps({**made, "version": __version__}, sort_keys=True))[:16]
