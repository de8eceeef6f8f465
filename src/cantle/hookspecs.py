"""The hooks a plugin may implement. Mark implementations with `cantle.hookimpl`.

A plugin is a module (or object) named by an entry point in the group `cantle`:

```toml
[project.entry-points.cantle]
acme = "cantle_acme"
```
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from .chunks import Chunks
    from .document import MDocument
    from .lengths import LengthLike
    from .source import OffsetMap, Source
    from .strategy import Strategy

__all__ = ["Extractor", "hookimpl", "hookspec"]

hookspec = pluggy.HookspecMarker("cantle")
hookimpl = pluggy.HookimplMarker("cantle")
"""Marks a function of a plugin as the implementation of the hook of the same name."""

Extractor = Callable[
    ["MDocument", "Chunks", Mapping[str, Any]],
    "Sequence[Mapping[str, Any]] | Awaitable[Sequence[Mapping[str, Any]]]",
]
"""`extract(document, chunks, options)`: one mapping per chunk, in order, or an awaitable of that."""


@hookspec
def register_strategies() -> Iterable[type[Strategy]]:
    """Return the strategy classes that this plugin provides.

    Called once, when a registry is made. Each class has a `name`; a name that
    another plugin provides too is an error that names both.
    """


@hookspec
def register_length_functions() -> Mapping[str, Callable[[], LengthLike]]:
    """Return length functions by name, each as a factory that is called when the name is used.

    It makes what the option `length_function` takes: a function from `str` to a number, an object
    with `encode`, or a `Length`.
    """


@hookspec
def register_extractors() -> Mapping[str, Extractor]:
    """Return metadata extractors by field.

    An extractor gets the document, its chunks and the options of the field, and returns one mapping
    per chunk, in order, merged into the chunks' metadata. It may be a coroutine function. An object
    may be an ordinary function by its `__call__`, and have a coroutine function `acall` besides, with
    the same arguments, which is awaited in place of it where there is an event loop.

    For several documents (see `cantle.extract`) it is called for each in turn. With an attribute
    `together` that is true it is called once: the chunks of all documents are in one `Chunks`, as
    they are, and the document is a list, with that of each chunk.

    With an attribute `options`, a collection of names, an extractor takes those and no others, and
    is asked only where it takes all that are given; of several cantle's own goes first. It may then
    have a method `check(options)`, which raises what is wrong with their values. It is called
    before any extractor runs.
    """


@hookspec
def load_document(data: bytes | Path, name: str, media_type: str | None) -> MDocument | None:
    """Return the document that a file holds, or None to leave it to others.

    `data` is the file's path, or its bytes when there is no path; `name` its name, `media_type` its
    MIME type when known. The first plugin that answers wins, in the order of plugin names.
    """


@hookspec
def prepare_source(source: Source) -> tuple[Source, OffsetMap] | None:
    """Return a rewritten source with the map back to the given one, or None to leave it alone.

    Called before every strategy, for cleaning or redaction. Chunks keep the offsets of the original
    text. Plugins are called in the order of their names, each with the result of the one before.
    """


@hookspec
def finish_chunks(document: MDocument, chunks: Chunks) -> Chunks | None:
    """Return the chunks to use instead, or None to keep them. Called after every strategy.

    Plugins are called in the order of their names, each with the result of the one before.
    """


@hookspec
def register_commands() -> Mapping[str, str]:
    """Return subcommands of `cantle`: name -> `module:command`, a click command imported when run."""
