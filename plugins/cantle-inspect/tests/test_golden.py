"""Golden files: what is read, and how what is wrong is named."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.errors import CantleError, DocumentError
from cantle_inspect import Question, questions_of, read_golden
from cantle_inspect.golden.questions import folded

DATA = Path(__file__).parent / "data"
WRONG = [json.loads(line) for line in (DATA / "golden-wrong.jsonl").read_text("utf-8").splitlines()]

FULL: dict[str, Any] = {
    "id": 7,
    "question": "Quantos dias?",
    "source": ["a.md", "b.md", "a.md"],
    "text": "30 dias",
    "spans": [["a.md", 10, 20], ["a.md", 15, 30], ["a.md", 30, 31], ["b.md", 0, 4]],
    "exclude": "c.md",
    "forbidden": ["d.md"],
    "where": {"dept": "hr", "year": [2024, 2025], "draft": False},
    "roles": "employee",
    "minScore": 0.25,
    "group": "leave",
    "comment": "for people",
}

ALL = Question(
    question="Quantos dias?",
    id="7",
    sources=("a.md", "b.md"),
    text="30 dias",
    spans={"a.md": ((10, 31),), "b.md": ((0, 4),)},
    exclude=("c.md",),
    forbidden=("d.md",),
    where={"dept": ("hr",), "year": ("2024", "2025"), "draft": ("false",)},
    roles=("employee",),
    min_score=0.25,
    group="leave",
)


def test_every_key() -> None:
    assert questions_of([FULL]) == (ALL,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("source", "sources"),
        ("source", "expectedSource"),
        ("source", "expected_source"),
        ("source", "expectedSources"),
        ("source", "expected_sources"),
        ("text", "expectedText"),
        ("text", "expected_text"),
        ("spans", "refs"),
        ("minScore", "min_score"),
    ],
)
def test_other_names_of_a_key(one: str, other: str) -> None:
    entry = {other if key == one else key: value for key, value in FULL.items()}
    assert questions_of([entry]) == (ALL,)


@pytest.mark.parametrize(
    "form", ["list", "object", "lines", "lines with a name of their own", "one line", "with a BOM"]
)
def test_forms_of_a_file(tmp_path: Path, form: str) -> None:
    second = {"question": "Deploy\u2028?", "expectedSource": "r.md"}
    entries = [FULL] if form == "one line" else [FULL, second]
    lines = "\n\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n"
    text = {
        "list": json.dumps(entries),
        "object": json.dumps({"description": "Ours.", "version": 1, "questions": entries}),
        "with a BOM": "\ufeff" + json.dumps(entries, indent=1),
    }.get(form, lines)
    path = tmp_path / ("golden.jsonl" if "name" in form else "golden.json")
    path.write_text(text, encoding="utf-8")
    read = read_golden(path)
    assert read[0] == ALL
    assert [q.question for q in read] == [e["question"] for e in entries]
    assert [q.id for q in read] == ["7", "q2"][: len(entries)]


@pytest.mark.parametrize("case", WRONG, ids=[f"{i}: {case['says'][:40]}" for i, case in enumerate(WRONG)])
def test_what_is_wrong_is_said(tmp_path: Path, case: dict[str, str]) -> None:
    path = tmp_path / "golden.json"
    path.write_text(case["file"], encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        read_golden(path)
    assert case["says"] in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "golden.json"
    with pytest.raises(DocumentError, match="cannot be read"):
        read_golden(path)
    path.write_bytes(b'[{"question": "f\xe9rias"}]')
    with pytest.raises(DocumentError, match=r"is not UTF-8 \(byte 16\)"):
        read_golden(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"questions":' * 50_000, "[" + "9" * 100_000 + "]"])
def test_deep_and_long_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "golden.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DocumentError, match="golden"):
        read_golden(path)


def test_values_are_shown_in_short() -> None:
    with pytest.raises(DocumentError) as caught:
        questions_of([{"question": ["x" * 10_000], "source": "a.md"}])
    assert len(str(caught.value)) < 300


def test_values_that_are_no_json() -> None:
    with pytest.raises(DocumentError, match="'source' must be a string or a list of strings"):
        questions_of([{"question": "a", "source": [{1, 2}]}])


def test_a_key_that_is_no_string() -> None:
    with pytest.raises(DocumentError, match="there is no key 1"):
        questions_of([{"question": "a", 1: 2}])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.sampled_from([*FULL, "sourec"]), json_values, max_size=6) | json_values, max_size=3))
def test_any_json_is_read_or_refused(entries: list[Any]) -> None:
    try:
        read = questions_of(entries)
    except CantleError:
        return
    assert all(question.question.strip() and (question.expects or question.forbidden) for question in read)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Férias\n  ANUAIS", "ferias anuais"),
        ("fe\u0301rias", "férias"),
        ("STRASSE", "straße"),
        ("\u00a0a\u2003b\u3000", "a b"),
        ("İstanbul", "istanbul"),
        ("\ud800x", "\ud800X"),
    ],
)
def test_expected_text_is_compared_folded(text: str, same: str) -> None:
    assert folded(text) == folded(same)


def test_folding_takes_linear_time() -> None:
    marks = "\u0301\u0323" * 200_000  # normalizing this as a whole takes minutes
    start = time.process_time()
    assert folded("a" + marks) == "a"
    assert time.process_time() - start < 2


def test_keys_are_listed_as_the_docs_have_them() -> None:
    with pytest.raises(DocumentError) as caught:
        questions_of([{"question": "a", "min_scor": 1}])
    said = str(caught.value)
    assert "Did you mean 'minScore'?" in said
    known = said.partition("Known: ")[2].rstrip(".").split(", ")
    assert {"minScore", "expectedSource", "expectedText", "comment", "forbidden"} <= set(known)
    assert not any("_" in name for name in known)
