"""A file of answers: what was paid for once is not paid for again, and a run can be replayed without a model."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

from cantle.errors import OptionError

from ..errors import REASONS
from ..model.protocol import Request
from .usage import Usage

__all__ = ["Answers", "Recorded", "key_of"]

_VERSION = 1
_BEGINS = b'{"key": "'


def key_of(request: Request) -> str:
    """SHA-256 over what the answer depends on: model, temperature, messages, schema. 64 hexadecimal digits.

    Of media it is their type and their own hash, of a recording its language too.
    """
    asked: list[Any] = [
        _VERSION,
        request.model,
        request.temperature,
        [[message["role"], message["content"]] for message in request.messages],
        request.schema,
    ]
    if request.media:
        asked += [request.task, request.language, [[media.media_type, media.digest] for media in request.media]]
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


class Recorded(NamedTuple):
    """An answer, or, with a `reason`, why there was none; and what it had cost."""

    answer: str
    reason: str = ""
    detail: str = ""
    usage: Usage = Usage(source="recorded")


class Answers:
    """Answers by key, in a JSON Lines file: `{"key": ..., "answer": ..., "usage": ...}`.

    Each is appended at once as a whole line, whatever other threads or processes append; theirs are found too. A
    failure is written as `{"key": ..., "failed": reason}`; it is asked for again, but replayed as it was. A line that
    is no entry, such as one half-written, is passed over; of several entries with a key the last answer counts. In
    memory is only where each entry is. The file, and its directory, are made with the first entry. Raises `OptionError`
    when the file cannot be read or written, or is another one.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = os.path.abspath(path)
        self._lock = Lock()
        self._places: dict[str, tuple[int, int, bool]] = {}  # offset, length, whether it is an answer
        self._unwritten: dict[str, Recorded] = {}
        self._read_to = 0
        try:
            if os.path.exists(self.path) and not os.path.isfile(self.path):
                raise OSError("it is no regular file")
            if read_only and not os.path.exists(self.path):
                raise FileNotFoundError(f"there is no file {self.path!r} to replay")
            first = b""
            if os.path.exists(self.path):
                if not read_only:
                    open(self.path, "ab").close()
                with open(self.path, "rb") as file:
                    first = file.read(200)
                with self._lock:
                    self._catch_up()
            elif not read_only:
                _check_place(self.path)
        except OSError as error:
            raise OptionError(f"answers must be the path of a file of answers, got {str(path)!r}: {error}.") from error
        # A line that was broken off early is a part of what each begins with.
        begun = next((line for line in first.split(b"\n") if not _BEGINS.startswith(line.strip())), _BEGINS)
        if not begun.startswith(_BEGINS):
            raise OptionError(
                f"answers must be a file that an earlier run wrote, or a new one, got {self.path!r}, which begins with "
                f"{first[:20]!r}. Nothing was written to it."
            )

    def _catch_up(self) -> None:
        """Note where the entries are that came to the file since it was last looked at."""
        try:
            size = os.stat(self.path).st_size
        except OSError:
            return
        if size < self._read_to:  # another file now
            self._read_to = 0
            self._places.clear()
        if size == self._read_to:
            return
        with open(self.path, "rb") as file:
            file.seek(self._read_to)
            for line in file:
                if not line.endswith(b"\n"):  # somebody is at it still, or will never end it
                    break
                self._note(line, self._read_to)
                self._read_to += len(line)

    def _note(self, line: bytes, offset: int) -> None:
        entry = _entry(line)
        if entry is None:
            return
        key, recorded = entry
        held = self._places.get(key)
        if not recorded.reason or held is None or not held[2]:
            self._places[key] = (offset, len(line), not recorded.reason)

    def get(self, key: str) -> Recorded | None:
        """What is kept under this key."""
        with self._lock:
            if key in self._unwritten:
                return self._unwritten[key]
            if key not in self._places or not self._places[key][2]:
                try:
                    self._catch_up()
                except OSError:
                    return None
            if key not in self._places:
                return None
            offset, length, _ = self._places[key]
        try:
            with open(self.path, "rb") as file:
                file.seek(offset)
                entry = _entry(file.read(length))
        except OSError:
            return None
        return entry[1] if entry is not None and entry[0] == key else None

    def add(self, key: str, answer: str, usage: Usage | None = None) -> None:
        """Keep an answer. Raises `OSError` when it cannot be written; it is kept in memory then."""
        self._write(key, Recorded(answer, usage=usage or Usage()), {"key": key, "answer": answer})

    def fail(self, key: str, reason: str, detail: str, usage: Usage | None = None) -> None:
        """Keep that there was no usable answer."""
        entry = {"key": key, "failed": reason, "detail": detail}
        self._write(key, Recorded("", reason, detail, usage or Usage()), entry)

    def _write(self, key: str, recorded: Recorded, entry: dict[str, Any]) -> None:
        used = recorded.usage
        if used.calls:
            counts: dict[str, Any] = {
                "input": used.input_tokens,
                "output": used.output_tokens,
                "cached": used.cached_tokens,
            }
            sound = {"audio": used.audio_tokens, "seconds": used.audio_seconds}
            counts |= {"calls": used.calls} | {name: count for name, count in sound.items() if count}
            entry["usage"] = counts | ({"estimated": True} if used.is_estimated else {})
        line = (json.dumps(entry, ensure_ascii=True) + "\n").encode()
        with self._lock:
            try:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                with open(self.path, "ab", buffering=0) as file:
                    if _is_torn(self.path):  # a line that was never ended is left to itself
                        line = b"\n" + line
                    written = file.write(line)
                if written != len(line):
                    raise OSError(f"only {written} of {len(line)} bytes could be written to {self.path!r}")
            except OSError:
                self._unwritten[key] = recorded._replace(usage=_recorded(recorded.usage))
                raise
            self._unwritten.pop(key, None)
            with suppress(OSError):
                self._catch_up()


