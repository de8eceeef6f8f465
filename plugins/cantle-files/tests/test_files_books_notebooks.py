"""Reading of Jupyter notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import DocumentError
from cantle_files import Limits, read_file
from cantle_files.notebooks.notebook import MOST_OUTPUT


def cell(kind: str, source: Any, **more: Any) -> dict[str, Any]:
    outputs: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **outputs, **more}


def notebook(*cells: Any, **more: Any) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def read(data: bytes, **options: Any) -> MDocument:
    return read_file(data, name="n.ipynb", **options)


def output(*outputs: dict[str, Any]) -> str:
    """What is kept of some outputs."""
    text = read(notebook(cell("code", "x", outputs=list(outputs)))).text
    before, _, after = text.partition("```output\n")
    assert before == "<!-- cell 1: code -->\n```python\nx\n```\n" + ("\n" if after else "")
    return after.removesuffix("\n```\n")


def stream(text: Any, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(**data: Any) -> dict[str, Any]:
    named = {key.replace("_", "/", 1).replace("_", "+"): value for key, value in data.items()}
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": named}


def test_a_notebook_of_nbformat(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    v4 = nbformat.v4
    made = v4.new_notebook(
        metadata={
            "kernelspec": {"name": "ir", "language": "R", "display_name": "R"},
            "title": "Tides",
            "authors": [{"name": "Ada Keel"}, {"name": "Ben Mast"}],
        },
        cells=[
            v4.new_markdown_cell("# Tides\n\nHow high."),
            v4.new_code_cell("x <- 1\nx", outputs=[v4.new_output("stream", text="[1] 1\n")]),
            v4.new_markdown_cell(""),
            v4.new_raw_cell("raw text"),
        ],
    )
    path = tmp_path / "tides.ipynb"
    nbformat.write(made, path)
    document = MDocument.from_file(path)
    assert document.kind == "notebook"
    assert document.text == (
        "<!-- cell 1: markdown -->\n# Tides\n\nHow high.\n\n"
        "<!-- cell 2: code -->\n```r\nx <- 1\nx\n```\n\n```output\n[1] 1\n```\n\n"
        "<!-- cell 4: raw -->\nraw text\n"
    )
    assert document.metadata == {
        "title": "Tides",
        "author": "Ada Keel, Ben Mast",
        "code_language": "r",
        "cell_count": 4,
    }
    chunks = document.chunk(max_size=40, overlap=0)
    assert [(chunk.path, chunk.metadata["cells"]) for chunk in chunks][:2] == [
        (("Tides",), [1, 1]),
        (("Tides",), [2, 2]),
    ]
    assert document.strategy_for() == "notebook"


def test_a_notebook_of_nbformat_3() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    v3 = nbformat.v3
    code = v3.new_code_cell(
        input="print(1)",
        outputs=[
            v3.new_output(output_type="stream", output_text="1\n"),
            v3.new_output(output_type="pyout", output_text="2", output_png="xx"),
            v3.new_output(output_type="pyout", output_text="3"),
            v3.new_output(output_type="pyerr", ename="KeyError", evalue="'a'", traceback=["..."]),
        ],
    )
    cells = [v3.new_heading_cell(source="Tides", level=2), v3.new_text_cell("markdown", source="Text."), code]
    made = v3.new_notebook(worksheets=[v3.new_worksheet(cells=cells)])
    assert read(v3.writes_json(made).encode()).text == (
        "<!-- cell 1: markdown -->\n## Tides\n\n<!-- cell 2: markdown -->\nText.\n\n"
        "<!-- cell 3: code -->\n```python\nprint(1)\n```\n\n```output\n1\n3\nKeyError: 'a'\n```\n"
    )


def test_outputs_are_kept_as_text() -> None:
    assert output(stream(["a\n", "b\n"]), stream("warned\n", "stderr")) == "a\nb\nwarned"
    assert output(result(text_plain="42", text_html="<b>42</b>")) == "42"
    assert output(result(text_plain="<IPython.core.display.Markdown object>", text_markdown="**m**")) == "**m**"
    assert output(result(text_plain="<IPython.core.display.HTML object>", text_html="<b>x</b>")) == ""
    assert output(result(text_plain="<Figure size 640x480 with 1 Axes>", image_png="iVBO")) == ""
    assert output(result(image_svg_xml="<svg/>", text_plain="<map>")) == ""
    traceback = ["\x1b[0;31mTraceback\x1b[0m", "..."]
    error = {"output_type": "error", "ename": "ValueError", "evalue": "bad \x1b[1mx\x1b[0m", "traceback": traceback}
    assert output(error) == "ValueError: bad x"
    assert output(stream("10%\r50%\r100%\r\ndone\x08")) == "100%\ndone"
    assert output(result(application_json="{}")) == ""


def test_long_outputs_are_cut_and_say_so() -> None:
    kept = output(stream("line of output\n" * 10_000), stream("more\n"))
    assert kept.endswith("line of output\n... (150,005 characters in all)")
    assert MOST_OUTPUT - 100 < len(kept) < MOST_OUTPUT + 100
    assert output(stream("a" * MOST_OUTPUT)) == "a" * MOST_OUTPUT
    assert output(stream("a" * 10**6)) == "a" * MOST_OUTPUT + "\n... (1,000,000 characters in all)"


def test_fences_are_longer_than_those_inside() -> None:
    text = read(notebook(cell("code", 's = """\n````\n"""'))).text
    assert text == '<!-- cell 1: code -->\n`````python\ns = """\n````\n"""\n`````\n'


def test_the_language_of_a_cell_is_that_of_its_magic() -> None:
    assert "```bash\n%%bash\nls\n```" in read(notebook(cell("code", "%%bash\nls"))).text
    julia = {"metadata": {"language_info": {"name": "julia"}, "kernelspec": {"language": "python"}}}
    assert "```julia\n" in read(notebook(cell("code", "x"), **julia)).text
    assert "```python\n" in read(notebook(cell("code", "x"), metadata={"kernelspec": {"language": "a`b\n"}})).text


def test_a_cell_cannot_make_borders() -> None:
    document = read(notebook(cell("markdown", "a\n<!-- cell 2: code -->\nb"), cell("markdown", "c")))
    assert [chunk.metadata["cells"] for chunk in document.chunk("notebook")] == [[1, 2]]
    assert "\n <!-- cell 2: code -->\nb" in document.text


def test_embedded_pictures_are_left_out_up_to_their_type() -> None:
    text = read(notebook(cell("markdown", f"![a](data:image/png;base64,{'iVBO' * 1000}) b"))).text
    assert text == "<!-- cell 1: markdown -->\n![a](data:image/png) b\n"


@pytest.mark.parametrize(
    "more",
    [
        {"nbformat": "four"},
        {"nbformat": 7, "nbformat_minor": None},
        {"metadata": None},
        {"metadata": {"kernelspec": [], "language_info": {"name": 3}, "authors": "x", "title": ["t"]}},
        {"surprise": 1},
    ],
    ids=repr,
)
def test_what_nbformat_finds_invalid_is_read(more: dict[str, Any]) -> None:
    bare = {"cell_type": "markdown", "source": ["a\n", None, "b"], "id": 1}
    odd = {"cell_type": "code", "source": "x", "outputs": [None, {"output_type": "stream"}, {"text": 1}, "s"]}
    document = read(notebook(bare, odd, {"cell_type": "odd", "source": "c"}, {}, **more))
    assert document.text == (
        "<!-- cell 1: markdown -->\na\nb\n\n<!-- cell 2: code -->\n```python\nx\n```\n\n<!-- cell 3: raw -->\nc\n"
    )


def test_any_string_is_taken() -> None:
    document = read(notebook(cell("markdown", "a\ud800b\0\u202e\ufeff"), cell("code", "\r\nx\r\n")))
    assert "a\ud800b" in document.text
    assert "```python\nx\n```" in document.text
    assert [chunk.content for chunk in document.chunk(max_size=1000)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "n.ipynb is an empty file, not a Jupyter notebook"),
        (b'{"cells": [', "n.ipynb is no Jupyter notebook, which is JSON: Expecting value"),
        (b"<<<<<<< HEAD\n{}", "holds marks of a merge"),
        (b'{"a": 1}', "n.ipynb is JSON, but no Jupyter notebook: it has no list of cells"),
        (b"[1]", "no list of cells"),
        (b'{"cells": 3}', "no list of cells"),
        (b'{"cells": ["x"]}', "its cell 1 is str, not an object"),
        (b"\xff\xff{}", "it is not in UTF-8"),
        (b"[" * 100_000, "nested too deeply|no Jupyter notebook"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_is_no_notebook_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read(data)


def test_limits_hold() -> None:
    with pytest.raises(DocumentError, match=r"n\.ipynb has 3 cells; the limit is 2"):
        read(notebook(*[cell("raw", "x")] * 3), limits=Limits(max_pages=2))
    with pytest.raises(DocumentError, match="more than 100 characters; the limit is 100"):
        read(notebook(cell("raw", "x" * 200)), limits=Limits(max_characters=100))


def test_an_empty_notebook_is_an_empty_document() -> None:
    document = read(notebook())
    assert (document.text, list(document.chunk())) == ("", [])
