"""The client: lazy, safe in threads, with no leak; what is sent; retries; the protocol of `contextualize`."""

from __future__ import annotations

import contextvars
import gc
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import cantle
from cantle.errors import CantleError, OptionError
from cantle_llm import AnswerError, BudgetError, Client, ModelError, RefusedError, Reply, Request
from cantle_llm.errors import REASONS, error_of
from cantle_llm.runs import each
from cantle_llm.testing import Asked, Fault, ScriptedServer

USER = [{"role": "user", "content": "hello"}]


def test_the_packages_are_loaded_by_the_first_call_only() -> None:
    code = (
        "import sys; import cantle_llm; from cantle_llm import Client, Run, Settings\n"
        "client = Client('m', base_url='http://127.0.0.1:1/v1', answers=None)\n"
        "repr(client), client.model, client.usage, client.control\n"
        "heavy = {'openai', 'pydantic', 'jsonschema', 'genai_prices', 'platformdirs', 'numpy', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout


def test_two_threads_at_the_first_call_make_one_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    import openai

    made: list[Any] = []
    real = openai.OpenAI.__init__

    def counted(self: Any, *args: Any, **more: Any) -> None:
        made.append(self)
        real(self, *args, **more)

    monkeypatch.setattr(openai.OpenAI, "__init__", counted)
    barrier = threading.Barrier(8)

    def call(number: int) -> str:
        barrier.wait()
        return client.complete([{"role": "user", "content": str(number)}])

    with (
        ScriptedServer(lambda asked: f"<{asked.prompt}>") as server,
        Client("m", base_url=server.url) as client,
        ThreadPoolExecutor(8) as pool,
    ):
        assert list(pool.map(call, range(8))) == [f"<{number}>" for number in range(8)]
    assert len(made) == 1


def test_a_closed_client_opens_again() -> None:
    with ScriptedServer(lambda asked: "fine") as server:
        client = Client("m", base_url=server.url)
        client.close()
        assert client.complete(USER) == "fine"
        client.close()
        client.close()
        assert client.complete(USER) == "fine"
        client.close()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_a_thousand_calls_leave_no_thread_and_no_open_file() -> None:
    def loop(times: int) -> None:
        with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url, concurrency=8) as client:
            with ThreadPoolExecutor(8) as pool:
                assert set(pool.map(lambda _: client.complete(USER), range(times))) == {"fine"}
            assert server.most_at_once <= 8

    loop(20)  # what is made once
    gc.collect()
    threads, files = threading.active_count(), descriptors()
    loop(1000)
    gc.collect()
    assert threading.active_count() <= threads
    assert descriptors() <= files


def test_the_limit_of_calls_holds_over_all_runs() -> None:
    first = threading.Event()

    def answer(asked: Asked) -> str:
        if asked.number < 3:
            first.wait(0.3)  # let others come, if they can
        return "fine"

    with ScriptedServer(answer) as server, Client("m", base_url=server.url, concurrency=3) as client:
        runs = [client.run(f"r{number}") for number in range(4)]
        with ThreadPoolExecutor(12) as pool:
            list(pool.map(lambda number: runs[number % 4].complete(USER), range(24)))
        assert [run.ledger.usage.calls for run in runs] == [6, 6, 6, 6]
    assert server.most_at_once == 3
    assert client.usage.calls == 24
    assert client.usage.source == "client"
    assert runs[0].ledger.usage.source == "r0_aggregate"


def test_context_variables_are_those_of_the_caller() -> None:
    held = contextvars.ContextVar("held", default="")

    class Own:
        provider = ""

        def ask(self, request: Request) -> Reply:
            return Reply(held.get())

        def close(self) -> None:
            closed.append(True)

    closed: list[bool] = []
    with Client("m", model_api=Own()) as client:
        held.set("mine")
        assert client.complete(USER) == "mine"
        assert client.ready
    assert closed == [True]


def test_contextualize_asks_this_client() -> None:
    text = "# A\n\nOne two three.\n\n# B\n\nFour five six.\n"
    chunks = cantle.MDocument.from_text(text).chunk(max_size=20, overlap=0)

    with ScriptedServer(lambda asked: "<think>hm</think>A note.") as server, Client("m", base_url=server.url) as client:
        noted = cantle.contextualize(client, text, chunks, model="other", temperature=1)
    assert len(noted) == len(chunks)
    assert all("A note." in chunk.text for chunk in noted)
    assert {(asked.body["model"], asked.body["temperature"]) for asked in server.requests} == {("other", 1.0)}


def test_contextualize_without_a_key_is_an_error_and_not_a_warning() -> None:
    chunks = cantle.MDocument.from_text("One two three.").chunk(max_size=20, overlap=0)
    with pytest.raises(ModelError, match="Give Client"):
        cantle.contextualize(Client("m"), "One two three.", chunks)


@pytest.mark.parametrize("reason", [*REASONS, "of_ones_own"])
def test_errors_are_pickled_whole(reason: str) -> None:
    error = error_of(reason, "detail {x} %s")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert isinstance(copy, CantleError)
    assert (copy.reason, copy.detail, str(copy)) == (reason, "detail {x} %s", str(error))


def test_classes_of_errors_say_what_can_be_done() -> None:
    assert isinstance(error_of("refused"), RefusedError)
    assert isinstance(error_of("content_filter"), RefusedError)
    assert isinstance(error_of("budget"), BudgetError)
    assert error_of("budget").is_fatal
    assert type(error_of("malformed")) is AnswerError
    assert not error_of("malformed").is_fatal
    assert str(error_of("timeout")) == "No answer came in time."


