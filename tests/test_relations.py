"""Sections of chunks, and the keys of parents, children and neighbours."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunk, Chunks, MDocument, OffsetMap, Relation, Source, diff
from cantle import chunk as chunk_module
from cantle.context.notes.notes import with_notes
from cantle.errors import DocumentError, OptionError

Path = tuple[str, ...]


def chunks_of(paths: Sequence[str | Path], unique: bool = False) -> Chunks:
    """A chunk of one character for each path, with a character between: `A/B` stands for `("A", "B")`."""
    found = [tuple(path.split("/")) if path else () for path in paths if isinstance(path, str)]
    found += [path for path in paths if not isinstance(path, str)]
    text = "".join(f"{chr(0x4E00 + i % 20000)} " for i in range(len(found)))
    made = [Chunk(text[2 * i], 2 * i, 2 * i + 1, path=path) for i, path in enumerate(found)]
    return Chunks(Source(text, source="d"), made, unique_paths=unique)


def numbers(chunks: Chunks) -> list[tuple[int | None, int | None, int | None, list[int]]]:
    """Parent, previous, next and children of each chunk, as numbers of chunks."""
    at: dict[str | None, int | None] = {relation.key: i for i, relation in enumerate(chunks.relations())}
    at[None] = None
    return [
        (at[r.parent], at[r.previous], at[r.next], [i for key in r.children if (i := at[key]) is not None])
        for r in chunks.relations()
    ]


def parents(paths: Sequence[str | Path], unique: bool = False) -> list[int | None]:
    return [parent for parent, *_ in numbers(chunks_of(paths, unique))]


def sections(chunks: Chunks) -> list[tuple[int, int]]:
    """The first and the last chunk in each chunk's section."""
    return [(start // 2, (end - 1) // 2) for start, end in (relation.section for relation in chunks.relations())]


# -- what the relations are -------------------------------------------------------------------------


def test_a_document_with_sections() -> None:
    chunks = chunks_of(["", "A", "A", "A/B", "A/B", "A/C", "D"])
    assert numbers(chunks) == [
        (None, None, 1, []),
        (None, 0, 6, [2, 3, 5]),
        (1, None, 3, []),
        (1, 2, 5, [4]),
        (3, None, None, []),
        (1, 3, None, []),
        (None, 1, None, []),
    ]
    assert [relation.key for relation in chunks.relations()] == [chunk.key for chunk in chunks]
    assert sections(chunks) == [(0, 6), (1, 5), (1, 5), (3, 4), (3, 4), (5, 5), (6, 6)]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["A"], [None], id="one"),
        pytest.param(["A", "A/P", "B", "B/P", "B/P"], [None, 0, None, 2, 3], id="equal titles, other parents"),
        pytest.param(["A", "A/P", "A/Q", "A/P", "A/P"], [None, 0, 0, 0, 3], id="equal titles, one parent"),
        pytest.param(["A", "A/P", "A/P/X", "A/P", "A/P"], [None, 0, 1, 0, 3], id="again after one inside it"),
        pytest.param(["A", "A/B", "A", "A/C"], [None, 0, None, 2], id="again at the top"),
        pytest.param(["A", "B", "A", "A"], [None, None, None, 2], id="again after another"),
        pytest.param(["A", "A/B/C", "A/B", "A/B/D"], [None, 0, 0, 2], id="deeper before less deep"),
        pytest.param(["A/B", "A/C", "A"], [None, None, None], id="none around it has a chunk"),
        pytest.param(["A", "A/B/C/D", "A/B/E", "A/B/C/F"], [None, 0, 0, 0], id="levels without a chunk"),
        pytest.param(["A", "A/B", "", "A/B", "A"], [None, 0, None, None, None], id="the document closes all"),
        pytest.param([("A/B",), ("A", "B"), ("A/B", "C")], [None, None, None], id="parts, not their text"),
        pytest.param([("",), ("", ""), ("", "x"), ("",)], [None, 0, 0, None], id="empty titles"),
    ],
)
def test_parents(paths: list[str | Path], expected: list[int | None]) -> None:
    assert parents(paths) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        pytest.param(["x", "x/a", "x", "x/a", "x/b"], [None, 0, 0, 0, 0], id="an object goes on"),
        pytest.param(["x/a", "x", "x/b", "x"], [1, None, 1, 1], id="its own members come later"),
        pytest.param(["x/a/1", "x/a/2", "x", "x/a"], [2, 2, None, 2], id="a list without a chunk"),
        pytest.param(["", "x", "", "x"], [None, None, None, None], id="closed by the document"),
        pytest.param(["x", "y", "x"], [None, None, None], id="a key that comes twice"),
    ],
)
def test_parents_where_a_path_is_one_place(paths: list[str], expected: list[int | None]) -> None:
    assert parents(paths, unique=True) == expected


