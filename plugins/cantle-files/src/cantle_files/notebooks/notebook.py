"""Jupyter notebooks: cells as Markdown, code in fences, with what it printed behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from cantle import MDocument
from cantle.errors import DocumentError

from ..limits import Limits, too_large
from .cells import guarded, marker

__all__ = ["MOST_OUTPUT", "read"]

MOST_OUTPUT = 2000
"""Code points of a cell's outputs that are kept; behind them a line says how many there were."""

_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]{1,40}\Z")
_MAGIC = re.compile(r"\s*%%(bash|sh|html|javascript|js|latex|markdown|perl|python2|python3|pypy|R|ruby|sql|svg)\b")
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)
_DATA = re.compile(r"""(data:[a-z]{1,20}/[A-Za-z0-9.+-]{1,80})[;,][^\s)"'>]*""")
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f]")
_PLACEHOLDER = re.compile(r"<(?:IPython\.core\.display\.\w+ object|Figure size [^>]*|[\w.]+ at 0x[0-9a-fA-F]+)>\Z")
_PLAIN = ("text/markdown", "text/plain")


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document of a notebook of nbformat 4 or an older one. Its kind is `notebook`, which strategy `notebook` cuts.

    What Jupyter opens is read, whether nbformat finds it valid or not. Raises `DocumentError` for what is no notebook,
    and for one that is larger than the limits.
    """
    held = _parsed(data, name)
    cells = list(_cells(held, name))
    if len(cells) > limits.max_pages:
        raise too_large(name, "cells", len(cells), limits.max_pages, "max_pages")
    about = _mapping(held.get("metadata"))
    language = _language(about)
    parts: list[str] = []
    size = 0
    for number, cell in enumerate(cells, 1):
        kind, body = _body(cell, language)
        if not body.strip():
            continue
        parts.append(f"{marker(number, kind)}\n{guarded(body)}\n\n")
        size += len(parts[-1])
        if size > limits.max_characters:
            raise too_large(name, "characters", None, limits.max_characters, "max_characters")
    metadata: dict[str, Any] = {"title": _line(about.get("title")), "author": _authors(about)}
    metadata |= {"code_language": language, "cell_count": len(cells)}
    metadata = {key: value for key, value in metadata.items() if value != ""}
    return MDocument("".join(parts).removesuffix("\n"), "notebook", metadata, name)


def _parsed(data: bytes, name: str) -> Mapping[str, Any]:
    if not data.strip():
        raise DocumentError(f"{name} is an empty file, not a Jupyter notebook.")
    try:
        held = json.loads(data)
    except RecursionError:
        raise DocumentError(f"{name} is no Jupyter notebook: its JSON is nested too deeply.") from None
    except ValueError as error:
        why = "it is not in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise DocumentError(
            f"{name} is no Jupyter notebook, which is JSON: {why}. It was cut off, or holds marks of a merge; open it "
            "with Jupyter, or restore it from an older version. If it is text, say so: --kind text; kind='text' in "
            "Python."
        ) from None
    if not isinstance(held, dict) or not isinstance(held.get("cells", held.get("worksheets")), list):
        raise DocumentError(
            f"{name} is JSON, but no Jupyter notebook: it has no list of cells. If it is another JSON file, say so: "
            "--kind json; kind='json' in Python."
        )
    return held


def _cells(held: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """All cells; those of nbformat 3 and 2 stand in worksheets."""
    parts = [held] if isinstance(held.get("cells"), list) else held["worksheets"]
    number = 0
    for part in parts:
        for cell in _list(_mapping(part).get("cells")):
            number += 1
            if not isinstance(cell, dict):
                raise DocumentError(
                    f"{name} is a damaged Jupyter notebook: its cell {number} is {type(cell).__name__}, not an object. "
                    "Restore it from an older version."
                )
            yield cell


def _body(cell: Mapping[str, Any], language: str) -> tuple[str, str]:
    """What a cell is, and its text as Markdown."""
    kind = cell.get("cell_type")
    text = _text(next((cell[key] for key in ("source", "input", "text") if key in cell), ""))
    if kind == "code":
        own = _MAGIC.match(text)
        named = own[1] if own else _named(cell.get("language")) or language
        blocks = [_fenced(text, named.lower())] if text.strip() else []
        if output := _output(cell):
            blocks.append(_fenced(output, "output"))
        return "code", "\n\n".join(blocks)
    text = _DATA.sub(r"\1", text).strip("\n")
    if kind == "heading":
        level = cell.get("level")
        return "markdown", "#" * (min(max(level, 1), 6) if isinstance(level, int) else 1) + " " + " ".join(text.split())
    return ("markdown" if kind in ("markdown", "html") else "raw"), text


def _fenced(text: str, language: str) -> str:
    text = text.strip("\n")
    fence = "`" * max((len(found) + 1 for found in _FENCES.findall(text)), default=3)
    return f"{fence}{language}\n{text}\n{fence}"


def _output(cell: Mapping[str, Any]) -> str:
    """The outputs that are text, up to a length."""
    found: list[str] = []
    size = 0
    for output in _list(cell.get("outputs")):
        text = _shown(_mapping(output))
        if text.strip():
            size += len(text)
            if size - len(text) <= MOST_OUTPUT:
                found.append(text if text.endswith("\n") else text + "\n")
    joined = "".join(found).strip("\n")
    if size > MOST_OUTPUT and len(joined) > MOST_OUTPUT:
        kept = joined[:MOST_OUTPUT]
        line = kept.rfind("\n")
        kept = kept[:line] if line > MOST_OUTPUT // 2 else kept
        return f"{kept}\n... ({size:,} characters in all)"
    return joined


def _shown(output: Mapping[str, Any]) -> str:
    """What an output shows as text; nothing for a picture."""
    kind = output.get("output_type")
    if kind in ("error", "pyerr"):
        return _terminal(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}".strip(": \n"))
    if kind == "stream":
        return _terminal(_text(output.get("text")))
    data = _mapping(output.get("data")) if "data" in output else output
    if any(str(key).startswith("image/") or key in ("png", "jpeg", "svg") for key in data):
        return ""
    for key in (*_PLAIN, "text"):  # nbformat 3 has bare names
        text = _text(data.get(key))
        if text.strip() and not _PLACEHOLDER.match(text.strip()):
            return _terminal(text)
    return ""


def _terminal(text: str) -> str:
    """The text that is left on a terminal: no colours, of a line written anew only the last."""
    text = _ANSI.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROLS.sub("", text)


def _language(about: Mapping[str, Any]) -> str:
    """The language of the kernel, as Jupyter finds it; Python where none is named."""
    for place, key in (("language_info", "name"), ("kernelspec", "language")):
        if named := _named(_mapping(about.get(place)).get(key)):
            return named
    return "python"


def _named(value: Any) -> str:
    return value.lower() if isinstance(value, str) and _LANGUAGE.match(value) else ""


def _authors(about: Mapping[str, Any]) -> str:
    held = [_mapping(one).get("name") if isinstance(one, dict) else one for one in _list(about.get("authors"))]
    return ", ".join(name for name in map(_line, held) if name)


def _text(value: Any) -> str:
    """A text, which nbformat writes as one string or as a list of lines."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