@pytest.mark.parametrize(
    "text", ["a\x00b", "\ufeffx", "\u202ex", "a\udc00b", "\ud800", "\U0001f600\ud83d", "\r\n", " "]
)
def test_any_text_is_sent(text: str) -> None:
    schema = {"type": "object", "properties": {"x": {"description": text}}}
    with ScriptedServer(lambda asked: {}) as server, Client("m", base_url=server.url) as client:
        client.structured([{"role": "system", "content": text}, {"role": "user", "content": text}], schema)
    sent = "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in text)
    assert server.requests[0].prompt == server.requests[0].system == sent
    assert server.requests[0].schema == {"type": "object", "properties": {"x": {"description": sent}}}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        "hello",
        {"role": "user", "content": "x"},
        ["hello"],
        [{"role": "user"}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": [{"type": "text", "text": "x"}]}],
        [{"role": 1, "content": "x"}],
        [{"role": "user", "content": "x", "name": "y"}],
        None,
    ],
)
def test_messages_of_another_form_are_errors(messages: Any) -> None:
    with Client("m", base_url="http://127.0.0.1:1/v1") as client, pytest.raises(OptionError, match="messages"):
        client.complete(messages)


def test_options_of_a_call() -> None:
    with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url) as client:
        client.complete(USER, model="n", temperature=None, max_output_tokens=7)
        client.complete(USER)
        for wrong in ({"temperature": 3}, {"max_output_tokens": 0}, {"model": ""}, {"top_p": 1}):
            with pytest.raises(OptionError, match=next(iter(wrong))):
                client.complete(USER, **wrong)
    first, second = (asked.body for asked in server.requests)
    assert first == {"messages": USER, "model": "n", "max_tokens": 7}
    assert second == {"messages": USER, "model": "m", "temperature": 0.0}
    with Client(base_url="http://127.0.0.1:1/v1") as client, pytest.raises(OptionError, match="No model is named"):
        client.complete(USER)


def test_retries_are_counted_in_the_error_and_none_are_made_where_none_are_wanted() -> None:
    for retries in (0, 2):
        with (
            ScriptedServer(lambda asked: Fault.http(503)) as server,
            Client("m", base_url=server.url, retries=retries) as client,
            pytest.raises(ModelError) as caught,
        ):
            client.complete(USER)
        assert len(server.requests) == retries + 1
        assert ("3 requests were made" in str(caught.value)) == (retries == 2)


def test_an_address_of_this_machine_is_not_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url, retries=0) as client:
        assert client.complete(USER) == "fine"


def test_other_addresses_are_asked_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(lambda asked: "by the proxy") as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        with Client("m", base_url="http://model.invalid/v1", retries=0) as client:
            assert client.complete(USER) == "by the proxy"
    assert proxy.requests[0].headers["host"] == "model.invalid"


@pytest.mark.parametrize("ending", ["", "/", "//", "/chat/completions", "/chat/completions/"])
def test_endings_of_the_address_do_not_matter(ending: str) -> None:
    with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url + ending) as client:
        assert client.complete(USER) == "fine"


def nobody() -> str:
    """An address where nothing listens."""
    with ScriptedServer([]) as server:
        return server.url


def test_a_server_that_is_not_there_ends_a_run() -> None:
    url = nobody()
    with Client("m", base_url=url, retries=1) as client:
        outcomes = each(list(range(40)), lambda n: client.complete([{"role": "user", "content": str(n)}]), workers=2)
    errors = [outcome.error for outcome in outcomes]
    assert {error.reason for error in errors if error} == {"unreachable"}
    assert all(error is not None and error.is_fatal for error in errors)
    assert len({id(error) for error in errors}) <= 3  # those of the first calls; the others have one of them
    said = str(errors[0])
    assert said.startswith(f"No connection to the server can be made. Is a server running at {url}, and is the address")
    assert "refused" in said.lower() or os.name == "nt"
    assert said.endswith("It was tried 2 times.")


def test_a_host_that_is_not_known_is_unreachable() -> None:
    with (
        Client("m", base_url="http://no-such-host.invalid/v1", retries=0) as client,
        pytest.raises(ModelError, match=r"http://no-such-host\.invalid/v1") as caught,
    ):
        client.complete(USER)
    assert caught.value.reason == "unreachable"


def test_a_server_that_has_answered_before_may_come_back() -> None:
    with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url, retries=0) as client:
        assert client.complete(USER) == "fine"
        client._api._client(0).base_url = nobody()  # type: ignore[union-attr]
        with pytest.raises(ModelError) as caught:
            client.complete(USER)
    assert caught.value.reason == "connection"
    assert not caught.value.is_fatal


def test_a_request_that_was_never_sent_costs_nothing() -> None:
    limit: dict[str, Any] = {"budget": "0.001", "price": (1, 1), "max_output_tokens": 300}  # room for one request
    with Client("m", base_url=nobody(), retries=1, **limit) as client:
        for _ in range(2):
            with pytest.raises(ModelError) as caught:
                client.complete(USER)
            assert caught.value.reason == "unreachable"
    assert client.control.decision == "allow"


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("The model x does not exist", "The model x does not exist."),
        ("It is not there..", "It is not there."),
        ("Wait ...", "Wait ..."),
        ("Is it there?", "Is it there?"),
        ("It said 'no.'", "It said 'no.'"),
        ("", ""),
    ],
)
def test_what_providers_say_ends_in_one_full_stop(said: str, wanted: str) -> None:
    assert str(ModelError("not_found", said)) == f"There is no such model or address (404). {wanted}".strip()


def test_the_number_of_requests_is_a_sentence_of_its_own() -> None:
    with (
        ScriptedServer(lambda asked: Fault.http(500, "it does not exist")) as server,
        Client("m", base_url=server.url, retries=1) as client,
        pytest.raises(ModelError, match=r"it does not exist'?.*\. 2 requests were made\.$"),
    ):
        client.complete(USER)
