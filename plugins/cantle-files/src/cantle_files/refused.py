"""Files that are recognised and not read: what they are, and how to convert them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """Raise the `DocumentError` that says what the file is and what can be done."""
    found = find(data)
    assert found is not None
    article = "an" if found.title[0] in "aeiouAEIOU" else "a"
    raise DocumentError(f"{name} is {article} {found.title}: it is not read. {_STEPS[found.name]}")
