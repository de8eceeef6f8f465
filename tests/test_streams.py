"""`chunk_stream` gives the chunks of the document as it would be in memory, with their ids, keys and lines."""

from __future__ import annotations

import codecs
import io
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cantle import Chunk, ChunkStream, MDocument, Registry, Source, TextReader, chunk_stream, hookimpl
from cantle.counted import Counted
from cantle.errors import DocumentError, OptionError, PluginError, UnknownStrategyError
from cantle.linewise import Lines
from cantle.packing.reading import small_windows
from cantle.testing.hostile import PROSE

STRATEGIES = ("recursive", "token", "sentence", "structural-context")
FILES = {
    "plain": PROSE * 30,
    "front-matter": "---\ntitle: A\ntags: [x, y]\n---\n\nHello world.\n\n" + PROSE * 20,
    "crlf": "---\r\nt: q\r\n...\r\n" + "ab cd.\r\n\r\n" * 900,
    "cr": "---\rt: q\r---\r" + "ab cd.\r\r" * 900,
    "open": "---\nnot closed: 1\n" + "ab cd. " * 900,
    "broken": "---\na: [\n---\nab cd.\n" + PROSE,
    "only": "---\na: b\n---\n",
    "rule": "---- a line\n" + PROSE,
    "dashes": "---",
    "empty": "",
    "same": "the same\n\n" * 2000,
    "wide": "caf\u00e9 \u6f6e\u6c50 \U0001f468\u200d\U0001f469\u200d\U0001f466.\n" * 900,
}


def rows(chunks: Any) -> list[tuple[Any, ...]]:
    return [(chunk.to_dict(), chunk._state(), chunk.id, chunk.key) for chunk in chunks]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.filterwarnings("ignore:The front matter")
