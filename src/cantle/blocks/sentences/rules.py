"""Where sentences end, by rules: enders, what stands around them, and abbreviations as data.

Every place is judged by what stands near it and by nothing else. So a caller may ask for the first
end after a position, and only the text near it is looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ...graphemes import is_boundary, next_boundary
from ...lengths.windowed import Unsettled
from ...whitespace import STRIP
from .languages import Kind, Language, language
from .listed import Listed
from .marks import CJK, CLOSING, NARROW, SPACED, UNSPACED, candidates, unspaced

__all__ = ["RuleSentences", "Rules"]

_NEAR = 48
"""An end lies at most so far behind its ender."""
_KNOWN = 1000
"""So many ends that follow one another are remembered."""
_WORD = 32
"""Longer words are no abbreviations."""
_WHITE = STRIP + "\x1c\x1d\x1e\x1f\x85"
_BLANKS = re.compile(r"[\s\ufeff]+")
_CORE = re.compile(r"[\w.\u00aa\u00ba\u00b0/-]+\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_NEXT_WORD = re.compile(r"\w{1,64}")
"""Longer words are none that open sentences."""
_ROMAN = re.compile(r"[IVXLC]{2,}|[IVX]")
_SHORT = re.compile(r"(?:[A-Z]\.)*[A-Z]|(?:[a-z]\.)*[a-z]|[0-9]+|[apAP][mM]\.?|Dr|Mrs?|Ms|Prof|[SJ]r")
"""What never ends a sentence for a caller who names no language: Mastra's list."""
_BLANK_LINE = re.compile(r"(?:\r\n?+|[\n\x85\u2028])[^\S\r\n]*[\r\n\x85\u2028]|[\f\u2029]")
_OPENING = "([{\"'\u201c\u2018\u00ab\u201e\u2039\u00bf\u00a1*_`"
_QUOTES = frozenset("\"'\u2019\u201d\u00bb\u201c\u2018\u00ab\u203a")
_BRACKETS = frozenset('\u300d\u300f\uff09\u3015\u3011\u300b"\u201d')


class Rules:
    """The rules for one language, or for none in particular.

    `name` is a language, `any` for all that we know together, or None for Mastra's rule: white space and
    an ASCII capital follow, and the word before is not in a short list. Quotation marks and brackets in
    between are looked through. `enders` replace the usual ones.
    """

    def __init__(self, name: str | None = None, enders: Sequence[str] | None = None) -> None:
        self.narrow = name is None
        self.words = Language() if name is None else language(name)
        given = tuple(dict.fromkeys(ender for ender in enders if ender)) if enders is not None else None
        single = "".join(ender for ender in given if len(ender) == 1) if given is not None else None
        several = [ender for ender in given if len(ender) > 1] if given is not None else []
        if self.narrow:
            self.pattern = candidates(NARROW if single is None else single, lines=False)
            finer = CJK.replace("\uff0e", "") if single is None else "".join(c for c in single if c in UNSPACED)
            self.finer = unspaced(finer, several)
        else:
            free = UNSPACED if single is None else "".join(c for c in single if c in UNSPACED)
            spaced = SPACED if single is None else "".join(c for c in single if c not in UNSPACED)
            self.pattern = candidates(spaced, free, several, lines=True)
            self.finer = None
        self.enders = frozenset("".join(given) if given is not None else SPACED + UNSPACED)
        self.marks = "".join(sorted(self.enders))
        self.reach = 8 * max(map(len, several), default=0)

    def on(self, text: str) -> RuleSentences:
        """The sentences of a text."""
        return RuleSentences(self, text)

    def window(self, text: str, known: int | None, start: int) -> RuleSentences:
        """Those of a window, settled up to `known`; None when the text ends there."""
        if known is None:
            return RuleSentences(self, text)
        return RuleWindow(self, text, known)


