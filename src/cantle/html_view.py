"""How a document is drawn with its chunks, as an HTML fragment without scripts.

It stands below `Chunks` and knows only what it reads from one.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .chunks import Chunks

__all__ = ["render"]

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
        f'<div class="cantle-view" role="group" aria-label="{_attribute(head)}">{_STYLE}'
        f"<p><b>{_escaped(head)}</b></p>{legend}"
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
    """The text cut wherever the set of chunks that hold it changes, each stretch in its marks."""
    marks: dict[int, list[tuple[int, bool]]] = {}
    for i, chunk in enumerate(drawn):
        for start, stop in _spans(chunk):
            if start < min(stop, end):
                marks.setdefault(start, []).append((i, True))
                marks.setdefault(min(stop, end), []).append((i, False))
    reasons: dict[int, str | None] = {}
    for start, stop, why in dropped:
        reasons.setdefault(min(stop, end), None)
        reasons[start] = why
    held: dict[int, int] = {}
    numbered: set[int] = set()
    reason: str | None = None
    at = 0
    for position in sorted({0, end, *marks, *reasons}):
        if position > at:
            yield _stretch(text[at:position], sorted(i for i, n in held.items() if n), drawn, reason)
        for i, opens in marks.get(position, ()):
            held[i] = held.get(i, 0) + (1 if opens else -1)
            if opens and i not in numbered:
                numbered.add(i)
                yield _number(i, drawn[i])
            if not held[i]:
                del held[i]
        reason = reasons.get(position, reason)
        at = position


def _number(i: int, chunk: Any) -> str:
    return f'{_prefix(i, chunk.prefix)}<span class="cv-n" title="{_title(chunk)}">{i}</span>'


def _prefix(i: int, prefix: str) -> str:
    shown = prefix.strip()
    if not shown:
        return ""
    if len(shown) > _MOST_OF_PREFIX:
        shown = f"{shown[:_MOST_OF_PREFIX]}..."
    title = f"prefix of chunk {i}, {len(prefix)} characters"
    return f'<span class="cv-p" title="{title}"><bdi>{_escaped(shown)}</bdi></span>'


def _stretch(text: str, holders: Sequence[int], drawn: Sequence[Any], reason: str | None) -> str:
    shown = _escaped(text)
    if not holders:
        if reason is None or text.isspace():
            return shown
        return f'<del class="cv-d" title="dropped: {_attribute(reason)}"><bdi>{shown}</bdi></del>'
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
    return _attribute(", ".join(parts))


def _clipped(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _visible(names: Iterable[int]) -> dict[int, str]:
    return {code: f"\u27e8U+{code:04X}\u27e9" for code in names}


# Control characters are drawn by their pictures; what would turn the page around or cannot be
# written in UTF-8 by its code point.
_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: "\u2421",
    **_visible([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C, 0xFEFF]),
    **_visible(range(0xD800, 0xE000)),
}


def _escaped(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\u240d\n")
    return html.escape(text.translate(_TABLE), quote=True)


def _attribute(text: str) -> str:
    return _escaped(text).replace("\n", " ")
