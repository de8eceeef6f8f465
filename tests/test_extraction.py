"""`extract=`: one provider a field, in order, in and out of event loops, with clear errors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, Registry, Source, aextract, extract, hookimpl
from cantle.errors import DocumentError, ExtractionError, OptionError, PluginError
from cantle.strategy import snake_case


class Words:
    """A strategy: a chunk a word."""

    name = "words"

    def split(self, source: Source) -> list[Chunk]:
        chunks, at = [], 0
        for word in source.text.split():
            at = source.text.index(word, at)
            chunks.append(Chunk(word, at, at + len(word)))
            at += len(word)
        return chunks


class Plugin:
    """A plugin of the given extractors."""

    def __init__(self, **extractors: Any) -> None:
        self.extractors = extractors

    @hookimpl
    def register_extractors(self) -> Mapping[str, Any]:
        return self.extractors


def every(**found: Any) -> Any:
    return lambda document, chunks, options: [{**found, **options} for _ in chunks]


async def later(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    await asyncio.sleep(0)
    return [{"summary": f"{chunk.content}, later", "loop": id(asyncio.get_running_loop())} for chunk in chunks]


DOC = MDocument.from_text("one two three", metadata={"lang": {"main": "en"}}, source="d")


def chunk(extract: Any, **plugins: Any) -> Chunks:
    return DOC.chunk(Words(), extract=extract, plugins=Registry(plugins))


def achunk(extract: Any, **plugins: Any) -> Chunks:
    return asyncio.run(DOC.achunk(Words(), extract=extract, plugins=Registry(plugins)))


BOTH = pytest.mark.parametrize("run", [chunk, achunk])


@BOTH
def test_results_are_merged_into_the_metadata(run: Any) -> None:
    def keywords(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert document is DOC
        assert options == {"most": 2}
        return [{"keywords": [c.content]} for c in chunks]

    chunks = run({"keywords": {"most": 2}}, p=Plugin(keywords=keywords))
    assert chunks.metadata == [{"lang": {"main": "en"}, "keywords": [w]} for w in ("one", "two", "three")]
    assert DOC.metadata == {"lang": {"main": "en"}}


@BOTH
def test_one_answer_for_all_chunks_is_copied(run: Any) -> None:
    shared = {"tags": ["a"]}
    chunks = run({"x": True}, p=Plugin(x=lambda d, c, o: [shared] * len(c)))
    chunks[0].metadata["tags"].append("b")
    assert chunks[1].metadata["tags"] == ["a"]
    assert shared == {"tags": ["a"]}


@BOTH
def test_true_means_defaults_and_false_and_none_mean_off(run: Any) -> None:
    chunks = run({"a": True, "b": False, "c": None}, p=Plugin(a=every(a=1), b=every(b=1), c=every(c=1)))
    assert chunks[0].metadata == {"lang": {"main": "en"}, "a": 1}


@BOTH
def test_the_order_is_fixed(run: Any) -> None:
    called = []

    def note(field: str) -> Any:
        def extract(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            called.append(field)
            return [{} for _ in chunks]

        return extract

    fields = ["zebra", "title", "keywords", "apple", "questions", "summary", "schema"]
    run(dict.fromkeys(fields, True), p=Plugin(**{field: note(field) for field in fields}))
    assert called == ["schema", "summary", "questions", "keywords", "title", "zebra", "apple"]


@BOTH
def test_later_fields_see_earlier_ones(run: Any) -> None:
    def title(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"title": c.metadata["summary"].upper()} for c in chunks]

    assert (
        run({"title": True, "summary": True}, p=Plugin(summary=later, title=title))[0].metadata["title"] == "ONE, LATER"
    )


@BOTH
def test_by_chooses_among_providers(run: Any) -> None:
    plugins = {"first": Plugin(title=every(title=1)), "second": Plugin(title=every(title=2))}
    chunks = run({"title": {"by": "second", "more": 3}}, **plugins)
    assert chunks[0].metadata == {"lang": {"main": "en"}, "title": 2, "more": 3}


@BOTH
def test_a_clash_without_by_names_the_providers(run: Any) -> None:
    with pytest.raises(ExtractionError) as caught:
        run({"title": True}, second=Plugin(title=every()), first=Plugin(title=every()))
    assert str(caught.value) == (
        "Several plugins extract the field 'title': first, second. Choose one: extract={'title': {\"by\": 'first'}}."
    )


def test_by_that_does_not_provide_the_field() -> None:
    with pytest.raises(ExtractionError) as caught:
        chunk({"title": {"by": "nobody"}}, first=Plugin(title=every()))
    assert str(caught.value) == "extract['title']: by='nobody' does not provide this field. Its providers: first."


@BOTH
def test_an_unknown_field_lists_the_fields_there_are(run: Any) -> None:
    with pytest.raises(ExtractionError) as caught:
        run({"titel": True}, p=Plugin(title=every(), keywords=every()))
    assert str(caught.value) == (
        "No plugin extracts the field 'titel'. Did you mean 'title'? Fields: keywords, title. "
        "A plugin adds fields with the hook register_extractors()."
    )
    with pytest.raises(ExtractionError) as caught:
        run({"mood": True})
    assert str(caught.value) == (
        "No plugin extracts the field 'mood'. None is installed that extracts any. "
        "A plugin adds fields with the hook register_extractors()."
    )


@pytest.mark.parametrize("value", [1, "yes", ["a"], 0])
def test_a_wrong_value_is_an_option_error(value: Any) -> None:
    with pytest.raises(OptionError) as caught:
        chunk({"title": value}, p=Plugin(title=every()))
    assert str(caught.value) == (
        f"extract['title'] must be True, False, None or a mapping of options, got {value!r}. "
        "True takes the provider's defaults."
    )


def test_extract_that_is_no_mapping() -> None:
    with pytest.raises(OptionError) as caught:
        chunk(["keywords"], p=Plugin(keywords=every()))
    assert str(caught.value) == (
        "extract must map fields to options, got ['keywords']. For the defaults of a field write "
        'extract={"keywords": True}.'
    )


def test_nothing_runs_when_a_later_field_is_wrong() -> None:
    called = []
    with pytest.raises(ExtractionError):
        chunk({"a": True, "nothing": True}, p=Plugin(a=lambda d, c, o: called.append(1)))
    assert called == []


@BOTH
def test_the_wrong_number_of_mappings_names_the_plugin(run: Any) -> None:
    with pytest.raises(ExtractionError) as caught:
        run({"a": True}, acme=Plugin(a=lambda d, c, o: [{}]))
    assert str(caught.value) == (
        "The extractor of field 'a' in plugin 'acme' returned 1 mappings for 3 chunks; "
        "it must return one per chunk, in order."
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "must return a list with one mapping per chunk, got NoneType."),
        ({"a": 1}, "must return a list with one mapping per chunk, got dict."),
        ("abc", "must return a list with one mapping per chunk, got str."),
        ([{}, 5, {}], "returned 5 for chunk 1, which is no mapping. An empty one says that nothing was found."),
    ],
)
def test_a_wrong_answer_names_the_plugin(answer: Any, message: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        chunk({"a": True}, acme=Plugin(a=lambda d, c, o: answer))
    assert str(caught.value) == f"The extractor of field 'a' in plugin 'acme' {message}"


@BOTH
def test_a_failing_provider_is_named(run: Any) -> None:
    async def fails(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Any:
        raise KeyError("api_key")

    with pytest.raises(ExtractionError) as caught:
        run({"a": True}, acme=Plugin(a=fails))
    assert str(caught.value) == "The extractor of field 'a' in plugin 'acme' failed: KeyError: 'api_key'"
    assert isinstance(caught.value.__cause__, KeyError)


@BOTH
def test_cantle_errors_of_a_provider_pass(run: Any) -> None:
    def refuses(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Any:
        raise DocumentError("not this one")

    with pytest.raises(DocumentError, match="not this one"):
        run({"a": True}, p=Plugin(a=refuses))


@BOTH
def test_coroutines_are_waited_for(run: Any) -> None:
    assert [m["summary"] for m in run({"summary": True}, p=Plugin(summary=later)).metadata] == [
        "one, later",
        "two, later",
        "three, later",
    ]


def test_chunk_inside_a_running_loop_has_a_loop_of_its_own() -> None:
    async def main() -> None:
        chunks = chunk({"summary": True}, p=Plugin(summary=later))
        assert chunks[0].metadata["summary"] == "one, later"
        assert chunks[0].metadata["loop"] != id(asyncio.get_running_loop())

    asyncio.run(main())


def test_achunk_runs_ordinary_providers_in_a_thread_and_waits_in_its_loop() -> None:
    threads = []

    def blocking(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        threads.append(threading.current_thread())
        return [{} for _ in chunks]

    async def main() -> Chunks:
        plugins = Registry({"p": Plugin(a=blocking, summary=later)})
        chunks = await DOC.achunk(Words(), extract={"a": True, "summary": True}, plugins=plugins)
        assert chunks[0].metadata["loop"] == id(asyncio.get_running_loop())
        return chunks

    asyncio.run(main())
    assert threads
    assert threads[0] is not threading.main_thread()


def test_a_callable_object_may_wait() -> None:
    class Client:
        async def __call__(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Any:
            return await later(document, chunks, options)

    assert chunk({"summary": True}, p=Plugin(summary=Client()))[2].metadata["summary"] == "three, later"
    assert achunk({"summary": True}, p=Plugin(summary=Client()))[2].metadata["summary"] == "three, later"


class Twice:
    """An extractor with an ordinary call and one to wait for."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.waiting = asyncio.Event()

    def __call__(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"way": "call", **options} for _ in chunks]

    async def acall(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        self.ran.append("begun")
        self.waiting.set()
        if options.get("hang"):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.ran.append("cancelled")
                raise
        return [{"way": "acall", "loop": id(asyncio.get_running_loop()), **options} for _ in chunks]


def test_achunk_awaits_acall_and_chunk_calls() -> None:
    assert chunk({"a": {"x": 1}}, p=Plugin(a=Twice()))[0].metadata == {"lang": {"main": "en"}, "way": "call", "x": 1}

    async def main() -> None:
        plugins = Registry({"p": Plugin(a=Twice())})
        chunks = await DOC.achunk(Words(), extract={"a": {"x": 1}}, plugins=plugins)
        loop = id(asyncio.get_running_loop())
        assert chunks[2].metadata == {"lang": {"main": "en"}, "way": "acall", "x": 1, "loop": loop}

    asyncio.run(main())


def test_acall_can_be_cancelled() -> None:
    async def main() -> list[str]:
        twice = Twice()
        plugins = Registry({"p": Plugin(a=twice)})
        task = asyncio.create_task(DOC.achunk(Words(), extract={"a": {"hang": True}}, plugins=plugins))
        await twice.waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return twice.ran

    assert asyncio.run(main()) == ["begun", "cancelled"]


def test_errors_of_acall_are_named_and_an_acall_that_is_none_is_the_plugins_fault() -> None:
    class Fails(Twice):
        async def acall(self, document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Any:
            raise KeyError("api_key")

    with pytest.raises(ExtractionError, match=r"field 'a' in plugin 'acme' failed: KeyError: 'api_key'"):
        achunk({"a": True}, acme=Plugin(a=Fails()))
    wrong: Any = Twice()
    wrong.acall = print
    with pytest.raises(PluginError, match=r"field 'a' in plugin 'acme' has acall=.*; acall is a coroutine function"):
        chunk({"a": True}, acme=Plugin(a=wrong))


def test_context_variables_reach_the_private_loop() -> None:
    from contextvars import ContextVar

    tenant: ContextVar[str] = ContextVar("tenant", default="none")

    async def reads(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> Any:
        return [{"tenant": tenant.get()} for _ in chunks]

    async def main() -> Chunks:
        tenant.set("acme")
        return chunk({"a": True}, p=Plugin(a=reads))

    assert asyncio.run(main())[0].metadata["tenant"] == "acme"


def test_an_empty_document_has_nothing_to_extract_from() -> None:
    chunks = MDocument.from_text("").chunk(Words(), extract={"a": True}, plugins=Registry({"p": Plugin(a=every(a=1))}))
    assert list(chunks) == []


# -- which provider: by the options -----------------------------------------------------------------


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


# -- chunks that exist already ------------------------------------------------------------------------


def aextract_now(chunks: Any, fields: Any, **options: Any) -> Any:
    return asyncio.run(aextract(chunks, fields, **options))


EITHER = pytest.mark.parametrize("run", [extract, aextract_now])


def several(*documents: MDocument) -> list[Chunks]:
    return [document.chunk(Words(), plugins=Registry({})) for document in documents]


@EITHER
def test_the_metadata_of_these_very_chunks_is_extended(run: Any) -> None:
    chunks = DOC.chunk(Words(), plugins=Registry({}))
    second = chunks[1]

    def seen(document: MDocument, given: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert document is DOC
        assert given is chunks
        return [{"n": chunk.index, **options} for chunk in given]

    assert run(chunks, {"a": {"x": 1}, "b": False}, plugins=Registry({"p": Plugin(a=seen)})) is chunks
    assert second is chunks[1]
    assert second.metadata == {"lang": {"main": "en"}, "n": 1, "x": 1}
    assert chunks.to_dicts()[2]["metadata"] == {"lang": {"main": "en"}, "n": 2, "x": 1}


@EITHER
def test_an_extractor_gets_each_of_several_documents_in_turn_field_by_field(run: Any) -> None:
    calls = []

    def note(field: str) -> Any:
        def extractor(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            calls.append((field, document.text, len(chunks)))
            return [{field: document.text} for _ in chunks]

        return extractor

    given = several(MDocument("one two"), MDocument(""), MDocument("three"))
    plugins = Registry({"p": Plugin(title=note("title"), summary=note("summary"))})
    assert run(given, {"title": True, "summary": True}, plugins=plugins) is given
    assert calls == [
        (field, text, len(text.split())) for field in ("summary", "title") for text in ("one two", "", "three")
    ]
    assert given[2].metadata == [{"title": "three", "summary": "three"}]


class Together:
    """An extractor that gets all documents at once."""

    together = True

    def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert isinstance(chunks, Chunks)
        several = isinstance(documents, list)
        return [
            {"of": len(chunks), "text": documents[i].text if several else documents.text} for i in range(len(chunks))
        ]


@EITHER
def test_an_extractor_that_is_together_gets_the_chunks_of_all(run: Any) -> None:
    given = several(MDocument("one two", source="a"), MDocument("three", source="b"))
    ids = [chunk.id for chunks in given for chunk in chunks]
    seen = []

    class Looks(Together):
        def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            assert [chunk.id for chunk in chunks] == ids
            assert all(chunk.metadata["first"] for chunk in chunks)
            seen.append(chunks)
            return super().__call__(documents, chunks, options)

    plugins = Registry({"p": Plugin(keywords=every(first=True), title=Looks(), zebra=Looks())})
    run(tuple(given), {"title": True, "keywords": True, "zebra": True}, plugins=plugins)
    assert given[0][1].metadata == {"first": True, "of": 3, "text": "one two"}
    assert given[1][0].metadata == {"first": True, "of": 3, "text": "three"}
    assert [chunk.id for chunks in given for chunk in chunks] == ids
    assert seen[0] is seen[1]  # so that an extractor may keep account of a run


@EITHER
def test_of_one_document_it_gets_that_also_from_a_list_or_given_twice(run: Any) -> None:
    (chunks,) = several(MDocument("one two"))
    for given in (chunks, [chunks], [chunks, chunks]):
        assert run(given, {"a": True}, plugins=Registry({"p": Plugin(a=Together())})) is given
    assert chunks[0].metadata == {"of": 2, "text": "one two"}


def test_an_answer_for_all_must_have_one_mapping_a_chunk() -> None:
    class Short(Together):
        def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            return [{}]

    with pytest.raises(ExtractionError, match=r"field 'a' in plugin 'acme' returned 1 mappings for 3 chunks"):
        extract(
            several(MDocument("one two"), MDocument("a")), {"a": True}, plugins=Registry({"acme": Plugin(a=Short())})
        )


def test_chunks_of_a_plain_source() -> None:
    chunks = Chunks(Source("one", "markdown", {"m": 1}, "s"), [Chunk("one", 0, 3)])
    extract(chunks, {"a": True}, plugins=Registry({"p": Plugin(a=Together())}))
    assert chunks[0].metadata == {"m": 1, "of": 1, "text": "one"}


@EITHER
def test_nothing_runs_when_a_field_is_wrong(run: Any) -> None:
    called: list[int] = []
    plugins = Registry({"p": Plugin(a=lambda d, c, o: called.append(1))})
    for given in ([], several(MDocument("one")), several(MDocument("one"), MDocument("two"))):
        with pytest.raises(ExtractionError, match="No plugin extracts the field 'nothing'"):
            run(given, {"a": True, "nothing": True}, plugins=plugins)
    assert called == []


@EITHER
@pytest.mark.parametrize("given", ["text", DOC, None, 5, {"a": 1}, [DOC], ["text"], iter([])])
def test_what_is_no_chunks(run: Any, given: Any) -> None:
    with pytest.raises(
        OptionError, match=r"chunks must be Chunks, as chunk\(\) returns them, or a list of several, got "
    ):
        run(given, {})


def test_single_chunks_are_refused_with_a_hint() -> None:
    with pytest.raises(OptionError, match=r"got Chunk at position 0\. Single chunks do not know their document"):
        extract(several(MDocument("one"))[0][:], {})
