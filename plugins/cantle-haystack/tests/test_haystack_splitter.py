"""`CantleDocumentSplitter`: what Haystack's own splitter does, and what is ours."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import warnings
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from haystack import Document
from haystack.components.preprocessors import DocumentSplitter

from cantle import Chunk, MDocument, Source
from cantle.errors import CantleError, DocumentError, OptionError, UnknownStrategyError
from cantle_haystack import CantleDocumentSplitter, WrongTypeError, from_documents

GUIDE = """# Harbour guide

For skippers who come for the first time.

## Berths

Nine metres at A1 to A8, and twelve at B1. Boats of more than twelve metres lie alongside.

## Tides

Low water at six in the morning. High water at noon, half an hour later each day.
"""


def split(text: str, meta: dict[str, Any] | None = None, **options: Any) -> list[Document]:
    strategy = options.pop("strategy", "recursive")
    made = CantleDocumentSplitter(strategy, **options).run([Document(content=text, meta=meta or {})])
    return made["documents"]


# -- what the framework's splitter promises ---------------------------------------------------------


def test_it_may_be_warmed_up_as_other_splitters() -> None:
    splitter = CantleDocumentSplitter("recursive", max_size=60, overlap=0)
    before = splitter.run([Document(content=GUIDE)])
    splitter.warm_up()
    assert splitter.run([Document(content=GUIDE)]) == before


def test_nothing_gives_nothing() -> None:
    assert CantleDocumentSplitter(max_size=9).run([]) == {"documents": []}


@pytest.mark.parametrize("given", [Document(content="a"), "a", None, ["a"], [Document(content="a"), None]], ids=str)
def test_only_lists_of_documents(given: Any) -> None:
    with pytest.raises(TypeError, match="documents must be a list of Haystack documents") as caught:
        CantleDocumentSplitter(max_size=9).run(given)
    assert isinstance(caught.value, WrongTypeError)
    assert isinstance(caught.value, CantleError)


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(ValueError, match="document '1' has no text") as caught:
        CantleDocumentSplitter(max_size=9).run([Document(content="a"), Document(id="1")])
    assert isinstance(caught.value, DocumentError)


@pytest.mark.parametrize("text", ["", " ", "\n\n\f\n", "\ufeff"], ids=ascii)
def test_no_text_gives_no_pieces_and_a_warning(text: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING"):
        made = CantleDocumentSplitter(max_size=9).run([Document(id="7", content=text), Document(content="some text")])
    assert [document.content for document in made["documents"]] == ["some text"]
    assert "Document 7 has no text to split" in caplog.text


def test_meta_of_a_piece() -> None:
    parent = Document(content=GUIDE, meta={"file_path": "guide.md", "tags": ["a", {"b": 1}]})
    made = CantleDocumentSplitter("markdown", max_size=120).run([parent])["documents"]
    chunks = MDocument.from_markdown(GUIDE, source="guide.md").chunk("markdown", max_size=120)
    assert [document.content for document in made] == chunks.texts
    assert [document.id for document in made] == [chunk.key for chunk in chunks]
    for document, chunk in zip(made, chunks, strict=True):
        meta = dict(document.meta)
        assert meta.pop("cantle")
        assert meta == {
            "file_path": "guide.md",
            "tags": ["a", {"b": 1}],
            "source_id": parent.id,
            "split_id": chunk.index,
            "split_idx_start": chunk.start,
            "page_number": 1,
            "chunk_id": chunk.id,
            "heading_path": " > ".join(chunk.path),
        }
        assert GUIDE[chunk.start :].startswith(document.content or "")


def test_pieces_share_nothing_and_the_parent_stays() -> None:
    parent = Document(content=GUIDE, meta={"tags": ["a"]})
    before = deepcopy(parent)
    made = CantleDocumentSplitter("recursive", max_size=100).run([parent])["documents"]
    made[0].meta["tags"].append("b")
    assert parent == before
    assert made[1].meta["tags"] == ["a"]


def test_meta_are_json() -> None:
    for document in split(GUIDE, {"lang": "en"}, max_size=100, overlap=30):
        assert json.loads(json.dumps(document.to_dict()))["id"] == document.id


def test_names_of_the_parent_give_way_and_come_back() -> None:
    meta = {"source_id": "mine", "split_id": 99, "chunk_id": [1], "page_number": 5, "file_path": "a"}
    made = split(GUIDE, meta, max_size=100)
    assert made[1].meta["split_id"] == 1
    assert made[1].meta["source_id"] != "mine"
    assert from_documents(made)[1].metadata == meta


def test_documents_of_one_file_have_ids_of_their_own() -> None:
    pages = [Document(content=f"Notice\n\nPage {i}", meta={"source": "a.pdf", "part": i}) for i in range(3)]
    made = CantleDocumentSplitter("recursive", max_size=8, separators=["\n\n"]).run(pages)["documents"]
    assert len({document.id for document in made}) == len(made) == 6
    assert [document.id.rpartition(":")[2] for document in made] == ["0", "0", "1", "0", "2", "0"]


def test_the_same_ids_each_time() -> None:
    one, other = split(GUIDE, {"file_path": "a"}, max_size=100), split(GUIDE, {"file_path": "a"}, max_size=100)
    assert one == other


def test_an_insertion_leaves_other_ids_alone() -> None:
    options = {"max_size": 40, "separators": ["\n\n"]}
    before = {document.id for document in split(GUIDE, {"file_path": "a"}, **options)}
    after = {
        document.id for document in split("New at the front of it all.\n\n" + GUIDE, {"file_path": "a"}, **options)
    }
    assert len(before) > 3
    assert len(after - before) == 1


# -- prefixes --------------------------------------------------------------------------------------


def test_a_prefix_in_the_content_or_in_the_meta() -> None:
    document = MDocument.from_markdown(GUIDE, source="guide.md", metadata={"file_path": "guide.md"})
    chunks = document.chunk("structural-context", max_size=80)
    assert any(chunk.prefix for chunk in chunks)
    options = {"strategy": "structural-context", "kind": "markdown", "max_size": 80}
    whole, apart = (split(GUIDE, {"file_path": "guide.md"}, prefix=p, **options) for p in ("content", "meta"))
    assert [d.content for d in whole] == chunks.texts
    assert [d.content for d in apart] == [chunk.content for chunk in chunks]
    assert [d.meta.get("prefix", "") for d in apart] == [chunk.prefix for chunk in chunks]
    assert all("prefix" not in d.meta for d in whole)
    assert [d.id for d in whole] == [d.id for d in apart]
    assert from_documents(whole) == from_documents(apart) == list(chunks)


# -- strategies and options ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Letters:
    """A strategy of somebody's own."""

    name: ClassVar[str] = "letters"

    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(letter, i, i + 1) for i, letter in enumerate(source.text) if letter.isalpha()]


