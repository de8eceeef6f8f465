"""The service over a real socket, and its playground in a real Chromium that records whatever goes wrong."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, sync_playwright

from cantle_server.app import create_app
from cantle_server.auth import issue_token
from cantle_server.serving import server
from cantle_server.settings import Settings

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60_000  # milliseconds
SECRET = "a secret of the browser tests, of more than 32 bytes"

# The text of the marks of each chunk, read back from the page: characters that are written out stand in elements that
# know them.
MARKED = """() => {
  const found = {};
  const text = (node) => node.nodeType === 3 ? node.data : node.className === "sign"
    ? node.dataset.codes.split(" ").map((code) => String.fromCodePoint(parseInt(code, 16))).join("")
    : Array.from(node.childNodes, text).join("");
  for (const mark of document.querySelectorAll("#cuts bdi[data-chunk]"))
    for (const part of mark.dataset.chunk.split(" ")) {
      const [first, last = first] = part.split("-").map(Number);
      for (let i = first; i <= last; i += 1) found[i] = (found[i] || "") + text(mark);
    }
  return JSON.stringify(found);  // which can say lone surrogates
}"""


@dataclass
class Running:
    """A service that runs."""

    app: FastAPI
    url: str
    token: str


@contextmanager
def running(**settings: Any) -> Iterator[Running]:
    """A service with these settings, on a port of its own."""
    app = create_app(Settings(**{"secret": SECRET, "rate": 0, "workers": 1, **settings}))
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        uvicorn = server(app)
        thread = threading.Thread(target=uvicorn.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not uvicorn.started:
                assert thread.is_alive(), "the service did not start"
                time.sleep(0.02)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            yield Running(app, url, issue_token(SECRET, "acme", "ana", expires_in=36_000))
        finally:
            uvicorn.should_exit = True
            thread.join(60)


@dataclass
class Playground:
    """The page in the browser, and what it complained about."""

    page: Page
    service: Running
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def settled(self, state: str = "done") -> None:
        """Wait until what was done last is shown."""
        found = self.page.wait_for_function(
            "() => { const s = document.getElementById('results').dataset.state;"
            " return ['done', 'wrong'].includes(s) ? s : ''; }",
            timeout=PATIENCE,
        ).json_value()
        assert found == state, self.page.inner_text("#results")[:500]

    def put(self, text: str, **choices: str) -> None:
        """Put a text into the page, then choose what is named, and wait for the chunks."""
        self.page.locator("#input").evaluate(
            "(area, text) => { area.value = JSON.parse(text); area.dispatchEvent(new Event('input')); }",
            json.dumps(text),  # which can say lone surrogates
        )
        for name, value in choices.items():
            self.page.select_option(f"#{name}", value)
        self.settled()

    def option(self, name: str, value: str) -> None:
        self.page.fill(f"#option-{name}", value)

    def marked(self) -> dict[int, str]:
        """Number of a chunk -> the text of its marks, joined."""
        return {int(number): text for number, text in json.loads(self.page.evaluate(MARKED)).items()}

    def count(self) -> int:
        return self.page.locator("#cuts button.n").count()


Open = Callable[..., Playground]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail(
            f"No Chromium is on the PATH (looked for {', '.join(BROWSERS)}). Install it: apt-get install chromium, "
            "or brew install --cask chromium.",
            pytrace=False,
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def run() -> Callable[..., AbstractContextManager[Running]]:
    """A service with settings of one's own: `with run(rate=3) as limited: ...`."""
    return running


@pytest.fixture(scope="session")
def service() -> Iterator[Running]:
    with running() as found:
        yield found


@pytest.fixture
def open_page(browser: Browser, service: Running) -> Iterator[Open]:
    """Open the playground: `open_page(service, token=True, failing=(401,), **options of the browser's context)`.

    `failing` are statuses that the browser may report on its console: it does so for every answer of that kind.
    """
    opened: list[tuple[Playground, tuple[int, ...]]] = []

    def open_(
        of: Running | None = None, *, token: bool | str = True, failing: tuple[int, ...] = (), **options: Any
    ) -> Playground:
        of = of or service
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        page = context.new_page()
        result = Playground(page, of)
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => console.error('CSP', e.violatedDirective));"
        )
        page.on("console", lambda message: result.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: result.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (result.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: result.requests.append(request.url))
        opened.append((result, failing))
        used = of.token if token is True else token
        page.goto(f"{of.url}/#token={used}" if used else of.url)
        if token is True:
            page.wait_for_selector("#strategy option", state="attached", timeout=PATIENCE)
        return result

    yield open_
    for result, failing in opened:
        ignored = tuple(
            f"error: Failed to load resource: the server responded with a status of {one} " for one in failing
        )
        assert [one for one in result.complaints if not (ignored and one.startswith(ignored))] == []
        assert [url for url in result.requests if not url.startswith((f"{result.service.url}/", "data:"))] == []
        assert not any(result.service.token in url for url in result.requests)
        result.page.context.close()
