"""The options of the strategy `partition` as JSON Schema."""

from __future__ import annotations

import pytest

from cantle.errors import OptionError
from cantle.schema import json_schema
from cantle.words import LANGUAGES
from cantle_llm.partitioning.options import ENGINES
from cantle_llm.partitioning.strategy import Partition

SCHEMA = json_schema(Partition)
OPTIONS = SCHEMA["properties"]


def test_choices_are_those_that_are_checked() -> None:
    assert OPTIONS["engine"]["enum"] == [*ENGINES, None]
    assert sorted(OPTIONS["language"]["enum"][:-1]) == sorted(LANGUAGES)
    for language in OPTIONS["language"]["enum"]:
        assert Partition(language=language).language == language


def test_a_client_cannot_be_given_in_json() -> None:
    assert SCHEMA["x-python-only"] == ["client"]


def test_bounds_are_those_that_are_checked() -> None:
    bounded = {name: part for name, form in OPTIONS.items() for part in form.get("anyOf", [form]) if "minimum" in part}
    assert set(bounded) >= {"max_chars_per_chunk", "overlap_lines", "min_coverage", "max_words_per_line"}
    for name, form in bounded.items():
        Partition(**{name: form["minimum"]})
        with pytest.raises(OptionError, match=name):
            Partition(**{name: form["minimum"] - 1})
    Partition(min_coverage=OPTIONS["min_coverage"]["maximum"])
    with pytest.raises(OptionError, match="min_coverage"):
        Partition(min_coverage=1.1)
