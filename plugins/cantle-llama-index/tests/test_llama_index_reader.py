"""`CantleReader`: alone, in `SimpleDirectoryReader`, and in a pipeline."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import fsspec
import pytest
from llama_index.core import Document, SimpleDirectoryReader
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.readers.base import BaseReader, ReaderConfig
from llama_index.core.schema import MetadataMode

from cantle import MDocument
from cantle.errors import DocumentError, OptionError
from cantle_llama_index import CantleNodeParser, CantleReader, from_nodes


@pytest.fixture
def folder(tmp_path: Path, guide: str) -> Path:
    (tmp_path / "guide.md").write_text(f"---\ntitle: Harbour\ntags: [a, b]\n---\n{guide}", encoding="utf-8")
    (tmp_path / "page.html").write_text("<h1>Ferry</h1><p>It runs each hour.</p>", encoding="utf-8")
    (tmp_path / "words.txt").write_text("Ebb: the tide going out.\n", encoding="utf-8")
    return tmp_path


def test_a_file(folder: Path, guide: str) -> None:
    path = folder / "guide.md"
    documents = CantleReader().load_data(path)
    assert len(documents) == 1
    document = documents[0]
    assert document.text == guide
    assert document.id_ == path.as_posix()
    assert document.metadata == {
        "title": "Harbour",
        "tags": ["a", "b"],
        "file_path": path.as_posix(),
        "file_name": "guide.md",
        "document_kind": "markdown",
    }
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        assert "document_kind" not in document.get_content(metadata_mode=mode)
    assert list(CantleReader().lazy_load_data(str(path))) == documents
    assert asyncio.run(CantleReader().aload_data(path)) == documents
    assert isinstance(CantleReader(), BaseReader)


def test_the_parser_knows_the_kind(folder: Path) -> None:
    documents = [CantleReader().load_data(folder / name)[0] for name in ("guide.md", "page.html", "words.txt")]
    nodes = CantleNodeParser(max_size=100)(documents)
    path = folder / "guide.md"
    expected = [chunk.text for chunk in MDocument.from_file(path).chunk("markdown", max_size=100)]
    assert [node.text for node in nodes if node.ref_doc_id == path.as_posix()] == expected
    assert any(node.text.startswith("Ferry") and "<" not in node.text for node in nodes)
    for node, chunk in zip(nodes, from_nodes(nodes), strict=True):
        assert chunk.source == node.ref_doc_id
        if chunk.exact:
            text = next(document.text for document in documents if document.id_ == chunk.source)
            assert text[node.start_char_idx : node.end_char_idx] == chunk.content


def in_directory(*args: Any, **more: Any) -> list[Document]:
    """What `SimpleDirectoryReader` loads; older ones need another package for any file."""
    try:
        return SimpleDirectoryReader(*args, **more).load_data()
    except ImportError as error:
        pytest.skip(str(error))


def test_in_a_directory_reader(folder: Path, guide: str) -> None:
    reader = CantleReader()
    found = in_directory(str(folder), file_extractor={".md": reader, ".html": reader})
    by_name = {document.metadata["file_name"]: document for document in found}
    assert set(by_name) == {"guide.md", "page.html", "words.txt"}
    document = by_name["guide.md"]
    assert document.text == guide
    assert document.metadata["document_kind"] == "markdown"
    assert document.metadata["file_size"] == (folder / "guide.md").stat().st_size  # LlamaIndex's own
    assert document.metadata["title"] == "Harbour"
    again = in_directory(str(folder), file_extractor={".md": reader}, filename_as_id=True)
    assert {Path(document.id_).name for document in again} == {"guide.md_part_0", "page.html", "words.txt"}


def test_a_file_system_of_fsspec(guide: str) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/llama-index-reader/guide.md", guide.encode())
    document = CantleReader().load_data("/llama-index-reader/guide.md", {"lang": "en"}, memory)[0]
    assert document.text == guide
    assert document.metadata["document_kind"] == "markdown"
    assert document.metadata["lang"] == "en"
    memory.rm("/llama-index-reader", recursive=True)


def test_options(folder: Path) -> None:
    kept = CantleReader(kind="text", front_matter="keep").load_data(folder / "guide.md")[0]
    assert kept.text.startswith("---\ntitle")
    assert kept.metadata["document_kind"] == "text"
    (folder / "latin.txt").write_bytes("Hafengebühr".encode("latin-1"))
    assert CantleReader(encoding="latin-1").load_data(folder / "latin.txt")[0].text == "Hafengebühr"
    reader = CantleReader(kind="markdown", encoding="utf-8")
    assert CantleReader.from_dict(reader.to_dict()) == reader
    assert CantleReader.from_json(reader.to_json()).load_data(folder / "words.txt") == reader.load_data(
        folder / "words.txt"
    )


def test_errors(folder: Path) -> None:
    with pytest.raises(OptionError, match="front_matter"):
        CantleReader(front_matter="drop")
    with pytest.raises(OptionError, match="no option kinds"):
        CantleReader(kinds="text")
    with pytest.raises(OptionError, match="path of a file, got 3"):
        CantleReader().load_data(3)
    with pytest.raises(OptionError, match="extra_info"):
        CantleReader().load_data(folder / "guide.md", ["x"])
    with pytest.raises(FileNotFoundError):
        CantleReader().load_data(folder / "none.md")
    (folder / "noise.txt").write_bytes(b"\x00\x01\x02\xff" * 50)
    with pytest.raises(DocumentError, match=r"noise\.txt"):
        CantleReader(encoding="utf-8").load_data(folder / "noise.txt")


def test_broken_files_in_a_directory_reader(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "noise.txt").write_bytes(b"\x00\x01\x02\xff" * 50)
    files = {"input_files": [str(folder / "noise.txt")], "file_extractor": {".txt": CantleReader(encoding="utf-8")}}
    assert in_directory(**files) == []  # LlamaIndex says so and goes on
    assert "noise.txt" in capsys.readouterr().out
    with pytest.raises(Exception, match="Error loading file") as caught:
        in_directory(**files, raise_on_error=True)
    assert isinstance(caught.value.__cause__, DocumentError)


def test_files_that_plugins_read(tmp_path: Path) -> None:
    pytest.importorskip("cantle_files")
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    path = tmp_path / "two.pdf"
    drawing = canvas.Canvas(str(path))
    for words in ("The ferry leaves at nine.", "The pilot boards at the buoy."):
        drawing.drawString(72, 700, words)
        drawing.showPage()
    drawing.save()
    nodes = CantleNodeParser(max_size=40)(CantleReader().load_data(path))
    assert [node.metadata["page"] for node in nodes] == [1, 2]
    assert "ferry" in nodes[0].text


def test_in_a_pipeline(folder: Path) -> None:
    pipeline = IngestionPipeline(
        readers=[ReaderConfig(reader=CantleReader(), reader_args=[str(folder / "guide.md")])],
        transformations=[CantleNodeParser(max_size=100)],
    )
    nodes = pipeline.run()
    assert len(nodes) > 2
    assert {node.ref_doc_id for node in nodes} == {(folder / "guide.md").as_posix()}