@pytest.mark.parametrize("strategy", [Letters, Letters()], ids=["class", "instance"])
def test_a_strategy_of_ones_own(strategy: Any) -> None:
    assert [document.content for document in split("a b", strategy=strategy)] == ["a", "b"]


def test_a_strategy_of_a_plugin() -> None:
    pytest.importorskip("cantle_example")
    assert [document.content for document in split("a\nb\nc\n", strategy="lines", every=2)] == ["a\nb", "c"]


@pytest.mark.parametrize("length", ["characters", "words", "cl100k_base", len], ids=str)
def test_any_length(length: Any) -> None:
    made = split(GUIDE, {"file_path": "a"}, max_size=30, length_function=length)
    wanted = MDocument.from_text(GUIDE, source="a").chunk("recursive", max_size=30, length_function=length)
    assert [document.content for document in made] == wanted.texts


def test_the_kind_comes_from_the_document() -> None:
    component = CantleDocumentSplitter(max_size=100)
    parents = [Document(content=GUIDE, meta={"document_kind": "markdown"}), Document(content=GUIDE)]
    made = component.run(parents)["documents"]
    paths = {document.meta.get("heading_path") for document in made if document.meta["source_id"] == parents[0].id}
    assert paths == {"Harbour guide", "Harbour guide > Berths", "Harbour guide > Tides"}
    assert all("heading_path" not in d.meta for d in made if d.meta["source_id"] == parents[1].id)


def test_options_as_a_mapping() -> None:
    wanted = split(GUIDE, max_size=60, overlap=0)
    assert wanted == split(GUIDE, options={"max_size": 60, "overlap": 0})
    assert wanted == split(GUIDE, options={"overlap": 0}, max_size=60)


