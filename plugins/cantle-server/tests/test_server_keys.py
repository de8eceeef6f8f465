"""Keys that are fetched: which are taken, how often the address is asked, what happens when it does not answer."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from service import Service

from cantle_server import Problem
from cantle_server.auth import keys as module
from cantle_server.auth.keys import MAX_AGE, REFRESH, Fetched

PATH = "/v1/strategies/recursive"
ONE, TWO = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
CURVE = ec.generate_private_key(ec.SECP256R1())
EDWARDS = ed25519.Ed25519PrivateKey.generate()


def jwk(key: Any, kid: str | None, **more: Any) -> dict[str, Any]:
    kind = {rsa.RSAPrivateKey: RSAAlgorithm, ec.EllipticCurvePrivateKey: ECAlgorithm}
    algorithm: Any = next((value for cls, value in kind.items() if isinstance(key, cls)), OKPAlgorithm)
    found = json.loads(algorithm.to_jwk(key.public_key()))
    return {**found, **({} if kid is None else {"kid": kid}), **more}


def token(key: Any, algorithm: str = "RS256", kid: str | None = "one") -> str:
    claims = {"hostId": "acme", "userId": "ana", "exp": int(time.time()) + 86_400}
    return jwt.encode(claims, key, algorithm, headers={} if kid is None else {"kid": kid})


class Keys:
    """A server of keys; `answer` is what it says, `asked` how often it was asked."""

    def __init__(self) -> None:
        self.status, self.headers, self.asked = 200, dict[str, str](), 0
        self.answer: bytes = b""
        self.set(jwk(ONE, "one"))
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(outer.answer)))
                self.end_headers()
                self.wfile.write(outer.answer)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/keys"

    def set(self, *keys: dict[str, Any]) -> None:
        self.answer = json.dumps({"keys": keys}).encode()


@pytest.fixture
def keys() -> Iterator[Keys]:
    found = Keys()
    thread = threading.Thread(target=found.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_service_takes_the_keys_of_the_set(keys: Keys) -> None:
    keys.set(jwk(ONE, "one"), jwk(CURVE, "curve"), jwk(EDWARDS, "edwards"), jwk(TWO, "enc", use="enc"))
    with Service(jwks_url=keys.url) as running:

        def answer(*arguments: Any) -> Any:
            return running.client(token(*arguments)).get(PATH)

        assert answer(ONE).status_code == 200
        assert answer(CURVE, "ES256", "curve").status_code == 200
        assert answer(EDWARDS, "EdDSA", "edwards").status_code == 200
        assert keys.asked == 1
        for wrong, reason in (
            (answer(TWO, "RS256", "one"), "signature of the token is wrong"),
            (answer(CURVE, "ES256", "one"), "not signed with RS256"),
            (answer(ONE, "RS512", "one"), "not signed with RS256"),
            (answer(TWO, "RS256", "enc"), "not known"),
            (answer(ONE, "RS256", "other"), "not known"),
            (answer(b"x" * 40, "HS256", "one"), "not signed with RS256"),
        ):
            assert wrong.status_code == 401
            assert reason in wrong.json()["error"]["message"]
        assert keys.asked == 1  # strangers cause no fetch so soon after the last


def test_an_unknown_key_is_looked_for_once_in_a_while(keys: Keys) -> None:
    async def run() -> None:
        clock = Clock()
        fetched = Fetched(keys.url, clock)
        await fetched.get("one", "RS256")
        keys.set(jwk(TWO, "two"))
        with pytest.raises(Problem, match="not known"):
            await fetched.get("two", "RS256")
        clock.now += REFRESH
        assert (await fetched.get("two", "RS256")).kid == "two"
        with pytest.raises(Problem, match="not known"):  # it was withdrawn
            await fetched.get("one", "RS256")
        found = await asyncio.gather(*(fetched.get("x", "RS256") for _ in range(50)), return_exceptions=True)
        assert all(isinstance(one, Problem) for one in found)
        assert keys.asked == 2

    asyncio.run(run())


def test_those_who_wait_for_a_slow_answer_do_not_ask_again_each(keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    async def slow(url: str) -> Any:
        keys.asked += 1
        await asyncio.sleep(0)
        clock.now += 5.0
        raise TimeoutError

    async def run() -> None:
        fetched = Fetched(keys.url, clock)
        found = await asyncio.gather(*(fetched.get("one", "RS256") for _ in range(50)), return_exceptions=True)
        assert {getattr(one, "code", one) for one in found} == {"keys_unavailable"}
        assert keys.asked == 1

    monkeypatch.setattr(module, "_download", slow)
    asyncio.run(run())


def test_keys_are_fetched_again_after_an_hour_and_stay_good_where_that_fails(keys: Keys) -> None:
    async def run() -> None:
        clock = Clock()
        fetched = Fetched(keys.url, clock)
        await fetched.get("one", "RS256")
        keys.status = 500
        clock.now += MAX_AGE + 1
        assert (await fetched.get("one", "RS256")).kid == "one"
        assert keys.asked == 2
        assert (await fetched.get("one", "RS256")).kid == "one"
        assert keys.asked == 2
        keys.status = 200
        keys.set(jwk(TWO, "two"))
        clock.now += REFRESH
        with pytest.raises(Problem, match="not known"):
            await fetched.get("one", "RS256")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (500, b"{}"),
        (302, b""),
        (200, b"{"),
        (200, b"[" * 100_000),
        (200, b'{"keys": []}'),
        (200, b'{"keys": [{"kty": "RSA", "n": 1}, 7, {"kty": "oct", "k": "AAAA"}, {"kty": "EC", "crv": "P-256"}]}'),
        (200, b" " * (1 << 20) + b"{}"),
    ],
    ids=str,
)
def test_without_keys_it_is_503_and_soon_tried_again(keys: Keys, status: int, answer: bytes) -> None:
    async def run() -> None:
        clock = Clock()
        fetched = Fetched(keys.url, clock)
        good, keys.answer, keys.status = keys.answer, answer, status
        keys.headers = {"Location": keys.url.replace("/keys", "/other")} if status == 302 else {}
        for _ in range(3):
            with pytest.raises(Problem) as caught:
                await fetched.get("one", "RS256")
            assert caught.value.status == 503
        assert keys.asked == 1
        keys.answer, keys.status = good, 200
        clock.now += 5
        assert (await fetched.get("one", "RS256")).kid == "one"

    asyncio.run(run())


def test_keys_that_are_weak_or_private_are_left_out(keys: Keys) -> None:
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    private = json.loads(RSAAlgorithm.to_jwk(TWO))
    keys.set(jwk(weak, "weak"), {**private, "kid": "private"}, jwk(ONE, None), jwk(CURVE, "curve", alg="HS256"))

    async def run() -> None:
        fetched = Fetched(keys.url)
        assert (await fetched.get("any", "RS256")).algorithm == "RS256"
        assert (await fetched.get(None, "HS256")).algorithm == "RS256"

    asyncio.run(run())
