"""What is said of a run at its end."""

from __future__ import annotations

from .tables import counted

__all__ = ["failure_line", "totals"]


def totals(documents: int, chunks: int, size: int, seconds: float) -> str:
    """The line about a result for a person at a terminal; `size` in bytes."""
    megabytes = size / 1e6
    rate = f", {megabytes:.1f} MB, {megabytes / max(seconds, 1e-3):.1f} MB/s" if megabytes >= 0.1 else ""
    return f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}{rate}"


def failure_line(name: str, error: Exception) -> str:
    """The error on one line, the file's name in front where the message does not begin with it."""
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror
    else:
        text = str(error) or type(error).__name__
        if type(error).__module__ == "builtins":  # its text alone may be a single word
            text = f"{type(error).__name__}: {text}"
    text = " ".join(text.split())
    name = "standard input" if name in ("", "-") else name
    return text if text.startswith(name) else f"{name}: {text}"
