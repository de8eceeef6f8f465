"""What an edit costs when a corpus is embedded again: measured against an earlier state, or simulated."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest

import cantle
from cantle import MDocument
from cantle.errors import DocumentError
from cantle.lengths import resolve
from cantle_inspect import Corpus, Cost, Cutting, cost, read_corpus
from cantle_inspect.costs.edits import SENTENCE, edited

TOKENS = resolve("text-embedding-3-small")

WORDS = "The leave policy gives every employee thirty days in a year. Ask your manager well before you go. "


def corpus(*texts: str, kind: str = "text") -> Corpus:
    return Corpus(tuple(MDocument(text, kind, {}, f"{i}.txt") for i, text in enumerate(texts)))


def plain(size: int = 200, overlap: int = 0, **more: Any) -> Cutting:
    return Cutting("recursive", {"max_size": size, "overlap": overlap, **more})


def own_count(found: Cost, old: list[Any], cutting: Cutting, documents: Corpus) -> int:
    """The tokens of all new texts that the old run did not have, each once: told from texts alone."""
    had = {record["text"] if isinstance(record, dict) else record.text for record in old}
    texts = {chunk.text for document in documents.documents for chunk in cutting(document)} - had
    return sum(map(TOKENS, texts))


def test_an_edit_is_measured_against_an_earlier_state(tmp_path: Path) -> None:
    cutting = plain()
    old_text, other = WORDS * 30, "Refunds take ten days. " * 40
    new_text = old_text.replace("thirty", "forty", 1)
    old, new = corpus(old_text, other), corpus(new_text, other)
    earlier = [chunk for document in old.documents for chunk in cutting(document)]
    lines = "".join(
        f"{cantle.MDocument.chunk(d, 'recursive', max_size=200, overlap=0).to_jsonl()}" for d in old.documents
    )
    (tmp_path / "old.jsonl").write_text(lines, encoding="utf-8")
    for since in (earlier, [chunk.to_dict() for chunk in earlier], old, tmp_path / "old.jsonl"):
        found = cost(new, cutting=cutting, since=since)
        assert found.change is not None
        assert found.change.basis == "measured"
        assert found.change.tokens == own_count(found, earlier, cutting, new) > 0
        assert found.change.share < 0.1
        assert [document.changed_tokens for document in found.documents] == [found.change.tokens, 0]
        assert found.year_changed == found.of(4 * found.change.tokens)
    same = cost(old, cutting=cutting, since=old)
    assert (same.year_changed, same.change and same.change.share) == (0, 0.0)


def test_an_earlier_copy_of_the_directory(tmp_path: Path) -> None:
    for name, days in (("old", "30"), ("new", "31")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# Leave\n\n{days} days.\n\n{WORDS * 20}", encoding="utf-8")
    found = cost(read_corpus(tmp_path / "new"), since=tmp_path / "old")
    assert found.change is not None
    assert found.change.counts["embed"] == 1


def test_other_settings_change_everything() -> None:
    text = "".join(f"Sentence number {n} says something else. " for n in range(200))
    old = [chunk for document in corpus(text).documents for chunk in plain(500)(document)]
    found = cost(corpus(text), cutting=plain(200), since=old)
    assert found.change is not None
    assert found.change.share > 0.95  # a last chunk may be the same


@pytest.mark.parametrize("what", ["missing", "chunks.jsonl"])
def test_a_since_that_cannot_be_read(what: str, tmp_path: Path) -> None:
    (tmp_path / "chunks.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(DocumentError):
        cost(corpus(WORDS), since=tmp_path / what)


def test_the_simulation_is_one_edit_in_each_document() -> None:
    cutting = plain()
    documents = corpus(WORDS * 30, "Refunds take ten days. " * 60, "Short.")
    found = cost(documents, cutting=cutting, reindex=4)
    assert found.change is not None
    assert found.change.basis == "simulated"
    shares, total = [], 0
    for document in documents.documents:
        new = edited(document)
        assert new is not None
        after = cutting(new)
        had = {chunk.text for chunk in cutting(document)}
        tokens = sum(map(TOKENS, {chunk.text for chunk in after} - had))
        shares.append(tokens / sum(TOKENS(chunk.text) for chunk in after))
        total += tokens
    assert found.change.tokens == total
    assert found.change.shares == tuple(shares)
    assert found.change.median_share == median(shares)
    assert found.change.to_dict()["changedDocuments"] == 3
    assert found.to_dict() == cost(documents, cutting=cutting, reindex=4).to_dict()


def test_no_simulation_without_a_reindex() -> None:
    found = cost(corpus(WORDS), reindex=0)
    assert found.change is None
    assert found.to_dict()["reindex"] == {"timesPerYear": 0, "all": {"tokens": 0, "cost": 0}, "changed": None}
    assert "changedTokens" not in found.to_dict()["documents"][0]


def test_where_no_sentence_can_be_added() -> None:
    found = cost(corpus("[1, 2, 3]", kind="json"))
    assert found.change is None
    assert found.year_changed is None
    assert found.total_cost is not None
    mixed = cost(Corpus((MDocument("[1]", "json", {}, "a"), MDocument(WORDS, "text", {}, "b"))))
    assert mixed.change is not None
    assert [document.changed_tokens is None for document in mixed.documents] == [True, False]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("text", "One. Two. Three.", f"One. Two. {SENTENCE} Three."),
        ("markdown", "# T\n\n- item one\n- item two", f"# T\n\n- item one {SENTENCE}\n- item two"),
        ("markdown", "```\ncode here\n```", f"```\ncode here\n\n{SENTENCE}\n\n\n```"),
        ("html", "<p>One.</p><p>Two.</p><p>Three.</p>", f"<p>One.</p><p>Two. {SENTENCE}</p><p>Three.</p>"),
        ("json", '{"a": "x", "b": ["y\\"", 1]}', '{"a": "x", "b": ["y\\" SENTENCE", 1]}'.replace("SENTENCE", SENTENCE)),
        ("json", '{"a": {"b": 1}}', None),
        ("text", " \n ", None),
        ("text", "", None),
    ],
)
def test_where_the_sentence_goes(kind: str, text: str, expected: str | None) -> None:
    found = edited(MDocument(text, kind))
    assert (None if found is None else found.text) == expected


def test_front_matter_is_not_edited(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"---\ndept: hr\nlong: {'x ' * 500}\n---\nOne. Two. Three.\n", encoding="utf-8")
    document = MDocument.from_file(tmp_path / "a.md")
    found = edited(document)
    assert found is not None
    assert found.text.startswith(document.text[: document.body])
    assert found.body == document.body
    assert found.text.endswith(f"One. Two. {SENTENCE} Three.\n")


def test_other_settings_are_told_from_edits() -> None:
    text = "".join(f"Sentence number {n} says something else. " for n in range(200))
    documents = corpus(text)
    old = [chunk for document in documents.documents for chunk in plain(500)(document)]
    found = cost(documents, cutting=plain(200), since=old)
    assert found.change is not None
    assert found.change.recut
    assert found.to_dict()["reindex"]["changed"]["once"]["recut"] is True
    rewritten = cost(corpus(text.replace("else", "new")), cutting=plain(500), since=old)
    assert rewritten.change is not None
    assert (rewritten.change.recut, rewritten.change.counts["kept"]) == (False, 0)
    same = cost(documents, cutting=plain(500), since=old)
    assert same.change is not None
    assert not same.change.recut


@pytest.mark.parametrize(
    "text",
    [
        '[{"question": "How many?", "text": "thirty", "source": "a"}]',
        '{"text": "a"}\n{"text": "b"}\n',
        "",
        "\n",
        "[]",
        '{"questions": []}',
        "[1]",
    ],
)
def test_json_that_holds_no_chunks(text: str, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text(text, encoding="utf-8")
    with pytest.raises(DocumentError):
        cost(corpus(WORDS), since=tmp_path / "old.json")
