"""Files that are recognised and not read: what they are, and how to convert them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from cantle.errors import DocumentError

from .formats import find
from .limits import Limits

if TYPE_CHECKING:
    from cantle import MDocument

__all__ = ["read"]

_STEPS = {
    "doc": "Convert it, for example with LibreOffice: `soffice --headless --convert-to docx FILE.doc`.",
    "ppt": "Convert it, for example with LibreOffice: `soffice --headless --convert-to pptx FILE.ppt`.",
    "xlsb": "Convert it, for example with LibreOffice: `soffice --headless --convert-to xlsx FILE.xlsb`.",
    "msg": "Save it as EML in Outlook or another e-mail program; that is read.",
    "encrypted": (
        "Save it without a password in the program that made it, or decrypt it, for example with "
        "`msoffcrypto-tool -p PASSWORD IN OUT` (pip install msoffcrypto-tool)."
    ),
}


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """Raise `DocumentError`."""
    refuse(data, name)


def refuse(data: bytes, name: str, media_type: str | None = None) -> Never:
    """Raise the `DocumentError` that says what it is and what can be done."""
    found = find(data, name, media_type)
    if found is None or found.name not in _STEPS:
        raise DocumentError(f"{name} is damaged, or not what its name says: {data[:20]!r} is how it begins.")
    raise DocumentError(f"{name} is an {found.title}: it is not read. {_STEPS[found.name]}".replace("an W", "a W"))
