"""Office files for tests: parts put together by hand, where no writer makes such."""

from __future__ import annotations

import io
import zipfile
from typing import Any

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STRICT = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"))
)


def zipped(parts: dict[str, str | bytes], **more: Any) -> bytes:
    """An archive of these entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (parts | more).items():
            archive.writestr(name, data)
    return file.getvalue()


def docx_of(body: str, parts: dict[str, str] | None = None, *, kind: str = WORD, space: str = W) -> bytes:
    """A DOCX with this body; `parts` are further ones, by the last words of their types."""
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
    )
    related = "".join(f'<Relationship Id="r{name}" Type="{R}/{name}" Target="{name}.xml"/>' for name in (parts or {}))
    held: dict[str, str | bytes] = {
        "[Content_Types].xml": types,
        "word/document.xml": f"<w:document {space} xmlns:r='{R}'><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": f"<Relationships>{related}</Relationships>",
    }
    return zipped(held | {f"word/{name}.xml": text for name, text in (parts or {}).items()})


def p(text: str = "", properties: str = "", more: str = "") -> str:
    """A paragraph of WordprocessingML."""
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{run}{more}</w:p>"


def r(inner: str) -> str:
    """A run."""
    return f"<w:r>{inner}</w:r>"


def odt_of(body: str, styles: str = "", **parts: str) -> bytes:
    """An ODT with this body."""
    content = (
        f"<office:document-content {ODF} xmlns:xlink='http://www.w3.org/1999/xlink' "
        "xmlns:fo='urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0'>"
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content} | parts)
