"""Work that takes the processor's time, in processes of its own: off the event loop, and able to be ended."""

from __future__ import annotations

from .workers import Workers

__all__ = ["Workers"]
