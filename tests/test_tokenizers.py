"""Encodings: the facts are OpenAI's, and every tokenizer behind them gives tiktoken's ids in bounded time."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle.errors import OptionError, UnknownLengthError
from cantle.lengths import resolve
from cantle.testing import hostile_documents
from cantle.tokenizers import ENCODINGS, MODELS, backends, encoding
from cantle.tokenizers import encoding as encoding_function
from cantle.tokenizers.encoding import BLOCK, SAFE, Encoding, blocks
from cantle.tokenizers.vocabulary import character_lengths, ranks, unpacked

PUBLISHED = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "p50k_base": "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "r50k_base": "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
}
"""SHA-256 of the vocabulary files, as tiktoken's sources give them."""

DOORS = {"toktok": "Toktok", "fastokens": "Fastokens", "tiktoken": "Tiktoken"}
INSTALLED = [name for name in DOORS if find_spec(name)]
VOCABULARIES = ("cl100k_base", "o200k_base", "p50k_base", "r50k_base")

HOSTILE = [
    *(document.text for document in hostile_documents()),
    "don't I'LL we'vE it's \u017f's 'S 'ſ",
    "a  b   c\td\n e\n\n  f \u3000g\u00a0\u00a0h",
    "http://a.b/c//d\n/e///\r\n/\n/",
    "1234567890 ½²Ⅳ १२३ ٣٤",
    "ABCdefGHI ǅungla ʰʰ ÀÉ e\u0301E\u0301",
    "<|endoftext|><|fim_prefix|><|endofprompt|><|start|>",
    "\u180e\u200b\u2028\u0085\x1c\x1f",
    "한국어 日本語、テスト。ไทย עברית",
]

ALPHABET = [
    *" \n\r\t/.,'sStTdDmMlLvVrReE019½ⅣaZ_-!?<|>",
    *"é漢한ก\u0301\u200d\u00a0\u3000\u0085\x1c\ufeff\ufffd😀👩ǅʰſ",
    "'ll",
    "://",
    "  ",
    "\n\n",
    "\r\n",
    "word",
    "<|endoftext|>",
]
texts = st.one_of(st.lists(st.sampled_from(ALPHABET), max_size=60).map("".join), st.text(max_size=40))


def door(backend: str, name: str) -> Any:
    return getattr(import_module(f"cantle.tokenizers.{backend}"), DOORS[backend])


def supported(backend: str, name: str) -> bool:
    return bool(door(backend, name).supports(ENCODINGS[name]))


PAIRS = [(backend, name) for backend in INSTALLED for name in VOCABULARIES if supported(backend, name)]


@pytest.fixture(scope="module")
def made() -> Any:
    """Tokenizers and encodings by (backend, name), each made once."""
    known: dict[tuple[str, str], Any] = {}

    def get(backend: str, name: str) -> Encoding:
        if (backend, name) not in known:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("CANTLE_TOKENIZER", backend)
                known[backend, name] = Encoding(ENCODINGS[name])
        found: Encoding = known[backend, name]
        assert found.backend == backend
        return found

    return get


@pytest.fixture(scope="module")
def reference() -> Any:
    """tiktoken itself, made from its own facts and the vocabularies in the package."""
    import tiktoken
    from tiktoken_ext import openai_public

    known: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in known:
            vocabulary = ranks(ENCODINGS[name])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: vocabulary)
                known[name] = tiktoken.Encoding(**getattr(openai_public, name)())
        return known[name]

    return get


