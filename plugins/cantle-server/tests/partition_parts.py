"""One service for all tests of partition in a module: a scripted model, a store in memory, an embedder."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from fastapi.testclient import TestClient
from service_parts import ANSWER, TEXT, Embedder, bearer, settings

from cantle_llm import Client
from cantle_llm.testing import Asked, ScriptedServer
from cantle_server.app import create_app
from cantle_store import Store

URL = "/v1/partition"

_numbers = itertools.count()


def answered(asked: Asked) -> Any:
    """A partition, or a name for a dataset."""
    return ANSWER if "lines-" in asked.prompt else "Journey of a hero"


class Service:
    """One service for all tests; each has a host of its own, and says how the model answers."""

    def __init__(self, http: TestClient, model: ScriptedServer, root: Store, embedder: Embedder) -> None:
        self.http, self.model, self.root, self.embedder = http, model, root, embedder
        self.answer: Callable[[Asked], Any] = answered
        self.host, self._before = "", 0

    def begin(self) -> Service:
        """A host that has nothing yet."""
        self.host, self.answer, self.embedder.fails = f"host-{next(_numbers)}", answered, False
        self._before, self.embedder.asked = len(self.model.requests), []
        return self

    @property
    def store(self) -> Store:
        """The store of the host."""
        return self.root.for_host(self.host)

    @property
    def asked(self) -> int:
        """How often the model was asked."""
        return len(self.model.requests) - self._before

    def bearer(self, roles: list[str] | None = None) -> dict[str, str]:
        """The header of a token of this host."""
        return bearer(self.host, roles=roles)

    def ask(self, body: Any = None, headers: dict[str, str] | None = None, **options: Any) -> httpx.Response:
        """Post a partition."""
        body = {"text": TEXT, "options": options} if body is None else body
        return self.http.post(URL, json=body, headers=headers or self.bearer())

    def metrics(self) -> str:
        """The counters."""
        return self.http.get("/metrics", headers=self.bearer()).text


@contextmanager
def running() -> Iterator[Service]:
    """The service, with a scripted model, a store in memory and an embedder in the process."""
    embedder, found = Embedder(), list[Service]()
    with (
        ScriptedServer(lambda asked: found[0].answer(asked)) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", provider="openai", retries=0, reasks=0) as client,
        Store("sqlite://", embedder=embedder) as store,
        TestClient(create_app(settings(max_characters=50_000), store=store, client=client)) as http,
    ):
        found.append(Service(http, model, store, embedder))
        yield found[0]
