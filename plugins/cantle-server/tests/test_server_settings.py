"""Settings: where they come from, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from cantle.errors import CantleWarning, OptionError
from cantle_server import Settings, create_app

SECRET = "0123456789abcdef0123456789abcdef"


def test_arguments_go_before_variables_and_those_before_defaults() -> None:
    env = {"CANTLE_SERVER_SECRET": SECRET, "CANTLE_SERVER_PORT": "9000", "CANTLE_SERVER_RATE": "10", "X": "1"}
    found = Settings.of({"port": 7000, "queue": None}, env)
    assert (found.port, found.rate, found.queue, found.secret) == (7000, 10.0, 128, SECRET)
    assert Settings.of({"secret": SECRET}, {"CANTLE_SERVER_PORT": " "}).port == 8000
    found = Settings.of({"secret": SECRET, "media_hosts": "A.example.com, *.b.org"}, {})
    assert found.media_hosts == ("a.example.com", "*.b.org")


def test_nothing_secret_is_shown() -> None:
    found = Settings.of({"secret": SECRET, "store": "postgresql://me:hunter2@db/x"}, {})
    assert SECRET not in repr(found)
    assert "hunter2" not in repr(found)
    app = create_app(found)
    assert SECRET not in repr(vars(app.state))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "No key for tokens is set"),
        ({"secret": "short"}, "secret must have at least 32 bytes"),
        ({"secret": 7}, "secret must be a string"),
        ({"secret": SECRET, "jwks_url": "https://a.example/"}, "secret and jwks_url are given"),
        ({"dev": True, "jwks_url": "https://a.example/"}, "dev makes a secret of its own"),
        ({"dev": True, "host": "0.0.0.0"}, "listens on loopback alone"),
        ({"dev": True, "host": "::"}, "listens on loopback alone"),
        ({"dev": True, "host": "example.com"}, "listens on loopback alone"),
        ({"dev": "maybe"}, "dev must be true or false"),
        ({"jwks_url": "http://a.example/"}, "must be an address that begins with https://"),
        ({"jwks_url": "https://u:p@a.example/"}, "must be an address that begins with https://"),
        ({"jwks_url": "file:///etc/passwd"}, "must be an address that begins with https://"),
        ({"jwks_url": "https://[/"}, "must be an address that begins with https://"),
        ({"secret": SECRET, "port": 70000}, "port must be a whole number from 0 to 65,535"),
        ({"secret": SECRET, "port": True}, "port must be a whole number"),
        ({"secret": SECRET, "port": "x" * 5000}, "port must be a whole number"),
        ({"secret": SECRET, "rate": "nan"}, "rate must be a number"),
        ({"secret": SECRET, "queue": 10**5000}, "queue must be a whole number"),
        ({"secret": SECRET, "max_jobs": 0}, "max_jobs must be a whole number from 1"),
        ({"secret": SECRET, "host": "a b"}, "host must be an address"),
        ({"secret": SECRET, "embedder": "e5"}, "embedder is for a store"),
        ({"secret": SECRET, "media_schemes": "ftp"}, "media_schemes must be https"),
        ({"secret": SECRET, "media_hosts": "http://a"}, "media_hosts must be host names"),
        ({"secret": SECRET, "log_level": "loud"}, "log_level must be one of"),
        ({"secret": SECRET, "audience": " "}, "audience must be a string that is not empty"),
        ({"secret": SECRET, "colour": 1}, "There is no setting 'colour'"),
    ],
)
def test_wrong_values_are_told_before_anything_starts(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Settings.of(given, {})
    assert message in str(caught.value)
    assert "short" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_variable_is_named_where_it_is_wrong() -> None:
    with pytest.raises(OptionError, match="CANTLE_SERVER_PORT must be a whole number"):
        Settings.of({}, {"CANTLE_SERVER_PORT": "http"})


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("CANTLE_SERVER_MAX_JOB", "Did you mean CANTLE_SERVER_MAX_JOBS?"),
        ("CANTLE_SERVER_RATES", "Did you mean CANTLE_SERVER_RATE?"),
        ("cantle_server_rate", "Did you mean CANTLE_SERVER_RATE?"),
        ("CANTLE_SERVER_COLOUR", "has all settings"),
        ("CANTLE_SERVER_", "has all settings"),
        ("CANTLE_SERVER_" + "X" * 100_000, "has all settings"),
        ("CANTLE_SERVER_\x1b[31m\udcff", "has all settings"),
    ],
)
def test_a_variable_that_is_no_setting_is_warned_of(variable: str, hint: str) -> None:
    with pytest.warns(CantleWarning) as caught:
        assert Settings.of({"secret": SECRET}, {variable: "x"}).max_jobs == 32
    (message,) = (str(one.message) for one in caught)
    assert hint in message
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 300


def test_what_kubernetes_and_docker_set_for_a_service_of_that_name_breaks_nothing() -> None:
    env = {
        "CANTLE_SERVER_SERVICE_HOST": "10.0.0.1",
        "CANTLE_SERVER_SERVICE_PORT": "8000",
        "CANTLE_SERVER_SERVICE_PORT_HTTP": "8000",
        "CANTLE_SERVER_PORT_8000_TCP": "tcp://10.0.0.1:8000",
        "CANTLE_SERVER_PORT_8000_TCP_PROTO": "tcp",
        "CANTLE_SERVER_PORT_8000_TCP_ADDR": "10.0.0.1",
        "CANTLE_SERVER_METRICS_SERVICE_HOST": "10.0.0.2",
        "CANTLE_SERVER_METRICS_PORT": "tcp://10.0.0.2:9000",
        "CANTLE_SERVER_NAME": "/web/cantle-server",
        "CANTLE_SERVER_ENV_LANG": "C",
    }
    assert Settings.of({"secret": SECRET}, env).port == 8000
    env["CANTLE_SERVER_PORT"] = "tcp://10.0.0.1:9000"
    with pytest.warns(CantleWarning, match="CANTLE_SERVER_PORT is an address, as Kubernetes sets it"):
        assert Settings.of({"secret": SECRET}, env).port == 8000


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "[::1]", "127.8.8.8"])
def test_dev_listens_on_loopback(host: str) -> None:
    settings = Settings.of({"dev": True, "host": host}, {})
    one, two = (create_app(settings).state.settings.secret for _ in range(2))
    assert len(one) >= 32
    assert one != two
