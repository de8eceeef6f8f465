"""Media to text: a PDF by a plugin, pictures and recordings by a model, text as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cantle.errors import DocumentError, MissingDependencyError, OptionError

from ..jobs.pdf import pdf_text
from .fetching import Fetched, Fetcher
from .kinds import ACCEPT, Known, kind_of, text_of
from .refusals import problem

if TYPE_CHECKING:
    from cantle_llm import Client, Run

    from ..settings import Settings

__all__ = ["MediaText", "ReadPdf", "in_worker", "to_text"]

ReadPdf = Callable[[bytes, str], tuple[str, tuple[str, ...]]]
"""From a PDF's bytes and its name to its text, and what is to be said of it: `jobs.pdf.pdf_text`, or that elsewhere."""

_UNREADABLE = ("bad_request", "context_length", "refused", "content_filter", "empty")
"""Why a model gives no text that lies in the media."""


@dataclass(frozen=True)
class MediaText:
    """The text of media. `kind` is `pdf`, `image`, `audio`, `video` or `text`, `media_type` the MIME type.

    `url` is the one that was asked for, without its query. `notes` say what is missing, such as pages of a PDF that are
    pictures.
    """

    text: str
    kind: str
    media_type: str
    url: str
    notes: tuple[str, ...] = ()


def to_text(
    url: str,
    settings: Settings,
    client: Client | Run | None = None,
    *,
    fetcher: Fetcher | None = None,
    read_pdf: ReadPdf = pdf_text,
    audio_model: str | None = None,
    language: str = "en",
) -> MediaText:
    """The text of the media that a URL leads to. It waits for servers and for the model: call it in a thread.

    `client` is asked for what pictures show and recordings say: a `Run` of a client adds what that costs up. Recordings
    go to `audio_model`, by default that of the settings. `fetcher` is by default one with the service's settings.
    `read_pdf` does the work of a PDF; a service has it done by `in_worker`.
    `language` ("en" or "pt") is that of descriptions.

    Raises `Problem` with an HTTP status of 4xx for what is wrong with the URL or with the media, `ModelError` where the
    model failed for another reason, and what `read_pdf` raises when its worker fails.
    """
    found = (fetcher or Fetcher.of(settings)).fetch(url, ACCEPT)
    known = kind_of(found)
    notes: tuple[str, ...] = ()
    if known.kind == "text":
        text = text_of(found)
    elif known.kind == "pdf":
        text, notes = _of_pdf(found, known, read_pdf)
    else:
        text = _by_model(found, known, client, audio_model or settings.audio_model, language)
    return MediaText(text, known.kind, known.media_type, url.partition("?")[0].partition("#")[0], notes)


def in_worker(run: Callable[..., Awaitable[Any]], loop: asyncio.AbstractEventLoop) -> ReadPdf:
    """A `read_pdf` that hands the work over: `in_worker(workers.run, loop)`, with the loop of the workers.

    A PDF that crashes its reader, or keeps it busy, then ends a worker process and not the service. To be called in
    another thread than the loop's.
    """

    async def read(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
        text, notes = await run(pdf_text, data, name)
        return text, notes

    return lambda data, name: asyncio.run_coroutine_threadsafe(read(data, name), loop).result()


def _of_pdf(found: Fetched, known: Known, read_pdf: ReadPdf) -> tuple[str, tuple[str, ...]]:
    try:
        return read_pdf(found.data, known.name)
    except MissingDependencyError:
        raise problem(
            415, "media_unsupported", "This server reads no PDF: the plugin cantle-files is not installed.", found.url
        ) from None
    except DocumentError as error:
        raise problem(422, "media_unreadable", str(error), found.url) from None


def _by_model(found: Fetched, known: Known, client: Client | Run | None, audio_model: str | None, language: str) -> str:
    from cantle_llm import ModelError, describe_image, transcribe

    if client is None or (known.kind != "image" and not audio_model):
        what, name = ("sees pictures", "model") if known.kind == "image" else ("hears recordings", "audio_model")
        raise problem(
            422, "no_model", f"This server has no model that {what}. Whoever runs it can set {name}.", found.url
        )
    try:
        if known.kind == "image":
            return describe_image(found.data, known.media_type, client=client, language=language)
        return transcribe(found.data, known.name, client=client, model=audio_model)
    except OptionError as error:  # a picture or a recording that the model does not take
        raise problem(422, "media_unreadable", str(error), found.url) from None
    except ModelError as error:
        if error.reason not in _UNREADABLE:
            raise
        raise problem(422, "media_unreadable", f"The model cannot read it. {error}", found.url) from None
