"""The strategy `partition`: the contract holds, whoever divides."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from cantle import MDocument, chunk_many, registry
from cantle.errors import OptionError, UnusedOptionWarning
from cantle.testing import check_strategy
from cantle_llm import Client, ModelWarning, Partition, partition
from cantle_llm.testing import Asked, Fault, ScriptedServer

LINE = re.compile(r"^(\d+): ", re.MULTILINE)
TEXT = (
    "Chapter 1. Whales.\n\nWhales swim far. Whales sing.\n\nChapter 2. Bread.\n\nBread is baked from flour.\n\n"
    "Chapter 3. Whales again.\n\nMore of whales."
)


def anything(asked: Asked) -> Any:
    """Blocks that depend on the prompt alone: ranges that come back, lines left out, now and then no answer."""
    count = len(LINE.findall(asked.prompt))
    digest = sha256(asked.prompt.encode()).digest()
    if digest[0] < 12:
        return Fault.refusal()
    blocks: list[list[list[int]]] = [[] for _ in range(1 + digest[1] % 4)]
    for line in range(count):
        kind = digest[2 + line // 2 % 30] % (len(blocks) + 1)
        if kind < len(blocks):
            blocks[kind].append([line, line])
    return {
        "blocks": [{"ranges": ranges, "label": f"b{i}"} for i, ranges in enumerate(blocks) if ranges],
        "reasoning": "",
    }


@pytest.fixture
def asking() -> Iterator[Client]:
    with ScriptedServer(anything) as server, Client("m", base_url=server.url, retries=0, reasks=0) as client:
        yield client


def test_it_is_registered() -> None:
    assert registry().make("partition", {}) == Partition()
    assert [chunk.metadata["label"] for chunk in MDocument.from_text(TEXT).chunk("partition")] == [
        "Chapter 1. Whales.",
        "Chapter 2. Bread.",
        "Chapter 3. Whales again.",
    ]


def test_the_contract_without_a_model() -> None:
    documents = [TEXT, "", "a", TEXT.replace("\n\n", "\r\n\r\n"), "x" * 3000, "漢字。" * 300, "\ud800 \x00\u202e"]
    check_strategy(Partition, documents, examples=10, points={1, 2, 3, 4, 5, 6, 9})


@pytest.mark.filterwarnings("ignore::cantle_llm.ModelWarning")
def test_the_contract_with_a_model(asking: Client) -> None:
    documents = [
        TEXT,
        "",
        "a",
        TEXT.replace("\n\n", "\r\n\r\n"),
        "word " * 400,
        "漢字。" * 100,
        "e\u0301 \U0001f468\u200d\U0001f469 \ud800 \x00\u202e\n" * 20,
        MDocument.from_markdown("# A\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n"),
        MDocument.from_html("<h1>A</h1><p>One. Two.</p><table><tr><td>1</td></tr></table>"),
    ]
    for more in ({}, {"max_size": 30}, {"max_size": 1}):
        strategy = Partition(client=asking, max_lines_per_session=6, overlap_lines=2, max_words_per_line=9, **more)
        check_strategy(strategy, documents, examples=25, points={1, 2, 3, 4, 5, 6, 9})


def test_blocks_are_whole_chunks_in_order_of_their_starts() -> None:
    answer = {
        "blocks": [{"ranges": [[3, 4]], "label": "Bread"}, {"ranges": [[0, 2], [5, 5]], "label": "Whales"}],
        "reasoning": "",
    }
    with ScriptedServer(lambda asked: answer) as server, Client("m", base_url=server.url, retries=0) as client:
        chunks = MDocument.from_text(TEXT).chunk("partition", client=client, min_coverage=0.8, explain=True)
        small = MDocument.from_text(TEXT).chunk("partition", client=client, min_coverage=0.8, explain=True, max_size=30)
    whales, bread = chunks
    assert whales.metadata == {"label": "Whales", "block": 0, "fallback": False}
    assert whales.spans is not None
    assert whales.text == "\n\n".join(TEXT[a:b] for a, b in whales.spans)
    assert whales.text.endswith("Chapter 3. Whales again.\n\nMore of whales.")  # line 6, left out, is in the nearest
    assert bread.exact
    assert whales.cut == ("topic", 0, "Whales")
    assert [chunk.metadata["label"] for chunk in small] == ["Whales"] * 2 + ["Bread"] * 2 + ["Whales"] * 2
    assert [chunk.cut.kind for chunk in small if chunk.cut] == ["limit", "topic", "limit", "topic", "limit", "end"]
    assert all(len(chunk.text) <= 30 for chunk in small)


def test_mechanical_blocks_are_marked() -> None:
    with (
        ScriptedServer(lambda asked: Fault.http(500)) as server,
        Client("m", base_url=server.url, retries=0) as client,
        pytest.warns(ModelWarning, match="1 of 1"),
    ):
        chunks = MDocument.from_text(TEXT).chunk(
            "partition", client=client, explain=True, fallback_max_chars_per_block=60
        )
    assert {(chunk.metadata["fallback"], chunk.metadata["label"]) for chunk in chunks} == {(True, None)}
    assert [chunk.cut for chunk in chunks] == [*[("fallback", 0, "")] * (len(chunks) - 1), ("end", 0, "")]
    assert len(chunks) > 2


def test_async() -> None:
    chunks = asyncio.run(MDocument.from_text(TEXT).achunk("partition"))
    assert chunks.texts == MDocument.from_text(TEXT).chunk("partition").texts


def test_options_by_name() -> None:
    made = registry().make("partition", {"max_words_per_line": 5, "max_size": 40, "language": "en"})
    assert made == Partition(max_words_per_line=5, max_size=40, language="en")


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "x"},
        {"overlap_lines": 400},
        {"max_size": 0},
        {"max_size": (10, 20)},
        {"min_coverage": 2},
        {"language": "xx"},
        {"nonsense": 1},
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        registry().make("partition", options)


def test_options_without_effect() -> None:
    with pytest.warns(UnusedOptionWarning, match="overlap has no effect"):
        Partition(overlap=5, max_size=100)
    with pytest.warns(UnusedOptionWarning, match="length_function has no effect without max_size"):
        Partition(length_function="words")


def test_a_registry_loads_nothing_heavy() -> None:
    heavy = "openai", "pydantic", "jsonschema", "genai_prices", "snowballstemmer", "numpy", "cantle_llm.client"
    code = f"import sys, cantle; cantle.registry().strategies(); print([m for m in {heavy!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_documents_without_a_client_share_a_spending_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [MDocument(f"Document {i} is about tides. They rise and fall.") for i in range(6)]
    answer = {"blocks": [{"ranges": [[0, 1]], "label": "x"}], "reasoning": ""}
    with ScriptedServer(lambda asked: answer, usage=lambda asked, text: (1, 100)) as server:
        for name, value in {
            "BASE_URL": server.url,
            "PRICE": "0,10000",
            "BUDGET": "3.9",
            "MAX_OUTPUT_TOKENS": "100",
            "RETRIES": "0",
        }.items():
            monkeypatch.setenv(f"CANTLE_LLM_{name}", value)
        with pytest.warns(ModelWarning, match="budget"):
            found = [result.chunks for result in chunk_many(documents, "partition", model="m")]
        assert len(server.requests) == 3  # a dollar each
        assert [chunks[0].metadata["fallback"] for chunks in found if chunks] == [False] * 3 + [True] * 3
        with pytest.warns(ModelWarning, match="budget"):
            asyncio.run(documents[0].achunk("partition", engine="model", model="m"))
        with pytest.warns(ModelWarning, match="budget"):
            assert partition(documents[0], model="other").reason == "budget"
        assert len(server.requests) == 3
        for result in chunk_many(documents[:2], "partition", model="m", workers=2, errors="collect"):
            assert isinstance(result.error, OptionError)
            assert "holds in one process" in str(result.error)


def test_a_client_is_sent_to_workers() -> None:
    documents = [MDocument(TEXT, source=str(i)) for i in range(3)]
    with ScriptedServer(anything) as server, Client("m", base_url=server.url, retries=0, reasks=0) as client:
        alone = [result.chunks for result in chunk_many(documents, "partition", client=client, min_coverage=0)]
        apart = [
            result.chunks for result in chunk_many(documents, "partition", client=client, min_coverage=0, workers=2)
        ]
        assert len(server.requests) == 6
    assert apart == alone
    assert [chunks.config_hash for chunks in apart if chunks] == [chunks.config_hash for chunks in alone if chunks]
    limited = Client("m", base_url="http://localhost:1/v1", token_budget=10)
    with pytest.raises(OptionError, match="limit holds in one process"):
        list(chunk_many(documents, "partition", client=limited, workers=2))


def test_what_means_the_same_is_the_same_configuration(asking: Client) -> None:
    document = MDocument("")
    for options in ({}, {"client": asking}, {"model": "m", "client": asking}):
        engine = "model" if options else "lexical"
        hashes = {document.chunk("partition", **options, **more).config_hash for more in ({}, {"engine": engine})}
        assert len(hashes) == 1
    with pytest.raises(OptionError, match="asks no model, and client is given"):
        Partition(engine="lexical", client=asking)


def test_clients_that_answer_differently_are_different_configurations() -> None:
    clients = [Client("a"), Client("b"), Client("a", temperature=0.7), Client("a", temperature="none"), Client("a")]
    first, *others, again = [MDocument("").chunk("partition", client=client).config_hash for client in clients]
    assert len({first, *others}) == 4
    assert again == first


def test_another_model_is_another_configuration(asking: Client) -> None:
    document = MDocument.from_text("")
    hashes = {
        document.chunk("partition", **options).config_hash
        for options in ({}, {"client": asking}, {"client": asking, "model": "other"}, {"max_words_per_line": 9})
    }
    assert len(hashes) == 4
