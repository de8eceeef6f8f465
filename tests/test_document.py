"""`MDocument`: what it is made of, the default strategy of a kind, and `chunk()` as a whole."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cantle import Chunk, Chunks, MDocument, OffsetMap, Registry, Source, chunk_many, diff, hookimpl, registry
from cantle.errors import CantleError, OptionError, PluginError
from cantle.plugins import BUILTIN
from cantle.strategies.recursive import Recursive

OURS = {name.rpartition(".")[2]: name for name in BUILTIN}


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "json", "latex"])
def test_a_constructor_for_every_kind(kind: str) -> None:
    document = getattr(MDocument, f"from_{kind}")("a", metadata={"n": 1}, source="name")
    assert (document.text, document.kind, document.metadata, document.source) == ("a", kind, {"n": 1}, "name")
    assert isinstance(document, Source)


def test_pdf_text() -> None:
    assert MDocument.from_pdf_text("one\ftwo").kind == "pdf"


def test_pdf_text_may_come_as_pages() -> None:
    pages = ["The ferry leaves from pier two.\f", "", "Zones\fare two.", "Add an hour."]
    document = MDocument.from_pdf_text(pages)
    assert document.text == "The ferry leaves from pier two.\f\fZones\nare two.\fAdd an hour."
    assert document == MDocument.from_pdf_text(page for page in pages)
    chunks = document.chunk(max_size=31)
    assert [chunk.metadata["pages"] for chunk in chunks] == [[1], [3, 4]]
    assert [document.text[c.start : c.end].split() for c in chunks] == [text.split() for text in chunks.texts]
    assert MDocument.from_pdf_text(["alone"]).chunk()[0].metadata["page"] == 1
    assert MDocument.from_pdf_text([]).text == ""


def test_it_is_frozen_and_chunking_does_not_change_it() -> None:
    document = MDocument.from_text("one two three")
    before = dataclasses.asdict(document)
    first = document.chunk(max_size=5, overlap=0)
    assert document.chunk(max_size=5, overlap=0) == first
    assert dataclasses.asdict(document) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "other"  # type: ignore[misc]


def test_metadata_is_a_copy() -> None:
    given = {"tags": ["a"]}
    document = MDocument.from_text("one two three", metadata=given)
    chunks = document.chunk(max_size=5, overlap=0)
    given["tags"].append("b")
    chunks[0].metadata["tags"].append("c")
    assert chunks[1].metadata == {"tags": ["a"]}


@pytest.mark.parametrize("text", [b"bytes", None, 5])
def test_a_text_is_a_str(text: Any) -> None:
    with pytest.raises(OptionError, match="a document's text must be a str, got"):
        MDocument.from_text(text)


@pytest.mark.parametrize("metadata", [["a"], "abc", 5])
def test_metadata_is_a_mapping(metadata: Any) -> None:
    with pytest.raises(OptionError, match="metadata must be a mapping of names to values, got"):
        MDocument.from_text("a", metadata=metadata)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("markdown", "# One\n\nwords of it\n\n## Two\n\nmore words"),
        ("html", "<p>some words</p><div>and some more</div>"),
        ("json", '{"one": "some words", "two": ["and", "some more"]}'),
        ("latex", "\\section{One} words\n\\section{Two} words"),
    ],
)
def test_without_a_strategy_the_kind_decides(kind: str, text: str) -> None:
    document = MDocument(text, kind)
    default = document.chunk(max_size=25)
    assert default == document.chunk(kind, max_size=25)
    assert default == document.chunk("", max_size=25)


def test_another_kind_is_cut_as_text() -> None:
    assert MDocument("x y z", "word").chunk(max_size=3, overlap=0).texts == ["x y", "z"]


def test_separators_of_the_caller_replace_those_of_the_kind() -> None:
    chunks = MDocument("a;b\n# c", "markdown").chunk(separators=[";"], max_size=5, overlap=0)
    assert chunks.texts == ["a", "b\n# c"]


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "json", "latex", "pdf", "word"])
@pytest.mark.parametrize("options", [{}, {"max_size": 90}, {"separators": [" "]}, {"language": "python"}])
def test_the_strategy_that_is_taken_when_none_is_named(kind: str, options: dict[str, Any]) -> None:
    document = MDocument("[1, 2]", kind)
    name = document.strategy_for(options)
    assert name == document.strategy_for(tuple(options)) == getattr(document.chunk(**options).strategy, "name", "")
    assert (name == "recursive") == (kind in ("text", "word") or "separators" in options or "language" in options)


@dataclass(frozen=True)
class Verses:
    """A stranger's strategy for a kind of its own."""

    name: ClassVar[str] = "verses"
    kind: ClassVar[str] = "verses"

    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(source.text, 0, len(source.text))]


