"""`compare` in Python and its page: counts are right, cuts through units are found, a failing strategy is a row."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, Source
from cantle.errors import OptionError, UnknownStrategyError
from cantle.html_view import visible
from cantle_inspect import Compared, Comparison, compare
from cantle_inspect.comparing.compare import candidates
from cantle_inspect.comparing.page import row_breaks
from cantle_inspect.measures.cuts import Whole

DOCUMENTS = Path(__file__).parent / "documents"
TIDE = DOCUMENTS / "tide-tables.md"

TEXT = """# Title

One sentence here. Another sentence there.

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

```
code one

code two
```

The last sentence.
"""


def cut_at(text: str, *marks: str, kind: str = "markdown") -> Chunks:
    """The text cut before each mark, without the blanks around the cuts."""
    places = [0, *(text.index(mark) for mark in marks), len(text)]
    chunks = []
    for a, b in pairwise(places):
        part = text[a:b]
        start = a + len(part) - len(part.lstrip())
        chunks.append(Chunk(part.strip(), start, start + len(part.strip())))
    return Chunks(Source(text, kind), chunks)


@pytest.mark.parametrize(
    ("mark", "kinds"),
    [
        ("One", []),
        ("sentence here", ["sentence"]),
        ("Another", []),
        ("| a", []),
        ("|---", ["table"]),
        ("| 3", ["table"]),
        ("```\ncode", []),
        ("code one", ["code"]),
        ("code two", ["code"]),
        ("The last", []),
        ("last sentence", ["sentence"]),
    ],
)
def test_a_cut_inside_a_unit_is_found(mark: str, kinds: list[str]) -> None:
    chunks = cut_at(TEXT, mark)
    assert [sorted(found) for found in Whole(chunks.source).torn(chunks)] == [kinds]


def test_units_are_counted() -> None:
    assert Whole(Source(TEXT, "markdown")).counts == {"sentence": 3, "table": 1, "code": 1}


def test_where_overlap_begins_is_no_cut() -> None:
    text = "One two three four. Five six."
    end = text.index("Five") - 1
    chunks = Chunks(
        Source(text), [Chunk(text[:end], 0, end), Chunk(text[8:], 8, len(text), overlap=end - 8)]
    )  # the second begins inside the first sentence, its own text behind it
    assert Whole(chunks.source).torn(chunks) == [frozenset()]
    torn = Chunks(Source(text), [Chunk(text[:7], 0, 7), Chunk(text[4:], 4, len(text), overlap=3)])
    assert Whole(torn.source).torn(torn) == [frozenset({"sentence"})]


def test_cuts_and_their_share_agree_with_counting_by_hand() -> None:
    document = MDocument.from_text("Aaa bbb ccc ddd. Eee fff ggg hhh. Iii jjj.")
    row = compare(document, [("recursive", {"max_size": 9, "overlap": 0})]).rows[0]
    assert row.chunks is not None
    assert row.chunks.texts == ["Aaa bbb", "ccc ddd.", "Eee fff", "ggg hhh.", "Iii jjj."]
    assert [sorted(kinds) for kinds in row.torn] == [["sentence"], [], ["sentence"], []]
    assert (row.through("sentence"), row.share("sentence")) == (2, 0.5)


def test_common_options_go_to_those_that_take_them() -> None:
    document = MDocument.from_text("one two three. four five six. " * 20)
    found = compare(document, ["recursive", "token", "json"], options={"length_function": "words", "max_size": 10})
    recursive, token, failed = found.rows
    assert recursive.sizes.unit == "words"
    assert token.sizes.unit == "tokens (cl100k_base)"
    assert recursive.sizes.limit == token.sizes.limit == 10
    assert failed.error.startswith("the document is not JSON")
    assert found.failed
    assert found.unit == ""
    assert found.to_dict()["strategies"][2] == {
        "strategy": "json",
        "options": {"maxSize": 10, "lengthFunction": "words"},
        "error": failed.error,
    }


def test_own_options_win_over_common_ones() -> None:
    document = MDocument.from_text("one two three. " * 20)
    rows = compare(document, ["recursive", ("recursive", {"max_size": 50})], options={"max_size": 20}).rows
    assert [row.sizes.limit for row in rows] == [20, 50]


def test_without_a_size_all_are_compared_at_one() -> None:
    found = compare(MDocument.from_file(TIDE))
    assert {row.sizes.limit for row in found.rows} == {480}
    assert found.common == {"max_size": 480, "overlap": 80}
    unlimited = compare(MDocument.from_file(TIDE), [("markdown", {"max_size": None, "headers": [("#", "t")]})])
    assert unlimited.rows[0].sizes.limit is None


def test_the_usual_strategies_of_every_kind_fit_it() -> None:
    for path in sorted(DOCUMENTS.iterdir()):
        document = MDocument.from_file(path)
        found = compare(document)
        assert [row.strategy for row in found.rows] == [asked.strategy for asked in candidates(document)]
        assert not found.failed
    assert not compare(MDocument.from_pdf_text("One.\fTwo.")).failed


@pytest.mark.parametrize(
    ("strategies", "options", "message"),
    [
        (["recursive"], {"foo": 1}, "None of the strategies takes 'foo'"),
        (["recursive"], {"max_sise": 1}, "Did you mean 'max_size'?"),
        ([("recursive", {"max_sise": 1})], {}, "Did you mean 'max_size'?"),
        ([], {}, "a strategy at least"),
    ],
)
def test_options_that_nothing_takes_are_an_error(strategies: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match="|".join([message.replace("?", r"\?")])):
        compare(MDocument.from_text("one"), strategies, options=options)


def test_an_unknown_strategy_is_an_error() -> None:
    with pytest.raises(UnknownStrategyError):
        compare(MDocument.from_text("one"), ["recursive", "recu"])


class Breaks:
    """A strategy of a plugin that fails in its own way."""

    name = "breaks"

    def split(self, source: Source) -> list[Chunk]:
        raise RuntimeError(f"cannot cut {source.text!r}")


def test_whatever_a_strategy_raises_is_in_its_row() -> None:
    found = compare(MDocument.from_text("one"), [Breaks(), "recursive"])
    assert found.rows[0].error == "RuntimeError: cannot cut 'one'"
    assert found.rows[1].error == ""
    assert "RuntimeError: cannot cut" in found.to_html()


class Odd:
    """A strategy of a plugin that gives things that are not what they should be."""

    name = "odd"
    length_function = 7

    def split(self, source: Source) -> Chunks:
        cut: Any = ("half", None)
        chunks = [Chunk(source.text[:3], 0, 3, cut=cut), Chunk("x", 400, 500, cut=cut)]
        return Chunks(source, chunks, dropped=[(3, 4, None), (0, 1, 5), None])  # type: ignore[list-item]


def test_a_strategy_that_gives_odd_things_is_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    document = MDocument.from_text("one two")
    chunks = Odd().split(Source(document.text))
    monkeypatch.setattr("cantle_inspect.comparing.compare.explained", lambda *_: chunks)
    page = compare(document, [Odd(), "recursive"]).to_html()
    assert "The strategy says: [&quot;half&quot;, null]." in page
    assert "Chunk 1 lies outside of the document: no mark." in page


def test_a_column_that_cannot_be_drawn_ends_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare(MDocument.from_text("one two"), ["recursive", "character"])
    assert found.rows[0].chunks is not None
    found.rows[0].chunks[0].prefix = None  # type: ignore[assignment]
    page = found.to_html()
    assert '<p class="x">recursive cannot be drawn: AttributeError: ' in page
    assert 'data-column="0"' in page
    assert 'data-column="1"' not in page


def test_options_that_are_in_themselves_are_written() -> None:
    own: list[Any] = ["a"]
    own.append(own)
    row = Compared("x", {"separators": own, "f": {own.__len__: {1}}}, error="none")
    found = Comparison(MDocument.from_text("one"), (row,), {})
    assert row.to_dict()["options"]["separators"] == ["a", "..."]
    assert found.title(row).startswith("x, separators=['a', ...], f=")
    assert "separators=[&#x27;a&#x27;, ...]" in found.to_html()


def test_sentence_is_judged_fairly_unless_a_language_is_named() -> None:
    document = MDocument.from_text("Um. dois. " * 20)
    assert compare(document).rows[1].options["language"] == "any"
    named = compare(document, options={"language": "pt"})
    assert [row.options.get("language") for row in named.rows if row.strategy == "sentence"] == ["pt"]


def numbers(chunks: str) -> list[int]:
    """The chunks that a mark names: `3 7-9` is 3, 7, 8 and 9."""
    found: list[int] = []
    for part in chunks.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


class Reader(HTMLParser):
    """The text of each column of the page, and its marks by column."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.columns: dict[str, str] = {}
        self.marks: dict[tuple[str, int], str] = {}
        self.labels: list[str] = []
        self.tags: list[str] = []
        self._open: list[dict[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "link"):
            self._open.append({name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        column = next((values["data-column"] for values in self._open if "data-column" in values), None)
        classes = {name for values in self._open for name in values.get("class", "").split()}
        if column is None:
            return
        if "x" in classes:
            self.labels.append(data)
        if not classes & {"n", "l", "w", "p"}:
            self.columns[column] = self.columns.get(column, "") + data
        for values in self._open:
            for number in numbers(values.get("data-chunk", "")):
                self.marks[column, number] = self.marks.get((column, number), "") + data


def check_page(found: Comparison) -> Reader:
    page = found.to_html()
    read = Reader(page)
    drawn = [row for row in found.rows if row.chunks is not None]
    assert read.columns == {str(i): visible(found.document.text) for i in range(len(drawn))}
    for i, row in enumerate(drawn):
        assert row.chunks is not None
        assert len([number for column, number in read.marks if column == str(i)]) == len(row.chunks)
        for chunk in row.chunks:
            if chunk.exact:
                assert read.marks[str(i), chunk.index] == visible(chunk.content)
    assert len([label for label in read.labels if label.startswith("cuts ")]) == sum(
        bool(kinds) for row in drawn for kinds in row.torn
    )
    assert read.tags.count("script") == 1
    return read


@pytest.mark.parametrize("path", sorted(DOCUMENTS.iterdir()), ids=lambda path: path.name)
def test_the_page_has_the_whole_document_in_every_column(path: Path) -> None:
    check_page(compare(MDocument.from_file(path), options={"max_size": 90}))


def test_the_page_names_cuts_through_units() -> None:
    document = MDocument.from_markdown(TEXT)
    read = check_page(compare(document, [("character", {"separator": "", "max_size": 30, "overlap": 0})]))
    assert "cuts a sentence" in read.labels
    assert "cuts a table" in read.labels


def test_a_hostile_document_is_text_in_the_page() -> None:
    evil = "<script>alert(1)</script></style>\" ' \u202e\x00\ud800 &amp; "
    document = MDocument.from_markdown(f"# {evil}\n\n{evil * 30}", source=evil)
    check_page(compare(document, [("recursive", {"separators": [evil], "max_size": 200}), Breaks()]))


def test_rows_of_the_page_are_not_too_long() -> None:
    assert row_breaks("") == row_breaks("one line") == []
    text = "a paragraph of some words and more\n" * 3 + "\n" + "x\n" * 4000 + "\n\nend " * 30
    places = [0, *row_breaks(text), len(text)]
    assert all(text[place - 1] == "\n" for place in places[1:-1])
    assert max(b - a for a, b in pairwise(places)) <= 2100


def test_a_comparison_is_shown_in_notebooks() -> None:
    found = compare(MDocument.from_file(TIDE))
    assert found._repr_html_().startswith("<table")
    assert found._repr_html_() in found.to_html()


def test_one_strategy_may_be_given_by_its_name_alone() -> None:
    document = MDocument.from_text("Some words. " * 40)
    assert [row.strategy for row in compare(document, "recursive").rows] == ["recursive"]
    with pytest.raises(OptionError, match="A strategy with options is a pair"):
        compare(document, [("recursive",)])  # type: ignore[list-item]
    with pytest.raises(OptionError, match=r"Make one: MDocument.from_file\(path\)"):
        compare("guide.md")  # type: ignore[arg-type]
