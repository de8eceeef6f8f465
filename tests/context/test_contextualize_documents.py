"""`contextualize`: which chunks it takes, and which document the model reads."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from scripted_clients import TEMPLATE, WAYS, Client, chunks_of, dictionaries

from cantle import Chunk, Chunks, ContextRetrievalChunker, MDocument, Source, contextualize
from cantle.context.notes.documents import shown_text
from cantle.errors import ContextWarning, OptionError

GUIDE = "# Guide\n\nFirst part.\n\n## More\n\nSecond part.\n\n## End\n\nThird part."


def guide() -> Chunks:
    doc = MDocument.from_markdown(GUIDE, source="g", metadata={"lang": "en"})
    return doc.chunk("structural-context", max_size=40, min_chunk_size=0)


# Chunks


@WAYS
@pytest.mark.parametrize("part", [lambda chunks: chunks[:2], lambda chunks: (chunks[2], chunks[0])])
def test_some_of_the_chunks(run: Any, part: Any) -> None:
    chunks, client = guide(), Client(lambda user: "n")
    given = part(chunks)
    given[0].embedding = [1.0]
    new = run(client, None, given, template=TEMPLATE)
    assert isinstance(new, Chunks)
    assert client.users == [f"{GUIDE}|{chunk.content}" for chunk in given]
    assert [chunk.content for chunk in new] == [chunk.content for chunk in given]
    assert [chunk.text for chunk in new] == [
        f"{chunk.prefix.rstrip()}\n\nn\n\n{chunk.content}".lstrip() for chunk in given
    ]
    assert [chunk.metadata for chunk in new] == [{**chunk.metadata, "context": "n"} for chunk in given]
    assert new.source is chunks.source
    assert (new.config_hash, new.dropped, new.strategy) == (chunks.config_hash, chunks.dropped, chunks.strategy)
    assert [chunk.index for chunk in new] == list(range(len(given)))
    assert [chunk.index for chunk in chunks] == [0, 1, 2]
    assert "context" not in given[0].metadata
    assert (given[0].embedding, new[0].embedding) == ([1.0], None)


def test_the_notes_of_a_trial_serve_the_whole(tmp_path: Path) -> None:
    chunks, client = guide(), Client(lambda user: "n")
    contextualize(client, None, chunks[:2], resume=tmp_path / "n")
    contextualize(client, None, chunks, resume=tmp_path / "n")
    assert len(client.messages) == len(chunks) == 3


def test_some_of_the_chunks_without_a_client() -> None:
    with pytest.warns(ContextWarning, match="no client"):
        new = contextualize(None, None, guide()[:2])
    assert isinstance(new, Chunks)
    assert list(new) == guide()[:2]


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ([*guide()[:1], *guide()[:1]], "must be a part of one result of chunk.*at position 1"),
        ([Chunk("a", 0, 1)], "must be a part of one result of chunk.*at position 0"),
        ([*guide()[:1], *dictionaries(1)], "must be of one kind, got {.* beside Chunk objects at position 1"),
        ([*dictionaries(1), *guide()[:1]], "must be of one kind, got {.* beside Chunk objects at position 0"),
        ([guide()], "got <3 chunks of 'g', 64 characters> at position 0"),
    ],
    ids=range(5),
)
def test_lists_that_are_no_part_of_a_result(chunks: Any, message: str) -> None:
    client = Client()
    with pytest.raises(OptionError, match=message):
        contextualize(client, GUIDE, chunks)
    assert not client.messages


@pytest.mark.parametrize("relations", [False, True])
def test_rows_of_chunks_are_refused(relations: bool) -> None:
    client, rows = Client(), guide().to_dicts(relations=relations)
    before = [dict(row) for row in rows]
    with pytest.raises(OptionError, match=r"^chunks\[0\] is a row of to_dicts\(\).* Pass the Chunks"):
        contextualize(client, GUIDE, rows)
    with pytest.raises(OptionError, match=r"Pass the Chunks"):
        contextualize(client, GUIDE, [{"content": "a", "embed_hash": ""}])
    assert (rows, client.messages) == (before, [])


def test_the_method_gives_what_the_function_gives() -> None:
    new = ContextRetrievalChunker().contextualize(Client(lambda user: "n"), None, guide())
    assert [chunk.metadata["context"] for chunk in new] == ["n"] * 3


# What is sent of the chunks' own document


def sent(doc: MDocument, strategy: str = "structural-context", **options: Any) -> str:
    client = Client(lambda user: "n")
    chunks = doc.chunk(strategy, **options)
    contextualize(client, None, chunks, template="{document}|{chunk}")
    return client.users[0].removesuffix(f"|{chunks[0].content}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nx <!-- note --> y.", "# A\n\nx  y."),
        ("<!-- a\nb -->\n\n# A\n\nx.", "# A\n\nx."),
        ("# A\n\n<!-- a -->\n\nx.\n<!-- b -->\ny.", "# A\n\nx.\ny."),
        ("# A\n\n  <!-- a --> <!-- b -->\n<!-- c -->\n\nx.", "# A\n\nx."),
        ("# A\r\n\r\n<!-- a -->\r\n\r\nx.", "# A\r\n\r\nx."),
        ("# A\n\nx.\n\n<!-- a -->", "# A\n\nx.\n\n"),
        ("# A\n\n![b](data:image/png;base64,iVBORw0KGgo=) x.", "# A\n\n![b](data:image/png) x."),
        ("# A\n\n```\n<!-- a -->\n\n\nb\n```", "# A\n\n```\n<!-- a -->\n\n\nb\n```"),
    ],
)
def test_markdown_is_sent_without_comments_and_images(text: str, expected: str) -> None:
    assert sent(MDocument.from_markdown(text)) == expected
    assert sent(MDocument.from_markdown(text), "recursive") == text  # where they are in the chunks


def test_what_is_given_is_sent_as_it_is() -> None:
    text, client = "# A\n\nx <!-- note --> y.", Client(lambda user: "n")
    doc = MDocument.from_markdown(text)
    contextualize(client, doc, doc.chunk("structural-context"), template=TEMPLATE)
    assert client.users == [f"{text}|# A\n\nx  y."]


def test_a_page_is_sent_without_what_it_hides() -> None:
    page = (
        "<html><head><title>T</title>\n<style>p { color: red }</style>\n</head>\n<body>\n<h1>A</h1>\n<!-- c -->\n"
        '<p>One<img alt="x" src="data:image/png;base64,AAAA"> two.</p>\n<script>\nf()\n</script>\n<p>End.</p>\n</body>'
    )
    shown = sent(MDocument.from_html(page))
    assert shown == (
        '<html><head>\n</head>\n<body>\n<h1>A</h1>\n<p>One<img alt="x" src="data:image/png"> two.</p>\n<p>End.</p>\n'
        "</body>"
    )
    assert sent(MDocument.from_html(page), "html") == shown


def test_pages_are_sent_without_running_lines() -> None:
    pages = "\f".join(f"Tide tables\nThe har-\nbour of page {'abc'[i]}.\n{i + 1}\n" for i in range(3))
    expected = "\f".join(f"The har-\nbour of page {'abc'[i]}.\n" for i in range(3))
    assert sent(MDocument(pages, kind="pdf")) == expected


@pytest.mark.parametrize(
    ("doc", "strategy", "options"),
    [
        (MDocument.from_text("one%%two%%three"), "character", {"separator": "%%"}),
        (MDocument.from_markdown("# A\n\nx\n\n# B\n\ny"), "markdown", {"headers": [("#", "t")]}),
        (MDocument.from_json('{"a": {"b": 1},\n "c": [2, "data:x"]}'), "json", {"max_size": 10}),
        (MDocument.from_markdown("a\u200bb  \n\n\n\nc"), "structural-context", {"normalize_whitespace": True}),
    ],
)
def test_what_a_reader_needs_is_sent(doc: MDocument, strategy: str, options: dict[str, Any]) -> None:
    assert sent(doc, strategy, **options) == doc.text


def test_front_matter_is_not_sent() -> None:
    text = "---\ntitle: x\n---\n<!-- c -->\n\n# A\n\nx."
    source = Source(text, "markdown", body=text.index("<!--"))
    assert shown_text(Chunks(source, [Chunk("x.", len(text) - 2, len(text))], dropped=[(17, 27, "comment")])) == (
        "# A\n\nx."
    )
    chunks = Chunks(source, [], dropped=[(0, 17, "front-matter"), (17, 27, "comment"), (17, 20, "mine")])
    assert shown_text(chunks) == "# A\n\nx."


@pytest.mark.parametrize("part", ["<!-- a -->", "<!-- a -->\n", "<!-- a --> \n\n\n", "x<!-- a -->" + " " * 50, "\f"])
def test_the_text_is_made_in_linear_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    dropped = [(i, i + 10, "comment") for i in range(0, len(text) - 20, max(12, len(part)))]
    began = time.process_time()
    shown_text(Chunks(Source(text), [], dropped=dropped))
    assert time.process_time() - began < 2


# Whether the document is the chunks' own


@WAYS
@pytest.mark.parametrize(
    "document",
    ["guide.md", "other", "# Guide\n\nFirst part.", Source("other"), "Second part. Third part."],
)
def test_another_document_than_that_of_the_chunks_is_a_warning(run: Any, document: Any) -> None:
    client = Client(lambda user: "n")
    with pytest.warns(
        ContextWarning, match=r"^Chunk g#\d-\w+ is not in the document .*\. Pass None for the text that"
    ) as caught:
        new = run(client, document, guide())
    assert caught[0].filename in (__file__, str(Path(__file__).with_name("scripted_clients.py")))
    assert len(client.messages) == len(new) == 3


@pytest.mark.parametrize("document", ["", " \n", "\ufeff"])
def test_a_blank_document_is_an_error(document: str) -> None:
    client = Client()
    with pytest.raises(OptionError, match=r"^document is blank, the chunks are not\. Pass None"):
        contextualize(client, document, guide())
    assert not client.messages
    contextualize(client, document, chunks_of(" "))  # nothing to ask


def test_a_longer_document_or_one_with_other_white_space_is_the_chunks_own() -> None:
    client = Client(lambda user: "n")
    for document in (GUIDE, f"Before.\n\n{GUIDE}\n\nBehind.", GUIDE.replace("\n\n", "\r\n \r\n").replace(" ", "  ")):
        contextualize(client, document, guide())
    noted = MDocument.from_markdown(GUIDE + " <!-- a --> Really.")
    contextualize(client, f"{noted.text}\n\nBehind.", noted.chunk("structural-context", max_size=40))
    doc = MDocument.from_html("<h1>A</h1><p>a <b>b</b> &amp; c</p>")
    for same in (doc, doc.text, "A\na b & c"):
        contextualize(client, same, doc.chunk("structural-context"))
    assert len(client.messages) == 9 + 3 + 3


@WAYS
def test_another_document_than_that_of_dictionaries_is_a_warning(run: Any) -> None:
    rows = ContextRetrievalChunker().chunk_size(40).overlap(0).source("g").markdown(GUIDE)
    for document in ("guide.md", "", "other " * 20):
        client = Client(lambda user: "n")
        with pytest.warns(ContextWarning, match=r"^Chunk g#0-\w+ is not in the document .*\. Pass the text that"):
            run(client, document, [dict(row) for row in rows])
        assert len(client.messages) == len(rows)
    run(Client(lambda user: "n"), GUIDE, rows)


@pytest.mark.parametrize("options", [{}, {"overlap": 30}, {"chunk_size": 32, "overlap": 16}])
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("markdown", "<!-- a -->\n\tIt is <!-- b --> a\u00a0word. ![a](data:image/png;base64,AAAA)\r\n\r\nMore of it."),
        ("markdown", "```py\n" + "x = call(argument)\n" * 9 + "```"),
        ("markdown", "|a|b|\n|-|-|\n" + "|one|two three|\n" * 9),
        ("text", "One two three four five six seven eight nine ten eleven twelve. " * 3),
        ("pdf", "Head\nThe har-\nbour is open.\n1\n\fHead\nBut not on Sundays.\n2\n\fHead\nThe end.\n3"),
    ],
)
def test_the_document_of_dictionaries_is_known_though_it_was_cleaned(
    kind: str, text: str, options: dict[str, Any]
) -> None:
    chunker = ContextRetrievalChunker().chunk_size(60).overlap(0)
    rows = getattr(chunker, kind)(text, options)
    chunker.contextualize(Client(lambda user: "n"), text, rows)
    assert all(row["context"] for row in rows)


def test_chunks_that_are_not_asked_for_are_not_looked_for() -> None:
    contextualize(Client(), "other", dictionaries(2, context="old"))
    with pytest.warns(ContextWarning, match="Chunk d#0 is not in the document"):
        contextualize(Client(), "other", dictionaries(2))
