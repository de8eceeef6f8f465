"""`compare`: the counts are right, cuts through units are found, and a strategy that fails is a row."""

from __future__ import annotations

import csv
import io
import json
import re
import webbrowser
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle import Chunk, Chunks, MDocument, Source
from cantle.cli import cli
from cantle.errors import OptionError, UnknownLengthError, UnknownStrategyError
from cantle.html_view import visible
from cantle_inspect import Compared, Comparison, compare
from cantle_inspect.commands.compare import command, split_options
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


def test_the_same_cuts_in_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    found = json.loads(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "json").stdout)
    assert found["units"] == {"sentence": 16, "table": 1, "code": 1}
    by_name = {row["strategy"]: row for row in found["strategies"]}
    assert list(by_name) == ["markdown", "structural-context", "recursive", "sentence"]
    for name, row in by_name.items():
        document = MDocument.from_file(TIDE)
        language = {"language": "any"} if name == "sentence" else {}
        chunks = document.chunk(name, max_size=150, overlap=0, **language)
        sizes = sorted(len(text) for text in chunks.texts)
        assert row["totalChunks"] == len(chunks)
        assert row["cuts"] == len(chunks) - 1
        assert (row["sizes"]["min"], row["sizes"]["max"]) == (sizes[0], sizes[-1])
        assert row["limitUsed"] == pytest.approx(sum(sizes) / len(sizes) / 150, abs=1e-4)
        assert row["configHash"] == chunks.config_hash
        assert row["dropped"] == {"front-matter": 45}
        own = {"language": "any"} if name == "sentence" else {}
        assert row["options"] == {"maxSize": 150, **own} | ({"overlap": 0} if name in ("markdown", "recursive") else {})
    table = list(csv.DictReader(io.StringIO(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "csv").stdout)))
    assert [int(row["tableCuts"]) for row in table] == [
        by_name[row["strategy"]]["cutsInside"]["table"]["cuts"] for row in table
    ]
    shown = run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "table").stdout
    assert "max_size=150, sizes in characters" in shown
    lines = {line[:20].strip(): line[20:].split() for line in shown.splitlines()}
    assert " ".join(lines[""]) == "markdown, overlap=0 structural-context recursive, overlap=0 sentence, language='any'"
    assert lines["chunks"] == [str(row["totalChunks"]) for row in by_name.values()]
    assert lines["largest"] == [str(row["sizes"]["max"]) for row in by_name.values()]
    assert lines["cuts in tables"][::2] == [str(row["cutsInside"]["table"]["cuts"]) for row in by_name.values()]


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


def test_what_a_kind_cannot_have_is_not_counted() -> None:
    found = compare(MDocument.from_json('{"a": "One. Two three four."}'), options={"max_size": 12})
    assert found.units == {}
    assert found.to_dict()["strategies"][0]["cutsInside"]["sentence"] == {"cuts": None, "share": None}
    assert "characters.</p>" in found.to_html()
    result = run("-", "-k", "json", "-f", "table", stdin='{"a": "One. Two."}').stdout
    assert [line.split()[-1] for line in result.splitlines() if line.startswith("cuts in")] == ["–", "–", "–"]
    text = compare(MDocument.from_text("One. Two."), ["recursive"])
    assert (text.rows[0].measured, text.units) == ({"sentence"}, {"sentence": 2})


