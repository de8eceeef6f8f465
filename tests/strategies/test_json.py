"""The strategy `json`: what goes together, where strings are cut, paths, spans, options, errors, hard documents."""

from __future__ import annotations

import json
import time
import warnings
from typing import Any

import pytest

from cantle import Chunks, MDocument, registry
from cantle.chunk import Cut
from cantle.errors import DocumentError, DuplicateKeyWarning, OptionError, UnusedOptionWarning
from cantle.strategies.json import Json
from cantle.testing import check_strategy

ADA = """{
  "name": "Ada", "born": 1815,
  "tags": ["math", "engine"],
  "home": {"city": "London", "zip": null, "ok": true}
}"""


def cut(text: str, **options: Any) -> Chunks:
    return MDocument.from_json(text).chunk("json", **options)


def test_contract() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateKeyWarning)
        check_strategy("json", examples=25)


def test_members_of_the_top_object() -> None:
    chunks = cut(ADA)
    assert chunks.texts == [
        '{"name":"Ada","born":1815}',
        '{"tags":["math","engine"]}',
        '{"home":{"city":"London","zip":null,"ok":true}}',
    ]
    assert [chunk.path for chunk in chunks] == [(), ("tags",), ("home",)]
    assert [ADA[chunk.start : chunk.end] for chunk in chunks] == [
        '"name": "Ada", "born": 1815',
        '"tags": ["math", "engine"]',
        '"home": {"city": "London", "zip": null, "ok": true}',
    ]
    assert {reason for _, _, reason in chunks.dropped} == {"markup"}
    assert MDocument.from_json(ADA).chunk() == chunks


def test_an_object_that_does_not_fit_is_opened_under_its_keys() -> None:
    chunks = cut(ADA, max_size=34, min_size=1)
    assert chunks.texts[2:] == ['{"home":{"city":"London"}}', '{"home":{"zip":null,"ok":true}}']
    last = chunks[3]
    assert [ADA[start:end] for start, end in last.spans or ()] == ['"home":', '"zip": null, "ok": true']
    assert ADA[last.start : last.end] == '"zip": null, "ok": true'
    assert last.path == ("home",)


@pytest.mark.parametrize(
    ("text", "options", "wanted"),
    [
        ("{}", {}, []),
        ("[]", {}, []),
        (" \n", {}, []),
        ("5", {}, ["5"]),
        (' "a b" ', {}, ['"a b"']),
        ("[1, 2]", {}, ["[1,2]"]),
        ("[1, 2]", {"convert_lists": True}, ['{"0":1,"1":2}']),
        ('{"a":{},"b":[]}', {}, ['{"a":{}}', '{"b":[]}']),
        ('{"root":{"a":1}}', {}, ['{"root":{"a":1}}']),
        ('{"b":1,"o":{"x":1},"2":2}', {}, ['{"b":1}', '{"o":{"x":1}}', '{"2":2}']),
        ('{"a":12345678901234567890,"b":1.0,"c":1e21}', {}, ['{"a":12345678901234567890,"b":1.0,"c":1e21}']),
        ("[11, 22, 33, 44]", {"max_size": 10}, ["[11,22,33]", "[44]"]),
        ('{"l":[1,2,3,4,5,6]}', {"max_size": 13}, ['{"l":[1,2,3]}', '{"l":[4,5,6]}']),
        (
            '{"l":[{"a":"xxxxx","b":"yyyyy"},{"a":"zzzzz","b":"wwwww"}]}',
            {"max_size": 25, "min_size": 1},
            [
                '{"l":{"0":{"a":"xxxxx"}}}',
                '{"l":{"0":{"b":"yyyyy"}}}',
                '{"l":{"1":{"a":"zzzzz"}}}',
                '{"l":{"1":{"b":"wwwww"}}}',
            ],
        ),
        ("[[11,22,33,44]]", {"max_size": 14}, [f'{{"0":{{"{i}":{i + 1}{i + 1}}}}}' for i in range(4)]),
        ('{"a":1}\n\n{"b":2}\n', {}, ['[{"a":1},{"b":2}]']),
        ('{"a":1}\n{"b":2}\n', {"max_size": 10}, ['[{"a":1}]', '[{"b":2}]']),
        ('{"a":"\\u00e9\\/"}', {}, ['{"a":"é/"}']),
        ('{"é":"é"}', {"ensure_ascii": True}, ['{"é":"\\u00e9"}']),
    ],
)  # fmt: skip
def test_texts(text: str, options: dict[str, Any], wanted: list[str]) -> None:
    assert cut(text, **options).texts == wanted


