"""The strategy `csv`, and CSV and TSV files."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Chunks, MDocument
from cantle.errors import DocumentError, OptionError, UnusedOptionWarning
from cantle.testing import check_document, check_strategy
from cantle_files import Limits, read_file
from cantle_files.tables.rows import Csv

PEOPLE = "name,age,city\n" + "".join(f"Person {i},{20 + i},City {i % 3}\n" for i in range(40))


def cut(text: str, **options: Any) -> Chunks:
    return MDocument(text, "csv").chunk(Csv, **options)


def written(rows: list[list[str]], **options: str) -> str:
    file = io.StringIO(newline="")
    csv.writer(file, **options).writerows(rows)
    return file.getvalue()


def rows_of(chunks: Chunks, delimiter: str = ",") -> list[list[str]]:
    """The rows that Python's own reader finds in the chunks, each read by itself with its header."""
    found = []
    for chunk in chunks:
        rows = list(csv.reader(io.StringIO(chunk.text, newline=""), delimiter=delimiter))
        found += rows[1:]
    return found


ODD = [
    PEOPLE,
    'a;"b\nc";d\r\n1;"2;3";"x""y"\r\n\r\n' * 8,
    'a,"never closed\nb,c\nd,"e"\n' * 5,
    "a\tb\t\n\t\t\n\n\tx\t" * 9,
    "# title\nplace,2019,2020\n" + "e\u0301,\u03011,\ud83d\ude00\n" * 9,
    "\ufeff" + "long header," * 20 + "\n" + "1," * 20 + "\n",
    "one column\n" * 20,
    "",
]


def test_it_keeps_the_contract() -> None:
    check_strategy(Csv, examples=20)


@pytest.mark.parametrize(
    "options",
    [
        {"max_rows": 2, "max_size": 50, "overlap": 30},
        {"max_size": (20, 60), "header": True},
        {"max_size": 30, "length_function": "cl100k_base", "overlap": 8},
        {"max_size": 40, "quote": None, "delimiter": " ", "header": True, "explain": True},
        {"max_size": 25, "strip_whitespace": False, "length_function": "bytes"},
    ],
    ids=["two rows", "least", "tokens", "blanks", "all"],
)
def test_it_keeps_the_contract_with_options(options: dict[str, Any]) -> None:
    check_strategy(Csv, ODD, examples=20, **options)


cells = st.text(st.sampled_from('ab1,;\t"\n\r é\u0301'), max_size=12)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.lists(cells, min_size=2, max_size=2), min_size=1, max_size=12),
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_rows_of_a_writer_stay_whole_and_in_order(rows: list[list[str]], delimiter: str, end: str) -> None:
    text = written([["key", "value"], *rows], delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    document = MDocument(text, "csv")
    # A row of two quoted cells of 12 characters at most, which may double, has less than 60, the header 20.
    chunks = document.chunk(Csv, max_size=80, header=True, delimiter=delimiter)
    check_document(Csv(max_size=80, header=True, delimiter=delimiter), document)
    assert rows_of(chunks, delimiter) == rows
    assert all(chunk.text.startswith(f'"key"{delimiter}"value"{end}') for chunk in chunks)


def test_the_header_stands_in_front_of_each_further_chunk() -> None:
    chunks = cut(PEOPLE, max_size=100)
    assert len(chunks) > 5
    assert [chunk.prefix for chunk in chunks] == ["", *["name,age,city\n"] * (len(chunks) - 1)]
    assert rows_of(chunks) == list(csv.reader(io.StringIO(PEOPLE)))[1:]
    assert max(len(chunk.text) for chunk in chunks) <= 100
    assert all(PEOPLE[chunk.start : chunk.end] == chunk.content for chunk in chunks)
    assert chunks.dropped == []


def test_chunks_say_which_rows_they_have() -> None:
    chunks = cut(PEOPLE, max_size=100)
    ranges = [chunk.metadata["rows"] for chunk in chunks]
    assert ranges[0][0] == 1
    assert ranges[-1][1] == 40
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ranges))
    assert f"Person {ranges[3][0] - 1}," in chunks[3].content


def test_no_more_rows_than_asked_for() -> None:
    chunks = cut(PEOPLE, max_rows=1)
    assert len(chunks) == 40
    assert chunks[0].content == "name,age,city\nPerson 0,20,City 0"
    assert chunks[7].text == "name,age,city\nPerson 7,27,City 1"


