"""How a document is drawn with its chunks: `render` gives an HTML fragment without scripts.

For other drawings: `stretches` says which chunks hold each stretch of the text, `visible` and `escaped` write a text so
that nothing in it is hidden or acts, `worded` writes any value.

It stands below `Chunks` and knows only what it reads from one.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .written import to_json

if TYPE_CHECKING:
    from .chunk import Chunk
    from .chunks import Chunks

__all__ = ["Stretch", "attribute", "escaped", "render", "stretches", "visible", "worded"]

MOST_CHUNKS = 200
MOST_CHARACTERS = 100_000
MOST_STRETCHES = 4_000
_MOST_NAMED = 4
_MOST_OF_PREFIX = 200

_STYLE = """<style>
.cantle-view{font:13px/1.6 ui-monospace,monospace;color:inherit;max-width:100%}
.cantle-view p{margin:.2em 0;font-family:system-ui,sans-serif}
.cantle-view .cv-text{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid rgba(128,128,128,.5);padding:.6em}
.cantle-view .cv-a{background:rgba(66,133,244,.22)}
.cantle-view .cv-b{background:rgba(251,188,4,.26)}
.cantle-view .cv-o{background-image:repeating-linear-gradient(45deg,rgba(128,128,128,.5) 0 2px,transparent 2px 7px);
text-decoration:underline dotted}
.cantle-view .cv-d{opacity:.55;background:rgba(128,128,128,.25);text-decoration:line-through}
.cantle-view .cv-n{font:bold 10px system-ui,sans-serif;border:1px solid currentColor;border-radius:3px;padding:0 3px;
margin:0 2px;user-select:none}
.cantle-view .cv-p{display:block;font-size:11px;opacity:.7;border-left:3px solid currentColor;padding-left:.5em;
user-select:none}
.cantle-view bdi{unicode-bidi:isolate}
</style>"""

_LEGEND = (
    '<p><span class="cv-a">chunk</span> <span class="cv-b">next chunk</span> '
    '<span class="cv-a cv-o">in two chunks (overlap)</span> <span class="cv-d">dropped</span>{}</p>'
)
_LEGEND_PREFIX = ' <span class="cv-p" style="display:inline">in front of the chunk when embedded (prefix)</span>'


def render(chunks: Chunks) -> str:
    """The document of `chunks` with its chunks marked: a self-contained HTML fragment.

    Every chunk begins with its number and is told from its neighbours by number and by colour;
    what two chunks share is hatched and underlined, what was dropped is struck through. Its prefix, which is
    none of the document, stands in front of it in lines of its own, the first 200 characters of it. The title
    of a stretch names its chunks with offsets, length (in code points) and path. At most 200 chunks
    and 100,000 characters are drawn; then it says how many more there are.
    """
    text = chunks.source.text
    total = len(chunks)
    drawn = _shown(chunks)
    end = max((_end(chunk) for chunk in drawn), default=0) if len(drawn) < total else len(text)
    end = _bounded(min(end, MOST_CHARACTERS), drawn)
    body = "".join(_pieces(text, end, drawn, [d for d in chunks.dropped if d[0] < end]))
    head = f"{total} chunk{'' if total == 1 else 's'}, {len(text)} characters"
    if chunks.source.source:
        head = f"{_clipped(chunks.source.source)}: {head}"
    legend = _LEGEND.format(_LEGEND_PREFIX if any(chunk.prefix.strip() for chunk in drawn) else "")
    more = []
    if len(drawn) < total:
        more.append(f"and {total - len(drawn)} more chunks")
    if end < len(text):
        more.append(f"{len(text) - end} more characters")
    rest = f"<p>... {', '.join(more)}</p>" if more else ""
    return (
        f'<div class="cantle-view" role="group" aria-label="{attribute(head)}">{_STYLE}'
        f"<p><b>{escaped(head)}</b></p>{legend}"
        f'<div class="cv-text" dir="auto">{body}</div>{rest}</div>'
    )


def _shown(chunks: Chunks) -> list[Any]:
    result = []
    for i in range(min(len(chunks), MOST_CHUNKS)):
        chunk = chunks[i]
        if chunk.start >= MOST_CHARACTERS:
            break
        result.append(chunk)
    return result


def _bounded(end: int, drawn: Sequence[Any]) -> int:
    """Where to stop: chunks of very many small stretches are not drawn to their end."""
    edges = sorted({edge for chunk in drawn for span in _spans(chunk) for edge in span if edge < end})
    return edges[MOST_STRETCHES] if len(edges) > MOST_STRETCHES else end


def _spans(chunk: Any) -> Sequence[tuple[int, int]]:
    return ((chunk.start, chunk.end),) if chunk.spans is None else chunk.spans


def _end(chunk: Any) -> int:
    return max((end for _, end in _spans(chunk)), default=chunk.end)


def _pieces(text: str, end: int, drawn: Sequence[Any], dropped: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    for found in stretches(drawn, dropped, end):
        for i in found.opens:
            yield _number(i, drawn[i])
        if found.start < found.end:
            yield _stretch(text[found.start : found.end], found.holders, drawn, found.reason)


class Stretch(NamedTuple):
    """A stretch of a text that the same chunks hold from its start to its end, by positions (code points).

    `holders` are their numbers, ascending; `reason` says why a stretch is in none by intent. The chunks in `opens`
    begin with it and those in `closes` end with it: at their `start` and `end`, which leave out what is repeated from
    far before, or else with the first and last of their stretches. It is empty only where chunks open that hold nothing
    at the end of the text.
    """

    start: int
    end: int
    holders: tuple[int, ...] = ()
    reason: str | None = None
    opens: tuple[int, ...] = ()
    closes: tuple[int, ...] = ()


def stretches(chunks: Sequence[Chunk], dropped: Iterable[tuple[int, int, str]], end: int) -> Iterator[Stretch]:
    """A text up to `end`, cut wherever the set of chunks that hold it changes: all of it, in order.

    A chunk's number is its place in `chunks`. `dropped` are those of `Chunks`: `(start, end, reason)`, ascending.
    """
    marks: dict[int, list[tuple[int, int]]] = {}
    firsts: dict[int, list[int]] = {}
    lasts: dict[int, list[int]] = {}
    for i, chunk in enumerate(chunks):
        spans = [(max(a, 0), min(b, end)) for a, b in _spans(chunk) if max(a, 0) < min(b, end)]
        for a, b in spans:
            marks.setdefault(a, []).append((i, 1))
            marks.setdefault(b, []).append((i, -1))
        if spans:
            opens_at, closes_at = min(a for a, _ in spans), max(b for _, b in spans)
            if any(a == chunk.start for a, _ in spans):
                opens_at = chunk.start
            if any(b == chunk.end for _, b in spans):
                closes_at = chunk.end
            firsts.setdefault(opens_at, []).append(i)
            lasts.setdefault(closes_at, []).append(i)
        elif 0 <= chunk.start <= end:
            firsts.setdefault(chunk.start, []).append(i)
    reasons: dict[int, str | None] = {}
    for a, b, why in dropped:
        if a < end:
            reasons.setdefault(min(b, end), None)
            reasons[a] = why
    held: dict[int, int] = {}
    reason: str | None = None
    places = sorted({0, end, *marks, *firsts, *reasons})
    for at, stop in zip(places, [*places[1:], end], strict=True):
        for i, step in marks.get(at, ()):
            held[i] = held.get(i, 0) + step
            if not held[i]:
                del held[i]
        reason = reasons.get(at, reason)
        opens = tuple(firsts.get(at, ()))
        if at < stop or opens:
            yield Stretch(at, stop, tuple(sorted(held)), reason, opens, tuple(lasts.get(stop, ())) if at < stop else ())


def _number(i: int, chunk: Any) -> str:
    return f'{_prefix(i, chunk.prefix)}<span class="cv-n" title="{_title(chunk)}">{i}</span>'


def _prefix(i: int, prefix: str) -> str:
    shown = prefix.strip()
    if not shown:
        return ""
    if len(shown) > _MOST_OF_PREFIX:
        shown = f"{shown[:_MOST_OF_PREFIX]}..."
    title = f"prefix of chunk {i}, {len(prefix)} characters"
    return f'<span class="cv-p" title="{title}"><bdi>{escaped(shown)}</bdi></span>'


def _stretch(text: str, holders: Sequence[int], drawn: Sequence[Any], reason: str | None) -> str:
    shown = escaped(text)
    if not holders:
        if reason is None or text.isspace():
            return shown
        return f'<del class="cv-d" title="dropped: {attribute(reason)}"><bdi>{shown}</bdi></del>'
    names = "; ".join(_title(drawn[i]) for i in holders[:_MOST_NAMED])
    if len(holders) > _MOST_NAMED:
        names += f"; and {len(holders) - _MOST_NAMED} more"
    kind = "cv-b" if holders[0] % 2 else "cv-a"
    if len(holders) > 1:
        return f'<span class="{kind} cv-o" title="overlap of {names}"><bdi>{shown}</bdi></span>'
    return f'<span class="{kind}" title="{names}"><bdi>{shown}</bdi></span>'


def _title(chunk: Any) -> str:
    parts = [f"chunk {chunk.index}", f"{chunk.start}:{chunk.end}", f"{len(chunk.text)} characters"]
    if chunk.path:
        path = [_clipped(str(part)) for part in chunk.path[-_MOST_NAMED:]]
        parts.append("path " + " \u203a ".join(["\u2026", *path] if len(chunk.path) > len(path) else path))
    if chunk.oversize:
        parts.append("oversize")
    return attribute(", ".join(parts))


def _clipped(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _visible(names: Iterable[int]) -> dict[int, str]:
    return {code: f"\u27e8U+{code:04X}\u27e9" for code in names}


# Control characters are drawn by their pictures; what would turn the page around, has no shape (tags, which can
# hide a whole text), or cannot be written in UTF-8, by its code point.
_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: "\u2421",
    **_visible([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0xFEFF]),
    **_visible([0x200B, *range(0x2060, 0x2065), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)]),
    **_visible(range(0xD800, 0xE000)),
}


def visible(text: str) -> str:
    """A text with control characters, marks that turn the writing direction, and lone surrogates written out.

    Line ends come out as LF, a lone CR with a sign of it. What comes out can be written in UTF-8; it is no HTML yet.
    """
    return text.replace("\r\n", "\n").replace("\r", "\u240d\n").translate(_TABLE)


def escaped(text: str) -> str:
    """`visible(text)` as HTML, for the inside of an element or, where line ends do not matter, of an attribute."""
    return html.escape(visible(text), quote=True)


def attribute(text: str) -> str:
    """`visible(text)` on one line, as HTML for an attribute's value between quotes."""
    return escaped(text).replace("\n", " ")


def worded(value: object) -> str:
    """Any value as text: a string as it is, all else as JSON; what JSON does not know as its string."""
    return value if isinstance(value, str) else to_json(value)
