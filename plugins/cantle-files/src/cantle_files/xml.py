"""The package lxml: XML and HTML as trees. Its only door.

No entity is expanded, no DTD loaded, nothing fetched. The depth of XML is limited by libxml2 (256 elements),
the size by us; who walks through HTML looks after its depth.
"""

from __future__ import annotations

from typing import Any

from cantle.errors import DocumentError

__all__ = ["MOST_XML", "Element", "parse_html", "parse_xml", "tag"]

Element = Any
"""An element of lxml, whose types are none that mypy has."""

MOST_XML = 200_000_000
"""Bytes of one XML file: its tree takes some five times that."""


def parse_xml(data: bytes, what: str, name: str, *, doctype: bool = False) -> Element:
    """The root of an XML file. `what` is it (an entry of an archive), `name` the file that it is in, for messages.

    Raises `DocumentError` for what is no XML, is too large, too deep, or has a document type, with which entities can
    be defined; `doctype=True` takes one, and leaves its entities alone.
    """
    from lxml import etree

    if len(data) > MOST_XML:
        raise DocumentError(
            f"{what!r} in {name} has {len(data):,} bytes; the limit is {MOST_XML:,} for one XML file. Divide the file."
        )
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if "huge" in str(error).lower() or "depth" in str(error).lower():
            why = "it is nested too deeply, or has one text of more than 10 million characters"
        else:
            why = str(error).partition(", line")[0] or "it is empty"
        raise DocumentError(
            f"{what!r} in {name} is no XML that can be read: {why}. Open the file with the program that made it and "
            "save it again."
        ) from None
    if not doctype and root.getroottree().docinfo.internalDTD is not None:
        raise DocumentError(
            f"{what!r} in {name} defines a document type (<!DOCTYPE ...>), as no office program does: it may make a "
            "file grow without end, or fetch others. Open the file with the program that made it and save it again."
        )
    return root


def parse_html(data: bytes | str) -> Element | None:
    """The root of an HTML page, as browsers would repair it; None where nothing is in it."""
    from lxml import etree, html

    parser = html.HTMLParser(
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # else what is deeper than 256 elements would be lost
        encoding=None if isinstance(data, bytes) else "utf-8",
    )
    held = data if isinstance(data, bytes) else data.encode("utf-8", "replace")
    if not held.strip():
        return None
    try:
        return html.document_fromstring(held, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def tag(element: Element) -> str:
    """The name of an element without its namespace; empty for what is no element."""
    named = element.tag
    return named.rpartition("}")[2] if isinstance(named, str) else ""
