"""A file of answers: what was paid for once is not paid for again, and a run can be replayed without a model."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from cantle.errors import OptionError

from ..model.protocol import Request

__all__ = ["Answers", "Recorded", "key_of"]

_VERSION = 1


def key_of(request: Request) -> str:
    """SHA-256 over what the answer depends on: model, temperature, messages, schema. 64 hexadecimal digits."""
    asked = [
        _VERSION,
        request.model,
        request.temperature,
        [[message["role"], message["content"]] for message in request.messages],
        request.schema,
    ]
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class Recorded(NamedTuple):
    """An answer, or, with a `reason`, why there was none."""

    answer: str
    reason: str = ""
    detail: str = ""


class Answers:
    """Answers by key, in a JSON Lines file: `{"key": ..., "answer": ...}`.

    Each is appended at once as a whole line, whatever other threads or processes append. A failure is written as
    `{"key": ..., "failed": reason}`; it is asked for again, but replayed as it was. A line that is no entry, such as
    one half-written, is passed over. Raises `OptionError` when the file cannot be read or written, or is another one.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = os.path.abspath(path)
        self._lock = Lock()
        self._found: dict[str, Recorded] = {}
        try:
            held = Path(self.path).read_bytes() if os.path.exists(self.path) else b""
            if read_only and not os.path.exists(self.path):
                raise FileNotFoundError(f"there is no file {self.path!r} to replay")
            if not read_only:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                open(self.path, "ab").close()
        except OSError as error:
            raise OptionError(f"answers must be the path of a file of answers, got {str(path)!r}: {error}.") from error
        self._check(held)
        for line in held.split(b"\n"):
            self._read(line)
        self._torn = bool(held) and not held.endswith(b"\n")

    def _check(self, held: bytes) -> None:
        first = held.split(b"\n", 1)[0]
        if held and not (first.startswith(b'{"key": "') or b'{"key": "'.startswith(first)):
            raise OptionError(
                f"answers must be a file that an earlier run wrote, or a new one, got {self.path!r}, which begins with "
                f"{held[:20]!r}. Nothing was written to it."
            )

    def _read(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return
        key = entry.get("key") if isinstance(entry, dict) else None
        if not isinstance(key, str):
            return
        answer, failed = entry.get("answer"), entry.get("failed")
        if isinstance(answer, str):
            self._found[key] = Recorded(answer)
        elif isinstance(failed, str) and not (key in self._found and not self._found[key].reason):
            self._found[key] = Recorded("", failed, str(entry.get("detail") or ""))

    def get(self, key: str) -> Recorded | None:
        """What is kept under this key."""
        with self._lock:
            return self._found.get(key)

    def add(self, key: str, answer: str) -> None:
        """Keep an answer. Raises `OSError` when it cannot be written."""
        self._write({"key": key, "answer": answer})

    def fail(self, key: str, reason: str, detail: str) -> None:
        """Keep that there was no usable answer."""
        self._write({"key": key, "failed": reason, "detail": detail})

    def _write(self, entry: dict[str, Any]) -> None:
        line = (json.dumps(entry, ensure_ascii=True) + "\n").encode()
        with self._lock:
            self._read(line)
            if self._torn:
                line = b"\n" + line
            with open(self.path, "ab", buffering=0) as file:
                written = file.write(line)
            self._torn = written != len(line)
            if self._torn:
                raise OSError(f"only {written} of {len(line)} bytes could be written to {self.path!r}")
