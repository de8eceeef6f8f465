"""A sentence that ends with a colon stays with what it leads in, where both fit."""

from __future__ import annotations

from typing import Any

import pytest

from cantle import MDocument
from cantle.lengths import resolve
from cantle.testing import check_document

LONG = "This is the first sentence of a paragraph. This is another one that takes room. "
CODE = "```sh\nmake all\n\nmake install\n```"


def contents(text: str, kind: str = "markdown", **options: Any) -> list[str]:
    chunks = MDocument(text, kind=kind).chunk("structural-context", **{"min_chunk_size": 0, **options})
    return [chunk.content for chunk in chunks]


@pytest.mark.parametrize("colon", [":", ":**", "\uff1a"])
@pytest.mark.parametrize("between", ["\n\n", "\n", "\r\n\r\n", "\r\r", " \n \n"])
def test_the_last_sentence_before_code_goes_with_it(colon: str, between: str) -> None:
    text = f"{LONG}Then build it{colon}{between}{CODE}{between}And so on."
    found = contents(text, max_size=100)
    assert found[0] == LONG.rstrip()
    assert found[1].startswith(f"Then build it{colon}{between}{CODE}")


@pytest.mark.parametrize(
    "block",
    [
        CODE,
        "- one\n- two",
        "| a | b |\n|---|---|\n| c | d |",
        "> Quoted words\n> go on.",
        "$$\nx = y\n$$",
        "A paragraph of two lines\nthat stands alone.",
    ],
)
def test_every_kind_of_block(block: str) -> None:
    text = f"{LONG}Here it is:\n\n{block}\n\n{LONG}"
    assert f"Here it is:\n\n{block}" in contents(text, max_size=90)


def test_what_fits_is_not_cut_for_its_lead() -> None:
    code = "```\n" + "x = 1\n" * 14 + "```"
    found = contents(f"The sentence in front of it:\n\n{code}\n\nEnd.", max_size=len(code) + 3)
    assert found == ["The sentence in front of it:", code, "End."]


def test_nor_is_a_paragraph() -> None:
    told = "It says that the first thing counts most. And that the second one does not."
    assert contents(f"{LONG}As written:\n\n{told}", max_size=len(told) + 1)[-1] == told


@pytest.mark.parametrize("item", ["- one", "1. one", "a) one", "\u2022 one"])
def test_items_in_plain_text_without_a_blank_line(item: str) -> None:
    text = f"{LONG}It takes these:\n{item}\n{item}\n\n{LONG}"
    assert f"It takes these:\n{item}" in "\0".join(contents(text, "text", max_size=80)).split("\0", 1)[1]


def test_the_first_item_of_a_list_that_is_cut() -> None:
    items = "\n".join(f"- item number {i}" for i in range(12))
    found = contents(f"{LONG}Take these:\n\n{items}", max_size=90)
    assert found[0] == LONG.rstrip()
    assert found[1].startswith("Take these:\n\n- item number 0\n- item number 1")


def test_the_first_rows_of_a_table_and_of_code_that_are_cut() -> None:
    table = "| a | b |\n|---|---|\n" + "| cc | dd |\n" * 12
    found = contents(f"{LONG}{LONG}Its rows:\n\n{table}", max_size=180)
    assert found[1].startswith("Its rows:\n\n| a | b |\n|---|---|\n| cc | dd |")
    code = "```\n" + "line of code\n" * 20 + "```"
    found = contents(f"{LONG}{LONG}Its lines:\n\n{code}", max_size=180)
    assert found[1].startswith("Its lines:\n\n```\nline of code\n")
    assert found[1].endswith("\n```")


def test_a_wrapped_line_with_a_colon_leads_nothing_in() -> None:
    text = "One sentence of words:\nthe rest of it goes on here. Another sentence that is as long as it."
    assert contents(text, "text", max_size=60)[0] == "One sentence of words:\nthe rest of it goes on here."


def test_a_chain_of_leads_is_kept_as_far_as_it_fits() -> None:
    text = "\n\n".join(f"Number {i}:" for i in range(20))
    found = contents(text, max_size=50)
    assert "\n\n".join(found) == text
    assert all(content.startswith("Number") and len(content) <= 50 for content in found)


def test_in_latex_and_html() -> None:
    formula = "\\begin{equation}\n  h = 2\n\n  v = 3\n\\end{equation}"
    found = contents(f"\\section{{A}}\n{LONG}{LONG}The height follows:\n{formula}\nEnd.", "latex", max_size=130)
    assert any(f"The height follows:\n{formula}" in content for content in found)
    page = f"<p>{LONG}{LONG}Take these things:</p><ul><li>one</li><li>two</li></ul><p>{LONG}</p>"
    found = contents(page, "html", max_size=120)
    assert any("Take these things:" in content and "two" in content for content in found)


@pytest.mark.parametrize("options", [{}, {"overlap": 30}, {"length_function": "cl100k_base", "max_size": 20}], ids=str)
@pytest.mark.parametrize("kind", ["markdown", "text", "pdf", "html", "latex"])
def test_the_contract(kind: str, options: dict[str, Any]) -> None:
    part = "a. b:\n\n- c:\n  - d:\n\n```\ne:\n\nf\n```\ng:\n| h |\n|---|\n| i |\n:\n\n# j:\n\n> k:\n\n***l:***\n \n"
    part += "m\n\nn\r\n\r\no:\r\r\n"
    check_document("structural-context", MDocument(part * 12, kind=kind), **{"max_size": 70, **options})


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
def test_code_that_just_fits_in_tokens_is_not_cut(encoding: str) -> None:
    length = resolve(encoding)
    rows = "const url = 'https://localhost:1234';\n\nfunction Room({ id }) {\n  // \U0001f534 falta: 'id'\n}\n"
    for count in range(1, 6):
        code = "```js {8}\n" + rows * count + "```"
        text = f"O linter n\u00e3o permitiria isso.\n\n{code}\n\nE estaria certo! N\u00e3o \u00e9 um valor reativo."
        found = contents(text, length_function=encoding, max_size=int(length(code)))
        assert code in found
