"""Public keys for tokens: from a file, or from a JSON Web Key Set that is fetched and kept."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt

from cantle.errors import OptionError

from ..errors import Problem
from ..settings import Settings
from .tokens import Keys, Secret, refused

__all__ = ["Fetched", "Listed", "PublicKey", "keys_of"]

_log = logging.getLogger("cantle_server")

REFRESH = 60.0
"""Seconds between two fetches that unknown key ids ask for, at least."""
MAX_AGE = 3600.0
"""Seconds after which keys are fetched again: one that was withdrawn is not good for longer."""
_AGAIN = 5.0
"""Seconds between two fetches while there are no keys at all."""
_TIMEOUT = 5.0
_MOST_BYTES = 1 << 20
_SHORTEST_RSA = 2048


@dataclass(frozen=True)
class PublicKey:
    """A public key, with its id and the one algorithm that it is for."""

    kid: str | None
    algorithm: str
    value: Any


class Listed:
    """Keys that are all known."""

    def __init__(self, keys: list[PublicKey]) -> None:
        self._keys = keys

    async def get(self, kid: str | None, algorithm: str) -> PublicKey:
        """The key of that id; without an id the only key for the algorithm, if there is one only."""
        found = self.find(kid, algorithm)
        if found is None:
            raise _unknown(kid)
        return found

    def find(self, kid: str | None, algorithm: str) -> PublicKey | None:
        """The key, or None."""
        if kid is not None:
            named = [key for key in self._keys if key.kid == kid]
            if named:
                return next((key for key in named if key.algorithm == algorithm), named[0])
            if any(key.kid is not None for key in self._keys):
                return None
        fitting = [key for key in self._keys if key.algorithm == algorithm] or self._keys
        return fitting[0] if len(fitting) == 1 else None


class Fetched:
    """Keys from an address. They are fetched when the first token comes, and kept for an hour.

    A key id that is not among them has them fetched anew, once in `REFRESH` seconds at most: tokens of strangers cause
    no more than that. Where the address does not answer, keys that were fetched before stay good.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url, self._clock = url, clock
        self._listed: Listed | None = None
        self._fetched = self._tried = float("-inf")
        self._lock = asyncio.Lock()

    async def get(self, kid: str | None, algorithm: str) -> PublicKey:
        """The key of that id. Raises `Problem` 401, or 503 where no keys could be fetched yet."""
        found = self._find(kid, algorithm)
        if found is None or self._clock() - self._fetched > MAX_AGE:
            async with self._lock:
                found = self._find(kid, algorithm)  # it may have come while we waited
                old = self._clock() - self._fetched > MAX_AGE
                pause = _AGAIN if self._listed is None else REFRESH
                if (found is None or old) and self._clock() - self._tried >= pause:
                    await self._fetch()
                    found = self._find(kid, algorithm)
        if self._listed is None:
            raise Problem(
                503,
                "keys_unavailable",
                "The keys that tokens are checked with cannot be had at the moment.",
                headers={"Retry-After": str(int(_AGAIN))},
            )
        if found is None:
            raise _unknown(kid)
        return found

    def _find(self, kid: str | None, algorithm: str) -> PublicKey | None:
        return None if self._listed is None else self._listed.find(kid, algorithm)

    async def _fetch(self) -> None:
        try:
            self._listed = Listed(_of_jwks(await _download(self._url)))
            self._fetched = self._clock()
        except Exception as error:  # of httpx, of JSON, of keys: what we have stays good
            _log.error("the keys for tokens cannot be fetched: %s: %s", type(error).__name__, error)
        finally:
            self._tried = self._clock()  # those who waited for a slow answer do not each wait for another


async def _download(url: str) -> Any:
    import httpx

    async with (
        asyncio.timeout(_TIMEOUT),
        httpx.AsyncClient(follow_redirects=False, timeout=_TIMEOUT) as client,
        client.stream("GET", url, headers={"Accept": "application/json"}) as response,
    ):
        if response.status_code != 200:
            raise OptionError(f"the address answers with status {response.status_code}")
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > _MOST_BYTES:
                raise OptionError(f"the answer is longer than {_MOST_BYTES} bytes")
    return json.loads(data)