def test_sections_where_a_path_is_one_place() -> None:
    chunks = chunks_of(["x/a", "x", "x/b", "x", "y"], unique=True)
    assert sections(chunks) == [(0, 0), (0, 3), (2, 2), (0, 3), (4, 4)]


def test_without_paths_the_chunks_are_neighbours_in_the_document() -> None:
    chunks = MDocument.from_text("one two three").chunk("recursive", max_size=5, overlap=0)
    assert numbers(chunks) == [(None, None, 1, []), (None, 0, 2, []), (None, 1, None, [])]
    assert {relation.section for relation in chunks.relations()} == {(0, 13)}


def test_equal_texts_have_keys_of_their_own() -> None:
    chunks = Chunks(Source("a a a"), [Chunk("a", i, i + 1, path=("A",)) for i in (0, 2, 4)])
    assert numbers(chunks) == [(None, None, None, [1, 2]), (0, None, 2, []), (0, 1, None, [])]


# -- of documents -----------------------------------------------------------------------------------

MARKDOWN = "# A\n\na a\n\n## P\n\np p\n\n# B\n\nb b b\n\n## P\n\nq q q q q q\n"


@pytest.mark.parametrize("strategy", ["markdown", "semantic-markdown"])
def test_markdown(strategy: str) -> None:
    small: dict[str, Any] = {"max_size": 9, "overlap": 0}
    options = small if strategy == "markdown" else {**small, "join_threshold": 1, "length_function": "characters"}
    document = MDocument.from_markdown(MARKDOWN)
    chunks = document.chunk(strategy, **options)
    last = chunks[-1]
    assert last.path == ("B", "P")
    assert MARKDOWN[slice(*chunks.section(last))] == "## P\n\nq q q q q q"
    leader = next(c for c in chunks if c.key == chunks.relations()[-1].parent)
    assert leader.content.startswith("## P")
    (above,) = [c for c in chunks if c.key == chunks.relations()[leader.index].parent]
    assert MARKDOWN[slice(*chunks.section(above))] == MARKDOWN[MARKDOWN.index("# B") :].rstrip()


def test_html() -> None:
    page = "<h1>A</h1><p>one one</p><h2>B</h2><p>two two</p><h2>C</h2><p>three</p>"
    chunks = MDocument.from_html(page).chunk("html", max_size=12, overlap=0)
    assert [chunk.path for chunk in chunks] == [("A",), ("A", "B"), ("A", "C")]
    assert [parent for parent, *_ in numbers(chunks)] == [None, 0, 0]
    assert page[slice(*chunks.section(chunks[0]))] == page[4:-4]


def test_latex() -> None:
    text = "\\section{A}\n\na a a\n\n\\subsection{B}\n\nb b b\n\n\\section{C}\n\nc c c\n"
    chunks = MDocument.from_latex(text).chunk("latex", max_size=25, overlap=0)
    assert [chunk.path for chunk in chunks] == [("A",), ("A", "B"), ("C",)]
    assert [parent for parent, *_ in numbers(chunks)] == [None, 0, None]


def test_json() -> None:
    text = json.dumps({"n": 1, "meta": {"deep": {"a": "x " * 30, "b": "y " * 30}, "k": "v" * 50, "z": [1] * 40}})
    chunks = MDocument.from_json(text).chunk("json", max_size=90)
    paths = [chunk.path for chunk in chunks]
    assert chunks.unique_paths
    assert paths == [(), ("meta", "deep"), ("meta", "deep"), ("meta",), ("meta", "z"), ("meta", "z")]
    assert [parent for parent, *_ in numbers(chunks)] == [None, 3, 1, None, 3, 4]
    assert chunks.section(chunks[0]) == (0, len(text))
    assert text[slice(*chunks.section(chunks[3]))] == text[text.index('"a') : text.rindex("1") + 1]


