"""E-mail: the subject as a heading, the text, the names of what is attached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from email import policy
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.utils import formataddr, getaddresses, parsedate_to_datetime
from typing import Any

from cantle import MDocument
from cantle.errors import DocumentError

from .limits import Limits, too_large
from .markup.hypertext import write_html
from .markup.writing import Writer, clean, escape

__all__ = ["read"]

_LONGEST_HEADER = 20_000
_MOST_ADDRESSES = 1000
_DEEPEST = 50
_KNOWN = ("from", "to", "subject", "date", "message-id", "received", "mime-version", "content-type", "return-path")
_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|(\d{1,9})[.)])[ \t]+(?=\S)")
_QUOTED = re.compile(r"[ \t]*(>(?:[> \t]*>)?)[ \t]?")
_NESTING = re.compile(
    rb"""^content-type:[^\n]*(?:\n[ \t][^\n]*)*?boundary=["']?([^"'\s;]+)|^--([^\s-][^\s]*|-[^\s]+)""",
    re.IGNORECASE | re.M,
)
"""Where parts of an e-mail nest: a header that names a boundary, and lines that are one."""


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document of an e-mail (.eml): Markdown, of its plain text where it has one, else of its HTML.

    Metadata are `title` (the subject), `from`, `to`, `cc`, `date` (ISO 8601) and `attachments`, the names of the files
    that are attached; their contents are not read. Raises `DocumentError` for what is no e-mail, is encrypted, or is
    larger than the limits.
    """
    if not data.strip():
        raise DocumentError(f"{name} is an empty file, not an e-mail.")
    message = _parsed(data, name)
    if not any(key in message for key in _KNOWN):
        raise DocumentError(
            f"{name} is no e-mail: it does not begin with headers such as 'From:' and 'Subject:' but with "
            f"{data[:20].decode('latin-1')!r}. If it is text, say so: --kind text; kind='text' in Python."
        )
    texts: list[Message] = []
    attached: list[str] = []
    for count, part in enumerate(_parts(message, name), 1):
        if count > limits.max_pages:
            raise too_large(name, "parts", None, limits.max_pages, "max_pages")
        if isinstance(part, str):
            attached.append(part)
        else:
            texts.append(part)
    writer = Writer(name, limits)
    subject = _header(message, "subject")
    writer.heading(1, subject)
    for part in texts:
        text = _decoded(part)
        if part.get_content_type() == "text/html":
            write_html(writer, text, level=1, resolve=_outside)
        else:
            flowed = str(part.get_param("format") or "").lower() == "flowed"
            _write_plain(writer, _unfolded(text, part.get_param("delsp") == "yes") if flowed else text)
    if attached:
        writer.paragraph("Attachments: " + ", ".join(attached))
    metadata: dict[str, Any] = {"title": subject, "date": _date(message), "attachments": ", ".join(attached)}
    metadata |= {key: _addresses(message, key) for key in ("from", "to", "cc")}
    return writer.document(metadata)


def _parsed(data: bytes, name: str) -> Message:
    _check_depth(data, name)
    try:
        # Not the newer policy, whose parser of headers takes quadratic time.
        return BytesParser(policy=policy.compat32).parsebytes(data)
    except RecursionError:
        raise _too_deep(name) from None


def _check_depth(data: bytes, name: str) -> None:
    """Refuse what is nested too deeply before it is parsed, which takes a time of depth by lines."""
    open_: dict[bytes, int] = {}
    for match in _NESTING.finditer(data):
        if match[1]:
            open_.setdefault(match[1], len(open_))
            if len(open_) > _DEEPEST:
                raise _too_deep(name)
            continue
        line = match[2]
        held = line if line in open_ else line.removesuffix(b"--")
        if held in open_:
            while next(reversed(open_)) != held:
                open_.popitem()
            if held != line:
                del open_[held]


def _too_deep(name: str) -> DocumentError:
    return DocumentError(
        f"{name} has parts inside of parts, more than {_DEEPEST} deep: no e-mail program writes such. Save its text."
    )


def _parts(message: Message, name: str, depth: int = 0) -> Iterator[Message | str]:
    """The parts whose text is shown, and the names of those that are not."""
    if depth > _DEEPEST:
        raise _too_deep(name)
    kind = message.get_content_type()
    smime = str(message.get_param("smime-type") or "").lower()
    if kind == "multipart/encrypted" or (kind.endswith("pkcs7-mime") and smime != "signed-data" and not depth):
        raise DocumentError(f"{name} is an encrypted e-mail. Decrypt it in your e-mail program and save it from there.")
    file = _file(message)
    if kind == "message/rfc822" or (file and not message.is_multipart()):
        yield file or f"e-mail: {_subject_of(message)}"
    elif message.is_multipart():
        held = [part for part in _payload(message) if isinstance(part, Message)]
        if kind == "multipart/alternative":
            held = _best(held)
        for part in held:
            yield from _parts(part, name, depth + 1)
    elif kind in ("text/plain", "text/html", "text/enriched", "text/markdown"):
        yield message
    elif depth or message.get_payload():
        yield f"{kind} without a name"


def _payload(message: Message) -> list[Any]:
    held: Any = message.get_payload()
    return held if isinstance(held, list) else []


def _best(parts: list[Message]) -> list[Message]:
    """Of the forms of one text the plain one, else HTML; where neither is at the top, the last, as senders mean it."""
    for kind in ("text/plain", "text/html"):
        for part in parts:
            if part.get_content_type() == kind and not _file(part) and _decoded(part).strip():
                return [part]
    return parts[-1:]


def _file(part: Message) -> str:
    """The name of an attached file; empty for what is shown."""
    try:
        named = part.get_filename() or ""
    except (LookupError, ValueError, TypeError):
        named = "a file"
    named = _decode(named).replace("\\", "/").rpartition("/")[2]
    if part.get_content_disposition() == "attachment" and not part.is_multipart():
        return named or f"{part.get_content_type()} without a name"
    return named


def _subject_of(message: Message) -> str:
    held = _payload(message)
    return (_header(held[0], "subject") if held and isinstance(held[0], Message) else "") or "without a subject"


def _decoded(part: Message) -> str:
    try:
        raw: Any = part.get_payload(decode=True)
    except (LookupError, ValueError, AssertionError):
        raw = None
    if not isinstance(raw, bytes):
        return ""
    for charset in (part.get_param("charset"), "utf-8"):
        try:
            return clean(raw.decode(charset if isinstance(charset, str) else "utf-8"))
        except (LookupError, ValueError):
            continue
    return clean(raw.decode("cp1252", "replace"))


def _header(message: Message, key: str) -> str:
    return _decode(next(iter(_raw(message, key)), ""))


def _raw(message: Message, key: str) -> list[str]:
    """The values of a header as they are written; bytes beyond ASCII are lone surrogates."""
    return [str(value)[:_LONGEST_HEADER] for name, value in message.raw_items() if name.lower() == key][:10]


def _decode(value: str) -> str:
    """A header's text, its encoded words decoded, on one line."""
    value = value[:_LONGEST_HEADER]
    try:
        found = decode_header(value) if "=?" in value else [(value, None)]
    except (HeaderParseError, ValueError):
        found = [(value, None)]
    text = "".join(held if isinstance(held, str) else _word(held, charset) for held, charset in found)
    if any("\udc80" <= c <= "\udcff" for c in text):  # bytes beyond ASCII that nobody encoded
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return " ".join(clean(text).split())


