"""Fetching over real connections: pinned addresses, redirects, and servers that never end, are too large or lie."""

from __future__ import annotations

import gzip
import ssl
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from media_servers import HOST, WATCH, Names, Served, failure, fetcher, reply, serving

from cantle_server.media import Fetcher, Rules

Send = Callable[[bytes], None]


def test_media_is_fetched_from_the_address_that_was_checked() -> None:
    names = Names(["127.0.0.1"])
    with serving({"/a.txt?b=%20": reply(b"hello", "Text/Plain; charset=UTF-8")}) as server:
        with WATCH.watching() as seen:
            found = fetcher(server, resolver=names).fetch(server.url("/a.txt?b=%20#page"), "text/plain")
        head = server.requests[0]
    assert (found.data, found.content_type, found.charset) == (b"hello", "text/plain", "utf-8")
    assert found.url == server.url("/a.txt?b=%20")
    assert names.asked == [HOST]
    connections = [arguments[0] for event, arguments in seen if event == "socket.connect"]
    assert ("127.0.0.1", server.port) in connections
    looked_up = [arguments for event, arguments in seen if event == "socket.getaddrinfo" and HOST in str(arguments)]
    assert looked_up == []
    lines = head.split("\r\n")
    assert lines[0] == "GET /a.txt?b=%20 HTTP/1.1"
    assert f"Host: {HOST}:{server.port}" in lines
    assert "Accept-Encoding: identity" in lines
    assert not any(line.lower().startswith(("cookie", "authorization", "referer", "proxy")) for line in lines)


def test_a_name_that_changes_its_address_is_looked_up_once() -> None:
    names = Names(["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"])
    with serving({"/": reply(b"first")}) as server:
        fetch = fetcher(server, resolver=names).fetch
        assert fetch(server.url()).data == b"first"
        assert len(names.asked) == 1
        assert failure(lambda: fetch(server.url())).code == "media_refused"
        assert server.connections == 1


def test_a_name_that_changes_its_address_between_redirects_is_checked_anew() -> None:
    names = Names(["127.0.0.1"], ["169.254.169.254"])
    with serving({"/": reply(status="302 Found", Location="/next"), "/next": reply(b"secret")}) as server:
        assert failure(lambda: fetcher(server, resolver=names).fetch(server.url())).code == "media_refused"
        assert (len(names.asked), server.connections) == (2, 1)


def test_no_variable_leads_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving({"/": reply(b"hello")}) as server, serving({}) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert fetcher(server).fetch(server.url()).data == b"hello"
        assert proxy.connections == 0


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    with serving({"/": reply(b"hello")}) as server:
        names = Names(["127.0.0.9", "127.0.0.1"])  # nobody listens at the first one
        assert fetcher(server, resolver=names).fetch(server.url()).data == b"hello"


def test_an_address_of_ipv6_that_is_trusted_is_asked() -> None:
    try:
        server = Served(lambda path, send: send(reply(b"six")), address="::1")
    except OSError:
        pytest.skip("no IPv6 here")
    with server:
        rules = Rules.trusting("::1/128", ports=[server.port], schemes=("http",), hosts=("::1",))
        found = Fetcher(rules).fetch(f"http://[0:0::1]:{server.port}/x")
        assert (found.data, found.url) == (b"six", f"http://[::1]:{server.port}/x")
        assert f"Host: [::1]:{server.port}" in server.requests[0]


def test_a_resolver_that_fails_in_its_own_way_is_a_refusal() -> None:
    def broken(host: str, port: int) -> list[str]:
        raise ValueError("broken")

    with serving({}) as server:
        assert failure(lambda: fetcher(server, resolver=broken).fetch(server.url())).code == "media_refused"


