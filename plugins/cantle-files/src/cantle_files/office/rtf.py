"""RTF: Rich Text Format 1.9.1, as it would be printed, without headers and footers. Pages begin at explicit breaks."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

from cantle import MDocument
from cantle.errors import DocumentError

from ..limits import Limits
from ..markup.writing import Lines, Writer, link
from .rtfbody import Place, RtfBody, State, whole_text
from .rtfwords import CHARSETS, LEFT_OUT, SIGNS

__all__ = ["read"]

_TOKENS = re.compile(
    r"\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|([^\\{}\r\n]+)|\\'|\\|[\r\n]+",
    re.DOTALL,
)
_DEEPEST = 5000
_HYPERLINK = re.compile(r'HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))', re.IGNORECASE)
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an RTF file holds, as Markdown. Raises `DocumentError`."""
    if not data.startswith(b"{\\rtf"):
        raise DocumentError(f"{name} is no RTF file: it does not begin with '{{\\rtf' but with {data[:20]!r}.")
    writer = Writer(name, limits)
    reader = _Reader(writer)
    reader.run(data.decode("latin-1"))
    metadata: dict[str, object] = {key: value for key, value in reader.info.items() if value}
    if "title" not in metadata and reader.title:
        metadata = {"title": reader.title} | metadata
    if writer.pages > 1:
        metadata["page_count"] = writer.pages
    return writer.document(metadata)


