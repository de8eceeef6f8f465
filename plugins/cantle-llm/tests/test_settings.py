"""Settings: by argument, by variable, by default; wrong ones are named; a key goes only where it belongs."""

from __future__ import annotations

import os
from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import OptionError
from cantle_llm import Client, ModelError, Settings
from cantle_llm.testing import ScriptedServer

USER = [{"role": "user", "content": "hello"}]

GOOD: list[tuple[str, Any, str, Any]] = [
    ("model", "m", "m", "m"),
    ("base_url", "http://localhost:1/v1", "http://localhost:1/v1", "http://localhost:1/v1"),
    ("base_url", "https://x.example/v1/chat/completions/", " https://x.example/v1/ ", "https://x.example/v1"),
    ("api_key", "sk-1", " sk-1\n", "sk-1"),
    ("provider", "azure", "azure", "azure"),
    ("temperature", 0.5, "0.5", 0.5),
    ("temperature", "none", "NONE", None),
    ("max_output_tokens", 100, "100", 100),
    ("timeout", 2, "2", 2.0),
    ("retries", 0, "0", 0),
    ("reasks", 3, "3", 3),
    ("concurrency", 16, "16", 16),
    ("structured", "text", "text", "text"),
    ("budget", 0.1, "0.1", Decimal("0.1")),
    ("budget", Decimal("0"), "0", Decimal(0)),
    ("token_budget", 1000, "1000", 1000),
    ("price", (0.1, "0.4"), "0.1, 0.4", (Decimal("0.1"), Decimal("0.4"))),
    ("answers", Path("a.jsonl"), "a.jsonl", "a.jsonl"),
    ("replay", True, "yes", True),
    ("replay", False, "off", False),
]


@pytest.mark.parametrize(("name", "argument", "written", "expected"), GOOD)
def test_a_setting_is_given_by_argument_or_by_variable(name: str, argument: Any, written: str, expected: Any) -> None:
    variable = f"CANTLE_LLM_{name.upper()}"
    assert getattr(Settings.of({name: argument}, {}), name) == expected
    assert getattr(Settings.of({}, {variable: written}), name) == expected
    assert getattr(Settings.of({name: argument}, {variable: "rubbish \x00"}), name) == expected
    assert getattr(Settings.of({name: None}, {variable: written}), name) == expected


def test_every_setting_is_among_those_tested() -> None:
    assert {name for name, *_ in GOOD} == {one.name for one in fields(Settings)}


def test_an_empty_variable_is_left_out() -> None:
    empty = {f"CANTLE_LLM_{one.name.upper()}": " " for one in fields(Settings)}
    assert Settings.of({}, empty) == Settings()


HUGE = 10**5000
BAD: list[tuple[str, Any]] = [
    *[("model", value) for value in ("", " ", 7, b"m", True)],
    *[("base_url", value) for value in ("", "localhost:1", "ftp://x", "http://", "http://x y", "http://[", 7)],
    *[("base_url", value) for value in ("http://x:99999/v1", "http://x/v1?a=b", "http://x/v1#a", "javascript:x")],
    *[("api_key", value) for value in ("two words", "schl\u00fcssel", "a\nb", "a\x00b", b"x", 7)],
    ("provider", 7),
    *[("temperature", value) for value in (-0.1, 2.1, "", "hot", float("nan"), float("inf"), True, HUGE, [])],
    *[("max_output_tokens", value) for value in (0, -1, 1.5, "many", float("nan"), True, HUGE, 10**8)],
    *[("timeout", value) for value in (0, -1, "", float("nan"), float("inf"), False, HUGE, 10**6)],
    *[("retries", value) for value in (-1, 0.5, 101, True, "", HUGE)],
    *[("reasks", value) for value in (-1, 11)],
    *[("concurrency", value) for value in (0, -1, 1.5, 2000, True, "x", HUGE)],
    *[("structured", value) for value in ("json", "", 7, None.__class__)],
    *[("budget", value) for value in (-1, "", "1 USD", float("nan"), float("inf"), "-inf", "sNaN", True, HUGE, "1e99")],
    *[("budget", value) for value in ("1e-999999999", "1e999999999999", [])],
    *[("token_budget", value) for value in (-1, 0.5, "", float("inf"), True, HUGE)],
    *[
        ("price", value)
        for value in ("", "1", "1,2,3", "a,b", (1,), (1, -1), 7, {"a": 1}, (True, 1), (1, float("nan")))
    ],
    *[("answers", value) for value in ("", 7, b"x", "a\x00b")],
    *[("replay", value) for value in ("", "maybe", 2, [])],
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=lambda value: str(value)[:12] if value is not HUGE else "huge")
def test_a_wrong_value_is_an_error_that_names_it(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"^{name} must ") as caught:
        Client(**({"model": "m"} | {name: value}))
    assert len(str(caught.value)) < 500
    if isinstance(value, str) and value.strip() and "\x00" not in value:
        variable = f"CANTLE_LLM_{name.upper()}"
        with pytest.raises(OptionError, match=f"^{variable} must "):
            Settings.of({}, {variable: value})


def test_an_unknown_argument_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"no argument 'modle'\. It takes: model, base_url"):
        Client(modle="x")


