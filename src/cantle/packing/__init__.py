"""The shared engine: places where a text may be cut, a measure, a limit and an overlap give spans.

It knows sizes and no formats. `levels` and `borders` say where a text may be cut and how strongly,
`engine` fills chunks up to the limit.
"""

from __future__ import annotations

from .borders import Borders, Breaks, Gaps, MixedBorders, MixedGaps, Outside
from .engine import Packer
from .framed import Frame, Part, framed
from .held import encloses, held
from .levels import Clusters, Level, Literal, Pattern, Pieces, level
from .prose import Sentences, SentencesFrom
from .rows import rows_with_lead
from .spans import Spans

__all__ = [
    "Borders",
    "Breaks",
    "Clusters",
    "Frame",
    "Gaps",
    "Level",
    "Literal",
    "MixedBorders",
    "MixedGaps",
    "Outside",
    "Packer",
    "Part",
    "Pattern",
    "Pieces",
    "Sentences",
    "SentencesFrom",
    "Spans",
    "encloses",
    "framed",
    "held",
    "level",
    "rows_with_lead",
]
