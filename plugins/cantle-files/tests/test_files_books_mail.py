"""Reading of e-mail."""

from __future__ import annotations

import time
from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from cantle import MDocument
from cantle.errors import DocumentError
from cantle_files import Limits, read_file


def mail(text: str = "", html: str = "", subject: str = "Berths", **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = "Ada Keel <ada@example.org>"
    for name, value in headers.items():
        message[name] = value
    if text:
        message.set_content(text)
        if html:
            message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    return message


def read(data: EmailMessage | bytes | str, limits: Limits | None = None) -> MDocument:
    held = data if isinstance(data, bytes) else data.encode() if isinstance(data, str) else data.as_bytes()
    return read_file(held, name="m.eml", limits=limits)


def body(text: str) -> str:
    return read(mail(text)).text.removeprefix("# Berths\n\n")


def test_a_whole_e_mail() -> None:
    message = mail(
        "Hello Ben,\n\nthe new fees are here.\n",
        "<p>not this</p>",
        subject="Größe der Liegeplätze",
        To="Ben Mast <ben@example.org>, office@example.org",
        Cc="Jürgen Müller <j@example.org>",
        Date="Mon, 02 Mar 2026 10:00:00 +0100",
    )
    message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="Gebühren.pdf")
    message.add_attachment("a,b\n", subtype="csv", filename="fees.csv")
    document = MDocument.from_bytes(message.as_bytes(), "mail/m.eml")
    assert document.kind == "markdown"
    assert document.text == (
        "# Größe der Liegeplätze\n\nHello Ben,\n\nthe new fees are here.\n\nAttachments: Gebühren.pdf, fees.csv\n"
    )
    assert document.metadata == {
        "title": "Größe der Liegeplätze",
        "from": "Ada Keel <ada@example.org>",
        "to": "Ben Mast <ben@example.org>, office@example.org",
        "cc": "Jürgen Müller <j@example.org>",
        "date": "2026-03-02T10:00:00+01:00",
        "attachments": "Gebühren.pdf, fees.csv",
    }


def test_html_is_read_where_there_is_no_plain_text() -> None:
    page = (
        "<html><head><style>p{}</style></head><body><h1>News</h1><p>Read <a href='https://e.org/a'>this</a>.</p>"
        "<ul><li>one</li><li>two</li></ul><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
        "<img src='cid:logo' alt='Our flag'></body></html>"
    )
    expected = (
        "# Berths\n\n## News\n\nRead [this](https://e.org/a).\n\n- one\n- two\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n![Our flag]"
    )
    assert read(mail(html=page)).text.startswith(expected)
    assert read(mail(text="\n \n", html=page)).text.startswith(expected)


def test_plain_text_is_read_as_people_write_it() -> None:
    assert body("Lists:\n\n- one\n  goes on\n* two\n\n1. first\n2) second\n") == (
        "Lists:\n\n- one\n  goes on\n- two\n1. first\n2. second\n"
    )
    assert body("> you wrote\n>> before\n> # that\n\nYes.\n") == "> you wrote\n>> before\n> \\# that\n\nYes.\n"
    assert body("# no heading\n=====\ntext\n") == "\\# no heading\n\\=====\ntext\n"


def test_flowed_text_is_joined() -> None:
    message = mail("one \ntwo\n> three \n> four\nfive\n-- \nAda\n")
    message.set_param("format", "flowed")
    assert read(message).text == "# Berths\n\none two\n\n> three four\n\nfive\n\\--\nAda\n"


def test_charsets_that_are_wrong_or_unknown() -> None:
    head = b"Subject: x\nContent-Type: text/plain; charset=%s\nContent-Transfer-Encoding: 8bit\n\n"
    assert "été" in read(head % b"latin-1" + "été".encode("latin-1")).text
    assert "été" in read(head % b"no-such-thing" + "été".encode()).text
    assert "été" in read(head % b"us-ascii" + "été".encode("cp1252")).text
    assert read(b"Subject: =?utf-8?q?caf=C3=A9?= =?no-such?q?x?=\n\nx").metadata["title"] == "caféx"
    assert read("Subject: été\n\nx".encode()).metadata["title"] == "été"


