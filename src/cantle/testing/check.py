"""`check_strategy`: a strategy against the whole contract."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ..document import MDocument
from ..errors import ContractError, MissingDependencyError, OptionError
from ..plugins import Registry, registry
from ..source import Source
from . import hostile
from .case import TITLES, Case, fail, shown
from .linear import linear
from .points import POINTS
from .repeat import same_everywhere, same_in_processes, unchanged
from .run import Refused, document_of, run
from .shrink import smallest
from .streamed import same_on_stream

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["check_document", "check_strategy"]

_SIZES: tuple[dict[str, Any], ...] = (
    {"max_size": 40},
    {"max_size": 40, "overlap": 15},
    {"max_size": 7, "overlap": 3, "strip_whitespace": False},
    {"max_size": 1, "overlap": 0},
)
"""What a strategy with sizes is also tried with, where the caller gives none."""

_REQUIRED = 4000
"""The size of the variant "as given", where the strategy requires one."""

_WITH_OVERLAP = 2
"""Where the second of them is among the variants, after the strategy as given."""

_SHRINKABLE, _MANY_CHUNKS = 20_000, 200_000


def check_strategy(
    strategy: Any,
    documents: Iterable[str | Source] | None = None,
    *,
    property: bool = True,
    texts: SearchStrategy[str] | None = None,
    examples: int = 50,
    points: Collection[int] = tuple(TITLES),
    seconds: float = 60.0,
    plugins: Registry | None = None,
    **options: Any,
) -> None:
    """Check a strategy against the contract; return when it holds, raise `ContractError` when not.

    ```python
    from cantle.testing import check_strategy

    def test_contract():
        check_strategy(MyStrategy)
    ```

    `strategy` is a name (looked up in `plugins`, the installed ones by default), a class or an
    instance; `options` are the strategy's. A class or name without `max_size` and `overlap` is
    checked with small sizes too. `documents` (texts or documents) replace the built-in set; with
    `property` (it needs the extra `testing`), `examples` texts made by Hypothesis come on top, of
    the given `texts` or of `cantle.testing.texts()`. `points` limits what is checked, `seconds` is
    how long a single document may take. A document may be refused with a `CantleError`, but not
    every one. Nothing here depends on the clock but that time limit, or on chance.
    """
    points = _known(points)
    variants = list(_variants(strategy, options, plugins))
    chosen = variants[0]
    if documents is None:
        short, large = list(hostile.documents()), list(hostile.large())
    else:
        short, large = [document_of(value, f"document {i}") for i, value in enumerate(documents)], []
    refusals: list[str] = []
    for variant in variants:
        _check_documents(variant, short, points, seconds, refusals)
    _check_documents(chosen, large, points - {7, 8}, seconds, refusals)
    # Small chunks of a large text are many: what looks back over the text for each of them shows here.
    many = [document for document in large if len(document.text) <= _MANY_CHUNKS]
    for variant in variants[_WITH_OVERLAP : _WITH_OVERLAP + 1]:
        _check_documents(variant, many, points - {7, 8}, seconds, [])
    if refusals and len(refusals) == len(variants) * len(short) + len(large):
        fail(9, f"all of the {len(refusals)} documents were refused, so nothing was checked; the first: {refusals[0]}")
    if 7 in points:
        for variant in variants[:2]:
            same_in_processes(variant, short)
    if 8 in points and documents is None:
        linear(chosen, hostile.shapes(), seconds)
    if property:
        for variant in variants:
            _check_property(variant, texts, -(-examples // len(variants)), points, seconds)


def check_document(
    strategy: Any,
    document: str | Source,
    *,
    points: Collection[int] = tuple(TITLES),
    seconds: float = 60.0,
    plugins: Registry | None = None,
    **options: Any,
) -> None:
    """Check the chunks of one document: points 1 to 7 and 9. Raises `ContractError`.

    A refusal with a `CantleError` is accepted.
    """
    chosen = (plugins or registry()).make(strategy, options)
    try:
        _check_one(chosen, document_of(document), _known(points), seconds)
    except Refused:
        return


def _known(points: Collection[int]) -> set[int]:
    unknown = [p for p in points if p not in TITLES]
    if unknown:
        raise OptionError(f"points must be among {', '.join(map(str, TITLES))}, got {', '.join(map(str, unknown))}.")
    return set(points)


def _variants(strategy: Any, options: dict[str, Any], plugins: Registry | None) -> Iterator[Any]:
    """The strategy as given and, where its sizes are left open, with small ones."""
    host = plugins or registry()
    cls = host.strategy(strategy) if isinstance(strategy, str) else strategy
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init} if dataclasses.is_dataclass(cls) else {}
    asked = not isinstance(strategy, str | type) or {"max_size", "overlap"} & options.keys()
    if not asked and "max_size" in fields and fields["max_size"].default is dataclasses.MISSING:
        yield host.make(strategy, {"max_size": _REQUIRED, **options})
    else:
        yield host.make(strategy, options)
    if asked:
        return
    unused = getattr(cls, "unused", ())
    if "max_size" in fields and "max_size" not in unused:
        for sizes in _SIZES:
            known = {name: value for name, value in sizes.items() if name in fields and name not in unused}
            yield host.make(cls, {**known, **options})


def _check_documents(
    strategy: Any, documents: Iterable[MDocument], points: set[int], seconds: float, refusals: list[str]
) -> None:
    for document in documents:
        try:
            _check_one(strategy, document, points, seconds)
        except Refused as error:
            refusals.append(f"{document.source!r}: {error}")
        except ContractError as error:
            raise _reported(strategy, document, error, seconds) from error.__cause__


def _check_one(strategy: Any, document: MDocument, points: set[int], seconds: float) -> None:
    try:
        with unchanged(document) if 7 in points else nullcontext():
            chunks = run(strategy, document, seconds)
    except ContractError as error:
        if error.point == 7:
            raise
        if 9 in points:
            raise
        return
    case = Case(strategy, document, chunks)
    for point, check in POINTS.items():
        if point in points:
            check(case)
    if 7 in points:
        same_everywhere(strategy, document, chunks, seconds)
        same_on_stream(strategy, document, chunks, seconds)


def _reported(strategy: Any, document: MDocument, error: ContractError, seconds: float) -> ContractError:
    """The error with the document it is about and the smallest text found that breaks the same point."""
    name = f", document {document.source!r}" if document.source else ""
    found: dict[str, ContractError] = {document.text: error}

    def fails(text: str) -> bool:
        shorter = MDocument(text, document.kind, document.metadata, document.source)
        try:
            _check_one(strategy, shorter, {error.point}, seconds)
        except ContractError as again:
            found[text] = again
            return again.point == error.point
        except Refused:
            pass
        return False

    text = document.text
    # A time limit is not tried again and again.
    if len(text) <= _SHRINKABLE and "no answer within" not in error.detail:
        text = smallest(text, fails)
    detail = f"{found[text].detail}{name}, smallest failing input: {shown(text, 200)}"
    return ContractError(error.point, error.title, detail)


def _check_property(
    strategy: Any, texts: SearchStrategy[str] | None, examples: int, points: set[int], seconds: float
) -> None:
    try:
        import hypothesis
    except ImportError:
        raise MissingDependencyError("check_strategy(property=True)", "hypothesis", "cantle[testing]") from None
    from .generators import texts as any_texts

    last: list[str] = []

    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        verbosity=hypothesis.Verbosity.quiet,
        # Reporting is ours; the explain phase would trace the strategy once more.
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    )
    @hypothesis.given(any_texts() if texts is None else texts)
    def holds(text: str) -> None:
        last[:] = [text]
        try:
            _check_one(strategy, MDocument(text), points, seconds)
        except Refused:
            return

    try:
        holds()
    except ContractError as error:
        detail = f"{error.detail}, smallest failing input: {shown(last[0], 200)}"
        raise ContractError(error.point, error.title, detail) from error.__cause__
    except hypothesis.errors.Flaky as error:
        fail(7, f"the same text fails once and passes once: {shown(last[0], 200)} ({error.__class__.__name__})")