def _check_place(path: str) -> None:
    """Raise `OSError` where a file of this name could not be made; make none."""
    if os.path.islink(path):  # one that leads nowhere yet
        path = os.path.realpath(path)
    folder = os.path.dirname(path)
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"{folder!r} is no directory")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"nothing can be written in {folder!r}")
    if len(os.fsencode(os.path.basename(path))) > 255:
        raise OSError("its name is too long")


def _is_torn(path: str) -> bool:
    file: BinaryIO
    with open(path, "rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _recorded(usage: Usage) -> Usage:
    return Usage.total([usage], "recorded")


def _entry(line: bytes) -> tuple[str, Recorded] | None:
    """Key and entry of a line; None where it is no entry."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    key = entry.get("key") if isinstance(entry, dict) else None
    if not isinstance(key, str):
        return None
    answer, failed, usage = entry.get("answer"), entry.get("failed"), _usage(entry.get("usage"))
    if isinstance(answer, str):
        return key, Recorded(answer, usage=usage)
    if isinstance(failed, str) and failed in REASONS:
        return key, Recorded("", failed, str(entry.get("detail") or ""), usage)
    return None


def _usage(held: Any) -> Usage:
    def count(name: str) -> int:
        value = held.get(name, 0)
        return value if isinstance(value, int) and value >= 0 else 0

    seconds = held.get("seconds", 0) if isinstance(held, dict) else 0
    if not isinstance(held, dict):
        return Usage(source="recorded")
    return Usage(
        input_tokens=count("input"),
        output_tokens=count("output"),
        cached_tokens=count("cached"),
        audio_tokens=count("audio"),
        audio_seconds=float(seconds) if isinstance(seconds, int | float) and 0 <= seconds < 10**9 else 0.0,
        calls=count("calls"),
        is_estimated=held.get("estimated") is True,
        source="recorded",
    )
