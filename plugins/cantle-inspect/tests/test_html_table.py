"""A table for notebooks: whatever is in a cell is text."""

from __future__ import annotations

import pytest

from cantle_inspect.measures.html_table import html_table


def test_a_table_has_a_caption_a_head_and_a_row_each() -> None:
    made = html_table(["name", "size"], [["a", 1], ["b", None], ["c", True]], "Sizes")
    assert made.startswith('<table><caption>Sizes</caption><thead><tr><th scope="col">name</th>')
    assert '<tr><td><bdi>a</bdi></td><td style="text-align:right"><bdi>1</bdi></td></tr>' in made
    assert "<td><bdi>b</bdi></td><td></td>" in made
    assert "<td><bdi>True</bdi></td>" in made
    assert "caption" not in html_table(["a"], [])


def test_everything_is_escaped() -> None:
    evil = "<img src=x onerror=alert(1)>\"'&\u202e\ud800"
    made = html_table([evil], [[evil]], evil)
    assert "<img" not in made
    assert made.count("&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;&amp;⟨U+202E⟩⟨U+D800⟩") == 3


def test_a_row_of_another_width_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        html_table(["a", "b"], [["a"]])
