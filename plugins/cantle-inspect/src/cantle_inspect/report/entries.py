"""What there is to know about each chunk, as a list: the panel shows its entries one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cantle import Chunk, Chunks
from cantle.html_view import attribute, escaped, worded

from ..measures.sizes import Sizes, number
from .drawing import isolated
from .reasons import why

__all__ = ["badge", "entries"]

_MOST_SPANS = 40


def badge(chunk: Chunk, sizes: Sizes) -> str:
    """The number of a chunk, a link to its entry."""
    i = chunk.index
    label = f"chunk {i}, {number(sizes.values[i])}{_of_limit(sizes)} {sizes.unit}"
    return f'<a class="n {"b" if i % 2 else "a"}" id="t{i}" href="#c{i}" aria-label="{attribute(label)}">{i}</a>'


def _of_limit(sizes: Sizes) -> str:
    return "" if sizes.limit is None else f" of {number(sizes.limit)}"


def entries(chunks: Chunks, sizes: Sizes) -> Iterator[str]:
    """One list item a chunk, with the id that its badge links to."""
    for chunk in chunks:
        yield _entry(chunk, chunks, sizes)


def _entry(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> str:
    i = chunk.index
    reason = why(chunk, chunks, sizes)
    because = f'<p class="why">{escaped(reason)}</p>' if reason else ""
    rows = "".join(f"<dt>{term}</dt><dd>{shown}</dd>" for term, shown in _rows(chunk, chunks, sizes) if shown)
    return (
        f'<li class="c" id="c{i}"><h3><a href="#t{i}">Chunk {i}</a></h3>{_size(chunk, sizes)}'
        f"{because}<dl>{rows}</dl>{_embedded(chunk)}</li>"
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


def _rows(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> Iterator[tuple[str, str]]:
    first, column, last, end = chunks.lines(chunk)
    yield "id", _code(chunk.id)
    yield "offsets", f"{chunk.start}–{chunk.end}" + _spans(chunk)
    yield "lines", f"{first}:{column} to {last}:{end}"
    if sizes.unit != "characters":
        yield "characters", number(len(chunk.text))
    if chunk.overlap:
        yield "overlap", f"{number(chunk.overlap)} characters repeat chunk {chunk.index - 1}"
    if chunk.path:
        yield "path", " › ".join(isolated(worded(part)) for part in chunk.path)
    if chunk.prefix:
        yield "prefix", f"<pre>{isolated(chunk.prefix.strip())}</pre>"
    if chunk.oversize:
        yield "oversize", "above the limit: cutting it was forbidden"
    yield "metadata", _metadata(chunk, chunks)
    yield "hash", _code(chunk.hash)
    yield "key", _code(chunk.key)


def _spans(chunk: Chunk) -> str:
    if chunk.spans is None:
        return ""
    shown = ", ".join(f"{a}–{b}" for a, b in chunk.spans[:_MOST_SPANS])
    more = f" and {len(chunk.spans) - _MOST_SPANS} more" if len(chunk.spans) > _MOST_SPANS else ""
    return f"<br>no literal slice, made of {shown or 'no stretch'}{more}"


def _code(text: str) -> str:
    return f"<code>{isolated(text)}</code>"


def _metadata(chunk: Chunk, chunks: Chunks) -> str:
    """What the chunk's metadata has beside the document's, which stands at the top of the page."""
    document: Mapping[str, object] = chunks.source.metadata
    own = {k: v for k, v in chunk.metadata.items() if k not in document or not _same(v, document[k])}
    shown = definitions(own)
    kept = [name for name in document if name not in own and name in chunk.metadata]
    if kept:
        shown += f"<small>and of the document: {', '.join(isolated(str(name)) for name in kept)}</small>"
    return shown


def _same(a: object, b: object) -> bool:
    try:
        return bool(a == b)
    except Exception:  # arrays of numpy say so for each element
        return False


def definitions(values: Mapping[str, object]) -> str:
    """Names with their values, a line each."""
    return "".join(
        f'<div class="kv"><code>{isolated(str(k))}</code> {isolated(worded(v))}</div>' for k, v in values.items()
    )


def _embedded(chunk: Chunk) -> str:
    """The text as embedded, of a chunk that is no literal slice of the document."""
    if chunk.exact:
        return ""
    prefix = f'<bdi class="prefix">{escaped(chunk.prefix)}</bdi>' if chunk.prefix else ""
    content = f'<bdi class="content">{escaped(chunk.content)}</bdi>'
    return f'<h4>Text as embedded</h4><pre class="embedded">{prefix}{content}</pre>'
