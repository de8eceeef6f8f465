"""What a text is about in a few words: YAKE!, which needs nothing but the text and stop words.

R. Campos, V. Mangaravite, A. Pasquali, A. Jorge, C. Nunes, A. Jatowt: YAKE! Keyword extraction from single documents
using multiple local features. Information Sciences 509 (2020), 257-289.

H. Feng, K. Chen, X. Deng, W. Zheng: Accessor variety criteria for Chinese word extraction. Computational Linguistics 30
(2004), 75-93.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import log, sqrt

from ..checks import shown
from ..errors import OptionError
from .guess import language_of
from .prose import Sentence, one_line, sentences
from .stops import check_language, says_nothing, stop_words
from .tokens import Word, fold, is_han, is_unspaced

__all__ = ["keywords", "scores"]

_LONGEST = 3
"""Words in a phrase, at most; an elided article counts for none."""
_UNSPACED = 6
"""Chinese characters in a phrase, at most."""
_FREE = -1
"""The neighbour of a phrase that has none of its script, or several."""
_FUNCTION_WORDS = (
    "一个 一個 一些 一种 一種 这个 這個 那个 那個 每个 每個 我们 我們 你们 你們 他们 他們 它们 它們 自己 可以 "
    "可能 能够 能夠 如果 因为 因為 所以 因此 但是 而且 并且 並且 或者 以及 没有 沒有 什么 什麼 怎么 怎麼 时候 "
    "時候 已经 已經 必须 必須 应该 應該 需要 由于 由於 对于 對於 关于 關於 为了 為了 通过 通過 其中 其他 例如 "
    "只有 只是 还是 還是 然后 然後 之前 之后 之後 的 了 是 这 這 那 们 們 吗 嗎 呢 吧 很 让 讓 也 和 与 與 或 "
    "但 把 被 从 從 就 都 该 該 其 将 將 在 "
)
"""Of Chinese. A few nouns have one of the characters too (`目的`), and are lost for it."""
_LONG_WORD = 40
"""Longer words are none that anybody looks for."""


def keywords(text: str, count: int, *, language: str | None = None) -> list[str]:
    """At most `count` keywords of a text, the best first: phrases of one to three words that stand in it.

    The score is YAKE!'s (Campos et al. 2020): words are better the more often they are written with a capital, the
    earlier they come, the more often, in the more sentences, and beside the fewer different words; phrases by the
    product of their words' scores and by how often they come. Phrases of one score come in the order of the text. A
    phrase more than half of whose words are in better ones is left out, also when they differ in their last letters
    (`index`, `indexes`), and one of which a part of two words comes more often. Addresses, tags, commands of TeX and
    numbers are no keywords.

    Chinese characters are written without blanks, and no dictionary tells words. Two to six of them are a phrase where
    what stands beside them varies, or is something else: punctuation, kana, function words such as `的` (accessor
    variety; Feng et al. 2004). Hiragana is in no keyword, and no letter of Thai, Lao, Khmer and Burmese is.

    A keyword is written as the text has it most often, with one blank for any white space. `language` names the stop
    words, see `stop_words`; None takes those of the language that the text is in, or of all where that cannot be told.

    Raises `OptionError` for a count that is no whole number from 0 on, and for a language that we have no words of.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise OptionError(f"count must be a whole number from 0 on, got {shown(count)}.")
    check_language(language)
    return list(_apart(*_ranked(text, language or language_of(text) or "any"), count))


def scores(text: str, language: str) -> dict[str, float]:
    """YAKE!'s score of every phrase, the best first, those too that tell nothing new."""
    return {phrase.usual: score for score, _, phrase in _ranked(text, language)[0]}


def _ranked(text: str, language: str) -> tuple[list[tuple[float, int, _Phrase]], _Terms]:
    """All phrases with their scores, the best first, and the terms that they are made of."""
    stop = stop_words(language)
    terms = _Terms()
    phrases: dict[tuple[int, ...], _Phrase] = {}
    particles = _particles(text)
    for place, sentence in enumerate(sentences(text, language)):
        for run in _runs(text, sentence, particles):
            numbers = [terms.add(word, place, word is sentence.words[0], stop) for word in run]
            terms.pair(numbers)
            for first, last in _stretches(run, numbers, terms):
                key = tuple(numbers[first:last])
                written = one_line(_unowned(text[run[first].start : run[last - 1].end]))
                before, behind = _neighbours(run, numbers, first, last)
                if key in phrases:
                    phrases[key].add(written, before, behind)
                else:
                    phrases[key] = _Phrase(key, written, before, behind)
    worth = terms.scores()
    whole = (phrase for phrase in phrases.values() if phrase.before == phrase.behind == _FREE)
    return sorted((terms.phrase(phrase, worth), i, phrase) for i, phrase in enumerate(whole)), terms


