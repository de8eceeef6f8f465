"""Look at chunks before you pay for them: `cantle view`, `compare`, `preview`, `eval` and `cost`.

The same in Python:

```python
from cantle_inspect import read_corpus, preview

corpus = read_corpus("policies/", require=["dept", "classification"])
print(preview(corpus, "Quantos dias de ferias?", where={"dept": "hr"}).to_dict())
```
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from .access import Access, read_roles
    from .answers import Answer, Problem
    from .audit import audit_record, write_audit
    from .changes import Change
    from .comparison import Candidate, Compared, Comparison, compare
    from .corpus import Corpus, LeftOut, read_corpus
    from .cost import Cost, DocumentCost, cost
    from .evaluate import Evaluator, evaluate
    from .evaluation import Evaluation
    from .explain import explained
    from .golden import Question, questions_of, read_golden
    from .metrics import Interval, bootstrap
    from .pool import Cutting, Passage, Pool
    from .preview import Hit, Preview, RankError, ordered, preview, ranked
    from .rank import NamedRanker, Ranker, Scorer, named
    from .report.page import view
    from .roles import Roles
    from .sizes import Losses, Sizes, losses, measured
    from .sweep import Sweep, SweepRow, sweep

_HOMES = {
    "Access": "access",
    "Answer": "answers",
    "Candidate": "comparison",
    "Change": "changes",
    "Compared": "comparison",
    "Comparison": "comparison",
    "Corpus": "corpus",
    "Cost": "cost",
    "Cutting": "pool",
    "DocumentCost": "cost",
    "Evaluation": "evaluation",
    "Evaluator": "evaluate",
    "Hit": "preview",
    "Interval": "metrics",
    "LeftOut": "corpus",
    "Losses": "sizes",
    "NamedRanker": "rank",
    "Passage": "pool",
    "Pool": "pool",
    "Preview": "preview",
    "Problem": "answers",
    "Question": "golden",
    "RankError": "preview",
    "Ranker": "rank",
    "Roles": "roles",
    "Scorer": "rank",
    "Sizes": "sizes",
    "Sweep": "sweep",
    "SweepRow": "sweep",
    "audit_record": "audit",
    "bootstrap": "metrics",
    "cost": "cost",
    "compare": "comparison",
    "evaluate": "evaluate",
    "explained": "explain",
    "losses": "sizes",
    "measured": "sizes",
    "named": "rank",
    "ordered": "preview",
    "preview": "preview",
    "questions_of": "golden",
    "ranked": "preview",
    "read_corpus": "corpus",
    "read_golden": "golden",
    "read_roles": "access",
    "sweep": "sweep",
    "view": "report.page",
    "write_audit": "audit",
}

__all__ = [
    "Access",
    "Answer",
    "Candidate",
    "Change",
    "Compared",
    "Comparison",
    "Corpus",
    "Cost",
    "Cutting",
    "DocumentCost",
    "Evaluation",
    "Evaluator",
    "Hit",
    "Interval",
    "LeftOut",
    "Losses",
    "NamedRanker",
    "Passage",
    "Pool",
    "Preview",
    "Problem",
    "Question",
    "RankError",
    "Ranker",
    "Roles",
    "Scorer",
    "Sizes",
    "Sweep",
    "SweepRow",
    "audit_record",
    "bootstrap",
    "cost",
    "compare",
    "evaluate",
    "explained",
    "losses",
    "measured",
    "named",
    "ordered",
    "preview",
    "questions_of",
    "ranked",
    "read_corpus",
    "read_golden",
    "read_roles",
    "sweep",
    "view",
    "write_audit",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a plugin that is not used costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Package(ModuleType):
    """Some functions are named as their modules are. The function is what the package offers."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):  # the import of a submodule sets it
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


@hookimpl
def register_commands() -> dict[str, str]:
    """Our commands."""
    names = ("compare", "preview", "view", "eval", "cost")
    return {name: f"{__name__}.commands.{name}:command" for name in names}
