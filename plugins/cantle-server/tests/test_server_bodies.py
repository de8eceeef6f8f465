"""JSON of strangers."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from cantle_server import Problem
from cantle_server.api import json_body
from cantle_server.api.store_models import SearchAsked
from cantle_server.bodies import MAX_DEPTH, parse_json
from cantle_server.jobs import chunk

BAD = {
    "empty": (b"", "invalid_json"),
    "blanks": (b" \n", "invalid_json"),
    "no JSON": (b"{'a': 1}", "invalid_json"),
    "cut off": (b'{"a": ', "invalid_json"),
    "more behind": (b"{} {}", "invalid_json"),
    "NaN": (b'{"a": NaN}', "invalid_json"),
    "Infinity": (b"[-Infinity]", "invalid_json"),
    "too large": (b"[1e999]", "invalid_json"),
    "many digits": (b"[" + b"9" * 5000 + b"]", "invalid_json"),
    "a key twice": (b'{"a": {"b": 1, "b": 2}}', "duplicate_key"),
    "not UTF-8": (b'{"a": "\xff"}', "invalid_utf8"),
    "a surrogate in UTF-8": (b'"\xed\xa0\x80"', "invalid_utf8"),
    "UTF-16": ("{}".encode("utf-16"), "invalid_utf8"),
    "cut-off UTF-8": (b'"\xe2\x82', "invalid_utf8"),
    "deep lists": (b"[" * 10_000 + b"]" * 10_000, "too_deep"),
    "deep objects": (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "too_deep"),
    "deep and open": (b"[" * 1_000_000, "too_deep|invalid_json"),
    "one too deep": (b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2), "too_deep"),
    "control characters": (b'"\x01"', "invalid_json"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_json_is_400(name: str) -> None:
    data, code = BAD[name]
    with pytest.raises(Problem) as caught:
        parse_json(data)
    assert caught.value.status == 400
    assert caught.value.code in code.split("|")


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'"\\ud800"', "\ud800"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b"\xef\xbb\xbf{}", {}),
        (b'"\\u0000"', "\0"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), None),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b'{"a": 1, "b": {"a": 1}}', {"a": 1, "b": {"a": 1}}),
    ],
)
def test_what_is_json_is_read(data: bytes, value: Any) -> None:
    found = parse_json(data)
    assert value is None or found == value


LEAVES = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=9))
def test_it_reads_as_python_does(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(Problem):
        json.dumps(parse_json(data))


@pytest.mark.parametrize("where", ["chunk", "store"])
def test_of_a_name_that_is_not_known_only_the_beginning_is_compared(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = list[str]()

    def compare(word: str, *_: Any, **__: Any) -> list[str]:
        compared.append(word)
        return []

    name = "ab" * 100_000
    if where == "chunk":
        monkeypatch.setattr(chunk, "get_close_matches", compare)
        with pytest.raises(Problem, match="There is no field"):
            next(chunk.chunk(json.dumps({name: 1}).encode(), False, 10))
    else:
        monkeypatch.setattr(json_body, "get_close_matches", compare)
        with pytest.raises(ValidationError, match="there is no"):
            SearchAsked.model_validate({name: 1})
    assert [len(word) for word in compared] == [100]
