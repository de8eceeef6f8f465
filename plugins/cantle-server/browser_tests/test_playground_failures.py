"""The playground when something is wrong: tokens, limits, slow answers, a service that is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import httpx

Open = Callable[..., Any]
Run = Callable[..., AbstractContextManager[Any]]

TEXT = "One sentence. Another sentence. " * 20


def test_without_a_token_the_page_asks_for_one(open_page: Open, service: Any) -> None:
    opened = open_page(token="", failing=(401,))
    page = opened.page
    page.wait_for_selector("#token-form")
    page.wait_for_function("() => document.getElementById('alert').textContent.includes('token')")
    assert page.get_attribute("#token", "type") == "password"
    assert page.evaluate("document.activeElement.id") == "token"
    page.keyboard.type("not.a.token")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('alert').textContent.includes('not a JSON Web Token')")
    page.fill("#token", f"Bearer {service.token}")
    page.click("#token-form button[type=submit]")
    page.wait_for_selector("#strategy option", state="attached")
    assert page.locator("#token-form").is_hidden()
    opened.put(TEXT)
    assert opened.count() == 1
    assert page.url == f"{service.url}/"
    assert service.token not in page.content()
    assert page.evaluate("[...Object.values(localStorage), document.cookie].join('')") == ""
    page.reload()
    page.wait_for_selector("#strategy option", state="attached")  # the tab knows it still
    opened.put(TEXT)
    page.click("#token-open")
    page.click("#token-forget")
    page.wait_for_function("() => document.getElementById('alert').textContent.includes('token')")
    assert page.evaluate("sessionStorage.length") == 0


def test_the_token_of_the_address_does_not_stay_there(open_page: Open, service: Any) -> None:
    opened = open_page()
    assert opened.page.url == f"{service.url}/"
    assert opened.page.evaluate("history.length") <= 2
    opened.page.goto(f"{service.url}/#input")
    assert opened.page.evaluate("location.hash") == "#input"


def test_too_many_requests(open_page: Open, run: Run) -> None:
    with run(rate=3) as limited:
        opened = open_page(limited, failing=(429,))
        for i in range(30):
            opened.page.fill("#input", f"{TEXT}{i}")
            opened.page.wait_for_function(
                "() => ['done', 'wrong'].includes(document.getElementById('results').dataset.state)"
            )
            if opened.page.get_attribute("#results", "data-state") == "wrong":
                break
        alert = opened.page.inner_text("#alert")
        assert " s" in alert
        assert "patience" in alert


def test_too_long_a_text_keeps_the_last_chunks(open_page: Open, run: Run) -> None:
    with run(max_characters=1000) as limited:
        opened = open_page(limited, failing=(413,))
        opened.put(TEXT[:900])
        opened.page.fill("#input", TEXT * 4)
        opened.settled("wrong")
        assert "1,000" in opened.page.inner_text("#alert")
        assert opened.page.locator("#results.stale").count() == 1
        assert opened.count() == 1
        opened.put(TEXT[:500])
        assert opened.page.locator("#results.stale, #alert:not([hidden])").count() == 0


def test_a_busy_service(open_page: Open, run: Run) -> None:
    with run(queue=0, job_timeout=15) as busy:
        opened = open_page(busy, failing=(503,))
        body = {
            "text": "a" * 60 + "b",
            "strategy": "character",
            "options": {"separator": "(a|a)+$", "is_separator_regex": True},
        }

        def occupy() -> None:
            httpx.post(f"{busy.url}/v1/chunk", json=body, headers={"Authorization": f"Bearer {busy.token}"}, timeout=60)

        other = threading.Thread(target=occupy)
        other.start()
        try:
            while not busy.app.state.workers.busy:
                assert other.is_alive()
                time.sleep(0.01)
            opened.page.fill("#input", TEXT)
            opened.settled("wrong")
            assert opened.page.inner_text("#alert")
            assert "patience" in opened.page.inner_text("#alert")
        finally:
            other.join(60)
        while busy.app.state.workers.busy or not busy.app.state.workers.alive:
            time.sleep(0.01)
        opened.page.keyboard.press("Control+Enter")
        opened.settled()
        assert opened.count() == 1


def test_a_service_that_is_gone(open_page: Open, run: Run) -> None:
    with run() as gone:
        opened = open_page(gone)
        opened.put(TEXT)
    opened.page.fill("#input", TEXT + "more")
    opened.settled("wrong")
    assert "does not answer" in opened.page.inner_text("#alert")
    opened.complaints[:] = [one for one in opened.complaints if "net::ERR" not in one]


def test_answers_out_of_order_do_not_win(open_page: Open) -> None:
    opened = open_page()
    page = opened.page
    held: list[Any] = []

    def first_waits(route: Any) -> None:
        if not held:
            held.append(route)  # goes on when the second one has been answered
        else:
            route.continue_()

    page.route("**/v1/chunk", first_waits)
    page.fill("#input", "the first text")
    page.wait_for_function("() => document.getElementById('results').dataset.state === 'busy'")
    while not held:
        page.wait_for_timeout(10)
    page.fill("#input", "the second text")
    opened.settled()
    assert opened.marked() == {0: "the second text"}
    held[0].continue_()
    page.wait_for_timeout(500)
    assert opened.marked() == {0: "the second text"}
    assert page.locator("#alert").is_hidden()


def test_typing_asks_once(open_page: Open) -> None:
    opened = open_page()
    before = len(opened.requests)
    opened.page.focus("#input")
    opened.page.keyboard.type("a few words that are typed", delay=5)
    opened.settled()
    assert opened.marked() == {0: "a few words that are typed"}
    assert len(opened.requests) - before <= 3
