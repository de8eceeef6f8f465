"""Cases made from public bug reports about chunking libraries: each must hold here.

The data file's keys and checks: `input` (or `input_repeat`, `input_json_rows`) goes to the constructor
of `kind`, `.chunk(strategy, **options)` is called, and every check in `must` has to hold. Cases of
strategies that are not there yet are left out.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument, registry
from cantle.errors import CantleError
from cantle.lengths import resolve

FUNCTIONS: dict[str, Callable[[str], int]] = {
    "@len": len,
    "@utf8_bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "@words": lambda text: len(text.split()),
}
UNITS = {"chars": "characters", "utf8_bytes": "bytes", "words": "words"}

FILE = Path(__file__).parent / "cases" / "public_reports.jsonl"
ALL = [json.loads(line) for line in FILE.read_text(encoding="utf-8").split("\n") if line]
KNOWN = set(registry().strategies())
UNKNOWN_NAMES = {"recursiv"}
CASES = [case for case in ALL if case["strategy"] in KNOWN | UNKNOWN_NAMES]


class Run:
    """A case, run once; the checks are its methods."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.case = case
        self.given = case.get("doc_metadata")
        if "input" in case:
            self.text = case["input"]
        elif "input_repeat" in case:
            self.text = "".join(part * times for part, times in case["input_repeat"])
        else:
            rows = range(case["input_json_rows"])
            self.text = json.dumps({f"row{i}": {"id": i, "name": f"name {i}"} for i in rows})
        self.error: CantleError | None = None
        started = time.perf_counter()
        try:
            self.chunks = self.call()
        except CantleError as error:
            self.error = error
            self.chunks = Chunks(MDocument(""))
        self.seconds = time.perf_counter() - started
        self.texts = self.chunks.texts

    def call(self) -> Chunks:
        options = {k: FUNCTIONS.get(v, v) if isinstance(v, str) else v for k, v in self.case["options"].items()}
        make = getattr(MDocument, f"from_{self.case['kind']}")
        return make(self.text, metadata=self.given).chunk(self.case["strategy"], **options)

    def state(self, chunks: Chunks) -> list[Any]:
        return [(c.text, c.start, c.end, c.metadata) for c in chunks]

    def check(self, op: str, want: dict[str, Any]) -> bool:
        assert self.error is None or op == "time_s_le", self.error
        return bool(getattr(self, op)(**want))

    def no_error(self) -> bool:
        return True

    def error_(self, contains: str) -> bool:
        return self.error is not None and contains.lower() in str(self.error).lower()

    def time_s_le(self, n: float) -> bool:
        return self.seconds <= n

    def count(self, n: int) -> bool:
        return len(self.chunks) == n

    def count_ge(self, n: int) -> bool:
        return len(self.chunks) >= n

    def texts_(self, value: list[str]) -> bool:
        return self.texts == value

    def all_len_le(self, n: int, unit: str = "chars") -> bool:
        length = resolve(unit.removeprefix("tokens:") if unit.startswith("tokens:") else UNITS[unit])
        return all(length(text) <= n for text in self.texts)

    def covers_nonspace(self) -> bool:
        source, covered = "".join(self.text.split()), 0
        for text in self.texts:
            piece = "".join(text.split())
            at = source.rfind(piece, 0, covered + len(piece))
            if at < 0 or at > covered:
                return False
            covered = max(covered, at + len(piece))
        return covered == len(source)

    def covers_words(self, value: list[str]) -> bool:
        return all(word in " ".join(self.texts) for word in value)

    def contains(self, value: str) -> bool:
        return any(value in text for text in self.texts)

    contains_in_one_chunk = contains

    def not_contains(self, value: str) -> bool:
        return not self.contains(value)

    def contains_anywhere(self, value: str) -> bool:
        return self.contains(value) or any(value in json.dumps(c.metadata, ensure_ascii=False) for c in self.chunks)

    def occurrences(self, value: str, n: int) -> bool:
        return sum(text.count(value) for text in self.texts) == n

    def order(self, value: list[str]) -> bool:
        joined, at = "\n".join(self.texts), 0
        for part in value:
            at = joined.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return True

    def join_equals_input(self) -> bool:
        return "".join(self.texts) == self.text

    def all_in_input(self) -> bool:
        return all(text in self.text for text in self.texts)

    def no_empty(self) -> bool:
        return all(text.strip() for text in self.texts)

    def no_replacement_char(self) -> bool:
        return not self.contains("\ufffd")

    def no_chunk_matches(self, regex: str) -> bool:
        return not any(re.search(regex, text) for text in self.texts)

    def every_chunk_matches(self, regex: str) -> bool:
        return all(re.search(regex, text) for text in self.texts)

    def overlap_ge(self, n: int) -> bool:
        pairs = list(zip(self.texts, self.texts[1:], strict=False))
        return bool(pairs) and all(any(a.endswith(b[:k]) for k in range(n, min(len(a), len(b)) + 1)) for a, b in pairs)

    def overlap_le(self, n: int) -> bool:
        return all(a.end - b.start <= n for a, b in zip(self.chunks, self.chunks[1:], strict=False))

    def offsets_exact(self) -> bool:
        return all(self.text[c.start : c.end] == c.text for c in self.chunks)

    def offsets_cover(self) -> bool:
        covered = {i for c in self.chunks for i in range(c.start, c.end)}
        return all(i in covered for i, char in enumerate(self.text) if not char.isspace())

    def starts_increasing(self) -> bool:
        return all(a.start < b.start for a, b in zip(self.chunks, self.chunks[1:], strict=False))

    def metadata_where(self, text_contains: str, key: str, value: Any) -> bool:
        found = [c for c in self.chunks if text_contains in c.text]
        return bool(found) and all(c.metadata.get(key) == value for c in found)

    def metadata_where_absent(self, text_contains: str, key: str) -> bool:
        found = [c for c in self.chunks if text_contains in c.text]
        return bool(found) and all(key not in c.metadata for c in found)

    def metadata_all(self, key: str, value: Any) -> bool:
        return len(self.chunks) > 0 and all(c.metadata.get(key) == value for c in self.chunks)

    def json_valid(self) -> bool:
        return len(self.texts) > 0 and all(json.loads(text) is not ... for text in self.texts)

    def json_leaves(self) -> bool:
        wanted = set(leaves(json.loads(self.text)))
        return wanted <= {leaf for text in self.texts for leaf in leaves(json.loads(text))}

    def repeatable(self) -> bool:
        first = self.state(self.chunks)
        return all(self.state(self.call()) == first for _ in range(2))

    def threads_same(self, n: int) -> bool:
        results: list[Any] = [None] * n
        gate = threading.Barrier(n)

        def work(i: int) -> None:
            gate.wait()
            results[i] = self.state(self.call())

        threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return all(result == self.state(self.chunks) for result in results)


CHECKS = {"texts": Run.texts_}
"""Checks whose names are taken by what a run holds."""


def leaves(value: Any, path: tuple[str, ...] = ()) -> Any:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, path if key.isdigit() else (*path, key))
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, path)
    else:
        yield path, json.dumps(value)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_report(case: dict[str, Any]) -> None:
    run = Run(case)
    for want in case["must"]:
        arguments = {k: v for k, v in want.items() if k != "op"}
        check = CHECKS.get(want["op"])
        if want["op"] == "error":
            assert run.error_(**arguments), (want, run.error)
        elif check is not None:
            assert run.error is None
            assert check(run, **arguments), (want, run.texts)
        else:
            assert run.check(want["op"], arguments), (want, run.error, run.texts[:20])


def test_cases_are_there() -> None:
    assert len(CASES) >= 50
