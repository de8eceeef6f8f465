"""JSON Web Tokens: made for tests and development, checked for every request."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Protocol

import jwt

from cantle.errors import OptionError

from ..errors import Problem
from ..settings import SHORTEST_SECRET
from .caller import Caller

__all__ = ["MOST_BYTES", "Key", "Keys", "Secret", "Verifier", "issue_token", "refused"]

MOST_BYTES = 8192
"""The longest token."""
REMEMBERED = 60.0
"""Seconds for which a good token is not checked again."""
_MOST_KNOWN = 4096
_LONGEST_ID = 200
_MOST_ROLES = 100


class Key(Protocol):
    """A key with the one algorithm that it is for."""

    @property
    def algorithm(self) -> str: ...  # noqa: D102
    @property
    def value(self) -> Any: ...  # noqa: D102


class Keys(Protocol):
    """Where the key of a token comes from."""

    async def get(self, kid: str | None, algorithm: str) -> Key:
        """The key that a token says it is signed with; `Problem` 401 when it is none of ours."""
        ...


class Secret:
    """The one secret of HS256. Never shown."""

    algorithm = "HS256"

    def __init__(self, value: str) -> None:
        self.value = value.encode("utf-8", "surrogatepass")

    def __repr__(self) -> str:
        return "<Secret>"

    async def get(self, kid: str | None, algorithm: str) -> Secret:
        """The secret itself, whatever the token calls its key."""
        return self


def refused(reason: str, error: str = "invalid_token") -> Problem:
    """401, with the reason for people and for the header of RFC 6750."""
    return Problem(
        401,
        error,
        reason,
        headers={"WWW-Authenticate": f'Bearer realm="cantle", error="{error}", error_description="{reason}"'},
    )


class Verifier:
    """Checks tokens: the signature, by the algorithm of our key and no other, then time, issuer, audience, claims."""

    def __init__(
        self, keys: Keys, *, issuer: str | None = None, audience: str | None = None, leeway: float = 10.0
    ) -> None:
        self._keys, self._issuer, self._audience, self._leeway = keys, issuer, audience, leeway
        self._known: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()

    async def verify(self, token: str) -> Caller:
        """The caller that a token names. Raises `Problem` 401 with the reason.

        A token that was good is not checked again for a minute, nor beyond its end.
        """
        if len(token) > MOST_BYTES:
            raise refused(f"The token is longer than {MOST_BYTES} bytes.")
        digest = sha256(token.encode("ascii", "replace")).digest()
        known = self._known.get(digest)
        now = time.time()
        if known is not None and now < known[1]:
            return known[0]
        claims = await self._checked(token)
        caller = _caller(claims, digest)
        end = int(claims["exp"])  # as it was checked; there are integers that no float holds
        self._known[digest] = caller, min(now + REMEMBERED - self._leeway, end) + self._leeway
        self._known.move_to_end(digest)
        while len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return caller

    async def _checked(self, token: str) -> Mapping[str, Any]:
        """The claims of a token that is good."""
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError, TypeError, AttributeError):
            raise refused("The token is not a JSON Web Token.") from None
        kid, algorithm = header.get("kid"), header.get("alg")
        if kid is not None and not isinstance(kid, str):
            raise refused("The key id of the token (kid) is not a string.")
        key = await self._keys.get(kid, str(algorithm))
        if algorithm != key.algorithm:  # PyJWT checks it too; here the reason is ours
            raise refused(f"The token is not signed with {key.algorithm}.")
        return self._claims(token, key)

    def _claims(self, token: str, key: Key) -> Mapping[str, Any]:
        try:
            claims = jwt.decode(
                token,
                key.value,
                algorithms=[key.algorithm],
                audience=self._audience,
                issuer=self._issuer,
                leeway=self._leeway,
                options={
                    "require": ["exp", *(["aud"] if self._audience else []), *(["iss"] if self._issuer else [])],
                    "verify_aud": self._audience is not None,
                    "verify_iss": self._issuer is not None,
                    "verify_sub": False,
                    "verify_jti": False,
                },
            )
        except jwt.ExpiredSignatureError:
            raise refused("The token has expired.") from None
        except jwt.ImmatureSignatureError:
            raise refused("The token is not valid yet.") from None
        except jwt.InvalidAudienceError:
            raise refused("The token is for another audience.") from None
        except jwt.InvalidIssuerError:
            raise refused("The token is from another issuer.") from None
        except jwt.MissingRequiredClaimError as error:
            raise refused(f"The token has no claim {error.claim}.") from None
        except jwt.InvalidSignatureError:
            raise refused("The signature of the token is wrong.") from None
        except Exception:  # numbers that are none, JSON without an end: whatever it is, it is no token of ours
            raise refused("The token cannot be read.") from None
        if not isinstance(claims, dict):
            raise refused("The token cannot be read.")
        return claims


def _caller(claims: Mapping[str, Any], digest: bytes) -> Caller:
    roles = None
    if "roles" in claims:
        listed = claims["roles"]
        if (
            not isinstance(listed, list)
            or len(listed) > _MOST_ROLES
            or not all(isinstance(role, str) and _is_name(role) for role in listed)
        ):
            raise refused("The claim roles of the token is not a list of names.")
        roles = tuple(listed)
    return Caller(_id(claims, "hostId"), _id(claims, "userId"), roles, digest.hex()[:16])


def _id(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not _is_name(value):
        raise refused(f"The claim {name} of the token is missing, or is not a string that names something.")
    return value


def _is_name(value: str) -> bool:
    return 0 < len(value) <= _LONGEST_ID and value.isprintable() and value == value.strip()


def issue_token(
    secret: str,
    host_id: str,
    user_id: str,
    roles: Iterable[str] | None = None,
    expires_in: float = 3600.0,
    *,
    issuer: str | None = None,
    audience: str | None = None,
) -> str:
    """A token of HS256 for a service with this secret: for tests, scripts and development.

    `roles` None is a caller who sees all of the host, an empty list one who sees nothing. `expires_in` is in seconds.
    Raises `OptionError` for a secret that is shorter than 32 bytes, or an id that no service would take.
    """
    if not isinstance(secret, str) or len(secret.encode("utf-8", "surrogatepass")) < SHORTEST_SECRET:
        raise OptionError(f"secret must be a string of at least {SHORTEST_SECRET} bytes.")
    if isinstance(roles, str):
        raise OptionError(f"roles must be a list of names, got the string {roles!r}.")
    listed = None if roles is None else list(roles)
    for name, value in (("host_id", host_id), ("user_id", user_id), *(("a role", role) for role in listed or ())):
        if not isinstance(value, str) or not _is_name(value):
            raise OptionError(f"{name} must be a printable string of 1 to {_LONGEST_ID} characters, got {value!r}.")
    now = int(time.time())
    claims: dict[str, Any] = {"hostId": host_id, "userId": user_id, "iat": now, "exp": now + int(expires_in)}
    if listed is not None:
        claims["roles"] = listed
    if issuer is not None:
        claims["iss"] = issuer
    if audience is not None:
        claims["aud"] = audience
    return jwt.encode(claims, secret.encode("utf-8", "surrogatepass"), algorithm="HS256")
