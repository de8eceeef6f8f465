"""ODT: OpenDocument text, as it would be printed, without headers and footers.

Pages begin at explicit breaks and where the program noted that one began when it last laid the document out.
"""

from __future__ import annotations

from cantle import MDocument
from cantle.errors import DocumentError

from ..containers.archive import opened
from ..containers.opc import child
from ..limits import Limits
from ..markup.writing import Writer
from .flow import Flow
from .odf import Package, Styles

__all__ = ["read"]


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an ODT file holds, as Markdown. Raises `DocumentError`."""
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        root = package.content()
        body = child(root, "body", "text")
        if body is None:
            raise DocumentError(f"{name} holds no text of OpenDocument: it is damaged, or another kind of file.")
        writer = Writer(name, limits)
        flow = Flow(writer, Styles(root, package.tree("styles.xml")))
        flow.blocks(body)
        metadata = package.properties()
        if "title" not in metadata and flow.title:
            metadata = {"title": flow.title} | metadata
        if writer.pages > 1:
            metadata["page_count"] = writer.pages
        return writer.document(metadata)
