"""LangChain's own ways to count tokens mean cantle's lengths."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import OptionError
from cantle_langchain import CantleTextSplitter

PROSE = "First sentence. Second one here.\n\nA new paragraph, a bit longer than the first.\n\nLast.\n"


@pytest.mark.parametrize(
    ("given", "length"),
    [({}, "gpt2"), ({"encoding_name": "cl100k_base"}, "cl100k_base"), ({"model_name": "gpt-4o"}, "o200k_base")],
    ids=["gpt2", "encoding", "model"],
)
@pytest.mark.parametrize("strategy", [None, "recursive", "sentence"], ids=str)
def test_from_tiktoken_encoder(given: dict[str, Any], length: str, strategy: str | None) -> None:
    splitter = CantleTextSplitter.from_tiktoken_encoder(**given, strategy=strategy, max_size=6, overlap=0)
    assert isinstance(splitter, CantleTextSplitter)
    expected = MDocument.from_text(PROSE).chunk(strategy, max_size=6, overlap=0, length_function=length).texts
    assert splitter.split_text(PROSE) == expected


@pytest.mark.parametrize(
    "given", [{}, {"encoding_name": "o200k_base"}, {"model_name": "gpt-4o"}], ids=["gpt2", "encoding", "model"]
)
def test_a_strategy_with_an_encoding_of_its_own_gets_it(given: dict[str, Any]) -> None:
    options = given or {"encoding_name": "gpt2"}
    expected = MDocument.from_text(PROSE).chunk("token", max_size=6, overlap=2, **options).texts
    for strategy in ("token", type(MDocument.from_text(PROSE).chunk("token").strategy)):
        splitter = CantleTextSplitter.from_tiktoken_encoder(**given, strategy=strategy, max_size=6, overlap=2)
        assert splitter.split_text(PROSE) == expected


def test_special_tokens_count_as_told() -> None:
    text = "Hello <|endoftext|> world"
    plain = CantleTextSplitter.from_tiktoken_encoder(max_size=4, overlap=0)
    one = CantleTextSplitter.from_tiktoken_encoder(allowed_special={"<|endoftext|>"}, max_size=4, overlap=0)
    assert len(plain.split_text(text)) > 1
    assert one.split_text(text) == [text]
    assert pickle.loads(pickle.dumps(one)).split_text(text) == [text]


def test_what_is_wrong_with_a_tokenizer_is_said() -> None:
    with pytest.raises(OptionError, match=r"encoding_name must be one of cl100k_base, .*, got 'nope'"):
        CantleTextSplitter.from_tiktoken_encoder("nope")
    with pytest.raises(OptionError, match=r"model_name 'nope' is not known"):
        CantleTextSplitter.from_tiktoken_encoder(model_name="nope")
    with pytest.raises(OptionError, match=r"got 'words' too. Leave it out"):
        CantleTextSplitter.from_tiktoken_encoder(length_function="words")
    with pytest.raises(OptionError, match=r"an object with encode\(\), got 3"):
        CantleTextSplitter.from_huggingface_tokenizer(3)


def word_level() -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    words = sorted(set(PROSE.replace(".", " . ").replace(",", " , ").split()))
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "[CLS]", *words])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", vocabulary["[CLS]"])]
    )
    return tokenizer


def test_from_huggingface_tokenizer() -> None:
    splitter = CantleTextSplitter.from_huggingface_tokenizer(word_level(), max_size=6, overlap=0)
    found = splitter.split_text(PROSE)
    assert len(found) > 2
    assert all(len(word_level().encode(text, add_special_tokens=False).ids) <= 6 for text in found)
    assert "First sentence. Second one" in found[0]  # six words and full stops, the token in front not counted


def test_from_huggingface_tokenizer_of_transformers() -> None:
    transformers = pytest.importorskip("transformers")
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=word_level(), unk_token="[UNK]", cls_token="[CLS]")
    expected = CantleTextSplitter.from_huggingface_tokenizer(word_level(), max_size=6, overlap=0).split_text(PROSE)
    assert CantleTextSplitter.from_huggingface_tokenizer(fast, max_size=6, overlap=0).split_text(PROSE) == expected