@dataclass(slots=True)
class _Phrase:
    """Terms by number, how often they come, and how often each way to write them where there are several.

    `before` and `behind` are the one Chinese character that always stands there beside others, or `_FREE`.
    """

    terms: tuple[int, ...]
    form: str
    before: int
    behind: int
    count: int = 1
    forms: dict[str, int] | None = None

    def add(self, form: str, before: int, behind: int) -> None:
        if before != self.before:
            self.before = _FREE
        if behind != self.behind:
            self.behind = _FREE
        if self.forms is None and form != self.form:
            self.forms = {self.form: self.count}
        if self.forms is not None:
            self.forms[form] = self.forms.get(form, 0) + 1
        self.count += 1

    @property
    def usual(self) -> str:
        """The way that comes most often, the first of several."""
        return self.form if self.forms is None else max(self.forms, key=self.forms.__getitem__)


@dataclass(slots=True)
class _Term:
    """What is counted of a word."""

    key: str
    stop: bool
    valid: bool
    count: int = 0
    acronyms: int = 0
    capitals: int = 0
    places: list[int] = field(default_factory=list)


class _Terms:
    """The different words of a text, by number, and which stand beside which."""

    def __init__(self) -> None:
        self.all: list[_Term] = []
        self._numbers: dict[str, int] = {}
        self._pairs: Counter[tuple[int, int]] = Counter()

    def add(self, word: Word, place: int, first: bool, stop: frozenset[str]) -> int:
        """Count a word in the sentence with number `place`; its term's number."""
        folded = fold(word.text)
        is_stop = says_nothing(word.text, folded, stop)
        key = folded if is_stop or len(folded) <= 3 else _unowned(folded).removesuffix("s")  # YAKE!'s rule for plurals
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.all)
            self.all.append(_Term(key, is_stop, is_stop or _is_name(word.text)))
        term = self.all[number]
        term.count += 1
        if len(word.text) > 1 and word.text.isupper():
            term.acronyms += 1
        elif word.text[0].isupper() and not first:
            term.capitals += 1
        if not term.places or term.places[-1] != place:
            term.places.append(place)
        return number

    def pair(self, numbers: list[int]) -> None:
        """Count the neighbours of a run of words."""
        for left, right in pairwise(numbers):
            if self.all[left].valid and self.all[right].valid:
                self._pairs[left, right] += 1

    def scores(self) -> list[float]:
        """YAKE!'s score of each term, small for good ones."""
        counts = [term.count for term in self.all if not term.stop and term.valid]
        if not counts:
            return [1.0] * len(self.all)
        mean = sum(counts) / len(counts)
        usual = mean + sqrt(sum((n - mean) ** 2 for n in counts) / len(counts))
        most = max(term.count for term in self.all)
        every = 1 + max(term.places[-1] for term in self.all)
        before, behind = ([[0, 0] for _ in self.all] for _ in range(2))
        for (left, right), n in self._pairs.items():
            for tally in (behind[left], before[right]):
                tally[0] += 1
                tally[1] += n
        scores = []
        for term, near in zip(self.all, zip(before, behind, strict=True), strict=True):
            different = sum(kinds / total for kinds, total in near if total)
            related = 1 + different * term.count / most
            case = max(term.acronyms, term.capitals) / (1 + log(term.count))
            middle = (term.places[len(term.places) // 2] + term.places[(len(term.places) - 1) // 2]) / 2
            position = log(log(3 + middle))
            spread = len(term.places) / every
            scores.append(related * position / (case + (term.count / usual + spread) / related))
        return scores

    def phrase(self, phrase: _Phrase, scores: list[float]) -> float:
        """YAKE!'s score of a phrase. Stop words inside weigh by how firmly they are bound to what stands around."""
        product, total = 1.0, 0.0
        bound = all_bound = 1.0
        numbers = phrase.terms
        for i, number in enumerate(numbers):
            term = self.all[number]
            if i and (term.stop or self.all[numbers[i - 1]].stop):
                bound *= self._pairs[numbers[i - 1], number] / self.all[numbers[i - 1] if term.stop else number].count
            if term.stop:
                continue
            product *= (2 - bound) * scores[number]
            total += scores[number]
            all_bound *= bound
            bound = 1.0
        return product / (phrase.count * (total + all_bound))


def _runs(text: str, sentence: Sentence, particles: set[int]) -> Iterator[list[Word]]:
    """The words of a sentence that nothing but blanks or a line end keeps apart."""
    run: list[Word] = []
    for word in sentence.words:
        if word.start in particles:
            continue
        if run and not _joined(text, run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _joined(text: str, left: Word, right: Word) -> bool:
    gap = text[left.end : right.start] if right.start - left.end <= _LONG_WORD else "?"
    if gap == " ":
        return True
    if not gap:
        return left.text.endswith(("'", "’")) or (is_unspaced(left.text) and is_unspaced(right.text))
    if not _blanks().fullmatch(gap):
        return False
    line = text.rfind("\n", 0, left.start) + 1 if "\n" in gap else 0
    return "\n" not in gap or text[line : line + 1] != "#"  # a heading of Markdown ends with its line


@cache
def _blanks() -> re.Pattern[str]:
    return re.compile(r"[ \u00a0\u2009\u202f]{1,2}|[ \t]*\r?\n[ \t]*")


def _stretches(run: list[Word], numbers: list[int], terms: _Terms) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) of what may be a phrase: no number in it, no stop word at its ends."""
    for first, number in enumerate(numbers):
        if terms.all[number].stop or not terms.all[number].valid:
            continue
        size = 0
        unspaced = is_unspaced(run[first].text)
        for last in range(first, len(run)):
            term, word = terms.all[numbers[last]], run[last].text
            size += 0 if word.endswith(("'", "’")) else 1
            if not term.valid or size > (_UNSPACED if unspaced else _LONGEST) or is_unspaced(word) != unspaced:
                break
            if unspaced and term.stop:  # kana between two Chinese characters is mostly a particle or an ending
                break
            if not term.stop and (last > first or not unspaced):
                yield first, last + 1


def _neighbours(run: list[Word], numbers: list[int], first: int, last: int) -> tuple[int, int]:
    """The Chinese characters right before and behind a phrase of such; `_FREE` where there is none."""
    if not is_han(run[first].text):
        return _FREE, _FREE
    before = first and run[first - 1].end == run[first].start and is_han(run[first - 1].text)
    behind = last < len(run) and run[last].start == run[last - 1].end and is_han(run[last].text)
    return numbers[first - 1] if before else _FREE, numbers[last] if behind else _FREE


def _particles(text: str) -> set[int]:
    """Where characters stand that are function words of Chinese; nowhere in a Japanese text."""
    if text.isascii() or _kana().search(text):
        return set()
    return {i for match in _function_words().finditer(text) for i in range(*match.span())}


@cache
def _kana() -> re.Pattern[str]:
    return re.compile("[\u3041-\u309f]")


@cache
def _function_words() -> re.Pattern[str]:
    return re.compile("|".join(_FUNCTION_WORDS.split()))


def _unowned(text: str) -> str:
    """A text without the English genitive at its end."""
    return text[:-2] if len(text) > 3 and text.endswith(("'s", "’s")) else text


def _is_name(word: str) -> bool:
    """Whether a word may be in a keyword: no number, no digest, not endless."""
    digits = sum(map(str.isdigit, word)) if len(word) <= _LONG_WORD else len(word)
    return digits * 2 <= len(word) and "," not in word and any(map(str.isalpha, word))


def _apart(ranked: Sequence[tuple[float, int, _Phrase]], terms: _Terms, count: int) -> Iterator[str]:
    """The first phrases that tell something new, and of which no part of two words or more comes more often."""
    told: set[str] = set()
    often = {phrase.terms: phrase.count for _, _, phrase in ranked}
    for _, _, phrase in ranked:
        if count <= 0:
            return
        parts = (phrase.terms[:-1], phrase.terms[1:])
        if any(len(part) > 1 and often.get(part, 0) > phrase.count for part in parts):
            continue
        own = [_beginnings(terms.all[number].key) for number in phrase.terms if not terms.all[number].stop]
        new = sum(told.isdisjoint(beginnings) for beginnings in own)
        if new * 2 > len(own) or (new * 2 == len(own) and len(own) > 1):
            yield phrase.usual
            told.update(*own)
            count -= 1


def _beginnings(key: str) -> list[str]:
    """By which two words that differ in their last letters only are found to be nearly the same."""
    return [key[:size] for size in range(max(5, len(key) - 2), len(key))] + [key]
