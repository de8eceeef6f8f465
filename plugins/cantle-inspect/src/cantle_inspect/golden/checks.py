"""What is wrong with an answer, whatever was found: access, forbidden sources, sources that are not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..corpus.pool import Pool
from ..rank.hits import Hit
from .answers import Problem
from .askings import Asking
from .questions import Question

if TYPE_CHECKING:
    from cantle import MDocument

__all__ = ["Checks"]

_HINTS = 100
"""For so many names that are not there the nearest is looked for, ..."""
_COMPARED = 2000
"""... among so many sources."""


class Checks:
    """Checks against the documents themselves, by source: neither an index nor a chunk has a say in them.

    What their metadata says is taken down before anything is cut: a plugin may write into it.
    """

    def __init__(self, documents: Mapping[str, MDocument]) -> None:
        self._documents = documents
        self._metadata = {source: deepcopy(document.metadata) for source, document in documents.items()}
        self._hints: dict[str, str] = {}

    def outside(self, asking: Asking, hits: Sequence[Hit]) -> Iterator[Problem]:
        """Chunks that may not be seen, whatever the index says."""
        for hit in hits:
            if not asking.allows(self._metadata[hit.passage.document.source]):
                who = f"the role {asking.role}" if asking.role else "the filter"
                yield Problem("outside", f"{hit.passage.id} was returned, but {who} does not allow it")

    def forbidden(self, question: Question, hits: Sequence[Hit], lowest: float) -> Iterator[Problem]:
        """Forbidden sources that were found."""
        for hit in hits:
            source = hit.passage.document.source
            if source in question.forbidden and hit.score > lowest:
                yield Problem("forbidden", f"{hit.passage.id} was found (score {hit.score:.3f}): {source} is forbidden")

    def leaks(self, asking: Asking, hits: Sequence[Hit]) -> Iterator[Problem]:
        """An answer that a role may see and should not: by its rules, whatever is ranked where."""
        question = asking.question
        if asking.wanted or not question.expects:
            return
        seen = [
            source
            for source in question.expected
            if source in self._documents and asking.role_allows(self._metadata[source])
        ]
        got = [hit.passage.id for hit in hits if hit.passage.document.source in question.expected]
        if seen or got:
            what = _listed(seen or list(question.expected))
            only = " and ".join(question.roles) or "others"
            found = f", and it got {_listed(got)}" if got else ""
            yield Problem("leak", f"the role {asking.role} may see {what}{found}; only {only} may")

    def unfit(self, question: Question, pool: Pool) -> Iterator[Problem]:
        """What does not fit the corpus: sources that are not there, spans outside their document."""
        left_out = {left.source: left.reason for left in pool.left_out}
        for source in dict.fromkeys((*question.sources, *question.spans)):
            if source in left_out:
                yield Problem("missing", f"{source} was left out: {left_out[source]}")
            elif source not in self._documents:
                yield Problem("missing", f"{source} is not in the corpus{self._hint(source)}")
        for source, spans in question.spans.items():
            if source in self._documents and spans[-1][1] > (size := len(self._documents[source].text)):
                start, end = spans[-1]
                yield Problem("span", f"the span {start}..{end} ends outside {source}, which has {size} characters")

    def idle(self, question: Question, pool: Pool) -> Iterator[Problem]:
        """Sources that are forbidden and exist nowhere: a check that cannot fail.

        A file that was left out exists: that it is not in the corpus is what such a question may ask for. What is
        excluded need not exist: questions that were taken from documents may be asked of a part of them.
        """
        there = {left.source for left in pool.left_out}.union(self._documents)
        for source in question.forbidden:
            if source not in there:
                yield Problem("missing", f"{source}, forbidden, is not in the corpus{self._hint(source)}")

    def _hint(self, source: str) -> str:
        if source not in self._hints:
            if len(self._hints) >= _HINTS:
                return ""
            alike = sorted(self._documents, key=lambda name: abs(len(name) - len(source)))[:_COMPARED]
            close = get_close_matches(source[:200], alike, n=1)
            self._hints[source] = f"; did you mean {close[0]!r}?" if close else ""
        return self._hints[source]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(names))
