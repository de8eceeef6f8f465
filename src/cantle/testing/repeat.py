"""Point 7 of the contract: same input, same output, wherever it runs."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ..chunks import Chunks
from ..source import Source
from .case import fail, shown
from .run import Refused, document_of, run, split

__all__ = ["digest", "same_everywhere", "same_in_processes", "unchanged"]

_HASH_SEEDS = ("1", "2")
_NOT_IMPORTABLE = 3

_CHILD = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
try:
    strategy, documents = pickle.load(sys.stdin.buffer)
except (ImportError, AttributeError):
    sys.exit(3)
from cantle.testing.repeat import digest
print("\\n".join(digest(strategy, document) for document in documents))
"""


def digest(strategy: Any, document: Source) -> str:
    """SHA-256 of everything that comes of a document, or of the fact that it is refused."""
    from ..errors import CantleError

    try:
        chunks = split(strategy, document)
    except CantleError as error:
        return hashlib.sha256(f"refused: {type(error).__name__}".encode()).hexdigest()
    return hashlib.sha256(repr(_everything(chunks)).encode("utf-8", "surrogatepass")).hexdigest()


def _everything(chunks: Chunks) -> list[object]:
    return [*(chunk._state() for chunk in chunks), chunks.dropped]


def same_everywhere(strategy: Any, document: Source, chunks: Chunks, seconds: float) -> None:
    """Run again: on the same object, on a pickled copy and in four threads."""
    wanted = _everything(chunks)
    _compare(wanted, _again(strategy, document, seconds), "a second run")
    twin = pickled(strategy)
    if twin is not None:
        _compare(wanted, _again(twin, document, seconds), "a pickled copy of the strategy")
    results: list[Any] = [None] * 4

    def work(i: int) -> None:
        try:
            results[i] = _again(strategy, document, seconds)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
        _compare(wanted, result, "one of four threads")


@contextmanager
def unchanged(document: Source) -> Iterator[None]:
    """A breach when the document is another one afterwards."""
    before = _fields(document)
    yield
    after = _fields(document)
    if before != after:
        fail(7, f"the document was changed by chunking it: {shown(str(before))} became {shown(str(after))}")


def _fields(document: Source) -> tuple[object, ...]:
    return copy.deepcopy(dict(document.metadata)), document.kind, document.source, document.body, document.text


def _again(strategy: Any, document: Source, seconds: float) -> list[object]:
    try:
        return _everything(run(strategy, document, seconds))
    except Refused as error:
        fail(7, f"the same document was accepted, then refused: {error}")


def _compare(wanted: list[object], got: list[object], what: str) -> None:
    if wanted == got:
        return
    for i, (a, b) in enumerate(zip(wanted, got, strict=False)):
        if a != b:
            fail(
                7,
                f"{what} gives {len(got) - 1} chunks for {len(wanted) - 1}; "
                f"the first to differ is {i}: {shown(str(a))} became {shown(str(b))}",
            )
    fail(7, f"{what} gives {len(got) - 1} chunks for {len(wanted) - 1}")


def pickled(strategy: Any) -> Any:
    """A copy by pickle, or None when the class or an option is of the kind that cannot be pickled."""
    try:
        return pickle.loads(pickle.dumps(strategy))
    except Exception as error:
        if "<locals>" in type(strategy).__qualname__ or not _options_pickle(strategy):
            return None
        fail(7, f"the strategy cannot be pickled, so no other process can run it: {type(error).__name__}: {error}")


def _options_pickle(strategy: Any) -> bool:
    options = {name: getattr(strategy, name, None) for name in getattr(strategy, "__dataclass_fields__", ())}
    try:
        pickle.dumps(options)
    except Exception:
        return False
    return True


def same_in_processes(strategy: Any, documents: Sequence[Source]) -> None:
    """Run in processes with other hash seeds; nothing when the strategy cannot be imported there."""
    if pickled(strategy) is None or type(strategy).__module__ == "__main__":
        return
    sources = [document_of(document) for document in documents]
    sent = pickle.dumps([p for p in sys.path if p]) + pickle.dumps((strategy, sources))
    wanted = [digest(strategy, document) for document in sources]
    for seed, (code, out, errors) in zip(_HASH_SEEDS, _children(sent), strict=True):
        if code == _NOT_IMPORTABLE:
            continue
        if code:
            fail(7, f"a process with PYTHONHASHSEED={seed} failed: {errors.decode(errors='replace').strip()[-300:]}")
        for document, a, b in zip(sources, wanted, out.decode().split(), strict=True):
            if a != b:
                name = f"{document.source!r}, " if document.source else ""
                fail(7, f"a process with PYTHONHASHSEED={seed} gives other chunks for {name}{shown(document.text)}")


def _children(sent: bytes) -> list[tuple[int, bytes, bytes]]:
    """Exit code, output and errors of a process for each hash seed, run side by side."""
    with ExitStack() as stack:
        children = [stack.enter_context(_child(seed)) for seed in _HASH_SEEDS]
        return [_answer(child, sent) for child in children]


def _answer(child: subprocess.Popen[bytes], sent: bytes) -> tuple[int, bytes, bytes]:
    out, errors = child.communicate(sent)
    return child.returncode, out, errors


def _child(seed: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
