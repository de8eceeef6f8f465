"""`contextualize` with `Chunks`: where notes go, and how they are kept within a limit."""

from __future__ import annotations

import pickle
import time
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_clients import (
    DOCUMENT,
    TEMPLATE,
    WAYS,
    Client,
    chunks_of,
    dictionaries,
)

from cantle import Chunk, Chunks, MDocument, Source, contextualize
from cantle.context.notes.notes import cut_note
from cantle.errors import CantleWarning, ContextWarning, OptionError


@WAYS
def test_chunks_get_their_notes_in_the_prefix(run: Any) -> None:
    text = "# Guide\n\nIt rose by 3%.\n\n## More\n\nIt fell."
    doc = MDocument.from_markdown(text, metadata={"lang": "en"}, source="g")
    first = Chunk("It rose by 3%.", 9, 23, prefix="# Guide\n\n", path=("Guide",), metadata={"k": [1]}, overlap=0)
    second = Chunk("It fell.", 34, 42, path=("Guide", "More"), spans=((34, 36), (36, 42)), oversize=True)
    old = Chunks(doc, [first, second], dropped=[(0, 7, "heading-in-metadata")], config_hash="c" * 16)
    old.add_start_index()
    first.embedding = [1.0]
    client = Client(lambda user: f"About {user.rpartition('|')[2]}")
    new = run(client, None, old, template="{document}|{chunk}|{heading}|{breadcrumb}")
    assert client.users == [f"{text}|It rose by 3%.|Guide|Guide", f"{text}|It fell.|More|Guide > More"]
    assert [c.text for c in new] == [
        "# Guide\n\nAbout Guide\n\nIt rose by 3%.",
        "About Guide > More\n\nIt fell.",
    ]
    assert [c.metadata for c in new] == [
        {"lang": "en", "k": [1], "start_index": 9, "context": "About Guide"},
        {"lang": "en", "start_index": 34, "context": "About Guide > More"},
    ]
    assert (old[0].prefix, old[0].embedding, "context" in old[0].metadata) == ("# Guide\n\n", [1.0], False)
    assert new[0].embedding is None
    assert new.source is doc
    assert (new.dropped, new.config_hash) == (old.dropped, old.config_hash)
    for a, b in zip(old, new, strict=True):
        for name in ("content", "start", "end", "spans", "overlap", "path", "index", "source", "oversize", "cut", "id"):
            assert getattr(a, name) == getattr(b, name), name
        assert a.key != b.key
    new[0].metadata["k"].append(2)
    assert old[0].metadata["k"] == [1]
    assert pickle.loads(pickle.dumps(new)) == new


def test_chunks_of_a_strategy() -> None:
    doc = MDocument.from_text("one two three four " * 40, source="d")
    old = doc.chunk("recursive", max_size=60, overlap=20)
    new = contextualize(Client(lambda user: "n"), doc, old)
    assert new.spans == old.spans
    assert [c.overlap for c in new] == [c.overlap for c in old]
    assert new.texts == [f"n\n\n{text}" for text in old.texts]


def test_a_document_beside_chunks_is_the_one_that_is_sent() -> None:
    client = Client()
    for document in ("all a", MDocument.from_text("all a"), Source("all a")):
        contextualize(client, document, chunks_of("a"), template=TEMPLATE)
    assert client.users == ["all a|a"] * 3


def test_chunks_that_have_a_note() -> None:
    client = Client(lambda user: f"note {len(client.messages)}")
    once = contextualize(client, None, chunks_of("a", " ", "b", prefix="# H\n\n"))
    assert [c.prefix for c in once] == ["# H\n\nnote 1\n\n", "# H\n\n", "# H\n\nnote 2\n\n"]
    once[0].embedding = [1.0]
    assert contextualize(client, None, once) == once  # embedding included: the text is the same
    again = contextualize(client, None, once, skip_if_present=False)
    assert [c.prefix for c in again] == ["# H\n\nnote 3\n\n", "# H\n\n", "# H\n\nnote 4\n\n"]
    assert again[0].embedding is None
    assert [c.metadata.get("context") for c in again] == ["note 3", None, "note 4"]


def test_metadata_of_the_document_named_context_is_no_note() -> None:
    chunks = Chunks(Source("a", metadata={"context": "mine"}), [Chunk("a", 0, 1)])
    assert contextualize(Client(lambda user: "n"), None, chunks)[0].text == "n\n\na"
    with pytest.warns(ContextWarning):
        failed = contextualize(Client(lambda user: ""), None, chunks)
    assert failed[0].metadata == {"context": "mine"}


@WAYS
def test_chunks_whose_call_fails_stay_as_they_are(run: Any) -> None:
    old = chunks_of("a", "b")
    with pytest.warns(ContextWarning, match=r"No note for chunk d#0-ca978112: ValueError: no"):
        new = run(Client(lambda user: ValueError("no") if user.endswith("a") else "n"), None, old, template=TEMPLATE)
    assert new[0] == old[0]
    assert new[1].text == "n\n\nb"


def test_chunks_know_no_other_embed() -> None:
    assert contextualize(Client(), None, chunks_of("a"), embed="full")[0].text
    with pytest.raises(OptionError, match="embed must be 'full' with Chunks"):
        contextualize(Client(), None, chunks_of("a"), embed="context")


NOTE = "Of the quarterly report of ACME for the winter. It tells of the sales in Porto.\nACME, Porto, EBITDA, quarter"