def test_json_that_was_rewritten_keeps_its_places() -> None:
    inner = MDocument.from_json('{"x": {"a": 1}}').chunk("json")
    assert inner.moved(Source("{'x': {'a': 1}}"), OffsetMap.identity(15)).unique_paths
    spans = Chunks.from_spans(Source("a b"), [0, 2], [1, 3])
    spans.unique_paths = True
    assert spans.moved(Source("xa b"), OffsetMap.from_edits(4, [(0, 1, 0)])).unique_paths


def test_json_with_notes_keeps_its_places() -> None:
    chunks = MDocument.from_json('{"x": {"a": [1, 2, 3], "b": 2}}', source="s").chunk("json", max_size=18)
    noted = with_notes(chunks, {0: "A note."}, None)
    assert noted[0].prefix == "A note.\n\n"
    assert numbers(noted) == numbers(chunks)
    assert noted.relations()[0].key != chunks.relations()[0].key
    assert noted.unique_paths


def test_front_matter_is_in_no_section() -> None:
    document = MDocument.from_file("docs/examples/tide-tables.md")
    chunks = document.chunk("recursive", max_size=300)
    assert chunks.section(chunks[0]) == (document.body, len(document.text))


@pytest.mark.parametrize("wrong", [0, "key", None, slice(0, 1), (0, 1)])
def test_a_section_is_asked_with_a_chunk(wrong: Any) -> None:
    chunks = MDocument.from_markdown("# A\n\na").chunk()
    with pytest.raises(DocumentError, match=r"section\(\) takes a chunk of this result, got .*chunks\[index\]"):
        chunks.section(wrong)


# -- section() --------------------------------------------------------------------------------------


def test_the_largest_section_below_a_limit() -> None:
    chunks = chunks_of(["A", "A/B", "A/B", "A/B/C/D", "A/B/C/E", "A/F", "G"])
    chunk = chunks[3]
    found = {at_most: chunks.section(chunk, at_most=at_most) for at_most in range(20)}
    assert found[0] == found[2] == (6, 7)
    assert found[3] == found[6] == (6, 9)  # A/B/C, which leads no chunk
    assert found[7] == found[10] == (2, 9)
    assert found[11] == found[13] == (0, 11)
    assert found[14] == found[19] == (0, 14)
    assert chunks.section(chunk) == (6, 7)


def test_a_section_that_is_longer_than_the_limit_gives_the_chunk() -> None:
    chunks = chunks_of(["A", "A", "A"])
    assert chunks.section(chunks[1], at_most=4) == (2, 3)
    assert chunks.section(chunks[1], at_most=5) == (0, 5)


@pytest.mark.parametrize("at_most", [-1, "600", True])
def test_a_limit_that_is_no_size_is_an_error(at_most: Any) -> None:
    with pytest.raises(OptionError, match="at_most must be a number of at least 0"):
        chunks_of(["A"]).section(chunks_of(["A"])[0], at_most=at_most)


@pytest.mark.parametrize("place", [(9, 10), (0, 2)], ids=["behind the last", "not the same"])
def test_a_chunk_of_another_result_is_an_error(place: tuple[int, int]) -> None:
    other = Chunk("x", *place)
    other.index = place[0]
    with pytest.raises(DocumentError, match=r"is none of these 3 chunks\. Ask the result"):
        chunks_of(["A", "A", "A"]).section(other)


# -- outputs ----------------------------------------------------------------------------------------

FIELDS = ["parent", "previous", "next", "children", "section"]


def test_dictionaries_have_them_when_asked() -> None:
    chunks = chunks_of(["A", "A", "A/B"])
    plain, rows = chunks.to_dicts(), chunks.to_dicts(relations=True)
    assert [list(row)[len(plain[0]) :] for row in rows] == [FIELDS] * 3
    assert [{name: row[name] for name in plain[0]} for row in rows] == plain
    assert rows[0]["parent"] is rows[0]["previous"] is rows[0]["next"] is None
    assert rows[0]["children"] == [rows[1]["key"], rows[2]["key"]]
    assert (rows[1]["parent"], rows[1]["next"], rows[1]["children"]) == (rows[0]["key"], rows[2]["key"], [])
    assert (rows[2]["previous"], rows[2]["section"]) == (rows[1]["key"], [4, 5])
    assert [json.loads(line) for line in chunks.to_jsonl(relations=True).splitlines()] == rows
    assert chunks.to_jsonl() == "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain)


