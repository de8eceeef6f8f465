"""The splitter is LangChain's `TextSplitter`, and what it gives is what cantle gives."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_text_splitters import Language, TextSplitter

from cantle import MDocument, registry
from cantle.errors import DocumentError, OptionError, UnknownStrategyError, UnusedOptionWarning
from cantle.testing import hostile_documents, markdown_documents, texts
from cantle_langchain import CantleTextSplitter, from_documents

PROSE = "First sentence. Second one here.\n\nA new paragraph, a bit longer than the first.\n\nLast.\n"


def test_it_is_a_text_splitter_and_a_document_transformer() -> None:
    splitter = CantleTextSplitter(max_size=40)
    assert isinstance(splitter, TextSplitter)
    assert isinstance(splitter, BaseDocumentTransformer)


def test_split_text_gives_the_texts_of_the_chunks() -> None:
    expected = MDocument.from_text(PROSE).chunk("recursive", max_size=40, overlap=10).texts
    assert len(expected) > 2
    assert CantleTextSplitter("recursive", max_size=40, overlap=10).split_text(PROSE) == expected
    assert CantleTextSplitter(max_size=40, overlap=10).split_text(PROSE) == expected


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\ufeff"])
def test_blank_texts_give_no_pieces(text: str) -> None:
    splitter = CantleTextSplitter(max_size=40)
    assert splitter.split_text(text) == []
    assert splitter.create_documents([text, text]) == []
    assert splitter.split_documents([Document(page_content=text)]) == []
    assert splitter.split_documents([]) == []


def test_create_documents_says_where_each_piece_is() -> None:
    splitter = CantleTextSplitter("recursive", max_size=40, overlap=0)
    found = splitter.create_documents([PROSE, "Another text."], [{"source": "a", "n": 1}, {"source": "b", "n": 2}])
    chunks = MDocument.from_text(PROSE, source="a").chunk("recursive", max_size=40, overlap=0)
    assert [piece.id for piece in found] == [*(chunk.key for chunk in chunks), found[-1].id]
    for piece, chunk in zip(found, chunks, strict=False):
        assert piece.page_content == PROSE[piece.metadata["start_index"] : piece.metadata["end_index"]]
        assert piece.metadata["chunk_id"] == chunk.id
        assert piece.metadata["chunk_index"] == chunk.index
        assert (piece.metadata["source"], piece.metadata["n"]) == ("a", 1)
        assert "heading_path" not in piece.metadata
    assert (found[-1].page_content, found[-1].metadata["source"], found[-1].metadata["n"]) == ("Another text.", "b", 2)
    assert found[-1].metadata["chunk_index"] == 0


def test_split_documents_is_create_documents() -> None:
    splitter = CantleTextSplitter(max_size=30)
    metadatas: list[dict[Any, Any]] = [{"source": "a"}, {"source": "b"}]
    documents = [Document(page_content=PROSE, metadata=metadata) for metadata in metadatas]
    expected = splitter.create_documents([PROSE, PROSE], metadatas)
    assert splitter.split_documents(documents) == expected
    assert splitter.split_documents(iter(documents)) == expected
    assert splitter.transform_documents(documents) == expected


def test_metadata_are_copied_and_the_input_stays_as_it_is() -> None:
    document = Document(page_content=PROSE, metadata={"source": "a", "deep": {"list": [1]}}, id="x")
    before = deepcopy(document)
    found = CantleTextSplitter(max_size=30).split_documents([document])
    found[0].metadata["deep"]["list"].append(2)
    assert found[1].metadata["deep"] == {"list": [1]}
    assert document == before


def test_headings_come_as_a_path(guide: str) -> None:
    found = CantleTextSplitter("markdown", max_size=120, overlap=0).create_documents([guide], [{"source": "g"}])
    assert "Harbour > Fees" in [piece.metadata.get("heading_path") for piece in found]


def test_a_prefix_is_in_the_page_content_and_the_indices_are_those_of_the_content(guide: str) -> None:
    splitter = CantleTextSplitter("structural-context", kind="markdown", max_size=120)
    found = splitter.create_documents([guide], [{"source": "g"}])
    chunks = from_documents(found)
    assert any(chunk.prefix for chunk in chunks)
    for piece, chunk in zip(found, chunks, strict=True):
        assert piece.page_content == chunk.text == chunk.prefix + chunk.content
        assert len(piece.page_content) <= 120
        assert chunk.content == guide[piece.metadata["start_index"] : piece.metadata["end_index"]]


def _in_words(text: str) -> int:
    return len(text.split())


LENGTHS: list[Any] = ["characters", "bytes", "utf16", "words", "cl100k_base", "gpt-4o", len, _in_words]


@pytest.mark.parametrize("length", LENGTHS, ids=lambda value: getattr(value, "__name__", value))
def test_any_length_function(length: Any) -> None:
    options: dict[str, Any] = {"max_size": 12, "overlap": 0, "length_function": length}
    expected = MDocument.from_text(PROSE).chunk("recursive", **options).texts
    assert CantleTextSplitter("recursive", **options).split_text(PROSE) == expected


NAMES = sorted(name for name in registry().strategies() if registry().provider(name) == name)


@pytest.mark.parametrize("name", NAMES)
def test_any_strategy_by_name(name: str, guide: str) -> None:
    strategy = registry().strategies()[name]
    text = {"json": '{"a": [1, 2, {"b": "text"}]}', "html": "<h1>T</h1><p>One.</p><p>Two.</p>"}.get(name, guide)
    kind = getattr(strategy, "kind", "text")
    kind = kind if isinstance(kind, str) else "text"
    options = {"max_size": 100} if name == "sentence" else {}
    found = CantleTextSplitter(name, **options).create_documents([text], [{"source": "s"}])
    assert found
    assert from_documents(found) == list(MDocument(text, kind, {"source": "s"}, "s").chunk(name, **options))


def test_a_strategy_as_a_class_or_an_instance() -> None:
    recursive = registry().strategies()["recursive"]
    expected = CantleTextSplitter("recursive", max_size=40).create_documents([PROSE])
    assert CantleTextSplitter(recursive, max_size=40).create_documents([PROSE]) == expected
    assert CantleTextSplitter(registry().make(recursive, {"max_size": 40})).create_documents([PROSE]) == expected


def test_a_strategy_of_a_third_party() -> None:
    pytest.importorskip("cantle_example")
    if "lines" not in registry().strategies():
        pytest.skip("the plugin is installed, but switched off")
    assert CantleTextSplitter("lines", every=2).split_text("a\nb\nc\n") == ["a\nb", "c"]


def test_the_kind_comes_from_the_metadata(guide: str) -> None:
    splitter = CantleTextSplitter(max_size=120)
    made = [
        splitter.create_documents([guide], [{"source": "g", "document_kind": "markdown"}]),
        CantleTextSplitter(max_size=120, kind="markdown").create_documents([guide], [{"source": "g"}]),
    ]
    for found in made:
        assert "Harbour > Pilots" in [piece.metadata.get("heading_path") for piece in found]
    assert all("heading_path" not in piece.metadata for piece in splitter.create_documents([guide]))


def test_documents_of_several_kinds_each_get_their_strategy(guide: str) -> None:
    page = "<h1>Fees</h1><p>One.</p>"
    documents = [
        Document(page_content=guide, metadata={"source": "g", "document_kind": "markdown"}),
        Document(page_content=page, metadata={"source": "p", "document_kind": "html"}),
    ]
    found = CantleTextSplitter(max_size=200).split_documents(documents)
    assert [chunk.path for chunk in from_documents(found) if chunk.source == "p"] == [("Fees",)]


@pytest.mark.parametrize(
    ("metadata", "id", "source"),
    [
        ({"source": "a.md", "file_path": "b.md"}, "x", "a.md"),
        ({"file_path": "b.md"}, "x", "b.md"),
        ({"url": "https://example.org/x"}, None, "https://example.org/x"),
        ({"source": "a.pdf", "page": 0}, None, "a.pdf#page=0"),
        ({}, "my-own-id", "my-own-id"),
        ({}, "0b7cb1a2-4d0b-4c3e-9d55-0a1b2c3d4e5f", None),
        ({}, None, None),
    ],
    ids=["source", "file_path", "url", "page", "id", "random id", "nothing"],
)
def test_the_source_of_a_document(metadata: dict[str, Any], id: str | None, source: str | None) -> None:
    document = Document(page_content=PROSE, metadata=metadata, id=id)
    found = CantleTextSplitter(max_size=40).split_documents([document])
    named = from_documents(found)[0].source
    assert named == source if source else named.startswith("sha256-")
    assert found[0].metadata["source"] == metadata.get("source", named)
    assert found == CantleTextSplitter(max_size=40).split_documents([document])


def test_pages_of_one_file_get_ids_of_their_own() -> None:
    pages = [Document(page_content="Same text.", metadata={"source": "a"}) for _ in range(3)]
    ids = [piece.id or "" for piece in CantleTextSplitter(max_size=40).split_documents(pages)]
    assert [id.rpartition(":")[2] for id in ids] == ["0", "1", "2"]


def test_pieces_can_be_cut_again(guide: str) -> None:
    large = CantleTextSplitter("markdown", max_size=200, overlap=0).create_documents([guide], [{"source": "g"}])
    small = CantleTextSplitter("recursive", max_size=30, overlap=0).split_documents(large)
    assert len({piece.id for piece in small}) == len(small) > len(large)
    assert {chunk.source.partition(":")[0] for chunk in from_documents(small)} == {
        piece.metadata["source"] for piece in small
    }
    for piece in large:
        for part in CantleTextSplitter("recursive", max_size=30, overlap=0).split_documents([piece]):
            start, end = part.metadata["start_index"], part.metadata["end_index"]
            assert part.page_content == piece.page_content[start:end]
            assert part.metadata.get("heading_path") == piece.metadata.get("heading_path")
            assert {*from_documents([part])[0].metadata} <= {"source", "heading_path"}


def test_a_piece_that_is_cut_again_under_new_headings_shows_these() -> None:
    metadata = {"source": "g", "heading_path": "A"}
    found = CantleTextSplitter("markdown").create_documents(["No heading.", "# B\n\nText."], [metadata, metadata])
    assert [piece.metadata["heading_path"] for piece in found] == ["A", "B"]
    assert [chunk.metadata["heading_path"] for chunk in from_documents(found)] == ["A", "A"]


def test_metadata_of_ours_do_not_hide_those_of_the_document() -> None:
    document = Document(
        page_content="One.", metadata={"source": "a", "start_index": "mine", "cantle": {"also": "mine"}}
    )
    (piece,) = CantleTextSplitter(max_size=40).split_documents([document])
    assert piece.metadata["start_index"] == 0
    assert from_documents([piece])[0].metadata == document.metadata


def test_metadata_are_extracted() -> None:
    splitter = CantleTextSplitter(max_size=100, extract={"keywords": True})
    text = "The harbour pilot guides ships into the harbour. A pilot knows the harbour."
    (piece,) = splitter.create_documents([text], [{"source": "a"}])
    expected = MDocument.from_text(text, metadata={"source": "a"}, source="a").chunk(extract={"keywords": True})
    assert piece.metadata["excerpt_keywords"] == expected[0].metadata["excerpt_keywords"]


def test_threads_share_a_splitter_and_it_pickles(guide: str) -> None:
    splitter = CantleTextSplitter(max_size=60, kind="markdown", length_function="cl100k_base")
    expected = splitter.create_documents([guide], [{"source": "g"}])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: splitter.create_documents([guide], [{"source": "g"}]), range(16)))
    assert found == [expected] * 16
    assert pickle.loads(pickle.dumps(splitter)).create_documents([guide], [{"source": "g"}]) == expected


@pytest.mark.parametrize("strategy", ["token", None], ids=["named", "by the kind"])
def test_a_warning_about_an_option_comes_once(strategy: str | None) -> None:
    options: dict[str, Any] = {"length_function": "words"} if strategy else {"separators": ["\n"], "language": "python"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        splitter = CantleTextSplitter(strategy, max_size=40, **options)
        splitter.create_documents([PROSE] * 5)
        splitter.split_text(PROSE)
    assert [warning.category for warning in caught] == [UnusedOptionWarning]


def test_languages_as_langchain_names_them() -> None:
    code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    assert CantleTextSplitter(language=Language.PYTHON, max_size=30, overlap=0).split_text(code) == [
        "def one():\n    return 1",
        "def two():\n    return 2",
    ]


def test_what_is_wrong_is_said() -> None:
    splitter = CantleTextSplitter("recursive", max_size=40)
    document = Document(page_content=PROSE)
    with pytest.raises(UnknownStrategyError, match=r"No chunking strategy is named 'nope'\. Available: .*recursive"):
        CantleTextSplitter("nope")
    for strategy in ("recursive", None):
        with pytest.raises(OptionError, match=r"no option 'chunk_size'\. Did you mean 'max_size'\?"):
            CantleTextSplitter(strategy, chunk_size=400)
    with pytest.raises(OptionError, match="max_size must be"):
        CantleTextSplitter("recursive", max_size=-1)
    with pytest.raises(OptionError, match=r"must be a str, got NoneType"):
        splitter.split_text(None)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"got one string: 'abc'\. Give \[text\]"):
        splitter.create_documents("abc")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="got 2 for 1 texts"):
        splitter.create_documents(["a"], [{}, {}])
    with pytest.raises(OptionError, match="must be a list of LangChain's documents"):
        splitter.split_documents(document)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"'abc' at position 1\. For strings there is create_documents"):
        splitter.split_documents([document, "abc"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="options are given when the splitter is made, got 'max_size'"):
        splitter.transform_documents([document], max_size=10)


def test_repr_says_how_to_make_it_again() -> None:
    made = CantleTextSplitter("markdown", max_size=40, kind="markdown")
    assert repr(made) == "CantleTextSplitter('markdown', kind='markdown', max_size=40)"
    assert repr(CantleTextSplitter()) == "CantleTextSplitter()"


@settings(max_examples=60, deadline=None)
@given(texts())
def test_offsets_hold_and_chunks_come_back_for_any_text(text: str) -> None:
    found = CantleTextSplitter("recursive", max_size=12, overlap=3).create_documents([text], [{"source": "s"}])
    for piece in found:
        assert piece.page_content == text[piece.metadata["start_index"] : piece.metadata["end_index"]]
    document = MDocument.from_text(text, source="s", metadata={"source": "s"})
    expected = list(document.chunk("recursive", max_size=12, overlap=3))
    assert from_documents(found) == expected
    assert [piece.id for piece in found] == [chunk.key for chunk in expected]


@settings(max_examples=40, deadline=None)
@given(markdown_documents())
def test_page_content_is_what_is_embedded_for_any_markdown(text: str) -> None:
    splitter = CantleTextSplitter("structural-context", kind="markdown", max_size=60)
    found = splitter.create_documents([text], [{"source": "s"}])
    expected = MDocument(text, "markdown", {"source": "s"}, "s").chunk("structural-context", max_size=60)
    assert [piece.page_content for piece in found] == expected.texts
    assert from_documents(found) == list(expected)


def test_hostile_texts() -> None:
    documents = hostile_documents()
    splitter = CantleTextSplitter("recursive", max_size=100)
    found = splitter.create_documents([document.text for document in documents], [{"source": "s"}] * len(documents))
    assert len({piece.id for piece in found}) == len(found)
    assert [chunk.text for chunk in from_documents(found)] == [piece.page_content for piece in found]


def test_a_special_token_that_is_disallowed() -> None:
    text = "Hello <|endoftext|> world"
    assert "".join(CantleTextSplitter.from_tiktoken_encoder(max_size=4, overlap=0).split_text(text))
    for strategy in ("recursive", "token", "sentence"):
        strict = CantleTextSplitter.from_tiktoken_encoder(
            strategy=strategy, disallowed_special="all", max_size=4, overlap=0
        )
        with pytest.raises(DocumentError, match=r"special token that is not allowed: <\|endoftext\|>"):
            strict.split_text(text)
        assert strict.split_text("Hello world") == ["Hello world"]
