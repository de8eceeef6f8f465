"""`CantleNodeParser`: LlamaIndex's `NodeParser` over every strategy of cantle."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from llama_index.core.callbacks import CallbackManager
from llama_index.core.node_parser import NodeParser
from llama_index.core.node_parser.node_utils import default_id_func
from llama_index.core.schema import (
    BaseNode,
    Document,
    ImageDocument,
    ImageNode,
    MetadataMode,
    NodeRelationship,
    RelatedNodeInfo,
)
from llama_index.core.utils import get_tqdm_iterable
from pydantic import Field, PrivateAttr, SerializationInfo, SerializerFunctionWrapHandler, model_serializer

from cantle import Chunks, MDocument, Strategy
from cantle.adapters import Cutter, Keys, key_uuid
from cantle.errors import OptionError

from .nodes import Ids, check_ids, node_of
from .relationships import chain, relate

__all__ = ["CantleNodeParser"]

_OURS = ("strategy", "options", "kind", "extract")


class CantleNodeParser(NodeParser):
    """A node parser that cuts with a strategy of cantle, with exact offsets and stable ids.

    ```python
    parser = CantleNodeParser("structural-context", max_size=400, length_function="cl100k_base")
    nodes = parser.get_nodes_from_documents(documents)
    ```

    `strategy` is a name, a class or an instance, of plugins too; without one it is that of a document's kind, and
    `recursive` for plain text. `kind` is the kind of all documents (`markdown`, `html`, `json`, ...); without it, it is
    what a document's metadata say as `document_kind`, which `CantleReader` writes, else the one that the strategy is
    for, else `text`. `extract` maps metadata fields to extract to their options, as in `MDocument.chunk`. All other
    keywords are the strategy's options; a dictionary of them may be given as `options` too.

    The nodes are as `to_nodes` describes them, with the parsed document as `SOURCE`. With a prefix, it alone is what
    models see of the metadata; without one, embedding models see none, and language models those that the document
    shows them and what the strategy or extractors add. `include_metadata=False` leaves the documents' metadata out;
    `include_prev_next_rel` and `include_parent_child_rel` say which relationships there are. `ids` is `key`, or `uuid`
    for stores that take nothing else, such as Qdrant and Weaviate; with an `id_func` of its own, ids are those that it
    gives. An `ImageDocument` without text becomes one `ImageNode`; other documents without
    text give no nodes.

    A document's source (the beginning of the ids of its nodes) is `source` in its metadata, else `file_path`, `url` or
    `file_name`, else its id unless that is random, else it is made of the text; see `cantle.adapters.Cutter.document`.

    Raises `UnknownStrategyError` and `OptionError` for what is wrong with strategy and options. May be used by many
    threads; pickles where its options do. `to_dict()` needs names: it raises `OptionError` for a strategy that no
    plugin offers and for a function as an option.
    """

    strategy: Any = Field(default=None, exclude=True, description="Name, class or instance of a strategy of cantle.")
    options: dict[str, Any] = Field(default_factory=dict, exclude=True, description="The strategy's options.")
    kind: str | None = Field(default=None, exclude=True, description="Kind of all documents: markdown, html, ...")
    extract: dict[str, Any] | None = Field(default=None, exclude=True, description="Metadata fields to extract.")
    include_parent_child_rel: bool = Field(default=True, description="Include parent/child node relationships.")
    ids: Ids = Field(default="key", description="What ids of nodes are: keys, or UUIDs that stand for them.")

    _made: tuple[tuple[Any, ...], Cutter] = PrivateAttr()

    def __init__(
        self,
        strategy: str | type[Strategy] | Strategy | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        kind: str | None = None,
        extract: Mapping[str, Any] | None = None,
        include_metadata: bool = True,
        include_prev_next_rel: bool = True,
        include_parent_child_rel: bool = True,
        ids: Ids = "key",
        callback_manager: CallbackManager | None = None,
        id_func: Callable[[int, BaseNode], str] | None = None,
        **more: Any,
    ) -> None:
        more.pop("class_name", None)  # as model_validate() gives what model_dump() wrote
        check_ids(ids)
        cutter = Cutter(strategy=strategy, options=_merged(options, more), kind=kind, extract=extract)
        ours: dict[str, Any] = {
            "strategy": strategy,
            "options": dict(cutter.options),
            "kind": kind,
            "extract": None if extract is None else dict(extract),
            "include_parent_child_rel": include_parent_child_rel,
            "ids": ids,
        }
        super().__init__(
            include_metadata=include_metadata,
            include_prev_next_rel=include_prev_next_rel,
            callback_manager=callback_manager or CallbackManager([]),
            id_func=_id_func(id_func),
            **ours,
        )
        self._made = (self._given(), cutter)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised pipelines know the class by."""
        return "CantleNodeParser"

    @classmethod
    def from_defaults(cls, strategy: str | type[Strategy] | Strategy | None = None, **options: Any) -> Self:
        """The same as the class itself, by the name that LlamaIndex's node parsers have for it."""
        return cls(strategy, **options)

    def _given(self) -> tuple[Any, ...]:
        extract = None if self.extract is None else dict(self.extract)
        return self.strategy, dict(self.options), self.kind, extract

    def _cutter(self) -> Cutter:
        """For the fields as they are now: they may be assigned to."""
        given = self._given()
        if self._made[0] != given:
            self._made = (given, Cutter(**dict(zip(_OURS, given, strict=True))))
        return self._made[1]

    def _config(self) -> dict[str, Any]:
        try:
            return self._cutter().config()
        except OptionError as error:
            raise OptionError(
                f"{error} An IngestionPipeline writes its transformations down for its cache: with "
                "IngestionPipeline(disable_cache=True) it does not."
            ) from None

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The fields, ready for JSON. Raises `OptionError`."""
        self._config()  # here, for pydantic would wrap the error
        made: dict[str, Any] = super().to_dict(**kwargs)
        return made

    @model_serializer(mode="wrap")
    def custom_model_dump(self, handler: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """The fields by names that another process knows, in an order that does not depend on how they were given."""
        config = self._config()
        options = config.get("options", {})
        ours = {"strategy": None, "kind": None, "extract": None, **config}
        ours["options"] = {name: options[name] for name in sorted(options)}
        data: dict[str, Any] = {**handler(self), **{name: ours[name] for name in _OURS}}
        return {**data, "class_name": self.class_name()}

    def __getstate__(self) -> dict[str, Any]:
        """Raises `OptionError`: the base class would leave out what does not pickle, and cut otherwise elsewhere."""
        for name in (*_OURS, "id_func"):
            try:
                pickle.dumps(getattr(self, name))
            except Exception as error:
                raise OptionError(
                    f"{name} of {self.class_name()} does not pickle ({error}). Give strategy, length function and "
                    "extractors by name, and functions that are defined in a module."
                ) from error
        state: dict[str, Any] = super().__getstate__()
        return {**state, "__pydantic_private__": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["__dict__"])  # type: ignore[misc]

    def _document(self, node: BaseNode) -> MDocument:
        if not isinstance(node, BaseNode):
            raise OptionError(f"{self.class_name()} takes LlamaIndex's documents or nodes, got {node!r:.100}.")
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        document = self._cutter().document(text, node.metadata, id=node.node_id)
        return document if self.include_metadata else replace(document, metadata={})

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        keys, made = Keys(), list[BaseNode]()
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            made += self._nodes(node, self._cutter().cut(self._document(node)), keys)
        return made

    async def _aparse_nodes(
        self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any
    ) -> list[BaseNode]:
        """Does not block the event loop: strategies that wait are awaited, all else runs in a thread."""
        keys, made = Keys(), list[BaseNode]()
        for node in get_tqdm_iterable(nodes, show_progress, "Parsing nodes"):
            chunks = await self._cutter().acut(self._document(node))
            made += await asyncio.to_thread(self._nodes, node, chunks, keys)
        return made

    def _nodes(self, document: BaseNode, chunks: Chunks, keys: Keys) -> list[BaseNode]:
        """The nodes of the chunks of one document."""
        source = _source(document)
        if not len(chunks) and isinstance(document, ImageDocument) and _has_image(document):
            return [self._image(document, source)]
        named = keys.of(chunks)
        nodes = [
            node_of(chunk, key, id=self._id(i, document, key), like=document)
            for i, (chunk, key) in enumerate(zip(chunks, named, strict=True))
        ]
        relations = chunks.relations() if self.include_parent_child_rel else ()
        relate(nodes, [source] * len(nodes), (), relations)
        return list(nodes)

    def _id(self, number: int, document: BaseNode, key: str) -> str:
        if self.id_func is not default_id_func:
            return str(self.id_func(number, document))
        return key_uuid(key) if self.ids == "uuid" else key

    def _image(self, document: ImageDocument, source: RelatedNodeInfo) -> ImageNode:
        return ImageNode(
            id_=self._id(0, document, f"{document.node_id}:image"),
            metadata=dict(document.metadata) if self.include_metadata else {},
            image=document.image,
            image_path=document.image_path,
            image_url=document.image_url,
            image_mimetype=document.image_mimetype,
            excluded_embed_metadata_keys=list(document.excluded_embed_metadata_keys),
            excluded_llm_metadata_keys=list(document.excluded_llm_metadata_keys),
            relationships={NodeRelationship.SOURCE: source},
        )

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """The base class searches each node's text in its document; ours know where it is."""
        for node in nodes:
            parent = parent_doc_map.get(node.source_node.node_id) if node.source_node else None
            if parent is not None and parent.source_node is not None:  # a node was parsed: its document is the source
                node.relationships[NodeRelationship.SOURCE] = parent.source_node
        if self.include_prev_next_rel:
            chain(nodes)
        return nodes


