"""The strategies `recursive`, `character` and `token`: options, defaults, errors, and what each is for."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import MDocument, registry
from cantle.chunk import Cut
from cantle.errors import CantleError, DocumentError, OptionError, UnknownLengthError, UnusedOptionWarning
from cantle.lengths import resolve
from cantle.lengths.tokens import TokenMeasure
from cantle.separators import DEFAULT, LANGUAGES
from cantle.strategies.character import Character
from cantle.strategies.recursive import Recursive
from cantle.strategies.token import Token
from cantle.strategy import config
from cantle.testing import check_document, hostile_documents, texts
from cantle.tokenizers import ENCODINGS, MODELS

CLASSES: dict[str, Any] = {"recursive": Recursive, "character": Character, "token": Token}
NAMES = list(CLASSES)

SHARED = {
    "max_size": 4000,
    "overlap": None,
    "length_function": "characters",
    "strip_whitespace": True,
    "separator_position": None,
    "add_start_index": False,
    "explain": False,
}
OWN: dict[str, dict[str, Any]] = {
    "recursive": {"separators": DEFAULT, "is_separator_regex": False, "language": None},
    "character": {"separator": "\n\n", "separators": None, "is_separator_regex": False},
    "token": {
        "encoding_name": "cl100k_base",
        "model_name": None,
        "allowed_special": None,
        "disallowed_special": None,
    },
}
TEXT = (
    "The tide tables were printed in March. Nobody in the harbour office read them.\n\n"
    "O relatório não foi lido; as marés são previsíveis.\nA second line, rather longer than the first one.\n\n"
    "潮汐表三月印好了。港口没人看！👩\u200d👩\u200d👧 e\u0301 🇧🇷\n"
)


def cut(strategy: str, text: str = TEXT, **options: Any) -> list[str]:
    return MDocument(text).chunk(strategy, **options).texts


# --- options and their defaults ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_options_and_defaults(name: str) -> None:
    made = CLASSES[name]()
    assert {f.name: getattr(made, f.name) for f in dataclasses.fields(made)} == {**SHARED, **OWN[name]}
    assert made.name == name
    assert registry().strategies()[name] is CLASSES[name]


@pytest.mark.parametrize("name", NAMES)
def test_strategies_are_frozen(name: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        CLASSES[name]().max_size = 3


@pytest.mark.parametrize(
    ("size", "repeat"), [(4000, 50), (101, 50), (100, 50), (99, 49), (7, 3), (1, 0), (0.5, 0), (7.5, 3), ((3, 20), 10)]
)
@pytest.mark.parametrize("name", NAMES)
def test_the_default_overlap_is_half_of_a_small_size(name: str, size: Any, repeat: float) -> None:
    assert CLASSES[name](max_size=size).repeat == repeat
    check_document(name, TEXT, max_size=size)


@pytest.mark.parametrize("name", NAMES)
def test_name_class_and_instance_give_the_same(name: str) -> None:
    document = MDocument.from_text(TEXT, metadata={"a": 1}, source="s")
    options: dict[str, Any] = {"max_size": 30, "overlap": 7}
    by_name = document.chunk(name, **options)
    assert len(by_name) > 2
    assert document.chunk(CLASSES[name], **options) == by_name
    assert document.chunk(CLASSES[name](**options)) == by_name
    assert document.chunk(CLASSES[name](max_size=9, overlap=7), max_size=30) == by_name
    assert document.chunk(CLASSES[name](**options)).config_hash == by_name.config_hash


@pytest.mark.parametrize("name", NAMES)
def test_an_instance_serves_many_documents_and_threads(name: str) -> None:
    strategy = CLASSES[name](max_size=12, overlap=4)
    documents = [*hostile_documents()] * 2
    alone = [MDocument(d.text).chunk(name, max_size=12, overlap=4).spans for d in documents]
    assert [d.chunk(strategy).spans for d in documents] == alone
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda d: d.chunk(strategy).spans, documents)) == alone


@pytest.mark.parametrize("name", NAMES)
def test_strategies_pickle(name: str) -> None:
    extra = {"language": "python"} if name == "recursive" else {}
    strategy = CLASSES[name](max_size=(3, 12), overlap=4, **extra)
    before = MDocument(TEXT).chunk(strategy)
    again = pickle.loads(pickle.dumps(strategy))
    assert again == strategy
    assert MDocument(TEXT).chunk(again) == before


def test_functions_that_have_no_name_do_not_pickle() -> None:
    assert pickle.loads(pickle.dumps(Recursive(length_function=len))).length_function is len
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(Recursive(length_function=lambda text: len(text)))


# --- errors --------------------------------------------------------------------------------------

WRONG_SHARED: list[tuple[dict[str, Any], str]] = [
    ({"max_size": 0}, "max_size must be a number greater than 0, got 0."),
    ({"max_size": -3}, "max_size must be a number greater than 0, got -3."),
    ({"max_size": "100"}, "max_size must be a number greater than 0, got '100'."),
    ({"max_size": None}, "max_size must be a number greater than 0, got None."),
    ({"max_size": True}, "max_size must be a number greater than 0, got True."),
    ({"max_size": float("nan")}, "got nan."),
    ({"max_size": float("inf")}, "finite, got inf."),
    ({"max_size": (1, float("inf"))}, "finite, got inf."),
    ({"max_size": (5, 3)}, "max_size must be (min, max) with min at most max, got (5, 3). Swap the two."),
    ({"max_size": (0, 3)}, "max_size[0] must be a number greater than 0, got 0."),
    ({"max_size": (1, 2, 3)}, "max_size must be a number or a pair (min, max), got (1, 2, 3)."),
    ({"max_size": [5]}, "max_size must be a number or a pair (min, max), got (5,)."),
    ({"max_size": {}}, "max_size must be a number greater than 0, got {}."),
    ({"overlap": -1}, "overlap must be a number of at least 0, got -1."),
    ({"overlap": "1"}, "overlap must be a number of at least 0, got '1'."),
    ({"overlap": False}, "overlap must be a number of at least 0, got False."),
    ({"overlap": float("nan")}, "got nan."),
    ({"overlap": float("inf")}, "got inf."),
    ({"max_size": 10, "overlap": 10}, "overlap must be smaller than max_size (10), got 10. Lower overlap, or raise"),
    ({"max_size": 10, "overlap": 11}, "overlap=0 turns it off"),
    ({"max_size": (2, 10), "overlap": 10}, "overlap must be smaller than max_size (10), got 10."),
    ({"strip_whitespace": 1}, "strip_whitespace must be True or False, got 1."),
    ({"add_start_index": "yes"}, "add_start_index must be True or False, got 'yes'."),
    ({"explain": None}, "explain must be True or False, got None."),
    ({"separator_position": "middle"}, "separator_position must be one of None, 'start', 'end', got 'middle'."),
    ({"separator_position": []}, "separator_position must be one of None, 'start', 'end', got []."),
    ({"length_function": 3}, "length_function must be a name, a function"),
    ({"length_function": None}, "length_function must be a name, a function"),
]
WRONG_OWN: list[tuple[str, dict[str, Any], str]] = [
    (
        "recursive",
        {"separators": "\n"},
        r"separators must be a list of strings, got '\n'. For a single one write ['\n']",
    ),
    ("recursive", {"separators": None}, "separators must be a list of strings, got None."),
    ("recursive", {"separators": ["a", 1]}, "separators[1] must be a string, got 1."),
    ("recursive", {"is_separator_regex": "yes"}, "is_separator_regex must be True or False, got 'yes'."),
    ("recursive", {"separators": ["("], "is_separator_regex": True}, "separator '(' is not a regular expression"),
    ("recursive", {"language": 3}, "language must be a string or None, got 3."),
    ("recursive", {"language": "pyton"}, "language 'pyton' is not supported. Choose from " + ", ".join(LANGUAGES)),
    ("character", {"separator": None}, "separator must be a string, got None."),
    ("character", {"separator": ["a"]}, "separator must be a string, got ['a']."),
    ("character", {"separators": "ab"}, "separators must be a list of strings, got 'ab'."),
    (
        "character",
        {"separator": ";", "separators": ["a"]},
        "separator (';') and separators (['a']) cannot both be given",
    ),
    ("character", {"separator": "[", "is_separator_regex": True}, "separator '[' is not a regular expression"),
    ("character", {"separators": ["a", "["], "is_separator_regex": True}, "separator '[' is not a regular expression"),
    ("token", {"encoding_name": "cl100k"}, "encoding_name must be one of " + ", ".join(ENCODINGS) + ", got 'cl100k'."),
    ("token", {"encoding_name": None}, "encoding_name must be a string, got None."),
    ("token", {"model_name": "gpt-9"}, "model_name 'gpt-9' is not known. Known models: " + ", ".join(MODELS)),
    ("token", {"model_name": 4}, "model_name must be a string or None, got 4."),
    ("token", {"allowed_special": "some"}, "allowed_special must be a set of special tokens or 'all', got 'some'."),
    ("token", {"allowed_special": 1}, "allowed_special must be a set of special tokens or 'all', got 1."),
    ("token", {"disallowed_special": {1}}, "disallowed_special[0] must be a string, got 1."),
    ("token", {"disallowed_special": [""]}, "disallowed_special must hold special tokens, got an empty string"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_SHARED, ids=lambda v: str(v)[:40])
@pytest.mark.parametrize("name", NAMES)
def test_wrong_shared_options(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        CLASSES[name](**options)
    assert message in str(caught.value)


@pytest.mark.parametrize(("name", "options", "message"), WRONG_OWN, ids=lambda v: str(v)[:40])
def test_wrong_options_of_their_own(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        MDocument("x").chunk(name, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_answered_with_the_nearest_and_all(name: str) -> None:
    with pytest.raises(OptionError) as caught:
        MDocument("x").chunk(name, maxsize=3, overlapp=1)
    message = str(caught.value)
    assert f"Strategy {name!r} has no options 'maxsize', 'overlapp'. Did you mean 'max_size', 'overlap'?" in message
    assert all(option in message for option in (*SHARED, *OWN[name]))


@pytest.mark.parametrize(
    ("strategy", "wrong", "meant"),
    [
        ("recursive", "chunk_size", "max_size"),
        ("structural-context", "chunkSize", "max_size"),
        ("structural-context", "size", "max_size"),
        ("structural-context", "maxSize", "max_size"),
        ("recursive", "chunk_overlap", "overlap"),
        ("recursive", "split_length", "max_size"),
        ("recursive", "split_overlap", "overlap"),
        ("sentence", "split_by", "length_function"),
        ("recursive", "unit", "length_function"),
        ("recursive", "encoding_name", "length_function"),
        ("recursive", "tokenizer", "length_function"),
        ("structural-context", "min_size", "min_chunk_size"),
        ("sentence", "minChunkSize", "min_size"),
        ("markdown", "headers_to_split_on", "headers"),
        ("recursive", "keep_separator", "separator_position"),
    ],
)
def test_the_words_of_other_libraries_are_understood(strategy: str, wrong: str, meant: str) -> None:
    with pytest.raises(OptionError, match=f"has no option '{wrong}'. Did you mean '{meant}'\\? It takes: "):
        MDocument("x").chunk(strategy, **{wrong: 300})


def test_the_words_of_other_libraries_name_options_there_are() -> None:
    with pytest.raises(OptionError, match=r"has no option 'headers_to_split_on'\. It takes: "):
        MDocument("x").chunk("token", headers_to_split_on=[])


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_length_function(name: str) -> None:
    with pytest.raises(UnknownLengthError, match=r"named 'cl100k'\. Did you mean 'cl100k_base'"):
        CLASSES[name](length_function="cl100k")


@pytest.mark.parametrize("options", [{"length_function": "words"}, {"separator_position": "end"}], ids=str)
def test_options_without_effect_warn(options: dict[str, Any]) -> None:
    with pytest.warns(UnusedOptionWarning, match=next(iter(options))) as caught:
        found = cut("token", max_size=9, **options)
    assert len(caught) == 1
    assert found == cut("token", max_size=9)


def test_the_defaults_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in NAMES:
            cut(name)


# --- any options ---------------------------------------------------------------------------------

LENGTHS = ["characters", "characters", "utf16", "bytes", "words", "cl100k_base", "o200k_base", len]
LITERALS = [["\n\n", "\n", " ", ""], ["\n", " "], ["; ", ";", ""], ["\r\n", ""], [";;", "", "b"], ["👩"], ["\u0301"]]
LITERALS += [["\r"], ["\n"], [], ["e"], ["\n\n\n", "\n\n", ""], [" \n"], ["aba", "a"], ["\r\n\r\n", "\n\n"]]
PATTERNS = [[r"\s+", ""], [r"(?=b)", ""], [r";|,"], [r"\b"], [r"(a)|(b)?"], [r"\s"], [r"\w+"], ["\u200d?"], [r"$", "a"]]
NASTY = [
    *" \n\n\r\tab.é\u0301漢👩🇦🇧\r\u0600c\ud83d\ude00\x1c\x85\ufeff\u200d;;,…क्ष한",
    "\r\n",
    "word ",
    "👩\u200d👩",
    "aba",
]


@st.composite
def some_options(draw: Any, name: str) -> dict[str, Any]:
    size = draw(st.sampled_from([1, 2, 3, 5, 8, 13, 20, 2.5, (2, 9)]))
    most = size[1] if isinstance(size, tuple) else size
    share = draw(st.sampled_from([0, 0, 0.25, 0.5, 0.99]))
    options: dict[str, Any] = {"max_size": size, "overlap": int(most * share)}
    options["strip_whitespace"] = draw(st.booleans())
    options["explain"] = draw(st.booleans())
    if name == "token":
        options["encoding_name"] = draw(st.sampled_from(["cl100k_base", "o200k_base", "r50k_base", "p50k_edit"]))
        return options
    options["length_function"] = draw(st.sampled_from(LENGTHS))
    options["separator_position"] = draw(st.sampled_from([None, "start", "end"]))
    kinds = ["none", "literal", "pattern", *(["language"] if name == "recursive" else [])]
    kind = draw(st.sampled_from(kinds))
    if kind == "literal":
        options["separators"] = draw(st.sampled_from(LITERALS))
    elif kind == "pattern":
        options["separators"], options["is_separator_regex"] = draw(st.sampled_from(PATTERNS)), True
    elif kind == "language":
        options["language"] = draw(st.sampled_from(["python", "markdown", "html", "latex"]))
    return options


@pytest.mark.parametrize("name", NAMES)
def test_any_options_keep_the_contract(name: str) -> None:
    nasty = st.lists(st.sampled_from(NASTY), max_size=40).map("".join)

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(st.one_of(nasty, nasty, texts()), some_options(name))
    def kept(text: str, options: dict[str, Any]) -> None:
        check_document(name, text, points=[1, 2, 3, 4, 5, 6, 9], **options)

    kept()


@pytest.mark.parametrize("name", NAMES)
def test_start_index(name: str) -> None:
    document = MDocument.from_text(TEXT * 3, metadata={"lang": "pt", "start_index": "mine"})
    chunks = document.chunk(name, max_size=25, overlap=9, add_start_index=True)
    assert [c.metadata for c in chunks] == [{"lang": "pt", "start_index": c.start} for c in chunks]
    assert document.metadata["start_index"] == "mine"
    assert "start_index" not in MDocument(TEXT).chunk(name)[0].metadata


# --- recursive -----------------------------------------------------------------------------------


def test_recursive_cuts_at_the_strongest_separator_that_helps() -> None:
    assert cut("recursive", "aa bb\ncc\n\ndd ee", max_size=9, overlap=0) == ["aa bb\ncc", "dd ee"]
    assert cut("recursive", "aa bb\ncc\n\ndd ee", max_size=5, overlap=0) == ["aa bb", "cc", "dd ee"]
    assert cut("recursive", "aa bb\ncc\n\ndd ee", max_size=4, overlap=0) == ["aa", "bb", "cc", "dd", "ee"]
    assert cut("recursive", "abcdef gh", max_size=4, overlap=0) == ["abcd", "ef", "gh"]


def test_recursive_repeats_whole_words() -> None:
    assert cut("recursive", "one two three four five", max_size=13, overlap=6) == [
        "one two three",
        "three four",
        "four five",
    ]


def test_recursive_keeps_separators_where_told() -> None:
    assert cut("recursive", "a.b.c", separators=["."], max_size=2, overlap=0, separator_position="end") == [
        "a.",
        "b.",
        "c",
    ]
    assert cut("recursive", "a.b.c", separators=["."], max_size=2, overlap=0, separator_position="start") == [
        "a",
        ".b",
        ".c",
    ]
    chunks = MDocument("a.b.c").chunk("recursive", separators=["."], max_size=1, overlap=0)
    assert chunks.texts == ["a", "b", "c"]
    assert list(chunks.dropped) == [(1, 2, "separator"), (3, 4, "separator")]


def test_recursive_without_separators_cuts_between_clusters() -> None:
    assert cut("recursive", "ab e\u0301c", separators=[], max_size=2, overlap=0) == ["ab", "e\u0301", "c"]
    assert cut("recursive", "abcdef", separators=["\n"], max_size=4, overlap=0) == ["abcd", "ef"]


def test_there_are_26_languages() -> None:
    assert len(LANGUAGES) == 26
    for own in LANGUAGES.values():
        assert own[-4:] == DEFAULT


SOURCES = {
    "cpp": "int a;\nclass A {\n};\nvoid f() {\n}",
    "go": 'package main\nimport "x"\nfunc f() {\n}',
    "java": "package a;\nimport b;\nclass C {\n}",
    "kotlin": "package a\nfun f() {\n}\nval x = 1",
    "js": "let a = 1\nfunction f() {\n}\nconst b = 2",
    "ts": "let a = 1\ninterface B {\n}\ntype C = D",
    "php": "<?php\nuse A;\nfunction f() {\n}",
    "proto": 'x\nsyntax = "proto3";\nmessage M {\n}',
    "python": "import a\nclass A:\n\tpass\ndef f():\n    pass",
    "rst": "Title\n=====\ntext\n.. note:: x",
    "ruby": "x = 1\nclass A\nend\ndef f\nend",
    "rust": "x;\nuse a;\nfn f() {\n}",
    "scala": "package a\nimport b\nclass C {\n}",
    "swift": "import A\nclass B {\n}\nfunc f() {\n}",
    "markdown": "intro\n# One\ntext\n## Two\nmore",
    "latex": "\\section{One}text\\subsection{Two}more \\begin{a}x\\end{a}",
    "html": "<body><div>one</div><p>two<li>three",
    "sol": "x\npragma solidity;\ncontract C {\n}",
    "csharp": "x\nnamespace A {\nusing B;\nclass C {\n}",
    "cobol": "x\nIDENTIFICATION DIVISION.\nDATA DIVISION.\nPERFORM A.",
    "c": "int a;\nvoid f() {\n}\nint g;",
    "lua": "x = 1\nfunction f()\nend\nlocal function g()\nend",
    "perl": "x\nsub f {\n}\nmy $a;",
    "haskell": "x\nmodule A where\nimport B\ndata C = D",
    "elixir": "x\ndefmodule A do\ndef f do\nend",
    "powershell": "x\nfunction F {\n}\nif ($a) {\n}",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_cuts_its_source_before_its_words(language: str) -> None:
    text = SOURCES[language]
    chunks = MDocument(text).chunk("recursive", language=language, max_size=14, overlap=0, explain=True)
    assert len(chunks) > 1
    own = set(LANGUAGES[language]) - set(DEFAULT)
    assert any(c.cut and c.cut.detail in own for c in chunks)
    assert "".join("".join(chunks.texts).split()) == "".join(text.split())
    check_document("recursive", text, language=language, max_size=12, overlap=4)


def test_no_language_is_the_same_as_an_empty_one() -> None:
    assert cut("recursive", language="", max_size=20) == cut("recursive", max_size=20)


def test_keywords_begin_the_next_chunk() -> None:
    text = "x = 1\ndef f():\n    pass"
    assert cut("recursive", text, language="python", max_size=18, overlap=0) == ["x = 1", "def f():\n    pass"]
    assert cut("recursive", text, language="python", max_size=18, overlap=0, separator_position="end") == [
        "x = 1\ndef",
        "f():\n    pass",
    ]


# --- character -----------------------------------------------------------------------------------


def test_character_joins_nothing() -> None:
    assert cut("character", "a\n\nb\n\n\n\nc") == ["a", "b", "c"]
    assert cut("character", "a,b", separator=",", max_size=99) == ["a", "b"]


def test_character_windows_overlap_inside_a_long_piece_only() -> None:
    assert cut("character", "abcdef;gh", separator=";", max_size=4, overlap=2) == ["abcd", "cdef", "gh"]


def test_character_with_the_empty_separator() -> None:
    assert cut("character", "ae\u0301 😀", separator="") == ["a", "e\u0301", "😀"]


def test_character_with_several_separators() -> None:
    assert cut("character", "aa bb;cc", separators=[";", " "], max_size=4, overlap=0) == ["aa", "bb", "cc"]
    assert cut("character", "aa bb;cc", separators=[";", " "], max_size=5, overlap=0) == ["aa bb", "cc"]


def test_character_explains_its_cuts() -> None:
    chunks = MDocument("abcdef;gh").chunk("character", separator=";", max_size=4, overlap=0, explain=True)
    assert [c.cut for c in chunks] == [Cut("window", 0), Cut("separator", 0, ";"), Cut("end", 0)]


@pytest.mark.parametrize(
    "options", [{"separators": [r"\s*;\s*", " "], "is_separator_regex": True}, {"separators": [";", " "]}]
)
def test_character_lists_the_places_to_cut_once(options: dict[str, Any]) -> None:
    """Long pieces one after another: the rest of the text is not searched again after each."""
    from cantle.packing import levels

    searched = 0
    original = levels.Pattern._matches

    def counted(self: Any, text: str, start: int, end: int, strip: bool) -> Any:
        nonlocal searched
        searched += end - start
        return original(self, text, start, end, strip)

    text = "word word word;" * 500
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levels.Pattern, "_matches", counted)
        assert len(MDocument(text).chunk("character", max_size=5, overlap=0, **options)) == 1500
    assert searched <= 3 * len(text)


# --- token ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base", "r50k_base"])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize(
    "text", ["😀👩\u200d👩\u200d👧🇧🇷👋🏽", "潮汐表三月印好了。", "e\u0301a\u0323\u0302 ก็ี क्षि", "\u0600\u0600a"]
)
def test_tiny_windows(text: str, size: int, encoding: str) -> None:
    for overlap in range(size):
        options = {"encoding_name": encoding, "max_size": size, "overlap": overlap}
        check_document("token", text, **options)
        assert "\ufffd" not in "".join(cut("token", text, **options))
        assert "".join(cut("token", text, **{**options, "overlap": 0}, strip_whitespace=False)) == text


def test_windows_of_tokens() -> None:
    assert cut("token", "one two three four five", max_size=2, overlap=1) == [
        "one two",
        "two three",
        "three four",
        "four five",
    ]
    assert cut("token", "one two three", max_size=2, overlap=0, strip_whitespace=False) == ["one two", " three"]


def test_the_model_goes_before_the_encoding() -> None:
    text = "Überraschungsmomente für kleinere Häuser" * 3
    with pytest.warns(UnusedOptionWarning, match="encoding_name has no effect with model_name='gpt-4o'"):
        by_model = cut("token", text, model_name="gpt-4o", encoding_name="r50k_base", max_size=7)
    assert by_model == cut("token", text, encoding_name="o200k_base", max_size=7)
    assert by_model != cut("token", text, encoding_name="r50k_base", max_size=7)


SPECIAL = "a<|endoftext|>b<|fim_prefix|>"


def test_special_tokens_are_plain_text_by_default() -> None:
    assert "".join(cut("token", SPECIAL, max_size=1, overlap=0)) == SPECIAL
    assert len(cut("token", SPECIAL, max_size=1, overlap=0)) == resolve("cl100k_base")(SPECIAL)


@pytest.mark.parametrize(
    "allowed",
    ["all", {"<|endoftext|>", "<|fim_prefix|>"}, ["<|endoftext|>", "<|fim_prefix|>"]],
    ids=["all", "set", "list"],
)
def test_allowed_special_tokens_are_one_token_each(allowed: Any) -> None:
    assert cut("token", SPECIAL, max_size=1, overlap=0, allowed_special=allowed) == [
        "a",
        "<|endoftext|>",
        "b",
        "<|fim_prefix|>",
    ]


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ({"allowed_special": set()}, "<|endoftext|>"),
        ({"allowed_special": {"<|endoftext|>"}}, "<|fim_prefix|>"),
        ({"allowed_special": ("<|fim_prefix|>",), "disallowed_special": "all"}, "<|endoftext|>"),
        ({"disallowed_special": "all"}, "<|endoftext|>"),
        ({"disallowed_special": frozenset(["<|fim_prefix|>"])}, "<|fim_prefix|>"),
    ],
    ids=str,
)
def test_disallowed_special_tokens_are_an_error(options: dict[str, Any], refused: str) -> None:
    with pytest.raises(DocumentError) as caught:
        cut("token", SPECIAL, **options)
    assert f"not allowed: {refused} (at {SPECIAL.index(refused)})" in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"allowed_special": "all"}, {"disallowed_special": set()}, {"disallowed_special": ["<|endofprompt|>"]}],
    ids=str,
)
def test_what_is_neither_allowed_nor_disallowed_is_plain(options: dict[str, Any]) -> None:
    assert "".join(cut("token", SPECIAL, **options)) == SPECIAL
    check_document("token", SPECIAL * 5, max_size=4, overlap=1, **options)


def test_a_special_token_of_another_encoding_is_plain_text() -> None:
    text = "<|fim_prefix|>"
    assert "".join(cut("token", text, encoding_name="o200k_base", allowed_special="all", max_size=2, overlap=0)) == text
    assert len(cut("token", text, encoding_name="cl100k_base", allowed_special="all", max_size=2, overlap=0)) == 1


def test_token_explains_its_cuts() -> None:
    chunks = MDocument("one two three").chunk("token", max_size=2, overlap=0, explain=True)
    assert [c.cut for c in chunks] == [Cut("tokens", 0), Cut("end", 0)]


# --- empty and blank -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\ufeff", " \x1c\x85\u2028\u3000"])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_gives_nothing(name: str, text: str) -> None:
    assert cut(name, text) == []
    kept = cut(name, text, strip_whitespace=False)
    assert all(piece and piece in text for piece in kept)


def test_all_errors_are_cantle_errors() -> None:
    for name, options, _ in WRONG_OWN:
        with pytest.raises(CantleError):
            CLASSES[name](**options)


@pytest.mark.parametrize("unit", ["\r\n", "\n\r", " \u0301", "\\a{", "\\begin{", "\\end{x", "{", "\u200d"])
@pytest.mark.parametrize(
    "options",
    [
        {"max_size": 200, "overlap": 50},
        {"max_size": 200, "overlap": 0, "strip_whitespace": False},
        {"max_size": 200, "overlap": 20, "strip_whitespace": False, "separator_position": "end"},
        {"max_size": 200, "overlap": 0, "language": "latex"},
    ],
)
def test_repeated_units_cost_in_proportion_to_their_number(unit: str, options: dict[str, Any]) -> None:
    """Counted in Python calls and characters looked at by the kit, not timed."""
    from cantle.testing.linear import linear

    strategy = Recursive(**options)
    linear(strategy, {"repeated": lambda size: unit * (size // len(unit))}, 60.0)


def test_an_overlap_that_moves_is_measured_again() -> None:
    chunks = MDocument.from_text(" aaaaaaaaa\u200d").chunk("token", max_size=3, overlap=1)
    length = Token().length
    for a, b in itertools.pairwise(chunks):
        assert length(chunks.source.text[b.start : a.end]) <= 1


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    words=st.lists(
        st.sampled_from(["tide", " harbour", " the", "\n\n", ". ", " 1,024", "-", " naïve", "漢字", "'s", " ", "😀"])
    ),
    size=st.integers(1, 12),
    overlap=st.integers(0, 5),
    encoding=st.sampled_from(["cl100k_base", "o200k_base", "r50k_base"]),
)
def test_the_quick_way_to_a_window_is_the_careful_one(words: list[str], size: int, overlap: int, encoding: str) -> None:
    document = MDocument.from_text("".join(words) * 3)
    options = {"max_size": size, "overlap": min(overlap, size - 1), "encoding_name": encoding}
    quick = document.chunk("token", **options).spans
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TokenMeasure, "window", lambda *_: None)
        patch.setattr(TokenMeasure, "window_back", lambda *_: None)
        assert document.chunk("token", **options).spans == quick


def test_an_allowed_token_that_is_none_warns() -> None:
    with pytest.warns(UnusedOptionWarning, match="no effect for <\\|x\\|>: no special token of cl100k_base"):
        Token(allowed_special={"<|x|>", "<|endoftext|>"})


@pytest.mark.parametrize("size", [numpy.int64(9), numpy.float32(9), (numpy.int64(3), 9)])
def test_sizes_may_be_numbers_of_numpy(size: Any) -> None:
    assert cut("recursive", "one two three", max_size=size, overlap=0) == ["one two", "three"]
    plain = (3, 9) if isinstance(size, tuple) else 9
    assert config(Recursive(max_size=size, overlap=0)) == config(Recursive(max_size=plain, overlap=0))