def test_whole_rows_are_repeated() -> None:
    chunks = cut(PEOPLE, max_size=100, overlap=25)
    for before, after in pairwise(chunks):
        repeated = after.content[: after.overlap]
        assert repeated == before.content.rsplit("\n", 1)[1] + "\n"[: len(repeated) - after.content.find("\n")]
        assert after.metadata["rows"][0] == before.metadata["rows"][1]


def test_a_line_break_in_quotation_marks_ends_no_row() -> None:
    text = 'id,note\n1,"one\ntwo, ""three"""\r\n2,"x\r\n\r\ny"\n'
    assert [chunk.text for chunk in cut(text, max_rows=1)] == [
        'id,note\n1,"one\ntwo, ""three"""',
        'id,note\n2,"x\r\n\r\ny"',
    ]


def test_a_mark_that_is_never_closed_is_a_character() -> None:
    text = 'id,size\n1,"15 inch\n2,13\n3,14\n'
    assert [chunk.metadata["rows"] for chunk in cut(text, max_rows=1)] == [[1, 1], [2, 2], [3, 3]]


def test_a_row_that_is_too_long_is_cut_between_fields_then_in_them() -> None:
    text = "id,a,b\n1," + "x" * 20 + "," + "word " * 20 + "\n2,y,z\n"
    chunks = cut(text, max_size=40, explain=True)
    assert [chunk.content for chunk in chunks][:3] == ["id,a,b", "1," + "x" * 20 + ",", "word word word word word word"]
    assert {chunk.prefix for chunk in chunks[1:]} == {"id,a,b\n"}
    assert [chunk.metadata.get("rows") for chunk in chunks] == [None, *[[1, 1]] * (len(chunks) - 2), [2, 2]]
    assert [chunk.cut.kind for chunk in chunks if chunk.cut][:3] == ["row", "field", "characters"]


def test_a_header_that_is_too_long_is_not_repeated() -> None:
    text = ",".join(f"column {i}" for i in range(100)) + "\n" + ",".join("1" * 100) + "\n"
    chunks = cut(text, max_size=200, header=True)
    assert {chunk.prefix for chunk in chunks} == {""}
    assert max(len(chunk.text) for chunk in chunks) <= 200


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", "a;b\n3,5;4,5"),
        ("a\tb\nx, y\tz\nx, y\tz\n", "a\tb\nx, y\tz"),
        ("a|b\n1|2\n3|4\n", "a|b\n3|4"),
        ("sep=;\na;b\n1;2\n3;4\n", "a;b\n3;4"),
        ("\ufeffa,b\n1,2\n3,4\n", "a,b\n3,4"),
        ("Report of 2024\n\na,b\n1,2\n3,4\n", "a,b\n3,4"),
        ("# from, a, machine\na,b\n1,2\n3,4\n", "a,b\n3,4"),
        ("#a,b\n1,2\n3,4\n", "#a,b\n3,4"),
        ("place,2019,2020\nA,1.5,2\nB,3,4\n", "place,2019,2020\nB,3,4"),
        ("1,2\n3,4\n", "3,4"),
        ("2024-01-01,a\n2024-01-02,b\n", "2024-01-02,b"),
        ("mail\na@example.org\nb@example.org\n", "mail\nb@example.org"),
        ("apple\npear\n", "pear"),
        ("a,b\r1,2\r3,4", "a,b\r3,4"),
        ("a,b\n\n\n1,2\n\n3,4\n\n", "a,b\n3,4"),
        ("a\tb\n\t1\n\t2\n", "a\tb\n\t2"),
    ],
)
def test_delimiter_and_header_are_found(text: str, second: str) -> None:
    chunks = cut(text, max_rows=1)
    assert len(chunks) == 2
    assert chunks[1].text == second


def test_a_header_may_be_said() -> None:
    assert cut("1,2\n3,4\n5,6\n", max_rows=1, header=True)[1].text == "1,2\n5,6"
    assert cut("a,b\n3,4\n5,6\n", max_rows=1, header=False)[1].text == "3,4"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \t\r\n"])
def test_nothing_is_no_chunk(text: str) -> None:
    assert len(cut(text)) == 0


