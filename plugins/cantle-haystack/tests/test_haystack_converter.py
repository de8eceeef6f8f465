"""`CantleFileConverter`: as Haystack's converters are, and what is ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from haystack.dataclasses import ByteStream

from cantle.errors import OptionError
from cantle_haystack import CantleDocumentSplitter, CantleFileConverter, WrongTypeError

GUIDE = "---\ntitle: Harbour\ntags: [a, b]\n---\n# Guide\n\nFor skippers.\n"


def read(*sources: Any, meta: Any = None, **arguments: Any) -> list[Any]:
    made = CantleFileConverter(**arguments).run(sources=list(sources), meta=meta)["documents"]
    return [(document.content, document.meta) for document in made]


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


def test_a_file(guide: Path) -> None:
    meta = {"document_kind": "markdown", "title": "Harbour", "tags": ["a", "b"], "file_path": "guide.md"}
    assert read(guide) == read(str(guide)) == [("# Guide\n\nFor skippers.\n", meta)]
    assert read(guide, store_full_path=True)[0][1]["file_path"] == str(guide)
    assert read(guide, front_matter="keep")[0][0] == GUIDE


def test_a_stream_is_read_by_its_name_or_type(guide: Path) -> None:
    data = guide.read_bytes()
    named = {"file_path": "over/there/guide.md", "by": "me"}
    kept = {"document_kind": "markdown", "title": "Harbour", "tags": ["a", "b"], "by": "me", "file_path": "guide.md"}
    stream = ByteStream(data, meta=named)
    assert read(stream) == [("# Guide\n\nFor skippers.\n", kept)]
    assert named == {"file_path": "over/there/guide.md", "by": "me"}
    assert read(ByteStream(data, mime_type="text/markdown"))[0][1]["document_kind"] == "markdown"


@pytest.mark.parametrize(
    ("meta", "mime", "kind"),
    [
        ({}, None, "text"),
        ({}, "text/html; charset=latin-1", "html"),
        ({}, "TEXT/HTML", "html"),
        ({}, "no such type", "text"),
        ({"mime_type": "application/json"}, None, "json"),
        ({"content_type": "text/html", "url": "https://x.org/guide.md"}, None, "html"),
        ({"content_type": "Unknown", "url": "https://x.org/a/guide.md?x=y.html"}, None, "markdown"),
        ({"url": "https://x.org"}, "text/html", "html"),
        ({"url": "https://[x"}, "text/html", "html"),
        ({"file_name": "a.tex"}, "text/plain", "latex"),
        ({"name": "a.json"}, "text/plain", "json"),
        ({"file_path": "a"}, "text/markdown", "markdown"),
        ({"file_path": r"C:\docs.d\a"}, "text/x-tex", "latex"),
    ],
    ids=str,
)
def test_the_kind_of_a_stream(meta: dict[str, Any], mime: str | None, kind: str) -> None:
    assert read(ByteStream(b"[1]", meta=meta, mime_type=mime))[0][1]["document_kind"] == kind


def test_meta_for_all_or_for_each(guide: Path) -> None:
    other = ByteStream(b"text", meta={"by": "me", "lang": "pt"})
    assert [meta["lang"] for _, meta in read(guide, other, meta={"lang": "en"})] == ["en", "en"]
    assert [meta["lang"] for _, meta in read(guide, other, meta=[{"lang": "en"}, {"lang": "de"}])] == ["en", "de"]
    assert read(guide, meta={"title": "Mine", "document_kind": "text"})[0][1]["title"] == "Mine"
    given = {"tags": ["x"]}
    read(guide, meta=given)[0][1]["tags"].append("y")
    assert given == {"tags": ["x"]}
    with pytest.raises(ValueError, match="length of the metadata list"):
        read(guide, meta=[{}, {}])


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Größe".encode("cp1252"))
    assert read(path, encoding="cp1252")[0][0] == "Größe"
    assert read(ByteStream(path.read_bytes(), meta={"encoding": "cp1252"}), encoding="utf-8")[0][0] == "Größe"
    assert read(ByteStream("\ufeffGröße".encode("utf-16")))[0][0] == "Größe"


def test_what_cannot_be_read_is_left_out(guide: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    bad = [tmp_path / "none.md", tmp_path, tmp_path / "a.png", 7, ByteStream(b"\x7fELF\x00"), "\x00"]
    with caplog.at_level("WARNING"):
        assert [meta["title"] for _, meta in read(*bad, guide)] == ["Harbour"]
    assert caplog.text.count("Could not convert") == len(bad)
    assert "PNG image" in caplog.text


def test_nothing_to_read() -> None:
    assert read() == []
    assert read(ByteStream(b""))[0][0] == ""
    with pytest.raises(WrongTypeError, match="sources must be a list"):
        CantleFileConverter().run(sources="guide.md")  # type: ignore[arg-type]


def test_lone_surrogates_have_an_id() -> None:
    document = CantleFileConverter(encoding="utf-16-le").run([ByteStream(b"a\x00", meta={"title": "\ud83d"})])
    assert document["documents"][0].meta["title"] == "\ud83d"
    assert document["documents"][0].id


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"encoding": "utf-9"}, "there is no encoding 'utf-9'"),
        ({"encoding": 8}, "there is no encoding 8"),
        ({"encoding": "\x00"}, "there is no encoding"),
        ({"front_matter": "drop"}, "front_matter"),
        ({"kind": 3}, "kind"),
        ({"store_full_path": "yes"}, "store_full_path must be True or False"),
    ],
    ids=str,
)
def test_wrong_arguments(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        CantleFileConverter(**given)


def test_the_splitter_knows_the_kind(guide: Path) -> None:
    documents = CantleFileConverter().run([guide])["documents"]
    made = CantleDocumentSplitter(max_size=50).run(documents)["documents"]
    assert made[0].meta["heading_path"] == "Guide"
    assert made[0].id.startswith("guide.md:")


def test_pdf_with_pages(tmp_path: Path) -> None:
    pytest.importorskip("cantle_files", exc_type=ImportError)
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    page = canvas.Canvas(str(tmp_path / "a.pdf"))
    for word in ("Low water at six.", "High water at noon."):
        page.drawString(72, 700, word)
        page.showPage()
    page.save()
    documents = CantleFileConverter().run([tmp_path / "a.pdf", ByteStream.from_file_path(tmp_path / "a.pdf")])
    assert {document.meta["document_kind"] for document in documents["documents"]} == {"pdf"}
    made = CantleDocumentSplitter(max_size=25).run(documents["documents"][:1])["documents"]
    assert [(document.content, document.meta["page_number"]) for document in made] == [
        ("Low water at six.", 1),
        ("High water at noon.", 2),
    ]
