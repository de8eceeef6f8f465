"""The page of `view`: it shows the whole text and every chunk, and nothing in a document can act in it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Chunk, Chunks, MDocument, Source
from cantle.errors import OptionError
from cantle.html_view import visible
from cantle_inspect import explained, view

DOCUMENTS = sorted((Path(__file__).parent / "documents").iterdir())
STRATEGIES = (
    *("character", "html", "json", "latex", "markdown", "recursive", "semantic-markdown", "sentence"),
    *("structural-context", "token"),
)
KINDS = {"html": ".html", "json": ".json", "latex": ".tex"}

HOSTILE = (
    "<script>alert(1)</script></style></script><!-- <img src=x onerror=alert(1)> ]]> &amp; &lt; \"'` "
    "\u202eevil\u202c \u2067x\u2069 \u2028 \u2029 nul:\x00 esc:\x1b del:\x7f c1:\x9b bom:\ufeff zero:\u200b "
    "tag:\U000e0041 lone:\ud800 \udfff cr:\r crlf:\r\n שלום مرحبا \ufffe"
)

VOID = {"meta", "link", "br", "input", "img"}


def numbers(chunks: str) -> list[int]:
    """The chunks that a mark names: `3 7-9` is 3, 7, 8 and 9."""
    found: list[int] = []
    for part in chunks.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


class Page(HTMLParser):
    """The parts of a page that tests ask for."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.marks: list[tuple[tuple[int, ...], str]] = []
        self.badges: list[str] = []
        self.ids: list[str] = []
        self.text = ""  # of the document, as shown
        self.entries: dict[str, str] = {}
        self.contents: dict[str, str] = {}
        self.content: dict[str, str] = {}  # of elements by tag
        self._open: list[tuple[str, dict[str, str]]] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        values = {name: value or "" for name, value in attrs}
        assert len(values) == len(attrs), "an attribute is given twice"
        if "id" in values:
            self.ids.append(values["id"])
        if tag not in VOID:
            self._open.append((tag, values))
        if "data-chunk" in values:
            self.marks.append((tuple(numbers(values["data-chunk"])), ""))
        if tag == "a" and values.get("id", "").startswith("t") and values.get("href", "").startswith("#c"):
            self.badges.append(values["id"][1:])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            tag = self._open[-1][0]
            self.content[tag] = self.content.get(tag, "") + data
        within = [values for _, values in self._open]
        classes = {name for values in within for name in values.get("class", "").split()}
        entry = next((values["id"] for values in within if values.get("class") == "c"), None)
        if entry is not None:
            self.entries[entry] = self.entries.get(entry, "") + data
            if "content" in classes:
                self.contents[entry] = self.contents.get(entry, "") + data
        if "t" in classes and not classes & {"n", "l", "w", "p"}:
            self.text += data
        if any("data-chunk" in values for values in within):
            numbers, before = self.marks[-1]
            self.marks[-1] = (numbers, before + data)

    def of(self, number: int) -> str:
        """The text of the marks of a chunk, joined."""
        return "".join(text for numbers, text in self.marks if number in numbers)


def check(chunks: Chunks) -> Page:
    """What holds for every page."""
    made = view(chunks)
    made.encode("utf-8")
    page = Page(made)
    text = chunks.source.text
    assert page.text == visible(text)
    assert {i for numbers, _ in page.marks for i in numbers} == set(range(len(chunks)))
    assert page.badges == [str(chunk.index) for chunk in sorted(chunks, key=lambda c: (_first(c), c.index))]
    assert len(page.entries) == len(chunks)
    assert len(set(page.ids)) == len(page.ids)
    for chunk in chunks:
        spans = [(chunk.start, chunk.end)] if chunk.spans is None else _union(chunk.spans)
        assert page.of(chunk.index) == "".join(visible(text, a, b) for a, b in spans)
        if chunk.exact:
            assert page.of(chunk.index) == visible(text, chunk.start, chunk.end)
        else:
            assert page.contents.get(f"c{chunk.index}", "") == visible(chunk.content)
    return page


def _first(chunk: Chunk) -> int:
    """Where its number stands: at its start, or at its first stretch when none begins there."""
    starts = [chunk.start] if chunk.spans is None else [a for a, b in chunk.spans if a < b]
    return chunk.start if chunk.start in starts else min(starts, default=chunk.start)