def test_a_key_is_never_shown() -> None:
    with Client("m", api_key="sk-secret", base_url="http://localhost:1/v1") as client:
        assert "secret" not in repr(client) + repr(client.settings) + str(client.settings)
        assert "secret" not in repr(client._model_api())
    for wrong in ("sk-secret with spaces", b"sk-secret"):
        with pytest.raises(OptionError) as caught:
            Client("m", api_key=wrong)
        assert "secret" not in str(caught.value)
    with pytest.raises(OptionError) as caught:
        Client("m", base_url="https://user:secret@example.org/v1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/v1?key=secret",
        "https://example.org/v1#secret",
        "htps:/example.org/v1?key=secret",
        "user:secret@example.org/v1",
        "https://example.org:99999/v1?key=secret",
        "example.org/v1?key=sec@ret#secret",
    ],
)
def test_a_key_in_an_address_is_not_repeated(url: str) -> None:
    with pytest.raises(OptionError, match=r"base_url must .*example") as caught:
        Client("m", base_url=url)
    assert "secret" not in str(caught.value)
    assert "sec@ret" not in str(caught.value)


OPENAI, OWN = "sk-openai", "sk-own"
HERE, THERE = "http://here.example/v1", "http://there.example/v1"


@pytest.mark.parametrize(
    ("given", "environment", "key", "url"),
    [
        ({}, {"OPENAI_API_KEY": OPENAI}, OPENAI, None),
        ({"base_url": HERE}, {"OPENAI_API_KEY": OPENAI}, None, HERE),
        ({}, {"OPENAI_API_KEY": OPENAI, "CANTLE_LLM_BASE_URL": HERE}, None, HERE),
        ({}, {"OPENAI_API_KEY": OPENAI, "OPENAI_BASE_URL": HERE}, OPENAI, HERE),
        ({}, {"OPENAI_API_KEY": OPENAI, "OPENAI_BASE_URL": HERE + "/"}, OPENAI, HERE),
        ({"base_url": HERE + "/"}, {"OPENAI_API_KEY": OPENAI, "OPENAI_BASE_URL": HERE}, OPENAI, HERE),
        ({"base_url": THERE}, {"OPENAI_API_KEY": OPENAI, "OPENAI_BASE_URL": HERE}, None, THERE),
        ({}, {"OPENAI_API_KEY": OPENAI, "CANTLE_LLM_API_KEY": OWN}, OWN, None),
        ({"base_url": HERE}, {"CANTLE_LLM_API_KEY": OWN}, OWN, HERE),
        ({}, {"CANTLE_LLM_API_KEY": OWN, "CANTLE_LLM_BASE_URL": HERE}, OWN, HERE),
        ({"base_url": THERE}, {"CANTLE_LLM_API_KEY": OWN, "CANTLE_LLM_BASE_URL": HERE}, None, THERE),
        ({"base_url": THERE, "api_key": "k"}, {"CANTLE_LLM_API_KEY": OWN, "CANTLE_LLM_BASE_URL": HERE}, "k", THERE),
        ({"api_key": ""}, {"OPENAI_API_KEY": OPENAI}, "", None),
    ],
)
def test_a_key_goes_only_where_it_belongs(given: Any, environment: Any, key: str | None, url: str | None) -> None:
    settings = Settings.of(given, environment)
    assert (settings.api_key, settings.base_url) == (key, url)


def test_nothing_that_is_meant_for_openai_is_sent_to_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-openai",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "OPENAI_ORG_ID": "org-1",
        "OPENAI_PROJECT_ID": "proj-1",
        "OPENAI_CUSTOM_HEADERS": "x-mine: custom-1\nauthorization: Bearer custom-2",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    answers: list[Any] = ["<html>", "fine"]  # also when a request is made anew with fewer retries left
    from cantle_llm.testing import Fault

    with ScriptedServer([Fault.garbage(), "fine"]) as server, Client("m", base_url=server.url, retries=2) as client:
        assert client.complete(USER) == "fine"
    assert len(server.requests) == len(answers)
    for asked in server.requests:
        sent = " ".join(f"{name}: {value}" for name, value in asked.headers.items())
        for value in ("sk-openai", "sk-admin", "org-1", "proj-1", "custom-1", "custom-2"):
            assert value not in sent
    with ScriptedServer(["fine"]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with Client("m") as client:
            client.complete(USER)
    assert server.requests[0].headers["openai-organization"] == "org-1"


def test_without_a_key_and_an_address_nothing_can_be_asked() -> None:
    client = Client("m")
    with pytest.raises(ModelError, match="No key is given") as caught:
        client.complete(USER)
    assert caught.value.reason == "unauthorized"
    assert caught.value.is_fatal
    with pytest.raises(ModelError, match="No key is given"):
        _ = client.ready
    assert Client("m", api_key="k").ready
    assert Client("m", base_url="http://localhost:1/v1").ready


def test_replay_needs_a_file() -> None:
    with pytest.raises(OptionError, match="replay needs answers"):
        Client("m", replay=True)
    with pytest.raises(OptionError, match="replay needs answers"):
        Client("m", replay=True, answers=os.devnull)


def test_the_null_device_keeps_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CANTLE_LLM_ANSWERS", str(tmp_path / "a.jsonl"))
    assert Client("m", answers=os.devnull).answers is None
    assert not (tmp_path / "a.jsonl").exists()
    assert Client("m").answers is not None


def test_a_key_that_was_not_sent_is_no_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    withheld = "No key was sent: the one in OPENAI_API_KEY goes to OpenAI alone; set CANTLE_LLM_API_KEY."
    with ScriptedServer(["fine"] * 2, key="sk-own") as server:
        for key, said in (("sk-openai", withheld), ("", "No key was sent; set CANTLE_LLM_API_KEY.")):
            monkeypatch.setenv("OPENAI_API_KEY", key)
            with Client("m", base_url=server.url, retries=0) as client, pytest.raises(ModelError) as caught:
                client.complete(USER)
            assert said in str(caught.value)
