"""What holds for every cleaned text."""

from __future__ import annotations

from cantle.cleaning import Cleaned

REASONS = {"comment", "data-uri", "zero-width", "running-line", "page-number", "hyphen"}


def check(source: str, cleaned: Cleaned) -> None:
    """What was copied is the same, and what was not is white space or has a reason."""
    offsets = cleaned.offsets
    assert (offsets.old_length, offsets.new_length) == (len(source), len(cleaned.text))
    gone = [True] * len(source)
    for new, old, length in offsets.copies:
        assert length > 0
        assert cleaned.text[new : new + length] == source[old : old + length]
        gone[old : old + length] = [False] * length
    last = 0
    for start, end, reason in cleaned.dropped:
        assert last <= start < end <= len(source)
        assert reason in REASONS
        assert all(gone[start:end])
        gone[start:end] = [False] * (end - start)
        last = end
    assert all(c.isspace() or c == "\ufeff" for c, out in zip(source, gone, strict=True) if out)
    assert list(cleaned.pages) == sorted(cleaned.pages)
    assert all(0 <= page <= len(cleaned.text) for page in cleaned.pages)


def dropped(source: str, cleaned: Cleaned) -> list[tuple[str, str]]:
    """What was dropped, and why."""
    return [(source[start:end], reason) for start, end, reason in cleaned.dropped]
