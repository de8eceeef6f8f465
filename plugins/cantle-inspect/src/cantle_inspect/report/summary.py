"""What is said of all chunks of a document: figures, options in force, what is in no chunk."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import cantle
from cantle import Chunks, MDocument
from cantle.html_view import escaped

from ..sizes import Sizes, losses, number, repeated
from .drawing import isolated
from .entries import definitions

__all__ = [
    "Setting",
    "changed",
    "config_hash",
    "document",
    "figures",
    "in_force",
    "literal",
    "lost",
    "options",
    "settings",
    "strategy_name",
    "title",
    "worded_options",
]


def figures(chunks: Chunks, sizes: Sizes) -> str:
    """The figures of the whole, as a list of definitions."""
    return "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in _figures(chunks, sizes))


def _figures(chunks: Chunks, sizes: Sizes) -> Iterator[tuple[str, str]]:
    text = chunks.source.text
    yield "chunks", f"{len(chunks):,}"
    yield "characters", f"{len(text):,}"
    if len(chunks):
        yield "smallest chunk", number(sizes.least)
        yield "median", number(sizes.median)
        yield "mean", number(sizes.mean)
        yield "largest", number(sizes.most)
    if sizes.limit is not None:
        yield f"limit, {escaped(sizes.unit)}", number(sizes.limit)
    if sizes.used is not None:
        yield "of the limit used", f"{sizes.used:.0%}"
    if len(chunks):
        yield "repeated (overlap)", f"{repeated(chunks):.1%}"


def lost(chunks: Chunks) -> str:
    """What is in no chunk, by reason, and what was made anew."""
    found = losses(chunks)
    rows = "".join(
        f'<tr><td>{escaped(reason)}</td><td class="r">{count:,}</td><td class="r">{characters:,}</td></tr>'
        for reason, (count, characters) in found.dropped.items()
    )
    made = sum(not chunk.exact for chunk in chunks)
    said = []
    if rows:
        said.append(
            '<table><caption>Dropped</caption><thead><tr><th>reason</th><th class="r">stretches</th>'
            f'<th class="r">characters</th></tr></thead><tbody>{rows}</tbody></table>'
        )
    else:
        said.append("<p>Nothing but white space is left out.</p>")
    if found.undeclared:
        said.append(
            f'<p class="x">{found.undeclared:,} characters are in no chunk and the strategy gives no reason.</p>'
        )
    if made:
        said.append(
            f"<p>{made:,} of {len(chunks):,} chunks are no literal slice of the document but made of stretches of it. "
            "Their entries show their text as embedded.</p>"
        )
    return "".join(said)


def settings(chunks: Chunks) -> str:
    """Strategy, options, hash of the configuration, version."""
    strategy = chunks.strategy
    rows: dict[str, str] = {}
    if strategy is not None:
        rows["strategy"] = escaped(strategy_name(strategy))
    rows["kind"] = escaped(chunks.source.kind)
    found = config_hash(chunks)
    if found:
        rows["configuration"] = f"<code>{escaped(found)}</code>"
    rows["cantle"] = escaped(cantle.__version__)
    listed = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in rows.items())
    return f"<dl>{listed}</dl>"


class Setting(NamedTuple):
    """An option in force, and whether its value is another than the default."""

    name: str
    value: Any
    given: bool


def in_force(strategy: Any) -> list[Setting]:
    """All options that a strategy uses, those with another value than their default first."""
    if not dataclasses.is_dataclass(strategy) or isinstance(strategy, type):
        return []
    unused = getattr(strategy, "unused", ())
    found = []
    for f in dataclasses.fields(strategy):
        if f.init and f.name not in unused:
            value = getattr(strategy, f.name)
            found.append(Setting(f.name, value, not _is_default(f, value)))
    return sorted(found, key=lambda setting: not setting.given)


def options(strategy: Any) -> str:
    """All options in force, as a table."""
    rows = "".join(
        f'<tr class="{"given" if given else "plain"}"><th scope="row"><code>{isolated(name)}</code></th>'
        f"<td><code>{isolated(literal(value))}</code></td><td>{'given' if given else 'default'}</td></tr>"
        for name, value, given in in_force(strategy)
    )
    return f"<table><tbody>{rows}</tbody></table>" if rows else ""


def changed(strategy: Any) -> dict[str, Any]:
    """The options that have another value than their default, but for `explain`: name -> value."""
    return {s.name: s.value for s in in_force(strategy) if s.given and s.name != "explain"}


def worded_options(values: Mapping[str, Any]) -> list[str]:
    """Options as they are written in Python: `max_size=400`."""
    return [f"{name}={literal(value)}" for name, value in values.items()]


def title(strategy: Any) -> str:
    """A strategy with the options that were given, in words: `recursive, max_size=400`."""
    return ", ".join([strategy_name(strategy), *worded_options(changed(strategy))])


def _is_default(f: dataclasses.Field[Any], value: Any) -> bool:
    try:
        if f.default is not dataclasses.MISSING:
            return bool(type(value) is type(f.default) and value == f.default)
        return f.default_factory is not dataclasses.MISSING and bool(value == f.default_factory())
    except Exception:  # a value that cannot be compared, as an array of numpy
        return False


def literal(value: Any) -> str:
    """An option's value as Python writes it; of objects and functions the name, which is the same in every run."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(map(literal, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(literal, value))) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    owner = value if hasattr(value, "__qualname__") else type(value)
    return f"{owner.__module__}.{owner.__qualname__}"


def strategy_name(strategy: Any) -> str:
    """The name of a strategy; that of its class when it has none."""
    return str(getattr(strategy, "name", type(strategy).__name__))


def config_hash(chunks: Chunks) -> str:
    """The hash of the configuration as it is without `explain`, which changes no chunk."""
    strategy: Any = chunks.strategy
    if getattr(strategy, "explain", False) is True and dataclasses.is_dataclass(strategy):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say of the options was said before
            plain: Any = dataclasses.replace(strategy, explain=False)  # type: ignore[type-var]
            return MDocument("", chunks.source.kind).chunk(plain).config_hash
    return chunks.config_hash


def document(chunks: Chunks) -> str:
    """The document's own metadata."""
    return definitions(chunks.source.metadata)
