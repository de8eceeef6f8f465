"""Metadata extraction: one provider for every field, in a fixed order, merged into the chunks.

A provider is a function that a plugin gave in `register_extractors`. It may wait: under `achunk`
it is awaited and ordinary functions run in a thread; under `chunk` it runs in an event loop of its
own, also where the calling thread has a running one.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from .chunks import Chunks
from .errors import CantleError, ExtractionError, OptionError
from .hookspecs import Extractor
from .plugins import Registry
from .waiting import Waiter, is_coroutine_function

if TYPE_CHECKING:
    from .document import MDocument

__all__ = ["ORDER", "check", "extract_async", "extract_now"]

ORDER = ("schema", "summary", "questions", "keywords", "title")
"""The fields that come first, in this order; other fields follow as they were given."""


class _Task(NamedTuple):
    field: str
    provider: str
    extractor: Extractor
    options: dict[str, Any]


def extract_now(host: Registry, document: MDocument, chunks: Chunks, fields: Mapping[str, Any]) -> Chunks:
    """`chunks` with the metadata of `fields` merged in.

    `fields` maps a field to its options: a mapping, True for none, False or None to leave it out.
    `by` among the options names the plugin that provides the field, where several do. Raises
    `OptionError` for a wrong value and `ExtractionError` for a field nobody provides, a clash
    without `by`, a provider that fails or answers with the wrong number of mappings.
    """
    with Waiter() as settle:
        for task in _tasks(host, fields):
            with _named(task):
                answer = settle(task.extractor(document, chunks, task.options))
            _merge(chunks, task, answer)
    return chunks


def check(host: Registry, fields: Mapping[str, Any]) -> None:
    """Raise what is wrong with `fields` before anything is extracted: see `extract_now`."""
    _tasks(host, fields)


async def extract_async(host: Registry, document: MDocument, chunks: Chunks, fields: Mapping[str, Any]) -> Chunks:
    """Like `extract_now`, for a running event loop: waits for providers, runs others in a thread."""
    for task in _tasks(host, fields):
        with _named(task):
            if is_coroutine_function(task.extractor):
                answer: Any = task.extractor(document, chunks, task.options)
            else:
                answer = await asyncio.to_thread(task.extractor, document, chunks, task.options)
            if inspect.isawaitable(answer):
                answer = await answer
        _merge(chunks, task, answer)
    return chunks


def _tasks(host: Registry, fields: Mapping[str, Any]) -> list[_Task]:
    """What to run, in order. Everything is checked before anything runs."""
    if not isinstance(fields, Mapping):
        raise OptionError(
            f"extract must map fields to options, got {fields!r}. For the defaults of a field write "
            'extract={"keywords": True}.'
        )
    wanted = [field for field in ORDER if field in fields] + [field for field in fields if field not in ORDER]
    return [
        _task(host, field, fields[field])
        for field in wanted
        if fields[field] is not None and fields[field] is not False
    ]


def _task(host: Registry, field: str, value: Any) -> _Task:
    if value is True:
        value = {}
    if not isinstance(value, Mapping):
        raise OptionError(
            f"extract[{field!r}] must be True, False, None or a mapping of options, got {value!r}. "
            "True takes the provider's defaults."
        )
    options = dict(value)
    by = options.pop("by", None)
    providers = host.extractors(field)
    if not providers:
        raise ExtractionError(_unknown(field, host.fields()))
    if by is not None:
        if by not in providers:
            raise ExtractionError(
                f"extract[{field!r}]: by={by!r} does not provide this field. Its providers: {_listed(providers)}."
            )
        return _Task(field, by, providers[by], options)
    if len(providers) > 1:
        raise ExtractionError(
            f"Several plugins extract the field {field!r}: {_listed(providers)}. "
            f'Choose one: extract={{{field!r}: {{"by": {next(iter(sorted(providers)))!r}}}}}.'
        )
    name, extractor = next(iter(providers.items()))
    return _Task(field, name, extractor, options)


def _unknown(field: str, known: Sequence[str]) -> str:
    close = get_close_matches(str(field), known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    there = f"Fields: {', '.join(known)}." if known else "None is installed that extracts any."
    return (
        f"No plugin extracts the field {field!r}.{hint} {there} "
        "A plugin adds fields with the hook register_extractors()."
    )


def _listed(providers: Mapping[str, Any]) -> str:
    return ", ".join(sorted(providers))


class _named:  # reads as a word in a with statement
    """Errors that a provider raises become an `ExtractionError` that names it; cantle's own pass."""

    def __init__(self, task: _Task) -> None:
        self._task = task

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, CantleError):
            field, provider = self._task.field, self._task.provider
            raise ExtractionError(
                f"The extractor of field {field!r} in plugin {provider!r} failed: {type(error).__name__}: {error}"
            ) from error


def _merge(chunks: Chunks, task: _Task, answer: Any) -> None:
    """Each mapping into its chunk's own metadata, copied: providers may answer with one object many times."""
    if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Sequence):
        raise ExtractionError(
            f"The extractor of field {task.field!r} in plugin {task.provider!r} must return a list with one mapping "
            f"per chunk, got {type(answer).__name__}."
        )
    if len(answer) != len(chunks):
        raise ExtractionError(
            f"The extractor of field {task.field!r} in plugin {task.provider!r} returned {len(answer)} mappings for "
            f"{len(chunks)} chunks; it must return one per chunk, in order."
        )
    for i, found in enumerate(answer):
        if not isinstance(found, Mapping):
            raise ExtractionError(
                f"The extractor of field {task.field!r} in plugin {task.provider!r} returned {found!r} for chunk {i}, "
                "which is no mapping. An empty one says that nothing was found."
            )
    for chunk, found in zip(chunks, answer, strict=True):
        chunk.metadata.update(deepcopy(dict(found)))