class _Verses:
    @hookimpl
    def register_strategies(self) -> list[type[Verses]]:
        return [Verses]


def test_a_kind_is_cut_by_the_strategy_of_its_name_that_a_plugin_brings() -> None:
    host = Registry({**OURS, "verses": _Verses()})
    assert host.kinds() == ["html", "json", "latex", "markdown", "verses"]
    assert isinstance(MDocument("a b", "verses").chunk(plugins=host).strategy, Verses)
    assert MDocument("a b", "verses").strategy_for() == "recursive"  # it is not installed
    assert Registry(OURS).kinds() == ["html", "json", "latex", "markdown"]
    assert [chunk.content for chunk in next(iter(chunk_many([MDocument("a b", "verses")], plugins=host))).chunks] == [
        "a b"
    ]


def test_front_matter_is_in_no_chunk_and_moves_no_offset(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("---\ntitle: Tides\n---\n\n# High\n\nwater", "utf-8")
    document = MDocument.from_file(path)
    chunks = document.chunk(max_size=10, overlap=0)
    assert document.metadata == {"title": "Tides"}
    assert [document.text[c.start : c.end] for c in chunks] == chunks.texts == ["# High", "water"]
    assert chunks.dropped == [(0, document.body, "front-matter")]


def test_a_name_a_class_and_an_instance_are_one() -> None:
    document = MDocument.from_text("one two three four five")
    by_name = document.chunk("recursive", max_size=9)
    assert document.chunk(Recursive, max_size=9) == by_name
    assert document.chunk(Recursive(max_size=9)) == by_name
    assert document.chunk(Recursive(max_size=50), max_size=9) == by_name


@pytest.mark.parametrize("strategy", [5, str, b"x", len, object()])
def test_what_is_no_strategy(strategy: Any) -> None:
    with pytest.raises(CantleError):
        MDocument.from_text("a").chunk(strategy)


def test_config_hash_names_strategy_and_options() -> None:
    document = MDocument.from_text("one two three")
    one, same, other = (document.chunk(max_size=n).config_hash for n in (5, 5, 6))
    assert one == same != other
    assert len(one) == 16
    assert int(one, 16) >= 0


@pytest.mark.parametrize("kind", ["text", "markdown", "html", "json", "latex", "pdf"])
def test_reasons_change_no_config_hash(kind: str) -> None:
    document = MDocument("[1, 2]", kind)
    assert document.chunk(explain=True).config_hash == document.chunk().config_hash


def test_achunk_is_chunk() -> None:
    document = MDocument.from_text("one two three four five")
    assert asyncio.run(document.achunk("recursive", max_size=9)) == document.chunk("recursive", max_size=9)


@dataclass(frozen=True)
class Halves:
    """Waits, then cuts in the middle."""

    name: ClassVar[str] = "halves"
    way: str = "coroutine"

    def split(self, source: Source) -> list[Chunk]:
        middle = len(source.text) // 2
        return [Chunk(source.text[a:b], a, b) for a, b in ((0, middle), (middle, len(source.text)))]

    def asplit(self, source: Source) -> Any:
        if self.way == "at once":
            return self.split(source)
        return self._one_by_one(source) if self.way == "generator" else self._waited(source)

    async def _waited(self, source: Source) -> list[Chunk]:
        await asyncio.sleep(0)
        return self.split(source)

    async def _one_by_one(self, source: Source) -> AsyncIterator[Chunk]:
        for chunk in self.split(source):
            await asyncio.sleep(0)
            yield chunk


@pytest.mark.parametrize("way", ["coroutine", "generator", "at once"])
def test_a_strategy_may_wait(way: str) -> None:
    assert asyncio.run(MDocument.from_text("abcd").achunk(Halves(way=way))).texts == ["ab", "cd"]


class Gives:
    name: ClassVar[str] = "gives"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def split(self, source: Source) -> Any:
        return self.answer


TWICE = Chunk("a", 0, 1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "split() of strategy 'gives' must give Chunks or an iterable of Chunk, got None."),
        (["a"], "a strategy must give Chunk objects, got 'a' at position 0."),
        (
            [Chunk(None, 0, 1)],  # type: ignore[arg-type]
            "the chunk at position 0 must have a str and two whole numbers as content, start and end, "
            "got None, 0 and 1.",
        ),
        (
            [Chunk("a", "0", "1")],  # type: ignore[arg-type]
            "the chunk at position 0 must have a str and two whole numbers as content, start and end, "
            "got 'a', '0' and '1'.",
        ),
        ([TWICE, TWICE], "a strategy must give each Chunk once, got Chunk(0:1 'a') again at position 1."),
    ],
)
def test_a_strategy_that_gives_something_else(answer: Any, message: str) -> None:
    with pytest.raises(PluginError) as caught:
        MDocument.from_text("a").chunk(Gives(answer))
    assert str(caught.value) == message