def test_a_few_redirects_are_followed() -> None:
    pages = {f"/{n}": reply(status=f"{status} x", Location=f"/{n + 1}") for n, status in enumerate((301, 302, 307))}
    with serving({**pages, "/3": reply(b"there")}) as server:
        found = fetcher(server).fetch(server.url("/0"))
        assert (found.data, found.url) == (b"there", server.url("/3"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_in_a_circle_end(status: int) -> None:
    with serving({"/": reply(status=f"{status} x", Location="/")}) as server:
        problem = failure(lambda: fetcher(server).fetch(server.url()))
        assert (problem.code, server.connections) == ("media_refused", 4)
    assert "more than 3 times" in problem.message


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://2130706433/",
        "http://localhost/",
        "//10.0.0.1/",
        "/\\10.0.0.1/",
        "\\\\10.0.0.1\\",
        "http:\\\\10.0.0.1/",
        "http://user@10.0.0.1/",
        "file:///etc/passwd",
        "ftp://example.org/x",
        "gopher://127.0.0.1:6379/_x",
        "data:text/plain,hello",
        "javascript:alert(1)",
        "http://media.example.org:22/",
        "http://caf\u00e9.example.org/",
    ],
)
def test_a_redirect_is_checked_like_a_url(location: str) -> None:
    names = Names(["127.0.0.1"])
    answer = reply(status="302 Found", Location=location.encode("utf-8").decode("latin-1"))
    with serving({"/": answer}) as server:
        with WATCH.watching() as seen:
            problem = failure(lambda: fetcher(server, resolver=names).fetch(server.url()))
        assert server.connections == 1
    assert (problem.status, problem.code) == (422, "media_refused")
    assert names.asked == [HOST]
    connections = {arguments[0] for event, arguments in seen if event == "socket.connect"}
    assert {to for to in connections if isinstance(to, tuple)} == {("127.0.0.1", server.port)}


def test_a_host_that_is_not_in_the_list_is_not_reached_by_a_redirect() -> None:
    with serving({"/": reply(status="302 Found", Location="http://other.example.net:80/")}) as server:
        rules = Rules.trusting("127.0.0.0/8", ports=(80, server.port), schemes=("http",), hosts=("*.example.org",))
        problem = failure(lambda: Fetcher(rules, resolver=Names()).fetch(server.url()))
    assert "list of hosts" in problem.message


