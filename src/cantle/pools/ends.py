"""Our ends of the connections to workers: no other process may hold them, or it would keep workers alive."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["keep"]


class _End(Protocol):
    def close(self) -> None: ...


_ends: WeakSet[_End] = WeakSet()


def keep(end: _End) -> None:
    """Have processes that are forked from this one close an end: the workers, and the caller's own."""
    _ends.add(end)


def _let_go() -> None:
    for end in list(_ends):
        end.close()
    _ends.clear()


if hasattr(os, "register_at_fork"):  # Windows forks nothing
    os.register_at_fork(after_in_child=_let_go)
