"""What is read, by which name and content; limits; files that are refused."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parent))

from office_bytes import W, docx_of, odt_of, p, r, zipped

from cantle import MDocument
from cantle.cli import cli
from cantle.errors import DocumentError, OptionError
from cantle_files import Limits, load_document, read_file

DOCX = docx_of(p("a"))
ODT = odt_of("<text:p>a</text:p>")
ODT_TYPE = "application/vnd.oasis.opendocument.text"
RTF = rb"{\rtf1 a\par}"
BREAK = r('<w:br w:type="page"/>')


def test_importing_loads_no_parser() -> None:
    code = "import cantle_files, sys; print([m for m in ('lxml', 'olefile', 'pypdfium2') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("data", [DOCX, ODT, RTF], ids=["docx", "odt", "rtf"])
def test_files_are_known_by_their_content(data: bytes, tmp_path: Path) -> None:
    for name in ("", "no-suffix", "wrong.odp", "wrong.pptx", "wrong.pdf", "text.txt"):
        assert read_file(data, name=name).text == "a\n"
    path = tmp_path / "file.bin"
    path.write_bytes(data)
    assert read_file(path).text == read_file(str(path)).text == read_file(bytearray(data)).text == "a\n"
    assert read_file(path).source == path.as_posix()
    assert MDocument.from_file(path).kind == "markdown"
    assert MDocument.from_bytes(data, "x").text == "a\n"


def test_what_is_no_file_of_ours_is_left_to_others(tmp_path: Path) -> None:
    archive = zipped({"a.txt": "a"})
    for name in ("letter.doc", "graph.dot", "de.pot"):
        assert load_document(b"plain", name, "application/msword") is None
    for data in (b"plain", b"", archive, b"PK\x03\x04 cut off", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 cut off"):
        assert load_document(data, "file.bin", None) is None
    for path in (tmp_path, tmp_path / "missing.docx", Path("nul\0.docx")):
        assert load_document(path, path.name, None) is None
    with pytest.raises(DocumentError, match=r"file\.bin is of no format that cantle_files reads: .*\.docx"):
        read_file(archive, name="file.bin")
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "missing.docx")


def test_wrong_arguments() -> None:
    with pytest.raises(OptionError, match=r"max_pages must be a whole number of at least 1, got 0"):
        Limits(max_pages=0)
    with pytest.raises(OptionError, match=r"limits must be a cantle_files\.Limits.*got \{\}"):
        read_file(DOCX, limits={})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="password is for PDF files, and x is a DOCX file"):
        read_file(DOCX, name="x", password="secret")


@pytest.mark.parametrize(
    ("option", "data"),
    [
        ("max_bytes", DOCX),
        ("max_unpacked", DOCX),
        ("max_entries", DOCX),
        ("max_pages", docx_of(p("a", more=BREAK))),
        ("max_characters", docx_of(p("abc"))),
        ("max_pages", rb"{\rtf1 a\page b}"),
        ("max_characters", rb"{\rtf1 abc}"),
    ],
    ids=["bytes", "unpacked", "entries", "pages", "characters", "rtf-pages", "rtf-characters"],
)
def test_limits(option: str, data: bytes) -> None:
    with pytest.raises(DocumentError, match=rf"^big has .*the limit is 1\. .*Limits\({option}=\.\.\.\)"):
        read_file(data, name="big", limits=Limits(**{option: 1}))


def overlapping() -> bytes:
    """Two entries of the directory that point at the same data."""
    data = bytearray(zipped({"[Content_Types].xml": "x" * 60, "word/document.xml": "x" * 60}))
    second = data.rfind(b"PK\x01\x02")
    data[second + 42 : second + 46] = bytes(4)
    return bytes(data)


def encrypted_zip() -> bytes:
    data = bytearray(zipped({"word/document.xml": "x"}))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def flipped() -> bytes:
    """A byte of the packed text is another one."""
    data = bytearray(zipped({"word/document.xml": "<w:document/>" + "abc" * 99}))
    data[data.find(b"document.xml") + 30] ^= 0xFF
    return bytes(data)


def part(text: str | bytes) -> bytes:
    return zipped({"word/document.xml": text})


ENTITIES = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><a>&b;</a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>'

REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is an empty file, not a DOCX file"),
    "text": (b"hello", "is no ZIP archive that can be read"),
    "cut off": (DOCX[: len(DOCX) // 2], "is no ZIP archive that can be read"),
    "no directory": (b"PK\x05\x06" + bytes(18), "lacks 'word/document.xml'"),
    "directory damaged": (DOCX.replace(b"PK\x01\x02", b"PK\x01\x09"), "is a damaged ZIP archive"),
    "damaged": (flipped(), "'word/document.xml' in x.docx is damaged"),
    "bomb": (part(b" " * 30_000_000), "unpacks from .* more than 300 times its size"),
    "overlapping": (overlapping(), "has entries that lie over one another"),
    "encrypted archive": (encrypted_zip(), "is encrypted"),
    "leads out": (zipped({"../word/document.xml": "x"}), "leads out of the archive"),
    "absolute": (zipped({"/etc/passwd": "x"}), "leads out of the archive"),
    "drive": (zipped({"C:\\x": "x"}), "leads out of the archive"),
    "no part": (zipped({"a.xml": "x"}), "lacks 'word/document.xml'"),
    "no XML": (part("hello"), "is no XML that can be read"),
    "entities": (part(ENTITIES), "defines a document type"),
    "outside": (part(OUTSIDE), "defines a document type"),
    "deep": (part("<a>" * 100_000 + "</a>" * 100_000), "nested too deeply"),
    "pages": (docx_of(p("", more=BREAK) * 30_000), "has more than 20,000 pages"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_and_broken_files(case: str) -> None:
    data, message = REFUSED[case]
    with pytest.raises(DocumentError, match=message):
        read_file(data, name="x.docx")


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (odt_of("", **{"META-INF/manifest.xml": "<m><encryption-data/></m>"}), "x.odt", "is encrypted"),
        (zipped({"mimetype": ODT_TYPE, "content.xml": "<a/>"}), "x.odt", "holds no text"),
        (odt_of("<text:list><text:list-item>" * 5000), "x.odt", "is no XML"),
        (b"hello", "x.rtf", "is no RTF file"),
        (b"{\\rtf1 " + b"{" * 100_000, "x.rtf", "more than 5,000 groups"),
        (b"hello", "x.pptx", "is no ZIP archive"),
    ],
    ids=["odt-encrypted", "odt-no-text", "odt-deep", "rtf-text", "rtf-deep", "pptx"],
)
def test_others_that_are_refused(data: bytes, name: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        read_file(data, name=name)


def test_an_encrypted_docx_says_how_to_decrypt_it() -> None:
    msoffcrypto = pytest.importorskip("msoffcrypto.format.ooxml")
    held = io.BytesIO()
    msoffcrypto.OOXMLFile(io.BytesIO(DOCX)).encrypt("secret", held)
    for name in ("x.docx", "x.pptx", "x"):
        with pytest.raises(DocumentError, match=r"is an encrypted Office file: it is not read\. Save it without"):
            read_file(held.getvalue(), name=name)


def wide() -> bytes:
    cell = f'<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>{p("x")}</w:tc>'
    return docx_of(f"<w:tbl><w:tr>{cell * 50}</w:tr>{f'<w:tr><w:tc>{p()}{p()}</w:tc></w:tr>' * 1000}</w:tbl>")


def repeated() -> bytes:
    cell = '<table:table-cell table:number-columns-repeated="100000000"><text:p>abc</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="100000000">{cell}</table:table-row>'
    return odt_of(f"<table:table>{row}</table:table>")


def nested(begin: str, inside: str, end: str, times: int) -> str:
    return begin * times + inside + end * times


def circle() -> bytes:
    styles = "".join(f"<w:style w:styleId='{a}'><w:basedOn w:val='{b}'/></w:style>" for a, b in ("AB", "BA"))
    return docx_of(p("x", '<w:pStyle w:val="A"/>'), {"styles": f"<w:styles {W}>{styles}</w:styles>"})


TABLE = f"<w:tbl><w:tr><w:tc>{p('x')}</w:tc><w:tc>"
LIST = "<text:list><text:list-item>"

HUGE: dict[str, tuple[bytes, int]] = {
    "wide table": (wide(), 1_000_000),
    "repeated cells": (repeated(), 100_000),
    "fields": (docx_of("<w:p>" + r('<w:fldChar w:fldCharType="begin"/>') * 20_000 + "</w:p>" + p("x")), 10),
    "tables in tables": (docx_of(nested(TABLE, p("x"), "</w:tc></w:tr></w:tbl>", 80)), 1000),
    "lists in lists": (odt_of(nested(LIST, "<text:p>x</text:p>", "</text:list-item></text:list>", 120)), 100),
    "fields of RTF": (b"{\\rtf1 " + b"{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt aaaa" * 2400, 22_000),
    "binary of RTF": (b"{\\rtf1 a\\bin99999999999 b}", 2),
    "styles in a circle": (circle(), 2),
}


@pytest.mark.parametrize("case", HUGE)
def test_small_files_stay_small(case: str) -> None:
    data, most = HUGE[case]
    assert len(read_file(data, name="x.rtf" if "RTF" in case else "x").text) <= most


def test_surrogates_and_controls_in_rtf() -> None:
    assert read_file(rb"{\rtf1 \uc0\u55357\u56832 \u55357 x\u12 y\u0 z\'0c\'e9\par}").text == "😀\ufffdx yz é\n"
    assert read_file(rb"{\rtf1\ansi{\fonttbl{\f1\fcharset204 X;}}{\f1 \'e4\'e0}\par}").text == "да\n"


def test_rtf_by_hand() -> None:
    head = rb"{\rtf1\ansi{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}}{\info{\title The title}{\author A}}"
    body = (
        rb"{\header RUNNING}\pard\s1 One\par\pard\s0 a{\v hidden}{\deleted gone}{\footnote \pard note\par}\par"
        rb"{\pard{\listtext\'b7\tab}item\par}{\pard{\listtext 3.\tab}three\par}"
        rb"\trowd\intbl a\cell b\cell\row\trowd\intbl c\cell d\cell\row\pard{\field{\*\fldinst HYPERLINK https://e.org}"
        rb"{\fldrslt x}}\page next\sect\sectd\sbknone same\par}"
    )
    document = read_file(head + body)
    assert document.text == (
        "# One\n\na[^1]\n\n- item\n3. three\n\n| a | b |\n| --- | --- |\n| c | d |\n\n[x](https://e.org)\n\n"
        "[^1]: note\n\n\f\n\nnext\n\nsame\n"
    )
    assert document.metadata == {"title": "The title", "author": "A", "page_count": 2}


def test_pages_of_odt() -> None:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="paragraph">'
        f'<style:paragraph-properties fo:break-{where}="page"/></style:style>'
        for name, where in (("B", "before"), ("A", "after"))
    )
    body = (
        '<text:p text:style-name="B">a</text:p><text:p text:style-name="B">b</text:p>'
        '<text:p text:style-name="A">c</text:p>'
        "<text:p>d</text:p><text:soft-page-break/><text:p>e<text:soft-page-break/>f</text:p><text:p>g</text:p>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    )
    document = read_file(odt_of(body, styles))
    assert [page.strip() for page in document.text.split("\f")] == ["a", "b\n\nc", "d", "ef", "g"]
    assert document.metadata["page_count"] == 5


def test_a_table_begins_and_ends_pages_of_odt() -> None:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="table">'
        f'<style:table-properties fo:break-{where}="page"/></style:style>'
        for name, where in (("B", "before"), ("A", "after"))
    )
    row = "<table:table-row>" + "<table:table-cell><text:p>x</text:p></table:table-cell>" * 2 + "</table:table-row>"
    body = "".join(
        f'<text:p>{text}</text:p><table:table table:style-name="{style}">{row}</table:table>'
        for text, style in (("a", "B"), ("b", "A"), ("c", "none"))
    )
    table = "| x | x |\n| --- | --- |"
    document = read_file(odt_of(body, styles))
    pages = ["a", f"{table}\n\nb\n\n{table}", f"c\n\n{table}"]
    assert [page.strip() for page in document.text.split("\f")] == pages


def test_a_frame_of_a_page_does_not_begin_it() -> None:
    styles = '<style:style style:name="M" style:family="paragraph" style:master-page-name="First"/>'
    frame = (
        '<d:frame xmlns:d="d" text:anchor-type="page"><d:text-box><text:p>letter head</text:p></d:text-box></d:frame>'
    )
    body = "".join(f'<text:p text:style-name="M">{text}</text:p>' for text in "ab")
    document = read_file(odt_of(frame + body, styles))
    assert [page.strip() for page in document.text.split("\f")] == ["letter head\n\na", "b"]


def test_the_command_line_takes_files_and_directories(tmp_path: Path) -> None:
    for name, data in (("a.docx", DOCX), ("b.odt", ODT), ("c.rtf", RTF)):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "d.zip").write_bytes(zipped({"a": "b"}))
    done = CliRunner().invoke(cli, ["chunk", str(tmp_path), "--format", "text"])
    assert done.exit_code == 0, done.output
    assert [name for name in ("a.docx#0", "b.odt#0", "c.rtf#0", "d.zip") if name in done.output] == [
        "a.docx#0", "b.odt#0", "c.rtf#0",
    ]  # fmt: skip
    piped: Any = CliRunner().invoke(cli, ["chunk", "-", "--source", "x.docx", "--format", "text"], input=DOCX)
    assert (piped.exit_code, "x.docx#0" in piped.output) == (0, True), piped.output
    (tmp_path / "e.docx").write_bytes(b"hello")
    done = CliRunner().invoke(cli, ["chunk", str(tmp_path), "--format", "text"])
    assert (done.exit_code, "e.docx is no ZIP archive" in done.output) == (1, True)


@pytest.mark.parametrize("data", [DOCX, ODT, RTF], ids=["docx", "odt", "rtf"])
def test_files_on_standard_input_are_known_by_their_content(data: bytes) -> None:
    for more in ([], ["--source", "report"], ["--source", "report.docx"]):
        done = CliRunner().invoke(cli, ["chunk", "-", *more, "-f", "text"], input=data)
        assert (done.exit_code, done.stdout.splitlines()[1]) == (0, "a"), done.output
    broken = CliRunner().invoke(cli, ["chunk", "-"], input=DOCX[:-30])
    assert (broken.exit_code, "Error: standard input" in broken.stderr) == (1, True)
