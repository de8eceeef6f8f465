"""Metadata extraction: one provider for every field, in a fixed order, merged into the chunks.

A provider is a function that a plugin gave in `register_extractors`. It may wait: under `achunk`
it is awaited and ordinary functions run in a thread; under `chunk` it runs in an event loop of its
own, also where the calling thread has a running one.

Over several documents a provider is called for each in turn; one that says that it is `together` is called once.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple

from .chunks import Chunks
from .errors import CantleError, ExtractionError, OptionError, PluginError
from .hookspecs import Extractor
from .plugins import Registry
from .source import Source
from .strategy import nearest
from .waiting import Waiter, is_coroutine_function

if TYPE_CHECKING:
    from .document import MDocument

__all__ = ["ORDER", "check", "extract_async", "extract_now"]

ORDER = ("schema", "summary", "questions", "keywords", "title")
"""The fields that come first, in this order; other fields follow as they were given."""


_MODEL, _INSTALL = "llm", "pip install cantle-llm"
"""The plugin that asks a language model, and how to get it."""
_BY_MODEL = ("questions", "schema")
"""Fields that are extracted by a model alone."""


Given = tuple["MDocument", Chunks]
"""A document and its chunks."""


class _Task(NamedTuple):
    field: str
    provider: str
    extractor: Extractor
    options: dict[str, Any]


def extract_now(host: Registry, given: Sequence[Given], fields: Mapping[str, Any]) -> None:
    """Merge the metadata of `fields` into the chunks of some documents.

    `fields` maps a field to its options: a mapping, True for none, False or None to leave it out.
    `by` among the options names the plugin that provides the field, where several do. Without it
    those come in question that take all the options (see `register_extractors`): cantle's own
    goes before others. Raises `OptionError` for a wrong value, or an option that no provider
    takes, and `ExtractionError` for a field nobody provides, a clash without `by`, a provider that
    fails or answers with the wrong number of mappings.
    """
    given = _ready(given)
    with Waiter() as settle:
        for task in _tasks(host, fields):
            for document, chunks in _calls(task, given):
                with _named(task):
                    answer = settle(task.extractor(document, chunks, task.options))
                _merge(chunks, task, answer)


def check(host: Registry, fields: Mapping[str, Any]) -> None:
    """Raise what is wrong with `fields` before anything is extracted: see `extract_now`."""
    _tasks(host, fields)


async def extract_async(host: Registry, given: Sequence[Given], fields: Mapping[str, Any]) -> None:
    """Like `extract_now`, for a running event loop: waits for providers, runs others in a thread.

    A provider that has a coroutine function `acall` is called by that.
    """
    given = _ready(given)
    for task in _tasks(host, fields):
        for document, chunks in _calls(task, given):
            with _named(task):
                acall = getattr(task.extractor, "acall", None)
                if acall is not None:
                    answer: Any = acall(document, chunks, task.options)
                elif is_coroutine_function(task.extractor):
                    answer = task.extractor(document, chunks, task.options)
                else:
                    answer = await asyncio.to_thread(task.extractor, document, chunks, task.options)
                if inspect.isawaitable(answer):
                    answer = await answer
            _merge(chunks, task, answer)


class _All(Chunks):
    """The chunks of several documents as they are: each keeps its number and its document."""

    def __init__(self, given: Sequence[Given]) -> None:
        super().__init__(Source(""))
        self._items = [chunk for _, chunks in given for chunk in chunks]


def _ready(given: Sequence[Given]) -> Sequence[Given]:
    """The documents and their chunks; behind several, all in one: each chunk's document, and the chunks."""
    if len(given) < 2:
        return given
    documents: Any = [document for document, chunks in given for _ in chunks]
    return [*given, (documents, _All(given))]