def test_tables_have_them_when_asked() -> None:
    pytest.importorskip("pyarrow")
    chunks = Chunks(Source("ab", source="\ud800"), [Chunk("a", 0, 1, path=("A",)), Chunk("b", 1, 2, path=("A",))])
    table = chunks.to_arrow(relations=True)
    assert table.column_names[-5:] == FIELDS
    first, second = table.to_pylist()
    assert first["key"].startswith("?:")  # Arrow's strings hold no lone surrogate
    assert (second["parent"], first["children"]) == (first["key"], [second["key"]])
    assert (first["parent"], second["children"], second["section"]) == (None, [], [0, 2])
    assert Chunks(Source("")).to_arrow(relations=True).schema == table.schema
    assert chunks.to_arrow().column_names == table.column_names[:-5]


def test_frames_have_them_when_asked() -> None:
    pytest.importorskip("pandas")
    chunks = chunks_of(["A", "A/B"])
    frame = chunks.to_pandas(relations=True)
    assert list(frame.columns)[-5:] == FIELDS
    assert frame["parent"][1] == chunks[0].key
    assert frame["children"][0] == [chunks[1].key]
    assert "parent" not in chunks.to_pandas().columns


@pytest.mark.parametrize("asked", [False, True])
def test_chunks_pickle(asked: bool) -> None:
    chunks = MDocument.from_json('{"x": {"a": [1, 2, 3], "b": 2}}', source="s").chunk("json", max_size=18)
    expected = [Relation(*relation) for relation in chunks.relations()]
    if not asked:
        chunks = MDocument.from_json(chunks.source.text, source="s").chunk("json", max_size=18)
    again = pickle.loads(pickle.dumps(chunks))
    assert again.unique_paths
    assert again.relations() == expected
    assert len(pickle.dumps(chunks)) < 2000


def test_a_chunk_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    hash_of = chunk_module.content_hash
    monkeypatch.setattr(chunk_module, "content_hash", lambda text: hashed.append(text) or hash_of(text))
    chunks = chunks_of(["A", "A/B", "A/B", "C"])
    chunks.section(chunks[2])
    assert not hashed
    assert chunks.relations() is chunks.relations()
    assert hashed == chunks.texts
    hashed.clear()
    chunks.to_dicts(relations=True)
    assert hashed == chunks.texts


def test_a_text_put_in_front_later_is_in_the_keys_that_are_written() -> None:
    chunks = chunks_of(["A", "A/B"])
    before = chunks.relations()[1].parent
    chunks[0].prefix = "A note. "
    rows = chunks.to_dicts(relations=True)
    assert rows[1]["parent"] == rows[0]["key"] == chunks[0].key != before


def test_a_chunk_whose_neighbour_changed_is_kept() -> None:
    old, new = (
        MDocument.from_text(text, source="a").chunk("recursive", max_size=4, overlap=0).to_dicts(relations=True)
        for text in ("one\n\ntwo\n\nsix", "one\n\ntwo\n\nten")
    )
    assert old[1]["next"] != new[1]["next"]
    assert diff(old, new).counts == {"kept": 2, "moved": 0, "new": 1, "gone": 1, "embed": 1}


# -- any outline ------------------------------------------------------------------------------------

PATHS = st.lists(st.lists(st.sampled_from("AB"), max_size=4).map(tuple), max_size=14)


def run_of(paths: Sequence[Path], i: int, path: Path, unique: bool) -> tuple[int, int]:
    """The first and last chunk of the section `path` around chunk `i`, by looking at every chunk."""

    def inside(one: Path) -> bool:
        return one[: len(path)] == path

    def reopened(k: int) -> bool:  # a section of the same name begins
        return not unique and paths[k] == path != paths[k - 1]

    first = i
    while first and inside(paths[first - 1]) and not reopened(first):
        first -= 1
    last = i
    while last + 1 < len(paths) and inside(paths[last + 1]) and not reopened(last + 1):
        last += 1
    return first, last


