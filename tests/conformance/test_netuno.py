"""The answers of Netuno's `ContextRetrievalChunker`, case by case.

Cases without a fault must be equal in every field; those whose answer is a fault must keep the contract instead.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from cantle import ContextRetrievalChunker
from cantle.cleaning import clean_markdown, clean_pdf, clean_text
from cantle.context.settings import Settings, given, resolved
from cantle.errors import UnusedOptionWarning

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "context"))

from facade_contract import broken  # noqa: E402

CASES = [
    json.loads(line)
    for path in sorted((HERE / "netuno").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").split("\n")
    if line
]
FAULTS = [case for case in CASES if "fault" in case]


def answer(case: dict[str, Any]) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        method = getattr(ContextRetrievalChunker(), case["method"])
        chunks: list[dict[str, Any]] = method(case["text"], case["options"])
        return chunks


def by_id(name: str) -> list[dict[str, Any]]:
    return answer(next(case for case in CASES if case["id"] == name))


def contents(name: str) -> list[str]:
    return [chunk["content"] for chunk in by_id(name)]


def test_the_cases_are_there() -> None:
    assert len(CASES) == 142
    assert len(FAULTS) == 33


@pytest.mark.parametrize("case", [case for case in CASES if "fault" not in case], ids=lambda case: case["id"])
def test_equal_in_every_field(case: dict[str, Any]) -> None:
    assert answer(case) == case["expected"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_contract_holds(case: dict[str, Any]) -> None:
    chunks = answer(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedOptionWarning)
        settings = resolved(Settings(), given(case["options"], {}))
    kind = chunks[0]["type"] if chunks else "text"
    clean = {"markdown": clean_markdown, "text": clean_text}.get(kind)
    if clean:
        strip = {"comments": settings.strip_html_comments, "data_uris": settings.strip_data_uri}
        cleaned = clean(case["text"], **strip).text
    else:
        cleaned = clean_pdf(case["text"]).text
    counted = settings.encoding if settings.unit == "tokens" else "utf16"
    assert broken(cleaned, chunks, settings.size, settings.repeat, counted) == []
    assert answer(case) == chunks


def test_long_code_lines_are_cut_in_fences_of_their_own() -> None:
    found = contents("code-one-line-code")
    assert len(found) == 3
    assert all(text.startswith("```json\n") and text.endswith("\n```") for text in found)
    found = contents("code-two-line-unclosed")
    assert found[0].startswith("text\n\n```\nalpha") or found[0] == "text"
    assert all(text.endswith("\n```") for text in found if text != "text")


def test_the_parts_of_an_open_fence_are_closed_by_their_own_marks() -> None:
    found = contents("code-fake-close")
    assert all(text.startswith("~~~\n") and text.endswith("\n~~~") for text in found)
    assert "```js" in found[-1]


@pytest.mark.parametrize(
    ("name", "heading"), [("code-list-fence-blank2", "Real heading"), ("code-list-fence-dedent", "Real")]
)
def test_a_fence_in_a_list_item_is_code_up_to_its_closing_line(name: str, heading: str) -> None:
    assert {crumb for chunk in by_id(name) for crumb in chunk["sections"]} == {heading}


def test_hashes_in_titles() -> None:
    assert [chunk["heading"] for chunk in by_id("headings-sharp-names")] == ["Learn F#", "And C# too"]
    assert {chunk["breadcrumb"] for chunk in by_id("headings-hash-line")} == {"A"}


def test_a_setext_heading_is_kept_as_it_is_written() -> None:
    chunks = by_id("headings-setext")
    assert [chunk["synthetic"] for chunk in chunks] == [False] * 3
    assert chunks[0]["content"].startswith("Título principal\n================\n\n")
    assert chunks[1]["header"] == "# Título principal"
    assert [chunk["headingLevel"] for chunk in chunks] == [1, 2, 2]


def test_a_header_that_leaves_no_room_is_left_out() -> None:
    chunks = by_id("headings-long-heading")
    assert {chunk["header"] for chunk in chunks} == {""}
    assert len(chunks) == 3


def test_table_rows_above_the_limit_are_cut_under_the_header() -> None:
    found = contents("tables-one-row-oversize")
    assert len(found) > 1
    assert all(text.startswith("| chave | descrição |\n|:--|--:|\n") for text in found)


def test_a_table_header_that_leaves_no_room_is_not_repeated() -> None:
    chunks = by_id("tables-wide-header")
    assert not any(chunk["synthetic"] for chunk in chunks)
    assert sum("|0|1|2|" in chunk["content"] for chunk in chunks) == 1


def test_a_byte_order_mark_hides_no_heading() -> None:
    assert [(chunk["type"], chunk["heading"]) for chunk in by_id("normalise-bom-chunk")] == [("markdown", "Título")]


def test_blank_pages_are_counted() -> None:
    assert by_id("pdf-blank-page")[-1]["page"] == 4
    assert by_id("pdf-leading-ff")[0]["page"] == 2


def test_full_stops_without_blanks_are_preferred_to_any_place() -> None:
    for name in ("prose-cjk-ja-overlap", "tokens-zh"):
        assert all(text.endswith("。") for text in contents(name))
