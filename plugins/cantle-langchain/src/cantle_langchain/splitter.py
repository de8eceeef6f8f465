"""`CantleTextSplitter`: LangChain's `TextSplitter` over every strategy of cantle."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, Literal, Self

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from cantle import MDocument, Strategy
from cantle.adapters import Cutter, Keys
from cantle.errors import OptionError

from .counting import tiktoken_options
from .documents import Ids, check_ids, packed

__all__ = ["CantleTextSplitter"]


class CantleTextSplitter(TextSplitter):
    """A text splitter that cuts with a strategy of cantle, with exact offsets and stable ids.

    ```python
    splitter = CantleTextSplitter("markdown", max_size=400, overlap=0, length_function="cl100k_base")
    pieces = splitter.split_documents(documents)
    ```

    `strategy` is a name, a class or an instance, of plugins too; without one it is that of a text's kind, and
    `recursive` for plain text. `kind` is the kind of all texts (`markdown`, `html`, `json`, ...); without it, it is
    what a document's metadata say as `document_kind`, which `CantleLoader` writes, else the one that the strategy is
    for, else `text`. `extract` maps metadata fields to extract to their options, as in `MDocument.chunk`. `ids` is
    `key`, or `uuid` for stores that take nothing else, such as Qdrant and Weaviate. All other keywords are the
    strategy's options.

    Each piece is a `Document` as `to_documents` describes it; a document's own metadata are in each of its pieces. A
    document's `source` (the beginning of the ids of its pieces) is `source` in its metadata, else `file_path`, `url` or
    `file_name`, else its id unless that is random, else it is made of the text; see `cantle.adapters.Cutter.document`.

    Raises `UnknownStrategyError` and `OptionError` for what is wrong with strategy and options. May be used by many
    threads; pickles where its options do.
    """

    def __init__(
        self,
        strategy: str | type[Strategy] | Strategy | None = None,
        *,
        kind: str | None = None,
        extract: Mapping[str, Any] | None = None,
        ids: Ids = "key",
        **options: Any,
    ) -> None:
        check_ids(ids)
        # The base class keeps sizes for a merging of its own, which no strategy of ours uses.
        super().__init__(add_start_index=True)
        self._cutter = Cutter(strategy=strategy, options=options, kind=kind, extract=extract)
        self._ids: Ids = ids

    def __repr__(self) -> str:
        cutter = self._cutter
        ids = None if self._ids == "key" else self._ids
        given = {"kind": cutter.kind, "extract": cutter.extract, "ids": ids, **cutter.options}
        parts = [] if cutter.strategy is None else [repr(cutter.strategy)]
        parts += [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"{type(self).__name__}({', '.join(parts)})"

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "gpt2",
        model_name: str | None = None,
        allowed_special: Literal["all"] | AbstractSet[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A splitter that counts tokens of one of OpenAI's encodings, by its name or that of a model.

        That is `length_function="gpt2"` and so on: cantle's own tokenizers, which need no network. For a strategy that
        has an option `encoding_name`, such as `token`, it is these options. Special tokens in a text are plain text;
        those in `allowed_special` count as one token each, and those in `disallowed_special` (with `allowed_special`
        alone: all others) raise `DocumentError` when such a text is cut. LangChain's own splitters disallow all unless
        told otherwise. All other keywords are those of the class.
        """
        cls._check(kwargs)
        found = tiktoken_options(kwargs.get("strategy"), encoding_name, model_name, allowed_special, disallowed_special)
        return cls(**found, **kwargs)

    @classmethod
    def from_huggingface_tokenizer(cls, tokenizer: Any, **kwargs: Any) -> Self:
        """A splitter that counts tokens of a Hugging Face tokenizer, of `transformers` or of `tokenizers`.

        That is `length_function=tokenizer`; special tokens that it puts around a text are not counted. All other
        keywords are those of the class.
        """
        if not callable(getattr(tokenizer, "encode", None)) or isinstance(tokenizer, type):
            raise OptionError(f"tokenizer must be a tokenizer, an object with encode(), got {tokenizer!r:.100}.")
        cls._check(kwargs)
        return cls(length_function=tokenizer, **kwargs)

    @classmethod
    def _check(cls, keywords: Mapping[str, Any]) -> None:
        if "length_function" in keywords:
            raise OptionError(
                f"length_function is what the tokenizer stands for here, got {keywords['length_function']!r:.80} too. "
                f"Leave it out, or make the splitter by {cls.__name__}(length_function=...)."
            )

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks, each within the limit, prefix included. An empty text gives none."""
        return self._cutter.cut(self._cutter.document(text)).texts

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """The pieces of the texts, in order; `metadatas` are those of each text."""
        if isinstance(texts, str):
            raise OptionError(f"texts must be a list of strings, got one string: {texts!r:.60}. Give [text].")
        texts, metadatas = list(texts), list(metadatas or [])
        if metadatas and len(metadatas) != len(texts):
            raise OptionError(
                f"metadatas must be as many as texts, got {len(metadatas)} for {len(texts)} texts. Give one dictionary "
                "for each text, or none at all."
            )
        return self._cut(self._document(text, metadatas[i] if metadatas else None) for i, text in enumerate(texts))

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The pieces of the documents, in order. The documents are not changed."""
        return self._cut(map(self._source, _checked(documents)))

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """What `split_documents` gives."""
        _no_options(kwargs)
        return self.split_documents(documents)

    async def atransform_documents(self, documents: Sequence[Document], **kwargs: Any) -> Sequence[Document]:
        """What `split_documents` gives; the event loop goes on meanwhile, and strategies that wait are awaited."""
        _no_options(kwargs)
        keys, pieces = Keys(), []
        for document in _checked(documents):
            chunks = await self._cutter.acut(self._source(document))
            pieces += await asyncio.to_thread(packed, chunks, keys, self._ids)
        return pieces

    def _source(self, document: Document) -> MDocument:
        return self._document(document.page_content, document.metadata, document.id or "")

    def _document(self, text: str, metadata: Mapping[str, Any] | None, id: str = "") -> MDocument:
        made = self._cutter.document(text, metadata, id=id)
        above = (metadata or {}).get("heading_path")
        if isinstance(above, str) and "heading_path" not in made.metadata:
            # A piece that is cut again stays under its headings, which are not in its text.
            return replace(made, metadata={**made.metadata, "heading_path": above})
        return made

    def _cut(self, documents: Iterable[MDocument]) -> list[Document]:
        keys, pieces = Keys(), []
        for document in documents:
            chunks = self._cutter.cut(document)
            pieces += packed(chunks, keys, self._ids)
        return pieces


def _checked(documents: Iterable[Document]) -> Iterable[Document]:
    if isinstance(documents, Document | str) or not isinstance(documents, Iterable):
        raise OptionError(f"documents must be a list of LangChain's documents, got {documents!r:.100}.")
    for i, document in enumerate(documents):
        if not isinstance(document, Document):
            raise OptionError(
                f"documents must be LangChain's documents, got {document!r:.100} at position {i}. For strings there is "
                "create_documents()."
            )
        yield document


def _no_options(given: Mapping[str, Any]) -> None:
    if given:
        raise OptionError(
            f"options are given when the splitter is made, got {', '.join(map(repr, given))} with the documents."
        )
