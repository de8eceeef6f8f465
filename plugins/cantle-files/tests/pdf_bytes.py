"""PDF files written out by hand: every byte is known, and no other package is needed."""

from __future__ import annotations

from collections.abc import Sequence

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def written(objects: Sequence[str], trailer: str = "") -> bytes:
    """A PDF of these objects, numbered from 1, the first of which is its catalog."""
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {len(places) + 1} /Root 1 0 R {trailer}>>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode("latin-1")


def stream(content: str) -> str:
    """A stream object."""
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def page_of(lines: Sequence[str]) -> str:
    """The content of a page: lines from the top."""
    shown = "".join(f"({line}) Tj T*\n" for line in lines)
    return f"BT /F1 12 Tf 14 TL 72 720 Td\n{shown}ET"


def of_contents(contents: Sequence[str], font: str = FONT, trailer: str = "", more: Sequence[str] = ()) -> bytes:
    """A PDF of pages with these contents; `more` objects follow the font, which is the third."""
    first = 4 + len(more)
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(contents)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>",
        font,
        *more,
    ]
    for n, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 1 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(stream(content))
    return written(objects, trailer)


def of_pages(*pages: Sequence[str], trailer: str = "") -> bytes:
    """A PDF of pages of lines."""
    return of_contents([page_of(lines) for lines in pages], trailer=trailer)