def _word(held: bytes, charset: str | None) -> str:
    try:
        return held.decode(charset or "ascii")
    except (LookupError, ValueError):
        return held.decode("utf-8", "replace")


def _addresses(message: Message, key: str) -> str:
    try:
        found = getaddresses(_raw(message, key))[:_MOST_ADDRESSES]
    except RecursionError:  # comments inside of comments
        return ""
    shown = []
    for real, address in found:
        real = _decode(real)
        plain = not re.search(r'[<>"@,]', real)
        shown.append(f"{real} <{address}>" if real and address and plain else _pair(real, address))
    return ", ".join(one for one in shown if one)


def _pair(real: str, address: str) -> str:
    if not (real and address):
        return real or address
    try:
        return formataddr((real, address))
    except (UnicodeError, ValueError):
        return address


def _date(message: Message) -> str:
    try:
        found = parsedate_to_datetime(_header(message, "date")[:200])
        if found.tzinfo is not None and not found.utcoffset():
            found = found.astimezone(UTC)
        return found.isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""


def _outside(target: str) -> str:
    return target if re.match(r"(?:https?|ftp|mailto|tel):", target, re.IGNORECASE) else ""


def _unfolded(text: str, delete: bool) -> str:
    """The lines of flowed text (RFC 3676) without soft line breaks."""
    lines: list[list[str]] = []
    before = None  # the depth of quotation of a line that goes on
    for line in text.split("\n"):
        quoted = len(line) - len(line.lstrip(">"))
        body = line[quoted:].removeprefix(" ")
        if before == quoted and lines:
            lines[-1].append(body)
        else:
            lines.append([">" * quoted + (" " if quoted else "") + body])
        soft = body.endswith(" ") and body != "-- "
        if soft and delete:
            lines[-1][-1] = lines[-1][-1][:-1]
        before = quoted if soft else None
    return "\n".join("".join(parts) for parts in lines)


def _write_plain(writer: Writer, text: str) -> None:
    """Plain text as Markdown: paragraphs, quotations and lists, which people write alike in both."""
    lines: list[str] = []
    kind = ""

    def end() -> None:
        if kind == "quote":
            writer.raw("\n".join(f"{mark} {escape(rest)}".rstrip() for mark, rest in map(_unquoted, lines)))
        elif kind == "item":
            found = _ITEM.match(lines[0])
            number = int(found[1]) if found and found[1] else None
            writer.item(0, "\n".join([lines[0][found.end() if found else 0 :], *lines[1:]]), number)
        elif lines:
            writer.paragraph("\n".join(lines))
        lines.clear()

    for line in text.split("\n"):
        now = "quote" if _QUOTED.match(line) else "item" if _ITEM.match(line) else "" if line.strip() else "blank"
        if now == "" and kind == "item" and lines and line[:1] in " \t":
            now = "more"
        if now not in ("more", kind) or now == "item":
            end()
            kind = now
        if now != "blank":
            lines.append(line)
    end()


def _unquoted(line: str) -> tuple[str, str]:
    found = _QUOTED.match(line)
    return (">" * found[1].count(">"), line[found.end() :]) if found else ("", line)