@pytest.mark.parametrize(
    ("max_size", "note", "oversize"),
    [
        (None, NOTE, False),
        (1000, NOTE, False),
        (len(NOTE) + 11, NOTE, False),
        (len(NOTE) + 10, "Of the quarterly report of ACME for the winter. It tells of the sales in Porto.", False),
        (80, "Of the quarterly report of ACME for the winter.", False),
        (55, "Of the quarterly report of ACME for the", False),
        (50, NOTE, True),
        (1, NOTE, True),
    ],
)
def test_a_note_is_cut_to_the_limit(max_size: Any, note: str, oversize: bool) -> None:
    chunk = contextualize(Client(lambda user: NOTE), None, chunks_of("a", prefix="# Head\n\n"), max_size=max_size)[0]
    expected = (note, oversize)
    if max_size == 55:  # 39 characters of the note fit: too few
        expected = (NOTE, True)
    assert (chunk.metadata["context"], chunk.oversize) == expected
    assert chunk.text == f"# Head\n\n{expected[0]}\n\na"
    if max_size is not None and not chunk.oversize:
        assert len(chunk.text) <= max_size


HALVES = "x" * 37 + ". " + "Second sentence" + " word" * 10 + "."
CHINESE = "这是一个关于季度报告的说明，它涵盖了公司的销售情况" * 8


@pytest.mark.parametrize(
    ("note", "context_size", "kept"),
    [
        (HALVES, 80, "x" * 37 + "."),
        ("Short. " + HALVES, 80, "Short. " + "x" * 37 + "."),
        ("word " * 60, 80, ("word " * 15).strip()),
        ("word " * 60, 20, ("word " * 15).strip()),
        ("x" * 9 + " " + "y" * 300, 80, None),
        ("x" * 10 + " " + "y" * 300, 80, "x" * 10),
        ("x" * 300, 80, None),
        (CHINESE, 80, CHINESE[:78]),
        ("あ" * 30 + "\u3099" * 60, 80, "あ" * 29),
    ],
    ids=range(9),
)
def test_a_note_is_cut_where_room_was_kept_for_it(note: str, context_size: int, kept: str | None) -> None:
    doc = MDocument.from_markdown("# T\n\n" + ("Alpha beta gamma delta. " * 9).strip())
    old = doc.chunk("structural-context", max_size=300, context_size=context_size)
    assert [len(text) for text in old.texts] == [220]
    chunk = contextualize(Client(lambda user: note), None, old)[0]
    assert chunk.oversize is (kept is None)
    assert chunk.metadata["context"] == (note.strip() if kept is None else kept)
    assert kept is None or len(chunk.text) <= 300


def test_a_cut_at_a_word_comes_before_giving_up() -> None:
    assert cut_note(HALVES, lambda piece: len(piece) <= 78) == HALVES[:74]
    assert cut_note(HALVES, lambda piece: len(piece) <= 39) is None


def test_notes_are_measured_in_the_units_that_are_asked_for() -> None:
    chunk = contextualize(
        Client(lambda user: NOTE), None, chunks_of("a b c"), max_size=(4, 20), length_function="words"
    )[0]
    assert len(chunk.text.split()) <= 20
    assert NOTE.startswith(chunk.metadata["context"])


@given(
    st.text(st.sampled_from("ab .!?\n,"), max_size=300),
    st.integers(1, 300),
    st.sampled_from([len, lambda text: len(text.split()) * 7, lambda text: len(text) % 50]),
)
def test_a_cut_note_fits_and_ends_where_a_word_does(note: str, limit: int, length: Any) -> None:
    found = cut_note(note, lambda piece: length(piece) <= limit)
    if found is not None:
        assert note.startswith(found)
        assert length(found) <= limit
        assert len(found) >= 40
        assert not (note[len(found) :][:1].isalpha() and found[-1:].isalpha())


def test_a_note_of_a_megabyte_is_cut_in_time() -> None:
    for note in ("word " * 200_000, "a. " * 300_000, " \n" * 500_000 + "x", "a" * 1_000_000, "。" * 1_000_000):
        began = time.process_time()
        cut_note(note, lambda piece: len(piece) <= 500)
        assert time.process_time() - began < 2


def test_long_documents_are_hashed_once() -> None:
    document, chunks = "block 0 " * 150_000, dictionaries(300)
    began = time.process_time()
    contextualize(Client(lambda user: "n"), document, chunks, document_max_chars=0)
    assert time.process_time() - began < 4


def test_no_warning_when_all_is_well() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", CantleWarning)
        contextualize(Client(), DOCUMENT, dictionaries(), language="pt", model="m", temperature=1, resume=None)


@pytest.mark.parametrize(("context_size", "oversize"), [(0, True), (300, False)])
def test_the_limit_of_the_strategy_counts(context_size: int, oversize: bool) -> None:
    text = "# Head\n\n" + "Some words that are here. " * 20
    doc = MDocument.from_markdown(text)
    chunks = doc.chunk("structural-context", max_size=500, context_size=context_size)
    note = "The note says what it is about. " * 8
    noted = contextualize(Client(lambda user: note), doc, chunks)
    assert any(chunk.oversize for chunk in noted) is oversize
    assert all(len(chunk.text) <= 500 for chunk in noted if not chunk.oversize)
    assert all(chunk.metadata["context"] == note.strip() for chunk in noted if chunk.oversize)
    again = contextualize(Client(lambda user: "x" * 600), doc, noted, skip_if_present=False)
    assert all(chunk.oversize for chunk in again)
