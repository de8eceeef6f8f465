"""The public names, and what importing them costs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest

import cantle
from cantle import errors

HEAVY = set(
    "numpy tiktoken toktok lxml markdown_it nltk rich importlib.metadata yaml regex pluggy click asyncio pandas "  # noqa: SIM905
    "pyarrow hypothesis bs4 charset_normalizer pylatexenc selectolax punkt fastokens tokenizers".split()
)


def loaded(code: str) -> set[str]:
    """The modules that are loaded after the code ran in a bare process."""
    command = [sys.executable, "-I", "-c", f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"]
    return set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def test_all_is_what_is_visible() -> None:
    visible = {name for name in dir(cantle) if not name.startswith("_")} - {"errors"}
    assert visible == set(cantle.__all__)
    assert sorted(cantle.__all__) == sorted(cantle._HOMES)
    assert len(cantle.__all__) == len(set(cantle.__all__))


@pytest.mark.parametrize("name", cantle.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(cantle, name)
    assert name in import_module(f"cantle.{cantle._HOMES[name]}").__all__
    if name != "hookimpl":  # a marker object
        assert value.__doc__


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'cantle' has no attribute 'chunk_all'"):
        cantle.chunk_all


def test_a_star_import_gives_exactly_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from cantle import *", names)
    assert set(names) - {"__builtins__"} == set(cantle.__all__)


def test_importing_cantle_costs_next_to_nothing() -> None:
    new = loaded("import cantle") - loaded("")
    assert not new & HEAVY
    assert len(new) <= 90, sorted(new)


def test_chunks_and_documents_load_nothing_heavy() -> None:
    new = loaded("from cantle import Chunk, Chunks, Source, OffsetMap; Chunks(Source('a'), [Chunk('a', 0, 1)])[0].id")
    assert not new & HEAVY


def test_chunking_by_characters_loads_no_tokenizer() -> None:
    new = loaded("from cantle import MDocument; MDocument.from_text('a b ' * 99).chunk('recursive', max_size=20)")
    assert not new & {"tiktoken", "toktok", "fastokens", "yaml", "rich", "click", "pandas", "pyarrow", "hypothesis"}


def test_every_error_is_a_cantle_error() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, errors.CantleWarning if name.endswith("Warning") else errors.CantleError)
        assert kind.__doc__


def test_the_kit_needs_hypothesis_only_when_it_is_used() -> None:
    new = loaded("import cantle.testing")
    assert not new & {"hypothesis", "pytest"}


def test_the_version() -> None:
    from importlib.metadata import version

    assert version("cantle") == cantle.__version__