def test_small_parts_take_in_what_follows() -> None:
    text = '{"o":{"a":1,"b":2,"x":{"p":"aaaaaaaaaaaaaaaaaa","q":2},"t":1}}'
    assert cut(text, max_size=40, min_size=1).texts == [
        '{"o":{"a":1,"b":2}}',
        '{"o":{"x":{"p":"aaaaaaaaaaaaaaaaaa"}}}',
        '{"o":{"x":{"q":2}}}',
        '{"o":{"t":1}}',
    ]
    joined = cut(text, max_size=40)
    assert joined.texts[2:] == ['{"o":{"x":{"q":2},"t":1}}']
    assert joined[2].path == ("o",)
    wide = '{"o":{"a":1,"b":2,"x":{"p":"aaaaaaaa","q":"bbbbbbbbbb","r":"ccccccccccc"}}}'
    assert cut(wide, max_size=50, min_size=40).texts == [
        '{"o":{"a":1,"b":2,"x":{"p":"aaaaaaaa"}}}',
        '{"o":{"x":{"q":"bbbbbbbbbb","r":"ccccccccccc"}}}',
    ]


def test_a_range_joins_members_of_the_top_object_too() -> None:
    text = '{"a":1,"b":[2],"c":{"d":3},"e":4}'
    assert cut(text, max_size=(20, 30)).texts == ['{"a":1,"b":[2],"c":{"d":3}}', '{"e":4}']


def test_long_strings_are_cut_at_words_in_their_place() -> None:
    text = json.dumps({"o": {"text": "one two three four five six seven eight nine ten"}})
    chunks = cut(text, max_size=40)
    assert chunks.texts == [
        '{"o":{"text":"one two three four "}}',
        '{"o":{"text":"five six seven eight "}}',
        '{"o":{"text":"nine ten"}}',
    ]
    assert "".join(json.loads(t)["o"]["text"] for t in chunks.texts) == json.loads(text)["o"]["text"]
    assert {chunk.path for chunk in chunks} == {("o",)}


def test_parts_of_strings_are_measured_with_their_escapes() -> None:
    text = json.dumps({"t": '"' * 60})
    chunks = cut(text, max_size=60)
    assert max(map(len, chunks.texts)) <= 60
    assert "".join(json.loads(t)["t"] for t in chunks.texts) == '"' * 60
    ascii_only = cut(json.dumps({"t": "é" * 60}), max_size=60, ensure_ascii=True)
    assert max(map(len, ascii_only.texts)) <= 60
    assert all(t.isascii() for t in ascii_only.texts)


def test_grapheme_clusters_stay_whole() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f466"
    parts = [json.loads(t)["t"] for t in cut(json.dumps({"t": family * 20}), max_size=41).texts]
    assert "".join(parts) == family * 20
    assert {part.replace(family, "") for part in parts} == {""}


def test_keys_that_leave_no_room_go_to_the_path() -> None:
    key = "k" * 40
    chunks = cut(json.dumps({key: 5, "o": {key: "a b c"}}), max_size=30)
    assert chunks.texts == ["5", '"a b c"']
    assert [chunk.path for chunk in chunks] == [(key,), ("o", key)]
    assert "key-in-path" in {reason for _, _, reason in chunks.dropped}
    outer = cut(json.dumps({"outer " * 5: {"in": "word " * 20}}), max_size=40)
    assert all(t.startswith('{"in":"word ') for t in outer.texts)
    assert outer[0].path == ("outer " * 5,)


def test_limits_without_room_for_quotes_give_pieces_of_the_source() -> None:
    assert cut('{"a":"b c","n":123}', max_size=1).texts == ["b", "c", "1", "2", "3"]
    assert cut('{"a":"bc"}', max_size=3).texts == ['"b"', '"c"']


def test_repeated_keys_are_kept_apart_and_reported() -> None:
    text = '{"a": 1, "b": 2,\n "a": 3, "o": {"x": {"k": 1, "k": 2}}}'
    with pytest.warns(DuplicateKeyWarning, match=r'the key "a" at line 2, column 2 is not the first .* and 1 more'):
        chunks = cut(text)
    assert chunks.texts == ['{"a":1,"b":2}', '{"a":3}', '{"o":{"x":{"k":1}}}', '{"o":{"x":{"k":2}}}']


def test_explain() -> None:
    chunks = cut('{"t":"' + "word " * 12 + '","u":"' + "x" * 50 + '"}', max_size=60, explain=True)
    assert [chunk.cut for chunk in chunks] == [
        Cut("string", 0, " "),
        Cut("value", 0, ""),
        Cut("end", 0),
    ]