class Redacts:
    """Rewrites digits, and says truly or falsely what it did."""

    def __init__(self, honest: bool) -> None:
        self.honest = honest

    @hookimpl
    def prepare_source(self, source: Source) -> tuple[Source, OffsetMap]:
        text = "".join("#" if c.isdigit() else c for c in source.text)
        digits = [(i, i + 1, 1) for i, c in enumerate(source.text) if c.isdigit()]
        edits = digits if self.honest else []
        return dataclasses.replace(source, text=text), OffsetMap.from_edits(len(text), edits)


@pytest.mark.parametrize("honest", [True, False])
def test_what_was_redacted_never_comes_back(honest: bool) -> None:
    plugins = Registry({**OURS, "redacts": Redacts(honest)})
    document = MDocument.from_text("call 555 now\n\nor 666")
    chunks = document.chunk("recursive", max_size=12, overlap=0, plugins=plugins)
    assert chunks.texts == ["call ### now", "or ###"]
    # An OffsetMap that hides a rewriting leaves the bounds; a true one, the stretches that were not rewritten.
    assert [(c.start, c.end) for c in chunks] == [(0, 12), (14, 20 if not honest else 17)]


class Prefixes:
    @hookimpl
    def finish_chunks(self, chunks: Chunks) -> Chunks:
        for chunk in chunks:
            chunk.prefix = "> "
        return chunks


def test_what_a_plugin_writes_into_chunks_is_in_the_texts_and_survives_pickling() -> None:
    import pickle

    chunks = MDocument.from_text("one two").chunk(
        "recursive", max_size=3, overlap=0, plugins=Registry({**OURS, "prefixes": Prefixes()})
    )
    assert chunks.texts == pickle.loads(pickle.dumps(chunks)).texts == ["> one", "> two"]


def halved(text: str) -> int:
    return len(text) // 2


class Lengths:
    @hookimpl
    def register_length_functions(self) -> dict[str, Any]:
        return {"halved": lambda: halved}


def test_length_functions_of_a_registry_of_its_own() -> None:
    document = MDocument.from_text("one two three four")
    plugins = Registry({**OURS, "lengths": Lengths()})
    by_name = document.chunk("recursive", max_size=5, length_function="halved", plugins=plugins)
    assert by_name.texts == document.chunk("recursive", max_size=5, length_function=halved).texts
    again = asyncio.run(document.achunk("recursive", max_size=5, length_function="halved", plugins=plugins))
    assert again.texts == by_name.texts
    with pytest.raises(LookupError, match="No length function is named 'halved'"):
        document.chunk("recursive", max_size=5, length_function="halved")


