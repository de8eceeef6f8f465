"""Which addresses are public: those that the registries of special addresses do not take out.

Sources: IANA's "IPv4 Special-Purpose Address Registry" and "IPv6 Special-Purpose Address Registry" (RFC 6890 and its
followers), and the addresses at which clouds answer their machines. Written out, since what the standard library calls
global has changed from one release of Python to the next.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

__all__ = ["is_public"]

_IPV4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by carriers; 100.100.100.200 is Alibaba's metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's platform
            "169.254.0.0/16",  # link-local; 169.254.169.254 is the metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; 192.0.0.192 is Oracle's metadata
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)

_UNICAST = IPv6Network("2000::/3")
"""All global unicast addresses; what lies outside is loopback, link-local, unique local, multicast or unassigned."""

_IPV6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which leads to any IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)

_NAT64 = IPv6Network("64:ff9b::/96")
"""IPv4 as networks without it see it: as public as the address in it (RFC 6052)."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is one of the public Internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _IPV4)
    if address.scope_id is not None:
        return False
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address not in _UNICAST or any(address in network for network in _IPV6):
        return False
    if (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE:  # ISATAP: an IPv4 address in its lower half (RFC 5214)
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return True