def _of_jwks(value: Any) -> list[PublicKey]:
    """The keys of a set that are for signatures; others are left out. Raises `OptionError` when none is."""
    listed = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise OptionError('a JSON Web Key Set must be an object with a list "keys".')
    found = [key for one in listed if isinstance(one, dict) and (key := _of_jwk(one)) is not None]
    if not found:
        raise OptionError("the JSON Web Key Set has no public key for signatures that is known: RSA, EC or OKP.")
    return found


_CURVES = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "Ed25519": "EdDSA"}


def _of_jwk(one: dict[str, Any]) -> PublicKey | None:
    kind, kid = one.get("kty"), one.get("kid")
    if one.get("use", "sig") != "sig" or "d" in one or not (kid is None or isinstance(kid, str)):
        return None
    if kind == "RSA":
        algorithm = one.get("alg", "RS256")
        good = algorithm in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
    else:
        algorithm = _CURVES.get(str(one.get("crv")), "")
        good = kind in ("EC", "OKP") and bool(algorithm) and one.get("alg", algorithm) in (algorithm, "Ed25519")
    if not good:
        return None
    try:
        key = jwt.PyJWK(one, algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    if kind == "RSA" and key.key_size < _SHORTEST_RSA:
        return None
    return PublicKey(kid, algorithm, key)


def _of_file(path: str) -> list[PublicKey]:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise OptionError(f"public_key {path!r} cannot be read: {error.strerror or error}.") from None
    if data.lstrip().startswith(b"{"):
        try:
            return _of_jwks(json.loads(data))
        except (ValueError, RecursionError) as error:
            raise OptionError(f"public_key {path!r} is no JSON Web Key Set: {error}") from None
    return [_of_pem(path, data)]


def _of_pem(path: str, data: bytes) -> PublicKey:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from cryptography.x509 import load_pem_x509_certificate

    if b"PRIVATE KEY" in data:
        raise OptionError(
            f"public_key {path!r} is a private key, which is for who issues tokens and not for who checks them. Make "
            "the public one of it: openssl pkey -in PRIVATE.pem -pubout"
        )
    try:
        if b"BEGIN CERTIFICATE" in data:
            key: Any = load_pem_x509_certificate(data).public_key()
        else:
            key = load_pem_public_key(data)
    except ValueError:
        raise OptionError(
            f"public_key {path!r} is neither a public key in PEM, nor a certificate, nor a JSON Web Key Set."
        ) from None
    if isinstance(key, rsa.RSAPublicKey):
        if key.key_size < _SHORTEST_RSA:
            raise OptionError(f"public_key {path!r} has {key.key_size} bits; RSA needs {_SHORTEST_RSA} at least.")
        return PublicKey(None, "RS256", key)
    if isinstance(key, ec.EllipticCurvePublicKey):
        algorithm = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}.get(key.curve.name)
        if algorithm is not None:
            return PublicKey(None, algorithm, key)
    if isinstance(key, ed25519.Ed25519PublicKey):
        return PublicKey(None, "EdDSA", key)
    raise OptionError(f"public_key {path!r} is of a kind that tokens are not signed with. Use RSA, P-256 or Ed25519.")


def _unknown(kid: str | None) -> Problem:
    return refused(
        "The token names no key (kid), and there are several." if kid is None else "The key of the token is not known."
    )


def keys_of(settings: Settings) -> Keys:
    """Where the keys come from. Raises `OptionError` for a file that has none."""
    if settings.secret is not None:
        return Secret(settings.secret)
    if settings.public_key is not None:
        return Listed(_of_file(settings.public_key))
    assert settings.jwks_url is not None
    return Fetched(settings.jwks_url)
