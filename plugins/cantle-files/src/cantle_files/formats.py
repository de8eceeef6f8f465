"""The formats that are read, and which of them a file has.

Each is read by a module of its own, imported when used, with
`read(data: bytes, name: str, limits: Limits) -> MDocument`. Those of texts and slides are in
`office`, of tables in `tables`, of EPUB in `books`. They write through `markup.writing.Writer`, parse with
`containers.xml`, and turn HTML into Markdown with `markup.hypertext.write_html`.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .containers import ole
from .containers.archive import peeked, read_entry

__all__ = ["FORMATS", "Format", "find"]


class Format(NamedTuple):
    """A file format. `title` stands in messages ("is no {title}"), `module` reads it."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    module: str


_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_MS = "application/vnd.ms-"

FORMATS = (
    Format("pdf", "PDF", (".pdf",), ("application/pdf",), "pdf.pdf"),
    Format(
        "docx",
        "DOCX file",
        (".docx", ".docm", ".dotx", ".dotm"),
        (
            f"{_OOXML}wordprocessingml.document",
            f"{_OOXML}wordprocessingml.template",
            f"{_MS}word.document.macroenabled.12",
            f"{_MS}word.template.macroenabled.12",
        ),
        "office.docx",
    ),
    Format(
        "pptx",
        "PPTX file",
        (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
        (
            f"{_OOXML}presentationml.presentation",
            f"{_OOXML}presentationml.slideshow",
            f"{_OOXML}presentationml.template",
            f"{_MS}powerpoint.presentation.macroenabled.12",
            f"{_MS}powerpoint.slideshow.macroenabled.12",
            f"{_MS}powerpoint.template.macroenabled.12",
        ),
        "office.pptx",
    ),
    Format(
        "xlsx",
        "XLSX file",
        (".xlsx", ".xlsm", ".xltx", ".xltm"),
        (
            f"{_OOXML}spreadsheetml.sheet",
            f"{_OOXML}spreadsheetml.template",
            f"{_MS}excel.sheet.macroenabled.12",
            f"{_MS}excel.template.macroenabled.12",
        ),
        "tables.xlsx",
    ),
    Format("xls", "XLS file", (".xls", ".xlt"), (f"{_MS}excel",), "tables.xls"),
    Format("odt", "ODT file", (".odt", ".ott"), (f"{_ODF}text", f"{_ODF}text-template"), "office.odt"),
    Format("odp", "ODP file", (".odp", ".otp"), (f"{_ODF}presentation", f"{_ODF}presentation-template"), "office.odp"),
    Format("ods", "ODS file", (".ods", ".ots"), (f"{_ODF}spreadsheet", f"{_ODF}spreadsheet-template"), "tables.ods"),
    Format("rtf", "RTF file", (".rtf",), ("application/rtf", "text/rtf"), "office.rtf"),
    Format("epub", "EPUB file", (".epub",), ("application/epub+zip",), "books.epub"),
    Format("csv", "CSV file", (".csv",), ("text/csv",), "tables.delimited"),
    Format("tsv", "TSV file", (".tsv", ".tab"), ("text/tab-separated-values",), "tables.delimited"),
    Format("notebook", "Jupyter notebook", (".ipynb",), ("application/x-ipynb+json",), "notebooks.notebook"),
    Format("email", "e-mail", (".eml",), ("message/rfc822",), "mail"),
    Format("doc", "Word file of the years before 2007 (DOC)", (), (), "refused"),
    Format("ppt", "PowerPoint file of the years before 2007 (PPT)", (), (), "refused"),
    Format("xlsb", "binary Excel file (XLSB)", (), (), "refused"),
    Format("msg", "Outlook message (MSG)", (), (), "refused"),
    Format("encrypted", "encrypted Office file", (), (), "refused"),
)
"""All formats.

Those of the module `refused` are known only to say how to convert them, and by their content alone: names that end in
.dot or .pot are mostly those of text files.
"""

_BY_NAME = {one.name: one for one in FORMATS}
_BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}
_BY_MEDIA_TYPE = {media_type: one for one in FORMATS for media_type in one.media_types}

_HEAD = 1024
_PDF = b"%PDF-"
_ZIP = b"PK\x03\x04"
_RTF = b"{\\rtf"

_STREAMS = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "msg"),
)

_MAIN_PARTS = (
    (b"wordprocessingml.document.main+xml", "docx"),
    (b"wordprocessingml.template.main+xml", "docx"),
    (b"ms-word.document.macroenabled.main+xml", "docx"),
    (b"ms-word.template.macroenabledtemplate.main+xml", "docx"),
    (b"presentationml.presentation.main+xml", "pptx"),
    (b"presentationml.slideshow.main+xml", "pptx"),
    (b"presentationml.template.main+xml", "pptx"),
    (b"ms-powerpoint.presentation.macroenabled.main+xml", "pptx"),
    (b"ms-powerpoint.slideshow.macroenabled.main+xml", "pptx"),
    (b"ms-powerpoint.template.macroenabled.main+xml", "pptx"),
    (b"spreadsheetml.sheet.main+xml", "xlsx"),
    (b"spreadsheetml.template.main+xml", "xlsx"),
    (b"ms-excel.sheet.macroenabled.main+xml", "xlsx"),
    (b"ms-excel.template.macroenabled.main+xml", "xlsx"),
    (b"ms-excel.sheet.binary.macroenabled.main", "xlsb"),
)

_MOST_TYPES = 10_000_000
"""Bytes of `[Content_Types].xml` and the like that are looked at."""


def find(data: bytes | Path, name: str = "", media_type: str | None = None) -> Format | None:
    """The format of a file, or None. Its bytes go before the suffix of its name, and that before the MIME type.

    `data` is the file's bytes or its path; of a path only what is needed is read. Raises `OSError`.
    """
    return _by_content(data) or _by_name(name or (data.name if isinstance(data, Path) else ""), media_type)


def _by_name(name: str, media_type: str | None) -> Format | None:
    plain = (media_type or "").partition(";")[0].strip().lower()
    return _BY_SUFFIX.get(PurePosixPath(name).suffix.lower()) or _BY_MEDIA_TYPE.get(plain)


def _by_content(data: bytes | Path) -> Format | None:
    if isinstance(data, Path):
        if not data.is_file():  # what is read of a pipe is gone
            return None
        with data.open("rb") as file:
            head = file.read(_HEAD)
    else:
        head = data[:_HEAD]
    if head.startswith(_PDF):
        return _BY_NAME["pdf"]
    if head.startswith(_RTF):
        return _BY_NAME["rtf"]
    if head.startswith(ole.MAGIC):
        held = ole.streams(data)
        return next((_BY_NAME[name] for stream, name in _STREAMS if stream in held), None)
    return _of_archive(data) if head.startswith(_ZIP) else None


def _of_archive(data: bytes | Path) -> Format | None:
    from cantle.errors import DocumentError

    with peeked(data) as archive:
        if archive is None:
            return None
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        try:
            if 0 < sizes.get("mimetype", 0) < _HEAD:
                said = read_entry(archive, "mimetype").decode("latin-1").strip()
                return _BY_MEDIA_TYPE.get(said.lower())
            if 0 < sizes.get("[Content_Types].xml", 0) <= _MOST_TYPES:
                types = read_entry(archive, "[Content_Types].xml").lower()
                return next((_BY_NAME[name] for part, name in _MAIN_PARTS if part in types), None)
        except DocumentError:  # its reader will say so
            return None
    return None