@pytest.fixture(autouse=True)
def no_downloads(monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken.load

    def refuse(*_: Any, **__: Any) -> bytes:
        raise AssertionError("tiktoken's downloader was reached")

    monkeypatch.setattr(tiktoken.load, "read_file", refuse)
    monkeypatch.setattr(tiktoken.load, "read_file_cached", refuse)


# --- facts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VOCABULARIES)
def test_vocabularies_are_those_published(name: str) -> None:
    assert hashlib.sha256(unpacked(name)).hexdigest() == PUBLISHED[name]


@pytest.mark.parametrize("name", ENCODINGS)
def test_facts_are_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tiktoken_ext import openai_public

    asked: list[tuple[str, str]] = []

    def load(url: str, expected_hash: str) -> dict[bytes, int]:
        asked.append((url.rpartition("/")[2], expected_hash))
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", load)
    # gpt2 is read from the files of its first release, which hold the ranks of r50k_base.
    monkeypatch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda **_: {})
    facts, theirs = ENCODINGS[name], openai_public.ENCODING_CONSTRUCTORS[name]()
    assert facts.name == theirs["name"] == name
    assert facts.pattern == theirs["pat_str"]
    assert facts.special_tokens == theirs["special_tokens"]
    if name != "gpt2":
        assert asked == [(f"{facts.vocabulary}.tiktoken", PUBLISHED[facts.vocabulary])]
    if "explicit_n_vocab" in theirs:
        assert len(ranks(facts)) + len(facts.special_tokens) == theirs["explicit_n_vocab"]


def test_no_encoding_of_tiktoken_is_missing() -> None:
    from tiktoken_ext import openai_public

    assert set(openai_public.ENCODING_CONSTRUCTORS) == set(ENCODINGS)


def test_models_are_those_of_tiktoken() -> None:
    """Where tiktoken knows a model, the encoding is the same but for two that Mastra's list has otherwise."""
    from tiktoken.model import encoding_name_for_model

    others = {}
    for model, name in MODELS.items():
        assert name in ENCODINGS
        theirs = encoding_name_for_model(model)
        if theirs != name:
            others[model] = (name, theirs)
    assert others == {
        "davinci-002": ("p50k_base", "cl100k_base"),
        "babbage-002": ("r50k_base", "cl100k_base"),
    }


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_character_lengths_count_first_bytes(vocabulary: str) -> None:
    lengths = character_lengths(vocabulary)
    for token, rank in list(ranks(ENCODINGS[vocabulary]).items())[::37]:
        assert lengths[rank] == sum(byte & 0xC0 != 0x80 for byte in token)


def test_encodings_are_made_once_and_by_model_name() -> None:
    assert encoding("gpt-4o") is encoding("o200k_base")
    assert encoding("gpt-4") is encoding("cl100k_base")
    assert encoding("gpt-oss-20b") is encoding("o200k_harmony")
    assert encoding("gpt-oss-20b").special_tokens["<|call|>"] == 200012


def test_unknown_encodings_name_the_nearest() -> None:
    with pytest.raises(UnknownLengthError, match="Did you mean 'cl100k_base'"):
        encoding("cl100k_bas")


def test_an_encoding_pickles_as_its_name() -> None:
    for name in ENCODINGS:
        sent = pickle.dumps(encoding(name))
        assert len(sent) < 200
        assert pickle.loads(sent) is encoding(name)


# --- tiktoken's ids ------------------------------------------------------------------------------


@pytest.mark.parametrize(("backend", "name"), PAIRS)
def test_ids_of_hostile_texts(backend: str, name: str, made: Any, reference: Any) -> None:
    ours, theirs = made(backend, name), reference(name)
    for text in HOSTILE:
        ids = theirs.encode_ordinary(replaced(text))
        assert ours.ids(text).tolist() == ids, text
        assert ours.count(text) == len(ids), text


@pytest.mark.parametrize(("backend", "name"), PAIRS)
def test_ids_of_any_text(backend: str, name: str, made: Any, reference: Any) -> None:
    ours, theirs = made(backend, name), reference(name)

    @settings(max_examples=80, deadline=None, derandomize=True, database=None)
    @given(texts)
    def same(text: str) -> None:
        ids = theirs.encode_ordinary(text)
        assert ours.ids(text).tolist() == ids
        assert ours.count(text) == len(ids)

    same()


@pytest.mark.parametrize("name", VOCABULARIES)
def test_characters_of_a_text_are_those_of_its_tokens(name: str) -> None:
    ours = encoding(name)
    for text in HOSTILE:
        assert int(ours.character_lengths[ours.ids(text)].sum()) == len(text)


