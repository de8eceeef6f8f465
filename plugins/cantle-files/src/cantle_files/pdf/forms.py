"""Forms of a PDF that draw others many times over: PDFium draws all of it into memory, and would end the process.

A form (ISO 32000-1, 8.10) is content that others draw by `/Name Do`; it may draw forms itself. Nine that draw the next
one ten times each are a file of 3 KB and a thousand million objects. This counts them before PDFium sees
the file. It reads no encrypted content and few filters, and takes it that what it cannot read draws nothing.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from typing import Any, NamedTuple

__all__ = ["drawn_most"]

_OBJECT = re.compile(rb"(?<!\d)(\d{1,10})\s{1,20}\d{1,5}\s{1,20}obj\b")
_TOKEN = re.compile(
    rb"<<|>>|[\[\]]|/[^\s/<>\[\](){}%]*|\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>|(?:(\d{1,10})\s{1,20}\d{1,5}\s{1,20}R\b)"
    rb"|%[^\r\n]*|[^\s/<>\[\](){}%]+",
    re.DOTALL,
)
_DO = re.compile(rb"/([^\s/<>\[\](){}%]+)\s{1,20}Do\b")
_NAMED = re.compile(rb"/([^\s/<>\[\](){}%]+)\s{1,20}(\d{1,10})\s{1,20}\d{1,5}\s{1,20}R\b")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
_MOST_CONTENT = 100_000_000
_MOST_CONTENTS = 1_000_000_000
"""Bytes of unpacked content that are looked at, of one stream and of all."""

_LAST = 4_194_304
"""The highest number of an object that PDFium takes."""

_MOST = 10**12


class _Ref(NamedTuple):
    number: int


class _Form(NamedTuple):
    calls: Counter[bytes]
    own: dict[bytes, int] | None
    """The objects that the names in its calls mean; None for one without resources, which goes by those of the page."""


def drawn_most(data: bytes) -> int:
    """How many forms are drawn, at most, for one that a page draws. Forms that draw themselves count as 10**12."""
    forms = _File(data).forms()
    if not any(form.calls for form in forms.values()):
        return 0
    called = {number: _called(form, forms) for number, form in forms.items()}
    if any(form.own is None and form.calls for form in forms.values()):
        for found in _NAMED.finditer(data):  # in resources of pages, which forms without their own go by
            number = int(found[2])
            if number in forms and forms[number].own is None and _plain(found[1]) in forms[number].calls:
                called[number][number] = 1
    done: dict[int, int] = {}
    for number in forms:
        _count(number, called, done)
    return max(done.values())


def _called(form: _Form, forms: dict[int, _Form]) -> Counter[int]:
    """The forms that a form draws, and how often each."""
    found = Counter[int]()
    for name, times in form.calls.items():
        target = (form.own or {}).get(name)
        if target in forms:
            found[target] += times
    return found


def _count(first: int, called: dict[int, Counter[int]], done: dict[int, int]) -> None:
    """Work out how many forms are drawn for this one, itself included, and for those that it draws."""
    above: set[int] = set()
    stack = [first]
    while stack:
        number = stack[-1]
        if number in done:
            stack.pop()
            continue
        if number not in above:
            above.add(number)
            waiting = [one for one in called[number] if one not in done and one not in above]
            if waiting:
                stack += waiting
                continue
        total = 1 + sum(times * done.get(one, _MOST) for one, times in called[number].items())
        done[number] = min(total, _MOST)
        above.discard(number)
        stack.pop()


class _File:
    """The objects of a PDF, found by their `obj`."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._places: dict[int, tuple[int, int]] = {}
        self._packed: dict[int, bytes] = {}
        self._values: dict[int, Any] = {}
        self._left = _MOST_CONTENTS
        number, begin = 0, 0
        for found in _OBJECT.finditer(data):
            self._place(number, begin, found.start())
            number, begin = int(found[1]), found.end()
        self._place(number, begin, len(data))
        if b"ObjStm" in data:
            for begin, end in self._places.values():
                head, content = self._stream(begin, end)
                if b"ObjStm" in head:
                    self._unpack(head, content)

    def _place(self, number: int, begin: int, end: int) -> None:
        if 0 < number <= _LAST:
            self._places[number] = begin, end

    def forms(self) -> dict[int, _Form]:
        """The forms, by their numbers."""
        found = {}
        for number, (begin, end) in self._places.items():
            head, content = self._stream(begin, end)
            if not content or (b"Form" not in head and b"#" not in head):
                continue
            said = _parsed(head)
            if isinstance(said, dict) and said.get(b"Subtype") == b"/Form":
                calls = Counter(_plain(name) for name in _DO.findall(self._content(said, content)))
                found[number] = _Form(calls, self._names(said.get(b"Resources"), calls) if calls else {})
        return found

    def _names(self, resources: Any, calls: Counter[bytes]) -> dict[bytes, int] | None:
        """The objects that these names mean."""
        resources = self._value(resources)
        if not isinstance(resources, dict):
            return None
        held = self._value(resources.get(b"XObject"))
        if not isinstance(held, dict):
            return {}
        return {name: one.number for name in calls if isinstance(one := held.get(name), _Ref)}

    def _stream(self, begin: int, end: int) -> tuple[bytes, bytes]:
        at = self.data.find(b"stream", begin, end)
        if at < 0 or self.data.find(b"endobj", begin, at) >= 0:
            return b"", b""
        start = at + 6
        start += 2 if self.data[start : start + 2] == b"\r\n" else 1
        stop = self.data.find(b"endstream", start, end)
        return self.data[begin:at], self.data[start : stop if stop >= 0 else end]

    def _unpack(self, head: bytes, content: bytes) -> None:
        said = _parsed(head)
        held = self._content(said, content)
        first = said.get(b"First") if isinstance(said, dict) else None
        if not isinstance(first, bytes) or not first.isdigit():
            return
        numbers = [int(one) for one in re.findall(rb"\d{1,10}", held[: int(first)])]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
        ends = [place for _, place in pairs[1:]] + [len(held)]
        for (number, place), end in zip(pairs, ends, strict=True):
            self._packed[number] = held[int(first) + place : int(first) + end]

    def _content(self, head: Any, content: bytes) -> bytes:
        """What the stream with this dictionary holds, unpacked."""
        filters = self._value(head.get(b"Filter", [])) if isinstance(head, dict) else []
        held = content
        for one in filters if isinstance(filters, list) else [filters]:
            most = min(_MOST_CONTENT, self._left)
            try:
                if one in (b"/FlateDecode", b"/Fl") and most > 0:
                    held = zlib.decompressobj().decompress(held, most)
                elif one in (b"/ASCII85Decode", b"/A85"):
                    held = base64.a85decode(held.partition(b"~>")[0])
                elif one in (b"/ASCIIHexDecode", b"/AHx"):
                    held = bytes.fromhex(held.partition(b">")[0].decode("ascii"))
                else:
                    return b""
            except (zlib.error, ValueError):
                return b""
            self._left -= len(held)
        return held

    def _value(self, value: Any) -> Any:
        for _ in range(10):
            if not isinstance(value, _Ref):
                break
            number = value.number
            if number not in self._values:
                begin, end = self._places.get(number, (0, 0))
                held = self.data[begin:end].partition(b"endobj")[0] if end else self._packed.get(number, b"")
                self._values[number] = _parsed(held)
            value = self._values[number]
        return value


def _plain(name: bytes) -> bytes:
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), name)


def _parsed(text: bytes) -> Any:
    """The first object in a text: a dictionary by names without slash, a list, a reference, or bytes."""
    stack: list[list[Any]] = [[]]
    kinds = [b""]
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in (b"<<", b"["):
            stack.append([])
            kinds.append(token)
        elif token in (b">>", b"]"):
            if len(stack) == 1:
                break
            held, kind = stack.pop(), kinds.pop()
            made: Any = held
            if kind == b"<<":
                made = {
                    key[1:]: value
                    for key, value in zip(held[::2], held[1::2], strict=False)
                    if isinstance(key, bytes) and key.startswith(b"/")
                }
            stack[-1].append(made)
        elif found[1]:
            stack[-1].append(_Ref(int(found[1])))
        elif not token.startswith(b"%"):
            stack[-1].append(_plain(token) if token.startswith(b"/") else token)
        if len(stack) == 1 and stack[0]:
            return stack[0][0]
    return stack[0][0] if stack[0] else None