def parent_of(paths: Sequence[Path], i: int, unique: bool) -> int | None:
    for depth in range(len(paths[i]), 0, -1):
        path = paths[i][:depth]
        first, last = run_of(paths, i, path, unique)
        own = [k for k in range(first, last + 1) if paths[k] == path]
        if own and own[0] != i:
            return own[0]
    return None


@given(PATHS, st.booleans())
def test_parents_and_sections_are_those_found_by_looking_at_every_chunk(paths: list[Path], unique: bool) -> None:
    chunks = chunks_of(paths, unique)
    assert parents(paths, unique) == [parent_of(paths, i, unique) for i in range(len(paths))]
    whole = (0, len(paths) - 1)
    assert sections(chunks) == [run_of(paths, i, p, unique) if p else whole for i, p in enumerate(paths)]


@given(PATHS, st.booleans())
def test_relations_fit_together(paths: list[Path], unique: bool) -> None:
    chunks = chunks_of(paths, unique)
    found = numbers(chunks)
    relations = chunks.relations()
    top = [i for i, (parent, *_) in enumerate(found) if parent is None]
    for i, (parent, previous, following, children) in enumerate(found):
        assert all(found[child][0] == i for child in children)
        assert parent is None or found[parent][3].count(i) == 1
        family = top if parent is None else found[parent][3]
        at = family.index(i)
        assert family == sorted(family)
        assert previous == (family[at - 1] if at else None)
        assert following == (family[at + 1] if at + 1 < len(family) else None)
        start, end = relations[i].section
        assert start <= chunks[i].start < chunks[i].end <= end
        if parent is not None:
            around = relations[parent].section
            assert around[0] <= start < end <= around[1]


@given(PATHS, st.booleans())
def test_larger_limits_give_larger_sections(paths: list[Path], unique: bool) -> None:
    chunks = chunks_of(paths, unique)
    length = len(chunks.source.text)
    for chunk in chunks:
        before = chunk.start, chunk.end
        for at_most in range(1, length + 1):
            start, end = chunks.section(chunk, at_most=at_most)
            assert end - start <= at_most
            assert start <= before[0] < before[1] <= end
            before = start, end
        assert before == (0, length)


# -- large outlines ---------------------------------------------------------------------------------


def _deep(n: int) -> list[Path]:
    """`n` chunks some hundred levels deep, each below another title."""
    above = tuple(f"level {i}" for i in range(100))
    return [(*above[: 20 + i % 80], f"title {i}") for i in range(n)]


LEVELS = tuple(map(str, range(5_000)))
LARGE: dict[str, Callable[[], list[Path]]] = {
    "flat": lambda: [(f"title {i}",) for i in range(100_000)],
    "one section": lambda: [("A",)] * 100_000,
    "no path": lambda: [()] * 100_000,
    "deep": lambda: _deep(100_000),
    "down and up": lambda: [tuple("abcdefghij"[: 1 + abs(i % 18 - 9)]) for i in range(100_000)],
    "a level a chunk": lambda: [LEVELS[:i] for i in range(5_000)],
    "from the inside out": lambda: [LEVELS[: 5_000 - i] for i in range(5_000)],
    "one deep section, then others": lambda: [("A",) * 5_000, *[(*("A",) * 2_500, str(i)) for i in range(1_000)]],
}


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize("name", LARGE)
def test_large_outlines_take_linear_time(name: str, unique: bool) -> None:
    chunks = chunks_of(LARGE[name](), unique)
    began = perf_counter()
    relations = chunks.relations()
    assert perf_counter() - began < 5
    assert len(relations) == len(chunks)


@pytest.mark.parametrize("unique", [False, True])
def test_five_thousand_levels(unique: bool) -> None:
    chunks = chunks_of([LEVELS[:i] for i in range(1, 5_001)], unique)
    relations = chunks.relations()
    assert [relation.parent for relation in relations] == [None, *(r.key for r in relations[:-1])]
    assert chunks.section(chunks[-1], at_most=3) == (9996, 9999)
    assert chunks.section(chunks[0]) == (0, 9999)
    chunks = chunks_of([LEVELS[:i] for i in range(5_000, 0, -1)], unique)
    assert [r.parent is None for r in chunks.relations()] == [not unique] * 4_999 + [True]
