"""A real Chromium, and pages in it that record whatever goes wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from cantle import Chunks, MDocument
from cantle_inspect import explained

TIDE = Path(__file__).parents[1] / "tests" / "documents" / "tide-tables.md"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Opened:
    """A page in the browser, and what it complained about."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def texts(self) -> dict[int, str]:
        """Number of a chunk -> the text of its marks, joined."""
        found: dict[str, str] = self.page.evaluate(
            """() => {
              const found = {};
              for (const mark of document.querySelectorAll("#text bdi[data-chunk]"))
                for (const part of mark.dataset.chunk.split(" ")) {
                  const [first, last = first] = part.split("-").map(Number);
                  for (let i = first; i <= last; i += 1) found[i] = (found[i] || "") + mark.textContent;
                }
              return found;
            }"""
        )
        return {int(number): text for number, text in found.items()}


Open = Callable[..., Opened]


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
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Write HTML to a file and open it: `open_page(html, **options of the browser's context)`."""
    contexts = []
    opened: list[Opened] = []

    def open_(html: str, **options: Any) -> Opened:
        path = tmp_path / f"page {len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        result = Opened(page)
        page.on("console", lambda message: result.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: result.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (result.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: result.requests.append(request.url))
        page.on("requestfailed", lambda request: result.complaints.append(f"failed: {request.url}"))
        page.goto(path.as_uri())
        opened.append(result)
        return result

    yield open_
    for result in opened:
        assert result.complaints == []
        assert [url for url in result.requests if not url.startswith(("file:", "data:"))] == []
        assert len({url for url in result.requests if url.startswith("file:")}) == 1
    for context in contexts:
        context.close()


@pytest.fixture
def tide() -> Callable[..., Chunks]:
    """The tide tables in chunks that overlap: `tide(**options of the strategy)`."""

    def cut(**options: Any) -> Chunks:
        document = MDocument.from_file(TIDE, source=TIDE.name)
        return explained(document, "recursive", {"max_size": 300, "overlap": 80, **options})

    return cut
