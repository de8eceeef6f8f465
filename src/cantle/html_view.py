"""How a document is drawn with its chunks: `render` gives an HTML fragment without scripts.

For other drawings: `stretches` says which chunks hold each stretch of the text, `spans` and `dropped` give positions
that can be relied on, `visible` and `escaped` write a text so that nothing in it is hidden or acts, `worded` writes any
value.

It stands below `Chunks` and knows only what it reads from one.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category

from .written import to_json

if TYPE_CHECKING:
    from .chunk import Chunk
    from .chunks import Chunks

__all__ = ["Stretch", "attribute", "dropped", "escaped", "render", "spans", "stretches", "visible", "worded"]

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
.cantle-view .cv-d{background:rgba(128,128,128,.2);text-decoration:line-through}
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
    body = "".join(_pieces(text, end, drawn, [d for d in dropped(chunks) if d[0] < end]))
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
    edges = sorted({edge for chunk in drawn for span in spans(chunk) for edge in span if edge < end})
    return edges[MOST_STRETCHES] if len(edges) > MOST_STRETCHES else end


def spans(chunk: Chunk) -> Sequence[tuple[int, int]]:
    """The stretches of the document that a chunk is made of; what a plugin gave that is no stretch is left out."""
    if chunk.spans is None:
        return ((chunk.start, chunk.end),)
    try:
        return [span for span in chunk.spans if len(span) == 2 and all(isinstance(edge, int) for edge in span)]
    except TypeError:
        return ((chunk.start, chunk.end),)


def dropped(chunks: Chunks) -> list[tuple[int, int, str]]:
    """`chunks.dropped` as it should be: inside the text, ascending, no two over one another, with a word each.

    A plugin may give anything: what is no stretch of the text is left out, and so is all of it when the list cannot
    be had.
    """
    size = len(chunks.source.text)
    found = []
    try:
        given = list(chunks.dropped)
    except Exception:  # of a stranger
        return []
    for entry in given:
        try:
            start, end, reason = entry
            found.append((max(start, 0), min(end, size), "no reason given" if reason is None else str(reason)))
        except Exception:
            continue
    found.sort()
    result: list[tuple[int, int, str]] = []
    at = 0
    for start, end, reason in found:
        if max(start, at) < end:
            result.append((max(start, at), end, reason))
            at = end
    return result


def _end(chunk: Any) -> int:
    return max((end for _, end in spans(chunk)), default=chunk.end)


def _pieces(text: str, end: int, drawn: Sequence[Any], left_out: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    for found in stretches(drawn, left_out, end):
        for i in found.opens:
            yield _number(i, drawn[i])
        if found.start < found.end:
            yield _stretch(text, found, drawn)


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


def stretches(chunks: Sequence[Chunk], left_out: Iterable[tuple[int, int, str]], end: int) -> Iterator[Stretch]:
    """A text up to `end`, cut wherever the set of chunks that hold it changes: all of it, in order.

    A chunk's number is its place in `chunks`. `left_out` is what `dropped` gives. What lies outside of the text is left
    out, and a chunk that lies outside of it altogether is in no stretch.
    """
    marks: dict[int, list[tuple[int, int]]] = {}
    firsts: dict[int, list[int]] = {}
    lasts: dict[int, list[int]] = {}
    for i, chunk in enumerate(chunks):
        inside = [(max(a, 0), min(b, end)) for a, b in spans(chunk) if max(a, 0) < min(b, end)]
        for a, b in inside:
            marks.setdefault(a, []).append((i, 1))
            marks.setdefault(b, []).append((i, -1))
        if inside:
            opens_at, closes_at = min(a for a, _ in inside), max(b for _, b in inside)
            if any(a == chunk.start for a, _ in inside):
                opens_at = chunk.start
            if any(b == chunk.end for _, b in inside):
                closes_at = chunk.end
            firsts.setdefault(opens_at, []).append(i)
            lasts.setdefault(closes_at, []).append(i)
        elif 0 <= chunk.start <= end:
            firsts.setdefault(chunk.start, []).append(i)
    reasons: dict[int, str | None] = {}
    for a, b, why in left_out:
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


def _stretch(text: str, found: Stretch, drawn: Sequence[Any]) -> str:
    shown, holders, reason = escaped(text, found.start, found.end), found.holders, found.reason
    if not holders:
        if reason is None or text[found.start : found.end].isspace():
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
    if isinstance(chunk.path, list | tuple) and chunk.path:
        path = [_clipped(worded(part)) for part in chunk.path[-_MOST_NAMED:]]
        parts.append("path " + " \u203a ".join(["\u2026", *path] if len(chunk.path) > len(path) else path))
    if chunk.oversize:
        parts.append("oversize")
    return attribute(", ".join(parts))


def _clipped(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _written(codes: Iterable[int]) -> dict[int, str]:
    return {code: f"\u27e8U+{code:04X}\u27e9" for code in codes}


# Control characters are drawn by their pictures; what would turn the page around, has no shape (tags, which can hide a
# whole text, variation selectors, fillers), ends a line unseen, or cannot be written in UTF-8, by its code point.
_TABLE: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: "\u2421",
    **_written([*range(0x80, 0xA0), 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810)]),
    **_written([0x200B, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0x2800, 0x3164]),
    **_written([*range(0xFE00, 0xFE0F), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFFC)]),
    **_written([*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)]),
    **_written(range(0xD800, 0xE000)),
}

_MOST_MARKS = 30
"""Marks on one letter that are drawn: more of them draw over the lines around, and a browser is slow to place them."""

_JOINER = re.compile("[\u200c\u200d\ufe0f]")
_MAYBE_MARKS = re.compile(f"[^\\w\\s\x00-\u02ff]{{{_MOST_MARKS + 1},}}")
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
# Blocks of scripts whose letters join, or are kept from joining: Arabic to Vedic, Syloti Nagri to Meetei Mayek, ...
_JOINING = re.compile(
    "[\u0600-\u10ff\u1200-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)


def visible(text: str, start: int = 0, end: int | None = None) -> str:
    """`text[start:end]` with control characters, characters without a shape, and lone surrogates written out.

    Joiners and the selector of emoji stay where they join something: what stands around a stretch counts, so the
    stretches of a text give, joined, what the whole text gives. So do up to 30 marks on a letter. Line ends come out as
    LF, a lone CR with a sign of it. What comes out can be written in UTF-8; it is no HTML yet.
    """
    end = len(text) if end is None else min(end, len(text))
    pieces, at = [], start
    for place in _hidden(text, start, end):
        pieces += [_plain(text[at:place]), f"\u27e8U+{ord(text[place]):04X}\u27e9"]
        at = place + 1
    last = text[at:end]
    if last.endswith("\r") and text[end : end + 1] == "\n":
        last = last[:-1]
    return "".join([*pieces, _plain(last)])


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\u240d\n").translate(_TABLE)


def _hidden(text: str, start: int, end: int) -> list[int]:
    """Where characters stand that are written out for what is around them."""
    found = [m.start() for m in _JOINER.finditer(text, start, end) if not _joins(text, m.start())]
    marks = []
    for run in _MAYBE_MARKS.finditer(text, max(0, start - _MOST_MARKS), end):
        before = 0
        for place in range(*run.span()):
            is_mark = category(text[place])[0] == "M"
            if is_mark and before >= _MOST_MARKS and place >= start and ord(text[place]) not in _TABLE:
                marks.append(place)
            before = before + 1 if is_mark else 0
    return sorted({*found, *marks}) if marks else found


def _joins(text: str, place: int) -> bool:
    """Whether a joiner, or the selector that makes a symbol an emoji, does so."""
    character, before, after = text[place], text[max(place - 1, 0) : place], text[place + 1 : place + 2]
    if character == "\ufe0f":
        return bool(_EMOJI.match(before)) or (before in tuple("#*0123456789") and after == "\u20e3")
    if before == "\ufe0f":
        before = text[max(place - 2, 0) : place - 1]
    if _EMOJI.match(before):
        return character == "\u200d" and bool(_EMOJI.match(after))
    return bool(_JOINING.match(before)) and category(before)[0] in "LM" and ord(before) not in _TABLE


def escaped(text: str, start: int = 0, end: int | None = None) -> str:
    """`visible(...)` as HTML, for the inside of an element or, where line ends do not matter, of an attribute."""
    return html.escape(visible(text, start, end), quote=True)


def attribute(text: str) -> str:
    """`visible(text)` on one line, as HTML for an attribute's value between quotes."""
    return escaped(text).replace("\n", " ")


def worded(value: object) -> str:
    """Any value as text: a string as it is, all else as JSON; what JSON does not know as its string.

    Of what cannot even be written so, the beginning of its `repr`, or else the name of its type.
    """
    if isinstance(value, str):
        return str.__str__(value)
    try:
        return to_json(value)
    except Exception:  # of a stranger, as in all methods of their values
        try:
            return _clipped(repr(value))
        except Exception:
            return f"<{type(value).__name__}>"
