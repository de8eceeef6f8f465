"""Where a block stands: its headings as titles and as the header of a chunk, and the room that leaves."""

from __future__ import annotations

from .grammar import Path
from .settings import Settings

__all__ = ["Place", "Places"]

JOINT = 2
"""What the blank line between two texts counts, in either unit."""
_SHARE = 0.4


class Place:
    """What all blocks under the same headings share.

    `titles` are the headings without `#`, `crumb` the same as one line. A block of at most `budget` is kept whole; a
    part with a made frame may take up to `limit`, which is what the chunk's header leaves.
    """

    __slots__ = ("budget", "crumb", "level", "limit", "path", "titles")

    def __init__(self, path: Path, budget: int, limit: int) -> None:
        self.path, self.budget, self.limit = path, budget, limit
        self.titles = [_title(entry) for entry in path]
        crumb = ""
        for title in self.titles:
            crumb += f" > {title}" if crumb else title
        self.crumb = crumb
        self.level = len(path[-1]) - len(path[-1].lstrip("#")) if path else 0


def _title(entry: str) -> str:
    return entry.lstrip("#").strip()


class Places:
    """The places of a document, each made once."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self.size = settings, settings.size
        self._known: dict[Path, Place] = {}
        self._headers: dict[tuple[Path, bool], str] = {}

    def __getitem__(self, path: Path) -> Place:
        found = self._known.get(path)
        if found is None:
            settings = self._settings
            header = self.header(path, False)
            cost = self.of(header) + JOINT if header else 0
            least, size = settings.size // 4, settings.size
            free = size if settings.embed == "content" else size - cost
            budget = max(least, size - cost - settings.repeat)
            found = self._known[path] = Place(path, budget, max(least, free))
        return found

    def of(self, text: str) -> int:
        """The size of a text."""
        return int(self._settings.length(text))

    def header(self, path: Path, without_last: bool) -> str:
        """What a chunk under these headings begins with: one heading a line, outermost first, at most 0.4 of the size.

        The outermost are left out until that holds; a single one may be longer, if anything fits beside it.
        """
        if not path or not self._settings.prepend_heading:
            return ""
        found = self._headers.get((path, without_last))
        if found is None:
            found = self._headers[path, without_last] = self._made(path, without_last)
        return found

    def _made(self, path: Path, without_last: bool) -> str:
        settings = self._settings
        lines = list(path if settings.heading_path else path[-1:])
        if without_last:
            lines.pop()
        most = int(_SHARE * settings.size)
        while len(lines) > 1 and self.of("\n".join(lines)) > most:
            del lines[0]
        header = "\n".join(lines)
        if settings.embed != "content" and header and self.of(header) + JOINT >= settings.size:
            return ""
        return header
