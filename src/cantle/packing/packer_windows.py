"""The engine on a window of a region of which the rest is not there."""

from __future__ import annotations

from ..chunk import Cut
from ..lengths import Measure
from ..lengths.windowed import Unsettled
from .engine import Packer
from .levels import Level, Pieces
from .plain import GUESSED
from .prose import SentencesFrom
from .watched import Watched

__all__ = ["WindowPacker"]


class WindowPacker(Packer):
    """Cuts a region, without overlap, up to where a chunk could reach behind `known`: there it raises `Unsettled`.

    `place` is where a chunk begins from which the region can be cut anew, and `count` is how many chunks there are
    before: `pack_region(place, end)` gives what else there would be. For that to be so, the region that is filled from
    there has to end behind the chunk, which does not begin with white space. Then the first piece of each stronger
    level begins there too and is too long, and what was begun before goes on. `region` is where the sentences around
    the place were looked for.
    """

    def __init__(
        self, text: str, measure: Measure, levels: list[Level], *, limit: float, explain: bool, known: int
    ) -> None:
        self.watched = Watched(measure, self.reach)
        super().__init__(text, self.watched, levels, limit=limit, explain=explain)
        self.known = known
        self.place, self.count, self.region = -1, 0, (0, 0, False)
        self._sentences = next(level for level in levels if isinstance(level, SentencesFrom))
        self._slack = 0 if measure.exact else GUESSED
        self._end = 0

    def _fill(self, start: int, end: int, depth: int, pieces: Pieces, cut: Cut) -> tuple[int, int, int] | None:
        self._end = end
        return super()._fill(start, end, depth, pieces, cut)

    def reach(self, start: int, most: int) -> None:
        """Take note of how far a chunk that begins at `start` can reach."""
        if most >= self.known:
            raise Unsettled
        if most < self._end - self._slack and not (self.text[start].isspace() or self.text[start] == "\ufeff"):
            self.place, self.count, self.region = start, len(self.spans.starts), self._sentences.region
