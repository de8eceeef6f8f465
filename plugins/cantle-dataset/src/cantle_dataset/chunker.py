"""`Chunker` and `chunk_table`: a batch of documents in, a batch of chunks out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import pyarrow as pa

from cantle import Chunks, MDocument, Registry, Strategy, extract, registry
from cantle.commands import config_hash
from cantle.errors import CantleError, CantleWarning, DocumentError, OptionError

from .columns import declared, schema
from .documents import KINDS, Reader, names
from .errors import BatchTooLargeError
from .rows import Cut, Failed, Rows

__all__ = ["ERRORS", "Chunker", "chunk_table"]

ERRORS = ("raise", "skip", "collect")


class Chunker:
    """Cuts batches of documents: called with a `RecordBatch` or `Table`, it gives a `RecordBatch` of `schema()`.

    `strategy`, `extract`, `plugins` and the options are those of `MDocument.chunk`; without a strategy each document
    gets that of its kind. All is checked here and now, before there is any document. Chunkers pickle if the strategy
    and its options do, and keep in each process what is expensive to make.

    Of the documents: `text` is the column with the texts, strings or binary UTF-8; a null is no document and gives no
    chunks. With `path` there is a column of file names instead, read where the chunker runs, by `MDocument.from_file`
    with all its plugins. `document_id` is the column with the ids, strings or integers, which must differ: two equal
    ones in one batch are an error, in two batches nobody sees it. With `document_id=None` the id is the first 16
    hexadecimal digits of SHA-256 of the text, or the path; then equal texts have equal ids and the same chunks, in
    whatever batches they are. `kind` is a kind of documents (text, markdown, html, json, latex, pdf, or that of a
    plugin), else the column that holds it; null is text. `metadata` is a list of columns, each a field of the
    metadata, or the name of one column that holds JSON objects, structs or maps.

    Of the chunks: `keep` names columns of the documents that are repeated on each chunk. `metadata_schema` declares
    the fields of metadata by a pyarrow schema or struct type; an undeclared field fails the document.

    `errors` says what to do with a document that fails: `raise` its error, `skip` it with a `CantleWarning`, or
    `collect`: one row with `document_id`, its `error` as "Type: message", `document_id:error` as `chunk_id`, and null
    in all columns else. With `timeout`, documents are cut in one process beside this one, which is started when it is
    first needed: one that takes more seconds, or that kills the process (out of memory, a crash), fails alone.

    Raises `OptionError`, `UnknownStrategyError` and other errors of `MDocument.chunk` about options.
    """

    def __init__(
        self,
        strategy: str | type[Strategy] | Strategy | None = None,
        *,
        text: str = "text",
        path: str | None = None,
        document_id: str | None = "id",
        kind: str | None = None,
        metadata: str | Sequence[str] = (),
        metadata_schema: str | pa.StructType | pa.Schema = "json",
        keep: Sequence[str] = (),
        errors: str = "raise",
        timeout: float | None = None,
        extract: Mapping[str, Any] | None = None,
        plugins: Registry | None = None,
        **options: Any,
    ) -> None:
        if errors not in ERRORS:
            raise OptionError(f"errors must be one of {', '.join(map(repr, ERRORS))}, got {errors!r}.")
        if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0):
            raise OptionError(f"timeout must be a number of seconds greater than 0, or None, got {timeout!r}.")
        if plugins is not None and not isinstance(plugins, Registry):
            raise OptionError(f"plugins must be a Registry or None, got {plugins!r}.")
        self.errors, self.timeout = errors, timeout
        self._reader = Reader(text, path, document_id, kind, metadata)
        self._keep = names("keep", keep)
        self._struct = declared(metadata_schema)
        schema(keep=[pa.field(name, pa.null()) for name in self._keep])  # names that are taken
        self._extract, self._plugins = None if extract is None else dict(extract), plugins
        self._strategy, self._options = self._checked(strategy, options)
        self._known: dict[str, tuple[Strategy, str]] = {}

    def _checked(
        self, strategy: str | type[Strategy] | Strategy | None, options: dict[str, Any]
    ) -> tuple[Strategy | None, dict[str, Any]]:
        host = self._plugins or registry()
        with host.in_use():
            if self._extract is not None:
                extract([], self._extract, plugins=self._plugins)
            if strategy is not None and strategy != "":
                return host.make(strategy, options), {}
            problem: CantleError | None = None
            kinds = (self._reader.kind,) if self._reader.kind else dict.fromkeys((*KINDS, *host.kinds()))
            if self._reader.kind_column is None and self._reader.path is None:
                kinds = (self._reader.kind or "text",)
            for kind in kinds:
                try:
                    host.make(MDocument("", kind).strategy_for(options), options)
                except CantleError as error:
                    problem = problem or error
                else:
                    return None, options
        assert problem is not None
        raise problem

    def __getstate__(self) -> dict[str, Any]:
        """What was worked out is worked out again."""
        return {**self.__dict__, "_known": {}}

    @property
    def text(self) -> str | None:
        """The column that holds the texts; None where files are read."""
        return self._reader.text

    @property
    def path(self) -> str | None:
        """The column that holds the names of files; None where texts are given."""
        return self._reader.path

    @property
    def keep(self) -> tuple[str, ...]:
        """The columns of the documents that are repeated on each chunk."""
        return self._keep

    @property
    def columns(self) -> list[str]:
        """The columns of the documents that are needed; all others may be left out before."""
        return list(dict.fromkeys((*self._reader.columns, *self._keep)))

    @property
    def typed(self) -> list[str]:
        """Those of `columns` whose types matter to the chunks: what is kept, and what becomes metadata."""
        return list(dict.fromkeys((*self._keep, *self._reader.fields)))

    @property
    def name(self) -> str:
        """The name of the strategy, for messages; `default` where each kind has its own."""
        return "default" if self._strategy is None else self._strategy.name

    @property
    def config_hash(self) -> str | None:
        """The `config_hash` of all chunks, None where each kind of documents has its own strategy."""
        if self._strategy is not None:
            return config_hash(self._strategy)
        kind = self._reader.kind or ("text" if self._reader.path is None and self._reader.kind_column is None else None)
        if kind is None:
            return None
        host = self._plugins or registry()
        with host.in_use():
            return config_hash(host.make(MDocument("", kind).strategy_for(self._options), self._options))

    @property
    def schema(self) -> pa.Schema:
        """That of the chunks. Raises `OptionError` with `keep`: only documents know the types of those columns."""
        if self._keep:
            raise OptionError(
                "Columns that are kept have the types that they have in the documents: give the schema of those to "
                "schema_for()."
            )
        return self.schema_for(pa.schema([]))

    def schema_for(self, documents: pa.Schema) -> pa.Schema:
        """The schema of the chunks of documents with that schema. Raises `OptionError` for a column that is missing."""
        for name in self._keep:
            if len(documents.get_all_field_indices(name)) != 1:
                raise OptionError(
                    f"There is no column {name!r} to keep, or more than one; there are: {', '.join(documents.names)}."
                )
        return schema("json" if self._struct is None else self._struct, [documents.field(name) for name in self._keep])

    def check(self, documents: pa.Schema) -> None:
        """Raise `OptionError` where documents with this schema have not the columns, or the types, that are needed."""
        self._reader.check(documents)
        self.schema_for(documents)

    def __call__(self, batch: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
        """The chunks of a batch of documents, in their order.

        Raises `OptionError` for a column that is missing or of a wrong type, `BatchTooLargeError` for chunks of more
        than 2 GiB, and with `errors="raise"` what the first document that fails raised.
        """
        if self.timeout is None:
            made = self.cut(batch)
        else:
            from .isolated import cut_apart

            self._reader.check(batch.schema)
            made = cut_apart(self.without_timeout(), self.timeout, batch)
        self.settle(made)
        return made.batch

    def settle(self, made: Cut) -> None:
        """Raise or warn of what failed, as `errors` says."""
        for failed in made.failed:
            if self.errors == "raise":
                failed.error.add_note(f"The document is {failed.id!r}.")
                raise failed.error
            if self.errors == "skip":
                said = f"{failed.id or 'A document'} was skipped: {type(failed.error).__name__}: {failed.error}"
                warnings.warn(said, CantleWarning, stacklevel=3)

    def without_timeout(self) -> Chunker:
        """The same chunker, which cuts in the process that it is called in."""
        other = copy(self)
        other.timeout = None
        return other

    def cut(
        self,
        batch: pa.RecordBatch | pa.Table,
        skip: Mapping[int, Exception] | None = None,
        mark: Callable[[int], None] | None = None,
    ) -> Cut:
        """The chunks of a batch and what failed, in this process; with `errors="raise"` it ends at the first.

        Rows in `skip` are not touched: they failed already. `mark` is called with the number of each row before it is
        cut.
        """
        self._reader.check(batch.schema)
        rows, made = Rows(self.schema_for(batch.schema)), []
        seen: set[str] = set()
        for i, given in enumerate(self._reader.documents(batch)):
            identity: str | None = None
            try:
                identity = given.id()
                self._refuse_again(identity, seen)
                if skip and i in skip:
                    raise skip[i]
                if mark is not None:
                    mark(i)
                document = given.document(identity)
                if document is not None:
                    rows.add(i, *self._chunks(document))
            except Exception as error:  # a strategy may be anyone's
                if isinstance(error, BatchTooLargeError) and rows.size:
                    raise  # alone the document may do
                made.append(Failed(i, identity, error))
                if self.errors == "raise":
                    break
                if self.errors == "collect":
                    rows.fail(i, identity, error)
        return Cut(rows.batch(batch), made)

    def _refuse_again(self, identity: str, seen: set[str]) -> None:
        if self._reader.document_id is not None:
            if identity in seen:
                raise DocumentError(
                    f"there are two documents with the id {identity!r} in one batch, so chunks of both would have the "
                    "same ids. Make the ids differ, or give document_id=None for ids made of the texts."
                )
            seen.add(identity)

    def _chunks(self, document: MDocument) -> tuple[Chunks, str]:
        """The chunks of a document and their `config_hash`, which is worked out once a strategy."""
        kind = "" if self._strategy is not None else document.kind
        strategy, digits = self._known.get(kind, (self._strategy, ""))
        options = self._options if strategy is None else {}
        chunks = document.chunk(strategy, extract=self._extract, plugins=self._plugins, **options)
        if not digits:
            digits = chunks.config_hash
            if chunks.strategy is not None:
                self._known[kind] = chunks.strategy, digits  # type: ignore[assignment]
        return chunks, digits


def chunk_table(
    batch: pa.RecordBatch | pa.Table, strategy: str | type[Strategy] | Strategy | None = None, **options: Any
) -> pa.RecordBatch:
    """The chunks of a batch of documents as a batch: what `Chunker(strategy, **options)` gives for it.

    For one batch; whoever has several makes a `Chunker` once.
    """
    return Chunker(strategy, **options)(batch)
