"""What every list of chunks of `ContextRetrievalChunker` must keep, whatever the document and the options."""

from __future__ import annotations

from typing import Any

import regex

from cantle.lengths import resolve

BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    "\u2028\u2029\u205f\u3000"
)
FIELDS = (
    "id hash index total start end length tokens heading headingLevel path breadcrumb sections header content context "
    "text embed type blocks overlap page pages metadata synthetic"
)


def units(text: str) -> str:
    """The text with a character for each UTF-16 unit."""
    data = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(data[i : i + 2], "little")) for i in range(0, len(data), 2))


def solid(text: str) -> str:
    return "".join(text.split())


def broken(cleaned: str, chunks: list[dict[str, Any]], limit: int, overlap: int, counted: str) -> list[str]:
    """What the chunks of a cleaned text break; empty when all is well. `counted` names what limits count."""
    text, size, found = units(cleaned), resolve(counted), []
    before = 0
    for i, chunk in enumerate(chunks):
        name = f"chunk {i}"
        if list(chunk) != FIELDS.split() or chunk["index"] != i or chunk["total"] != len(chunks):
            found.append(f"{name}: fields")
        if size(chunk["text"]) > limit and len(regex.findall(r"\X", chunk["text"])) > 1:
            found.append(f"{name}: size {size(chunk['text'])}")
        content = units(chunk["content"])
        repeated, body = content[: chunk["overlap"]], content
        if chunk["length"] != len(content):
            found.append(f"{name}: length")
        if repeated:
            body = content[len(repeated) + 2 :]
            start = chunk["start"]
            if text[start : start + len(repeated)] != repeated:  # an indented rule is repeated without its blanks
                start += len(text[start:]) - len(text[start:].lstrip(BLANKS))
            if text[start : start + len(repeated)] != repeated or content[len(repeated) :][:2] != "\n\n":
                found.append(f"{name}: overlap is no slice")
            if start and is_word(text[start - 1]) and is_word(text[start]):
                found.append(f"{name}: overlap begins inside a word")
            if size(repeated.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")) > overlap:
                found.append(f"{name}: overlap is too long")
        new = text[before : chunk["end"]]
        if chunk["synthetic"]:
            rest = iter(solid(body))
            if not all(char in rest for char in solid(new)):
                found.append(f"{name}: text lost")
        else:
            end = len(text[: chunk["end"]].rstrip(BLANKS))
            if text[end - len(body) : end] != body:
                found.append(f"{name}: body is no slice")
            if solid(new) != solid(body):
                found.append(f"{name}: text lost or twice")
        before = chunk["end"]
    if solid(text[before:]):
        found.append("text lost at the end")
    return found


def is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
