"""Every strategy there is keeps the contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cantle import Registry
from cantle.plugins import BUILTIN
from cantle.testing import (
    check_strategy,
    hostile_documents,
    html_documents,
    json_documents,
    latex_documents,
    markdown_documents,
)

HOST = Registry({name.rpartition(".")[2]: name for name in BUILTIN})
NAMES = list(HOST.strategies())
LENGTHS: tuple[dict[str, Any], ...] = (
    {"max_size": 30, "overlap": 10, "length_function": "utf16"},
    {"max_size": 12, "overlap": 4, "length_function": "cl100k_base"},
    {"max_size": 25, "overlap": 8, "length_function": "bytes"},
    {"max_size": 5, "overlap": 2, "length_function": "words"},
    {"max_size": 20, "overlap": 6, "length_function": len},
    {"max_size": (20, 60), "overlap": 0},
    {"max_size": 30, "overlap": 10, "separator_position": "start", "explain": True},
    {"max_size": 30, "overlap": 10, "separator_position": "end", "strip_whitespace": False},
)


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_contract(name: str) -> None:
    check_strategy(name, plugins=HOST)


@pytest.mark.parametrize("options", LENGTHS, ids=lambda o: ",".join(f"{k}={v}" for k, v in o.items()))
@pytest.mark.parametrize("name", NAMES)
def test_the_chunks_with_other_options(name: str, options: dict[str, Any]) -> None:
    unused = getattr(HOST.strategies()[name], "unused", ())
    options = {key: value for key, value in options.items() if key not in unused}
    points = [1, 2, 3, 4, 5, 6, 9]
    check_strategy(name, hostile_documents(), points=points, examples=40, plugins=HOST, **options)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("recursive", {"language": "markdown", "max_size": 40, "overlap": 10}),
        ("recursive", {"language": "python", "max_size": 30, "overlap": 5}),
        ("recursive", {"language": "html", "max_size": 30, "overlap": 5}),
        ("recursive", {"language": "latex", "max_size": 30, "overlap": 5}),
        ("recursive", {"separators": ["of", ", ", "."], "max_size": 30, "overlap": 5}),
        ("recursive", {"separators": ["[.!?]+", r"\s"], "is_separator_regex": True, "max_size": 30, "overlap": 5}),
        ("character", {"separator": "", "max_size": 10, "overlap": 3}),
        ("character", {"separator": " ", "max_size": 10, "overlap": 3}),
        ("character", {"separator": "e", "max_size": 10, "overlap": 3}),
        ("token", {"max_size": 8, "overlap": 3, "encoding_name": "o200k_base"}),
        ("token", {"max_size": 1, "overlap": 0, "strip_whitespace": False}),
        ("latex", {"max_size": 30, "overlap": 5, "separator_position": "end"}),
    ],
    ids=str,
)
def test_the_chunks_with_options_of_its_own(name: str, options: dict[str, Any]) -> None:
    check_strategy(name, hostile_documents(), points=[1, 2, 3, 4, 5, 6, 9], examples=40, plugins=HOST, **options)


GRAMMARS = {
    "markdown": markdown_documents,
    "html": html_documents,
    "json": json_documents,
    "latex": latex_documents,
}


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("name", NAMES)
def test_documents_made_by_a_grammar(name: str, grammar: str) -> None:
    check_strategy(name, [], texts=GRAMMARS[grammar](), points=[1, 2, 3, 4, 5, 6, 9], examples=80, plugins=HOST)


EXAMPLES = [
    json.loads(line)["text"]
    for path in sorted((Path(__file__).parent / "blocks" / "commonmark").glob("*.jsonl"))
    for line in path.read_text("utf-8").split("\n")
    if line
]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_commonmark(name: str) -> None:
    points = [1, 2, 3, 4, 5, 6]
    if name != "json":  # they are no JSON
        check_strategy(name, EXAMPLES, property=False, points=points, plugins=HOST, max_size=20)
    check_strategy(
        name, [json.dumps(text) for text in EXAMPLES], property=False, points=points, plugins=HOST, max_size=20
    )
