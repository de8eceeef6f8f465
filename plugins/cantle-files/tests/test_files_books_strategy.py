"""The strategy `notebook`."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import Chunks, MDocument
from cantle.errors import OptionError, UnusedOptionWarning
from cantle.testing import check_document, check_strategy, markdown_documents
from cantle_files.notebooks.strategy import NotebookCells


def notebook(*cells: tuple[str, str]) -> MDocument:
    parts = [f"<!-- cell {number}: {kind} -->\n{text}\n\n" for number, (kind, text) in enumerate(cells, 1)]
    return MDocument("".join(parts).removesuffix("\n"), "notebook", {}, "n.ipynb")


def code(text: str, output: str = "") -> tuple[str, str]:
    return "code", f"```python\n{text}\n```" + (f"\n\n```output\n{output}\n```" if output else "")


def cut(document: MDocument, max_size: float = 100, **options: Any) -> Chunks:
    return document.chunk(NotebookCells, max_size=max_size, overlap=options.pop("overlap", 0), **options)


def cells(chunks: Chunks) -> list[list[int]]:
    return [chunk.metadata["cells"] for chunk in chunks]


def test_the_contract_holds() -> None:
    check_strategy(NotebookCells, property=False)


def test_the_contract_holds_for_markdown() -> None:
    check_strategy(NotebookCells, texts=markdown_documents(), examples=20, documents=["# A\n\ntext"])


BODIES = st.one_of(
    st.text(alphabet="#`~-= \n\tab\u0301\r\U0001f30a", max_size=60),
    st.sampled_from(["# One", "## Two\n\ntext", "We load it:", "```\nx\n```", "Title\n=====", "- a\n- b", ""]),
)
NOTEBOOKS = st.lists(st.tuples(st.sampled_from(["markdown", "code", "raw"]), BODIES), max_size=8)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(NOTEBOOKS, st.sampled_from([1, 7, 40, 100]), st.sampled_from(["characters", "words", "bytes"]))
def test_the_contract_holds_for_notebooks(made: list[tuple[str, str]], size: int, length: str) -> None:
    check_document(NotebookCells(max_size=size, length_function=length), notebook(*made))


def test_cells_under_one_heading_share_a_chunk_without_their_markers() -> None:
    document = notebook(
        ("markdown", "# Tides\n\nHow high."), code("x = 1", "1"), ("markdown", "# Berths"), code("y = 2")
    )
    chunks = cut(document)
    assert cells(chunks) == [[1, 2], [3, 4]]
    assert [chunk.path for chunk in chunks] == [("Tides",), ("Berths",)]
    assert chunks[0].content == "# Tides\n\nHow high.\n\n```python\nx = 1\n```\n\n```output\n1\n```"
    assert chunks[0].metadata["cell_types"] == ["markdown", "code"]
    assert [document.text[start:end] for start, end in chunks[1].spans or ()] == [
        "# Berths\n\n",
        "```python\ny = 2\n```",
    ]
    assert {document.text[start:end] for start, end, _ in chunks.dropped} == {
        f"<!-- cell {i} -->\n" for i in ("1: markdown", "2: code", "3: markdown", "4: code")
    }
    assert {reason for _, _, reason in chunks.dropped} == {"cell-marker"}


def test_a_chunk_of_one_cell_is_a_literal_slice() -> None:
    chunks = cut(notebook(("markdown", "# A\n\nwords"), ("markdown", "# B\n\nwords")))
    assert all(chunk.exact for chunk in chunks)
    assert cells(chunks) == [[1, 1], [2, 2]]


def test_a_lead_in_stays_with_its_code() -> None:
    filler = ("markdown", "Filler. " * 8)
    lead = ("markdown", "Now we load the table:")
    assert cells(cut(notebook(filler, lead, code("load()")))) == [[1, 1], [2, 3]]


def test_a_lead_in_goes_its_own_way_where_both_do_not_fit() -> None:
    chunks = cut(notebook(("markdown", "Words. " * 8), code("x = 1\n" * 12)))
    assert cells(chunks) == [[1, 1], [2, 2]]
    assert chunks[1].content.count("x = 1") == 12


def test_headings_without_text_go_with_what_follows() -> None:
    chunks = cut(notebook(("markdown", "# Book"), ("markdown", "## Chapter"), ("markdown", "Words."), code("x = 1")))
    assert cells(chunks) == [[1, 4]]
    assert chunks[0].path == ("Book",)
    # But not under a heading that is no part of it.
    assert cells(cut(notebook(("markdown", "## One"), ("markdown", "## Two"), code("x = 1")))) == [[1, 1], [2, 3]]


def test_a_heading_goes_with_the_begin_of_a_cell_that_is_cut() -> None:
    chunks = cut(notebook(("markdown", "# Load"), code("x = 1\n" * 40)))
    assert chunks[0].content.startswith("# Load\n\n```python\nx = 1")
    assert {chunk.path for chunk in chunks} == {("Load",)}
    assert max(len(chunk.text) for chunk in chunks) <= 100


def test_code_above_the_limit_is_cut_at_lines_and_keeps_its_fences() -> None:
    lines = [f"value_{i} = {i}" for i in range(40)]
    chunks = cut(notebook(code("\n".join(lines), "done")))
    found = [line for chunk in chunks for line in chunk.content.split("\n") if line.startswith("value_")]
    assert found == lines
    assert all(chunk.content.startswith("```") and chunk.content.endswith("```") for chunk in chunks)
    assert cells(chunks) == [[1, 1]] * len(chunks)


def test_hashes_in_code_are_no_headings() -> None:
    chunks = cut(notebook(code("# no heading\nx = 1"), ("markdown", "```\n# none either\n```"), ("raw", "# nor this")))
    assert [chunk.path for chunk in chunks] == [()] * len(chunks)
    assert cells(chunks) == [[1, 3]]


def test_underlined_headings_and_those_inside_of_cells_count() -> None:
    document = notebook(
        ("markdown", "Tides\n=====\n\nText.\n\n## Low ##\n\nText."), code("x = 1"), code("y = 2\n" * 10)
    )
    assert [chunk.path for chunk in cut(document)] == [("Tides",), ("Tides", "Low")]


def test_small_chunks_are_joined_across_headings() -> None:
    parts = [("markdown", f"# Part {i}\n\nShort.") for i in range(6)]
    assert len(cut(notebook(*parts))) == 6
    chunks = cut(notebook(*parts), max_size=(40, 100))
    assert all(len(chunk.text) >= 40 for chunk in chunks)
    assert max(len(chunk.text) for chunk in chunks) <= 100


def test_a_cell_is_cut_with_overlap_and_no_other() -> None:
    text = " ".join(f"Sentence number {i} is here." for i in range(12))
    chunks = cut(notebook(("markdown", text), code("x = 1")), overlap=40)
    assert any(chunk.overlap for chunk in chunks)
    assert chunks[-1].overlap == 0
    assert chunks[-1].metadata["cell_types"] == ["code"]


def test_it_says_why() -> None:
    chunks = cut(
        notebook(("markdown", "# A\n\na"), ("markdown", "# B\n\n" + "b" * 70), code("x = 1" * 8)), explain=True
    )
    assert [chunk.cut.kind for chunk in chunks if chunk.cut] == ["heading", "cell", "end"]


def test_a_text_without_markers_is_markdown() -> None:
    chunks = cut(MDocument("# A\n\ntext", "notebook"))
    assert [(chunk.content, chunk.path, chunk.metadata) for chunk in chunks] == [
        ("# A\n\ntext", ("A",), {"cell_types": ["markdown"]})
    ]


def test_any_length_function_holds_the_limit() -> None:
    document = notebook(*[("markdown", f"Cell {i} has words.") for i in range(50)])
    chunks = cut(document, max_size=12, length_function=lambda text: len(text.split()))
    assert cells(chunks) == [[i, min(i + 2, 50)] for i in range(1, 51, 3)]
    assert cells(cut(document, max_size=13, length_function="cl100k_base"))[:2] == [[1, 2], [3, 4]]


def test_options_that_cannot_act_warn() -> None:
    with pytest.warns(UnusedOptionWarning, match="separator_position"):
        NotebookCells(separator_position="end")
    with pytest.raises(OptionError, match="max_size"):
        NotebookCells(max_size=0)


@pytest.mark.parametrize("options", [{}, {"max_size": 1e9}, {"max_size": 1, "length_function": "words"}], ids=repr)
def test_it_takes_linear_time(options: dict[str, Any]) -> None:
    def seconds(count: int) -> float:
        document = notebook(*[("markdown", "# A"), ("markdown", "## B"), code("x", "y"), ("raw", "")] * count)
        begun = time.process_time()
        document.chunk(NotebookCells, overlap=0, **options)
        return time.process_time() - begun

    times = [(seconds(250), seconds(2000)) for _ in range(3)]
    assert min(large for _, large in times) < 30 * max(min(small for small, _ in times), 0.01)