def test_extract() -> None:
    made = split("Tides\n\nLow water at six.", max_size=60, extract={"title": True})
    assert made[0].meta["document_title"] == "Tides"


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"strategy": "recursiv"}, UnknownStrategyError, "Did you mean 'recursive'"),
        ({"strategy": "recursive", "chunk_size": 9}, OptionError, "Did you mean 'max_size'"),
        ({"strategy": "recursive", "max_size": 0}, OptionError, "max_size"),
        ({"strategy": "recursive", "max_size": 9, "options": {"max_size": 9}}, OptionError, "given twice"),
        ({"options": [1]}, OptionError, "options must be a mapping"),
        ({"prefix": "text"}, OptionError, "prefix must be 'content'"),
        ({"prefix": []}, OptionError, "prefix must be 'content'"),
        ({"kind": 4}, OptionError, "kind"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_when_it_is_made(given: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        CantleDocumentSplitter(**given)


def test_a_warning_comes_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        component = CantleDocumentSplitter(language="python", separators=["\n"])
        component.run([Document(content=f"x = {i}") for i in range(4)])
        component.run([Document(content="y = 1")])
    assert [str(warning.message)[:24] for warning in caught] == ["separators has no effect"]


def test_lone_surrogates_and_their_like() -> None:
    text = "One \ud83d\ude00 \ud83d.\n\nTwo \x00 \u202e \ufeff.\n\nThree \U0001f468\u200d\U0001f469."
    made = CantleDocumentSplitter("recursive", max_size=12).run([Document(id="a", content=text)])["documents"]
    assert "".join(document.content or "" for document in made).replace(" ", "").replace("\n", "") == text.replace(
        " ", ""
    ).replace("\n", "")
    assert [c.start for c in from_documents(made)] == [document.meta["split_idx_start"] for document in made]


def test_cut_again() -> None:
    once = CantleDocumentSplitter("recursive", max_size=150, overlap=20).run(
        [Document(content=GUIDE, meta={"file_path": "a", "lang": "en"})]
    )["documents"]
    twice = CantleDocumentSplitter("recursive", max_size=40).run(once)["documents"]
    assert len({document.id for document in twice}) == len(twice) > len(once)
    assert {document.meta["source_id"] for document in twice} == {document.id for document in once}
    assert all(c.metadata == {"file_path": "a", "lang": "en"} for c in from_documents(twice))


def test_after_haystacks_own_splitter() -> None:
    pages = DocumentSplitter(split_by="word", split_length=20, split_overlap=5).run([Document(content=GUIDE)])
    made = CantleDocumentSplitter("recursive", max_size=50, overlap=15).run(pages["documents"])["documents"]
    assert len({document.id for document in made}) == len(made)
    assert from_documents(made)[0].metadata["split_id"] == 0


# -- asynchronous ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Waits:
    """Tells in which thread it cuts."""

    name: ClassVar[str] = "waits"
    threads: list[int]

    def split(self, source: Source) -> list[Chunk]:
        self.threads.append(threading.get_ident())
        return [Chunk(source.text, 0, len(source.text))]


def test_run_async_gives_the_same() -> None:
    parents = [Document(content=GUIDE, meta={"file_path": f"{i}"}) for i in range(3)]
    component = CantleDocumentSplitter("recursive", max_size=70, overlap=20)
    assert asyncio.run(component.run_async(parents)) == component.run(parents)
    with pytest.raises(TypeError):
        asyncio.run(component.run_async("a"))  # type: ignore[arg-type]


def test_run_async_does_not_block() -> None:
    threads: list[int] = []
    component = CantleDocumentSplitter(Waits(threads=threads))
    asyncio.run(component.run_async([Document(content="a"), Document(content="b")]))
    assert len(threads) == 2
    assert threading.get_ident() not in threads


# -- the package -----------------------------------------------------------------------------------


def test_haystack_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys, cantle_haystack; assert 'haystack' not in sys.modules; "
        "assert 'CantleFileConverter' in dir(cantle_haystack); "
        "cantle_haystack.CantleDocumentSplitter; assert 'haystack' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_an_unknown_name() -> None:
    import cantle_haystack

    with pytest.raises(AttributeError, match="no attribute 'CantleSplitter'"):
        _ = cantle_haystack.CantleSplitter