def lazily(source: Source) -> Iterator[Chunk]:
    yield Chunk(source.text[:1], 0, 1)
    raise ValueError("no more")


def test_an_error_in_the_middle_of_lazy_chunks_is_the_strategys_own() -> None:
    class Lazy(Gives):
        def split(self, source: Source) -> Iterator[Chunk]:
            return lazily(source)

    with pytest.raises(ValueError, match="no more"):
        MDocument.from_text("ab").chunk(Lazy(None))


def test_options_do_not_go_with_an_object_that_has_none() -> None:
    with pytest.raises(OptionError, match="Options \\(max_size\\) go with a name or a class"):
        MDocument.from_text("a").chunk(Gives([]), max_size=5)


@pytest.mark.parametrize("extract", [["title"], "title", []])
def test_extract_is_a_mapping(extract: Any) -> None:
    with pytest.raises(OptionError, match="extract must map fields to options"):
        MDocument.from_text("a").chunk(extract=extract)


def test_the_default_registry_is_made_once() -> None:
    assert registry() is registry()


class NeedsMore:
    @hookimpl
    def register_length_functions(self) -> dict[str, Any]:
        return {"needs": lambda more: len}


def test_a_length_function_that_cannot_be_made_names_its_plugin() -> None:
    with pytest.raises(PluginError, match="the length function 'needs' of plugin 'more' cannot be made: TypeError"):
        MDocument.from_text("a").chunk(
            "recursive", length_function="needs", plugins=Registry({**OURS, "more": NeedsMore()})
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Registry([1]), "plugins of a Registry must be a mapping of names to plugins, got [1]."),
        (lambda: chunk_many(None), "documents must be an iterable of documents or paths, got None."),
        (lambda: diff(None, []), "the old run must be a sequence of chunks or of their dictionaries, got None."),
        (
            lambda: diff([], TWICE),
            "the new run must be a sequence of chunks or of their dictionaries, got Chunk(0:1 'a').",
        ),
        (
            lambda: MDocument.from_pdf_text(["a", b"b"]),
            "the pages of a PDF must be strings, the text of each, got bytes for page 2. Extract the text first; ",
        ),
        (lambda: MDocument.from_pdf_text(b"a"), "a document's text must be a str, got bytes."),
        (lambda: MDocument.from_pdf_text({"a": "b"}), "a document's text must be a str, got dict."),
        (
            lambda: MDocument("a").chunk("recursive", {"max_size": 9}),
            "options are keywords, got {'max_size': 9} as an argument without a name. Write for example "
            'chunk("recursive", max_size=500), or chunk("recursive", **options)',
        ),
        (lambda: MDocument("a").chunk({"max_size": 9}), "options are keywords, got {'max_size': 9} as an argument"),
        (lambda: asyncio.run(MDocument("a").achunk("recursive", {})), "options are keywords, got {} as an argument"),
        (
            lambda: MDocument("a").chunk("recursive", options={"max_size": 9}),
            "Strategy 'recursive' has no option 'options'. Pass options as keywords: chunk(..., **options). It takes: ",
        ),
        (lambda: MDocument("a").chunk("recursive", self=1), "Strategy 'recursive' has no option 'self'."),
        (lambda: asyncio.run(MDocument("a").achunk("json", self=1)), "Strategy 'json' has no option 'self'."),
        (lambda: MDocument.from_file(__file__, kind=[]), "kind must be a string or None, got []."),
        (lambda: MDocument("a").chunk(plugins={}), "plugins must be a Registry or None, got {}. Make one: "),
        (lambda: MDocument("abc", body=50), "body must lie in the text of 3 characters, got 50."),
        (lambda: MDocument.from_file("a\0b"), "'a\\x00b' is no path of a file: "),
    ],
)
def test_arguments_of_the_wrong_kind(call: Any, message: str) -> None:
    with pytest.raises(CantleError) as caught:
        call()
    assert str(caught.value).startswith(message)
