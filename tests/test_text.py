"""`cantle.text`, what authors of strategies cut with; and where warnings point."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import MDocument, Registry
from cantle.errors import PluginWarning, UnusedOptionWarning
from cantle.lengths import resolve
from cantle.strategies.token import Token
from cantle.testing import texts
from cantle.text import cut, is_blank, is_boundary

LENGTHS = ["characters", "utf16", "words", "cl100k_base"]


@settings(deadline=None, derandomize=True, database=None)
@given(text=texts(), limit=st.integers(1, 40), length=st.sampled_from(LENGTHS), strip=st.booleans())
def test_cut_keeps_limit_clusters_and_everything(text: str, limit: int, length: str, strip: bool) -> None:
    count = resolve(length)
    spans = cut(text, count.measure(text), limit, strip=strip)
    at = 0
    for start, end in spans:
        assert start >= at
        assert is_blank(text[at:start])
        assert is_boundary(text, start)
        assert is_boundary(text, end)
        inner = [i for i in range(start + 1, end) if is_boundary(text, i)]
        assert count(text[start:end]) <= limit or not inner
        at = end
    assert is_blank(text[at:])
    assert strip or "".join(text[a:b] for a, b in spans) == text


def test_separators_overlap_and_a_region() -> None:
    text = "one two\n\nthree four five"
    measure = resolve("characters").measure(text)
    assert cut(text, measure, 99) == [(0, 24)]
    assert [text[a:b] for a, b in cut(text, measure, 10, separators=("\n\n", " "))] == ["one two", "three four", "five"]
    parts = cut(text, measure, 10, start=9, separators=(" ",), overlap=5)
    assert [text[a:b] for a, b in parts] == ["three four", "four five"]


def place(found: list[warnings.WarningMessage]) -> tuple[str, str]:
    (warning,) = found
    line = Path(warning.filename).read_text("utf-8").splitlines()[warning.lineno - 1]
    return Path(warning.filename).name, line.strip()


def test_warnings_point_at_the_caller(tmp_path: Path) -> None:
    with pytest.warns(UnusedOptionWarning) as found:
        MDocument.from_text("a").chunk("token", length_function="words")  # here 1
    assert place(list(found)) == (
        "test_text.py",
        'MDocument.from_text("a").chunk("token", length_function="words")  # here 1',
    )
    with pytest.warns(UnusedOptionWarning) as found:
        Token(length_function="words")
    assert place(list(found)) == ("test_text.py", 'Token(length_function="words")')
    with pytest.warns(PluginWarning) as found:
        Registry({"gone": "cantle_no_such_module"})
    assert place(list(found)) == ("test_text.py", 'Registry({"gone": "cantle_no_such_module"})')
