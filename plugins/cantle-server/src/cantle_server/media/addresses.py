"""Which addresses may be asked for media: a URL is data from outside, and this service stands inside.

A URL is read by one strict grammar, here and nowhere else; what another reader could take for something else (RFC 3986
allows more, browsers forgive more) is refused. Then come the lists of schemes, hosts and ports, and at last the
addresses that the host's name stands for: all of them must be public.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import quote

from .ranges import is_public
from .refusals import refused

__all__ = ["Rules", "Target", "check_addresses", "read_url"]

_LONGEST = 4096

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30}):"
    r"(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<fragment>#.*)?",
    re.DOTALL,
)
_ODD = re.compile(r"""[\x00-\x20\x7f-\xa0\\<>"^`{|}\u2028\u2029\ud800-\udfff\ufeff]""")
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_PORT = re.compile(r"[0-9]{1,5}")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label that makes a host an IPv4 address to a browser (WHATWG URL, "ends in a number")."""

_INSIDE = frozenset(
    """localhost localdomain local internal intranet private corp home lan arpa onion test invalid example alt
    consul cluster svc""".split()  # noqa: SIM905
)
"""Last labels of names that no public server has (RFC 6761, 6762, 7686, 8375, 9476; names that networks use within)."""

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Rules:
    """What may be asked.

    `schemes` are those of URLs, `hosts` names: exact ones, `*.example.org` for all names below it (not itself), `*` for
    all. No hosts: nothing may be asked. `ports` are the ports; `trusted` networks may be asked although they are not
    public, which is for tests and for networks that one knows.
    """

    schemes: Collection[str] = ("https",)
    hosts: Collection[str] = ()
    ports: Collection[int] = (80, 443)
    trusted: Collection[IPv4Network | IPv6Network] = ()

    @classmethod
    def trusting(cls, *networks: str, ports: Collection[int] = (80, 443), **rest: Collection[str]) -> Rules:
        """Rules that trust these networks, such as "127.0.0.0/8"."""
        return cls(ports=ports, trusted=tuple(ip_network(one) for one in networks), **rest)

    def allows_host(self, host: str) -> bool:
        """Whether a host, in lower case, is in the list."""
        return any(
            one == "*" or host == one or (one.startswith("*.") and host.endswith(one[1:]) and host != one[1:])
            for one in (entry.lower() for entry in self.hosts)
        )

    def trusts(self, address: IPv4Address | IPv6Address) -> bool:
        """Whether an address is in a trusted network."""
        return any(address.version == one.version and address in one for one in self.trusted)


@dataclass(frozen=True)
class Target:
    """A URL that was read: `path` has the query in it, `host` is a name in lower case or an address."""

    scheme: str
    host: str
    port: int
    path: str
    is_address: bool = False

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL."""
        return f"{self.scheme}://{self.authority}{self.path}"


def read_url(url: str, rules: Rules) -> Target:
    """The parts of a URL that may be asked for. Raises `Problem` for every other one, before any look-up."""
    if not isinstance(url, str) or len(url) > _LONGEST:
        raise refused(f"A URL must be a string of at most {_LONGEST} characters.")
    if _ODD.search(url):
        raise refused("A URL must have no white space, control characters, backslashes or quotes. Encode them.", url)
    found = _URL.fullmatch(url)
    if found is None:
        raise refused("A URL must be absolute, such as https://example.org/report.pdf.", url)
    scheme, authority = found["scheme"].lower(), found["authority"]
    if scheme not in _PORTS or scheme not in rules.schemes:
        raise refused(f"The scheme {scheme!r} is not allowed; allowed: {', '.join(sorted(rules.schemes))}.", url)
    if not authority:
        raise refused("A URL must have a host, such as https://example.org/report.pdf.", url)
    if "@" in authority:
        raise refused("A URL must have no name and password in it.", url)
    host, port, is_address = _host_and_port(authority, _PORTS[scheme], url)
    if port not in rules.ports:
        raise refused(f"The port {port} is not allowed; allowed: {', '.join(map(str, sorted(rules.ports)))}.", url)
    if not rules.allows_host(host):
        raise refused("The host is not in the list of hosts that media may be fetched from.", url)
    if is_address:
        check_addresses([host], rules, url)
    path = quote((found["path"] or "/") + (found["query"] or ""), safe="%/:?#[]@!$&'()*+,;=~-._")
    return Target(scheme, host, port, path, is_address)


def _host_and_port(authority: str, usual: int, url: str) -> tuple[str, int, bool]:
    if authority.startswith("["):
        host, bracket, rest = authority[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise refused("The host of the URL is not written as one.", url)
        try:
            host = str(IPv6Address(host if "%" not in host else "?"))
        except ValueError:
            raise refused("The address in the URL is no IPv6 address, or has a zone.", url) from None
        return host, _port(rest[1:], usual, url), True
    host, _, port = authority.partition(":")
    host = host.lower()
    if not host.isascii():
        raise refused("The host must be of ASCII characters: write the name as xn--...", url)
    if len(host) > 253 or not _NAME.fullmatch(host):
        raise refused("The host of the URL is not written as one.", url)
    last = host.rpartition(".")[2]
    if _NUMERIC.fullmatch(last):
        try:
            return str(IPv4Address(host)), _port(port, usual, url), True
        except ValueError:
            raise refused("An IPv4 address must be written as four decimal numbers.", url) from None
    if "." not in host or last in _INSIDE:
        raise refused("The host must be a public name, such as example.org.", url)
    return host, _port(port, usual, url), False


def _port(written: str, usual: int, url: str) -> int:
    if not written:
        return usual
    if not _PORT.fullmatch(written) or not 0 < int(written) < 65536:
        raise refused("The port of the URL is no number from 1 to 65535.", url)
    return int(written)


def check_addresses(addresses: Iterable[str], rules: Rules, url: str) -> list[str]:
    """The addresses of a host, if all of them may be asked. Raises `Problem`.

    It says the same of a name without an address and of one with an address that is not public: what names there are
    inside is nobody's business.
    """
    found = list(dict.fromkeys(addresses))
    for written in found:
        try:
            address = ip_address(written if "%" not in written else "?")
        except ValueError:
            raise refused(_NOT_PUBLIC, url) from None
        if not (rules.trusts(address) or is_public(address)):
            raise refused(_NOT_PUBLIC, url)
    if not found:
        raise refused(_NOT_PUBLIC, url)
    return found


_NOT_PUBLIC = "The host has no address, or one that is not public."