def test_forwarded_e_mail_is_an_attachment() -> None:
    message = mail("See below.")
    message.add_attachment(mail("inner words", subject="Old fees"))
    document = read(message)
    assert "inner words" not in document.text
    assert document.metadata["attachments"] == "e-mail: Old fees"


def test_several_texts_and_parts_without_names() -> None:
    message = MIMEMultipart()
    message["Subject"] = "Two"
    message.attach(MIMEText("first"))
    message.attach(MIMEText("<p>second</p>", "html"))
    message.attach(MIMEText("BEGIN:VCALENDAR", "calendar"))
    assert read(message.as_bytes()).text == ("# Two\n\nfirst\n\nsecond\n\nAttachments: text/calendar without a name\n")


@pytest.mark.parametrize("date", ["yesterday", "Mon, 99 Foo 2026", "", "Mon, 02 Mar 99999 10:00:00 +9999", "0"])
def test_a_date_that_is_none_is_left_out(date: str) -> None:
    assert "date" not in read(f"Subject: x\nDate: {date}\n\nx").metadata


def test_encrypted_ones_are_refused() -> None:
    for kind in ("multipart/encrypted; boundary=b", "application/pkcs7-mime; smime-type=enveloped-data"):
        with pytest.raises(DocumentError, match=r"m\.eml is an encrypted e-mail"):
            read(f"Subject: x\nContent-Type: {kind}\n\n--b\n\nx\n--b--\n")


def test_what_is_no_e_mail_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"m\.eml is an empty file, not an e-mail"):
        read(b"\n")
    with pytest.raises(DocumentError, match=r"m\.eml is no e-mail: it does not begin with headers"):
        read(b"\x00\x01\x02 binary")
    with pytest.raises(DocumentError, match=r"m\.eml is no e-mail"):
        read(b"Dear Ben,\n\nhello")


def test_limits_hold() -> None:
    with pytest.raises(DocumentError, match="more than 100 characters"):
        read(mail("words " * 50), Limits(max_characters=100))
    parts = "".join(f"--b\n\npart {i}\n" for i in range(20))
    with pytest.raises(DocumentError, match="more than 10 parts"):
        read(f"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n", Limits(max_pages=10))


def nested(depth: int) -> bytes:
    lines = ["Subject: x"]
    for i in range(depth):
        lines += [f"Content-Type: multipart/mixed; boundary=b{i}", "", f"--b{i}"]
    return "\n".join([*lines, "", "deep"]).encode()


@pytest.mark.parametrize("depth", [60, 300, 5000])
def test_parts_nested_too_deeply_are_refused(depth: int) -> None:
    with pytest.raises(DocumentError, match="parts inside of parts, more than 50 deep"):
        read(nested(depth))


def test_many_parts_beside_one_another_are_not_deep() -> None:
    inner = "--b\nContent-Type: multipart/mixed; boundary=i{0}\n\n--i{0}\n\npart {0}\n--i{0}--\n"
    parts = "".join(inner.format(i) for i in range(200))
    text = read(f'Subject: x\nContent-Type: multipart/mixed;\n boundary="b"\n\n{parts}--b--\n').text
    assert text.split("\n\n")[1:] == [f"part {i}" for i in range(199)] + ["part 199\n"]


def test_hostile_bodies_take_no_long_time() -> None:
    begun = time.process_time()
    with pytest.raises(DocumentError, match="50 deep"):
        read(nested(300) + b"line of text\n" * 500_000)
    for line in (">" * 3_000_000, "- " * 1_000_000, "1. \n" * 100_000, "> > >" * 500_000, "--b\n" * 500_000):
        read(f"Subject: x\n\n{line}")
    assert time.process_time() - begun < 30


def test_hostile_headers_take_no_long_time() -> None:
    begun = time.process_time()
    for value in (
        "=?utf-8?q?a?=" * 50_000,
        "<" * 500_000,
        "(" * 500_000,
        "a@b," * 100_000,
        '"' * 500_000,
        "\\" * 500_000,
    ):
        read(f"Subject: {value}\nFrom: {value}\nTo: {value}\nDate: {value}\nContent-Type: {value}\n\nx")
    assert time.process_time() - begun < 20
