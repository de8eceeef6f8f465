"""The answers of Mastra's `MDocument`, case by case.

Cases without a fault must be equal, but for those in `parity_exceptions.toml`; cases whose answer is
a fault, and the exceptions, must keep the contract instead.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, MDocument, registry
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
    if line and path.stem != "extract"
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


KINDS = ("markdown", "html", "json", "latex")
COUNTING = ("recursive", "character", "markdown", "latex", "html", "json", "sentence")
"""Strategies whose sizes are UTF-16 units there, unless a length function is given."""
RENDERED = ("semantic-markdown", "sentence")
"""Strategies that put their texts together anew there: white space is not compared."""

LENGTHS = {"words": words, "bytes": utf8_bytes, "codepoints": len, "double": double}


def texts_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents of a case: one, or several."""
    return case.get("docs", [case])


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    """The case's options as ours: names, default overlap (200 there), functions and sets."""
    options = snake_case(case["options"])
    strategy = options.setdefault("strategy", case["type"] if case["type"] in KINDS else "recursive")
    size = options.get("max_size", 4000)
    if "overlap" not in options and _overlaps(strategy, options) and isinstance(size, int | float) and size > 0:
        options["overlap"] = min(200, size // 2) if size <= 200 else 200
    function = options.get("length_function")
    if function in LENGTHS:
        options["length_function"] = LENGTHS[function]
    elif function is None and strategy in COUNTING:
        # Beyond U+FFFF the units differ: there we count as JavaScript does.
        shown = [html.unescape(document["text"]) for document in texts_of(case)]
        if any(utf16(text) != len(text) for text in shown):
            options["length_function"] = "utf16"
    for name in ("allowed_special", "disallowed_special"):
        if isinstance(options.get(name), list):
            options[name] = set(options[name])
    return options


def _overlaps(strategy: str, options: dict[str, Any]) -> bool:
    """Whether Mastra's default overlap is used by the strategy with these options."""
    if strategy == "markdown":
        return "headers" not in options
    if strategy == "html":
        return "max_size" in options and bool(options.get("headers") or options.get("sections"))
    return strategy in ("recursive", "character", "token", "latex")


def documents(case: dict[str, Any]) -> list[MDocument]:
    return [MDocument(d["text"], case["type"], d.get("metadata") or {}) for d in texts_of(case)]


def chunk(case: dict[str, Any]) -> list[Chunk]:
    options = options_of(case)
    strategy = options.pop("strategy")
    if "strategy" not in case["options"]:
        strategy = None  # the default of the kind
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        return [piece for document in documents(case) for piece in document.chunk(strategy, **options)]


def answer(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Our chunks as Mastra gives them: indexes in UTF-16 units, names in camelCase."""
    found = []
    for piece in chunk(case):
        metadata = dict(piece.metadata)
        if "start_index" in metadata:
            assert "text" in case
            metadata["startIndex"] = utf16(case["text"][: metadata.pop("start_index")])
        if "token_count" in metadata:
            metadata["tokenCount"] = metadata.pop("token_count")
        found.append({"text": piece.text, "metadata": metadata})
    return found


def same(case: dict[str, Any], ours: list[dict[str, Any]]) -> bool:
    """Whether an answer is equal: to the letter, but for white space where Mastra renders the text anew."""
    expected = case["expected"]
    options = options_of(case)
    if options["strategy"] in RENDERED or ("headers" in options and options["strategy"] == "markdown"):
        return len(ours) == len(expected) and all(map(_same_but_for_blanks, ours, expected))
    return ours == expected


def _same_but_for_blanks(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    a, b = dict(ours["metadata"]), dict(theirs["metadata"])
    if ours["text"] != theirs["text"]:  # then the number of tokens may differ
        a.pop("tokenCount", None)
        b.pop("tokenCount", None)
    return WORD.findall(ours["text"]) == WORD.findall(theirs["text"]) and a == b


def ids(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in cases]


SOUND = [case for case in CASES if "fault" not in case and "error" not in case]


@pytest.mark.parametrize("case", ids([c for c in SOUND if c["id"] not in EXCEPTIONS]))
def test_equal(case: dict[str, Any]) -> None:
    ours = answer(case)
    assert same(case, ours), {"ours": ours, "expected": case["expected"]}


@pytest.mark.parametrize("case", ids([c for c in SOUND if EXCEPTIONS.get(c["id"]) == "start_index"]))
def test_texts_equal_where_only_the_index_differs(case: dict[str, Any]) -> None:
    assert [piece.text for piece in chunk(case)] == [expected["text"] for expected in case["expected"]]


@pytest.mark.parametrize("case", ids([c for c in SOUND if c["id"] in EXCEPTIONS]))
def test_an_exception_is_one(case: dict[str, Any]) -> None:
    """An exception that has become equal must leave the list."""
    assert EXCEPTIONS[case["id"]] in RULES
    assert not same(case, answer(case))


@pytest.mark.parametrize("case", ids([c for c in CASES if "fault" in c or c["id"] in EXCEPTIONS]))
def test_contract_instead_of_a_fault(case: dict[str, Any]) -> None:
    options = options_of(case)
    name = options.pop("strategy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        strategy = registry().make(name, options)
        for document in documents(case):
            assert document.chunk(strategy) or says_nothing(document.text)
            check_document(strategy, document)


def says_nothing(text: str) -> bool:
    """Whether a document may give no chunk: it is blank, or JSON without a single value."""
    return text.strip() in ("", "{}", "[]")


@pytest.mark.parametrize("case", ids([c for c in CASES if "error" in c and "fault" not in c]))
def test_error(case: dict[str, Any]) -> None:
    if case["id"] in EXCEPTIONS:
        assert chunk(case)
        return
    with pytest.raises(CantleError) as caught:
        chunk(case)
    named = [*snake_case(case["options"]), *map(str, case["options"].values()), "<|"]
    assert any(word in str(caught.value) for word in named if word != "strategy")
