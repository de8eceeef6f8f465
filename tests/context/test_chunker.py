"""`ContextRetrievalChunker`: its surface and its options."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest

from cantle import ContextRetrievalChunker
from cantle.cleaning import clean_markdown
from cantle.context.settings import Settings, resolved
from cantle.errors import CantleWarning, OptionError, UnusedOptionWarning
from cantle.lengths import resolve

# The surface

SETTERS = {
    "unit": ("TOKENS", "get_unit", "tokens"),
    "chunk_size": (7, "get_chunk_size", 7),
    "overlap": (9.9, "get_overlap", 9),
    "min_chunk_size": ("11", "get_min_chunk_size", 11),
    "encoding": (" gpt-4o ", "get_encoding", "gpt-4o"),
    "embed": ("Context", "get_embed", "context"),
    "source": ("  manual ", "get_source", "manual"),
    "metadata": ({"a": 1}, "get_metadata", {"a": 1}),
    "heading_path": (False, "is_heading_path", False),
    "prepend_heading": (0, "is_prepend_heading", False),
    "split_on_headings": ("No", "is_split_on_headings", False),
    "strip_data_uri": ("1", "is_strip_data_uri", True),
    "strip_html_comments": ("TRUE", "is_strip_html_comments", True),
}


@pytest.mark.parametrize("name", SETTERS)
def test_setters_chain_and_getters_give_what_was_set(name: str) -> None:
    value, getter, expected = SETTERS[name]
    chunker = ContextRetrievalChunker()
    assert getattr(chunker, name)(value) is chunker
    assert getattr(chunker, getter)() == expected
    assert f"{name}={expected!r}" in repr(chunker)


def test_defaults() -> None:
    chunker = ContextRetrievalChunker()
    values = [getattr(chunker, getter)() for _, getter, _ in SETTERS.values()]
    assert values == ["chars", 1024, 128, -1, "cl100k_base", "full", "", {}, True, True, True, True, True]
    assert chunker.encoding(None).encoding("  ").get_encoding() == "cl100k_base"
    assert chunker.source(None).get_source() == ""
    assert chunker.metadata(None).get_metadata() == {}


@pytest.mark.parametrize("value", ["words", "token", "", " tokens"])
def test_a_unit_that_is_not_known_acts_as_the_default_and_warns(value: str) -> None:
    message = f"unit must be 'chars' or 'tokens', got {value!r}, which acts as 'chars'."
    with pytest.warns(UnusedOptionWarning, match=re.escape(message)) as caught:
        chunker = ContextRetrievalChunker().unit("tokens").unit(value)
    assert (chunker.get_unit(), caught[0].filename) == ("chars", __file__)
    if value:
        with pytest.warns(UnusedOptionWarning, match=re.escape(message)) as caught:
            assert chunker.text("a b", {"unit": value}) == ContextRetrievalChunker().text("a b")
        assert len(caught) == 1


def test_other_values_that_are_not_known_act_as_the_default_and_warn() -> None:
    chunker, plain = ContextRetrievalChunker(), ContextRetrievalChunker().markdown("# A\n\nb")
    with pytest.warns(UnusedOptionWarning, match=r"embed must be 'full' or 'context' or 'content', got 'all'"):
        assert chunker.embed("all").get_embed() == "full"
    with pytest.warns(UnusedOptionWarning, match="embed must be .* got 'all'"):
        assert chunker.markdown("# A\n\nb", embed="all") == plain
    for value in ("many", True):
        with pytest.warns(
            UnusedOptionWarning, match=f"chunk_size must be a whole number .* got {value!r}, which has no"
        ):
            assert chunker.markdown("# A\n\nb", {"chunkSize": value}) == plain
    odd: list[Any] = ["yes", 2, float("nan"), "on"]
    for value in odd:
        with pytest.warns(
            UnusedOptionWarning, match=f"heading_path must be True or False, got {value!r}, which acts as"
        ):
            assert not ContextRetrievalChunker().heading_path(value).is_heading_path()


def test_values_that_are_known_do_not_warn() -> None:
    ContextRetrievalChunker().unit("CHARS").unit("Tokens").embed("Full").embed("CONTENT").embed("context")
    for value in (True, False, 1, 0, 1.0, "true", "FALSE", "1", "0", "no"):
        ContextRetrievalChunker().text("a", {"headingPath": value})


@pytest.mark.parametrize("name", SETTERS)
def test_settings_as_arguments_of_the_class(name: str) -> None:
    value, getter, expected = SETTERS[name]
    head, *tail = name.split("_")
    for spelling in (name, head + "".join(part.title() for part in tail), name.upper()):
        assert getattr(ContextRetrievalChunker(**{spelling: value}), getter)() == expected


def test_wrong_settings_as_arguments_of_the_class() -> None:
    with pytest.raises(
        OptionError, match=r"^ContextRetrievalChunker has no setting 'max_size'\. It takes: chunk_size, "
    ):
        ContextRetrievalChunker(max_size=300)
    with pytest.raises(OptionError, match=r"chunk_size is given twice, as 'chunk_size' and as 'chunkSize'\. Keep one"):
        ContextRetrievalChunker(source="a", chunk_size=300, chunkSize=300)
    with pytest.raises(OptionError, match="chunk_size must be a whole number"):
        ContextRetrievalChunker(chunk_size="many")
    with pytest.raises(TypeError):
        ContextRetrievalChunker(300)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("chunkSize", "chunk_size"),
        ("minChunkSize", "min_chunk_size"),
        ("isHeadingPath", "is_heading_path"),
        ("stripHtmlComments", "strip_html_comments"),
        ("getChunkSize", "get_chunk_size"),
        ("countTokens", "count_tokens"),
    ],
)
def test_methods_in_camel_case_name_ours(name: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=rf"^ContextRetrievalChunker has no '{name}'\. Its name is {ours}\(\)\.$"):
        getattr(ContextRetrievalChunker(), name)


def test_other_attributes_are_not_there() -> None:
    for name in ("maxSize", "size", "_x", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"^ContextRetrievalChunker has no '{name}'.$"):
            getattr(ContextRetrievalChunker(), name)
    chunker = ContextRetrievalChunker(chunk_size=99)
    assert copy.deepcopy(chunker).get_chunk_size() == pickle.loads(pickle.dumps(chunker)).get_chunk_size() == 99


@pytest.mark.parametrize(
    ("options", "more", "how"),
    [
        ({"chunkSize": 40, "chunk_size": 50}, {}, "as 'chunkSize' and as 'chunk_size'"),
        ({"chunkSize": 40}, {"chunk_size": 50}, "as 'chunkSize' and as 'chunk_size'"),
        ({"CHUNKSIZE": 40}, {"chunkSize": 50}, "as 'CHUNKSIZE' and as 'chunkSize'"),
        ({"overlap": 4}, {"overlap": 5}, "both times as 'overlap'"),
    ],
)
def test_an_option_that_is_given_twice(options: dict[str, Any], more: dict[str, Any], how: str) -> None:
    with pytest.raises(OptionError, match=rf"^The option \w+ is given twice, {how}\. Keep one\.$"):
        ContextRetrievalChunker().markdown("a", options, **more)
    if more:
        with pytest.raises(OptionError, match=rf"is given twice, {how}"):
            ContextRetrievalChunker().markdown("a", options=options, **more)


def test_a_size_that_is_given_twice() -> None:
    with pytest.raises(OptionError, match="chunk_size is given twice, both times as 'chunk_size'"):
        ContextRetrievalChunker().markdown("a", 40, chunk_size=50)
    with pytest.raises(OptionError, match="overlap is given twice, as 'overlap' and as 'OVERLAP'"):
        ContextRetrievalChunker().markdown("a", 40, 0, OVERLAP=5)


TIDY = "\ufeff# A\r\n\r\n\r\n<!-- c -->\tSome\u00a0words.  \n\n```\n\tx\n```\n![a](data:image/png;base64,AA)\n"


@pytest.mark.parametrize("method", ["chunk", "markdown", "text", "pdf"])
@pytest.mark.parametrize("options", [{}, {"stripHtmlComments": False}, {"strip_data_uri": "false"}])
def test_positions_lie_in_the_normalized_text(method: str, options: dict[str, Any]) -> None:
    chunker = ContextRetrievalChunker(chunk_size=32, overlap=0)
    chunks, clean = getattr(chunker, method)(TIDY, options), chunker.normalized(TIDY, method, options)
    assert len(chunks) > 1
    assert [clean[chunk["start"] : chunk["end"]].strip() for chunk in chunks] == [chunk["content"] for chunk in chunks]
    assert chunker.normalized(TIDY, method, **options) == clean


def test_the_normalized_text() -> None:
    chunker = ContextRetrievalChunker()
    assert chunker.normalized(TIDY) == clean_markdown(TIDY).text
    assert chunker.normalized("a-\nb\tc", "pdf") == "ab c"
    assert chunker.strip_html_comments(False).normalized("a <!-- b -->") == "a <!-- b -->"
    assert chunker.normalized(None) == chunker.normalized(" \n") == ""
    with pytest.raises(OptionError, match="method must be 'chunk', 'markdown', 'text', 'pdf', got 'html'"):
        chunker.normalized("a", "html")
    with pytest.raises(OptionError, match="the text to cut must be a str"):
        chunker.normalized(b"a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda chunker: chunker.chunk_size([1]),
        lambda chunker: chunker.chunk_size("many"),
        lambda chunker: chunker.chunk_size(True),
        lambda chunker: chunker.overlap(None),
        lambda chunker: chunker.unit(None),
        lambda chunker: chunker.source(b"a"),
        lambda chunker: chunker.metadata("a"),
        lambda chunker: chunker.heading_path([]),
        lambda chunker: chunker.markdown(b"# a"),
        lambda chunker: chunker.markdown("a", {"chunkSize": [1]}),
        lambda chunker: chunker.markdown("a", {"metadata": ["a"]}),
        lambda chunker: chunker.markdown("a", {"chunkSize": 40, "chunk_size": 50}),
        lambda chunker: chunker.markdown("a", {"overlap": 4}, overlap=5),
        lambda chunker: chunker.markdown("a", {"overlap": 4}, options={}),
        lambda chunker: chunker.markdown("a", options=[("overlap", 4)]),
        lambda chunker: chunker.count_tokens(1),
    ],
)
def test_values_of_the_wrong_kind_are_errors(call: Callable[[ContextRetrievalChunker], object]) -> None:
    with pytest.raises(OptionError):
        call(ContextRetrievalChunker())


def test_an_unknown_option_is_a_warning_at_the_line_of_the_caller() -> None:
    with pytest.warns(UnusedOptionWarning, match=r"'chunksize_' is not|'maxSize'.*chunk_size, overlap") as caught:
        ContextRetrievalChunker().text("a", {"maxSize": 40})
    assert caught[0].filename == __file__


@pytest.mark.parametrize("method", ["chunk", "markdown", "text", "pdf"])
def test_the_three_forms(method: str) -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    expected = getattr(ContextRetrievalChunker().chunk_size(40).overlap(16), method)(text)
    call = getattr(ContextRetrievalChunker(), method)
    assert len(expected) > 1
    assert call(text, 40, 16) == expected
    assert call(text, {"chunkSize": "40", "OVERLAP": 16.2}) == expected
    assert call(text, {"Chunk_Size": 40}, overlap=16) == expected
    assert call(text, chunk_size=40, overlap=16) == expected
    assert call(text, {"overlap": 16}, chunk_size=40) == expected
    assert call(text=text, overlap=16, chunkSize=40) == expected
    assert call(text, options={"CHUNKSIZE": 40, "overlap": 16}) == expected
    assert call(None) == call("") == call(" \n\t") == []
    assert call(text) != expected


def test_options_hold_for_one_call() -> None:
    chunker = ContextRetrievalChunker().source("s").metadata({"a": 1})
    (chunk,) = chunker.text("x", {"source": "t", "metadata": {"b": 2}})
    assert (chunk["id"][:3], chunk["metadata"]) == ("t#0", {"b": 2})
    (chunk,) = chunker.text("x", {"source": "", "metadata": None})
    assert (chunk["id"][:3], chunk["metadata"]) == ("s#0", {"a": 1})


@pytest.mark.parametrize(("given", "number"), [("1e9", 200_000), ("-5", 32), (float("inf"), 200_000), ("33.9", 33)])
def test_sizes_are_read_and_limited(given: Any, number: int) -> None:
    settings = resolved(Settings(), {"chunk_size": given, "overlap": 10**12})
    assert (settings.chunk_size, settings.overlap, settings.min_chunk_size) == (number, number // 2, number // 4)


def test_defaults_in_tokens() -> None:
    settings = resolved(Settings(overlap=100), {"unit": "Tokens"})
    assert (settings.chunk_size, settings.overlap) == (256, 100)
    assert resolved(Settings(chunk_size=500), {"unit": "tokens"}).overlap == 32


def test_counting_tokens() -> None:
    chunker = ContextRetrievalChunker()
    assert chunker.count_tokens("") == chunker.count_tokens(None) == 0
    assert chunker.count_tokens("hello world <|endoftext|>") == resolve("cl100k_base")("hello world <|endoftext|>")
    assert chunker.count_tokens("Olá mundo", "gpt-4o") == resolve("o200k_base")("Olá mundo")
    assert chunker.encoding("p50k_base").count_tokens("a  b") == resolve("p50k_base")("a  b")
    with pytest.warns(CantleWarning, match="No encoding or model is named 'nope'"):
        assert chunker.count_tokens("hello", "nope") == 1


def test_an_unknown_encoding_is_a_warning() -> None:
    with pytest.warns(CantleWarning, match="cl100k_base counts the tokens"):
        (chunk,) = ContextRetrievalChunker().encoding("nope").text("hello world")
    assert chunk["tokens"] == 2


def test_contextualize_writes_notes_into_the_same_list() -> None:
    class Client:
        def complete(self, messages: list[dict[str, str]], **options: Any) -> str:
            return "A note."

    chunker = ContextRetrievalChunker()
    chunks = chunker.markdown("# A\n\ntext")
    assert chunker.contextualize(Client(), "# A\n\ntext", chunks) is chunks
    assert (chunks[0]["context"], chunks[0]["text"]) == ("A note.", "A note.\n\n# A\n\ntext")


def test_metadata_and_lists_are_not_shared_between_chunks() -> None:
    chunks = ContextRetrievalChunker().metadata({"a": 1}).markdown("# A\n\n" + "One two three. " * 9, 40, 0)
    for name in ("metadata", "path", "sections", "pages", "blocks"):
        assert chunks[0][name] is not chunks[1][name]


def test_a_lone_surrogate_and_other_odd_characters() -> None:
    text = "a\ud800b \x00 \ufeff\u200d c"
    (chunk,) = ContextRetrievalChunker().text(text)
    assert "a\ud800b" in chunk["content"]
    assert len(chunk["hash"]) == 16
