"""Parts of messages and fields of forms, as they come over the wire."""

from __future__ import annotations

from base64 import b64decode
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, NamedTuple

__all__ = ["Upload", "form_of", "images_in", "text_of"]


class Upload(NamedTuple):
    """A file that was sent with a form."""

    name: str
    media_type: str
    data: bytes


def text_of(content: Any) -> str:
    """The text in the content of a message, which may be of parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or () if isinstance(part, dict))


def images_in(content: Any) -> list[bytes]:
    """The pictures in the content of a message that are data URLs."""
    if not isinstance(content, list):
        return []
    urls = [(part.get("image_url") or {}).get("url", "") for part in content if isinstance(part, dict)]
    return [b64decode(url.partition(",")[2]) for url in urls if url.startswith("data:")]


def form_of(body: bytes, content_type: str) -> tuple[dict[str, str], Upload | None]:
    """The fields of a form (multipart/form-data), and its file."""
    head = f"Content-Type: {content_type}\r\n\r\n".encode()
    form = BytesParser(policy=HTTP).parsebytes(head + body)
    fields: dict[str, str] = {}
    file = None
    for part in form.iter_parts() if form.is_multipart() else ():
        data: Any = part.get_payload(decode=True)
        name = part.get_param("name", header="content-disposition")
        if part.get_filename() is not None:
            file = Upload(str(part.get_filename()), part.get_content_type(), data)
        else:
            fields[str(name)] = data.decode("utf-8", "replace")
    return fields, file
