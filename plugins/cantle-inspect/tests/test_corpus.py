"""Documents of directories: names, what is left out, what is no document."""

from __future__ import annotations

import errno
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import CantleWarning, DocumentError, GuessedEncodingWarning, OptionError
from cantle_inspect import Corpus, Cutting, LeftOut, Pool, read_corpus, read_roles


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name; `__` stands for a folder, `_` before the suffix for the point."""
    for name, content in files.items():
        stem, _, suffix = name.replace("__", "/").rpartition("_")
        path = folder / f"{stem}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def with_source(source: str) -> str:
    return f"---\nsource: {source}\n---\ntext\n"


def sources(corpus: Corpus) -> list[str]:
    return [document.source for document in corpus.documents]


def test_documents_of_folders_in_order_with_their_metadata(tmp_path: Path) -> None:
    write(tmp_path, b_md="---\ndept: hr\n---\ntext", a_txt="text", sub__c_md="text", sub__deep__d_html="<p>x</p>")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.md").write_text("x", "utf-8")
    corpus = read_corpus(tmp_path)
    assert sources(corpus) == ["a.txt", "b.md", "sub/c.md", "sub/deep/d.html"]
    assert corpus.documents[1].metadata == {"dept": "hr"}
    assert corpus.left_out == ()


def test_one_file_and_several_paths(tmp_path: Path) -> None:
    write(tmp_path, a_md="one", x__b_md="two", y__c_md="three", notes_xyz="four")
    assert sources(read_corpus(tmp_path / "a.md")) == ["a.md"]
    assert sources(read_corpus([tmp_path / "y", str(tmp_path / "x"), tmp_path / "notes.xyz"])) == [
        "c.md",
        "b.md",
        "notes.xyz",
    ]


def test_a_file_that_is_named_twice_is_one_document(tmp_path: Path) -> None:
    write(tmp_path, a_md="one", b_md="two")
    corpus = read_corpus([tmp_path, tmp_path / "a.md"])
    assert sources(corpus) == ["a.md", "b.md"]
    assert corpus.left_out == ()


def test_the_source_of_the_front_matter_wins(tmp_path: Path) -> None:
    write(tmp_path, a_md=with_source("politica-v2"), b_md=with_source("2024"), c_md=with_source("[x]"))
    write(tmp_path, d_md=with_source("'  '"), e_md=with_source("true"))
    assert sources(read_corpus(tmp_path)) == ["politica-v2", "2024", "c.md", "d.md", "e.md"]


# -- names that clash -------------------------------------------------------------------------------


def test_documents_of_one_source_are_called_by_their_paths_with_a_warning(tmp_path: Path) -> None:
    write(tmp_path, a_md=with_source("same"), sub__b_md=with_source("same"), c_md=with_source("other"))
    with pytest.warns(CantleWarning, match=r"2 documents are named 'same', .*a\.md, .*sub/b\.md"):
        corpus = read_corpus(tmp_path)
    assert sources(corpus) == ["a.md", "other", "sub/b.md"]


def test_documents_of_two_folders_are_called_by_their_full_paths(tmp_path: Path) -> None:
    write(tmp_path, x__a_md="one", y__a_md="two", y__b_md="three")
    with pytest.warns(CantleWarning, match="'a.md'"):
        corpus = read_corpus([tmp_path / "x", tmp_path / "y"])
    assert sources(corpus) == [(tmp_path / "x/a.md").as_posix(), (tmp_path / "y/a.md").as_posix(), "b.md"]


def test_a_source_that_is_the_path_of_another_document(tmp_path: Path) -> None:
    write(tmp_path, a_md="one", b_md=with_source("a.md"))
    with pytest.warns(CantleWarning, match="'a.md'"):
        corpus = read_corpus(tmp_path)
    assert len(set(sources(corpus))) == 2
    assert {document.body for document in corpus.documents} == {0, len(with_source("a.md")) - len("text\n")}


def test_no_document_is_lost_when_every_name_clashes(tmp_path: Path) -> None:
    write(
        tmp_path, a_md=with_source("b.md"), b_md=with_source("c.md"), c_md=with_source("a.md"), d_md=with_source("a.md")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CantleWarning)
        corpus = read_corpus(tmp_path)
    assert len(set(sources(corpus))) == 4


def test_names_that_clash_with_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, a_md="one", b_md="two"))
    write(tmp_path, x__c_md=with_source("a.md"))
    Path("x/a.md").write_text("three", "utf-8")
    Path("a.md").write_text(with_source("x/a.md"), "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CantleWarning)
        assert len(set(sources(read_corpus(["x", "a.md", "b.md"])))) == 4


def test_a_corpus_of_ones_own_has_names_that_tell_documents_apart() -> None:
    one = MDocument.from_text("a", source="a")
    assert Corpus((one,)).documents == (one,)
    with pytest.raises(DocumentError, match="2 documents are named 'a'"):
        Corpus((one, one))
    with pytest.raises(DocumentError, match="has no source"):
        Corpus((MDocument.from_text("a"),))


# -- what is left out -------------------------------------------------------------------------------


def test_documents_without_required_keys_are_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        full_md="---\ndept: hr\nclassification: internal\n---\nx",
        half_md="---\ndept: hr\n---\nx",
        empty_md="---\ndept: ''\nclassification: []\n---\nx",
        none_md="x",
        zero_md="---\ndept: 0\nclassification: false\n---\nx",
    )
    corpus = read_corpus(tmp_path, require=["dept", "classification"])
    assert sources(corpus) == ["full.md", "zero.md"]
    assert corpus.left_out == (
        LeftOut("empty.md", "its metadata has no dept, classification"),
        LeftOut("half.md", "its metadata has no classification"),
        LeftOut("none.md", "its metadata has no dept, classification"),
    )
    assert sources(read_corpus(tmp_path, require="dept")) == ["full.md", "half.md", "zero.md"]


def test_broken_front_matter_is_told_and_gives_no_metadata(tmp_path: Path) -> None:
    write(tmp_path, a_md="---\ndept: [hr\n---\nx", b_md="---\ndept: hr\n---\nx")
    with pytest.warns(CantleWarning, match=r"front matter of .*a\.md was left in the text"):
        corpus = read_corpus(tmp_path, require=["dept"])
    assert sources(corpus) == ["b.md"]
    assert [one.source for one in corpus.left_out] == ["a.md"]


def test_files_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, good_md="x", binary_txt=bytes(range(32)) * 40, empty_md="")
    corpus = read_corpus(tmp_path)
    assert sources(corpus) == ["empty.md", "good.md"]
    assert [one.source for one in corpus.left_out] == ["binary.txt"]
    assert "binary" in corpus.left_out[0].reason


def test_how_files_are_read(tmp_path: Path) -> None:
    write(tmp_path, a_md="férias".encode("cp1252"))
    with pytest.warns(GuessedEncodingWarning):
        read_corpus(tmp_path)
    assert read_corpus(tmp_path, read={"encoding": "cp1252"}).documents[0].text == "férias"
    assert read_corpus(tmp_path, read={"encoding": "cp1252", "kind": "text"}).documents[0].kind == "text"
    with pytest.raises(OptionError, match="encoding"):
        read_corpus(tmp_path, read={"encoding": "utf-99"})


@pytest.mark.parametrize(
    ("name", "text", "is_golden"),
    [
        ("golden.json", '{"questions": [{"question": "?", "source": "a.md"}]}', True),
        ("golden.json", '[{"question": "?", "spans": [["a.md", 0, 1]], "minScore": 0.5}]', True),
        ("golden.json", '[{"question": "?", "expectedSource": "a.md", "roles": ["x"]}]', True),
        ("golden.jsonl", '{"question": "?", "source": "a.md"}\n\n{"question": "\u2028", "forbidden": ["a"]}\n', True),
        ("golden.jsonl", '{"question": "?", "text": "a", "spans": []}', True),
        ("faq.jsonl", '{"question": "?", "text": "a"}', False),
        ("faq.json", '[{"question": "?", "text": "a", "id": "1", "group": "b", "roles": []}]', False),
        ("faq.json", '[{"question": "Why?", "answer": "Because."}]', False),
        ("faq.json", '[{"question": "Why?", "answer": "Because.", "source": "x"}]', False),
        ("faq.json", '{"question": ["a"], "source": "b"}', False),
        ("data.json", '{"questions": []}', False),
        ("data.json", "[1, 2]", False),
        ("data.json", '"question"', False),
        ("data.json", '["question", ' + "[" * 200_000, False),
    ],
)
def test_golden_questions_are_no_document(tmp_path: Path, name: str, text: str, is_golden: bool) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    write(tmp_path, z_md="x")
    corpus = read_corpus(tmp_path)
    assert sources(corpus) == (["z.md"] if is_golden else [name, "z.md"])
    assert corpus.left_out == ((LeftOut(name, "it holds golden questions"),) if is_golden else ())


def test_files_to_skip_and_files_of_roles(tmp_path: Path) -> None:
    write(tmp_path, a_md="x", b_md="x", roles_yaml="r: '*'")
    corpus = read_corpus(tmp_path, skip=[tmp_path / "b.md"])
    assert sources(corpus) == ["a.md"]
    assert corpus.left_out == ()


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="needs symbolic links")
def test_symbolic_links(tmp_path: Path) -> None:
    write(tmp_path, sub__a_md="x")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "dangling.md").symlink_to("nothing.md")
    (tmp_path / "twin.md").symlink_to("sub/a.md")
    corpus = read_corpus(tmp_path)
    assert sources(corpus) == ["twin.md"]
    assert corpus.left_out == (LeftOut("sub/a.md", "it is the same file as twin.md"),)


def test_a_file_that_may_not_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a_md="x", b_md="x")
    read = Path.read_bytes

    def denied(path: Path) -> bytes:  # what root may not read is hard to make
        if path.name == "a.md":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    corpus = read_corpus(tmp_path)
    assert corpus.left_out == (LeftOut("a.md", "Permission denied"),)


# -- nothing at all ---------------------------------------------------------------------------------


def test_nothing_is_an_error_that_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"no document in .*Looked for Markdown, HTML"):
        read_corpus(tmp_path)
    with pytest.raises(DocumentError, match="does not exist"):
        read_corpus(tmp_path / "nothing")
    with pytest.raises(DocumentError, match="an empty list of paths"):
        read_corpus([])


def test_nothing_left_is_an_error_that_says_why(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.md").write_text("x", "utf-8")
    with pytest.raises(DocumentError, match=r"Left out: 0\.md: its metadata has no dept; .*; and 2 more"):
        read_corpus(tmp_path, require=["dept"])


# -- what is there and cannot be read ---------------------------------------------------------------


def test_documents_that_nothing_reads_are_reported(tmp_path: Path) -> None:
    write(tmp_path, a_md="x", sub__b_djvu=b"PK", c_PS=b"%!PS", photo_png=b"x", code_py="x", hidden_txt="x")
    (tmp_path / ".secret.ps").write_bytes(b"%!PS")
    corpus = read_corpus(tmp_path)
    assert sources(corpus) == ["a.md", "hidden.txt"]
    assert corpus.left_out == (
        LeftOut("c.PS", "no installed plugin reads .ps files"),
        LeftOut("sub/b.djvu", "no installed plugin reads .djvu files"),
    )
    assert read_corpus(tmp_path, skip=[tmp_path / "c.PS", tmp_path / "sub/b.djvu"]).left_out == ()
    with pytest.raises(DocumentError, match=r"Left out: b\.djvu: no installed plugin reads \.djvu files\.$"):
        read_corpus(tmp_path / "sub")


def test_reasons_do_not_name_the_file_again_nor_end_in_a_point(tmp_path: Path) -> None:
    write(tmp_path, binary_txt=bytes(range(32)) * 40)
    with pytest.raises(DocumentError, match=r"Left out: binary\.txt: looks like .*--encoding utf-16-le.* in Python\.$"):
        read_corpus(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    write(tmp_path, a_md="x")
    os.mkfifo(tmp_path / "pipe.md")
    assert sources(read_corpus(tmp_path)) == ["a.md"]
    with pytest.raises(DocumentError, match=r"pipe\.md: it is a pipe or a device: save what it gives"):
        read_corpus(tmp_path / "pipe.md")
    with pytest.raises(OptionError, match=r"pipe\.md: is no file"):
        read_roles(tmp_path / "pipe.md")


def test_folders_that_cannot_be_opened_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a_md="x", locked__b_md="y")
    scan = os.scandir

    def denied(path: str) -> Any:  # what root may not open is hard to make
        if str(path).endswith("locked"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", denied)
    with pytest.warns(CantleWarning, match=r"locked cannot be opened \(Permission denied\): what is in it is left out"):
        assert sources(read_corpus(tmp_path)) == ["a.md"]


def test_names_that_differ_only_in_how_they_are_composed_are_two_documents(tmp_path: Path) -> None:
    composed, decomposed = "f\u00e9rias.md", "fe\u0301rias.md"
    (tmp_path / composed).write_text("one", "utf-8")
    (tmp_path / decomposed).write_text("two", "utf-8")
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("the file system takes both for one")
    pool = Pool.of(read_corpus(tmp_path), Cutting())
    assert {p.id: p.chunk.text for p in pool.passages} == {f"{decomposed[:-3]}#0": "two", f"{composed[:-3]}#0": "one"}


def test_required_keys_may_be_one_text_with_commas(tmp_path: Path) -> None:
    write(tmp_path, a_md="---\ndept: hr\nlevel: 1\n---\nx", b_md="---\ndept: hr\n---\nx")
    assert sources(read_corpus(tmp_path, require="dept,level")) == ["a.md"]
