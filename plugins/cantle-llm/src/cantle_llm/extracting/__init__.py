"""Metadata of chunks by a model: the extractors `title`, `summary`, `questions`, `keywords` and `schema`.

Here is only what the host asks for when it looks at plugins; what does the work is imported when a field is extracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cantle import Chunks, MDocument

__all__ = ["EXTRACTORS", "Extractor", "refused"]

_ALL = ("llm", "model", "language")

_refusal: ContextVar[str] = ContextVar("cantle_llm_refusal", default="")


@contextmanager
def refused(why: str) -> Iterator[None]:
    """Have every field that would ask a model in here fail with an `OptionError`, which ends with `why`."""
    token = _refusal.set(why)
    try:
        yield
    finally:
        _refusal.reset(token)


class Extractor:
    """The extractor of one field. `options` are the names of those that it takes."""

    together = True
    """Asked once for several documents: calls are made for all chunks at once, and documents are told by `docId`."""

    def __init__(self, field: str, *options: str) -> None:
        self.field = field
        self.options = (*options, *_ALL)

    def __repr__(self) -> str:
        return f"<cantle-llm extractor of {self.field!r}>"

    def check(self, options: Mapping[str, Any]) -> None:
        """Raise what is wrong with the options: before any field is extracted, so that none is paid for in vain."""
        from cantle.errors import OptionError

        from .fields import check
        from .together import begin

        begin()
        if why := _refusal.get():
            raise OptionError(f"extract[{self.field!r}] asks a model. {why}")
        check(self.field, options, self.options)

    def __call__(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """One mapping for each chunk, in order."""
        from .fields import extract

        return extract(self.field, document, chunks, options, self.options)

    async def acall(
        self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]
    ) -> Sequence[Mapping[str, Any]]:
        """The same, in a thread. When it is cancelled no call is begun any more; those under way end and are kept."""
        import asyncio
        from threading import Event

        from .fields import extract

        stop = Event()
        try:
            return await asyncio.to_thread(extract, self.field, document, chunks, options, self.options, stop.is_set)
        except asyncio.CancelledError:
            stop.set()
            raise


EXTRACTORS = {
    one.field: one
    for one in (
        Extractor("schema", "schema", "instructions", "metadata_key"),
        Extractor("summary", "summaries", "prompt_template", "single_line"),
        Extractor("questions", "questions", "prompt_template", "embedding_only", "single_line"),
        Extractor("keywords", "keywords", "prompt_template"),
        Extractor("title", "nodes", "node_template", "combine_template"),
    )
}
"""By field."""
