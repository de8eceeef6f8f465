"""Files that are sent in a form."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import aclosing
from typing import Any

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from ..errors import Problem
from ..jobs.chunk import Upload
from ..jobs.documents import UNNAMED

__all__ = ["upload_of"]


async def upload_of(request: Request, fields: Collection[str]) -> Upload:
    """The field `file` of a form, and the fields beside it, of which there may be as many as `fields` has.

    Raises `Problem` for a form that cannot be read, has no file or two, or a field twice.
    """
    most = request.app.state.settings.max_body_bytes
    try:
        form = await request.form(max_files=2, max_fields=len(fields) + 1, max_part_size=most)
    except HTTPException as error:
        if isinstance(error, Problem):
            raise
        raise Problem(400, "invalid_form", f"The form cannot be read: {error.detail}") from None
    async with aclosing(_Closing(form)):
        upload, found = None, dict[str, str]()
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                if name != "file" or upload is not None:
                    raise Problem(422, "invalid_field", "Send one file, as the field `file`.")
                upload = value
            elif name in found:
                raise Problem(422, "invalid_field", f"The field {name[:100]!r} is there twice. Keep one.")
            else:
                found[name] = value
        if upload is None:
            raise Problem(422, "invalid_field", "The form has no file: send it as the field `file`, with its name.")
        # The name is for its suffix, and for messages: a path, should there be one, is left out.
        name = (upload.filename or "").replace("\\", "/").rpartition("/")[2]
        return Upload(await upload.read(), name or UNNAMED, found)


class _Closing:
    def __init__(self, form: Any) -> None:
        self._form = form

    async def aclose(self) -> None:
        await self._form.close()
