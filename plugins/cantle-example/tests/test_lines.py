"""The strategy, as its users meet it: by name, through the entry point."""

import pytest

from cantle import MDocument, registry
from cantle.errors import OptionError
from cantle.testing import check_strategy
from cantle_example import Lines


def test_the_strategy_is_found_by_its_entry_point() -> None:
    assert registry().strategies()["lines"] is Lines
    assert registry().provider("lines") == "example"


@pytest.mark.parametrize("every", [1, 3])
def test_it_keeps_the_contract(every: int) -> None:
    check_strategy("lines", every=every)


@pytest.mark.parametrize(
    ("text", "every", "expected"),
    [
        ("", 1, []),
        ("one\ntwo\nthree\n", 1, ["one", "two", "three"]),
        ("one\ntwo\nthree", 2, ["one\ntwo", "three"]),
        ("one\r\ntwo\r\n", 1, ["one", "two"]),
        ("one\n\n \n\ufeff\ntwo", 1, ["one", "two"]),
        ("  one\n", 5, ["  one"]),
    ],
)
def test_chunks(text: str, every: int, expected: list[str]) -> None:
    doc = MDocument.from_text(text, metadata={"lang": "en"}, source="log")
    chunks = doc.chunk("lines", every=every)
    assert chunks.texts == expected
    assert [text[c.start : c.end] for c in chunks] == expected
    assert all(c.metadata == {"lang": "en"} and c.source == "log" for c in chunks)
    assert not chunks.dropped


@pytest.mark.parametrize("every", [0, -1, 2.0, "3", None])
def test_a_wrong_option_is_refused(every: object) -> None:
    with pytest.raises(OptionError, match="every must be a whole number of at least 1"):
        MDocument.from_text("one").chunk("lines", every=every)
