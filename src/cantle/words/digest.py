"""A text in a few of its sentences: SumBasic.

A. Nenkova, L. Vanderwende: The impact of frequency on summarization. Microsoft Research MSR-TR-2005-101 (2005).
"""

from __future__ import annotations

from ..checks import shown
from ..errors import OptionError
from . import prose
from .guess import language_of
from .prose import Sentence, bare, cut_short, is_command, one_line
from .stops import check_language, says_nothing, stop_words
from .tokens import fold

__all__ = ["summary"]

_FEW = 4
"""Sentences of fewer words that say something are exclamations and headings: taken only when there is no other."""
_PROSE = 0.5
"""What has fewer letters than this part is a table, a formula or code."""
_LONGEST = 300
"""Characters of a sentence that are shown."""
_IN_TURN = 100
"""So many sentences are chosen one after another: each takes a look at all others."""


def summary(text: str, *, sentences: int = 2, language: str | None = None) -> str:
    """A summary made of sentences of the text as they stand there, at most so many, in their order.

    They are chosen by SumBasic (Nenkova and Vanderwende 2005): of the sentences with the word that comes most often,
    the one whose words come most often on average; then the words in it count less, so that the next one says something
    else. Of equal sentences the first is taken. Headings, and what is mostly no letters (tables, formulas, code), are
    taken only where there is nothing else.

    A sentence is as in the text, with one blank for any white space, and without the marks of a heading, list or
    quotation in front of it. Of one of more than 300 characters, such as a text without a full stop, the beginning is
    taken, cut between two words, with `…` behind it. A blank text gives `""`.

    Where more than 100 sentences are asked for, the first 100 are chosen in this way, one after another. The others are
    those whose words come most often on average then.

    `language` says by whose rules sentences end and which words are stop words, see `stop_words`; None takes the
    language that the text is in, or what all have in common.

    Raises `OptionError` unless `sentences` is a whole number from 1 on, and for a language that we have no words of.
    """
    if isinstance(sentences, bool) or not isinstance(sentences, int) or sentences < 1:
        raise OptionError(f"sentences must be a whole number from 1 on, got {shown(sentences)}.")
    check_language(language)
    language = language or language_of(text) or "any"
    stop = stop_words(language)
    found = _candidates(text, language, stop)
    chosen = found if len(found) <= sentences else [found[i] for i in _chosen(found, sentences)]
    return _joined([cut_short(one_line(text[sentence.start : sentence.end]), _LONGEST) for sentence in chosen])


def _candidates(text: str, language: str, stop: frozenset[str]) -> list[Sentence]:
    """The sentences to choose from, without the marks in front; with the words that say something."""
    found: list[Sentence] = []
    proper: list[Sentence] = []
    ended: list[Sentence] = []
    line = 0  # where the line begins that a sentence is in
    for start, end, inside in prose.sentences(text, language):
        start = bare(text, start, end)
        if start == end:
            continue
        telling = [word for word in inside if not says_nothing(word.text, fold(word.text), stop)]
        sentence = Sentence(start, end, telling)
        found.append(sentence)
        letters = sum(len(word.text) for word in inside)
        line = max(line, text.rfind("\n", line, start) + 1)
        is_heading = text[line] == "#" or is_command(text, start, end)
        if telling and letters >= _PROSE * (end - start) and not is_heading:
            if len(telling) >= _FEW:
                proper.append(sentence)
            if not text[end - 1].isalnum():
                ended.append(sentence)
    return proper or ended or [sentence for sentence in found if sentence.words] or found


def _chosen(found: list[Sentence], count: int) -> list[int]:
    """The numbers of `count` sentences, ascending."""
    numbers: dict[str, int] = {}
    terms = [[numbers.setdefault(fold(word.text), len(numbers)) for word in sentence.words] for sentence in found]
    often = [0.0] * len(numbers)
    total = sum(map(len, terms)) or 1
    for inside in terms:
        for term in inside:
            often[term] += 1 / total
    holding: list[list[int]] = [[] for _ in numbers]
    for i, inside in enumerate(terms):
        for term in set(inside):
            holding[term].append(i)
    there = list(map(len, holding))  # in so many of those that are left
    left = set(range(len(found)))

    def mean(i: int) -> float:
        return sum(often[term] for term in terms[i]) / (len(terms[i]) or 1)

    for _ in range(min(count, _IN_TURN)):
        best = max((share for share, n in zip(often, there, strict=True) if n), default=0.0)
        those = {i for term, share in enumerate(often) if there[term] and share == best for i in holding[term]} & left
        i = -max((mean(i), -i) for i in those or left)[-1]
        left.remove(i)
        for term in set(terms[i]):
            often[term] **= 2
            there[term] -= 1
    ranked = sorted(left, key=lambda i: (-mean(i), i))
    left.difference_update(ranked[: max(0, count - _IN_TURN)])
    return [i for i in range(len(found)) if i not in left]


def _joined(sentences: list[str]) -> str:
    """Sentences one behind the other: with a blank, but after Chinese and Japanese ones."""
    from ..blocks.sentences.marks import CJK

    return "".join(s if s[-1:] in CJK else s + " " for s in sentences).rstrip(" ")
