"""Where a block stands: its headings as titles and as the header of a chunk, and the room that leaves."""

from __future__ import annotations

from ...whitespace import BLANKS
from ..settings import Settings
from .grammar import Path
from .measures import Sizes

__all__ = ["Place", "Places"]

JOINT = 2
"""What the blank line between two texts counts, in either unit."""
_SHARE = 0.4


class Place:
    """What all blocks under the same headings share.

    `titles` are the headings without `#`, `crumb` the same as one line. A block of at most `budget` is kept whole; a
    part with a made frame may take up to `limit`, which is what the chunk's header leaves. `header` is what a chunk
    begins with that begins here, `above` what it does if that is the heading itself.
    """

    __slots__ = ("above", "budget", "crumb", "header", "level", "limit", "titles")

    def __init__(self, path: Path, header: str, above: str, budget: int, limit: int) -> None:
        self.header, self.above, self.budget, self.limit = header, above, budget, limit
        self.titles = [_title(entry) for entry in path]
        crumb = ""
        for title in self.titles:
            crumb += f" > {title}" if crumb else title
        self.crumb = crumb
        self.level = len(path[-1]) - len(path[-1].lstrip("#")) if path else 0


def _title(entry: str) -> str:
    return entry.lstrip("#").strip(BLANKS)


class Places:
    """The places of a document, each made once."""

    def __init__(self, settings: Settings, sizes: Sizes) -> None:
        self._settings, self.size, self.of = settings, settings.size, sizes.of
        self._known: dict[Path, Place] = {}

    def __getitem__(self, path: Path) -> Place:
        found = self._known.get(path)
        if found is None:
            settings = self._settings
            header, above = self._header(path, False), self._header(path, True)
            cost = self.of(header) + JOINT if header else 0
            least, size = settings.size // 4, settings.size
            free = size if settings.embed == "content" else size - cost
            budget = max(least, size - cost - settings.repeat)
            found = self._known[path] = Place(path, header, above, budget, max(least, free))
        return found

    def _header(self, path: Path, without_last: bool) -> str:
        """Headings, one a line, outermost first, of at most 0.4 of the size.

        The outermost are left out until that holds; a single one may be longer, if anything fits beside it.
        """
        settings = self._settings
        lines = list(path if settings.heading_path else path[-1:])
        if without_last and lines:
            lines.pop()
        if not lines or not settings.prepend_heading:
            return ""
        most = int(_SHARE * settings.size)
        header = "\n".join(lines)
        while len(lines) > 1 and self.of(header) > most:
            del lines[0]
            header = "\n".join(lines)
        if settings.embed != "content" and self.of(header) + JOINT >= settings.size:
            return ""
        return header
