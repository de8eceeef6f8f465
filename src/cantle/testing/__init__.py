"""The contract kit: check a chunking strategy against what every strategy promises.

```python
from cantle.testing import check_strategy

def test_contract():
    check_strategy(MyStrategy)                        # or a name, or an instance
    check_strategy("json", texts=json_documents())    # with texts of one format
```

A breach raises `cantle.errors.ContractError`, whose `point` is 1 exact, 2 nothing lost, 3 limit,
4 clusters, 5 overlap, 6 order, 7 same input same output, 8 linear, 9 any str. The module
`cantle.testing.points` says what a strategy can declare about itself.
"""

from __future__ import annotations

from ..errors import ContractError
from .check import check_document, check_strategy
from .generators import html_documents, json_documents, latex_documents, markdown_documents, texts, words
from .hostile import documents as hostile_documents
from .hostile import large as large_documents

__all__ = [
    "ContractError",
    "check_document",
    "check_strategy",
    "hostile_documents",
    "html_documents",
    "json_documents",
    "large_documents",
    "latex_documents",
    "markdown_documents",
    "texts",
    "words",
]