def test_a_wrong_value_of_an_own_option_is_a_row_with_the_options_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    arguments = (str(TIDE), "-s", "recursive:max_size=-5,overlap=0", "-s", "recursive", "-l", "words")
    result = run(*arguments, "-f", "json")
    assert result.exit_code == 1
    row = json.loads(result.stdout)["strategies"][0]
    assert row["options"] == {"lengthFunction": "words", "maxSize": -5, "overlap": 0}
    assert "max_size must be" in row["error"]
    table = run(*arguments, "-f", "table").stdout
    assert "max_size=-5" in table
    assert re.search(r"^error +max_size must be a number greater than 0, got -5\. *$", table, re.MULTILINE)
    line = next(csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert line["options"] == "length_function='words', max_size=-5, overlap=0"
    assert line["error"] == row["error"]
    page = compare(MDocument.from_file(TIDE), [("recursive", {"max_size": -5})]).to_html()
    assert "recursive, max_size=-5" in page


def test_a_wrong_common_option_is_one_error() -> None:
    document = MDocument.from_file(TIDE)
    with pytest.raises(OptionError, match="max_size"):
        compare(document, options={"max_size": 0})
    with pytest.raises(UnknownLengthError):
        compare(document, options={"length_function": "nope"})
    one = compare(document, ["recursive", "sentence"], options={"language": "pt"})
    assert [bool(row.error) for row in one.rows] == [True, False]
    own = compare(document, [("recursive", {"max_size": 20}), "recursive"], options={"overlap": 100})
    assert [bool(row.error) for row in own.rows] == [True, False]
    result = CliRunner().invoke(cli, ["compare", str(TIDE), "-n", "0"])
    assert result.stderr.count("Error") == 1
    assert result.stdout == ""


def test_what_is_behind_a_colon_is_not_blamed_on_another_option() -> None:
    result = CliRunner().invoke(cli, ["compare", str(TIDE), "-s", "recursive:foo"])
    assert "Invalid value for -s: 'recursive:foo': 'foo' is no key=value." in result.stderr
    assert "--option" not in result.stderr


@pytest.mark.parametrize("width", ["0", "-3", "wide", "", "1e3"])
def test_a_width_that_is_none_is_a_hundred(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (str(TIDE), "-s", "recursive", "-f", "table")
    monkeypatch.delenv("COLUMNS", raising=False)
    usual = run(*arguments).stdout
    monkeypatch.setenv("COLUMNS", width)
    assert run(*arguments).stdout == usual


def test_sentence_is_judged_fairly_unless_a_language_is_named() -> None:
    document = MDocument.from_text("Um. dois. " * 20)
    assert compare(document).rows[1].options["language"] == "any"
    named = compare(document, options={"language": "pt"})
    assert [row.options.get("language") for row in named.rows if row.strategy == "sentence"] == ["pt"]


def test_options_behind_a_colon() -> None:
    assert split_options("max_size=400,overlap=0") == ["max_size=400", "overlap=0"]
    assert split_options('separators=["a,b", "\\"],", "]"], max_size=3') == [
        'separators=["a,b", "\\"],", "]"]',
        "max_size=3",
    ]
    assert split_options("max_size=[100,400],explain=true") == ["max_size=[100,400]", "explain=true"]
    assert split_options("") == []


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


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(command, list(arguments), input=stdin)


def test_the_command_writes_a_page_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: asked.append(url) or True)
    result = run(str(TIDE), "-s", "recursive", "-s", "recursive:max_size=200,overlap=0", "-o", "a.html", "-f", "json")
    assert result.exit_code == 0
    assert result.stderr == "Wrote a.html: 2 columns.\n"
    assert len(json.loads(result.stdout)["strategies"]) == 2
    assert "recursive, max_size=200, overlap=0" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert run(str(TIDE), "--open").exit_code == 0
    assert asked == [(tmp_path / "tide-tables.compare.html").as_uri()]
    result = run("-", "-k", "markdown", "-o", "-", stdin="# A\n\nOne.\n")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert result.stdout.endswith("</html>\n")


def test_a_strategy_that_fails_is_shown_and_the_exit_code_says_so() -> None:
    result = run(str(TIDE), "-s", "json", "-s", "recursive", "-f", "table")
    assert result.exit_code == 1
    assert "recursive" in result.stdout
    assert "json: the document is not JSON" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["-n", "0"],
        ["-l", "nope"],
        ["-s", "recursive", "--overlap", "600"],
        ["-O", "explain=3"],
        ["-s", "recursive", "-s", "sentence:max_size=-1", "-n", "0"],
        ["-o", "table.csv"],
        ["-o", "page.chart", "-f", "json"],
        ["-s", "recu"],
        ["-s", "recursive:"],
        ["-s", ":max_size=3"],
        ["-s", "recursive:max_size"],
        ["-s", "recursive", "-O", "foo=1"],
        ["-s", "recursive:foo=1"],
        ["-o", "-", "--open"],
        ["-o", "-", "-f", "json"],
        ["-o", str(TIDE)],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, ["compare", str(TIDE), *arguments])
    assert result.exit_code == 2, result.output
    assert "Error: " in result.stderr


def test_a_comparison_is_shown_in_notebooks() -> None:
    found = compare(MDocument.from_file(TIDE))
    assert found._repr_html_().startswith("<table")
    assert found._repr_html_() in found.to_html()