def _union(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if found and a <= found[-1][1]:
            found[-1] = (found[-1][0], max(b, found[-1][1]))
        elif a < b:
            found.append((a, b))
    return found


def chunks_of(text: str, *spans: tuple[int, int], **more: Any) -> Chunks:
    return Chunks(Source(text, source="doc"), [Chunk(text[a:b], a, b, **more) for a, b in spans])


def cuttings() -> Iterator[Any]:
    for path in DOCUMENTS:
        for name in STRATEGIES:
            if name not in KINDS or path.suffix == KINDS[name]:
                yield pytest.param(path, name, id=f"{path.name}-{name}")


@pytest.mark.parametrize(("path", "strategy"), list(cuttings()))
def test_every_chunk_of_every_strategy_is_marked_with_its_text(path: Path, strategy: str) -> None:
    document = MDocument.from_file(path, source=path.name)
    chunks = explained(document, strategy, {"max_size": 60} | ({} if strategy == "json" else {"overlap": 20}))
    assert len(chunks)
    check(chunks)


def test_a_repeated_table_header_is_marked_in_all_chunks_that_have_it() -> None:
    path = next(path for path in DOCUMENTS if path.name == "harbour-guide.md")
    chunks = explained(MDocument.from_file(path), "markdown", {"max_size": 150, "repeat_table_header": True})
    made = [chunk for chunk in chunks if not chunk.exact]
    assert made
    page = check(chunks)
    for chunk in made:
        assert page.of(chunk.index).startswith("| Berth | Length | Depth | Fee |")
        assert "no literal slice" in page.entries[f"c{chunk.index}"]


def test_the_page_loads_nothing_and_allows_only_its_own_style_and_script() -> None:
    made = view(chunks_of("one two", (0, 3), (4, 7)))
    page = Page(made)
    policy = next(v for _, name, v in page.attributes if name == "content" and v and "default-src" in v)
    assert policy.startswith("default-src 'none';")
    for element, directive in (("style", "style-src"), ("script", "script-src")):
        digest = base64.b64encode(hashlib.sha256(page.content[element].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    outside = [
        v for _, name, v in page.attributes if name in ("src", "href", "action", "data") and not v.startswith("#")
    ]
    assert outside == ["data:,"]
    assert not [name for _, name, _ in page.attributes if name == "style" or name.startswith("on")]
    assert not re.search(r"url\(|@import|@font-face|https?:", made)
    assert page.tags.count("script") == page.tags.count("style") == 1


def test_nothing_in_a_document_can_act() -> None:
    text = HOSTILE * 3
    document = MDocument.from_markdown(
        f"# {HOSTILE}\n\n{text}\n\n## x\n\n{text}", metadata={HOSTILE: [HOSTILE, {"k": HOSTILE}]}, source=HOSTILE
    )
    for strategy in ("recursive", "structural-context"):
        options = {"max_size": 400, "overlap": 50}
        if strategy == "recursive":
            options["separators"] = [HOSTILE, "\n\n", " "]  # type: ignore[assignment]
        page = check(explained(document, strategy, options))
        assert page.tags.count("script") == 1
        assert "img" not in page.tags
        assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    chunks = Chunks(
        Source(text, source=HOSTILE, metadata={"a": HOSTILE}),
        [Chunk(text[:50], 0, 50, path=(HOSTILE,), prefix=HOSTILE, metadata={HOSTILE: HOSTILE})],
        dropped=[(50, len(text), HOSTILE)],
    )
    page = check(chunks)
    assert page.tags.count("script") == 1


def test_values_in_attributes_cannot_leave_them() -> None:
    evil = '" onmouseover="alert(1)" x="'
    text = "one two three"
    chunks = Chunks(Source(text, source=evil), [Chunk("one", 0, 3)], dropped=[(4, 13, evil)])
    page = check(chunks)
    assert ("del", "title", f"dropped: {evil}") in page.attributes


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec=None), max_size=60),
    st.lists(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=3), max_size=6),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=3),
)
def test_any_chunks_of_any_text_are_marked(
    text: str, spans: list[list[tuple[int, int]]], gaps: list[tuple[int, int]]
) -> None:
    chunks = []
    for stretches in spans:
        inside = sorted((min(a, b, len(text)), min(max(a, b), len(text))) for a, b in stretches)
        start = inside[0][0] if inside else 0
        end = max((b for _, b in inside), default=0)
        chunks.append(Chunk("".join(text[a:b] for a, b in inside), start, end, spans=tuple(inside)))
    dropped, at = [], 0
    for a, b in sorted((min(p), max(p)) for p in gaps):
        if at <= a < b <= len(text):
            dropped.append((a, b, "why"))
            at = b
    check(Chunks(Source(text), chunks, dropped=dropped))


