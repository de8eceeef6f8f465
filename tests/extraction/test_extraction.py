"""`extract=`: one provider a field, in order, in and out of event loops, with clear errors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from small_plugins import BOTH, DOC, Plugin, Words, achunk, chunk, every, later

from cantle import Chunks, MDocument, Registry
from cantle.errors import DocumentError, ExtractionError, OptionError, PluginError


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
