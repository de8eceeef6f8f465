"""Tokens: which are good, and what is said of those that are not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from service import SECRET, Service

from cantle.errors import OptionError
from cantle_server import Problem, issue_token
from cantle_server.auth import Verifier, tokens
from cantle_server.auth.tokens import Secret

PATH = "/v1/strategies/recursive"


def claims(**more: Any) -> dict[str, Any]:
    found = {"hostId": "acme", "userId": "ana", "exp": int(time.time()) + 86_400, **more}
    return {name: value for name, value in found.items() if value is not ...}


def signed(secret: str = SECRET, algorithm: str = "HS256", headers: dict[str, Any] | None = None, **more: Any) -> str:
    return jwt.encode(claims(**more), secret, algorithm=algorithm, headers=headers)


def part(value: Any) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def by_hand(header: Any, body: Any, secret: bytes = SECRET.encode()) -> str:
    """A token with anything in it, signed with HMAC."""
    text = f"{part(header)}.{part(body)}"
    return f"{text}.{part(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


HS = {"alg": "HS256", "typ": "JWT"}

ENDLESS = json.dumps(claims(exp=...)).replace("}", ', "exp": 1e999}').encode()

BAD = {
    "nothing in it": ("Bearer", "must be: Bearer TOKEN"),
    "another kind": ("Basic YTpi", "must be: Bearer TOKEN"),
    "no token at all": ("Bearer abc", "not a JSON Web Token"),
    "two parts": ("Bearer a.b", "not a JSON Web Token"),
    "not ASCII": ("Bearer \xe9.b.c", "not a JSON Web Token"),
    "alg none": (f"Bearer {part({'alg': 'none'})}.{part(claims())}.", "not signed with HS256"),
    "alg None": (f"Bearer {part({'alg': 'None'})}.{part(claims())}.", "not signed with HS256"),
    "no alg": (f"Bearer {part({'typ': 'JWT'})}.{part(claims())}.", "not a JSON Web Token|not signed with HS256"),
    "alg is a list": (f"Bearer {by_hand({'alg': ['HS256']}, claims())}", "not signed with HS256|not a JSON Web Token"),
    "HS512": (f"Bearer {signed(SECRET * 2, 'HS512')}", "not signed with HS256"),
    "another secret": (f"Bearer {signed('b' * 40)}", "signature of the token is wrong"),
    "no signature": (f"Bearer {signed().rpartition('.')[0]}.", "signature of the token is wrong"),
    "changed claims": (
        "Bearer " + ".".join([signed().split(".")[0], part(claims(hostId="other")), signed().split(".")[2]]),
        "signature of the token is wrong",
    ),
    "expired": (f"Bearer {signed(exp=int(time.time()) - 60)}", "has expired"),
    "no exp": (f"Bearer {signed(exp=...)}", "no claim exp"),
    "not yet": (f"Bearer {signed(nbf=int(time.time()) + 43_200)}", "not valid yet"),
    "issued later": (f"Bearer {signed(iat=int(time.time()) + 43_200)}", "not valid yet"),
    "exp is a word": (f"Bearer {by_hand(HS, claims(exp='never'))}", "cannot be read"),
    "exp has no end": (f"Bearer {by_hand(HS, ENDLESS)}", "cannot be read"),
    "exp is a list": (f"Bearer {by_hand(HS, claims(exp=[1]))}", "cannot be read"),
    "claims are a list": (f"Bearer {by_hand(HS, [])}", "cannot be read"),
    "claims are no JSON": (f"Bearer {by_hand(HS, b'{')}", "cannot be read"),
    "claims are deep": (f"Bearer {by_hand(HS, b'[' * 4000)}", "cannot be read"),
    "claims are no UTF-8": (f"Bearer {by_hand(HS, bytes([255, 254]))}", "cannot be read"),
    "header is deep": (f"Bearer {by_hand(b'[' * 4000, claims())}", "not a JSON Web Token"),
    "kid is a number": (f"Bearer {by_hand({**HS, 'kid': 7}, claims())}", "kid|not a JSON Web Token"),
    "critical headers": (
        f"Bearer {by_hand({**HS, 'crit': ['x'], 'x': 1}, claims())}",
        "not a JSON Web Token|cannot be read",
    ),
    "oversized": (f"Bearer {signed(more='x' * 9000)}", "longer than 8192"),
    **{
        f"{name} is {value!r}": (f"Bearer {signed(**{name: value})}", f"claim {name} of the token")
        for name in ("hostId", "userId")
        for value in (..., None, "", " ", 7, ["acme"], {"a": 1}, True, "a\nb", "a" * 201, " acme")
    },
    **{
        f"roles is {roles!r}": (f"Bearer {signed(roles=roles)}", "claim roles of the token")
        for roles in (None, "admin", [1], [""], {"admin": True}, ["a"] * 101)
    },
}


@pytest.mark.parametrize("name", BAD)
def test_a_token_that_is_not_good_is_401_with_the_reason(service: Service, name: str) -> None:
    header, reason = BAD[name]
    answer = service.client(None).get(PATH, headers=[(b"Authorization", header.encode("latin-1"))])
    assert answer.status_code == 401, answer.text
    error = answer.json()["error"]
    assert any(one in error["message"] for one in reason.split("|")), error
    assert answer.headers["www-authenticate"].startswith('Bearer realm="cantle"')
    assert SECRET not in answer.text


def test_without_a_token_it_is_401(service: Service) -> None:
    answer = service.client(None).get(PATH)
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "unauthorized"
    assert answer.headers["www-authenticate"] == 'Bearer realm="cantle"'


@pytest.mark.parametrize("end", [10**400, 10**20, 1e20, "99999999999"])
def test_a_token_may_have_an_end_that_is_far_away(service: Service, end: Any) -> None:
    headers = {"Authorization": f"Bearer {by_hand(HS, claims(exp=end))}"}
    assert service.client(None).get(PATH, headers=headers).status_code == 200


def test_two_headers_are_refused(service: Service) -> None:
    good = f"Bearer {service.token()}"
    answer = service.client(None).get(PATH, headers=[("Authorization", good), ("Authorization", good)])
    assert answer.status_code == 401


def test_a_good_token_is_taken_in_any_spelling_of_bearer(service: Service) -> None:
    for kind in ("Bearer", "bearer", "BEARER"):
        answer = service.client(None).get(PATH, headers={"Authorization": f"{kind} {service.token()}"})
        assert answer.status_code == 200, answer.text


def test_roles_are_read(service: Service) -> None:
    assert service.client(signed(roles=[])).get(PATH).status_code == 200
    assert service.client(signed(roles=["hr", "legal"])).get(PATH).status_code == 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("short", "acme", "ana"), "at least 32 bytes"),
        ((7, "acme", "ana"), "at least 32 bytes"),
        ((SECRET, "", "ana"), "host_id must be"),
        ((SECRET, "acme", "a\nb"), "user_id must be"),
        ((SECRET, "acme", "ana", "admin"), "roles must be a list"),
        ((SECRET, "acme", "ana", [""]), "a role must be"),
    ],
)
def test_a_token_is_not_issued_for_what_no_service_would_take(arguments: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        issue_token(*arguments)
    assert "short" not in str(caught.value)


def test_issuer_and_audience_are_checked() -> None:
    with Service(issuer="https://login", audience="cantle") as running:
        good = running.token(issuer="https://login", audience="cantle")
        assert running.client(good).get(PATH).status_code == 200
        for more, reason in (
            ({"issuer": "https://login"}, "no claim aud"),
            ({"audience": "cantle"}, "no claim iss"),
            ({"issuer": "https://login", "audience": "other"}, "another audience"),
            ({"issuer": "https://other", "audience": "cantle"}, "another issuer"),
        ):
            answer = running.client(running.token(**more)).get(PATH)
            assert answer.status_code == 401
            assert reason in answer.json()["error"]["message"]


RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_pem(key: Any) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def public_pem(key: Any) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_a_public_key_takes_its_own_signatures_and_no_others(tmp_path: Any) -> None:
    pem = public_pem(RSA)
    (tmp_path / "key.pem").write_bytes(pem)
    with Service(public_key=str(tmp_path / "key.pem")) as running:

        def status(token: str) -> httpx.Response:
            return running.client(token).get(PATH)

        assert status(jwt.encode(claims(), RSA, "RS256")).status_code == 200
        assert status(jwt.encode(claims(), RSA, "RS256", headers={"kid": "any"})).status_code == 200
        other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        assert status(jwt.encode(claims(), other, "RS256")).status_code == 401
        # The well-known confusion: HMAC with the public key, which everybody has, as the secret.
        for secret in (pem, pem.strip(), pem.replace(b"\n", b"\r\n")):
            answer = status(by_hand(HS, claims(), secret))
            assert answer.status_code == 401
            assert "not signed with RS256" in answer.text
        assert status(jwt.encode(claims(), RSA, "RS512")).status_code == 401


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [(ec.generate_private_key(ec.SECP256R1()), "ES256"), (ed25519.Ed25519PrivateKey.generate(), "EdDSA")],
)
def test_other_kinds_of_public_keys(tmp_path: Any, key: Any, algorithm: str) -> None:
    (tmp_path / "key.pem").write_bytes(public_pem(key))
    with Service(public_key=str(tmp_path / "key.pem")) as running:
        assert running.client(jwt.encode(claims(), key, algorithm)).get(PATH).status_code == 200
        assert running.client(jwt.encode(claims(), RSA, "RS256")).get(PATH).status_code == 401


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (private_pem(RSA), "private key"),
        (b"hello", "neither a public key"),
        (b'{"keys": []}', "no public key"),
        (b'{"keys": 7}', 'list "keys"'),
        (b"{", "no JSON Web Key Set"),
        (public_pem(rsa.generate_private_key(public_exponent=65537, key_size=1024)), "1024 bits"),
        (public_pem(ec.generate_private_key(ec.SECP192R1())), "of a kind"),
    ],
)
def test_a_file_without_a_good_key_is_refused_before_the_service_starts(
    tmp_path: Any, data: bytes, message: str
) -> None:
    (tmp_path / "key").write_bytes(data)
    with pytest.raises(OptionError, match=message):
        Service(public_key=str(tmp_path / "key"))
    with pytest.raises(OptionError, match="cannot be read"):
        Service(public_key=str(tmp_path / "none"))


def test_a_good_token_is_remembered_for_a_while_and_never_beyond_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(Secret):
        asked = 0

        async def get(self, kid: str | None, algorithm: str) -> Secret:
            self.asked += 1
            return self

    async def run() -> None:
        keys = Counted(SECRET)
        verifier = Verifier(keys, leeway=0)
        start = time.time()
        long, short = signed(exp=int(start) + 600), signed(exp=int(start) + 10)
        for _ in range(5):
            assert (await verifier.verify(long)).host_id == "acme"
            assert (await verifier.verify(short)).host_id == "acme"
        assert keys.asked == 2
        monkeypatch.setattr(tokens.time, "time", lambda: start + 11)
        assert (await verifier.verify(long)).host_id == "acme"
        assert keys.asked == 2
        with pytest.raises(Problem):  # whether PyJWT looks at this clock or at its own
            verifier._claims(signed(exp=int(start) - 1), keys)
        assert verifier._known[hashlib.sha256(short.encode()).digest()][1] <= start + 10
        monkeypatch.setattr(tokens.time, "time", lambda: start + 61)
        assert (await verifier.verify(long)).host_id == "acme"
        assert keys.asked == 3
        for number in range(5000):
            await verifier.verify(signed(userId=str(number)))
        assert len(verifier._known) == 4096

    asyncio.run(run())
