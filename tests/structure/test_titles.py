"""Titles of HTML headings, and the option for their lines that has no effect."""

from __future__ import annotations

import pytest

from cantle import MDocument
from cantle.errors import UnusedOptionWarning

PAGE = '<h1>Guide<a class="headerlink" href="#g">\xb6</a></h1><p>One.</p><h2>\xb6</h2><p>Two.</p>'


def test_a_sign_for_links_is_no_part_of_a_title() -> None:
    chunks = MDocument.from_html(PAGE).chunk("structural-context", max_size=40, min_chunk_size=0)
    assert [(chunk.path, chunk.prefix, chunk.content) for chunk in chunks] == [
        (("Guide",), "", "Guide\xb6\n\nOne."),
        (("Guide", "\xb6"), "# Guide\n\n", "\xb6\n\nTwo."),
    ]


def test_heading_path_without_headings_warns() -> None:
    with pytest.warns(UnusedOptionWarning, match=r"heading_path has no effect with prepend_heading=False"):
        MDocument.from_html(PAGE).chunk("structural-context", prepend_heading=False, heading_path=False)
