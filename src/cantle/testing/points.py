"""Points 1 to 6 of the contract: what the chunks of one run must be.

A strategy can say more about itself with class attributes (or properties), all optional:

- `drops`: the reasons that its `dropped` may give, as strings (without it, any of `REASONS`);
- `separator_patterns`: regular expressions of what it cuts at and may leave out (without it, the
  options `separators` and `separator` count);
- `made`: the characters that it may put between those of a chunk's spans (white space always may);
- `decode`: from the text of one span to the characters it stands for (`html.unescape`, say); `made` and `decode` may
  be dictionaries, by the kind of the document;
- `may_exceed`: whether the options forbid it to cut what is too long; only then, or when an option
  `fallback_to_...` is False, may a chunk be marked `oversize`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..chunk import Chunk
from ..whitespace import is_blank
from .case import Case, fail, length_of, limit_of, merged, repeat_of, shown, spans_of, unit_of

__all__ = ["LONGEST_CLUSTER", "POINTS", "REASONS"]

LONGEST_CLUSTER = 32
"""A grapheme cluster of more code points may be cut."""

PREFIX_SHARE = 0.4

REASONS = frozenset(
    [
        "separator",
        "heading-in-metadata",
        "comment",
        "markup",
        "data-uri",
        "running-line",
        "zero-width",
        "front-matter",
        "hidden",
    ]
)
"""The usual reasons why text is in no chunk. A strategy names its own in `drops`."""


def exact(case: Case) -> None:
    """Point 1: content is what the offsets or spans say."""
    for chunk in case.items:
        _bounds(case, chunk)
        if chunk.spans is None:
            if case.text[chunk.start : chunk.end] != chunk.content:
                fail(
                    1,
                    f"chunk {chunk.index} says it is source {chunk.start}:{chunk.end}, which is "
                    f"{shown(case.text[chunk.start : chunk.end])}, but its content is {shown(chunk.content)}",
                )
        else:
            _made_of_spans(case, chunk)


def _bounds(case: Case, chunk: Chunk) -> None:
    size = len(case.text)
    for start, end in ((chunk.start, chunk.end), *spans_of(chunk)):
        if not 0 <= start <= end <= size:
            fail(1, f"chunk {chunk.index} has the offsets {start}:{end} in a source of {size} characters")
    if chunk.spans is not None and not chunk.spans and not is_blank(chunk.content) and not _made(case):
        fail(1, f"chunk {chunk.index} has no spans but the content {shown(chunk.content)}")


def _made_of_spans(case: Case, chunk: Chunk) -> None:
    """The spans' characters are the content's, in order; what is left over may be made."""
    decode = _decoding(case)
    wanted = [c for s, e in spans_of(chunk) for c in decode(case.text[s:e]) if not is_blank(c)]
    have = [c for c in chunk.content if not is_blank(c)]
    may_be_made = set(_made(case))
    at = 0
    for c in have:
        if at < len(wanted) and c == wanted[at]:
            at += 1
        elif c not in may_be_made:
            where = f"expected {wanted[at]!a}" if at < len(wanted) else "its spans are at their end"
            fail(
                1,
                f"chunk {chunk.index} has the character {c!a} in its content that is not from its spans "
                f"{list(spans_of(chunk))} ({where}) and not among what it may make ({_made(case)!a})",
            )
    if at < len(wanted):
        fail(
            1,
            f"chunk {chunk.index} names the spans {list(spans_of(chunk))}, but its content {shown(chunk.content)} "
            f"lacks their {shown(''.join(wanted[at:]))}",
        )


def _decoding(case: Case) -> Callable[[str], str]:
    return _for_kind(case, "decode") or str


def _made(case: Case) -> str:
    return "".join(_for_kind(case, "made") or "")


def _for_kind(case: Case, name: str) -> Any:
    value = getattr(case.strategy, name, None)
    return value.get(case.document.kind) if isinstance(value, Mapping) else value


def nothing_lost(case: Case) -> None:
    """Point 2: what is not blank is in a chunk, or dropped for a declared reason."""
    allowed = set(getattr(case.strategy, "drops", REASONS))
    for start, end, reason in case.chunks.dropped:
        if not 0 <= start < end <= len(case.text):
            fail(2, f"dropped has the offsets {start}:{end} in a source of {len(case.text)} characters")
        # Front matter that was read as such is no text that the strategy sees.
        if reason not in allowed and not (reason == "front-matter" and (start, end) == (0, case.document.body)):
            fail(
                2,
                f"source {start}:{end}, {shown(case.text[start:end])}, was dropped for {reason!r}, which is "
                f"no declared reason ({', '.join(sorted(allowed)) or 'there are none'}); name it in `drops`",
            )
    separators = _separators(case.strategy)
    reasons = [(s, e) for s, e, reason in case.chunks.dropped if reason != "separator"]
    excused = merged([*case.covered, *reasons])
    dropped = merged((s, e) for s, e, reason in case.chunks.dropped if reason == "separator")
    for start, end in _gaps(excused, len(case.text)):
        _gap(case, start, end, dropped, separators)


def _gap(case: Case, start: int, end: int, dropped: list[tuple[int, int]], separators: list[re.Pattern[str]]) -> None:
    gap = case.text[start:end]
    if is_blank(gap):
        return
    for s, e in _gaps([(max(s, start), min(e, end)) for s, e in dropped if s < end and e > start], end, start):
        if not is_blank(case.text[s:e]):
            fail(2, f"source {s}:{e}, {shown(case.text[s:e])}, is in no chunk and not in dropped")
    if not _made_of(case.text, start, end, separators):
        fail(
            2,
            f"source {start}:{end}, {shown(gap)}, was dropped as a separator but is none of the strategy's; "
            "what it may cut at comes from `separator_patterns`, `separators` or `separator`",
        )


def _gaps(spans: Iterable[tuple[int, int]], end: int, at: int = 0) -> Iterable[tuple[int, int]]:
    for start, stop in spans:
        if start > at:
            yield at, start
        at = max(at, stop)
    if at < end:
        yield at, end


def _separators(strategy: Any) -> list[re.Pattern[str]]:
    """What the strategy cuts at, as patterns."""
    patterns = getattr(strategy, "separator_patterns", None)
    if patterns is not None:
        return [_compiled(pattern) for pattern in patterns]
    listed = [*(getattr(strategy, "separators", None) or ()), getattr(strategy, "separator", None)]
    given = [s for s in listed if isinstance(s, str) and s]
    if getattr(strategy, "is_separator_regex", False):
        return [_compiled(pattern) for pattern in given]
    # Trimming may take white space off a separator's ends, so what remains of it counts too.
    return [_compiled(re.escape(s)) for s in dict.fromkeys([*given, *map(str.strip, given)]) if s]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


def _made_of(text: str, start: int, end: int, separators: list[re.Pattern[str]]) -> bool:
    """Whether a stretch is white space and separators from end to end.

    One pattern of alternatives would do, but may take exponential time to say no.
    """
    reached = bytearray(end - start + 1)
    reached[0] = 1
    for position in range(start, end):
        if not reached[position - start]:
            continue
        if is_blank(text[position]):
            reached[position + 1 - start] = 1
        for separator in separators:
            match = separator.match(text, position, end)
            if match:
                reached[match.end() - start] = 1
    return bool(reached[-1])


def limit(case: Case) -> None:
    """Point 3: no chunk is longer than the limit, prefix and overlap included."""
    most = limit_of(case.strategy)
    if most is None or most == float("inf"):
        return
    length, unit = length_of(case.strategy), unit_of(case.strategy)
    for chunk in case.items:
        size = length(chunk.text)
        if size > most and not _is_one_cluster(chunk.content):
            if not chunk.oversize:
                fail(3, f"chunk {chunk.index} has {size} of {most} {unit}, source {chunk.start}:{chunk.end}")
            if not _may_exceed(case.strategy):
                fail(
                    3,
                    f"chunk {chunk.index} has {size} of {most} {unit} and is marked oversize, source {chunk.start}:"
                    f"{chunk.end}, but no option of the strategy forbids it to cut (`may_exceed`, `fallback_to_...`)",
                )
        if chunk.prefix and length(chunk.prefix) > PREFIX_SHARE * most:
            fail(
                3,
                f"chunk {chunk.index} has a prefix of {length(chunk.prefix)} {unit}, more than {PREFIX_SHARE} of "
                f"{most}: {shown(chunk.prefix)}",
            )


def _may_exceed(strategy: Any) -> bool:
    if hasattr(strategy, "may_exceed"):
        return bool(strategy.may_exceed)
    names = [name for name in dir(type(strategy)) if name.startswith("fallback_to_")]
    names += [name for name in getattr(strategy, "__dataclass_fields__", ()) if name.startswith("fallback_to_")]
    return any(getattr(strategy, name) is False for name in names)


def _is_one_cluster(text: str) -> bool:
    """Whether there is no place to cut it: a cluster, or one that a surrogate pair or CRLF is joined to."""
    if len(text) > LONGEST_CLUSTER:
        return False
    inside = _Insides(text)
    return all(inside[position] for position in range(1, len(text)))


def clusters(case: Case) -> None:
    """Point 4: no grapheme cluster, surrogate pair or CRLF is cut; no U+FFFD is made."""
    inside, decode = _insides(case.text), _decoding(case)
    for chunk in case.items:
        for start, end in spans_of(chunk):
            for position, what in ((start, "begins"), (end, "ends")):
                if inside[position]:
                    fail(
                        4,
                        f"chunk {chunk.index} {what} at {position}, inside {inside[position]}: "
                        f"{case.text[max(0, position - 6) : position]!a} | {case.text[position : position + 6]!a}",
                    )
        # HTML itself says that &#0; stands for U+FFFD: what the strategy's decoding gives is not made.
        kept = sum(decode(case.text[s:e]).count("\ufffd") for s, e in spans_of(chunk))
        if chunk.content.count("\ufffd") > kept or ("\ufffd" in chunk.prefix and "\ufffd" not in case.text):
            fail(4, f"chunk {chunk.index} has a U+FFFD that its source {chunk.start}:{chunk.end} does not have")


class _Insides:
    """Which positions of a text lie inside something that may not be cut: `[position]` names it, or is ''."""

    def __init__(self, text: str) -> None:
        self.text = text
        # 0: a boundary; otherwise inside a cluster. One byte a position.
        self.marks = bytearray(len(text) + 1)
        if not text.isascii():
            import regex

            for match in regex.finditer(r"\X", self._without_flags(text)):
                start, end = match.span()
                if 1 < end - start <= LONGEST_CLUSTER:
                    self.marks[start + 1 : end] = b"\x01" * (end - start - 1)

    def _without_flags(self, text: str) -> str:
        """Mark the pairs in long runs of flags and put letters in their place: `\\X` takes squared time there."""
        pieces, at = [], 0
        for run in re.finditer("[\U0001f1e6-\U0001f1ff]{8,}", text):
            # The first pair and the last two or three stay, for what stands around them.
            start, end = run.start() + 2, run.start() + 2 + (run.end() - run.start() - 4) // 2 * 2
            self.marks[start + 1 : end : 2] = b"\x01" * ((end - start) // 2)
            pieces += [text[at:start], "a" * (end - start)]
            at = end
        return "".join([*pieces, text[at:]])

    def __getitem__(self, position: int) -> str:
        before, after = self.text[position - 1 : position], self.text[position : position + 1]
        if before == "\r" and after == "\n":
            return "a CRLF"
        if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
            return "a surrogate pair"
        return "a grapheme cluster" if self.marks[position] else ""


@lru_cache(maxsize=4)
def _insides(text: str) -> _Insides:
    return _Insides(text)


def overlap(case: Case) -> None:
    """Point 5: the declared overlap is the real one and at most the option."""
    most, length, unit = repeat_of(case.strategy), length_of(case.strategy), unit_of(case.strategy)
    before: Chunk | None = None
    for chunk in case.items:
        _overlap_is_real(case, before, chunk)
        if chunk.overlap and most is not None:
            repeated = chunk.content[: chunk.overlap]
            if length(repeated) > most:
                fail(
                    5,
                    f"chunk {chunk.index} repeats {length(repeated)} {unit} of the chunk before it, more than "
                    f"{most}: {shown(repeated)}",
                )
        before = chunk


def _overlap_is_real(case: Case, before: Chunk | None, chunk: Chunk) -> None:
    declared = f"chunk {chunk.index} declares an overlap of {chunk.overlap} characters"
    if before is None:
        if chunk.overlap:
            fail(5, f"{declared}, but no chunk is before it")
        return
    if chunk.exact and before.exact:
        real = max(0, min(before.end, chunk.end) - chunk.start)
        if real != chunk.overlap:
            fail(
                5,
                f"{declared}, but source {chunk.start}:{chunk.start + real}, {real} characters, "
                f"is in chunk {before.index} too",
            )
        return
    if not 0 <= chunk.overlap <= len(chunk.content):
        fail(5, f"{declared}, but has {len(chunk.content)}")
    repeated = "".join(chunk.content[: chunk.overlap].split())
    if repeated and repeated not in "".join(before.content.split()):
        fail(5, f"{declared}, but {shown(chunk.content[: chunk.overlap])} is not in chunk {before.index}")
    if not chunk.overlap and spans_of(before) and spans_of(chunk):
        # A table's header may be named again; the end of the chunk before may not be without being declared.
        start, end = spans_of(before)[-1]
        for a, b in spans_of(chunk):
            if start < a < end <= b:
                fail(5, f"{declared}, but source {a}:{end} is in chunk {before.index} too")


def order(case: Case) -> None:
    """Point 6: starts ascend, no chunk is blank, an empty text gives nothing."""
    if not case.text and case.items:
        fail(6, f"an empty text gives {len(case.items)} chunks, the first is {shown(case.items[0].content)}")
    blank_allowed = getattr(case.strategy, "strip_whitespace", True) is False
    before: Chunk | None = None
    for i, chunk in enumerate(case.items):
        if chunk.index != i:
            fail(6, f"chunk {i} has the index {chunk.index}")
        if is_blank(chunk.content) and not (blank_allowed and chunk.content):
            fail(6, f"chunk {i} is blank: {shown(chunk.content)}, source {chunk.start}:{chunk.end}")
        if before is not None:
            same = chunk.start == before.start and chunk.exact and before.exact
            if chunk.start < before.start or same:
                fail(6, f"chunk {i} starts at {chunk.start}, chunk {i - 1} at {before.start}: starts must ascend")
        before = chunk


POINTS: dict[int, Callable[[Case], None]] = {
    1: exact,
    2: nothing_lost,
    3: limit,
    4: clusters,
    5: overlap,
    6: order,
}
"""The checks of one run, by point."""
