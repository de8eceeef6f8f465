"""`contextualize`: a model writes a note for each chunk that situates it in its document."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from ..chunk import Chunk
from ..chunks import Chunks
from ..errors import ContextWarning
from ..lengths import resolve
from ..source import Source
from ..strategy import NO_LIMIT, Sized
from ..waiting import Waiter, is_coroutine_function
from ..warn import warn
from .notes.arguments import as_chunks
from .notes.clients import Client, check_client, is_ready
from .notes.documents import check_document, document_text
from .notes.messages import Messages
from .notes.note_options import ContextOptions, NoteOptions, read_options
from .notes.notes import Block, Room, block_of, block_of_dict, is_blank, strip, with_notes, write
from .notes.runs import Deliver, Outcome, drive, drive_async
from .notes.saved_notes import SavedNotes

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["acontextualize", "contextualize"]

_log = logging.getLogger("cantle")
_log.addHandler(logging.NullHandler())  # whoever does not set logging up sees the warnings alone

_ALIKE = 5
"""So many calls that fail alike before there is any note may have one cause, such as a wrong key."""

Dictionaries = TypeVar("Dictionaries", bound=Sequence[MutableMapping[str, Any]])


@overload
def contextualize(
    client: Client | None,
    document: str | Source | None,
    chunks: Sequence[Chunk],
    options: Mapping[str, Any] | None = None,
    **more: Unpack[ContextOptions],
) -> Chunks: ...
@overload
def contextualize(
    client: Client | None,
    document: str | Source,
    chunks: Dictionaries,
    options: Mapping[str, Any] | None = None,
    **more: Unpack[ContextOptions],
) -> Dictionaries: ...
def contextualize(
    client: Any, document: Any, chunks: Any, options: Mapping[str, Any] | None = None, **more: Unpack[ContextOptions]
) -> Any:
    """Have a model write a note for each chunk: what it is about, for searches that do not use its words.

    `client` has `complete(messages, **options)`, ordinary or `async`; it is asked once for each chunk, one after
    another, which costs money. `document` is the text the chunks come from, sent as it is. With `Chunks` it is best
    None: their own document then, without front matter and without what chunking left out of it (comments, data of
    images, running lines, hidden parts of a page). A document that does not hold the chunks is a `ContextWarning`.

    `chunks` is the list of dictionaries that `ContextRetrievalChunker` gives: then `context` and `text` are set in it,
    and it is returned. Or it is `Chunks`, or some of them in a list, such as `chunks[:3]`: then new `Chunks` are
    returned, with the note in `prefix`, behind the headings that may be there, and in `metadata["context"]`.

    Options go by name, or in a mapping whose keys may be in camelCase: `model` (""), `temperature` (0.0),
    `document_max_chars` (60000, in UTF-16 units; 0 or less sends everything), `template` with the placeholders
    `{document}`, `{chunk}`, `{breadcrumb}` and `{heading}`, `system` (blank: no system message), `skip_if_present`
    (True), `fail_fast` (False), `embed` ("full", "context" or "content"; dictionaries only), `language` ("en" or
    "pt" for the built-in prompt, guessed by default), `concurrency` (1), `progress` (True for a bar, or a function
    of `(done, total)`; its `tick()`, if it has one, is called twice a second while no call ends), `resume` (a file
    that keeps the notes), `resume_key` ("prompt", or "chunk": notes in the file stay good for a chunk whose
    document has changed elsewhere), and with `Chunks` `max_size` and `length_function`: a note is then cut so that
    the chunk's text stays within the limit. Without them the strategy's limit counts: a note is cut where
    `context_size` left room for one; else it is whole, and a chunk that is too long with it is marked `oversize`.

    A chunk whose call fails or gives nothing stays as it is, with a `ContextWarning`, and the others go on; with
    `fail_fast` the client's error is raised, and the notes made until then are in the dictionaries and in the
    `resume` file. An error of the client with a true attribute `is_fatal` (a wrong key, a spending limit) ends the
    run: no more calls are begun, one `ContextWarning` says why, and what comes back has the notes made until then. A
    client that is None or not ready is a `ContextWarning`, and `chunks` come back as they are. Raises `OptionError`
    for wrong arguments, before anything is asked.
    """
    chunks = as_chunks(chunks)
    run = _prepare(client, document, chunks, options, more)
    if run is None:
        return chunks
    with Waiter() as settle:
        if not run.is_ready(settle(is_ready(client))):
            return chunks
        with run:
            drive(run.blocks, lambda block: run.attempt(block, settle), run, run.options.concurrency)
    return run.result()


@overload
async def acontextualize(
    client: Client | None,
    document: str | Source | None,
    chunks: Sequence[Chunk],
    options: Mapping[str, Any] | None = None,
    **more: Unpack[ContextOptions],
) -> Chunks: ...
@overload
async def acontextualize(
    client: Client | None,
    document: str | Source,
    chunks: Dictionaries,
    options: Mapping[str, Any] | None = None,
    **more: Unpack[ContextOptions],
) -> Dictionaries: ...
async def acontextualize(
    client: Any, document: Any, chunks: Any, options: Mapping[str, Any] | None = None, **more: Unpack[ContextOptions]
) -> Any:
    """Like `contextualize`, in the running event loop: coroutines are awaited there, other clients run in threads."""
    from concurrent.futures import ThreadPoolExecutor

    chunks = as_chunks(chunks)
    run = _prepare(client, document, chunks, options, more)
    if run is None:
        return chunks
    ready = is_ready(client)
    if not run.is_ready(await ready if inspect.isawaitable(ready) else ready):
        return chunks
    # The loop's own threads are few, and others want them.
    pool = ThreadPoolExecutor(run.options.concurrency, "cantle-notes")
    try:
        with run:
            attempt = partial(run.attempt_async, pool=pool)
            await drive_async(run.blocks, attempt, run, run.options.concurrency)
    finally:
        pool.shutdown(wait=False)  # all is done, or the caller does not want to wait
    return run.result()


def _prepare(
    client: Any, document: Any, chunks: Any, options: Mapping[str, Any] | None, more: Mapping[str, Any]
) -> _Run | None:
    """A run with everything checked; None where nothing can be asked."""
    read = read_options(options, more, dictionaries=not isinstance(chunks, Chunks))
    if not chunks:
        return None
    text = document_text(document, chunks)
    if client is None:
        warn("There is no client: the chunks stay without notes.", ContextWarning)
        return None
    check_client(client)
    run = _Run(client, text, chunks, read)
    if document is not None:
        check_document(text, chunks, run.blocks)
    return run


class _Run(Deliver):
    """One call of `contextualize`: who asks what, and where the notes go."""

    def __init__(self, client: Any, document: str, chunks: Any, options: NoteOptions) -> None:
        self.options = options
        self._complete: Callable[..., Any] = client.complete
        self._sent = {"temperature": options.temperature} | ({"model": options.model} if options.model else {})
        self._chunks = chunks
        make = block_of if isinstance(chunks, Chunks) else block_of_dict
        all_blocks: list[Block] = [make(chunk, i) for i, chunk in enumerate(chunks)]
        skip = options.skip_if_present
        self.blocks = [b for b in all_blocks if not is_blank(b.content) and not (skip and b.noted)]
        self._messages = Messages(document, options)
        self._total, self._done = len(self.blocks), 0
        self._notes: dict[int, str] = {}
        self._errors: dict[int, Exception] = {}
        self._missing = 0
        self._taken = 0  # from the resume file
        self._stopped: Exception | None = None  # the client's error after which no call would succeed
        self._causes: list[str] = []  # of the calls before the first note, "" where the answer is empty
        self._progress: Callable[[bool], object] = lambda noted: None
        self._tick: Callable[[], object] = lambda: None
        self._saved: SavedNotes | None = None
        self._stack = ExitStack()

    def is_ready(self, answer: Any) -> bool:
        """Whether the client can be asked; a warning where it cannot."""
        if not answer:
            warn("The client is not ready: the chunks stay without notes.", ContextWarning)
        return bool(answer)

    def __enter__(self) -> _Run:
        """Open what is needed, and take the notes that are in the file already."""
        with self._stack:
            if self.options.resume is not None:
                self._saved = SavedNotes(self.options.resume)
            self._show_progress()
            self._take_saved()
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _show_progress(self) -> None:
        progress = self.options.progress
        if progress is True:
            from ..console import Bar

            bar = self._stack.enter_context(Bar(self._total, "Chunks", "note"))
            self._progress, self._tick = lambda noted: bar.advance(int(noted)), bar.tick
        elif callable(progress):
            self._progress = lambda noted: progress(self._done, self._total)
            self._tick = getattr(progress, "tick", self._tick)

    def _take_saved(self) -> None:
        if self._saved is None:
            return
        missing = []
        for block in self.blocks:
            note = self._saved.get(self._messages.key(block))
            if note is None:
                missing.append(block)
            else:
                self._taken += 1
                self(block, Outcome(note))
        self.blocks = missing

    def attempt(self, block: Block, settle: Callable[[Any], Any]) -> Outcome:
        """Ask for one note. `settle` waits for what the client answers, where it is awaitable."""
        try:
            return self._outcome(block, settle(self._complete(self._messages.of(block), **self._sent)))
        except Exception as error:  # a client may be anyone's
            return Outcome("", error)

    async def attempt_async(self, block: Block, pool: Executor) -> Outcome:
        """Ask for one note, waiting in the running loop; what may block is called in a thread of `pool`."""
        import asyncio
        from contextvars import copy_context

        def ask() -> Any:
            answer = self._complete(self._messages.of(block), **self._sent)
            # In the thread: what is paid for is saved, though the waiting be cancelled.
            return answer if inspect.isawaitable(answer) else self._outcome(block, answer)

        try:
            if is_coroutine_function(self._complete):
                answer = ask()
            else:
                answer = await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, ask)
            return answer if isinstance(answer, Outcome) else self._outcome(block, await answer)
        except Exception as error:  # a client may be anyone's
            return Outcome("", error)

    def _outcome(self, block: Block, answer: Any) -> Outcome:
        """What the client's answer comes to; a note goes into the file at once."""
        if answer is None:
            return Outcome("")
        if not isinstance(answer, str):
            raise TypeError(f"complete() must give a str, got {type(answer).__name__}")
        note = strip(answer)
        if note and self._saved is not None:
            try:
                self._saved.add(self._messages.key(block), note, block.name)
            except OSError as error:
                return Outcome(note, error)
        return Outcome(note)

    def beat(self) -> None:
        """Show that time passes."""
        self._tick()

    def ending(self, calls: int) -> None:
        """Say that calls are waited for, after Ctrl-C."""
        from ..console import say_waiting

        say_waiting(calls)

    def keep(self, block: Block, outcome: Outcome) -> None:
        """Put a note where it belongs."""
        if outcome.note:
            self._notes[block.number] = outcome.note
            if not isinstance(self._chunks, Chunks):
                write(self._chunks[block.number], outcome.note, self.options.embed)

    def report(self, block: Block, outcome: Outcome) -> bool:
        """Warn of a chunk without a note; False stops the run."""
        self._done += 1
        self._progress(bool(outcome.note))
        note, error = outcome
        if not note:
            self._missing += 1
            if self._missing == self._done - self._taken:
                self._causes.append("" if error is None else type(error).__name__)
        if error is not None and not note and self.options.fail_fast:
            self._errors[block.number] = error
            return False
        if error is not None and not note and getattr(error, "is_fatal", False) is True:
            self._stopped = self._stopped or error
            return False
        if error is not None or not note:
            cause = "the answer is empty" if error is None else f"{type(error).__name__}: {error}"
            what = (
                f"The note of chunk {block.name} is not in the resume file"
                if note
                else f"No note for chunk {block.name}"
            )
            _log.warning("%s: %s", what, cause, exc_info=error)
            warn(f"{what}: {cause.removesuffix('.')}.", ContextWarning)
        return True

    def result(self) -> Any:
        """The chunks with their notes; raises the error that stopped the run, of several that of the first chunk."""
        if self._errors:
            raise self._errors[min(self._errors)]
        self._sum_up()
        if not isinstance(self._chunks, Chunks):
            return self._chunks
        return with_notes(self._chunks, self._notes, self._room(self._chunks))

    def _sum_up(self) -> None:
        """Warn of several chunks without a note, once more and in one."""
        if self._missing < 2 and self._stopped is None:
            return
        missing = self._missing + self._total - self._done  # after a stop some were never asked for
        verb = "has" if missing == 1 else "have"
        message = f"{missing} of {self._total} chunk{'' if self._total == 1 else 's'} {verb} no note."
        first = self._causes[:_ALIKE]
        if self._stopped is not None:
            cause = f"{type(self._stopped).__name__}: {self._stopped}".rstrip(".")
            message += f" The run was stopped by {cause}."
        elif len(first) == _ALIKE and first[0] and len(set(first)) == 1:
            message += f" The first calls all failed with {first[0]}; fail_fast=True stops at the first error."
        if self.options.skip_if_present:
            message += " Call contextualize again with what came back: only these chunks are asked for."
        warn(message, ContextWarning)

    def _room(self, chunks: Chunks) -> Room | None:
        """What a text with its note may measure: by the options, else by the strategy that made the chunks."""
        options, strategy = self.options, chunks.strategy
        if options.max_size is not None:
            return Room.of_option(options.max_size, resolve(options.length_function))
        if isinstance(strategy, Sized) and strategy.limit < NO_LIMIT:
            return Room.of_strategy(strategy.limit, strategy.length, bool(getattr(strategy, "context_size", 0)))
        return None
