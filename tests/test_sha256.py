"""`chunk_many(sha256=True)`: the hash of the bytes that a document was read from."""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

import pytest

from cantle import MDocument, chunk_many
from cantle import files as files_module


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("then", [None, len])
def test_the_hash_of_each_file(tmp_path: Path, workers: int, then: type[len] | None) -> None:
    contents = [
        b"",
        b"text",
        b"\xef\xbb\xbfmark",
        b"---\na: 1\n---\nfront matter",
        "ação".encode("utf-16"),
        b"x" * 3_000_000,
    ]
    paths: list[Path | str] = []
    for i, content in enumerate(contents):
        (tmp_path / f"{i}.md").write_bytes(content)
        paths.append(tmp_path / f"{i}.md" if i % 2 else str(tmp_path / f"{i}.md"))
    found = list(chunk_many(paths, workers=workers, sha256=True, then=then))
    assert [result.sha256 for result in found] == [hashlib.sha256(content).hexdigest() for content in contents]
    assert [result.sha256 for result in chunk_many(paths, workers=workers, then=then)] == [""] * len(contents)


@pytest.mark.parametrize("workers", [1, 2])
def test_documents_and_failures_have_none(tmp_path: Path, workers: int) -> None:
    (tmp_path / "bad.md").write_bytes(bytes(50))
    many = [MDocument.from_text("text"), tmp_path / "bad.md", tmp_path / "none.md", tmp_path, tmp_path / "a\0b", 5]
    found = list(chunk_many(many, workers=workers, sha256=True, errors="collect"))  # type: ignore[arg-type]
    assert [result.sha256 for result in found] == [""] * 6
    plain = list(chunk_many(many, workers=workers, errors="collect"))  # type: ignore[arg-type]
    assert [str(result.error) for result in found] == [str(result.error) for result in plain]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe.md").write_text("from a pipe", "utf-8"))
    writer.start()
    (result,) = chunk_many([tmp_path / "pipe.md"], sha256=True)
    writer.join()
    assert result.chunks is not None
    assert (result.chunks.texts, result.sha256) == (["from a pipe"], "")


def test_a_file_that_is_written_to_meanwhile_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("before", "utf-8")
    ours = files_module.sha256_of

    def and_then(file: Path) -> str:
        found = ours(file)
        path.write_text("behind it", "utf-8")
        return found

    monkeypatch.setattr(files_module, "sha256_of", and_then)
    (result,) = chunk_many([path], sha256=True)
    assert result.chunks is not None
    assert (result.chunks.texts, result.sha256) == (["behind it"], "")
