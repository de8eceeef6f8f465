"""Files that are broken, locked, or made to harm a reader, each with what its refusal must say. Written by hand."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping

from pdf_bytes import of_contents, of_pages, written

__all__ = ["files"]

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_REL = "http://schemas.openxmlformats.org"
_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
}
_PARTS = {"docx": "word/document.xml", "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
_LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
LAUGHS = f'<!DOCTYPE x [<!ENTITY l0 "lol">{_LAUGHS}]>'
LEAK = '<!DOCTYPE x [<!ENTITY leak SYSTEM "file:///etc/hostname">]>'
MB = 1_000_000


def zipped(entries: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def office(kind: str, part: str | bytes, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """An Office file whose main part is this."""
    main = _PARTS[kind]
    override = f'<Override PartName="/{main}" ContentType="{_TYPES[kind]}"/>'
    types = f'<Types xmlns="{_REL}/package/2006/content-types">{override}</Types>'
    relations = (
        f'<Relationships xmlns="{_REL}/package/2006/relationships"><Relationship Id="r1" Target="{main}" '
        f'Type="{_REL}/officeDocument/2006/relationships/officeDocument"/></Relationships>'
    )
    return zipped({"[Content_Types].xml": types, "_rels/.rels": relations, main: part, **(more or {})})


def docx(body: str, before: str = "", more: Mapping[str, str | bytes] | None = None) -> bytes:
    return office("docx", f'{before}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>', more)


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def epub(page: str, before: str = "", more: Mapping[str, str | bytes] | None = None, about: str = "") -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="b.opf"/></rootfiles></container>'
    )
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf" {about}><metadata/><manifest><item id="a" href="a.xhtml" '
        'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    entries = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "b.opf": before + package}
    return zipped({**entries, "a.xhtml": page, **(more or {})})


def odf(content: bytes | str, manifest: str) -> bytes:
    entries = {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}
    return zipped({**entries, "META-INF/manifest.xml": manifest})


def encrypted_entries(data: bytes) -> bytes:
    """An archive whose entries say that they are encrypted."""
    held = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = held.find(mark)
        while place >= 0:
            held[place + at] |= 1
            place = held.find(mark, place + 4)
    return bytes(held)


def lying_size(data: bytes, entry: str, size: int) -> bytes:
    """An archive that declares another size for an entry."""
    held = bytearray(data)
    for mark, at, name in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        place = held.find(mark)
        while place >= 0:
            if held.startswith(entry.encode(), place + name):
                struct.pack_into("<L", held, place + at, size)
            place = held.find(mark, place + 4)
    return bytes(held)


def overlapping(count: int) -> bytes:
    """An archive with many entries that are all the same bytes (Fifield, A better zip bomb, 2019)."""
    data = zipped({"word/document.xml": b"0" * 60_000})
    at = data.index(b"PK\x01\x02")
    first = data[at : data.index(b"PK\x05\x06")]
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, len(first) * count, at, 0)
    return data[:at] + first * count + end


def ole(*names: str) -> bytes:
    """A container of old Office files with empty streams of these names."""
    none, free = 0xFFFFFFFF, 0xFFFFFFFF

    def entry(name: str, kind: int, child: int = none, right: int = none) -> bytes:
        written = (name + "\0").encode("utf-16-le")
        size = len(written) if name else 0
        held = written.ljust(64, b"\0") + struct.pack("<HBB3L", size, kind, 1, none, right, child)
        return held + b"\0" * 36 + struct.pack("<LQ", 0xFFFFFFFE, 0)

    entries = [entry("Root Entry", 5, child=1)]
    entries += [entry(name, 2, right=i + 2 if i + 1 < len(names) else none) for i, name in enumerate(names)]
    directory = b"".join(entries).ljust(512, b"\0")
    table = struct.pack("<2L", 0xFFFFFFFD, 0xFFFFFFFE) + struct.pack("<L", free) * 126
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<9L", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    return header + struct.pack("<L", 0) + struct.pack("<L", free) * 108 + table + directory


def image_only_pdf() -> bytes:
    return of_contents(["0 0 612 792 re f", "100 100 m 200 200 l S"])


def files() -> Iterator[tuple[str, bytes, str]]:
    """Name, bytes, and a regular expression of the message."""
    good = docx(paragraph("words") * 500)
    book = epub("<html><body><p>words</p></body></html>")
    pdf = of_pages(["words"] * 50)
    # locked
    yield "locked.docx", ole("EncryptionInfo", "EncryptedPackage"), "encrypted Office file.*without a password"
    yield "locked.xlsx", ole("EncryptionInfo", "EncryptedPackage"), "encrypted Office file.*without a password"
    yield "locked-entries.docx", encrypted_entries(good), "is encrypted"
    yield "locked-entries.epub", encrypted_entries(book), "is encrypted"
    manifest = (
        '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<m:file-entry m:full-path="content.xml" m:size="9"><m:encryption-data/></m:file-entry></m:manifest>'
    )
    yield "locked.odt", odf(b"\x8a\x01\x02\x03", manifest), "encrypted|password"
    drm = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData '
        'xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
        '<CipherData><CipherReference URI="a.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    yield "drm.epub", epub("x", more={"META-INF/encryption.xml": drm}), r"protected \(DRM\)"
    yield (
        "locked.eml",
        b"Subject: x\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n",
        "encrypted e-mail",
    )
    # empty and cut off
    for suffix in ("pdf", "docx", "pptx", "xlsx", "xls", "odt", "odp", "ods", "rtf", "epub", "ipynb", "eml"):
        yield f"empty.{suffix}", b"", "empty file"
    for suffix in ("docx", "pptx", "xlsx", "odt", "epub"):
        yield f"half.{suffix}", good[: len(good) // 2], "damaged|no ZIP archive|no .* that can be read"
    yield "half.pdf", pdf[: len(pdf) // 3], "damaged"
    yield (
        "half.ipynb",
        json.dumps({"cells": [{"cell_type": "code", "source": "x"}]}).encode()[:-9],
        "no Jupyter notebook",
    )
    # zip bombs
    yield "flat-bomb.docx", docx(paragraph("0" * 60 * MB)), "more than 300 times its size"
    yield "nested-bomb.epub", zipped({f"{i}.zip": zipped({"x": b"0" * 10 * MB}) for i in range(3)}), "no package"
    yield "overlapping-bomb.docx", overlapping(300), "lie over one another"
    yield "many-entries.docx", overlapping(150_000), "more than 100,000 files"
    yield "lying-size.docx", lying_size(docx(paragraph("0" * 60 * MB)), "word/document.xml", 100), "damaged|cut off"
    yield "huge-size.docx", lying_size(good, "word/document.xml", 0xFFFFFFF0), "once unpacked"
    yield "leading-out.docx", docx(paragraph("x"), more={"../../evil": "x"}), "leads out of the archive"
    # XML
    yield "laughs.docx", docx(paragraph("&l9;"), LAUGHS), "DOCTYPE|entit|no XML"
    yield "laughs.xlsx", office("xlsx", LAUGHS + "<workbook>&l9;</workbook>"), "DOCTYPE|entit|no XML"
    yield "laughs.pptx", office("pptx", LAUGHS + "<presentation>&l9;</presentation>"), "DOCTYPE|entit|no XML"
    yield "laughs.odt", odf(LAUGHS + "<document>&l9;</document>", "<manifest/>"), "DOCTYPE|entit|no XML"
    yield "laughs.epub", epub("<p>x</p>", LAUGHS, about='x="&l9;"'), "no XML.*amplification|entit"
    yield "external.docx", docx(paragraph("&leak;"), LEAK), "DOCTYPE|entit|no XML"
    yield "external.odt", odf(LEAK + "<document>&leak;</document>", "<manifest/>"), "DOCTYPE|entit|no XML"
    deep = "<w:p>" * 100_000 + "</w:p>" * 100_000
    yield "deep.docx", docx(deep), "deep|no XML"
    yield "deep.odt", odf("<a>" * 100_000 + "</a>" * 100_000, "<manifest/>"), "deep|no XML"
    yield "deep.epub", epub("<div>" * 100_000), "nested too deeply"
    yield "deep.ipynb", b'{"cells": ' + b"[" * 200_000, "nested too deeply|no Jupyter notebook"
    nested = "".join(f"Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n" for i in range(3000))
    yield "deep.eml", b"Subject: x\n" + nested.encode(), "deep"
    yield "deep.rtf", b"{\\rtf1 " + b"{" * 200_000, "deep|damaged|cut off|without text"
    # no text, or not what the name says
    yield "pictures.pdf", image_only_pdf(), "without text: its pages are pictures"
    yield "pictures.epub", epub('<html><body><img src="x.png"/></body></html>'), "without text"
    yield "no-pages.pdf", written(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"]), "PDF"
    yield (
        "huge-count.pdf",
        written(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 999999999 >>"]),
        "PDF",
    )
    for suffix in ("pdf", "docx", "pptx", "xlsx", "odt", "epub", "rtf", "xls"):
        yield f"text.{suffix}", b"only a line of text\n", "no |damaged|not what"
    yield "picture.docx", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10, "no ZIP|damaged"
    yield "old.doc", ole("WordDocument"), "convert-to docx"
    yield "old.ppt", ole("PowerPoint Document"), "convert-to pptx"
    yield "object.ipynb", b'{"a": 1}', "no list of cells"
    yield "letter.eml", b"Dear Ben,\n\nno headers", "no e-mail"
    yield "noise.xls", ole("Workbook"), "damaged|no XLS|cannot be read|no .* that can be read"
