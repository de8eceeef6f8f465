"""The answers of Mastra's `MDocument`, case by case.

Cases without a fault must be equal, but for those in `parity_exceptions.toml`; cases whose answer is
a fault, and the exceptions, must keep the contract instead.
"""

from __future__ import annotations

import json
import re
import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument, registry
from cantle.errors import CantleError, UnusedOptionWarning
from cantle.strategy import snake_case
from cantle.testing import check_document

HERE = Path(__file__).parent
EXCEPTIONS: dict[str, str] = {}
RULES: dict[str, str] = {}
with (HERE.parent / "parity_exceptions.toml").open("rb") as file:
    _read = tomllib.load(file)
    EXCEPTIONS, RULES = _read["exceptions"], _read["rules"]

CASES = [
    json.loads(line)
    for path in sorted((HERE / "mastra").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").split("\n")
    if line
]

WORD = re.compile("[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def words(text: str) -> int:
    return len(WORD.findall(text))


def utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def double(text: str) -> int:
    return 2 * utf16(text)


LENGTHS = {"words": words, "bytes": utf8_bytes, "codepoints": len, "double": double}


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    """The case's options as ours: names, default overlap (200 there), functions and sets."""
    options = snake_case(case["options"])
    size = options.get("max_size", 4000)
    if "overlap" not in options and isinstance(size, int | float) and size > 0:
        options["overlap"] = min(200, size // 2) if size <= 200 else 200
    function = options.get("length_function")
    if function in LENGTHS:
        options["length_function"] = LENGTHS[function]
    elif function is None and options["strategy"] != "token" and utf16(case["text"]) != len(case["text"]):
        options["length_function"] = "utf16"
    for name in ("allowed_special", "disallowed_special"):
        if isinstance(options.get(name), list):
            options[name] = set(options[name])
    return options


def chunk(case: dict[str, Any]) -> Chunks:
    options = options_of(case)
    document = MDocument(case["text"], case["type"], case.get("metadata") or {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        return document.chunk(options.pop("strategy"), **options)


def answer(chunks: Chunks, text: str) -> list[dict[str, Any]]:
    """Chunks as Mastra gives them: indexes in UTF-16 units, names in camelCase."""
    found = []
    for piece in chunks:
        metadata = dict(piece.metadata)
        if "start_index" in metadata:
            metadata["startIndex"] = utf16(text[: metadata.pop("start_index")])
        found.append({"text": piece.text, "metadata": metadata})
    return found


def ids(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


SOUND = [case for case in CASES if "fault" not in case and "error" not in case]


@pytest.mark.parametrize("case", ids([c for c in SOUND if c["id"] not in EXCEPTIONS]))
def test_equal(case: dict[str, Any]) -> None:
    assert answer(chunk(case), case["text"]) == case["expected"]


@pytest.mark.parametrize("case", ids([c for c in SOUND if EXCEPTIONS.get(c["id"]) == "start_index"]))
def test_texts_equal_where_only_the_index_differs(case: dict[str, Any]) -> None:
    assert chunk(case).texts == [expected["text"] for expected in case["expected"]]


@pytest.mark.parametrize("case", ids([c for c in SOUND if c["id"] in EXCEPTIONS]))
def test_an_exception_is_one(case: dict[str, Any]) -> None:
    """An exception that has become equal must leave the list."""
    assert EXCEPTIONS[case["id"]] in RULES
    assert answer(chunk(case), case["text"]) != case["expected"]


@pytest.mark.parametrize("case", ids([c for c in CASES if "fault" in c or c["id"] in EXCEPTIONS]))
def test_contract_instead_of_a_fault(case: dict[str, Any]) -> None:
    options = options_of(case)
    name = options.pop("strategy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        strategy = registry().make(name, options)
        if case["text"]:
            assert len(chunk(case)) > 0 or not case["text"].strip()
        check_document(strategy, MDocument(case["text"], case["type"], case.get("metadata") or {}))


@pytest.mark.parametrize("case", ids([c for c in CASES if "error" in c and "fault" not in c]))
def test_error(case: dict[str, Any]) -> None:
    with pytest.raises(CantleError) as caught:
        chunk(case)
    named = [*snake_case(case["options"]), *map(str, case["options"].values()), "<|"]
    assert any(word in str(caught.value) for word in named if word != "strategy")
