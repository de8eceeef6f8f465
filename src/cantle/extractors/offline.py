"""The plugin `offline`: `title`, `keywords` and `summary` by counting words, without a model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..hookspecs import Extractor, hookimpl

if TYPE_CHECKING:
    from ..chunk import Chunk
    from ..chunks import Chunks
    from ..document import MDocument
    from .options import Options

__all__ = ["register_extractors"]

Found = list[dict[str, Any]]


@dataclass(frozen=True)
class Offline:
    """An extractor: the options that it takes, how their values are read, and what is made of them."""

    field: str
    options: tuple[str, ...]
    read: Callable[[Options], tuple[Any, ...]]
    extract: Callable[..., Found]
    together: bool = False

    def __call__(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """One mapping for each chunk, in order."""
        from .options import Options

        return self.extract(document, chunks, *self.read(Options(self.field, options)))

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise `OptionError` for a wrong value."""
        from .options import Options

        self.read(Options(self.field, options, quiet=True))


def title(document: MDocument | Sequence[MDocument], chunks: Chunks, language: str | None) -> Found:
    """`document_title`: the same for all chunks of a document, see `title_of`.

    Documents whose chunks have the same `docId` are one: its title is that of the first that has any.
    """
    from .titles import title_of

    if not isinstance(document, Sequence):
        found = title_of(document, language)
        return [{"document_title": found} for _ in chunks]
    own = {id(one): one for one in document}
    titles = {key: title_of(one, language) for key, one in own.items()}
    names = [_name(one, chunk) for one, chunk in zip(document, chunks, strict=True)]
    shared: dict[Hashable, str] = {}
    for name, one in zip(names, document, strict=True):
        shared[name] = shared.get(name) or titles[id(one)]
    return [{"document_title": shared[name]} for name in names]


def _name(document: MDocument, chunk: Chunk) -> Hashable:
    """What the chunks of one document share."""
    for key in ("docId", "doc_id"):
        value = chunk.metadata.get(key)
        if value is not None and (not isinstance(value, str | int | float) or value):  # 0 and "" name nothing
            return str(value)
    return id(document)


def keywords(document: MDocument, chunks: Chunks, language: str | None, count: int) -> Found:
    """`excerpt_keywords`: the keywords of a chunk, the best first, with commas between them."""
    from ..words import keywords
    from .languages import Languages

    main = Languages(document, language)
    return [{"excerpt_keywords": ", ".join(keywords(t, count, language=main.of(t)))} for t in _contents(chunks)]


def summary(
    document: MDocument, chunks: Chunks, language: str | None, wanted: Sequence[tuple[str, int]], sentences: int
) -> Found:
    """`section_summary` of a chunk, and those of the chunks before and after it; none of one that says nothing."""
    from ..words import summary
    from .languages import Languages

    main = Languages(document, language)
    texts = [summary(text, sentences=sentences, language=main.of(text)) for text in _contents(chunks)]
    return [
        {key: texts[i + step] for key, step in wanted if 0 <= i + step < len(texts) and texts[i + step]}
        for i in range(len(texts))
    ]


def _contents(chunks: Chunks) -> list[str]:
    return [chunk.content for chunk in chunks]


@hookimpl
def register_extractors() -> Mapping[str, Extractor]:
    """Our extractors."""
    ours = (
        Offline("title", ("language",), lambda given: (given.language(),), title, together=True),
        Offline(
            "keywords",
            ("keywords", "language"),
            lambda given: (given.language(), given.count("keywords", 5, least=0)),
            keywords,
        ),
        Offline(
            "summary",
            ("summaries", "sentences", "language"),
            lambda given: (given.language(), given.summaries(), given.count("sentences", 2, least=1)),
            summary,
        ),
    )
    return {one.field: one for one in ours}
