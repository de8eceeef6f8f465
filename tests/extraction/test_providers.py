"""Which provider of a field is asked: by the options that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from small_plugins import DOC, Plugin, Words, chunk, every

from cantle import Chunks, MDocument, Registry, hookimpl
from cantle.errors import ExtractionError, OptionError, PluginError
from cantle.strategy import snake_case


class Made:
    """An extractor that says which options it takes, and who it is."""

    def __init__(self, name: str, *options: str) -> None:
        self.name, self.options = name, options

    def __call__(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"who": self.name} for _ in chunks]


OFFLINE = "cantle.extractors.offline"


def who(title: Any, **plugins: Any) -> Any:
    metadata = chunk({"title": title}, **plugins)[0].metadata
    return metadata.get("who", "offline" if "document_title" in metadata else None)


def model(*options: str) -> Plugin:
    return Plugin(title=Made("llm", "llm", "node_template", "language", *options))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (True, "offline"),
        ({}, "offline"),
        ({"language": "en"}, "offline"),
        ({"node_template": "T"}, "llm"),
        ({"llm": object()}, "llm"),
        ({"language": "en", "llm": None}, "llm"),
        ({"by": "llm"}, "llm"),
        ({"by": "llm", "language": "en"}, "llm"),
        ({"by": "offline"}, "offline"),
    ],
)
def test_options_choose_the_provider_and_ours_goes_first(options: Any, expected: str) -> None:
    for plugins in ({"offline": OFFLINE, "llm": model()}, {"llm": model(), "offline": OFFLINE}):
        assert who(options, **plugins) == expected


def test_ours_is_told_by_its_module_not_by_its_name() -> None:
    assert who(True, ours=OFFLINE, other=model()) == "offline"
    with pytest.raises(ExtractionError, match="Several plugins extract the field 'title': llm, offline"):
        who(True, offline=Plugin(title=Made("offline")), llm=model())


def test_strangers_that_take_the_options_need_by() -> None:
    plugins = {"a": Plugin(title=Made("a", "x")), "b": Plugin(title=every(who="b")), "c": Plugin(title=Made("c", "y"))}
    assert who({"y": 1, "by": "c"}, **plugins) == "c"
    with pytest.raises(ExtractionError) as caught:
        who({"x": 1}, **plugins)
    assert str(caught.value) == (
        "Several plugins extract the field 'title': a, b. Choose one: extract={'title': {\"by\": 'a'}}."
    )
    assert who({"z": 1}, **plugins) == "b"  # it does not say what it takes: anything


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"nodeTemplate": "T"},
            "extract['title'] has no option 'nodeTemplate'. Did you mean 'node_template'? "
            "Options of llm: llm, node_template, language; offline: language.",
        ),
        (
            {"langauge": "en", "by": "offline"},
            "extract['title'] has no option 'langauge'. Did you mean 'language'? offline takes language.",
        ),
        (
            {"node_template": "T", "by": "offline"},
            "extract['title'] has no option 'node_template'. offline takes language.",
        ),
        ({7: 1}, "extract['title'] has no option 7. Options of llm: llm, node_template, language; offline: language."),
    ],
)
def test_an_option_that_no_provider_takes(options: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        who(options, offline=OFFLINE, llm=model())
    assert str(caught.value) == message


def test_options_that_no_provider_takes_together() -> None:
    with pytest.raises(OptionError) as caught:
        who({"x": 1, "y": 2}, a=Plugin(title=Made("a", "x")), b=Plugin(title=Made("b", "y")))
    assert str(caught.value) == (
        "extract['title']: no plugin takes 'x', 'y' together. They take, a: x; b: y. Leave out those of one."
    )


def test_a_provider_that_takes_no_option() -> None:
    with pytest.raises(OptionError) as caught:
        chunk({"mood": {"x": 1}}, acme=Plugin(mood=Made("acme")), llm=Plugin())
    assert str(caught.value) == "extract['mood'] has no option 'x'. acme takes none."


@pytest.mark.parametrize("options", ["llm", 5, [1], object()])
def test_options_of_the_wrong_kind_are_the_plugins_fault(options: Any) -> None:
    made = Made("acme")
    made.options = options
    with pytest.raises(PluginError) as caught:
        chunk({"title": True}, acme=Plugin(title=made))
    assert str(caught.value) == (
        f"The extractor of field 'title' in plugin 'acme' has options={options!r}; options is a collection of the "
        "names that it takes."
    )


@pytest.mark.parametrize("options", [("b", "a"), ["b", "a"], {"b", "a"}, {"b": 1, "a": 2}.keys()])
def test_options_are_any_collection(options: Any) -> None:
    made = Made("acme")
    made.options = options
    assert chunk({"x": {"a": 1, "b": 2}}, acme=Plugin(x=made))[0].metadata["who"] == "acme"


def test_values_are_checked_before_anything_runs() -> None:
    called = []

    class Checked(Made):
        def check(self, options: Mapping[str, Any]) -> None:
            called.append(dict(options))
            if options["x"] < 0:
                raise OptionError("x must be positive")
            if options["x"] > 9:
                raise ZeroDivisionError("far")

    first = Plugin(a=lambda d, c, o: called.append("ran") or [{} for _ in c])
    for value, error, message in (
        (-1, OptionError, "x must be positive"),
        (10, ExtractionError, "The extractor of field 'b' in plugin 'q' failed: ZeroDivisionError: far"),
    ):
        with pytest.raises(error) as caught:
            chunk({"a": True, "b": {"x": value}}, p=first, q=Plugin(b=Checked("q", "x")))
        assert str(caught.value) == message
    assert called == [{"x": -1}, {"x": 10}]
    chunk({"a": True, "b": {"x": 1}}, p=first, q=Plugin(b=Checked("q", "x")))
    assert called[2:] == [{"x": 1}, "ran"]


def test_a_field_of_a_model_says_why_the_plugin_is_left_out() -> None:
    class Broken:
        @hookimpl
        def register_extractors(self) -> Mapping[str, Any]:
            raise ValueError("no key")

    with pytest.warns(UserWarning, match="'llm' is left out"):
        plugins = Registry({"llm": Broken()})
    with pytest.raises(ExtractionError) as caught:
        DOC.chunk(Words(), extract={"schema": True}, plugins=plugins)
    assert str(caught.value).startswith(
        "The field 'schema' takes a language model, and so the plugin cantle-llm: pip install cantle-llm. "
        "The plugin is installed and was left out: "
    )
    assert "no key" in str(caught.value)


def test_options_from_json_may_be_in_camel_case() -> None:
    schema = {"type": "object", "additionalProperties": False}
    assert snake_case({"extract": {"title": {"nodeTemplate": "T"}, "excerptKeywords": {"maxCount": 1}}}) == {
        "extract": {"title": {"node_template": "T"}, "excerptKeywords": {"max_count": 1}}
    }
    assert snake_case({"extract": {"schema": {"schema": schema, "metadataKey": "k"}}}) == {
        "extract": {"schema": {"schema": schema, "metadata_key": "k"}}
    }
    assert snake_case({"extract": {"schema": schema}}) == {"extract": {"schema": schema}}
    with pytest.raises(OptionError, match="'node_template' is given twice"):
        snake_case({"extract": {"title": {"nodeTemplate": "T", "node_template": "T"}}})
