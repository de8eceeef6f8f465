"""`ingest`: a dataset follows the files of directories, and nothing is lost by mistake."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import DocumentError, OptionError
from cantle_store import (
    DimensionError,
    EmbedderError,
    FatalEmbedderError,
    Ingested,
    OtherEmbedderError,
    Store,
    StoreError,
    ingest,
)


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
        with pytest.raises(StoreError, match=r"3 that came from there would be deleted.*allow_empty=True"):
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


class Asked:
    """An embedder whose errors come from a list, None for none."""

    name = "asked"
    dimension = 2

    def __init__(self, *errors: Exception | None) -> None:
        self.errors, self.asked = list(errors), 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += 1
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
        return [[1.0, float(len(text))] for text in texts]


def test_what_no_plugin_reads_is_told_and_is_not_gone(store: Store, folder: Path) -> None:
    (folder / "scan.xyz").write_text("x", encoding="utf-8")
    (folder / "sub/old.doc").write_bytes(b"\0")
    (folder / ".hidden.xyz").write_text("x", encoding="utf-8")
    done = ingest(store, "docs", folder)
    assert done.left_out == ["e.unknown", "scan.xyz", "sub/old.doc"]
    assert done.to_dict()["leftOut"] == done.left_out
    origin = store.documents("docs")[0].origin
    # As a plugin left them that is not installed any more: one file is there, the other is gone.
    store.sync("docs", "scan.xyz", [{"text": "a scan"}], origin=origin)
    store.sync("docs", "lost.xyz", [{"text": "lost"}], origin=origin)
    assert ingest(store, "docs", folder, dry_run=True).documents.gone == 1
    assert ingest(store, "docs", folder).documents.gone == 1
    assert "scan.xyz" in sources(store)
    (folder / "a.md").rename(folder / ".a.md")
    assert ingest(store, "docs", folder).documents.gone == 1
    # Under another prefix the path of a document is not known: what may be one of these files stays.
    assert ingest(store, "docs", folder, source_prefix="x/").documents.gone == 2
    assert sources(store) == ["scan.xyz", "x/sub/b.md", "x/sub/c.txt"]


def test_one_file_of_a_directory_is_brought_up_to_date(store: Store, folder: Path) -> None:
    ingest(store, "docs", folder)
    origin = store.documents("docs")[0].origin
    (folder / "sub/b.md").write_text("# Another B\n", encoding="utf-8")
    for paths, changed in ((folder / "sub/b.md", 1), (folder / "sub", 0)):
        done = ingest(store, "docs", paths, source_prefix="sub/")
        assert (done.failed, done.documents.changed, done.documents.new) == ([], changed, 0)
    assert {one.origin for one in store.documents("docs")} == {origin}
    assert not ingest(store, "docs", folder).wrote
    elsewhere = folder.parent / "sub"
    elsewhere.mkdir()
    (elsewhere / "b.md").write_text("# Not this one\n", encoding="utf-8")
    assert len(ingest(store, "docs", elsewhere / "b.md", source_prefix="sub/").failed) == 1


def test_metadata_that_replace_what_a_document_says_are_told(store: Store, folder: Path) -> None:
    (folder / "own.md").write_text("---\ndept: hr\nyear: 1\n---\n# Own\n", encoding="utf-8")
    done = ingest(store, "docs", folder, metadata={"dept": "it", "year": 1})
    assert done.replaced == {"dept": ["a.md", "own.md"]}
    assert {one.source: one.metadata for one in store.documents("docs")}["own.md"] == {"dept": "it", "year": 1}
    assert ingest(store, "docs", folder, metadata={"dept": "it", "year": True}).replaced["year"] == ["own.md"]


def test_documents_that_are_cut_another_way_are_counted(store: Store, folder: Path) -> None:
    assert ingest(store, "docs", folder).recut == 0
    (folder / "a.md").write_text("# Edited\n", encoding="utf-8")
    (folder / "new.md").write_text("# New\n", encoding="utf-8")
    assert ingest(store, "docs", folder, dry_run=True).recut == 0
    assert ingest(store, "docs", folder, options={"max_size": 99}, dry_run=True).recut == 3
    assert ingest(store, "docs", folder, options={"max_size": 99}).recut == 3
    assert ingest(store, "docs", folder, options={"max_size": 99}).recut == 0


def test_a_dataset_is_made_with_its_first_document(store: Store, folder: Path) -> None:
    for number in range(3):
        with pytest.raises(EmbedderError):
            ingest(store, "docs", folder, embedder=Asked(*[ValueError("down")] * 9))
        with pytest.raises(EmbedderError):
            store.sync("docs", f"{number}", [{"text": "a"}], Asked(ValueError("down")))
    assert store.datasets() == []
    one = Asked(ValueError("down"))
    done = ingest(store, "docs", folder, embedder=one)
    assert (len(done.failed), done.documents.new, done.embedded, one.asked) == (1, 2, 2, 3)
    assert store.datasets()[0].embedder == "asked"
    with pytest.raises(StoreError, match="name of a dataset"):
        ingest(store, "", folder)


def test_an_embedder_that_cannot_be_asked_ends_it_at_once(store: Store, folder: Path) -> None:
    away = Asked(FatalEmbedderError("nobody there"))
    with pytest.raises(FatalEmbedderError):
        ingest(store, "docs", folder, embedder=away)
    assert away.asked == 1


@pytest.mark.parametrize("dry_run", [True, False])
def test_another_embedder_is_refused_before_anything_is_read(store: Store, folder: Path, dry_run: bool) -> None:
    ingest(store, "docs", folder, embedder=Asked())
    other, longer = Asked(), Asked()
    other.name, longer.dimension = "other", 3
    with pytest.raises(OtherEmbedderError, match="vectors of 'asked'"):
        ingest(store, "docs", folder, embedder=other, dry_run=dry_run)
    with pytest.raises(DimensionError, match="vectors of 3 numbers"):
        ingest(store, "docs", folder, embedder=longer, dry_run=dry_run)
    assert other.asked == longer.asked == 0
