"""The loader is LangChain's `BaseLoader` over the files that cantle reads."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from cantle import MDocument
from cantle.errors import DocumentError, OptionError
from cantle_langchain import CantleLoader, CantleTextSplitter, from_documents


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_file_is_a_document(tmp_path: Path, guide: str) -> None:
    path = write(tmp_path / "guide.md", guide)
    loader = CantleLoader(path)
    assert isinstance(loader, BaseLoader)
    (document,) = loader.load()
    assert document.page_content == guide.split("---\n")[2]
    assert document.metadata == {"title": "Harbour", "source": path.as_posix(), "document_kind": "markdown"}
    assert CantleLoader(str(path)).load() == [document]


def test_the_splitter_knows_the_kind(tmp_path: Path, guide: str) -> None:
    path = write(tmp_path / "guide.md", guide)
    pieces = CantleLoader(path).load_and_split(CantleTextSplitter(max_size=120, overlap=0))
    (document,) = CantleLoader(path).load()
    body = MDocument.from_markdown(document.page_content, metadata=document.metadata, source=path.as_posix())
    assert from_documents(pieces) == list(body.chunk(max_size=120, overlap=0))
    assert "Harbour > Fees" in [piece.metadata.get("heading_path") for piece in pieces]
    assert all("---" not in piece.page_content.splitlines()[0] for piece in pieces)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.html", "<p>One.</p>", "html"),
        ("a.json", '{"a": 1}', "json"),
        ("a.tex", "\\section{A} One.", "latex"),
        ("a.txt", "One.", "text"),
        ("noend", "One.", "text"),
    ],
    ids=lambda value: value,
)
def test_kinds(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (document,) = CantleLoader(write(tmp_path / name, text)).load()
    assert (document.page_content, document.metadata["document_kind"]) == (text, kind)
    assert CantleTextSplitter().split_documents([document])


def test_several_files_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{i}.txt", f"Text {i}.") for i in range(3)]
    loading = CantleLoader([*paths, tmp_path / "missing.txt"]).lazy_load()
    assert [next(loading).page_content for _ in paths] == ["Text 0.", "Text 1.", "Text 2."]
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        next(loading)


def test_files_are_read_in_a_thread(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{i}.txt", f"Text {i}.") for i in range(3)]

    async def read() -> list[Document]:
        return [document async for document in CantleLoader(paths).alazy_load()]

    assert asyncio.run(read()) == CantleLoader(paths).load()
    assert asyncio.run(CantleLoader(paths).aload()) == CantleLoader(paths).load()


def test_options(tmp_path: Path, guide: str) -> None:
    path = write(tmp_path / "guide.txt", guide)
    (document,) = CantleLoader(path, kind="markdown", metadata={"source": "guide", "title": "Mine"}).load()
    assert document.metadata == {"title": "Mine", "source": "guide", "document_kind": "markdown"}
    (document,) = CantleLoader(path, front_matter="keep").load()
    assert document.page_content == guide
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Málaga".encode("latin-1"))
    assert CantleLoader(latin, encoding="latin-1").load()[0].page_content == "Málaga"


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="got 5"):
        CantleLoader(5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="got None among them"):
        CantleLoader([None])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="encoding must be a text encoding"):
        CantleLoader("a.txt", encoding="nope")
    with pytest.raises(OptionError, match="front_matter must be one of"):
        CantleLoader("a.txt", front_matter="nope")
    with pytest.raises(OptionError, match="metadata must be a mapping"):
        CantleLoader("a.txt", metadata=["a"])  # type: ignore[arg-type]
    (tmp_path / "a.bin").write_bytes(b"\x00\x01\x02\xff" * 100)
    with pytest.raises(DocumentError):
        CantleLoader(tmp_path / "a.bin").load()


def test_a_pdf_with_its_pages(tmp_path: Path) -> None:
    pytest.importorskip("cantle_files", reason="it reads PDF files")
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    path = tmp_path / "two.pdf"
    pages = canvas.Canvas(str(path))
    for i in (1, 2):
        pages.drawString(72, 700, f"Something about harbour {i} stands on this page.")
        pages.showPage()
    pages.save()
    (document,) = CantleLoader(path).load()
    assert (document.metadata["document_kind"], document.metadata["page_count"]) == ("pdf", 2)
    pieces = CantleTextSplitter(max_size=60).split_documents([document])
    assert [piece.metadata["page"] for piece in pieces] == [1, 2]
