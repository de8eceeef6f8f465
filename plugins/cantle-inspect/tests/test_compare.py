"""`compare`: the counts are right, cuts through units are found, and a strategy that fails is a row."""

from __future__ import annotations

import csv
import io
import json
import webbrowser
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cantle import Chunk, Chunks, MDocument, Source
from cantle.cli import cli
from cantle.errors import OptionError, UnknownStrategyError
from cantle.html_view import visible
from cantle_inspect import Comparison, compare
from cantle_inspect.commands.compare import command, split_options
from cantle_inspect.measures.cuts import Whole
from cantle_inspect.report.comparison import candidates
from cantle_inspect.report.side_by_side import row_breaks

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


def test_the_same_cuts_in_all_formats(tmp_path: Path) -> None:
    found = json.loads(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "json").stdout)
    assert found["units"] == {"sentence": 16, "table": 1, "code": 1}
    by_name = {row["strategy"]: row for row in found["strategies"]}
    assert list(by_name) == ["markdown", "structural-context", "recursive", "sentence"]
    for name, row in by_name.items():
        document = MDocument.from_file(TIDE)
        chunks = document.chunk(name, max_size=150, overlap=0)
        sizes = sorted(len(text) for text in chunks.texts)
        assert row["totalChunks"] == len(chunks)
        assert row["cuts"] == len(chunks) - 1
        assert (row["sizes"]["min"], row["sizes"]["max"]) == (sizes[0], sizes[-1])
        assert row["limitUsed"] == pytest.approx(sum(sizes) / len(sizes) / 150, abs=1e-4)
        assert row["configHash"] == chunks.config_hash
        assert row["dropped"] == {"front-matter": 45}
        assert row["options"] == {"max_size": 150} | ({"overlap": 0} if name in ("markdown", "recursive") else {})
    table = list(csv.DictReader(io.StringIO(run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "csv").stdout)))
    assert [int(row["tableCuts"]) for row in table] == [
        by_name[row["strategy"]]["cutsInside"]["table"]["cuts"] for row in table
    ]
    shown = run(str(TIDE), "-n", "150", "--overlap", "0", "-f", "table").stdout
    assert "max_size=150, sizes in characters" in shown
    lines = {line[:20].strip(): line[20:].split() for line in shown.splitlines()}
    assert " ".join(lines[""]) == "markdown, overlap=0 structural-context recursive, overlap=0 sentence"
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
    assert found.to_dict()["strategies"][2] == {"strategy": "json", "error": failed.error}


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
        assert [row.strategy for row in found.rows] == candidates(document)
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


def test_options_behind_a_colon() -> None:
    assert split_options("max_size=400,overlap=0") == ["max_size=400", "overlap=0"]
    assert split_options('separators=["a,b", "\\"],", "]"], max_size=3') == [
        'separators=["a,b", "\\"],", "]"]',
        "max_size=3",
    ]
    assert split_options("max_size=[100,400],explain=true") == ["max_size=[100,400]", "explain=true"]
    assert split_options("") == []


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
            for number in map(int, values.get("data-chunk", "").split()):
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