def test_overlap_prefix_gap_and_dropped_text_are_named() -> None:
    text = "one two three\n\nSEP four"
    chunks = Chunks(
        Source(text),
        [
            Chunk("one two", 0, 7),
            Chunk("two three", 4, 13, overlap=3, prefix="# Title\n\n"),
            Chunk("four", 19, 23),
        ],
        dropped=[(15, 18, "separator")],
    )
    made = view(chunks)
    assert '<span class="l">in 0 and 1</span><bdi class="m b o s e" data-chunk="0-1">two</bdi>' in made
    assert '<span class="l">prefix of 1, not in the document</span># Title' in made.replace("<bdi>", "")
    assert '<span class="w" aria-hidden="true">↵↵</span>\n\n' in made
    assert '<span class="l">dropped: separator</span><del title="dropped: separator"' in made
    page = check(chunks)
    assert "3 characters repeat chunk 0" in page.entries["c1"]


def test_text_that_a_strategy_lost_is_shown_as_lost() -> None:
    text = "one lost two"
    chunks = Chunks(Source(text), [Chunk("one", 0, 3), Chunk("two", 9, 12)], dropped=[])
    made = view(chunks)
    assert "in no chunk, for no reason given" in made
    assert "4 characters are in no chunk and the strategy gives no reason." in made


def test_an_entry_tells_all_of_its_chunk() -> None:
    document = MDocument.from_markdown(
        "# A\n\nOne two.\n\n## B\n\nThree four.\n", metadata={"lang": "en"}, source="d.md"
    )
    chunks = explained(document, "structural-context", {"max_size": 12, "length_function": "words"})
    page = check(chunks)
    last = chunks[len(chunks) - 1]
    entry = page.entries[f"c{last.index}"]
    for part in (last.id, last.key, last.hash, f"{last.start}–{last.end}", "and of the document: lang", "12 words"):
        assert part in entry
    assert "Ends with the document." in entry


def test_the_summary_has_figures_settings_and_what_is_dropped() -> None:
    document = MDocument.from_html("<h1>A</h1><p>One two three.</p><p>Four <b>five</b> six.</p>", source="d.html")
    chunks = explained(document, "html", {"max_size": 20})
    made = view(chunks)
    for part in ("of the limit used", "repeated (overlap)", "markup", "chunks are no literal slice", "configuration"):
        assert part in made
    assert (
        '<tr class="given"><th scope="row"><code>max_size</code></th><td><code>20</code></td><td>given</td></tr>'
        in made
    )
    assert document.chunk("html", max_size=20).config_hash in made


def test_a_page_is_the_same_in_every_run() -> None:
    def count(text: str) -> int:
        return len(text)

    def page() -> str:
        document = MDocument.from_markdown("# A\n\nOne two.", metadata={"tags": {"b", "a", "c"}})
        return view(explained(document, "recursive", {"max_size": 10, "overlap": 2, "length_function": count}))

    assert page() == page()
    assert " at 0x" not in page()


def test_chunks_whose_strategy_is_not_known_are_counted_in_characters() -> None:
    made = view(chunks_of("one two", (0, 3), (4, 7)))
    assert "2 chunks of 3 to 3 characters" in made
    assert "Cut by" not in made


def test_a_document_without_chunks_is_shown() -> None:
    page = check(Chunks(Source("  \n ")))
    assert page.badges == []
    check(Chunks(Source("")))


def test_blocks_have_the_direction_of_their_text() -> None:
    made = view(chunks_of("שלום עולם", (0, 9)))
    assert '<div class="t" dir="rtl">' in made
    made = view(chunks_of("12 hello שלום", (0, 13)))
    assert '<div class="t" dir="ltr">' in made


def test_long_texts_are_drawn_in_blocks_that_begin_with_a_line() -> None:
    text = "".join(f"line {i}\n" for i in range(2000))
    chunks = MDocument.from_text(text).chunk("recursive", max_size=700, overlap=0)
    made = view(chunks)
    assert made.count('<div class="t"') > 5
    check(chunks)


def test_the_page_grows_linearly() -> None:
    def size(paragraphs: int) -> int:
        text = "\n\n".join(f"Paragraph {i} has some words in it." for i in range(paragraphs))
        return len(view(MDocument.from_text(text).chunk("recursive", max_size=60, overlap=0)))

    assert size(2000) - size(1000) < 1.15 * (size(1000) - size(0)) + 5000


@pytest.mark.parametrize("wrong", ["guide.md", [], None])
def test_what_is_no_chunks_says_what_to_do(wrong: Any) -> None:
    with pytest.raises(OptionError, match=r"Cut it first: view\(explained\(MDocument.from_file\(path\)\)\)"):
        view(wrong)
    with pytest.raises(OptionError, match=r"Make one: MDocument.from_file\(path\)"):
        explained(wrong)