def test_paths() -> None:
    chunks = cut('{"a":{"b":{"c":1,"d":2}},"l":[[1],{"x":{"y\\"":[7,8]}}],"e":{"f":{}}}')
    assert [chunk.path for chunk in chunks] == [("a", "b"), ("l",), ("e",)]
    lines = cut('{"v":"aaaaaaaaaaaaaaaaaaaa"}\n{"v":{"w":["bbbbbbbbbbbb"]}}\n', max_size=32)
    assert [chunk.path for chunk in lines] == [("0",), ("1", "v", "w")]
    deep = cut('{"a":' * 400 + "1" + "}" * 400, max_size=100)
    assert [chunk.path for chunk in deep] == [("a",) * 256]


# --- options and errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_size": 0}, "min_size must be a number greater than 0, got 0."),
        ({"min_size": "1"}, "min_size must be a number greater than 0, got '1'."),
        ({"ensure_ascii": "no"}, "ensure_ascii must be True or False, got 'no'."),
        ({"convert_lists": 1}, "convert_lists must be True or False, got 1."),
        ({"max_size": 0}, "max_size must be a number greater than 0, got 0."),
        ({"max_size": None}, "max_size must be a number greater than 0, got None."),
        ({"max_size": 9, "min_size": 10}, "min_size must be at most max_size (9), got 10."),
        ({"max_size": (3, 9), "min_size": 2}, "min_size is given twice, as min_size=2 and in max_size=(3, 9)."),
        ({"separators": [","]}, "Strategy 'json' has no option 'separators'."),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        registry().make("json", options)
    assert message in str(caught.value)


@pytest.mark.parametrize("options", [{"overlap": 9}, {"strip_whitespace": False}, {"separator_position": "end"}])
def test_options_without_effect_warn(options: dict[str, Any]) -> None:
    with pytest.warns(UnusedOptionWarning, match=next(iter(options))):
        assert MDocument(ADA).chunk("json", **options).texts == cut(ADA).texts


def test_no_overlap_is_what_it_does() -> None:
    assert Json(overlap=0).repeat == 0


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"not JSON: line 1, column 2: expected a key in double quotes"):
        cut("{'a': 1}")


def test_lengths() -> None:
    text = json.dumps({"o": {f"k{i}": "\U0001f600 words of tide" for i in range(40)}})
    for name in ("utf16", "bytes", "words", "cl100k_base"):
        strategy = Json(max_size=60, length_function=name)
        chunks = MDocument.from_json(text).chunk(strategy)
        sizes = [strategy.length(t) for t in chunks.texts]
        assert max(sizes) <= 60
        assert sum(sizes) / len(sizes) > 30


# --- hard documents ----------------------------------------------------------------------------------------------

HARD = {
    "lists in lists": "[" * 20_000 + "]" * 20_000,
    "objects in objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "members before what is inside": '{"x":1,"a":' * 20_000 + "1" + "}" * 20_000,
    "members after what is inside": '{"a":' * 20_000 + "1" + ',"x":1}' * 20_000,
    "a long string": json.dumps("x" * 1_000_000),
    "backslashes": '"' + "\\\\" * 500_000 + '"',
    "empty objects": "[" + ",".join(["{}"] * 200_000) + "]",
    "long keys": "{" + ",".join(f'"{"k" * 5000}{i}":{i}' for i in range(200)) + "}",
    "long keys inside of one another": ('{"' + "k" * 5000 + '":') * 200 + "1" + "}" * 200,
    "flags": json.dumps("\U0001f1e7\U0001f1f7" * 50_000, ensure_ascii=False),
    "flags beside a rewritten escape": '"\\u0041' + "\U0001f1e7" * 400_000 + '"',
}


@pytest.mark.parametrize("name", HARD)
def test_hard_documents_take_linear_time(name: str) -> None:
    started = time.process_time()
    chunks = cut(HARD[name], max_size=2000)
    assert all(len(t) <= 2000 for t in chunks.texts)
    assert chunks[-1].end > 0.4 * len(HARD[name])
    assert time.process_time() - started < 10  # wide: it catches what grows with the square


def test_deep_threads_are_not_mostly_keys() -> None:
    depth = 400
    posts = "".join(f'{{"id":{i},"text":"reply {i}","replies":[' for i in range(depth))
    chunks = MDocument.from_json(posts + "]}" * depth).chunk("json", max_size=4000)
    assert sum(map(len, chunks.texts)) < 4 * len(posts)
    deepest = next(chunk for chunk in chunks if f"reply {depth - 1}" in chunk.content)
    assert deepest.path[-2:] == ("replies", "0")
