"""`ingest`: a dataset follows the files of directories, and nothing is lost by mistake."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import DocumentError, OptionError
from cantle_store import EmbedderError, Ingested, Store, StoreError, ingest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    for name, text in {
        "a.md": "---\ndept: hr\n---\n# Leave\n\nParental leave is 180 days.\n",
        "sub/b.md": "# Deploy\n\nRun make.\n",
        "sub/c.txt": "Plain words.",
        ".hidden/d.md": "# Hidden",
        "e.unknown": "what",
    }.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return made


def counts(done: Ingested) -> list[int]:
    return [*done.documents.to_dict().values(), *done.chunks.to_dict().values(), done.embedded]


def sources(store: Store, dataset: str = "docs") -> list[str]:
    return [document.source for document in store.documents(dataset)]


def test_a_dataset_follows_its_files(store: Store, folder: Path, counting: Any) -> None:
    told: list[tuple[int, int]] = []
    preview = ingest(store, "docs", folder, embedder=counting, dry_run=True)
    assert store.datasets() == []
    assert counting.asked == []
    done = ingest(store, "docs", folder, embedder=counting, then=lambda n, total: told.append((n, total)))
    assert counts(done) == counts(preview) == [3, 0, 0, 0, 3, 0, 0, 0, 3]
    assert done.wrote
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert sources(store) == ["a.md", "sub/b.md", "sub/c.txt"]
    assert store.documents("docs")[0].metadata["dept"] == "hr"
    again = ingest(store, "docs", str(folder), embedder=counting)
    assert counts(again) == [0, 0, 3, 0, 0, 0, 3, 0, 0]
    assert not again.wrote
    (folder / "a.md").write_text("# Leave\n\nParental leave is 200 days.\n", encoding="utf-8")
    (folder / "sub/b.md").unlink()
    (folder / "new.md").write_text("# New\n", encoding="utf-8")
    preview = ingest(store, "docs", folder, embedder=counting, dry_run=True)
    done = ingest(store, "docs", folder, embedder=counting)
    assert counts(done) == counts(preview) == [1, 1, 1, 1, 2, 0, 1, 2, 2]
    assert sources(store) == ["a.md", "new.md", "sub/c.txt"]


def test_options_metadata_and_prefix(store: Store, folder: Path) -> None:
    done = ingest(
        store, "docs", [folder], strategy="recursive", options={"max_size": 20}, metadata={"team": "x"},
        source_prefix="kb/", read={"kind": "text"},
    )  # fmt: skip
    assert done.chunks.new > 3
    assert sources(store) == ["kb/a.md", "kb/sub/b.md", "kb/sub/c.txt"]
    assert {document.metadata["team"] for document in store.documents("docs")} == {"x"}
    with pytest.raises(OptionError):
        ingest(store, "docs", folder, strategy="recursive", options={"max_sise": 20})
    with pytest.raises(OptionError):
        ingest(store, "docs", [])
    with pytest.raises(DocumentError, match="is not there"):
        ingest(store, "docs", folder / "nope")


def test_nothing_found_deletes_nothing_unless_it_is_meant(store: Store, folder: Path) -> None:
    ingest(store, "docs", folder)
    for path in [*folder.rglob("*.md"), *folder.rglob("*.txt")]:
        path.unlink()
    for dry_run in (True, False):
        with pytest.raises(StoreError, match=r"3 that came from there would be deleted.*--allow-empty"):
            ingest(store, "docs", folder, dry_run=dry_run)
    assert len(sources(store)) == 3
    assert not ingest(store, "docs", folder, keep_gone=True).wrote
    assert ingest(store, "docs", folder, allow_empty=True).documents.gone == 3
    assert sources(store) == []


def test_what_fails_stays_and_does_not_stop_the_rest(store: Store, folder: Path) -> None:
    ingest(store, "docs", folder)
    (folder / "a.md").write_bytes(b"\xff\xfe\x00")
    (folder / "a.md").rename(folder / "a.json")
    (folder / "a.json").write_text("{broken", encoding="utf-8")
    (folder / "a.md").write_bytes(b"# A\n\n\x81\x8d")
    (folder / "z.md").write_text("# Z\n", encoding="utf-8")
    done = ingest(store, "docs", folder, read={"encoding": "utf-8"})
    assert {name for name, _ in done.failed} == {"a.json", "a.md"}
    assert done.documents.new == 1
    assert sources(store) == ["a.md", "sub/b.md", "sub/c.txt", "z.md"]
    assert "180 days" in next(iter(store.chunks("docs", "a.md"))).text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may open everything")
def test_a_folder_that_cannot_be_opened_is_not_gone(store: Store, folder: Path) -> None:
    ingest(store, "docs", folder)
    (folder / "sub").chmod(0)
    try:
        done = ingest(store, "docs", folder)
    finally:
        (folder / "sub").chmod(0o755)
    assert [name for name, _ in done.failed] == [str(folder / "sub")]
    assert sources(store) == ["a.md", "sub/b.md", "sub/c.txt"]


def test_a_document_from_elsewhere_is_not_overwritten(store: Store, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# Another\n", encoding="utf-8")
    ingest(store, "docs", folder)
    done = ingest(store, "docs", other)
    assert [(name, "came from elsewhere" in str(error)) for name, error in done.failed] == [("a.md", True)]
    assert ingest(store, "docs", other, source_prefix="other/").documents.new == 1
    assert ingest(store, "docs", folder).documents.to_dict() == {"new": 0, "changed": 0, "kept": 3, "gone": 0}
    both = ingest(store, "both", [folder, other])
    assert [name for name, _ in both.failed] == ["a.md"]
    alone = ingest(store, "docs", folder / "a.md")  # a file is called by its name, and comes from its folder
    assert alone.documents.kept == 1
    twice = ingest(store, "docs", [folder / "a.md", folder / "a.md"])
    assert [name for name, _ in twice.failed] == ["a.md"]


def test_no_path_is_kept(store: Store, folder: Path) -> None:
    ingest(store, "docs", folder)
    assert all(str(folder) not in repr((document, document.origin)) for document in store.documents("docs"))
    assert all(str(folder) not in repr(chunk.to_dict()) for chunk in store.chunks("docs"))


def test_an_embedder_that_fails_again_and_again_ends_it(store: Store, folder: Path) -> None:
    class Broken:
        name = "broken"
        asked = 0

        def embed(self, texts: Sequence[str]) -> Any:
            self.asked += 1
            raise ValueError("down")

    for number in range(5):
        (folder / f"f{number}.md").write_text(f"# {number}\n", encoding="utf-8")
    broken = Broken()
    with pytest.raises(EmbedderError, match="down"):
        ingest(store, "docs", folder, embedder=broken)
    assert broken.asked == 3


def test_an_interruption_keeps_what_is_done(store: Store, folder: Path) -> None:
    def then(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(store, "docs", folder, then=then)
    assert sources(store) == ["a.md", "sub/b.md"]
    assert ingest(store, "docs", folder).documents.to_dict() == {"new": 1, "changed": 0, "kept": 2, "gone": 0}


def test_datasets_of_an_avatar(store: Store, folder: Path) -> None:
    avatar = store.create_avatar("bot")
    ingest(store, "docs", folder, avatar=avatar)
    assert [dataset.avatar_id for dataset in store.datasets()] == [avatar.id]
    assert ingest(store, "docs", folder, avatar=avatar).documents.kept == 3
