"""Fetching what a URL leads to, with limits: addresses, redirects, time, size."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import httpcore

from .addresses import Rules, Target, check_addresses, read_url
from .connecting import Deadline, Pinned, Resolver, look_up, system_resolver
from .refusals import problem, refused

if TYPE_CHECKING:
    from ..settings import Settings

__all__ = ["Fetched", "Fetcher"]

_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 3
_AGENT = b"cantle-server"


@dataclass(frozen=True)
class Fetched:
    """What a URL gave: the bytes, what the server says that they are (in lower case, without parameters; empty where
    it says nothing), its `charset`, and the URL that answered in the end.
    """

    data: bytes = field(repr=False)
    content_type: str
    charset: str
    url: str


class Fetcher:
    """Fetches media by `rules`, in `seconds` all in all and with `max_bytes` at most. May be used from several threads.

    `resolver` looks names up, and `ssl_context` checks certificates, both the system's by default. Each fetch opens
    connections of its own: nothing is kept of one that another could get.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seconds: float = 30.0,
        max_bytes: int = 32 << 20,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self.rules, self.seconds, self.max_bytes = rules, seconds, max_bytes
        self._resolver, self._ssl = resolver, ssl_context

    @classmethod
    def of(cls, settings: Settings) -> Fetcher:
        """One with the service's settings, which allow public addresses alone."""
        rules = Rules(schemes=settings.media_schemes, hosts=settings.media_hosts)
        return cls(rules, seconds=settings.media_timeout, max_bytes=settings.max_media_bytes)

    def fetch(self, url: str, accept: str = "*/*") -> Fetched:
        """What the URL leads to. Raises `Problem`."""
        if not self.rules.hosts:
            raise refused(
                "This server fetches no media: it has no list of hosts. Whoever runs it can set media_hosts.", url
            )
        deadline = Deadline(self.seconds)
        try:
            return self._follow(read_url(url, self.rules), accept, deadline)
        except httpcore.TimeoutException:
            raise problem(
                422, "media_timeout", f"The server did not give the media within {self.seconds:g} seconds.", url
            ) from None
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            what = "cannot be reached" if isinstance(error, httpcore.ConnectError) else "ended the connection"
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                what = "has no valid certificate"
            raise problem(422, "media_unreachable", f"The server {what}.", url) from None

    def _follow(self, target: Target, accept: str, deadline: Deadline) -> Fetched:
        for _ in range(_MOST_REDIRECTS + 1):
            found = self._ask(target, accept, deadline)
            if isinstance(found, Fetched):
                return found
            before, target = target, read_url(found, self.rules)
            if before.scheme == "https" and target.scheme != "https":
                raise refused("The server leads from https to http, which is not followed.", before.url)
        raise refused(f"The server leads to another address more than {_MOST_REDIRECTS} times.", target.url)

    def _ask(self, target: Target, accept: str, deadline: Deadline) -> Fetched | str:
        """What the target gives, or the URL that it leads to."""
        if target.is_address:  # it was checked when it was read
            addresses = [target.host]
        else:
            found = look_up(self._resolver, target.host, target.port, deadline)
            addresses = check_addresses(found, self.rules, target.url)
        context = self._ssl or _system_context()
        headers = [
            (b"Host", target.authority.encode()),
            (b"User-Agent", _AGENT),
            (b"Accept", accept.encode()),
            (b"Accept-Encoding", b"identity"),
            (b"Connection", b"close"),
        ]
        url = httpcore.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        with (
            httpcore.ConnectionPool(
                ssl_context=context,
                max_connections=1,
                max_keepalive_connections=0,
                network_backend=Pinned(addresses, deadline),
            ) as pool,
            pool.stream("GET", url, headers=headers) as response,
        ):
            return self._read(response, target, deadline)

    def _read(self, response: Any, target: Target, deadline: Deadline) -> Fetched | str:
        headers = {name.lower(): value for name, value in reversed(response.headers)}
        if response.status in _REDIRECTS and headers.get(b"location"):
            return str(urljoin(target.url, headers[b"location"].decode("utf-8", "replace")))
        if response.status != 200:
            raise problem(
                422, "media_unreachable", f"The server answered with status {response.status}, not 200.", target.url
            )
        coding = headers.get(b"content-encoding", b"identity").decode("latin-1").strip().lower()
        if coding not in ("", "identity"):
            raise problem(
                415, "media_unsupported", "The server sends media compressed, although it was asked not to.", target.url
            )
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length[:20]) > self.max_bytes:
            raise self._too_large(target)
        parts, size = [], 0
        for part in response.iter_stream():
            size += len(part)
            if size > self.max_bytes:
                raise self._too_large(target)
            parts.append(part)
            _ = deadline.left
        content_type, charset = _content_type(headers.get(b"content-type", b"").decode("latin-1"))
        return Fetched(b"".join(parts), content_type, charset, target.url)

    def _too_large(self, target: Target) -> Exception:
        return problem(413, "media_too_large", f"The media has more than {self.max_bytes:,} bytes.", target.url)


def _content_type(header: str) -> tuple[str, str]:
    charset = re.search(r';\s*charset\s*=\s*"?([\w.:+-]{1,40})', header, re.IGNORECASE | re.ASCII)
    return header.partition(";")[0].strip().lower()[:100], charset[1].lower() if charset else ""


@lru_cache(maxsize=1)
def _system_context() -> ssl.SSLContext:
    """The system's certificates, and those of `certifi`, which is there where the system has none."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