@pytest.mark.parametrize("name", ["gpt2", "p50k_edit", "o200k_harmony"])
def test_encodings_that_share_a_vocabulary(name: str) -> None:
    twin = encoding(ENCODINGS[name].vocabulary)
    for text in HOSTILE:
        assert encoding(name).ids(text).tolist() == twin.ids(text).tolist()


def replaced(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


@pytest.mark.parametrize(("backend", "name"), PAIRS)
@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b", "\ud83d\ude00", "\ud83d\udc4d!\ude00\ud83d", "\ud800" * 9])
def test_surrogates_count_as_replacement_characters(backend: str, name: str, text: str, made: Any) -> None:
    """One for one, in pairs too: else counts would depend on the tokenizer, and positions be lost."""
    ours = made(backend, name)
    assert ours.count(text) == ours.count(replaced(text))
    assert ours.ids(text).tolist() == ours.ids(replaced(text)).tolist()


# --- any size, in bounded time -------------------------------------------------------------------

MEGABYTE = 1_000_000
RUNS = {
    "spaces": " " * MEGABYTE,
    "one word": "abcdefghij" * (MEGABYTE // 10),
    "one letter": "a" * MEGABYTE,
    "hashes": "#" * MEGABYTE,
    "emoji": "😀" * (MEGABYTE // 4),
    "newlines": "\n" * MEGABYTE,
    "digits": "7" * MEGABYTE,
    "dense, then a long word": ("a " * 30_000 + "x" * 70_000) * 4,
}


COUNTS: dict[tuple[str, str], dict[str, int]] = {}


@pytest.mark.parametrize("backend", INSTALLED)
@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_megabytes_are_counted_in_bounded_time(backend: str, name: str, made: Any) -> None:
    ours = made(backend, name)
    for kind, text in RUNS.items():
        started = time.process_time()
        counted = COUNTS.setdefault((name, kind), {})
        counted[backend] = ours.count(text)
        assert time.process_time() - started < 5, kind
        assert 0 < counted[backend] <= len(text.encode())
        assert len(set(counted.values())) == 1, (kind, counted)  # the same as the tokenizers before


@pytest.mark.parametrize(("backend", "name"), PAIRS)
def test_blocks_do_not_change_the_ids(backend: str, name: str, made: Any, reference: Any) -> None:
    """A text of several blocks that has places to cut at gives the ids of the whole."""
    text = ("The quick brown fox's 12 jumps (over) http://a.b/c.\n\n  Não é 漢字、 😀 \r\n" * 4000)[:200_000]
    assert made(backend, name).ids(text).tolist() == reference(name).encode_ordinary(text)


@pytest.mark.parametrize("text", [*RUNS.values(), "ab " * BLOCK, "x" * BLOCK + " y", "", "x " + "y" * (2 * BLOCK)])
def test_blocks_partition_the_text(text: str) -> None:
    found = blocks(text)
    assert [start for start, _, _ in found] == [0, *(end for _, end, _ in found[:-1])]
    assert found[-1][1] == len(text)
    assert all(end - start <= BLOCK for start, end, _ in found)
    assert all(hard or SAFE.match(text, end - 1) for _, end, hard in found[:-1])


def test_blocks_are_few() -> None:
    """Dense places before a long word: the last of them is taken, not the first again and again."""
    text = RUNS["dense, then a long word"]
    assert len(blocks(text)) < 3 * len(text) / BLOCK + 2


# --- which tokenizer -----------------------------------------------------------------------------


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("backend", INSTALLED)
def test_the_environment_forces_a_tokenizer(backend: str) -> None:
    code = "from cantle.tokenizers import encoding as e; x = e('cl100k_base'); print(x.backend, x.count('hello world'))"
    assert run(code, CANTLE_TOKENIZER=backend) == f"{backend} 2"


def test_forced_where_it_lacks_the_encoding_tiktoken_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    for backend in INSTALLED:
        monkeypatch.setenv("CANTLE_TOKENIZER", backend)
        assert Encoding(ENCODINGS["p50k_base"]).backend == "tiktoken"


def test_an_unknown_tokenizer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_TOKENIZER", "tiktok")
    with pytest.raises(OptionError, match="CANTLE_TOKENIZER must be one of toktok, fastokens, tiktoken, got 'tiktok'"):
        Encoding(ENCODINGS["cl100k_base"])


def test_the_fastest_that_is_there_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANTLE_TOKENIZER", raising=False)
    assert Encoding(ENCODINGS["cl100k_base"]).backend == INSTALLED[0]
    wanted = next(name for name in INSTALLED if supported(name, "r50k_base"))
    assert Encoding(ENCODINGS["r50k_base"]).backend == wanted


def without(patch: pytest.MonkeyPatch, *packages: str) -> None:
    for package in packages:
        patch.setitem(sys.modules, package, None)  # importing it raises ImportError


def test_a_missing_tokenizer_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CANTLE_TOKENIZER", raising=False)
    for missing in (("toktok",), ("fastokens",), ("toktok", "fastokens")):
        with pytest.MonkeyPatch.context() as patch:
            without(patch, *missing)
            left = [name for name in INSTALLED if name not in missing]
            found = Encoding(ENCODINGS["cl100k_base"])
            assert found.backend == left[0]
            assert found.count("hello world") == 2
            state = backends()
            assert all("Error" in state[name] for name in missing)
            assert state["tiktoken"] == ""


@pytest.mark.parametrize("broken", ["count", "encode", "raises"])
def test_a_tokenizer_that_counts_otherwise_is_passed_over(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name = "toktok"
        quick = 0
        any_size = True

        def __init__(self, facts: Any) -> None:
            if broken == "raises":
                raise AttributeError("a private name has gone")

        @staticmethod
        def supports(facts: Any) -> bool:
            return True

        def count(self, text: str) -> int:
            return 3 if broken == "count" else 2

        def encode(self, text: str) -> list[int]:
            return [1] if broken == "encode" else [1, 2]

    monkeypatch.delenv("CANTLE_TOKENIZER", raising=False)
    monkeypatch.setattr(import_module("cantle.tokenizers.toktok"), "Toktok", Broken)
    found = Encoding(ENCODINGS["cl100k_base"])
    assert found.backend == next(name for name in INSTALLED if name != "toktok")
    assert found.ids("hello world").tolist() == [15339, 1917]
    assert backends()["toktok"]


def test_without_tiktoken_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_TOKENIZER", "tiktoken")
    without(monkeypatch, "tiktoken")
    with pytest.raises(ImportError, match="tiktoken"):
        Encoding(ENCODINGS["cl100k_base"])


def test_chunks_are_the_same_whatever_the_tokenizer() -> None:
    code = (
        "from cantle import MDocument\n"
        "from cantle.testing import hostile_documents\n"
        "for d in hostile_documents():\n"
        "    for s, o in (('token', {}), ('recursive', {'length_function': 'cl100k_base'})):\n"
        "        print(d.chunk(s, max_size=7, overlap=2, **o).spans)\n"
    )
    answers = {backend: run(code, CANTLE_TOKENIZER=backend) for backend in INSTALLED}
    assert len(set(answers.values())) == 1
    assert len(answers["tiktoken"]) > 1000


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """`no_downloads` patches tiktoken's reader for the whole module; a cold start passes it too."""
    monkeypatch.setenv("CANTLE_TOKENIZER", "tiktoken")
    for facts in ENCODINGS.values():
        if facts.vocabulary == "r50k_base":
            assert Encoding(facts).count("hello world") == 2
    assert resolve("gpt-4o") is resolve("gpt-4o")
    assert encoding_function("cl100k_base").count("") == 0


def test_a_forced_tokenizer_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANTLE_TOKENIZER", "fastokens")
    monkeypatch.setitem(sys.modules, "fastokens", None)
    with pytest.raises(OptionError, match="asks for fastokens, which cannot be used"):
        Encoding(ENCODINGS["cl100k_base"])