class _Reader(RtfBody):
    def __init__(self, writer: Writer) -> None:
        super().__init__(writer)
        self.states: list[State] = []
        self.default = "cp1252"
        self.fonts: dict[int, str] = {}
        self.font = 0
        self.info: dict[str, str] = {}
        self.bytes = bytearray()
        self.to_skip = 0
        self.links: list[tuple[int, list[str]]] = []
        self.targets: list[str] = []
        self.marks = {"footnote": 0, "endnote": 0}
        self.section_page = True

    def run(self, source: str) -> None:
        """Read a whole file."""
        at, optional = 0, False
        while (found := _TOKENS.match(source, at)) is not None:
            at = found.end()
            word, number, code, sign, brace, text = found.groups()
            if code is not None:
                self.byte(int(code, 16))
                continue
            if self.bytes:
                self.end_bytes()
            if text is not None:
                if self.to_skip:
                    text, self.to_skip = text[self.to_skip :], max(0, self.to_skip - len(text))
                self.add(_no_breaks(text))
            elif brace == "{":
                if len(self.states) >= _DEEPEST:
                    raise DocumentError(
                        f"{self.writer.name} has more than {_DEEPEST:,} groups inside of one another: it is damaged."
                    )
                self.to_skip = 0
                self.states.append(self.state)
                self.state = replace(self.state, starts=False)
            elif brace == "}":
                self.to_skip = 0
                self.close()
                if not self.states:
                    break
            elif word == "bin":
                at += max(0, int(number or 0))
            elif word is not None:
                self.word(word, None if number is None else int(number), optional)
            elif sign == "*":
                optional = True
                continue
            elif sign is not None:
                if self.to_skip:
                    self.to_skip -= 1
                elif sign in "\r\n":
                    self.word("par", None, False)
                else:
                    self.add(SIGNS.get(sign, ""))
            optional = False
        self.end_bytes()
        while self.states:
            self.close()
        if self.place.text or self.place.boxes:
            self.paragraph()
        self.end_table()

    # -- text -------------------------------------------------------------------------------------

    def add(self, text: str) -> None:
        state = self.state
        if state.into is not None and text and not (state.hidden or state.deleted):
            if self.section_ends and state.into is self.place.text and not self.places:
                self.section_ends = False
                if self.section_page:
                    self.end_table()
                    self.fresh_page()
            state.into.append(text)

    def byte(self, value: int) -> None:
        if self.to_skip:
            self.to_skip -= 1
        else:
            self.bytes.append(value)

    def end_bytes(self) -> None:
        if self.bytes:
            held = self.bytes.decode(self.state.encoding or self.default, "replace")
            self.bytes.clear()
            self.add(_no_breaks(held))

    # -- groups -----------------------------------------------------------------------------------

    def begin(self, destination: str, into: list[str] | None) -> None:
        self.state.destination, self.state.into, self.state.starts = destination, into, True

    def close(self) -> None:
        """End a group, and the destination that it began."""
        if not self.states:
            return
        ended, self.state = self.state, self.states.pop()
        if not ended.starts:
            return
        if ended.destination in ("footnote", "box"):
            self.end_place(ended.destination)
        elif ended.destination == "field":
            self.end_field()
        else:
            self.end_small(ended, "".join(ended.into or ()) if ended.destination else "")

    def end_field(self) -> None:
        """Make a link of what a field shows, where it leads somewhere."""
        target = self.targets.pop()
        start, into = self.links.pop()
        text = "".join(into[start:])
        if target and text.strip() and "\f" not in text:
            before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
            into[start:] = [before + link(text, target) + after]

    def end_small(self, ended: State, held: str) -> None:
        """Keep what a destination said that is none of the text."""
        if ended.destination == "fldinst":
            found = _HYPERLINK.search(held)
            if self.targets:
                self.targets[-1] = (found[1] or found[2] or "") if found else ""
        elif ended.destination in _INFO:
            self.info[ended.destination] = " ".join(whole_text(held).split())
        elif ended.destination == "style":
            self.styles[ended.style] = held.strip().rstrip(";").strip().lower()
            if ended.outline is not None:
                self.outlines[ended.style] = ended.outline

    def begin_place(self, destination: str) -> None:
        self.places.append(self.place)
        self.place = Place(Lines(self.place.writer))
        self.begin(destination, self.place.text)
        self.state.in_table, self.state.level, self.state.style, self.state.outline = False, 0, 0, None

    def end_place(self, destination: str) -> None:
        if self.place.text:
            self.paragraph()
        self.end_table()
        ended, self.place = self.place, self.places.pop()
        assert isinstance(ended.writer, Lines)
        if destination == "box":
            self.place.boxes += ended.writer.text.split("\n")
        elif ended.writer.text:
            kind = "endnote" if self.endnote else "footnote"
            self.marks[kind] += 1
            mark = f"{'e' if self.endnote else ''}{self.marks[kind]}"
            self.place.writer.note(mark, ended.writer.text)
            self.add(f"[^{mark}]")

    endnote = False

    # -- words ------------------------------------------------------------------------------------

    def word(self, word: str, number: int | None, optional: bool) -> None:
        """Do what a word says."""
        state = self.state
        if self.to_skip and word != "u":  # a word stands for one character
            self.to_skip -= 1
        if word in SIGNS:
            self.add(SIGNS[word])
        elif word == "u" and number is not None:
            self.to_skip = state.skip
            self.add(_no_breaks(chr(number % 65536)))
        elif word == "uc":
            state.skip = min(max(number or 0, 0), 10)
        elif word in ("par", "sect", "cell", "nestcell", "row", "nestrow"):
            if state.into is self.place.text:
                self.end_of(word)
        elif word in _SETTINGS:
            self.setting(word, number)
        elif word in LEFT_OUT or (not self.destination(word) and optional):
            self.begin("", None)

    def destination(self, word: str) -> bool:
        """Begin the destination of this name; False where there is none."""
        state = self.state
        if word == "fonttbl":
            self.begin("fonttbl", None)
        elif word == "stylesheet":
            self.begin("stylesheet", None)
        elif word == "info":
            self.begin("info", None)
        elif word in _INFO and state.destination == "info":
            self.begin(word, [])
        elif word in ("shppict", "shpinst", "shp", "shpgrp", "upr", "ud", "fldrslt", "revised"):
            if word == "shpinst":
                self.begin("", None)
        elif state.into is None and word != "shptxt":
            return False
        elif word in ("listtext", "pntext"):
            self.place.label.clear()
            self.begin("label", self.place.label)
        elif word == "field":
            into = state.into if state.into is not None else []
            self.begin("field", into)
            self.links.append((len(into), into))
            self.targets.append("")
        elif word == "fldinst":
            self.begin("fldinst", [])
        elif word == "footnote":
            self.endnote = False
            self.begin_place("footnote")
        elif word == "shptxt":
            self.begin_place("box")
        else:
            return False
        return True

    def setting(self, word: str, number: int | None) -> None:
        """Change what holds until the end of the group or paragraph."""
        state = self.state
        if word == "pard":
            state.style, state.outline, state.level, state.in_table, state.page_before = 0, None, 0, False, False
            if state.destination != "label":
                self.place.label.clear()
        elif word == "plain":
            state.hidden = state.deleted = False
        elif word == "s":
            state.style = number or 0
            if self.states and self.states[-1].destination == "stylesheet":
                self.begin("style", [])
        elif word == "outlinelevel":
            state.outline = number
        elif word == "ilvl":
            state.level = min(max(number or 0, 0), 8)
        elif word == "intbl":
            state.in_table = True
        elif word == "v":
            state.hidden = number != 0
        elif word == "deleted":
            state.deleted = number != 0
        elif word == "pagebb":
            state.page_before = number != 0
        elif word == "ansicpg":
            self.default = _codec(f"cp{number}") or self.default
        elif word == "mac":
            self.default = "mac_roman"
        elif word == "f":
            self.font = number or 0
            state.encoding = self.fonts.get(self.font, "")
        elif word == "fcharset":
            self.fonts[self.font] = CHARSETS.get(number or 0, "")
        elif word == "ftnalt":
            self.endnote = True
        elif word == "sectd":
            self.section_page = True
        elif word in ("sbknone", "sbkcol"):
            self.section_page = False


_SETTINGS = frozenset(
    {"pard", "plain", "s", "outlinelevel", "ilvl", "intbl", "v", "deleted", "pagebb", "ansicpg", "mac", "f", "fcharset",
     "ftnalt", "sectd", "sbknone", "sbkcol"}
)  # fmt: skip


def _codec(name: str) -> str | None:
    try:
        return codecs.lookup({"cp65001": "utf-8", "cp10000": "mac_roman"}.get(name, name)).name
    except LookupError:
        return None


def _no_breaks(text: str) -> str:
    """Text without the signs that mean page breaks here."""
    return text.replace("\f", " ").replace("\v", " ")
