"""PDF files to documents."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import warnings
import zlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from pdf_bytes import FONT, of_contents, of_pages, page_of, stream, written

from cantle import MDocument, registry
from cantle.cli import cli
from cantle.errors import CantleError, DocumentError, OptionError
from cantle_files import PagesWithoutTextWarning, load_document, read_pdf

GUIDE = [
    ["The harbour guide", "1 Arriving", "Ships come in at high water.", "A pilot is taken on board."],
    ["The harbour guide", "2 Leaving", "Ships leave with the ebb.", "They call the tower first."],
    ["The harbour guide", "3 Night", "No ship moves without lights.", "The bar is closed then."],
]


def test_the_text_of_the_pages_is_joined_with_form_feeds() -> None:
    document = read_pdf(of_pages(*GUIDE), name="guide.pdf")
    assert document.text == "\f".join("\n".join(lines) for lines in GUIDE)
    assert (document.kind, document.source, document.metadata) == ("pdf", "guide.pdf", {"page_count": 3})


def test_a_page_that_is_alone_has_a_form_feed_behind_it() -> None:
    assert read_pdf(of_pages(["one"])).text == "one\f"


def test_a_file_becomes_a_document_by_the_plugin(tmp_path: Path) -> None:
    file = tmp_path / "guide.pdf"
    file.write_bytes(of_pages(*GUIDE))
    document = MDocument.from_file(file, metadata={"lang": "en"})
    assert (document.kind, document.source) == ("pdf", file.as_posix())
    assert document.metadata == {"page_count": 3, "lang": "en"}
    chunks = document.chunk(max_size=200)
    assert chunks[0].metadata["pages"][0] == 1
    assert chunks[-1].metadata["pages"][-1] == 3
    for chunk in chunks:
        assert document.text[chunk.start : chunk.end].startswith(chunk.content[:10])


def test_a_kind_beside_a_pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    data = of_pages(*GUIDE)
    (tmp_path / "guide.pdf").write_bytes(data)
    (tmp_path / "guide").write_bytes(data)
    text = MDocument.from_file(tmp_path / "guide.pdf").text
    assert MDocument.from_file(tmp_path / "guide.pdf", kind="pdf").text == text
    assert MDocument.from_file(tmp_path / "guide", kind="pdf").text == text
    assert MDocument.from_bytes(data, kind="pdf").text == text
    assert MDocument.from_bytes(b"one\ftwo", "notes", kind="pdf").text == "one\ftwo"
    for read in (
        lambda: MDocument.from_file(tmp_path / "guide", kind="text"),
        lambda: MDocument.from_bytes(data, "guide.pdf", kind="markdown"),
    ):
        with pytest.raises(DocumentError, match=r"guide.* is not text, .* leave --kind out"):
            read()
    said = CliRunner().invoke(cli, ["chunk", "-", "--kind", "pdf", "-f", "jsonl"], input=data)
    assert (said.exit_code, "lights" in said.stdout) == (0, True)
    said = CliRunner().invoke(cli, ["chunk", "-", "--kind", "text"], input=data)
    assert (said.exit_code, "leave --kind out" in said.stderr) == (1, True)


def test_cantle_chunk_reads_pdf_files_directories_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CANTLE_PLUGINS", raising=False)
    registry.cache_clear()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "guide.pdf").write_bytes(of_pages(*GUIDE))
    run = CliRunner().invoke
    by_name = run(cli, ["chunk", str(tmp_path / "b" / "guide.pdf")])
    by_folder = run(cli, ["chunk", str(tmp_path)])
    by_input = run(cli, ["chunk", "-", "--source", "guide.pdf"], input=of_pages(*GUIDE))
    for result in (by_name, by_folder, by_input):
        assert (result.exit_code, "Ships come in at high water." in result.stdout) == (0, True), result.output
    assert by_name.stdout == by_folder.stdout


def test_suffix_media_type_or_first_bytes_make_a_pdf(tmp_path: Path) -> None:
    data = of_pages(["one"])
    for name, media_type in (("a.pdf", None), ("A.PDF", None), ("a", "application/pdf"), ("a", None), ("a.txt", None)):
        assert load_document(data, name, media_type) is not None
    (tmp_path / "noname").write_bytes(data)
    assert load_document(tmp_path / "noname", "noname", None) is not None
    assert load_document(b"text", "a.txt", "text/plain") is None
    assert load_document(b"", "a.txt", None) is None
    assert load_document(tmp_path, "folder", None) is None
    assert load_document(tmp_path / "missing.pdf", "missing.pdf", "application/pdf") is None
    assert load_document(Path("a\0b"), "a", None) is None
    with pytest.raises(FileNotFoundError):
        MDocument.from_file(tmp_path / "missing.pdf")


@pytest.mark.skipif(not hasattr(__import__("os"), "mkfifo"), reason="no named pipes here")
def test_nothing_is_taken_from_a_pipe(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"hello world",))
    writer.start()
    assert MDocument.from_file(tmp_path / "pipe").text == "hello world"
    writer.join()


def test_a_path_may_be_given(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(of_pages(["one"]))
    assert read_pdf(file).source == read_pdf(str(file)).source == file.as_posix()
    with pytest.raises(FileNotFoundError):
        read_pdf(tmp_path / "b.pdf")


def test_words_divided_at_line_ends_keep_their_hyphen_and_are_joined_in_chunks() -> None:
    document = read_pdf(of_pages(["An inter-", "national harbour with a well-known", "light."], ["Next page."]))
    assert document.text.startswith("An inter-\nnational harbour with a well-known\nlight.")
    assert document.chunk()[0].content.startswith("An international harbour with a well-known\nlight.")


def test_running_lines_are_left_out_of_chunks() -> None:
    pages = [
        ["THE HARBOUR GUIDE", f"Page {n} tells of ships that come and go, number {n}.", str(n)] for n in range(1, 7)
    ]
    document = read_pdf(of_pages(*pages))
    assert "THE HARBOUR GUIDE" not in "".join(chunk.content for chunk in document.chunk())


def at(lines: list[tuple[float, str]], left: float = 72) -> str:
    """The content of a page with lines at these heights."""
    return " ".join(f"BT /F1 10 Tf {left} {height} Td ({line}) Tj ET" for height, line in lines)


def test_room_between_paragraphs_is_a_blank_line() -> None:
    page = at(
        [(700, "A heading"), (670, "One line,"), (658, "goes on."), (646, "Ends."), (624, "Another,"), (612, "ends.")]
    )
    assert read_pdf(of_contents([page])).text == "A heading\n\nOne line,\ngoes on.\nEnds.\n\nAnother,\nends.\f"


@pytest.mark.parametrize("step", [11, 12, 15, 20, 30])
def test_lines_that_are_evenly_apart_are_one_paragraph(step: int) -> None:
    words = ["Apples", "ace", "gyp", "Jumping", "on", "Ag", "em", "quay"]  # glyphs of all heights
    page = at([(760 - step * n, word) for n, word in enumerate(words)])
    assert read_pdf(of_contents([page])).text == "\n".join(words) + "\f"


def test_a_second_column_opens_no_paragraph_and_a_line_of_pieces_is_one() -> None:
    left = at([(700, "left one"), (688, "left two")])
    assert "\n\n" not in read_pdf(of_contents([left + " " + at([(700, "right one"), (688, "right two")], 320)])).text
    pieces = " ".join([at([(700, "one")]), at([(700, "two")], 120), at([(703, "up")], 160), at([(688, "next")])])
    assert "\n\n" not in read_pdf(of_contents([pieces])).text


def test_a_single_line_and_an_even_page_stay() -> None:
    assert read_pdf(of_contents([at([(700, "one")])])).text == "one\f"
    assert read_pdf(of_contents([at([(700, "one"), (650, "two")])])).text == "one\ntwo\f"


def test_the_title_is_metadata() -> None:
    for said, title in (("(The  guide)", "The guide"), ("<FEFF00E9D83DDEA2>", "é🚢"), ("( )", None), ("()", None)):
        data = of_contents([page_of(["x"])], trailer="/Info 4 0 R ", more=[f"<< /Title {said} >>"])
        assert read_pdf(data).metadata.get("title") == title


def test_characters_beyond_the_first_plane_are_kept() -> None:
    mapping = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> "
        "endcodespacerange\n2 beginbfchar <41> <D83DDEA2> <42> <00660069> endbfchar\nendcmap end end"
    )
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 4 0 R >>"
    data = of_contents([page_of(["A ship", "B"])], font, more=[stream(mapping)])
    assert read_pdf(data).text == "🚢 ship\nfi\f"


def test_text_at_and_beyond_the_edge_of_the_page_is_kept() -> None:
    edge = "BT /F1 12 Tf 606 700 Td (edge) Tj ET BT /F1 12 Tf 72 900 Td (above) Tj ET"
    text = read_pdf(of_contents([edge])).text
    assert "edge" in text
    assert "above" in text


def test_pages_that_are_pictures_are_told_and_blank_ones_are_not() -> None:
    drawing = "72 72 200 200 re f"
    data = of_contents([page_of(["one"]), drawing, "", drawing, page_of(["five"])])
    with pytest.warns(PagesWithoutTextWarning, match=r"^a\.pdf has 5 pages; pages 2, 4 have no text") as caught:
        document = read_pdf(data, name="a.pdf")
    assert document.text == "one\f\f\f\ffive"
    assert caught[0].filename == __file__
    many = of_contents([page_of(["one"]), *[drawing] * 12])
    with pytest.warns(PagesWithoutTextWarning, match=r"pages 2, 3, .*, 11 and 2 more have"):
        read_pdf(many)
    with pytest.warns(PagesWithoutTextWarning, match=r"page 2 has no text"):
        read_pdf(of_contents([page_of(["one"]), drawing]))


BROKEN: list[tuple[bytes, str]] = [
    (b"", "is an empty file"),
    (b"hello", "begin with '%PDF-' but with 'hello'"),
    (b"<html>", "--kind text"),
    (b"%PDF-", "cannot be read"),
    (b"%PDF-1.7\n", "damaged or was cut off"),
    (b"%PDF-1.7\n" + bytes(5000), "damaged or was cut off"),
    (of_pages(["one"])[:300], "damaged or was cut off"),
    (of_contents(["72 72 9 9 re f"]), "its pages are pictures. Recognise its text first"),
    (of_contents([""]), "its pages are blank"),
    (of_contents([]), "cannot be read"),
]


@pytest.mark.parametrize(("data", "message"), BROKEN)
def test_what_cannot_be_read_is_told(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=message) as raised:
        read_pdf(data, name="bad.pdf")
    assert str(raised.value).startswith("bad.pdf ")
    (tmp_path / "bad.pdf").write_bytes(data)
    with pytest.raises(DocumentError, match=message):
        MDocument.from_file(tmp_path / "bad.pdf")


def test_what_stands_before_the_beginning_is_passed_over() -> None:
    assert read_pdf(b"\r\nHTTP header\r\n" + of_pages(["one"])).text == "one\f"


def test_limits_are_told_with_what_they_are() -> None:
    data = of_pages(["one"], ["two"], ["three"])
    for name, good in (("max_bytes", len(data)), ("max_pages", 3), ("max_characters", 14)):
        assert read_pdf(data, **{name: good})  # type: ignore[arg-type]
        with pytest.raises(DocumentError, match=rf"the limit is {good - 1:,}\. Divide the file.*{name}=") as raised:
            read_pdf(data, **{name: good - 1})  # type: ignore[arg-type]
        assert "the PDF has " in str(raised.value)
        for wrong in (0, -1, True, 1.5, "9"):
            with pytest.raises(OptionError, match=name):
                read_pdf(data, **{name: wrong})  # type: ignore[arg-type]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.pdf"
    with file.open("wb") as out:
        out.truncate(1 << 40)  # takes no room
    with pytest.raises(DocumentError, match="1,099,511,627,776 bytes"):
        read_pdf(file)


def test_many_threads_read_at_once() -> None:
    data = {n: of_pages(*[[f"document {n} page {page}"] for page in range(8)]) for n in range(6)}
    found: dict[int, str] = {}

    def read(number: int) -> None:
        for _ in range(5):
            found[number] = read_pdf(data[number]).text

    threads = [threading.Thread(target=read, args=(number,)) for number in data]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: "\f".join(f"document {n} page {page}" for page in range(8)) for n in data}


def test_the_same_file_gives_the_same_document() -> None:
    data = of_pages(*GUIDE)
    assert read_pdf(data) == read_pdf(bytearray(data)) == read_pdf(memoryview(data))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: Any) -> None:
    whole = of_pages(*GUIDE)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 200)))
    damaged = whole[:start] + data.draw(st.binary(max_size=40)) + whole[end:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PagesWithoutTextWarning)
        try:
            document = read_pdf(damaged)
        except CantleError:
            return
    assert document.kind == "pdf"
    assert "\r" not in document.text
    document.text.encode("utf-8")


def test_time_grows_with_the_number_of_pages_and_lines() -> None:
    from time import process_time

    def seconds(pages: int, lines: int) -> float:
        data = of_pages(*[[f"line {n} of some text" for n in range(lines)]] * pages)
        begun = process_time()
        read_pdf(data)
        return process_time() - begun

    seconds(1, 1)
    assert any(seconds(800, 40) < 12 * seconds(200, 40) + 1 for _ in range(3))
    assert any(seconds(2, 16_000) < 12 * seconds(2, 4_000) + 1 for _ in range(3))


def test_importing_it_loads_no_reader_of_pdf() -> None:
    code = "import sys, cantle_files, cantle; cantle.registry(); print('pypdfium2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def _drawn(**options: Any) -> bytes:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    out = io.BytesIO()
    page = canvas.Canvas(out, invariant=1, **options)
    page.setTitle("Relatório")
    page.drawString(72, 700, "Olá, coração")
    page.showPage()
    page.drawString(72, 700, "second page")
    page.showPage()
    page.save()
    return out.getvalue()


def test_a_file_of_another_program() -> None:
    document = read_pdf(_drawn())
    assert document.text == "Olá, coração\fsecond page"
    assert document.metadata == {"title": "Relatório", "page_count": 2}
    assert read_pdf(_drawn(pageCompression=1)).text == document.text


@pytest.mark.parametrize("strength", [40, 128, 256])
def test_an_encrypted_file_wants_its_password(strength: int) -> None:
    encryption = pytest.importorskip("reportlab.lib.pdfencrypt")
    if strength == 256 and not getattr(encryption, "pyaes", None):
        pytest.skip("reportlab needs pyaes for this")
    data = _drawn(encrypt=encryption.StandardEncryption("user", "owner", strength=strength))
    with pytest.raises(DocumentError, match=r"is encrypted and wants a password\. Give it: .*password="):
        read_pdf(data)
    with pytest.raises(DocumentError, match="wants another password"):
        read_pdf(data, password="wrong")
    for password in ("user", "owner"):
        assert read_pdf(data, password=password).text == "Olá, coração\fsecond page"


def test_a_file_that_anyone_may_open_needs_none() -> None:
    encryption = pytest.importorskip("reportlab.lib.pdfencrypt")
    data = _drawn(encrypt=encryption.StandardEncryption("", "owner", strength=128))
    assert read_pdf(data).text == "Olá, coração\fsecond page"


def test_pages_that_share_what_they_draw_do_not_keep_one_busy() -> None:
    drawn = zlib.compress(b"BT /F1 12 Tf 72 700 Td " + b"(word) Tj T* " * 50_000 + b"ET")
    kids = " ".join(["4 0 R"] * 15_000)
    data = written(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [{kids}] /Count 15000 >>",
            FONT,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(drawn)} /Filter /FlateDecode >>\nstream\n{drawn.decode('latin-1')}\nendstream",
        ]
    )
    assert len(data) < 150_000
    with pytest.raises(DocumentError, match=r"busy\.pdf draws 2,\d\d\d,\d\d\d objects on its first \d\d pages"):
        read_pdf(data, name="busy.pdf")
