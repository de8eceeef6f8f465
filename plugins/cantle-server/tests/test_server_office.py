"""Office files and tables that are sent to a service on which cantle-files is installed."""

from __future__ import annotations

import io
import json
import zipfile

import httpx
import pytest

from cantle import MDocument

pytest.importorskip("cantle_files")

_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:outlineLvl w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def _docx() -> bytes:
    """Two pages, each with a heading."""
    broken = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    body = _paragraph("Marés", "0") + _paragraph("Sobe e desce. 潮汐。") + broken
    body += _paragraph("Pilotos", "0") + _paragraph("Um piloto vem a bordo. مرحبا")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.main+xml"/></Types>',
        )
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>')
    return file.getvalue()


@pytest.mark.parametrize("name", ["dir/report.docx", "report", "report.txt"])
def test_a_docx_is_cut_with_its_headings_and_pages(client: httpx.Client, name: str) -> None:
    answer = client.post(
        "/v1/chunk",
        files={"file": (name, _docx(), _MAIN)},
        data={"options": json.dumps({"maxSize": 60, "overlap": 0}), "returnText": "true"},
    )
    assert answer.status_code == 200, answer.text
    found = answer.json()
    expected = MDocument.from_bytes(_docx(), name.rpartition("/")[2]).chunk(max_size=60, overlap=0)
    assert (found["kind"], found["metadata"]) == ("markdown", {"page_count": 2})
    assert found["text"] == "# Marés\n\nSobe e desce. 潮汐。\n\n\f\n\n# Pilotos\n\nUm piloto vem a bordo. مرحبا\n"
    assert [(chunk["text"], chunk["path"], chunk["metadata"]["page"]) for chunk in found["chunks"]] == [
        ("# Marés\n\nSobe e desce. 潮汐。", ["Marés"], 1),
        ("# Pilotos\n\nUm piloto vem a bordo. مرحبا", ["Pilotos"], 2),
    ]
    assert [chunk["key"] for chunk in found["chunks"]] == [chunk.key for chunk in expected]


def test_a_table_is_cut_between_its_rows(client: httpx.Client) -> None:
    data = "cidade,maré\nPorto,3\nLisboa,2\n".encode()
    answer = client.post("/v1/chunk", files={"file": ("a.csv", data)}, data={"options": '{"maxRows": 1}'})
    assert [chunk["text"] for chunk in answer.json()["chunks"]] == ["cidade,maré\nPorto,3", "cidade,maré\nLisboa,2"]


def test_a_damaged_file_is_told_and_the_service_goes_on(client: httpx.Client) -> None:
    answer = client.post("/v1/chunk", files={"file": ("report.docx", _docx()[:-40])})
    assert 400 <= answer.status_code < 500
    assert "report.docx" in answer.json()["error"]["message"]
    assert client.post("/v1/chunk", files={"file": ("report.docx", _docx())}).status_code == 200