def test_a_file(name: str, strategy: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(FILES[name], "utf-8", newline="")
    options: dict[str, Any] = {"max_size": 60, "explain": True, "add_start_index": True}
    with small_windows(500), chunk_stream(path, strategy, metadata={"b": [1]}, **options) as stream:
        found = rows(stream)
    document = MDocument.from_file(path, metadata={"b": [1]})
    assert found == rows(document.chunk(strategy, **options))
    assert (stream.metadata, stream.body, stream.kind, stream.source) == (
        *(document.metadata, document.body, document.kind, document.source),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("name", ["plain", "front-matter", "wide"])
def test_encodings_that_are_found(encoding: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(FILES[name].encode(encoding))
    assert rows(chunk_stream(path, max_size=80)) == rows(MDocument.from_file(path).chunk("recursive", max_size=80))


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "shift_jis", "utf-7", "iso2022_jp", "utf-8-sig", "gb18030"])
def test_encodings_that_are_given(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    text = "\u65e5\u672c\u8a9e \u6f22\u5b57.\n" * 3000 if encoding != "cp1252" else "caf\u00e9 \u20ac\n" * 3000
    path.write_bytes(text.encode(encoding))
    whole = MDocument.from_file(path, encoding=encoding)
    assert rows(chunk_stream(path, max_size=80, encoding=encoding)) == rows(whole.chunk("recursive", max_size=80))


def test_marks_in_front_go_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for data in (codecs.BOM_UTF8 * 3 + b"ab\xef\xbb\xbfcd", codecs.BOM_UTF8, b"\xef\xbb\xbf---\na: 1\n---\nb"):
        path.write_bytes(data)
        found = rows(chunk_stream(path, "recursive", strip_whitespace=False))
        assert found == rows(MDocument.from_file(path).chunk("recursive", strip_whitespace=False))


def test_xml_that_declares_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(
        ('<?xml version="1.0" encoding="iso-8859-15"?>' + "caf\u00e9 \u20ac\n" * 900).encode("iso-8859-15")
    )
    assert rows(chunk_stream(path, max_size=80)) == rows(MDocument.from_file(path).chunk("recursive", max_size=80))


def test_what_is_not_utf8_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a word " * 300_000 + b"caf\xe9")
    found: list[Chunk] = []
    with pytest.raises(DocumentError, match=r"byte 0xe9 at offset 2100003 .* encoding='cp1252'"):
        found += chunk_stream(path, max_size=100)
    assert found
    path.write_bytes("caf\u00e9 ".encode("utf-16-le") * 9000 + b"\x00")
    with pytest.raises(DocumentError, match="truncated data"):
        list(chunk_stream(path, encoding="utf-16-le", max_size=100))


@pytest.mark.parametrize("head", [b"\x89PNG\r\n\x1a\n\x00", b"PK\x03\x04\x00\x01", bytes(range(32)) * 9])
def test_what_is_no_text_is_refused(head: bytes) -> None:
    with pytest.raises(DocumentError) as whole:
        MDocument.from_bytes(head, "x.txt")
    with pytest.raises(DocumentError) as caught:
        chunk_stream(io.BytesIO(head), source="x.txt")
    assert str(caught.value) == str(whole.value)


def test_a_file_that_is_open() -> None:
    data = FILES["front-matter"].encode()
    whole = MDocument.from_bytes(data, "b.md")
    stream = chunk_stream(io.BytesIO(data), source="b.md", max_size=50)
    assert rows(stream) == rows(whole.chunk("recursive", max_size=50))
    assert stream.kind == "markdown"


def test_a_reader_is_a_document_of_text() -> None:
    text = FILES["front-matter"]
    stream = chunk_stream(io.StringIO(text, newline=""), metadata={"a": 1}, source="c", max_size=50)
    assert rows(stream) == rows(MDocument(text, "text", {"a": 1}, "c").chunk("recursive", max_size=50))
    assert stream.body == 0


def test_front_matter_that_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(FILES["front-matter"], "utf-8")
    found = rows(chunk_stream(path, front_matter="keep", max_size=50))
    assert found == rows(MDocument.from_file(path, front_matter="keep").chunk("recursive", max_size=50))
    with pytest.raises(OptionError, match="front_matter must be"):
        chunk_stream(path, front_matter="drop")


def test_front_matter_of_every_length(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for size in (65_000, 65_527, 65_528, 65_529, 70_000, 80_000):
        path.write_text(f"---\na: {'x' * size}\n---\nthe text\n", "utf-8")
        with pytest.warns(match="was left in the text") if size > 65_532 else small_windows(1000):
            whole = MDocument.from_file(path)
            stream = chunk_stream(path, max_size=1000)
        assert rows(stream) == rows(whole.chunk("recursive", max_size=1000))
        assert (stream.body, stream.metadata) == (whole.body, whole.metadata)


def test_metadata_is_each_chunk_s_own() -> None:
    first, second, *_ = chunk_stream(io.StringIO("ab " * 99), metadata={"a": [1]}, max_size=9)
    first.metadata["a"].append(2)
    assert second.metadata == {"a": [1]}


def test_lines() -> None:
    text = "".join(random.Random(1).choices(["word ", "\n", "\r\n", "\r", "x", "\n\n"], k=60_000))
    for step in (1000, 7):
        reader = Lines(_Steps(text, step))
        chunks = MDocument(text).chunk("recursive", max_size=40, overlap=10)
        while reader.read(5000):
            pass
        assert [reader.of(chunk) for chunk in chunks] == [chunks.lines(chunk) for chunk in chunks]
        assert (reader.characters, reader.bytes) == (len(text), len(text))


class _Steps:
    def __init__(self, text: str, step: int) -> None:
        self.text, self.step = text, step

    def read(self, size: int, /) -> str:
        found, self.text = self.text[: min(size, self.step)], self.text[min(size, self.step) :]
        return found


def test_counting_is_exact() -> None:
    counted, seen = Counted(), dict[str, int]()
    numbers = random.Random(2)
    for _ in range(30_000):
        text = str(numbers.randrange(10_000))
        assert counted(text) == seen.get(text, 0)
        seen[text] = seen.get(text, 0) + 1


# -- what cannot be streamed ------------------------------------------------------------------------


def test_a_strategy_that_cannot() -> None:
    with pytest.raises(
        OptionError, match=r"'json' needs the whole text\. For a stream take one of recursive, sentence"
    ):
        chunk_stream(io.StringIO("{}"), "json")
    with pytest.raises(OptionError, match="'markdown' needs the whole text"):
        chunk_stream(io.StringIO("a"), None, kind="markdown")
    with pytest.raises(OptionError, match="the whole text of a document of kind 'html'"):
        chunk_stream(io.StringIO("a"), "structural-context", kind="html")
    with pytest.raises(UnknownStrategyError, match="Did you mean 'recursive'"):
        chunk_stream(io.StringIO("a"), "recursiv")
    with pytest.raises(OptionError, match="extract needs all chunks"):
        chunk_stream(io.StringIO("a"), extract={"title": True})
    with pytest.raises(OptionError, match="has no option 'max_sise'"):
        chunk_stream(io.StringIO("a"), max_sise=3)


def test_what_is_no_reader(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="a stream is a path, or has read"):
        chunk_stream(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="encoding is for a path"):
        chunk_stream(io.StringIO("a"), encoding="utf-8")
    with pytest.raises(OptionError, match="encoding must be a text encoding"):
        chunk_stream(io.BytesIO(b"a"), encoding="rot13")
    with pytest.raises(FileNotFoundError):
        chunk_stream(tmp_path / "nope.txt")
    with pytest.raises(DocumentError, match="is no path of a file"):
        chunk_stream("a\0b", kind="text")

    class Bytes:
        def read(self, size: int, /) -> bytes:
            return b"a"

    with pytest.raises(DocumentError, match="a reader must give str, got bytes"):
        list(chunk_stream(Bytes()))


class _Rewrites:
    @hookimpl
    def prepare_source(self, source: Source) -> None:
        return None


class _LeavesTextAlone(_Rewrites):
    streams = True


def test_a_plugin_that_changes_texts() -> None:
    with pytest.raises(PluginError, match=r"Plugin 'clean' changes texts or chunks \(prepare_source\)"):
        chunk_stream(io.StringIO("a"), plugins=_registry(clean=_Rewrites()))
    assert len(list(chunk_stream(io.StringIO("a"), plugins=_registry(clean=_LeavesTextAlone())))) == 1


def _registry(**plugins: Any) -> Registry:
    from cantle.plugins import BUILTIN

    return Registry({**{name.rpartition(".")[2]: name for name in BUILTIN}, **plugins})


class _Reads:
    @hookimpl
    def load_document(self, data: Any, name: str, media_type: str | None) -> MDocument | None:
        return MDocument("read") if name.endswith(".xyz") else None


def test_a_file_that_a_plugin_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cantle import loading

    host = _registry(reads=_Reads())
    monkeypatch.setattr(loading, "registry", lambda: host)
    (tmp_path / "a.xyz").write_text("as text")
    with pytest.raises(DocumentError, match="is read by a plugin"):
        chunk_stream(tmp_path / "a.xyz")
    assert [chunk.content for chunk in chunk_stream(tmp_path / "a.xyz", kind="text")] == ["as text"]


# -- strategies of others ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Lined:
    """A line a chunk."""

    name: ClassVar[str] = "lined"
    explain: bool = False

    def split(self, source: Source) -> Any:
        return self.stream(io.StringIO(source.text, newline=""))

    def stream(self, reader: TextReader) -> Any:
        at, rest = 0, ""
        while part := reader.read(100):
            *lines, rest = (rest + part).split("\n")
            for line in lines:
                if line.strip():
                    yield Chunk(line, at, at + len(line), metadata={"at": at})
                at += len(line) + 1
        if rest.strip():
            yield Chunk(rest, at, at + len(rest), metadata={"at": at})


def test_a_strategy_of_others() -> None:
    text = "one\ntwo\n\ntwo\nthree"
    assert rows(chunk_stream(io.StringIO(text), Lined)) == rows(MDocument(text).chunk(Lined()))


def test_what_is_no_chunk() -> None:
    class Wrong(Lined):
        def stream(self, reader: TextReader) -> Any:
            yield "text"

    with pytest.raises(PluginError, match=r"stream\(\) of strategy 'lined' must give Chunk objects, got 'text'"):
        list(chunk_stream(io.StringIO("a"), Wrong()))


def test_length_functions_of_a_registry() -> None:
    class Counts:
        @hookimpl
        def register_length_functions(self) -> dict[str, Any]:
            return {"twice": lambda: lambda text: 2 * len(text)}

    found = list(
        chunk_stream(
            io.StringIO("ab " * 9), max_size=10, overlap=0, length_function="twice", plugins=_registry(c=Counts())
        )
    )
    assert [len(chunk.content) for chunk in found] == [5] * 4 + [2]


# -- its end ----------------------------------------------------------------------------------------


def test_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("word " * 1000)
    whole = chunk_stream(path, max_size=50)
    assert whole._file is not None
    list(whole)
    assert whole._file is None
    with chunk_stream(path, max_size=50) as stopped:
        next(stopped)
    assert stopped._file is None
    assert list(stopped) == []


def test_an_error_of_the_reader_goes_through() -> None:
    class Fails:
        def __init__(self) -> None:
            self.left = 3

        def read(self, size: int, /) -> str:
            self.left -= 1
            if self.left:
                return "some text "
            raise ConnectionError("gone")

    stream = chunk_stream(Fails())
    with pytest.raises(ConnectionError, match="gone"):
        list(stream)
    assert isinstance(stream, ChunkStream)
    assert list(stream) == []