def test_a_header_alone_is_a_chunk() -> None:
    assert [chunk.text for chunk in cut("a,b\n")] == ["a,b"]


def test_white_space_may_stay() -> None:
    text = "\na,b\n\n1,2\r\n3,4\n\n"
    assert "".join(chunk.content for chunk in cut(text, max_rows=1, header=True, strip_whitespace=False)) == text


def test_small_pieces_are_joined() -> None:
    assert [c.content for c in cut("a,b\n1,2\n3,4\n5,6\n", max_size=(12, 30), header=False, max_rows=None)] == [
        "a,b\n1,2\n3,4\n5,6"
    ]
    text = "k,v\n1," + "x" * 22 + "\n2,y\n3,z\n"
    assert [c.content for c in cut(text, max_size=20)][-2:] == ["xxxxxx", "2,y\n3,z"]
    assert [c.content for c in cut(text, max_size=(7, 22))][-1] == "xxxx\n2,y\n3,z"


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ",,"},
        {"delimiter": "\n"},
        {"delimiter": 1},
        {"delimiter": '"'},
        {"quote": ""},
        {"header": 1},
        {"header": "yes"},
        {"max_rows": 0},
        {"max_rows": True},
        {"max_rows": 1.5},
        {"max_size": 0},
    ],
    ids=repr,
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Csv(**options)


def test_a_tab_may_be_written_as_one() -> None:
    assert Csv(delimiter=r"\t") == Csv(delimiter="\t")
    with pytest.warns(UnusedOptionWarning, match="separator_position"):
        Csv(separator_position="end")


LARGE = {
    "one field": 'a,b\n"' + "x" * 3_000_000 + '",2\n',
    "unclosed": 'a,b\n"' + "x,y\n" * 300_000,
    "columns": ",".join(f"c{i}" for i in range(100_000)) + "\n" + ",".join("1" * 100_000) + "\n",
    "delimiters": "," * 1_000_000,
    "marks": '"' * 1_000_000,
    "opened again": 'a,"b\n' * 200_000,
    "empty cells": "\t" * 1_000_000,
    "line ends": "a,b\r\nc,d\re,f\n" * 80_000,
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("options", [{}, {"max_size": 50, "overlap": 20}], ids=["large", "small"])
def test_large_and_hostile_texts_are_cut(name: str, options: dict[str, int]) -> None:
    text = LARGE[name]
    chunks = cut(text, **options)
    limit = options.get("max_size", 4000)
    assert all(len(chunk.text) <= limit for chunk in chunks)
    covered = 0
    for chunk in chunks:
        assert not text[covered : chunk.start].strip()
        covered = chunk.end
    assert not text[covered:].strip()


def test_files_are_of_the_kind_and_take_the_strategy(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE.encode("utf-8-sig").replace(b"\n", b"\r\n"))
    document = MDocument.from_file(path)
    assert (document.kind, document.strategy_for()) == ("csv", "csv")
    assert document.text == PEOPLE.replace("\n", "\r\n")
    assert document.chunk(max_size=100)[3].prefix == "name,age,city\r\n"
    assert MDocument.from_bytes(b"a\tb\n1\t2\n", "t.TSV").kind == "csv"
    assert read_file(b"a;b\n1;2\n", media_type="text/csv").kind == "csv"
    assert len(MDocument.from_bytes(b"", "empty.csv").chunk()) == 0


def test_files_of_other_encodings_are_read() -> None:
    text = "nome;cidade\nJoão;São Tomé\nInês;Évora\n"
    assert MDocument.from_bytes(text.encode("utf-16"), "a.csv").text == text
    with pytest.warns(UserWarning, match="cp1252"):
        assert MDocument.from_bytes(text.encode("cp1252"), "a.csv").text == text
    named = MDocument.from_bytes(text.encode("cp1252"), "a.csv", kind="csv", encoding="cp1252")
    assert (named.text, named.strategy_for()) == (text, "csv")


def test_what_is_too_long_or_no_text_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"a.csv has 8 characters; the limit is 7"):
        read_file(b"a,b\n1,2\n", name="a.csv", limits=Limits(max_characters=7))
    with pytest.raises(DocumentError, match=r"a.csv \(CSV\) looks like a binary"):
        read_file(bytes(range(256)) * 40, name="a.csv")
