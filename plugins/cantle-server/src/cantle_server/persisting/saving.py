"""The blocks of a partition as chunks of a document, with embeddings, in a dataset that is there or made for them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any

from cantle_llm import Persisted
from cantle_store import DimensionError, EmbedderError, NotFoundError, StoreError

from .target import Target

if TYPE_CHECKING:
    from cantle_llm import PartitionResult
    from cantle_store import Dataset, Store, Synced

__all__ = ["Saving", "failure_of"]

_log = logging.getLogger("cantle_server")

_MOST_TRIES = 1000
_LONGEST_NAME = 200


class Saving:
    """What `cantle_llm.partition` calls with a result that is to be stored.

    The document `source` of the dataset is brought up to the blocks: what is there already is not embedded or written
    again. Blocks of more than `max_size` characters are several chunks. A dataset is made where the target has none;
    where storing fails after that, it is deleted again unless something else is in it by then.
    """

    def __init__(
        self,
        store: Store,
        target: Target,
        source: str,
        metadata: dict[str, Any] | None = None,
        stop: Event | None = None,
        *,
        max_size: int | None = None,
    ) -> None:
        self.store, self.target, self.source = store, target, source
        self.max_size = max_size
        self.metadata, self.stop = metadata or {}, stop
        self.synced: Synced | None = None

    def __call__(self, result: PartitionResult, name: Callable[[], str]) -> Persisted:
        """Store the blocks. Raises `StoreError`, and what an embedder or a database raises."""
        if self.stop is not None and self.stop.is_set():  # nobody waits for it, and it was not said to be stored
            raise StoreError("The request was ended before its blocks were stored.")
        dataset, made = self.target.dataset, False
        if dataset is None:
            dataset, made = self._made(self.target.name, name)
        try:
            synced = self.synced = self.store.sync(
                dataset, self.source, _chunks(result, self.max_size), metadata=self.metadata, wipe=False
            )
        except BaseException:
            if made:
                self._unmade(dataset)
            raise
        return Persisted(
            dataset_id=dataset.id,
            avatar_id=self.target.avatar.id,
            dataset_created=made,
            dataset_name=dataset.name if made else None,
            chunk_ids=synced.chunk_ids,
            count=len(synced.chunk_ids),
        )

    def _made(self, named: str | None, name: Callable[[], str]) -> tuple[Dataset, bool]:
        """A dataset of its own: `name`, or `name 2` and so on where there is one. One that was named may be there."""
        wanted = (named or name())[:_LONGEST_NAME] or "Untitled"
        number = 1
        while number < _MOST_TRIES:
            tried = wanted if number == 1 else f"{wanted} {number}"
            there = self._named(tried)
            if there is not None and named is not None:  # made by another request since it was looked for
                return there, False
            if there is not None:
                number += 1
                continue
            try:
                return self.store.create_dataset(tried, avatar=self.target.avatar), True
            except StoreError:
                if self._named(tried) is None:  # it is not that another request was quicker
                    raise
        raise StoreError(f"There are {_MOST_TRIES - 1} datasets with names such as {wanted!r}. Name another.")

    def _named(self, name: str) -> Dataset | None:
        return next((one for one in self.store.datasets(self.target.avatar) if one.name == name), None)

    def _unmade(self, dataset: Dataset) -> None:
        """Delete a dataset that was made in vain. Where that fails too, the first failure is the one that counts."""
        try:
            if self.store.dataset(dataset.id).documents == 0:
                self.store.delete_dataset(dataset)
        except Exception as error:
            _log.warning(
                "a dataset without chunks is left",
                extra={"fields": {"datasetId": dataset.id, "error": type(error).__name__}},
            )


def _chunks(result: PartitionResult, max_size: int | None) -> list[dict[str, Any]]:
    """The blocks as chunks; `ranges` (characters, end exclusive) and `lines` (inclusive) say where they are."""
    found = []
    for chunk in result.to_chunks(max_size=max_size):
        one = chunk.to_dict()
        block = result.blocks[one["metadata"]["block"]]
        places = {"ranges": [list(each) for each in block.ranges], "lines": [list(each) for each in block.lines]}
        found.append({**one, "metadata": {**one["metadata"], **places}})
    return found


def failure_of(error: BaseException) -> dict[str, str]:
    """Why blocks were not stored, as the caller is told; what databases and embedders say is left out."""
    for kind, code in _TOLD.items():
        if isinstance(error, kind):
            return {"code": code, "message": str(error)}
    if isinstance(error, EmbedderError):
        return {"code": "embedder_failed", "message": "The embedder of this service failed. Nothing was stored."}
    return {"code": "store_failed", "message": "The store could not be written. Nothing was stored."}


_TOLD = {DimensionError: "dimension", NotFoundError: "not_found"}
