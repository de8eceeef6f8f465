"""A file that keeps notes as they come, so that a run that was cut short pays for nothing twice."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Lock

from ...errors import OptionError
from ...written import to_json

__all__ = ["SavedNotes"]

_OPENING = b'{"key": "'
"""What each line of ours begins with."""


class SavedNotes:
    """Notes by key, in a JSON Lines file: `{"key": ..., "note": ..., "chunk": ...}`.

    It is opened for each note, which is written at once as a whole line, at the end of the file, whatever other
    threads or processes append. A line that is no entry, such as one half-written, is passed over. Raises `OptionError`
    when the file cannot be opened or was not begun by us.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            held = Path(path).read_bytes() if os.path.isfile(path) else b""
            self._check(path, held)
            open(path, "ab").close()  # it can be written to
        except OSError as error:
            raise OptionError(f"resume must be the path of a file to write notes to, got {path!r}: {error}.") from error
        self._path = os.path.abspath(path)
        self._notes: dict[str, str] = {}
        for line in held.split(b"\n"):
            self._read(line)
        self._torn = bool(held) and not held.endswith(b"\n")
        self._lock = Lock()

    @staticmethod
    def _check(path: str | os.PathLike[str], held: bytes) -> None:
        lines = held.removesuffix(b"\n").split(b"\n")
        begun = next((line for line in lines if not (line and _OPENING.startswith(line))), None)  # not torn so early
        if held and begun is not None and not begun.startswith(_OPENING):
            raise OptionError(
                f"resume must be a file that an earlier run wrote, or a new one, got {path!r}, which begins with "
                f"{held[:20]!r}. Nothing was written to it."
            )

    def _read(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return
        key, note = (entry.get("key"), entry.get("note")) if isinstance(entry, dict) else (None, None)
        if isinstance(key, str) and isinstance(note, str) and note:
            self._notes.setdefault(key, note)

    def get(self, key: str) -> str | None:
        """The note that the file held under this key when it was opened."""
        return self._notes.get(key)

    def add(self, key: str, note: str, chunk: str) -> None:
        """Append a note. Raises `OSError` when it cannot be written."""
        line = (to_json({"key": key, "note": note, "chunk": chunk}) + "\n").encode()
        with self._lock:
            if self._torn:
                line = b"\n" + line
            with open(self._path, "ab", buffering=0) as file:
                written = file.write(line)
            self._torn = written != len(line)
            if self._torn:
                raise OSError(f"only {written} of {len(line)} bytes could be written")
