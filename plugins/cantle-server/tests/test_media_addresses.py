"""Which URLs and addresses are asked for media: hostile forms of what lies inside are refused before any connection."""

from __future__ import annotations

import json
import sys
from ipaddress import ip_address
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from media_servers import WATCH, Names, failure

from cantle_server.errors import Problem
from cantle_server.media import Fetcher, Rules
from cantle_server.media.addresses import Target, check_addresses, read_url
from cantle_server.media.ranges import is_public

LINES = (Path(__file__).parent / "data/media/refused_urls.jsonl").read_text("utf-8").splitlines()
REFUSED = [json.loads(line) for line in LINES]
ALL = Rules(("http", "https"), ("*",))


@pytest.mark.parametrize("url", REFUSED, ids=ascii)
def test_a_hostile_url_is_refused_without_look_up_and_without_connection(url: str) -> None:
    names = Names(["93.184.216.34"])
    with WATCH.watching() as seen:
        problem = failure(lambda: Fetcher(ALL, resolver=names).fetch(url))
    assert (problem.status, problem.code) == (422, "media_refused")
    assert (names.asked, seen) == ([], [])


def test_there_are_many_forms() -> None:
    assert len(set(REFUSED)) >= 150


INSIDE = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.20.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "100.100.100.200", "168.63.129.16", "198.19.255.255", "192.0.0.8", "192.0.2.7", "198.51.100.7", "203.0.113.7",
    "224.0.0.251", "239.1.1.1", "255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8", "2002:808:808::1", "2001::1", "2001:db8::5", "3fff:fff::1", "fe80::1", "fe80::1%1", "fec0::1",
    "fc00::1", "fd00:ec2::254", "ff05::1", "100::9", "5f00::1", "4000::1", "2a00::5efe:10.0.0.1",
    "2a00::200:5efe:10.0.0.1", "not an address", "",
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
@pytest.mark.parametrize("beside", [[], ["93.184.216.34"], ["2606:2800:220:1::1", "8.8.8.8"]])
def test_a_name_of_an_address_inside_is_refused_whatever_is_beside_it(address: str, beside: list[str]) -> None:
    names = Names([*beside, address])
    with WATCH.watching() as seen:
        problem = failure(lambda: Fetcher(ALL, resolver=names).fetch("https://media.example.org/report.pdf"))
    assert (problem.status, problem.code, seen) == (422, "media_refused", [])
    assert address not in problem.message or not address


def test_names_without_an_address_are_told_as_those_with_one_inside() -> None:
    def unknown(host: str, port: int) -> list[str]:
        raise OSError("Name or service not known")

    def odd(host: str, port: int) -> list[str]:
        raise UnicodeError("label too long")

    said = set()
    for names in (unknown, odd, Names([]), Names(["10.0.0.1"])):
        fetcher = Fetcher(ALL, resolver=names)
        said.add(str(failure(lambda fetcher=fetcher: fetcher.fetch("https://db.example.org/"))))  # type: ignore[misc]
    assert len(said) == 1


PUBLIC = ["8.8.8.8", "93.184.216.34", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111",
          "2001:4860:4860::8888", "64:ff9b::808:808", "2a00::5efe:8.8.8.8"]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))
    assert check_addresses([address, address], ALL, "") == [address]


