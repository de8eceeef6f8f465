"""The messages that a model gets for a block, and the key under which its answer is kept."""

from __future__ import annotations

import json
import re
import unicodedata
from hashlib import sha256

from ...lengths import Utf16Length
from .note_options import NoteOptions
from .notes import Block, is_blank
from .prompts import PROMPTS, STOP_WORDS

__all__ = ["Messages", "beginning", "guess_language"]

_PLACEHOLDER = re.compile(r"\{(document|chunk|breadcrumb|heading)\}")

_LOOKED_AT = 20_000


class Messages:
    """Messages for the blocks of one document.

    Placeholders are replaced in one pass: what looks like one in the document or in a block stays as it is. What
    comes before the first placeholder that differs between blocks is made and hashed once.
    """

    def __init__(self, document: str, options: NoteOptions) -> None:
        shown = beginning(document, options.document_max_chars)
        prompt = PROMPTS[options.language or guess_language(shown)]
        template = prompt.template if options.template is None else options.template
        system = prompt.system if options.system is None else options.system
        self._system = "" if is_blank(system) else system
        asked: list[object] = [options.model, options.temperature, self._system]
        self._asked = [*asked, template] if options.resume_key == "chunk" else None
        if options.template is None:
            # Of the whole document: the author of what is cut off could know the digits of what is shown.
            mark = sha256(document.encode("utf-8", "surrogatepass")).hexdigest()[:16]
            template = template.replace("{mark}", mark)
        pieces = _PLACEHOLDER.split(template)  # text and name in turn
        first = next((i for i in range(1, len(pieces), 2) if pieces[i] != "document"), len(pieces))
        self._head = "".join(shown if i % 2 else piece for i, piece in enumerate(pieces[:first]))
        self._tail = pieces[first:]  # a name first
        self._shown = shown
        self._hash = sha256(json.dumps(asked).encode())
        self._hash.update(self._head.encode("utf-8", "surrogatepass"))

    def _own(self, block: Block) -> str:
        """The part of the user message that is the block's own."""
        values = {
            "document": self._shown,
            "chunk": block.content,
            "breadcrumb": block.breadcrumb,
            "heading": block.heading,
        }
        return "".join(piece if i % 2 else values[piece] for i, piece in enumerate(self._tail))

    def of(self, block: Block) -> list[dict[str, str]]:
        """The system message, unless it is blank, and the user message."""
        user = {"role": "user", "content": self._head + self._own(block)}
        return [{"role": "system", "content": self._system}, user] if self._system else [user]

    def key(self, block: Block) -> str:
        """SHA-256, as 64 hexadecimal digits, over model, temperature and both messages.

        With `resume_key="chunk"`, over model, temperature, template, system message, and what is the block's own: the
        text, the headings, the name of the document; not over the document.
        """
        if self._asked is not None:
            own = [block.source, block.content, block.breadcrumb, block.heading]
            return sha256(json.dumps(["chunk", *self._asked, *own]).encode()).hexdigest()
        state = self._hash.copy()
        state.update(self._own(block).encode("utf-8", "surrogatepass"))
        return state.hexdigest()


def beginning(text: str, most: int) -> str:
    """The first `most` UTF-16 units of a text, all of it where that is 0 or less; no surrogate pair is cut."""
    if most <= 0 or len(text) * 2 <= most:
        return text
    window = text[: most + 1]  # a code point is one unit at least
    end = Utf16Length().measure(window).fit(0, most)
    if 0 < end < len(text) and "\ud800" <= text[end - 1] <= "\udbff" and "\udc00" <= text[end] <= "\udfff":
        end -= 1
    return text[:end]


def guess_language(text: str) -> str:
    """`pt` where the document's beginning has more Portuguese stop words than English ones, else `en`."""
    words = [word.strip(".,;:!?()[]\"'«»“”‘’*_") for word in text[:_LOOKED_AT].lower().split()]
    words = [unicodedata.normalize("NFC", word) for word in words]
    english, portuguese = (sum(word in STOP_WORDS[name] for word in words) for name in ("en", "pt"))
    return "pt" if portuguese > english else "en"
