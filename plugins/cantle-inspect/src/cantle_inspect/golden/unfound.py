"""Why a question did not find its answer, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .answers import Answer
from .index import Index
from .questions import Question, folded

__all__ = ["expectation", "unfound"]


def unfound(answer: Answer, index: Index, texts: Mapping[str, str]) -> str:
    """Why no right chunk is among the hits. `texts` are those of all documents, by source."""
    question = answer.question
    if answer.rank is not None and answer.right is not None:
        return f"the right chunk is at rank {answer.rank}: {answer.right.passage.id}, score {answer.right.score:.3f}"
    sources = question.expected
    seen = [source for source in sources if source in index.by_source] if sources else list(index.by_source)
    if not seen:
        who = f"the role {answer.role}" if answer.role else "the filter"
        return f"{_either(sources) or 'every document'} may not be seen: {who} hides it"
    if all(source in question.exclude for source in seen):
        return f"{_either(seen)} is excluded"
    numbers = [int(i) for source in seen for i in index.by_source[source]]
    text = folded(question.text)
    if text and not any(index.holds(i, text) for i in numbers):
        whole = [source for source in seen if text in folded(texts[source])]
        if whole:
            return f"the expected text is in {whole[0]}, but no single chunk holds it: it is cut apart"
        return f"the expected text is not in {_either(sources) or 'any document'}"
    if question.spans and not any(index.touches(i, question.spans) for i in numbers):
        return f"no chunk shows the expected stretch of {_either(seen)}"
    return f"no right chunk of {_either(sources) or 'any document'} scores above 0"


def expectation(question: Question) -> str:
    """What a question expects, in short."""
    if not question.expects:
        return f"not {_either(question.forbidden)}"
    return _either(question.expected) or repr(question.text[:40])


def _either(sources: Sequence[str]) -> str:
    return " or ".join(sources[:3]) + (f" or {len(sources) - 3} others" if len(sources) > 3 else "")
