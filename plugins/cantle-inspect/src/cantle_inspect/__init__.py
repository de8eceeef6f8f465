"""Look at chunks before you pay for them: `cantle view`, `compare`, `preview`, `eval` and `cost`.

The same in Python:

```python
from cantle_inspect import read_corpus, preview

corpus = read_corpus("policies/", require=["dept", "classification"])
print(preview(corpus, "Quantos dias de ferias?", where={"dept": "hr"}).to_dict())
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from cantle.access import Access, Roles, read_roles

    from .asking.audit import audit_record, write_audit
    from .asking.preview import Preview, preview
    from .comparing.compare import compare
    from .comparing.comparison import Candidate, Compared, Comparison
    from .corpus.pool import Cutting, Passage, Pool
    from .corpus.reading import Corpus, LeftOut, read_corpus
    from .costs.changes import Change
    from .costs.cost import Cost, DocumentCost, cost
    from .golden.answers import Answer, Problem
    from .golden.evaluate import Evaluator, evaluate
    from .golden.evaluation import Evaluation
    from .golden.metrics import Interval, bootstrap
    from .golden.questions import Question, questions_of, read_golden
    from .golden.sweep import Sweep, SweepRow, sweep
    from .measures.explain import explained
    from .measures.sizes import Losses, Sizes, losses, measured
    from .rank import NamedRanker, Ranker, Scorer, named
    from .rank.hits import Hit, RankError, ordered, ranked
    from .report.page import view

_HOMES = {
    "Access": "cantle.access",
    "Answer": "golden.answers",
    "Candidate": "comparing.comparison",
    "Change": "costs.changes",
    "Compared": "comparing.comparison",
    "Comparison": "comparing.comparison",
    "Corpus": "corpus.reading",
    "Cost": "costs.cost",
    "Cutting": "corpus.pool",
    "DocumentCost": "costs.cost",
    "Evaluation": "golden.evaluation",
    "Evaluator": "golden.evaluate",
    "Hit": "rank.hits",
    "Interval": "golden.metrics",
    "LeftOut": "corpus.reading",
    "Losses": "measures.sizes",
    "NamedRanker": "rank",
    "Passage": "corpus.pool",
    "Pool": "corpus.pool",
    "Preview": "asking.preview",
    "Problem": "golden.answers",
    "Question": "golden.questions",
    "RankError": "rank.hits",
    "Ranker": "rank",
    "Roles": "cantle.access",
    "Scorer": "rank",
    "Sizes": "measures.sizes",
    "Sweep": "golden.sweep",
    "SweepRow": "golden.sweep",
    "audit_record": "asking.audit",
    "bootstrap": "golden.metrics",
    "cost": "costs.cost",
    "compare": "comparing.compare",
    "evaluate": "golden.evaluate",
    "explained": "measures.explain",
    "losses": "measures.sizes",
    "measured": "measures.sizes",
    "named": "rank",
    "ordered": "rank.hits",
    "preview": "asking.preview",
    "questions_of": "golden.questions",
    "ranked": "rank.hits",
    "read_corpus": "corpus.reading",
    "read_golden": "golden.questions",
    "read_roles": "cantle.access",
    "sweep": "golden.sweep",
    "view": "report.page",
    "write_audit": "asking.audit",
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
        home = _HOMES[name]
        value = getattr(import_module(home if home.startswith("cantle.") else f".{home}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@hookimpl
def register_commands() -> dict[str, str]:
    """Our commands."""
    names = ("compare", "preview", "view", "eval", "cost")
    return {name: f"{__name__}.commands.{name}:command" for name in names}
