"""The options of partition, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields

from cantle.errors import OptionError

__all__ = ["ENGINES", "MODEL_ONLY", "MOST_OVERLAP", "Options"]

ENGINES = ("model", "lexical")
MOST_OVERLAP = 30

MODEL_ONLY = (
    "max_chars_per_chunk",
    "max_lines_per_session",
    "overlap_lines",
    "fallback_max_chars_per_block",
    "min_coverage",
)
"""Options that have an effect where a model is asked."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a document is divided; the defaults that all doors share. Raises `OptionError` for a wrong value."""

    max_chars_per_chunk: int = 80_000
    max_lines_per_session: int = 400
    overlap_lines: int | None = None
    """None: 30, or a tenth of `max_lines_per_session` where that is less."""
    fallback_max_chars_per_block: int = 3_000
    min_coverage: float = 0.90
    max_words_per_line: int = 50
    uncovered: str = "report"
    language: str | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        _whole("max_chars_per_chunk", self.max_chars_per_chunk, 1)
        _whole("max_lines_per_session", self.max_lines_per_session, 1)
        if self.overlap_lines is not None:
            _whole("overlap_lines", self.overlap_lines, 0)
        _whole("fallback_max_chars_per_block", self.fallback_max_chars_per_block, 1)
        _whole("max_words_per_line", self.max_words_per_line, 1)
        share = self.min_coverage
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise OptionError(f"min_coverage must be a number from 0 to 1, got {share!r}.")
        if self.overlap >= self.max_lines_per_session:
            raise OptionError(
                f"overlap_lines must be smaller than max_lines_per_session ({self.max_lines_per_session}), "
                f"got {self.overlap}. Lower overlap_lines; 0 turns it off."
            )
        if self.uncovered not in ("report", "nearest"):
            raise OptionError(f"uncovered must be 'report' or 'nearest', got {self.uncovered!r}.")
        from cantle.words import LANGUAGES

        if self.language is not None and self.language not in LANGUAGES:
            known = ", ".join(map(repr, LANGUAGES))
            raise OptionError(f"language must be one of {known}, or None to find it out, got {self.language!r}.")

    @property
    def overlap(self) -> int:
        """How many lines two sessions next to each other share."""
        if self.overlap_lines is None:
            return min(MOST_OVERLAP, self.max_lines_per_session // 10)
        return self.overlap_lines

    def without_effect(self) -> list[str]:
        """Options that were given and have no effect without a model."""
        return [f.name for f in fields(self) if f.name in MODEL_ONLY and getattr(self, f.name) != f.default]


def _whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError(f"{name} must be a whole number of at least {least}, got {value!r}.")
