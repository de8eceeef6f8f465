"""Make the examples of docs/files/books.md: `python docs/files/examples/make_books.py`. Each time the same bytes."""

import json
import zipfile
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

HERE = Path(__file__).parent
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'


def notebook() -> None:
    """tides.ipynb: four cells with text and code, and what the code printed."""

    def cell(kind: str, text: str, printed: str = "") -> dict[str, object]:
        made: dict[str, object] = {"cell_type": kind, "id": f"cell-{len(cells) + 1}", "metadata": {}}
        if kind == "code":
            shown = [{"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)}]
            made |= {"execution_count": None, "outputs": shown if printed else []}
        return made | {"source": text.splitlines(keepends=True)}

    cells: list[dict[str, object]] = []
    for kind, text, printed in (
        ("markdown", "# The rule of twelfths\n\nHow high the water stands between low and high water.", ""),
        ("code", "parts = [0, 1, 3, 6, 9, 11, 12]\nlow, high = 0.4, 4.0", ""),
        ("markdown", "In each hour the water rises by its part of the range:", ""),
        (
            "code",
            "for hour, part in enumerate(parts):\n    print(hour, round(low + (high - low) * part / 12, 1))",
            "0 0.4\n1 0.7\n2 1.3\n3 2.2\n4 3.1\n5 3.7\n6 4.0\n",
        ),
        ("markdown", "## What it does not know\n\nWind from the west adds up to half a metre.", ""),
    ):
        cells.append(cell(kind, text, printed))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (HERE / "tides.ipynb").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def epub() -> None:
    """keepers.epub: two chapters, whose titles only the table of contents knows, and a footnote."""
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    items = "".join(f'<item id="{i}" href="{i}.xhtml" media-type="application/xhtml+xml"/>' for i in ("one", "two"))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">keepers</dc:identifier>'
        "<dc:title>The keepers</dc:title><dc:creator>Ada Keel</dc:creator><dc:language>en</dc:language></metadata>"
        f'<manifest>{items}<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '</manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>'
    )
    nav = (
        f'{XHTML}<body><nav epub:type="toc"><ol><li><a href="one.xhtml">The first winter</a></li>'
        '<li><a href="two.xhtml">The lamp</a></li></ol></nav></body></html>'
    )
    one = (
        f"{XHTML}<body><p>They came in October, and the boat did not come back before March."
        '<a epub:type="noteref" href="#n1">1</a></p><p>There were three of them.</p>'
        '<aside epub:type="footnote" id="n1"><p>The log says the ninth.</p></aside></body></html>'
    )
    two = (
        f"{XHTML}<body><p>The lamp burned oil until 1911.</p>"
        '<p><img src="lamp.jpg" alt="The lamp in its cage of glass"/></p></body></html>'
    )
    pages = {"META-INF/container.xml": container, "book.opf": package, "nav.xhtml": nav}
    with zipfile.ZipFile(HERE / "keepers.epub", "w") as archive:
        for name, text in {"mimetype": "application/epub+zip", **pages, "one.xhtml": one, "two.xhtml": two}.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)


def mail() -> None:
    """fees.eml: plain text, with a file attached."""
    message = EmailMessage(policy=SMTP)
    message["Subject"] = "Berthing fees from April"
    message["From"] = "Harbour office <office@harbour.example>"
    message["To"] = "Ada Keel <ada@harbour.example>"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
    message.set_content(
        "Dear Ada,\n\nfrom April on these are the fees for a night:\n\n- up to 9 metres: 18\n- up to 12 metres: 24\n\n"
        "> And for the winter?\n\nThat is in the list.\n"
    )
    message.add_attachment("berth,fee\nA1,18\n", subtype="csv", filename="fees.csv")
    message.set_boundary("=====fees=====")
    (HERE / "fees.eml").write_bytes(message.as_bytes())


if __name__ == "__main__":
    notebook()
    epub()
    mail()
