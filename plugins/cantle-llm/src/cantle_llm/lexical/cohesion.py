"""Where the words change: the most probable division of lines into topics, by the words that they repeat.

The model is that of Bayesian segmentation (Eisenstein and Barzilay 2008): the words of a topic are drawn from a
distribution of its own, which is integrated out, so that a topic's words have a Dirichlet compound multinomial
probability. Unlike there the prior's mean is not uniform but the words' frequency in the text around, so that a word
found everywhere says little and a rare one that returns says much, and the prior's weight grows with that text, so that
a long text has longer topics. The best division is found by dynamic programming, as in Utiyama and Isahara (2001), with
a bound on the length of a topic, which makes it linear in the number of lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DEFAULT", "Model", "divide"]

_SLAB = 4096
"""So many lines are prepared at a time, to bound the memory."""
_SPARSE = 100
"""Where fewer than one of so many lines opens a paragraph, there are no paragraphs, but a heading here and there."""
_UNIT = float(1 << 20)
"""Logarithms are rounded to fractions of this, so that their sums are exact in any order."""


@dataclass(frozen=True)
class Model:
    """The numbers of the model; the defaults were chosen on the development set of `evaluation/`.

    `concentration` is the weight of the prior, as a part of the words of the text around; `around` is how many lines
    before and after are that text. A topic costs `cost` plus `growth` times the logarithm of the prior's weight (costs
    are natural logarithms of probabilities), and `inside` besides where it begins inside of a paragraph, `solid` inside
    of a table or code. `longest` is the most lines of a topic, `repeats` how many earlier uses of a word count. A text
    around of fewer than `least` words is held to have so many, so that a few sentences are not divided much.
    """

    concentration: float = 1.25
    around: int = 400
    cost: float = -2.0
    growth: float = 0.5
    inside: float = 24.0
    solid: float = 1000.0
    longest: int = 300
    repeats: int = 64
    least: int = 300


DEFAULT = Model()


def divide(
    lines: Sequence[Sequence[int]],
    opens: Sequence[bool],
    solid: Sequence[bool] = (),
    *,
    of: int = 0,
    model: Model = DEFAULT,
) -> list[int]:
    """The numbers of the lines that begin a topic, without 0; `lines` are the lines' words as numbers from 0.

    A topic begins preferably at a line that `opens` a paragraph (where besides the first fewer than one in a hundred
    does, there are none), and only in need at one that is `solid`: inside of a table or of code. Lines out
    of a text `of` so many get topics as long as those of such a text.
    """
    import numpy as np

    count = len(lines)
    if count < 2:
        return []
    longest = min(model.longest, count)
    before = np.zeros(count + 1, np.int64)
    np.cumsum(np.fromiter(map(len, lines), np.int64, count), out=before[1:])
    nearby = float(before[-1]) / count * min(max(count, of), 2 * model.around + 1)
    weight = model.concentration * max(nearby, model.least)
    begin = np.full(count, np.rint(_UNIT * (model.cost + model.growth * np.log(weight))))
    if sum(opens[1:]) * _SPARSE >= count:
        begin[~np.asarray(opens, bool)] += _UNIT * model.inside
    if any(solid):
        begin[np.asarray(solid, bool)] += _UNIT * model.solid
    begin[0] = 0.0
    most = int((before[longest:] - before[:-longest]).max())
    prior = np.zeros(most + 1)  # prior[n]: what n words cost when none is used twice
    np.cumsum(np.rint(_UNIT * np.log1p(np.arange(most) / weight)), out=prior[1:])

    best = np.zeros(count + 1)  # best[i]: of the lines before i
    back = np.zeros(count + 1, np.int64)
    total = np.zeros(longest)  # total[d]: what the words of the lines end - d to end gain by being together
    end = 0
    for gains in _gains(lines, before, longest, weight, model):
        for row in np.cumsum(gains, axis=1):
            total[1:] = total[:-1]
            total[0] = 0.0
            total += row
            low = max(0, end - longest + 1)
            starts = slice(low, end + 1)
            words = before[end + 1] - before[starts]
            scores = (best[starts] - begin[starts] - prior[words])[::-1] + total[: end + 1 - low]
            choice = int(scores.argmax())
            best[end + 1] = scores[choice]
            back[end + 1] = end - choice
            end += 1
    found = []
    at = int(back[count])
    while at > 0:
        found.append(at)
        at = int(back[at])
    return found[::-1]


def _gains(
    lines: Sequence[Sequence[int]], before: NDArray[Any], longest: int, weight: float, model: Model
) -> Iterator[NDArray[Any]]:
    """By slabs of lines, `[line, d]`: what a topic gains by holding a line and the one `d` before it.

    A word that is used the k-th time in a topic has the probability (prior + k - 1) / (prior's weight + words so far);
    the logarithm of the numerator is a sum over the earlier uses, each of which belongs to one distance.
    """
    import numpy as np

    count, size = len(lines), int(before[-1])
    words = np.fromiter((word for line in lines for word in line), np.int64, size)
    places = np.repeat(np.arange(count), np.diff(before))
    order = np.argsort(words, kind="stable")
    rank = np.empty(size, np.int64)
    rank[order] = np.arange(size)
    words, places = words[order], places[order]
    keys = words * (count + 1) + places
    for low in range(0, count, _SLAB):
        high = min(low + _SLAB, count)
        at = rank[before[low] : before[high]]
        place, word = places[at], words[at]
        first, last = np.maximum(place - model.around, 0), np.minimum(place + model.around, count - 1)
        uses = np.searchsorted(keys, word * (count + 1) + last, "right") - np.searchsorted(
            keys, word * (count + 1) + first
        )
        mean = weight * uses / np.maximum(before[last + 1] - before[first], 1)
        gains = np.zeros((high - low) * longest)
        for k in range(1, model.repeats + 1):
            kept = at >= k
            at, place, word, mean = at[kept], place[kept], word[kept], mean[kept]
            distance = place - places[at - k]
            kept = (words[at - k] == word) & (distance < longest)
            at, place, word, mean, distance = at[kept], place[kept], word[kept], mean[kept], distance[kept]
            if not len(at):
                break
            gain = np.rint(_UNIT * np.log1p(1 / (mean + (k - 1))))
            gains += np.bincount((place - low) * longest + distance, gain, len(gains))
        yield gains.reshape(high - low, longest)
