"""Bytes to documents: encodings, binary files, kinds, front matter."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from cantle import MDocument
from cantle.errors import CantleWarning, DocumentError, GuessedEncodingWarning, OptionError
from cantle.files import decode, kind_of, media_type
from cantle.front_matter import read

PORTUGUESE = "Não há nada mais difícil: São João, ação e coração.\n"


# -- encodings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
)
def test_unicode_encodings_are_found_and_no_byte_order_mark_stays(encoding: str) -> None:
    assert decode(PORTUGUESE.encode(encoding), "a.txt") == PORTUGUESE


@pytest.mark.parametrize(("mark", "encoding"), [(b"\xfe\xff", "utf-16-be"), (b"\x00\x00\xfe\xff", "utf-32-be")])
def test_big_endian_marks(mark: bytes, encoding: str) -> None:
    assert decode(mark + PORTUGUESE.encode(encoding), "a.txt") == PORTUGUESE


def test_a_mark_in_the_middle_is_text() -> None:
    assert decode("a\ufeffb".encode(), "a.txt") == "a\ufeffb"


def test_line_ends_stay_as_they_are() -> None:
    assert decode(b"a\r\nb\rc\n", "a.txt") == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("a.html", '<html><head><meta charset="windows-1252"></head>'),
        ("a.html", '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">'),
        ("a.xml", '<?xml version="1.0" encoding="iso-8859-15"?>'),
        ("unnamed", '<!DOCTYPE html><meta charset="cp1252">'),
    ],
)
def test_html_and_xml_are_read_in_the_encoding_they_declare(name: str, head: str) -> None:
    assert decode((head + PORTUGUESE).encode("cp1252"), name) == head + PORTUGUESE


def test_a_wrong_declaration_is_left_aside_with_a_warning() -> None:
    text = '<meta charset="shift_jis">' + PORTUGUESE + "\U0001f600"
    with pytest.warns(GuessedEncodingWarning, match=r"a\.html declares the encoding 'shift_jis' but is not in it"):
        assert decode(text.encode(), "a.html") == text


def test_html_that_says_utf_16_in_ascii_letters_is_utf_8() -> None:
    text = '<meta charset="utf-16">é'
    assert decode(text.encode(), "a.html") == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (PORTUGUESE, "cp1252"),
        ("Größe über Straße, ähnlich schön", "cp1252"),
        ("¿Qué pasó? El niño comió mañana.", "cp1252"),
        ("“Olá”, disse – e saiu… 5 €", "cp1252"),
        ("Привет, как дела? Это обычный текст на русском языке.", "cp1251"),
        ("这是一个中文文本,用于测试编码检测。", "gb18030"),
    ],
)
def test_old_encodings_are_guessed_with_a_warning_that_names_the_guess(text: str, encoding: str) -> None:
    with pytest.warns(GuessedEncodingWarning, match=f"a.txt is not UTF-8.*encoding='{encoding}'"):
        assert decode(text.encode(encoding), "a.txt") == text


def test_a_guess_for_a_large_file_looks_at_the_lines_that_tell() -> None:
    text = "plain line\n" * 50_000 + PORTUGUESE
    with pytest.warns(GuessedEncodingWarning):
        assert decode(text.encode("cp1252"), "a.txt") == text


def test_a_given_encoding_is_obeyed() -> None:
    assert decode(b"\xe9", "a.txt", "cp1250") == "é"
    assert decode("a".encode("utf-16"), "a.txt", "utf-16") == "a"
    assert decode(b"\xef\xbb\xbfa", "a.txt", "utf-8") == "a"


def test_a_given_encoding_that_does_not_fit_is_an_error_with_the_place() -> None:
    with pytest.raises(DocumentError, match=r"a\.txt is not utf-8: byte 0xe9 at offset 3"):
        decode(b"caf\xe9", "a.txt", "utf-8")


@pytest.mark.parametrize("encoding", ["utf-9", "base64", "rot13", "", "a\x00b"])
def test_an_unknown_encoding_is_an_option_error(encoding: str) -> None:
    with pytest.raises(OptionError, match="encoding must be a text encoding"):
        decode(b"a", "a.txt", encoding)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"%PDF-1.7\n", "a PDF file"),
        (b"PK\x03\x04\x14\x00", "a ZIP archive"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a PNG image"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
        (bytes(range(256)) * 4, "looks like a binary file"),
    ],
)
def test_binary_files_are_refused_with_a_next_step(data: bytes, what: str) -> None:
    with pytest.raises(DocumentError, match=what):
        decode(data, "a.bin")


def test_a_pdf_file_is_refused_with_the_way_to_its_text() -> None:
    with pytest.raises(
        DocumentError,
        match=r"format \(cantle-files\), or extract its text: `pdftotext FILE\.pdf - \| cantle chunk - -k pdf`, or",
    ):
        decode(b"%PDF-1.7\n", "a.pdf")


@pytest.mark.parametrize("data", [b"PK\x03\x04\x14\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00"], ids=["zip", "ole"])
def test_office_files_are_refused_with_the_plugin_that_reads_them(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"\(for office files and EPUB: cantle-files\), or convert the file"):
        decode(data, "a.docx")


def test_a_few_control_characters_are_text() -> None:
    assert decode(b"GIF8 is how GIF files begin", "a.txt") == "GIF8 is how GIF files begin"
    assert decode(b"a\x00b\x1b[0m", "a.txt") == "a\x00b\x1b[0m"
    assert decode(b"", "a.txt") == ""


# -- kinds ------------------------------------------------------------------------------------------


def test_kinds_by_suffix() -> None:
    names = ["a.md", "a.markdown", "a.HTML", "a.htm", "a.xhtml", "a.json", "a.tex", "a.latex", "a.txt", "a", "a.py"]
    kinds = ["markdown"] * 2 + ["html"] * 3 + ["json"] + ["latex"] * 2 + ["text"] * 3
    assert [kind_of(name) for name in names] == kinds
    assert media_type("a.md") == "text/markdown"
    assert media_type(Path("a.pdf")) == "application/pdf"
    assert media_type("a.unheard-of") is None


# -- front matter -----------------------------------------------------------------------------------


def file(tmp_path: Path, text: str, name: str = "a.md") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


FRONT = "---\ntitle: Notes\ntags: [a, b]\ndate: 2024-01-02\n---\n# One\n\nText.\n"


def test_front_matter_goes_into_the_metadata_and_into_no_chunk(tmp_path: Path) -> None:
    doc = MDocument.from_file(file(tmp_path, FRONT))
    chunks = doc.chunk()
    assert doc.metadata == {"title": "Notes", "tags": ["a", "b"], "date": "2024-01-02"}
    assert doc.text == FRONT
    assert [(c.content, FRONT[c.start : c.end]) for c in chunks] == [("# One\n\nText.", "# One\n\nText.")]
    assert chunks[0].metadata["title"] == "Notes"
    assert chunks.dropped == [(0, FRONT.index("# One"), "front-matter")]


def test_keep_leaves_the_lines_in_the_chunks_and_reads_them_too(tmp_path: Path) -> None:
    doc = MDocument.from_file(file(tmp_path, FRONT), front_matter="keep")
    assert doc.metadata["title"] == "Notes"
    assert doc.chunk()[0].content.startswith("---\ntitle: Notes")
    assert doc.chunk().dropped == []


def test_metadata_that_is_given_wins(tmp_path: Path) -> None:
    doc = MDocument.from_file(file(tmp_path, FRONT), metadata={"title": "Mine", "lang": "en"})
    assert doc.metadata["title"] == "Mine"
    assert doc.metadata["lang"] == "en"


def test_other_values_of_front_matter_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="front_matter must be one of 'read', 'keep', got 'drop'"):
        MDocument.from_file(tmp_path / "not-even-read.md", front_matter="drop")


def test_only_text_and_markdown_have_front_matter(tmp_path: Path) -> None:
    assert MDocument.from_file(file(tmp_path, FRONT, "a.tex")).metadata == {}
    assert MDocument.from_file(file(tmp_path, FRONT, "a.txt")).metadata["title"] == "Notes"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\r\na: 1\r\n---\r\nText", "Text"),
        ("--- \na: 1\n...\nText", "Text"),
        ("---\na: 1\n---", ""),
        ("---\n---\nText", "Text"),
    ],
)
def test_where_the_body_begins(text: str, body: str) -> None:
    assert text[read(text, "a.md")[1] :] == body


@pytest.mark.parametrize(
    "text", ["", "Text\n---\na: 1\n---\n", "---\na: 1\n", "----\na: 1\n---\n", " ---\na: 1\n---\n"]
)
def test_what_is_no_front_matter(text: str) -> None:
    assert read(text, "a.md") == ({}, 0)


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        ("just a sentence", "it is a text, not a mapping"),
        ("- a", "it is a list, not a mapping"),
        ("# A heading", "it holds only comments"),
        ("a: b: c", r"it is not valid YAML \(line 2: mapping values are not allowed here\)"),
        ("? [a]\n: b", "it is not valid YAML"),
        ("a: !!python/object:os.system x", "it is not valid YAML"),
        ("day: 2024-13-45", "a value cannot be read"),
        ("n: " + "9" * 5000, "a value cannot be read"),
        ("a: " + "[" * 20_000, "it is nested too deeply"),
        ("a: " + "[" * 40 + "]" * 40, "it is nested more than 32 deep"),
        ("a: &a [*a]", "it is nested more than 32 deep"),
        ("dept: hr\nlevel: 1\ndept: sre", r"it has the key 'dept' twice \(line 4\)"),
        ("a: {b: 1, 'b': 2}", r"it has the key 'b' twice \(line 2\)"),
        ("a\u0301: 1\n\u00e1: 2", r"it has the key 'á' twice"),
        ("a: " + "x" * 70_000, "it has 70004 characters, more than 65536"),
    ],
)
def test_what_cannot_be_read_stays_in_the_text_with_a_warning(yaml: str, reason: str) -> None:
    with pytest.warns(CantleWarning, match=f"The front matter of a.md was left in the text: {reason}"):
        assert read(f"---\n{yaml}\n---\nText", "a.md") == ({}, 0)


def test_alias_bombs_are_refused_at_once() -> None:
    lists = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    merges = "a0: &a0 {x: 1}\n"
    for i in range(1, 9):
        lists += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n"
        merges += f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}\n"
    for bomb in (lists, merges):
        with pytest.warns(CantleWarning, match="it uses more than 20 aliases"):
            assert read(f"---\n{bomb}---\n", "a.md") == ({}, 0)
    few = (
        "a0: &a0 ["
        + "x, " * 400
        + "]\n"
        + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in (1, 2, 3))
    )
    with pytest.warns(CantleWarning, match="it stands for more than 10000 values"):
        read(f"---\n{few}---\n", "a.md")


def test_a_few_aliases_are_fine() -> None:
    text = "---\nbase: &b {lang: pt}\nmine: {<<: *b, page: 1}\n---\n"
    assert read(text, "a.md")[0] == {"base": {"lang": "pt"}, "mine": {"lang": "pt", "page": 1}}
    text = "---\nbase: &b {k: 1}\nmine: &m {<<: *b, k: 2}\nours: {<<: [*m, *b], k: 3}\n---\n"
    assert read(text, "a.md")[0] == {"base": {"k": 1}, "mine": {"k": 2}, "ours": {"k": 3}}


def test_odd_keys_and_values_fit_json() -> None:
    yaml = (
        "1: a\n2024-01-02: b\nnull: c\nfalse: d\nat: 2024-01-02T03:04:05Z\nnan: .nan\ninf: -.inf\n"
        "bytes: !!binary aGVsbG8=\nset: !!set {b, a}\nnested: [{2: 2024-01-02}]\n"
    )
    found, _ = read(f"---\n{yaml}---\n", "a.md")
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "1": "a",
        "2024-01-02": "b",
        "null": "c",
        "false": "d",
        "at": "2024-01-02T03:04:05+00:00",
        "nan": "nan",
        "inf": "-inf",
        "bytes": "aGVsbG8=",
        "set": ["a", "b"],
        "nested": [{"2": "2024-01-02"}],
    }


def test_files_in_utf_16_have_front_matter_too(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(FRONT.encode("utf-16"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc = MDocument.from_file(path)
    assert doc.metadata["title"] == "Notes"
    assert doc.text[doc.body :] == "# One\n\nText.\n"
