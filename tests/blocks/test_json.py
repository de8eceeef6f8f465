"""Reading JSON: what is refused and how, what is where, how strings are written."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given

from cantle.blocks.json import Tree, read, written
from cantle.blocks.json.check import values
from cantle.errors import DocumentError
from cantle.testing import json_documents, texts


def tree(text: str, **options: bool) -> Tree:
    found = read(text, **options)
    assert found is not None
    return found[0]


WRONG = [
    (
        "{'a':1}",
        "line 1, column 2: expected a key in double quotes or '}', found \"'\"; strings and keys stand in double",
    ),
    ('{"a":1,}', "line 1, column 8: expected a key in double quotes, found '}'; leave the comma before it out"),
    ("[1,\n 2,]", "line 2, column 4: expected a value, found ']'; leave the comma before it out"),
    ('{"a":1 // one\n}', "line 1, column 8: expected ',' or '}', found '/'; JSON has no comments"),
    ("[NaN]", "column 2: expected a value or ']', found 'NaN'; a number that is not finite is not JSON, write null"),
    ('{"a":-Infinity}', "column 6: expected a value, found '-Infinity'; a number that is not finite"),
    ("[True]", "found 'True'; JSON writes true, false and null"),
    ("[01]", "column 2: expected a value or ']', found '01'"),
    ("[1.]", "found '1.'"),
    ("[1 2]", "column 4: expected ',' or ']', found '2'"),
    ('{"a" 1}', "column 6: expected ':', found '1'"),
    ('{"a":1 "b":2}', "column 8: expected ',' or '}', found '\"'"),
    ('["a', "column 2: a string begins here that nothing closes"),
    ('["a\\x"]', r"column 4: '\\x' is no escape"),
    ('["a\\u12"]', r"column 4: '\\u' is no escape"),
    ('["a\nb"]', "column 4: '\\n' stands bare in a string"),
    ("[[1]", "column 5: expected ',' or ']', but the text ends here, with 1 of '{' and '[' still open"),
    ("[1]]", "column 4: expected the end of the document, or of the line, found ']'"),
    ("1 2", "column 3: expected the end of the document, or of the line, found '2'"),
    ("1\n2 3", "line 2, column 3: expected the end of the document, or of the line, found '3'"),
    ("}", "column 1: expected a value, found '}'"),
    ("{]", "column 2: expected a key in double quotes or '}', found ']'"),
    ("[}", "column 2: expected a value or ']', found '}'"),
    ("\u00a01", "column 1: expected a value, found '\\xa0'"),
    ("# Title", "column 1: expected a value, found '#'; JSON has no comments"),
    ("[" * 1_000_000, "column 1000001: expected a value or ']', but the text ends here, with 1000000 of"),
    ('{"a":' * 100_000 + "1" + "}" * 99_999, "but the text ends here, with 1 of '{' and '[' still open"),
    ("[" * 2_000 + "1,]" + "]" * 2_000, "leave the comma before it out"),
]


@pytest.mark.parametrize(("text", "reason"), [pytest.param(t, r, id=t[:20]) for t, r in WRONG])
def test_what_is_wrong_is_said_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert reason in str(caught.value)
    assert "python -m json.tool" in str(caught.value)


@given(texts())
def test_what_python_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text)
        good = not any(word in text for word in ("NaN", "Infinity"))
    except ValueError:
        good = "\n" in text or text.startswith("\ufeff") or not text.strip(" \t\r\n")
    if not good:
        with pytest.raises(DocumentError):
            read(text)


@given(json_documents())
def test_the_copy_is_compact_and_knows_where_it_comes_from(text: str) -> None:
    found = tree(text)
    assert json.loads(found.text) == json.loads(text)
    assert len(found.text) <= len(json.dumps(json.loads(text), separators=(",", ":"))) + 20 * text.count("e+")
    assert len(found.at) == len(found.text)
    assert list(found.at) == sorted(found.at)
    for start, char in zip(found.at, found.text, strict=True):
        assert text[start] in (char, "\\") or "\ud800" <= text[start] <= "\udfff"


@given(json_documents())
def test_deep_documents_are_read_as_shallow_ones(text: str) -> None:
    """Around the depth at which CPython's scanner gives up, ours takes over: the two see the same."""
    inner = tree(text)
    outer = tree("[" * 3_000 + text + "]" * 3_000)
    assert outer.text == "[" * 3_000 + inner.text + "]" * 3_000