@given(st.ip_addresses())
@example(ip_address("192.88.99.1"))
def test_nothing_is_public_that_the_standard_library_calls_otherwise(address: object) -> None:
    if is_public(address):  # type: ignore[arg-type]
        inside = {"is_private", "is_loopback", "is_link_local", "is_multicast", "is_reserved", "is_unspecified"}
        for name in inside - {"is_reserved"}:
            assert not getattr(address, name), name
        assert not address.is_reserved or str(address).startswith("64:ff9b::")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        ("https://example.org", "example.org", 443, "/"),
        ("HTTPS://Files.EXAMPLE.org:443/A/b.pdf?x=1&y=%20#page", "files.example.org", 443, "/A/b.pdf?x=1&y=%20"),
        ("http://example.org:80/relatório.pdf?n=é", "example.org", 80, "/relat%C3%B3rio.pdf?n=%C3%A9"),
        ("https://xn--bcher-kva.example.org/", "xn--bcher-kva.example.org", 443, "/"),
        ("https://example.org?q", "example.org", 443, "/?q"),
        ("https://example.org:/", "example.org", 443, "/"),
        ("https://example.org/a@b:c//d", "example.org", 443, "/a@b:c//d"),
        ("https://8.8.8.8/x", "8.8.8.8", 443, "/x"),
        ("http://[2606:4700::1111]:80/x", "2606:4700::1111", 80, "/x"),
        ("https://a_b.example.org/", "a_b.example.org", 443, "/"),
    ],
)
def test_other_urls_are_read(url: str, host: str, port: int, path: str) -> None:
    target = read_url(url, ALL)
    assert (target.host, target.port, target.path) == (host, port, path)
    assert read_url(target.url, ALL) == target


@pytest.mark.parametrize(
    ("hosts", "host", "allowed"),
    [
        (("files.example.org",), "files.example.org", True),
        (("files.example.org",), "FILES.example.org", True),
        (("Files.Example.org",), "files.example.org", True),
        (("files.example.org",), "example.org", False),
        (("files.example.org",), "files.example.org.evil.org", False),
        (("files.example.org",), "x.files.example.org", False),
        (("*.example.org",), "files.example.org", True),
        (("*.example.org",), "a.b.example.org", True),
        (("*.example.org",), "example.org", False),
        (("*.example.org",), "evilexample.org", False),
        (("*.example.org", "example.net"), "example.net", True),
        (("example.org",), "8.8.8.8", False),
        (("8.8.8.8",), "8.8.8.8", True),
        (("*",), "anything.org", True),
        ((), "example.org", False),
    ],
)
def test_the_list_of_hosts(hosts: tuple[str, ...], host: str, allowed: bool) -> None:
    if allowed:
        assert read_url(f"https://{host}/", Rules(hosts=hosts)).host == host.lower()
    else:
        assert "list of hosts" in failure(lambda: read_url(f"https://{host}/", Rules(hosts=hosts))).message


def test_without_a_list_of_hosts_nothing_is_fetched() -> None:
    names = Names()
    problem = failure(lambda: Fetcher(Rules(), resolver=names).fetch("https://example.org/"))
    assert "media_hosts" in problem.message
    assert names.asked == []


def test_https_alone_is_the_default() -> None:
    assert "allowed: https" in failure(lambda: read_url("http://example.org/", Rules(hosts=("*",)))).message


def test_a_problem_repeats_no_secret_of_the_url() -> None:
    for url in ("ftp://me:secret@example.org/?key=secret#secret", "https://me:secret@example.org/?key=secret"):
        problem = failure(lambda url=url: read_url(url, ALL))  # type: ignore[misc]
        assert "secret" not in f"{problem.message} {problem.extra}"


@given(st.text(max_size=60), st.sampled_from(["", "http://", "https://", "https://example.org", "http://127.0.0.1"]))
def test_any_string_is_read_or_refused(text: str, before: str) -> None:
    try:
        target: Target | Problem = read_url(before + text, ALL)
    except Problem as problem:
        target = problem
    if isinstance(target, Problem):
        assert target.code == "media_refused"
        return
    assert target.url.isascii()
    assert target.port in (80, 443)
    assert target.host != "127.0.0.1"
    assert read_url(target.url, ALL) == target


def test_a_long_string_is_refused_at_once() -> None:
    for url in ("https://" + "a" * 10**7, "https://" + "@" * 4000, "https://" + "a." * 2000, "https://[" + ":" * 4000):
        assert failure(lambda url=url: read_url(url, ALL)).code == "media_refused"  # type: ignore[misc]
