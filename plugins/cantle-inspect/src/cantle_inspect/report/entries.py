"""What there is to know about each chunk, as a list: the panel shows its entries one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cantle import Chunk, Chunks
from cantle.html_view import attribute, escaped, spans, worded

from ..measures.sizes import Sizes, number
from .drawing import isolated
from .reasons import why

__all__ = ["badge", "definitions", "ending", "entries", "outside", "size_of"]

_MOST_SPANS = 40
_MOST_NAMES = 12


def badge(chunk: Chunk, sizes: Sizes) -> str:
    """The number of a chunk, a link to its entry."""
    i = chunk.index
    label = attribute(size_of(chunk, sizes))
    return f'<a class="n {"b" if i % 2 else "a"}" id="t{i}" href="#c{i}" aria-label="{label}">{i}</a>'


def size_of(chunk: Chunk, sizes: Sizes) -> str:
    """A chunk's number and size in words: `chunk 3, 120 of 480 characters`."""
    return f"chunk {chunk.index}, {number(sizes.values[chunk.index])}{_of_limit(sizes)} {sizes.unit}"


def _of_limit(sizes: Sizes) -> str:
    return "" if sizes.limit is None else f" of {number(sizes.limit)}"


def ending(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> str:
    """Why a chunk ends where it ends, if it says so; in the strategy's own words where they are no `Cut`."""
    cut: Any = chunk.cut
    if cut is None:
        return ""
    try:
        kind, level, detail = cut.kind, cut.level, cut.detail
        if isinstance(kind, str) and type(level) is int and isinstance(detail, str):
            return why(chunk, chunks, sizes)
    except Exception:  # of a plugin: what it gave is said as it is
        pass
    return f"The strategy says: {_clipped(worded(cut))}."


def outside(chunk: Chunk, chunks: Chunks) -> str:
    """What is to be said of a chunk with positions that the document does not have; of all others nothing."""
    size = len(chunks.source.text)
    places = [(chunk.start, chunk.end), *spans(chunk)]
    if all(0 <= a <= b <= size for a, b in places):
        return ""
    if not drawn(chunk, chunks):
        return f"Chunk {chunk.index} lies outside of the document: no mark."
    return f"Chunk {chunk.index} reaches beyond the document: what is inside is marked."


def drawn(chunk: Chunk, chunks: Chunks) -> bool:
    """Whether a chunk has a place in the document, and with it a number in the text."""
    size = len(chunks.source.text)
    return 0 <= chunk.start <= size or any(max(a, 0) < min(b, size) for a, b in spans(chunk))


def entries(chunks: Chunks, sizes: Sizes) -> Iterator[str]:
    """One list item a chunk, with the id that its badge links to."""
    inherited = _inherited(chunks.source.metadata)
    for chunk in chunks:
        yield _entry(chunk, chunks, sizes, inherited)


def _entry(chunk: Chunk, chunks: Chunks, sizes: Sizes, inherited: str) -> str:
    i = chunk.index
    reason, beyond = ending(chunk, chunks, sizes), outside(chunk, chunks)
    because = f'<p class="why">{escaped(reason)}</p>' if reason else ""
    if beyond:
        because = f'<p class="x">{beyond}</p>{because}'
    name = f'<a href="#t{i}">Chunk {i}</a>' if not beyond or drawn(chunk, chunks) else f"Chunk {i}"
    found = _rows(chunk, chunks, sizes, inherited, not beyond)
    rows = "".join(f"<dt>{term}</dt><dd>{shown}</dd>" for term, shown in found if shown)
    return (
        f'<li class="c" id="c{i}"><h3>{name}</h3>{_size(chunk, sizes)}{because}<dl>{rows}</dl>{_embedded(chunk)}</li>'
    )


def _size(chunk: Chunk, sizes: Sizes) -> str:
    value = sizes.values[chunk.index]
    words = f"<b>{number(value)}</b>{_of_limit(sizes)} {escaped(sizes.unit)}"
    if sizes.limit is None or sizes.limit <= 0:
        return f'<p class="size">{words}</p>'
    share = value / sizes.limit
    kind = "bar over" if share > 1 else "bar"
    return (
        f'<p class="size">{words} ({share:.0%})</p><svg class="{kind}" viewBox="0 0 100 4" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect width="100" height="4"/><rect width="{min(share, 1) * 100:.1f}" height="4"/></svg>'
    )


def _rows(chunk: Chunk, chunks: Chunks, sizes: Sizes, inherited: str, inside: bool) -> Iterator[tuple[str, str]]:
    yield "id", _code(chunk.id)
    yield "offsets", f"{chunk.start}–{chunk.end}" + _spans(chunk)
    if inside:
        first, column, last, end = chunks.lines(chunk)
        yield "lines", f"{first}:{column} to {last}:{end}"
    if sizes.unit != "characters":
        yield "characters", number(len(chunk.text))
    if isinstance(chunk.overlap, int) and chunk.overlap > 0:
        yield "overlap", f"{number(chunk.overlap)} characters repeat chunk {chunk.index - 1}"
    if isinstance(chunk.path, list | tuple) and chunk.path:
        yield "path", " › ".join(isolated(worded(part)) for part in chunk.path)
    if chunk.prefix:
        yield "prefix", f"<pre>{isolated(chunk.prefix.strip())}</pre>"
    if chunk.oversize:
        yield "oversize", "above the limit: cutting it was forbidden"
    yield "metadata", _metadata(chunk, chunks.source.metadata, inherited)
    yield "hash", _code(chunk.hash)
    yield "key", _code(chunk.key)


def _spans(chunk: Chunk) -> str:
    if chunk.spans is None:
        return ""
    places = spans(chunk)
    shown = ", ".join(f"{a}–{b}" for a, b in places[:_MOST_SPANS])
    more = f" and {len(places) - _MOST_SPANS} more" if len(places) > _MOST_SPANS else ""
    return f"<br>no literal slice, made of {shown or 'no stretch'}{more}"


def _code(text: str) -> str:
    return f"<code>{isolated(text)}</code>"


def _metadata(chunk: Chunk, document: Mapping[str, object], inherited: str) -> str:
    """What the chunk's metadata has beside the document's, which stands at the top of the page."""
    try:
        own = chunk.own_metadata
    except Exception:  # of a plugin: it gave no mapping
        return "what the strategy gave is no mapping"
    if own.keys() & document.keys():
        inherited = _inherited([name for name in document if name not in own])
    return definitions(own) + inherited


def _inherited(names: Iterable[object]) -> str:
    """Which metadata the document has, for all its chunks: the same for most of them, so it is short."""
    every = [isolated(_clipped(worded(name))) for name in names]
    if not every:
        return ""
    more = f" and {len(every) - _MOST_NAMES} more" if len(every) > _MOST_NAMES else ""
    return f"<small>and of the document: {', '.join(every[:_MOST_NAMES])}{more}</small>"


def _clipped(text: str) -> str:
    return text if len(text) <= 300 else f"{text[:299]}…"


def definitions(values: Mapping[str, object]) -> str:
    """Names with their values, a line each."""
    return "".join(
        f'<div class="kv"><code>{isolated(worded(k))}</code> {isolated(worded(v))}</div>' for k, v in values.items()
    )


def _embedded(chunk: Chunk) -> str:
    """The text as embedded, of a chunk that is no literal slice of the document."""
    if chunk.exact:
        return ""
    prefix = f'<bdi class="prefix">{escaped(chunk.prefix)}</bdi>' if chunk.prefix else ""
    content = f'<bdi class="content">{escaped(chunk.content)}</bdi>'
    return f'<h4>Text as embedded</h4><pre class="embedded">{prefix}{content}</pre>'
