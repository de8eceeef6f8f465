"""The package lxml: XML and HTML as trees. Its only door.

No entity is expanded, no DTD loaded, nothing fetched. The depth of XML is limited by libxml2 (256 elements),
the size by us; who walks through HTML looks after its depth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any

from cantle.errors import DocumentError

__all__ = ["MOST_XML", "Element", "each", "parse_html", "parse_xml", "tag"]

Element = Any
"""An element of lxml, whose types are none that mypy has."""

MOST_XML = 50_000_000
"""Bytes of one XML file that is made a tree, which may take twenty times that."""


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
        raise _broken(error, what, name) from None
    if not doctype and root.getroottree().docinfo.internalDTD is not None:
        raise _with_doctype(what, name)
    return root


def _broken(error: Exception, what: str, name: str) -> DocumentError:
    if "huge" in str(error).lower() or "depth" in str(error).lower():
        why = "it is nested too deeply, or has one text of more than 10 million characters"
    else:
        why = " ".join(str(error).partition(", line")[0].split()) or "it is empty"
    return DocumentError(
        f"{what!r} in {name} is no XML that can be read: {why}. Open the file with the program that made it and "
        "save it again."
    )


def _with_doctype(what: str, name: str) -> DocumentError:
    return DocumentError(
        f"{what!r} in {name} defines a document type (<!DOCTYPE ...>), as no office program does: it may make a "
        "file grow without end, or fetch others. Open the file with the program that made it and save it again."
    )


def each(
    data: bytes, what: str, name: str, events: Collection[str], tags: Collection[str]
) -> Iterator[tuple[str, Element]]:
    """The elements of these names in an XML file that may be large, as `(event, element)`, event `start` or `end`.

    After its `end` an element that is asked for is emptied, so that no tree of the file is kept. Errors are those of
    `parse_xml`; there is no limit on the size of the file.
    """
    from lxml import etree

    if b"<!DOCTYPE" in data[:4096]:
        raise _with_doctype(what, name)
    found = etree.iterparse(
        BytesIO(data),
        events=tuple(events),
        tag=[f"{{*}}{one}" for one in tags],
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        for event, element in found:
            yield event, element
            if event == "end":
                element.clear(keep_tail=True)
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise _broken(error, what, name) from None


def parse_html(data: bytes | str, what: str = "an HTML page") -> Element | None:
    """The root of an HTML page, as browsers would repair it; None where nothing is in it. `what` it is, for messages.

    Raises `DocumentError` for one with more than 2048 elements inside of one another.
    """
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
        root = html.document_fromstring(held, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        root = None
    if any("depth" in error.message for error in parser.error_log.filter_from_fatals()):  # the rest would be missing
        raise DocumentError(f"{what} is nested too deeply: no program writes such. Save the file as text or PDF.")
    return root


def tag(element: Element) -> str:
    """The name of an element without its namespace; empty for what is no element."""
    named = element.tag
    return named.rpartition("}")[2] if isinstance(named, str) else ""
