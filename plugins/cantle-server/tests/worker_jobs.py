"""What tests have worker processes do: they find it by the name of this module."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["Unloadable", "connect", "counting", "environment", "pouring", "printing", "start_program", "unloadable"]


def counting(most: int) -> Iterator[int]:
    """Numbers, one by one."""
    yield from range(most)


def pouring(most: int) -> Iterator[bytes]:
    """More than a pipe and a reader hold."""
    for _ in range(most):
        yield b"x" * (1 << 20)


def connect(port: int) -> None:
    """Reach for the network."""
    socket.create_connection(("127.0.0.1", port)).close()


def start_program() -> None:
    """Reach for another program."""
    subprocess.run(["true"], check=True)


def environment() -> list[str]:
    """The names of variables."""
    import os

    return sorted(os.environ)


def printing() -> str:
    """Write where answers go."""
    sys.stdout.write("hello " * 1000)
    sys.stdout.flush()
    return "done"


class Unloadable(Exception):
    """An exception that does not come back from a pickle."""

    def __init__(self, one: Any, two: Any) -> None:
        super().__init__(one)


def unloadable() -> None:
    """Raise it."""
    raise Unloadable(1, 2)