def _calls(task: _Task, given: Sequence[Given]) -> Iterator[Given]:
    """What a provider is called with: each document, or all of several in one."""
    if len(given) < 2:
        return iter(given)
    return iter(given[-1:] if getattr(task.extractor, "together", False) else given[:-1])


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
        raise ExtractionError(_unknown(host, field))
    if by is not None:
        if not isinstance(by, str) or by not in providers:
            hint = f" Install it: {_INSTALL}." if by == _MODEL and by not in host.plugins else ""
            raise ExtractionError(
                f"extract[{field!r}]: by={by!r} does not provide this field. Its providers: {_listed(providers)}.{hint}"
            )
        providers = {by: providers[by]}
    taken = {name: _taken(name, field, extractor) for name, extractor in providers.items()}
    name = _chosen(host, field, taken, options)
    acall = getattr(providers[name], "acall", None)
    if acall is not None and not is_coroutine_function(acall):
        raise PluginError(
            f"The extractor of field {field!r} in plugin {name!r} has acall={acall!r}; acall is a coroutine function "
            "of document, chunks and options, which achunk() awaits."
        )
    task = _Task(field, name, providers[name], options)
    if taken[name] is not None and callable(check := getattr(task.extractor, "check", None)):
        with _named(task):
            check(options)
    return task


def _taken(plugin: str, field: str, extractor: Extractor) -> tuple[str, ...] | None:
    """The options that a provider says it takes; None for any."""
    names = getattr(extractor, "options", None)
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Collection) or not all(isinstance(n, str) for n in names):
        raise PluginError(
            f"The extractor of field {field!r} in plugin {plugin!r} has options={names!r}; options is a collection of "
            "the names that it takes."
        )
    return tuple(sorted(names) if isinstance(names, Set) else names)


def _chosen(host: Registry, field: str, taken: Mapping[str, tuple[str, ...] | None], options: Mapping[str, Any]) -> str:
    """Which of the providers of a field to ask: of those that take all the options cantle's own, else the only one.

    So what a plugin does that is installed later, and costs, is done only for who names it or an option of its own.
    """
    able = [name for name, names in taken.items() if names is None or all(option in names for option in options)]
    if not able:
        raise OptionError(_not_taken(host, field, taken, options))
    own = [name for name in able if host.is_builtin(name)]
    if len(own) == 1:
        return own[0]
    if len(able) > 1:
        raise ExtractionError(
            f"Several plugins extract the field {field!r}: {_listed(able)}. "
            f'Choose one: extract={{{field!r}: {{"by": {min(able)!r}}}}}.'
        )
    return able[0]


def _not_taken(
    host: Registry, field: str, taken: Mapping[str, tuple[str, ...] | None], options: Mapping[str, Any]
) -> str:
    """What to say of options that no provider takes, or none takes together."""
    known = sorted({name for names in taken.values() for name in names or ()})
    wrong = [option for option in options if option not in known]
    lists = "; ".join(f"{plugin}: {', '.join(names or ()) or 'none'}" for plugin, names in sorted(taken.items()))
    if not wrong:
        given = ", ".join(map(repr, options))
        return f"extract[{field!r}]: no plugin takes {given} together. They take, {lists}. Leave out those of one."
    meant = nearest(str(wrong[0]), known)
    hint = f" Did you mean {meant!r}?" if meant else ""
    there = f"Options of {lists}." if len(taken) > 1 else f"{next(iter(taken))} takes {lists.partition(': ')[2]}."
    model = f" Those of a language model come with {_INSTALL}." if _MODEL not in host.plugins and not meant else ""
    return f"extract[{field!r}] has no option {wrong[0]!r}.{hint} {there}{model}"


def _unknown(host: Registry, field: str) -> str:
    """What to say of a field that nobody extracts."""
    if field in _BY_MODEL:
        plugin = host.plugins.get(_MODEL)
        why = f" The plugin is installed and was left out: {plugin.error}." if plugin and plugin.error else ""
        return f"The field {field!r} takes a language model, and so the plugin cantle-llm: {_INSTALL}.{why}"
    known = host.fields()
    close = get_close_matches(str(field), known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    there = f"Fields: {', '.join(known)}." if known else "None is installed that extracts any."
    return (
        f"No plugin extracts the field {field!r}.{hint} {there} "
        "A plugin adds fields with the hook register_extractors()."
    )


def _listed(providers: Iterable[str]) -> str:
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