def test_a_server_that_drips_its_body_ends_in_time() -> None:
    def drip(path: str, send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while not ended.wait(0.02):
            send(b"x")

    _dripped(drip)


def test_a_server_that_drips_its_head_ends_in_time() -> None:
    def drip(path: str, send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\n")
        while not ended.wait(0.02):
            send(b"X-More: x\r\n")

    _dripped(drip)


def test_a_server_that_sends_interim_answers_without_end_ends_in_time() -> None:
    def drip(path: str, send: Send) -> None:
        while not ended.wait(0.001):
            send(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    _dripped(drip)


def test_a_server_that_says_nothing_ends_in_time() -> None:
    _dripped(lambda path, send: ended.wait(60) and None)


ended = threading.Event()


def _dripped(answer: Callable[[str, Send], None]) -> None:
    ended.clear()
    try:
        with Served(answer) as server:
            start = monotonic()
            problem = failure(lambda: fetcher(server, seconds=0.4).fetch(server.url()))
            assert monotonic() - start < 20
    finally:
        ended.set()
    assert (problem.status, problem.code) == (422, "media_timeout")
    assert "0.4 seconds" in problem.message


def test_a_resolver_that_does_not_answer_ends_in_time() -> None:
    answered = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        answered.wait(60)
        return ["127.0.0.1"]

    with serving({"/": reply(b"x")}) as server:
        problem = failure(lambda: fetcher(server, resolver=slow, seconds=0.3).fetch(server.url()))
        answered.set()
        assert (problem.code, server.connections) == ("media_timeout", 0)


def test_a_body_without_end_is_read_to_the_limit_alone() -> None:
    def flood(path: str, send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n")
        for _ in range(1 << 14):  # a gigabyte
            send(bytes(1 << 16))

    with Served(flood) as server:
        problem = failure(lambda: fetcher(server, max_bytes=1 << 20).fetch(server.url()))
        assert server.sent < 64 << 20
    assert (problem.status, problem.code) == (413, "media_too_large")
    assert "1,048,576" in problem.message


def test_a_body_in_chunks_is_counted() -> None:
    chunk = b"ffff\r\n" + bytes(0xFFFF) + b"\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    with serving({"/": head + chunk * 40 + b"0\r\n\r\n", "/small": head + chunk + b"0\r\n\r\n"}) as server:
        fetch = fetcher(server, max_bytes=1 << 20).fetch
        assert failure(lambda: fetch(server.url())).code == "media_too_large"
        assert len(fetch(server.url("/small")).data) == 0xFFFF


def test_a_length_that_is_too_large_is_not_read() -> None:
    gigabyte = b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
    with serving({"/": gigabyte, "/exact": reply(bytes(1000)), "/more": reply(bytes(1001))}) as server:
        fetch = fetcher(server, max_bytes=1000).fetch
        assert failure(lambda: fetch(server.url())).status == 413
        assert len(fetch(server.url("/exact")).data) == 1000
        assert failure(lambda: fetch(server.url("/more"))).status == 413


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip", "x-gzip", "GZIP"])
def test_what_is_compressed_is_refused_and_not_decoded(coding: str) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    with serving({"/": reply(bomb, Content_Encoding=coding)}) as server:
        problem = failure(lambda: fetcher(server).fetch(server.url()))
    assert (problem.status, problem.code) == (415, "media_unsupported")


def test_identity_is_no_compression() -> None:
    with serving({"/": reply(b"plain", Content_Encoding="identity")}) as server:
        assert fetcher(server).fetch(server.url()).data == b"plain"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nonly this",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"220 mail.example.org ESMTP\r\n",
        b"\x15\x03\x01\x00\x02\x02\x16",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000,
        b"HTTP/1.1 999 What\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello",
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_server_that_breaks_off_or_fails_is_told(answer: bytes) -> None:
    with serving({"/": answer}) as server:
        problem = failure(lambda: fetcher(server).fetch(server.url()))
    assert (problem.status, problem.code) == (422, "media_unreachable")
    assert problem.extra == {"url": server.url()}


def test_nobody_listens() -> None:
    with serving({}) as server:
        fetch = fetcher(server).fetch
    problem = failure(lambda: fetch(server.url()))
    assert (problem.code, "cannot be reached" in problem.message) == ("media_unreachable", True)


def test_many_fetch_at_once() -> None:
    with serving({f"/{n}": reply(str(n).encode()) for n in range(24)}) as server:
        fetch = fetcher(server).fetch
        found: dict[int, bytes] = {}
        threads = [
            threading.Thread(target=lambda n=n: found.update({n: fetch(server.url(f"/{n}")).data})) for n in range(24)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {n: str(n).encode() for n in range(24)}


def _certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext, list[str | None]]:
    """Contexts of a server with a certificate of its own for this name, and of a client that knows it; names asked."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(secret + pem)
    asked: list[str | None] = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "server.pem")
    server.sni_callback = lambda connection, name, context: asked.append(name)  # type: ignore[assignment]
    return server, ssl.create_default_context(cadata=pem.decode()), asked


def test_the_certificate_is_checked_against_the_name(tmp_path: Path) -> None:
    tls, trusting, asked = _certificate(tmp_path, HOST)
    with serving({"/": reply(b"hello")}, tls) as server:
        names = Names(["127.0.0.1"])
        fetch = fetcher(server, resolver=names, schemes=("https",), ssl_context=trusting).fetch
        assert fetch(server.url(scheme="https")).data == b"hello"
        assert asked == [HOST]
        other = failure(lambda: fetch(server.url(scheme="https", host="other.example.org")))
        unknown = failure(lambda: fetcher(server, schemes=("https",)).fetch(server.url(scheme="https")))
    for problem in (other, unknown):
        assert (problem.code, "certificate" in problem.message) == ("media_unreachable", True)


def test_https_is_not_left_for_http(tmp_path: Path) -> None:
    tls, trusting, _ = _certificate(tmp_path, HOST)
    with serving({"/": reply(b"plain")}) as plain:
        with serving({"/": reply(status="302 Found", Location=plain.url())}, tls) as server:
            fetch = fetcher(server, plain, schemes=("http", "https"), ssl_context=trusting).fetch
            problem = failure(lambda: fetch(server.url(scheme="https")))
        assert (problem.code, plain.connections) == ("media_refused", 0)
    assert "https to http" in problem.message


def test_http_where_https_is_spoken(tmp_path: Path) -> None:
    tls, _, _ = _certificate(tmp_path, HOST)
    with serving({"/": reply(b"x")}, tls) as secure:
        assert failure(lambda: fetcher(secure).fetch(secure.url())).code == "media_unreachable"
