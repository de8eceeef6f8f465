"""Why a question did not find its answer, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from .answers import Answer
from .askings import Asking
from .index import Index
from .questions import Question

if TYPE_CHECKING:
    from cantle import MDocument

__all__ = ["expectation", "unfound"]


def unfound(
    answer: Answer,
    asking: Asking,
    index: Index,
    documents: Mapping[str, MDocument],
    fold: Callable[[str], str],
    lowest: float,
) -> str:
    """Why no right chunk is among the hits. `documents` are all of them, by source; `fold` folds a text."""
    question = answer.question
    if answer.rank is not None and answer.right is not None:
        return f"the right chunk is at rank {answer.rank}: {answer.right.passage.id}, score {answer.right.score:.3f}"
    sources = question.expected
    seen = [source for source in sources if source in index.by_source] if sources else list(index.by_source)
    if not seen:
        return _unseen(asking, documents)
    if all(source in question.exclude for source in seen):
        return f"{_either(seen)} is excluded"
    numbers = [int(i) for source in seen for i in index.by_source[source]]
    text = fold(question.text)
    if text and not any(index.holds(i, text) for i in numbers):
        whole = [source for source in seen if text in fold(documents[source].text)]
        if whole:
            return f"the expected text is in {whole[0]}, but no single chunk holds it: it is cut apart"
        return f"the expected text is not in {_either(sources) or 'any document'}"
    if question.spans and not any(index.touches(i, question.spans) for i in numbers):
        return f"no chunk shows the expected stretch of {_either(seen)}"
    what = f"no right chunk of {_either(sources) or 'any document'}"
    return f"{what} scores above 0" if lowest == 0 else f"{what} has a place in the ranking"


def _unseen(asking: Asking, documents: Mapping[str, MDocument]) -> str:
    """No chunk of what is expected can be seen: who hides it, or that there are none."""
    sources = asking.question.expected
    there = [documents[source] for source in (sources or documents) if source in documents]
    hidden = [document for document in there if not asking.allows(document.metadata)]
    what = _either(sources) or "every document"
    if not hidden:
        return f"{what} has no chunk with a text"
    return f"{what} may not be seen: hidden by {' or '.join(dict.fromkeys(asking.hiding(d.metadata) for d in hidden))}"


def expectation(question: Question) -> str:
    """What a question expects, in short."""
    if not question.expects:
        return f"not {_either(question.forbidden)}"
    return _either(question.expected) or repr(question.text[:40])


def _either(sources: Sequence[str]) -> str:
    return " or ".join(sources[:3]) + (f" or {len(sources) - 3} others" if len(sources) > 3 else "")