def _merged(options: Mapping[str, Any] | None, more: dict[str, Any]) -> Mapping[str, Any]:
    if options is None:
        return more
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping of names to values, got {options!r:.100}.")
    twice = sorted(name for name in more if name in options)
    if twice:
        raise OptionError(f"{', '.join(twice)} is given both as a keyword and in options. Give it once.")
    return {**options, **more}


def _id_func(given: Any) -> Any:
    """The function itself, or that which `to_dict()` wrote the name of."""
    if isinstance(given, Mapping):
        name = given.get("id_func_name")
        if name != default_id_func.__name__:
            raise OptionError(
                f"id_func is written down by its name, {name!r}, from which it cannot be had again. Give the function: "
                "CantleNodeParser.from_dict(data, id_func=...)."
            )
        return default_id_func
    return default_id_func if given is None else given


def _source(document: BaseNode) -> RelatedNodeInfo:
    try:
        return document.as_related_node_info()
    except UnicodeEncodeError:  # LlamaIndex has no hash for a Document with lone surrogates
        kind, metadata = document.get_type(), document.metadata
        return RelatedNodeInfo(node_id=document.node_id, node_type=kind, metadata=metadata)


def _has_image(document: ImageDocument) -> bool:
    return bool(document.image or document.image_path or document.image_url)