def test_containers_are_runs_of_marks() -> None:
    found = tree(' { "a" : [1, {}, "x,]"] , "b" : { "c" : [ ] } } ')
    assert found.text == '{"a":[1,{},"x,]"],"b":{"c":[]}}'
    close = found.closing(0)
    assert [found.text[found.marks[i]] for i in range(close + 1)] == ["{", ":", ",", ":", "}"]
    inner = found.opening(5, 1)
    assert [found.marks[i] for i in range(inner, found.closing(inner) + 1)] == [5, 7, 10, 16]
    empty = found.opening(found.text.index("[]"), 2)
    assert found.closing(empty) == empty + 1
    assert found.origin(5, 17) == (9, 23)


def test_the_check_keeps_no_objects() -> None:
    text = "[" + ",".join(['{"a":{"b":[1,2,"x"]}}'] * 20_000) + "]"
    tracemalloc.start()
    found, keys = values(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found, keys) == ([(0, len(text))], 40_000)
    assert peak < 2 * len(text)  # a byte for each character; the objects would be some twenty


def test_nothing_and_byte_order_marks() -> None:
    assert read("") is None
    assert read(" \n\t") is None
    assert read("\ufeff") is None
    assert tree('\ufeff {"a": 1}').text == '{"a":1}'
    assert tree('\ufeff {"a": 1}').at[0] == 2


def test_json_lines_are_a_list() -> None:
    found = tree('{"a": 1}\n\n [2]\r\n"x"\n')
    assert found.several
    assert found.text == '[{"a":1},[2],"x"]'
    assert not tree("[1]\n").several
    assert tree('{"a":\n1}\n{"b":\n2}').text == '[{"a":1},{"b":2}]'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r'"\u0041\/\\u0041"', r'"A/\\u0041"'),
        (r'"\u00e9\u000a\u0022\u005C\u001F"', r'"é\n\"\\\u001f"'),
        (r'"\ud83d\ude00\uD83D"', '"\U0001f600\\ud83d"'),
        ('"\ud83d"', r'"\ud83d"'),
        ('"\ud83d\ude00"', '"\ud83d\ude00"'),
        ("1.0", "1.0"),
    ],
)
def test_strings_are_written_as_javascript_writes_them(text: str, wanted: str) -> None:
    assert tree(text).text == wanted
    assert written(text) == wanted


def test_ascii_only_where_it_is_no_key() -> None:
    text = '{"é": "é", "b" : ["\U0001f600", "\\u00e9"], "\\u00e8":"x"}'
    wanted = '{"é":"\\u00e9","b":["\\ud83d\\ude00","\\u00e9"],"è":"x"}'
    assert tree(text, ensure_ascii=True).text == wanted
    assert "".join(written(text, ensure_ascii=True).split()) == wanted
    assert written("é", ensure_ascii=True) == "\\u00e9"


def test_lists_as_objects() -> None:
    found = tree('[1, [ ], [[2], "[,]"], {"a": [3]}]', convert_lists=True)
    assert found.text == '{"0":1,"1":{},"2":{"0":{"0":2},"1":"[,]"},"3":{"a":{"0":3}}}'
    assert [found.source[i] for i in found.lists] == list("[[][[]][]]")
    assert found.is_made(1)
    assert not found.is_made(found.text.index('"a"'))
    assert tree("1\n2", convert_lists=True).text == '{"0":1,"1":2}'


def test_repeated_keys_are_found() -> None:
    text = '{"a":1,"b":{"a":1,"\\u0061":2},"a":2,"b":3,"a":4}'
    found = read(text)
    assert found is not None
    copy, repeats = found
    assert repeats
    assert [copy.key_after(border) for border in copy.repeats()] == ['"a"', '"a"', '"a"']
    assert [copy.text[border:][:4] for border in copy.repeats()] == [',"a"'] * 3
    fine = read('{"a":{"a":1},"b":"a:","c":[{"a":1},{"a":1}]}')
    assert fine is not None
    assert not fine[1]


@pytest.mark.parametrize("slashes", range(1, 9))
def test_backslashes_before_a_quote(slashes: int) -> None:
    inner = "\\" * slashes
    text = f'["{inner}" , "x"]' if slashes % 2 == 0 else f'["{inner}" , x"]'
    assert tree(text).text == (text.replace('" , "', '","') if slashes % 2 == 0 else text)
