"""`compare`: cut a document by several strategies and count."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cantle import MDocument, registry
from cantle.errors import CantleError, OptionError, UnknownLengthError

from ..corpus.pool import Cutting
from ..measures.cuts import Whole
from ..measures.explain import explained
from ..measures.settings import changed, fields, strategy_name
from ..measures.sizes import losses, measured, repeated
from .comparison import Candidate, Compared, Comparison, Named

__all__ = ["candidates", "compare"]

_DEFAULT = {
    "markdown": ("markdown", "structural-context", "recursive", "sentence"),
    "html": ("html", "structural-context"),
    "json": ("json", "recursive"),
    "latex": ("latex", "structural-context", "recursive"),
    "pdf": ("structural-context", "recursive", "sentence"),
}


def candidates(document: MDocument, options: Mapping[str, Any] | None = None) -> list[Candidate]:
    """The strategies that are compared when none are named: those made for the document's kind, and general ones.

    `sentence` gets `language="any"`, so that it is judged fairly on text in any language, unless the common `options`
    name a language or what else decides where sentences end.
    """
    names = _DEFAULT.get(document.kind, ("recursive", "sentence", "structural-context"))
    fair = not {"language", "segmenter", "sentence_enders"} & (options or {}).keys()
    return [Candidate(name, {"language": "any"} if name == "sentence" and fair else {}) for name in names]


def compare(
    document: MDocument,
    strategies: str | Sequence[Named | tuple[Named, Mapping[str, Any]] | Candidate] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Cut a document by several strategies and count.

    A strategy is a name, a class, an instance, or a pair of one and its own options; None takes those that suit the
    document's kind (`candidates`). `options` are common: each strategy gets those of them that it takes and has no own
    value for. Where no `max_size` is given it is 480, and the overlap a sixth of it, as in `preview` and `evaluate`; an
    instance is taken as it is, common options apart.

    A strategy that fails is a row with an `error`, and so is one with a wrong value for an option of its own. Raises
    `OptionError` for an option that a strategy named with it, or of the common ones no strategy, takes; `OptionError`
    and `UnknownLengthError` for a value of a common option that none of them takes; `UnknownStrategyError`.
    """
    if not isinstance(document, MDocument):
        raise OptionError(
            f"The document must be an MDocument, got {type(document).__name__}. Make one: MDocument.from_file(path)."
        )
    common = dict(options or {})
    named = [strategies] if isinstance(strategies, str) else strategies
    asked = candidates(document, common) if named is None else [_candidate(item) for item in named]
    if not asked:
        raise OptionError(
            "compare needs a strategy at least, got an empty list. Give names, or None for the usual ones."
        )
    classes = [_known(candidate) for candidate in asked]
    _refuse_unused(common, classes)
    taken = [{name: value for name, value in common.items() if name in known} for known in classes]
    _refuse_wrong(document, list(zip(asked, taken, strict=True)))
    whole = Whole(document)
    rows = [
        _row(document, candidate, {**shared, **candidate.options}, whole)
        for candidate, shared in zip(asked, taken, strict=True)
    ]
    return Comparison(document, tuple(rows), whole.counts)


def _candidate(item: Named | tuple[Named, Mapping[str, Any]] | Candidate) -> Candidate:
    if isinstance(item, Candidate):
        return item
    if isinstance(item, tuple):
        if len(item) != 2:
            raise OptionError(f"A strategy with options is a pair (name, {{option: value}}), got {item!r}.")
        return Candidate(item[0], dict(item[1]))
    return Candidate(item, {})


def _known(candidate: Candidate) -> frozenset[str]:
    """The options that a strategy takes. Raises for options of its own that it does not have."""
    chosen = candidate.strategy
    if isinstance(chosen, str):
        chosen = registry().strategy(chosen)
    known = fields(chosen)
    if set(candidate.options) - known - set(getattr(chosen, "unused", ())):
        registry().make(chosen, candidate.options)  # says what it takes
    return known


def _refuse_unused(common: Iterable[str], classes: Iterable[frozenset[str]]) -> None:
    known = frozenset[str]().union(*classes)
    unused = [name for name in common if name not in known]
    if unused:
        from difflib import get_close_matches

        close = get_close_matches(unused[0], sorted(known), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise OptionError(
            f"None of the strategies takes {', '.join(map(repr, unused))}.{hint} They take: {', '.join(sorted(known))}."
        )


def _refuse_wrong(document: MDocument, asked: Sequence[tuple[Candidate, Mapping[str, Any]]]) -> None:
    """Raise when the common options are wrong for all that take them; what one strategy refuses is said in its row."""
    judged = [(one, shared, _wrong(document, one.strategy, shared)) for one, shared in asked if shared]
    if judged and all(error is not None for _, _, error in judged):
        for one, shared, error in judged:
            if error is not None and _wrong(document, one.strategy, {**shared, **one.options}) is not None:
                raise error


def _wrong(document: MDocument, strategy: Named, options: Mapping[str, Any]) -> CantleError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say of the options is said when it is cut
            registry().make(strategy, Cutting(strategy, options).options_for(document))
    except (OptionError, UnknownLengthError) as error:
        return error
    except Exception:  # of a plugin: its row says so
        return None
    return None


def _row(document: MDocument, candidate: Candidate, options: Mapping[str, Any], whole: Whole) -> Compared:
    chosen = candidate.strategy
    name = chosen if isinstance(chosen, str) else strategy_name(chosen)
    try:
        chunks = explained(document, chosen, Cutting(chosen, options).options_for(document))
        return Compared(
            name,
            changed(chunks.strategy),
            chunks,
            measured(chunks),
            repeated(chunks),
            losses(chunks),
            tuple(whole.torn(chunks)),
            whole.measured,
        )
    except Exception as error:  # a strategy of a plugin may raise anything
        return Compared(name, dict(options), error=said(error))


def said(error: Exception) -> str:
    """What a row says of an error."""
    return str(error) if isinstance(error, CantleError) else f"{type(error).__name__}: {error}"