class RuleSentences:
    """The sentences of one text, found where they are asked for. Positions are code points."""

    def __init__(self, rules: Rules, text: str) -> None:
        self.rules, self.text = rules, text
        self.total = next_boundary(text, self._line_end(len(text)))
        self._kinds = rules.words.kinds
        self._opens = rules.words.opens
        self._narrow = rules.narrow
        self._ordinals, self._coins = rules.words.ordinals, rules.words.coins
        self._search = rules.pattern.search if rules.pattern is not None else None
        # All ends from a position on, as far as they were asked for: small chunks ask for the same ones again.
        self._ends_here = [0]
        self._known_from = 1

    def __iter__(self) -> Iterator[tuple[int, int]]:
        start = self.begin(0)
        while start < self.total:
            end = self.end_from(start + 1)
            yield start, end
            start = self.begin(end)

    def origin(self, position: int) -> int:
        """From where on the text must be there for the sentences from a position on."""
        return position

    def begin(self, at: int) -> int:
        """Where the sentence that follows position `at` begins: past the white space."""
        text = self.text
        if at + 1 < len(text) and text[at] == " " and "!" <= text[at + 1] <= "~":  # nearly always
            return at + 1
        blanks = _BLANKS.match(self.text, at)
        if blanks is None:
            return at
        start = blanks.end()
        while start > at and not is_boundary(self.text, start):
            start -= 1
        return start

    def end_from(self, at: int) -> int:
        """The first end of a sentence at or after `at`; the last one's is the end of the text, trimmed."""
        if at >= self.total:
            return self.total
        ends = self._ends_here
        last = ends[-1]
        if self._known_from <= at <= last:
            return ends[bisect_left(ends, at)]
        if last < at <= last + _NEAR and len(ends) < _KNOWN:
            while last < at:
                last = self._first(self._before(last + 1), last + 1)
                ends.append(last)
            return last
        end = self._first(self._before(at), at)
        self._ends_here, self._known_from = [end], at
        return end

    def end_before(self, at: int, least: int) -> int:
        """The last end of a sentence at or before `at` and after `least`, or -1."""
        high = at = min(at, self.total)
        width = 4 * _NEAR
        while high > least:
            low = max(least, at - width)
            found, end = -1, self.end_from(low + 1)
            while end <= high:
                found = end
                if end >= self.total:
                    break
                end = self.end_from(end + 1)
            if found > 0:
                return found
            high, width = low, 4 * width
        return -1

    def _before(self, at: int) -> int:
        """Where to look from, for an end at or after `at`: before its enders."""
        text, enders = self.text, self.rules.enders
        low = max(0, at - _NEAR)
        while at > low:
            char = text[at - 1]
            if char in enders:
                break
            if char not in CLOSING and not (
                (char.isdigit() and text[at] in "0123456789]") or (char in " \u00a0\u202f" and text[at] == "\u00bb")
            ):
                return at
            at -= 1
        while at and text[at - 1] in enders:
            at -= 1  # a run of enders counts from its start
        return at

    def _first(self, start: int, at: int) -> int:
        search = self._search
        if search is None or at >= self.total:  # there are no enders, or no text is left
            return self.total
        while (match := search(self.text, start)) is not None:
            kind = match.lastindex
            start = match.end()
            if kind == 5:
                end = match.end(2)
                start = match.end(3)
                if end >= at and self._ends(match):
                    return end
            elif kind == 7:
                end = match.end()
                if end >= at and end < self.total and self._ends_unspaced(match.end(6), end):
                    return end
            else:
                end = self._line_end(match.start())
                blanks = _BLANKS.match(self.text, end)
                start = blanks.end() if blanks else start
                if end >= at and is_boundary(self.text, end) and is_boundary(self.text, start):
                    return end
        return self.total

    def _line_end(self, at: int) -> int:
        """Where the line that ends at `at` ends without its white space."""
        width = _NEAR
        while at:
            low = max(0, at - width)
            kept = len(self.text[low:at].rstrip(_WHITE))
            if kept:
                return low + kept
            at, width = low, 2 * width
        return 0

    def _ends_unspaced(self, ender: int, end: int) -> bool:
        text = self.text
        following = text[end]
        if following in "\u3001\uff0c,\uff1b\uff1a;:":
            return False
        if end > ender and text[end - 1] in _BRACKETS and following in "\u3068\u3063\u306e":  # a quotation goes on
            return False
        if text[ender - 1] == "\uff0e" and following.isalnum() and text[ender - 2 : ender - 1].isdigit():
            return False
        return is_boundary(text, end)

    def _ends(self, match: re.Match[str]) -> bool:
        """Whether the sentence ends at enders that are followed by white space."""
        text = self.text
        start, stop, end = match.start(), match.end(1), match.end(2)
        first = match[5]
        if self._narrow:
            return "A" <= first <= "Z" and not self._is_short(stop - 1)
        if _BLANK_LINE.search(text, end, match.end(3)):
            return is_boundary(text, match.end(3))
        if stop - start > 1 or text[start] != ".":
            if first.isupper() or first.istitle():
                return self._ends_other(match)
        elif first.isupper() or first.istitle():
            return self._ends_word(start, match.start(5), first)
        if first.isdigit() or first in "$\u20ac\u00a3":
            return text[start] != "." or stop - start > 1 or self._ends_word(start, match.start(5), first)
        if first.isalpha() and not first.islower():
            return text[start] != "." or self._ends_word(start, match.start(5), first)
        return False

    def _ends_other(self, match: re.Match[str]) -> bool:
        """Whether `!`, `?`, dots and their like end the sentence before a capital."""
        stop, end = match.end(1), match.end(2)
        if end > stop and self.rules.words.said and self.text[end - 1] in _QUOTES and match.end(4) == match.end(3):
            # "Why?" John asked.
            following = self.text[match.start(5) : match.start(5) + 40].split(None, 3)[:3]
            if len(following) > 1 and any(word.rstrip(".,;:") in self.rules.words.said for word in following[1:]):
                return False
        return True

    def _is_short(self, at: int) -> bool:
        """Whether the word before `at` is in Mastra's list, with a bracket or quotation mark before it or not."""
        words = self.text[max(0, at - _WORD) : at].split()
        return bool(words) and _SHORT.fullmatch(words[-1].lstrip(_OPENING)) is not None

    def _ends_word(self, dot: int, begin: int, first: str) -> bool:
        """Whether a single period ends the sentence, by the word before it and what follows."""
        text = self.text
        if dot == 0 or text[dot - 1].isspace():
            return True
        if dot == 1 or text[dot - 2].isspace():
            word = text[dot - 1]
        else:
            word = text[max(0, dot - _WORD) : dot].rsplit(None, 1)[-1]
        kind = self._kinds.get(word)
        if kind is None:
            if len(word) > 1 and word.isalpha():
                return not (self._ordinals and _ROMAN.fullmatch(word)) or self._opens_sentence(begin)
            core = _CORE.search(word)
            word = core[0].lstrip("-/.") if core else ""
            if not word:  # a closing mark before the period
                return True
            kind = self._kinds.get(word)
            if kind is None and not word.isalnum():
                for mark in "/-":
                    kind = kind or self._kinds.get(word.rpartition(mark)[2])
        if kind is not None:
            return self._ends_abbreviation(kind, word, dot, begin, first)
        if word.isdigit():
            return self._ends_number(word, dot, begin, first)
        if first.isdigit() and word[-1] in self._coins and word[:-1].isdigit():  # 2s. 6d.
            return False
        if len(word) == 1 and word.isalpha():
            return self._ends_letter(dot, begin)
        return _DOTTED.fullmatch(word) is None or self._opens_sentence(begin)

    def _ends_abbreviation(self, kind: Kind, word: str, dot: int, begin: int, first: str) -> bool:
        if kind is Kind.TITLE or kind is Kind.INSIDE:
            return False
        if kind is Kind.NUMBER:
            if first.isdigit():
                return False
            following = _NEXT_WORD.match(self.text, begin)
            if following is not None and _ROMAN.fullmatch(following[0]) and following[0] not in self._opens:
                return False
            return len(word) > 1 or self._ends_letter(dot, begin)
        return self._opens_sentence(begin)

    def _ends_number(self, word: str, dot: int, begin: int, first: str) -> bool:
        if len(word) < 3 and ((first.isdigit() and self._ordinals) or self._starts_line(dot - len(word))):
            return False
        return not self._ordinals or len(word) > 3 or self._opens_sentence(begin)

    def _starts_line(self, at: int) -> bool:
        """Whether the number at `at` is a list's mark: at the start of a line, or behind a sentence."""
        before = self.text[max(0, at - _WORD) : at].rstrip(" \t([")
        if not before or before[-1] in "\n\r!?":
            return True
        words = before.split()
        return before[-1] == "." and len(words[-1]) > 2 and words[-1][:-1] not in self._kinds

    def _ends_letter(self, dot: int, begin: int) -> bool:
        """Whether a sentence ends behind a single letter: after a small word, before one that opens sentences."""
        return dot > 2 and self.text[dot - 3].islower() and self._opens_sentence(begin)

    def _opens_sentence(self, begin: int) -> bool:
        word = _NEXT_WORD.match(self.text, begin)
        return word is not None and word[0] in self._opens and self.text[word.end() : word.end() + 1] != "."

    def listed(self, spans: list[tuple[int, int]]) -> Listed:
        """Other sentences of the same text, given by their bounds."""
        return Listed(spans, self.total)

    def finer(self, start: int, end: int) -> list[list[tuple[int, int]]] | None:
        """The sentence as parts between enders that need no white space, in groups; None where there are none.

        Only where the language is not known. A group is what stands between line ends behind such an ender.
        """
        if self.rules.finer is None or self.rules.finer.search(self.text, start, end) is None:
            return None
        text, at = self.text, start
        groups: list[list[tuple[int, int]]] = []
        group: list[tuple[int, int]] = []
        for match in self.rules.finer.finditer(text, start, end):
            stop = match.end()
            if stop >= end or not is_boundary(text, stop):
                continue
            group.append((at, stop))
            at = self.begin(stop)
            if "\n" in text[stop:at]:
                groups.append(group)
                group = []
        if at < end:
            group.append((at, end))
        if group:
            groups.append(group)
        return groups


class RuleWindow(RuleSentences):
    """The sentences of a window of a text. Where one ends behind `known` raises `Unsettled`."""

    def __init__(self, rules: Rules, text: str, known: int) -> None:
        super().__init__(rules, text)
        self._settled = known

    def end_from(self, at: int) -> int:
        """The first end of a sentence at or after `at`."""
        end = super().end_from(at)
        if end > self._settled:
            raise Unsettled
        return end
