"""EPUB: books by a real writer, and by hand where no writer makes such."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import DocumentError
from cantle_files import Limits, read_file

CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
OPS = 'xmlns:epub="http://www.idpf.org/2007/ops"'


def xhtml(body: str) -> str:
    head = "<head><title>no text</title></head>"
    return f'<html xmlns="http://www.w3.org/1999/xhtml" {OPS}>{head}<body>{body}</body></html>'


def opf(pages: list[str], *, more: str = "", metadata: str = "", spine: str = "", version: str = "3.0") -> str:
    items = "".join(f'<item id="{p}" href="{p}.xhtml" media-type="application/xhtml+xml"/>' for p in pages)
    order = "".join(f'<itemref idref="{p}"/>' for p in pages)
    return (
        f'<package xmlns="http://www.idpf.org/2007/opf" version="{version}" unique-identifier="i">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{items}{more}</manifest><spine {spine}>{order}</spine></package>"
    )


def book(pages: dict[str, str], files: dict[str, str | bytes] | None = None, **package: Any) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", opf(list(pages), **package))
        for name, text in pages.items():
            archive.writestr(f"OPS/{name}.xhtml", text)
        for name, data in (files or {}).items():
            archive.writestr(name, data)
    return out.getvalue()


NCX = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def ncx(points: str) -> str:
    return f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap>{points}</navMap></ncx>'


def point(title: str, target: str, inner: str = "") -> str:
    return f'<navPoint><navLabel><text>{title}</text></navLabel><content src="{target}"/>{inner}</navPoint>'


def read(data: bytes, **options: Any) -> MDocument:
    return read_file(data, name="book.epub", **options)


def ebook(tmp_path: Path) -> Path:
    epub = pytest.importorskip("ebooklib.epub", reason="ebooklib is not installed")
    made = epub.EpubBook()
    made.set_identifier("urn:isbn:9780000000002")
    made.set_title("The Harbour Guide")
    made.set_language("en")
    made.add_author("Ada Keel")
    made.add_author("Ben Mast")
    made.add_metadata("DC", "publisher", "Quay Press")
    bodies = [
        ("Arrival", "<p>We came at dawn.</p><p>The sea &eacute;tait calm.</p>"),
        ("Berths", "<h1>Berths &amp; fees</h1><p>Pay here.</p><h2>Visitors</h2><ul><li>Pay</li><li>Stay</li></ul>"),
        ("Fees", "<table><tr><th>Berth</th><th>Fee</th></tr><tr><td>A|1</td><td>18</td></tr></table>"),
        ("Leaving", "<p>Leaving</p><p>We left with the ebb.</p>"),
    ]
    pages = []
    for i, (title, body) in enumerate(bodies):
        page = epub.EpubHtml(title=title, file_name=f"text/{i}.xhtml", lang="en")
        page.content = f"<html><body>{body}</body></html>"
        made.add_item(page)
        pages.append(page)
    made.toc = (pages[0], (epub.Section("In the harbour"), pages[1:3]), pages[3])
    made.add_item(epub.EpubNcx())
    made.add_item(epub.EpubNav())
    made.spine = ["nav", *pages]
    path = tmp_path / "harbour.epub"
    epub.write_epub(str(path), made)
    return path


def test_a_book_of_ebooklib(tmp_path: Path) -> None:
    path = ebook(tmp_path)
    document = MDocument.from_file(path)
    assert document.kind == "markdown"
    assert document.source == path.as_posix()
    assert document.metadata == {
        "title": "The Harbour Guide",
        "author": "Ada Keel, Ben Mast",
        "language": "en",
        "publisher": "Quay Press",
        "identifier": "urn:isbn:9780000000002",
        "chapter_count": 4,
    }
    assert document.text == (
        "# Arrival\n\nWe came at dawn.\n\nThe sea était calm.\n\n"
        "# In the harbour\n\n## Berths & fees\n\nPay here.\n\n### Visitors\n\n- Pay\n- Stay\n\n"
        "## Fees\n\n| Berth | Fee |\n| --- | --- |\n| A\\|1 | 18 |\n\n"
        "# Leaving\n\nWe left with the ebb.\n"
    )


def test_chapters_are_sections(tmp_path: Path) -> None:
    chunks = MDocument.from_file(ebook(tmp_path)).chunk("structural-context", max_size=200, min_chunk_size=0)
    assert [chunk.path for chunk in chunks] == [
        ("Arrival",),
        ("In the harbour",),
        ("In the harbour", "Berths & fees"),
        ("In the harbour", "Berths & fees", "Visitors"),
        ("In the harbour", "Fees"),
        ("Leaving",),
    ]


def test_the_spine_gives_the_order_and_not_the_archive() -> None:
    pages = {"z": xhtml("<p>first</p>"), "a": xhtml("<p>second</p>"), "m": xhtml("<p>third</p>")}
    assert read(book(pages)).text == "first\n\nsecond\n\nthird\n"


def test_an_ncx_names_chapters_of_epub_2_on_their_levels() -> None:
    points = point("Part one", "", point("Arrival", "c1.xhtml") + point("Departure", "c2.xhtml")) + point(
        "Index", "c3.xhtml"
    )
    pages = {"c1": xhtml("<p>One.</p>"), "c2": xhtml("<h3>Going</h3><p>Two.</p>"), "c3": xhtml("<p>INDEX</p><p>x</p>")}
    document = read(book(pages, {"OPS/toc.ncx": ncx(points)}, more=NCX, spine='toc="ncx"', version="2.0"))
    assert document.text == "# Part one\n\n## Arrival\n\nOne.\n\n## Going\n\nTwo.\n\n# INDEX\n\nx\n"


def test_places_in_a_page_get_their_titles() -> None:
    points = point("One", "c.xhtml#a") + point("Two", "c.xhtml#b") + point("Three", "c.xhtml#c")
    body = '<p id="a">First.</p><p><a id="b"/>Second.</p><div><p id="c">three</p><p>Third.</p></div>'
    document = read(book({"c": xhtml(body)}, {"OPS/toc.ncx": ncx(points)}, more=NCX, spine='toc="ncx"'))
    assert document.text == "# One\n\nFirst.\n\n# Two\n\nSecond.\n\n# three\n\nThird.\n"


def test_a_navigation_document_with_parts_without_pages() -> None:
    nav = xhtml(
        '<nav epub:type="landmarks"><ol><li><a href="c1.xhtml">Begin</a></li></ol></nav><nav epub:type="toc"><ol>'
        '<li><span>Part</span><ol><li><a href="c1.xhtml">One</a></li><li><a href="c2.xhtml">Two</a></li>'
        "</ol></li></ol></nav>"
    )
    more = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    pages = {"c1": xhtml("<p>1st</p>"), "c2": xhtml("<p>2nd</p>")}
    assert read(book(pages, {"OPS/nav.xhtml": nav}, more=more)).text == ("# Part\n\n## One\n\n1st\n\n## Two\n\n2nd\n")


def test_footnotes_of_epub_3_and_of_epub_2() -> None:
    three = (
        '<p>Sails<a epub:type="noteref" href="#n1">1</a> up.</p>'
        '<aside epub:type="footnote" id="n1"><p><a href="#r1">1.</a> Of <i>canvas</i>.</p></aside><p>End.</p>'
    )
    two = (
        '<p>Ropes<sup><a id="r2" href="#n2">2</a></sup> down. See <a href="#n2">there</a>, 10<sup>2</sup>.</p>'
        '<p id="n2"><a href="#r2">2</a> Of hemp.</p><p>End.</p>'
    )
    document = read(book({"a": xhtml(three), "b": xhtml(two)}))
    assert document.text == (
        "Sails[^1] up.\n\nEnd.\n\n[^1]: Of canvas.\n\nRopes[^2] down. See there, 102.\n\nEnd.\n\n[^2]: Of hemp.\n"
    )


def test_notes_at_the_end_of_the_book() -> None:
    pages = {
        "a": xhtml('<p>Sails<a epub:type="noteref" href="notes.xhtml#n1">1</a> up.</p>'),
        "notes": xhtml('<h1>Notes</h1><ol><li epub:type="endnote" id="n1"><p>Of canvas.</p></li></ol>'),
    }
    assert read(book(pages)).text == "Sails[^1] up.\n\n# Notes\n\n[^1]: Of canvas.\n"


def test_pictures_show_their_descriptions_and_links_lead_out() -> None:
    body = (
        '<p><img src="a.png" alt="A [ship]"/><img src="b.png" alt=""/></p>'
        '<p><a href="b.xhtml">in</a> <a href="https://e.org/">out</a></p>'
    )
    assert read(book({"a": xhtml(body)})).text == "![A [ship]](a.png)\n\nin [out](https://e.org/)\n"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (b"<html><body><p>no end<p>of <b>anything", "no end\n\nof anything\n"),
        ("<?xml version='1.0' encoding='iso-8859-1'?><p>\xe9t\xe9<br>x</p>".encode("latin-1"), "été\nx\n"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'><body><p>\u6d77</p></body></html>".encode("utf-16"), "\u6d77\n"),
        (xhtml("<script>no</script><style>no</style><p>a&rsquo;b &hellip; &amp;lt;</p>").encode(), "a\u2019b … &lt;\n"),
        (xhtml("<p>&bogus; &eacute;</p>").encode(), "&bogus; é\n"),
        (xhtml("<title/><a id='x'/><div/><p>kept</p>").encode(), "kept\n"),
    ],
    ids=["not closed", "latin-1", "utf-16", "names", "a bogus name", "empty elements"],
)
def test_pages_that_are_not_as_they_should_be(page: bytes, text: str) -> None:
    assert read(_with_spine(page)).text == text


def _with_spine(page: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OPS/book.opf", opf(["a"]))
        archive.writestr("OPS/A.XHTML", page)  # capitals are often wrong
    return out.getvalue()


def encryption(algorithm: str, path: str) -> dict[str, str | bytes]:
    return {
        "META-INF/encryption.xml": '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">'
        f'<EncryptionMethod Algorithm="{algorithm}"/><CipherData><CipherReference URI="{path}"/></CipherData>'
        "</EncryptedData></encryption>"
    }


def test_books_with_drm_are_refused_and_those_with_obfuscated_fonts_are_read() -> None:
    pages = {"a": xhtml("<p>words</p>")}
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    with pytest.raises(DocumentError, match=r"book\.epub is protected \(DRM\): 'OPS/a\.xhtml' in it is encrypted"):
        read(book(pages, encryption(aes, "OPS/a.xhtml")))
    assert read(book(pages, encryption("http://www.idpf.org/2008/embedding", "OPS/f.otf"))).text == "words\n"
    assert read(book(pages, encryption(aes, "OPS/cover.jpg"))).text == "words\n"


def test_what_cannot_be_read_is_refused() -> None:
    with pytest.raises(DocumentError, match="its pages are pictures, or blank"):
        read(book({"a": xhtml('<img src="scan.png"/>')}))
    with pytest.raises(DocumentError, match="no package"):
        read_file(_zip({"mimetype": "application/epub+zip"}), name="book.epub")
    with pytest.raises(DocumentError, match="lists no pages"):
        read(book({}))
    with pytest.raises(DocumentError, match=r"lacks 'OPS/b\.xhtml'"):
        read(_zip({"META-INF/container.xml": CONTAINER, "OPS/book.opf": opf(["b"])}))
    with pytest.raises(DocumentError, match=r"2 chapters; the limit is 1"):
        read(book({"a": xhtml("<p>x</p>"), "b": xhtml("<p>x</p>")}), limits=Limits(max_pages=1))
    with pytest.raises(DocumentError, match="characters; the limit is 50"):
        read(book({"a": xhtml("<p>words</p>" * 50)}), limits=Limits(max_characters=50))


def _zip(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_no_entity_is_expanded_or_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    dtd = f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY a "aaaaa"><!ENTITY b "&a;&a;&a;">]>'
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{secret.as_uri()}" parse="text"/>'
    text = read(book({"a": dtd + xhtml(f"<p>words &x; &b;{include}</p>")})).text
    assert "words" in text
    assert "SECRET" not in text
    assert "aaaaa" not in text


def test_hostile_pages_take_no_long_time() -> None:
    deep = xhtml("<div>" * 1_500 + "deep" + "</div>" * 1_500)
    marks = '<sup><a href="#n">1</a></sup>' * 20_000 + '<p id="n">' + "<a href='#q'>x</a>" * 20_000 + "</p>"
    heads = "<h1>" * 1_500 + "title"
    document = read(book({"a": deep, "b": xhtml(marks), "c": xhtml(heads)}))
    assert "deep" in document.text
    assert "title" in document.text
    with pytest.raises(DocumentError, match=r"'OPS/a\.xhtml' in book\.epub is nested too deeply"):
        read(book({"a": xhtml("<div>" * 20_000 + "deep")}))


def test_many_entries_and_notes_take_no_long_time() -> None:
    begun = time.process_time()
    places = "".join(f"<p id='i{i}'>x</p>" for i in range(8_000))
    points = "".join(point(f"T{i}", f"a.xhtml#i{i}") for i in range(8_000))
    document = read(book({"a": xhtml(places)}, {"OPS/toc.ncx": ncx(points)}, more=NCX, spine='toc="ncx"'))
    assert document.text.startswith("# T0\n\nx\n\n# T1\n\nx")
    marks = "".join(f"x<a epub:type='noteref' href='#n{i}'>1</a>" for i in range(20_000))
    asides = "".join(f"<aside epub:type='footnote' id='n{i}'>note</aside>" for i in range(20_000))
    document = read(book({"a": xhtml(f"<p>{marks}</p>{asides}")}))
    assert document.text.endswith("[^20000]: note\n")
    assert time.process_time() - begun < 15  # it takes one second; with a time that grows by the square, half a minute
