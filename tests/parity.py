"""Three tables: Mastra's cases, Netuno's, and the public reports. `python tests/parity.py`

The tests run the same checks; this counts them.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, HERE / path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def holds(check: Callable[[], Any]) -> bool:
    try:
        check()
    except Exception as error:
        print(f"  {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        return False
    return True


def mastra(tests: ModuleType) -> Iterable[tuple[str, str]]:
    """The strategy of every case and how it ends."""
    for case in tests.CASES:
        exception = case["id"] in tests.EXCEPTIONS
        outcome, check = "equal", tests.test_equal
        if "fault" in case:
            outcome, check = "a fault there, the contract here", tests.test_contract_instead_of_a_fault
        elif "error" in case:
            outcome, check = "another answer by a rule" if exception else "an error in both", tests.test_error
        elif exception:
            outcome, check = "another answer by a rule", tests.test_contract_instead_of_a_fault
        if not holds(lambda check=check, case=case: check(case)):
            print(f"failed: {case['id']}", file=sys.stderr)
            outcome = "failures"
        yield re.split(r"-\d", case["id"])[0], outcome


def extraction(tests: ModuleType) -> Iterable[tuple[str, str]]:
    """The cases with extractors, whose model is scripted by the tests."""
    for case in tests.CASES:
        outcome, check = "equal", tests.test_equal_but_for_blank_chunks
        if "error" in case:
            outcome, check = "an error in both", tests.test_error
        yield "extract", outcome if holds(lambda check=check, case=case: check(case)) else "failures"


def netuno(tests: ModuleType, notes: ModuleType) -> Iterable[tuple[str, str]]:
    """The cases of Netuno's chunker, by their files, and those of its notes."""
    for case in tests.CASES:
        fault = "fault" in case
        good = holds(lambda case=case: tests.test_the_contract_holds(case))
        if not fault:
            good = good and holds(lambda case=case: tests.test_equal_in_every_field(case))
        outcome = "a fault there, the contract here" if fault else "equal"
        yield case["id"].partition("-")[0], outcome if good else "failures"
    for name in notes.EQUAL:
        yield "contextualize", "equal" if holds(lambda name=name: notes.test_equal_to_netuno(name)) else "failures"
    mended = {
        "contextualize-first-empty": lambda: notes.test_a_failure_of_the_first_chunk_stops_nothing(
            "contextualize-first-empty"
        ),
        "contextualize-first-error": lambda: notes.test_a_failure_of_the_first_chunk_stops_nothing(
            "contextualize-first-error"
        ),
        "contextualize-placeholder-in-document": notes.test_a_placeholder_in_the_document_or_in_a_chunk_is_text,
    }
    for name in sorted(set(notes.CASES) - set(notes.EQUAL)):
        good = name in mended and holds(mended[name])
        yield "contextualize", "a fault there, the contract here" if good else "failures"


def reports(tests: ModuleType) -> Iterable[tuple[str, str]]:
    for case in tests.ALL:
        known = case in tests.CASES
        good = known and holds(lambda case=case: tests.test_report(case))
        if not good:
            print(f"failed: {case['id']}", file=sys.stderr)
        yield case["strategy"], "all checks hold" if good else "failures"


def table(title: str, rows: Iterable[tuple[str, str]], outcomes: list[str]) -> int:
    counts = Counter(rows)
    names = sorted({name for name, _ in counts})
    print(f"{title}\n\n| strategy | cases | " + " | ".join(outcomes) + " |")
    print("|---|" + "---:|" * (len(outcomes) + 1))
    for name in [*names, "all"]:
        row = [sum(n for (who, what), n in counts.items() if name in (who, "all") and what == o) for o in outcomes]
        print(f"| {name} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    print()
    return sum(n for (_, what), n in counts.items() if what == "failures")


if __name__ == "__main__":
    outcomes = ["equal", "an error in both", "another answer by a rule", "a fault there, the contract here", "failures"]
    cases = [*mastra(load("conformance/test_mastra.py")), *extraction(load("conformance/test_extract.py"))]
    failed = table("Mastra's cases", cases, outcomes)
    outcomes = ["equal", "a fault there, the contract here", "failures"]
    cases = netuno(load("conformance/test_netuno.py"), load("conformance/test_netuno_contextualize.py"))
    failed += table("Netuno's cases", cases, outcomes)
    outcomes = ["all checks hold", "failures"]
    failed += table("Public reports", reports(load("test_public_reports.py")), outcomes)
    sys.exit(1 if failed else 0)
