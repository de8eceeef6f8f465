"""Tiny strategies that each break one point of the contract in one way."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from honest_strategies import Honest

from cantle import Chunk, Chunks, Source
from cantle.errors import DocumentError
from cantle.whitespace import is_blank

PLANTED: dict[str, tuple[int, type[Any], str, str]] = {}
"""name -> (point, class, a text that shows it, words of the report)"""


def planted(point: int, text: str, words: str) -> Any:
    def note(cls: type[Any]) -> type[Any]:
        PLANTED[cls.__name__] = (point, cls, text, words)
        return cls

    return note


def whole(source: Source, start: int = 0, end: int | None = None, **more: Any) -> Chunk:
    end = len(source.text) if end is None else end
    return Chunk(source.text[start:end], start, end, **more)


class Base:
    name = "planted"

    def __repr__(self) -> str:
        return type(self).__name__


@planted(1, "abc def", "chunk 0 says it is source 0:7, which is 'abc def', but its content is 'ABC DEF'")
class ChangesTheText(Base):
    def split(self, source: Source) -> list[Chunk]:
        text = source.text.upper()
        return [Chunk(text, 0, len(text))] if not is_blank(text) else []


@planted(1, "abc ", "content is 'abc'")
class TrimsButKeepsOffsets(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(source.text.strip(), 0, len(source.text))] if not is_blank(source.text) else []


@planted(1, "abc", "chunk 0 has the offsets 0:4 in a source of 3 characters")
class PointsOutside(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(source.text, 0, len(source.text) + 1)] if not is_blank(source.text) else []


@planted(1, "abc", "has the character 'T' in its content that is not from its spans [(0, 3)]")
class MakesUndeclaredCharacters(Base):
    def split(self, source: Source) -> list[Chunk]:
        n = len(source.text)
        return [Chunk("T: " + source.text, 0, n, spans=((0, n),))] if not is_blank(source.text) else []


@planted(1, "abc def", "names the spans [(0, 7)], but its content 'abc' lacks their 'def'")
class NamesMoreThanItHas(Base):
    def split(self, source: Source) -> list[Chunk]:
        n = len(source.text)
        return [Chunk(source.text.split()[0], 0, n, spans=((0, n),))] if not is_blank(source.text) else []


@planted(2, "abc def", "source 6:7, 'f', is in no chunk and not in dropped")
class LosesTheLast(Base):
    def split(self, source: Source) -> Chunks:
        n = len(source.text)
        return Chunks(source, [whole(source, 0, n - 1)] if n > 1 and not is_blank(source.text[:-1]) else [], dropped=[])


@planted(2, "abc def", "source 6:7, 'f', was dropped as a separator but is none of the strategy's")
class CallsItASeparator(Base):
    separators = ("\n\n", " ")

    def split(self, source: Source) -> list[Chunk]:
        n = len(source.text)
        return [whole(source, 0, n - 1)] if n > 1 and not is_blank(source.text[:-1]) else []


@planted(2, "abc def", "was dropped for 'boring', which is no declared reason (comment, ")
class DropsForNoGoodReason(Base):
    def split(self, source: Source) -> Chunks:
        return Chunks(source, dropped=[(0, len(source.text), "boring")] if source.text else [])


@planted(2, "abc def", "was dropped for 'separator', which is no declared reason (there are none)")
class LeavesAGapAndDeclaresNone(Base):
    drops = ()

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 3)]


@planted(2, "abc", "dropped has the offsets 0:9 in a source of 3 characters")
class DropsOutside(Base):
    def split(self, source: Source) -> Chunks:
        return Chunks(source, dropped=[(0, 9, "comment")])


@planted(3, "x" * 99, "chunk 0 has 41 of 40 characters, source 0:41")
class OneTooMany(Base):
    limit, length_function = 40, "characters"

    def split(self, source: Source) -> list[Chunk]:
        step = self.limit + 1
        return [
            whole(source, i, min(i + step, len(source.text)))
            for i in range(0, len(source.text), step)
            if not is_blank(source.text[i : i + step])
        ]


@planted(3, "\u6f6e\u6c50" * 40, "of 40 tokens")
class CountsCharactersForTokens(OneTooMany):
    length_function = "cl100k_base"

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, i, min(i + 40, len(source.text))) for i in range(0, len(source.text), 40)]


@planted(3, "x" * 99, "chunk 1 has 43 of 40 characters")
class ForgetsThePrefix(OneTooMany):
    def split(self, source: Source) -> list[Chunk]:
        chunks = [whole(source, i, min(i + 40, len(source.text))) for i in range(0, len(source.text), 40)]
        for chunk in chunks[1:]:
            chunk.prefix = "# h"
        return chunks


@planted(3, "x" * 10, "chunk 0 has a prefix of 20 characters, more than 0.4 of 40")
class LongPrefix(OneTooMany):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, prefix="p" * 20)]


@planted(3, "x" * 99, "is marked oversize, source 0:99, but no option of the strategy forbids it to cut")
class AlwaysOversize(OneTooMany):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, oversize=True)]


def _cut(source: Source, position: int) -> list[Chunk]:
    return [whole(source, 0, position), whole(source, position)]


@planted(4, "ae\u0301b", "chunk 0 ends at 2, inside a grapheme cluster: 'ae' | '\\u0301b'")
class CutsAnAccent(Base):
    def split(self, source: Source) -> list[Chunk]:
        return _cut(source, 2)


@planted(4, "\U0001f468\u200d\U0001f469\u200d\U0001f467", "inside a grapheme cluster")
class CutsAFamily(CutsAnAccent):
    pass


@planted(4, "\U0001f1e7\U0001f1f7" * 6, "chunk 0 ends at 3, inside a grapheme cluster")
class CutsAFlag(Base):
    def split(self, source: Source) -> list[Chunk]:
        return _cut(source, 3)


@planted(4, "a\ud83d\ude00b", "inside a surrogate pair")
class CutsAPair(CutsAnAccent):
    pass


@planted(4, "a\r\nb", "inside a CRLF")
class CutsCrlf(CutsAnAccent):
    pass


@planted(4, "x \u0301y", "chunk 0 begins at 2, inside a grapheme cluster")
class TrimsASpaceOffItsAccent(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 2)]


@planted(4, "caf\u00e9", "chunk 0 has a U+FFFD that its source 0:4 does not have")
class CutsBytes(Base):
    def split(self, source: Source) -> list[Chunk]:
        content = source.text.encode()[:-1].decode(errors="replace")
        return [Chunk(content, 0, len(content), spans=((0, len(content)),))]


@planted(5, "abcdefghij", "declares an overlap of 0 characters, but source 3:5, 2 characters, is in chunk 0 too")
class HidesItsOverlap(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 5), whole(source, 3)]


@planted(5, "abcdefghij", "declares an overlap of 4 characters, but source 3:5, 2 characters")
class ExaggeratesItsOverlap(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 5), whole(source, 3, overlap=4)]


@planted(5, "abcdefghij", "chunk 1 repeats 4 characters of the chunk before it, more than 3: 'bcde'")
class RepeatsTooMuch(Base):
    limit, repeat = 100, 3

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 5), whole(source, 1, overlap=4)]


@planted(5, "abcdefghij", "chunk 0 declares an overlap of 2 characters, but no chunk is before it")
class RepeatsNothing(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, overlap=2)]


@planted(5, "abcdefghij", "declares an overlap of 3 characters, but 'fgh' is not in chunk 0")
class RepeatsWhatWasNotThere(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 5), whole(source, 5, spans=((5, 10),), overlap=3)]


@planted(5, "abcdefghij", "declares an overlap of 0 characters, but source 3:5 is in chunk 0 too")
class HidesItInSpans(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 5, spans=((0, 5),)), whole(source, 3, spans=((3, 10),))]


@planted(6, "abc def", "chunk 1 starts at 0, chunk 0 at 4: starts must ascend")
class Backwards(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 4), whole(source, 0, 4)]


@planted(6, "abc", "chunk 1 starts at 0, chunk 0 at 0: starts must ascend")
class Twice(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source), whole(source, overlap=len(source.text))]


@planted(6, "abc  \n def", "chunk 1 is blank: '  \\n ', source 3:7")
class BlankChunks(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, 0, 3), whole(source, 3, 7), whole(source, 7)]


@planted(6, "", "an empty text gives 1 chunks, the first is ''")
class SomethingOfNothing(Base):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source)]


_calls = itertools.count()


@planted(7, "abcdefghij", "a second run gives")
class CountsItsCalls(Base):
    def split(self, source: Source) -> list[Chunk]:
        return _cut(source, 1 + next(_calls) % 5)


@planted(7, "abcdefghij", "the same document was accepted, then refused: not again")
class RefusesTheSecondTime(Base):
    def __init__(self) -> None:
        self.seen: set[str] = set()

    def split(self, source: Source) -> list[Chunk]:
        if source.text in self.seen:
            raise DocumentError("not again")
        self.seen.add(source.text)
        return [whole(source)]


@planted(7, "abcdefghij" * 99, "a second run gives")
class Random(Base):
    def split(self, source: Source) -> list[Chunk]:
        return _cut(source, random.randrange(1, len(source.text)))


@planted(7, "abcdefghij" * 99, "a process with PYTHONHASHSEED=")
class DependsOnHashes(Base):
    def split(self, source: Source) -> list[Chunk]:
        return _cut(source, 1 + hash("x" + source.text) % (len(source.text) - 1))


@planted(7, "abcdefghij", "the strategy cannot be pickled, so no other process can run it: TypeError")
class HoldsALock(Base):
    def __init__(self) -> None:
        self._lock = threading.Lock()

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source)]


@planted(7, "abcdefghij", "a pickled copy of the strategy gives 2 chunks for 1")
class ForgetsWhenPickled(Base):
    cut = 0

    def __init__(self) -> None:
        self.whole = True

    def __getstate__(self) -> dict[str, Any]:
        return {"whole": False}

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source)] if self.whole else _cut(source, 5)


@planted(7, "abcdefghij", "one of four threads gives")
class SharesStateBetweenThreads(Base):
    def split(self, source: Source) -> list[Chunk]:
        alone = sum(t.name == "cantle-contract" for t in threading.enumerate()) == 1
        time.sleep(0.05)
        together = sum(t.name == "cantle-contract" for t in threading.enumerate()) > 1
        return _cut(source, 5) if together or not alone else [whole(source)]


@planted(7, "abcdefghij", "the document was changed by chunking it")
class WritesIntoTheDocument(Base):
    def split(self, source: Source) -> list[Chunk]:
        source.metadata["chunked"] = True  # type: ignore[index]
        return [whole(source)]


@dataclass(frozen=True)
class Slow:
    name: ClassVar[str] = "slow"
    length_function: Any = field(default="characters")

    def pieces(self, source: Source) -> Iterator[Chunk]:
        for start in range(0, len(source.text), 100):
            yield whole(source, start, min(start + 100, len(source.text)))


@planted(8, "", "operations for 4000 characters")
class LooksAtEveryCharacterAgain(Slow):
    def split(self, source: Source) -> Iterator[Chunk]:
        for chunk in self.pieces(source):
            for i in range(0, chunk.start, 10):
                _ = i
            yield chunk


@planted(8, "", "operations for 4000 characters")
class CopiesTheRest(Slow):
    def split(self, source: Source) -> Iterator[Chunk]:
        rest = source.text
        for chunk in self.pieces(source):
            rest = rest[100:]
            yield chunk


@planted(8, "", "operations for 4000 characters")
class CountsLinesFromTheStart(Slow):
    def split(self, source: Source) -> Iterator[Chunk]:
        for chunk in self.pieces(source):
            source.text.count("\n", 0, chunk.start)
            yield chunk


@planted(8, "", "characters measured for 4000 characters")
class MeasuresTheRest(Slow):
    def split(self, source: Source) -> Iterator[Chunk]:
        from cantle.lengths import resolve

        length, text = resolve(self.length_function), str(source.text)
        for chunk in self.pieces(source):
            length(text[chunk.start :])
            yield chunk


@planted(9, "abc", "IndexError instead of chunks or a CantleError for 'abc': ")
class Crashes(Base):
    def split(self, source: Source) -> list[Chunk]:
        _ = source.text[len(source.text)]
        return [whole(source)]


@planted(9, "a\ud800", "UnicodeEncodeError instead of chunks or a CantleError")
class HatesSurrogates(Base):
    def split(self, source: Source) -> list[Chunk]:
        source.text.encode()
        return [whole(source)]


@planted(9, "(" * 5000, "RecursionError instead of chunks or a CantleError")
class Recursive(Base):
    def depth(self, text: str, at: int) -> int:
        return self.depth(text, at + 1) + 1 if text[at : at + 1] == "(" else 0

    def split(self, source: Source) -> list[Chunk]:
        self.depth(source.text, 0)
        return [whole(source)]


@planted(9, "abc", "no answer within 0.5 seconds for 3 characters: 'document 0', 'abc'")
class Hangs(Base):
    def split(self, source: Source) -> list[Chunk]:
        while source.text:
            pass
        return []


@planted(9, "abc", "all of the 1 documents were refused, so nothing was checked; the first: 'document 0': no")
class RefusesEverything(Base):
    def split(self, source: Source) -> list[Chunk]:
        raise DocumentError("no")


@planted(9, "abc", "DocumentError without a message for 'abc'")
class RefusesWithoutAWord(Base):
    def split(self, source: Source) -> list[Chunk]:
        raise DocumentError("")


@planted(9, "abc", "must give Chunks or an iterable of Chunk, got None")
class GivesNoChunks(Base):
    def split(self, source: Source) -> Any:
        return None


@planted(9, "abc", "must give Chunk objects, got 'abc'")
class GivesStrings(Base):
    def split(self, source: Source) -> Any:
        return [source.text]


@dataclass(frozen=True, kw_only=True)
class BreaksOnlyWhenSmall(Honest):
    """Wrong only below ten characters: found by the small sizes that the kit tries."""

    name: ClassVar[str] = "breaks-only-when-small"

    def split(self, source: Source) -> Iterator[Chunk]:
        for chunk in super().split(source):
            if self.limit < 10:
                chunk.content = chunk.content.upper()
            yield chunk


@dataclass(frozen=True, kw_only=True)
class BreaksOnThreeLetters(Honest):
    """Wrong only where 'qqq' stands: for the report of the smallest input."""

    name: ClassVar[str] = "breaks-on-three-letters"

    def split(self, source: Source) -> Iterator[Chunk]:
        for chunk in super().split(source):
            if "qqq" not in chunk.content:
                yield chunk


class Halves(Base):
    """Honest as a whole: one chunk."""

    def split(self, source: Source) -> list[Chunk]:
        return [whole(source)] if not is_blank(source.text) else []


@planted(7, "abc", "stream() of a reader that gives 1 character at a time gives the chunk 0 with content")
class StreamsPieces(Halves):
    def stream(self, reader: Any) -> Iterator[Chunk]:
        at = 0
        while text := reader.read(100):
            yield Chunk(text, at, at + len(text))
            at += len(text)


@planted(7, "abcd" * 1000, "stream() of a reader that gives 1 character at a time gives 1 of 80 chunks")
class StreamsTheFirst(Halves):
    def split(self, source: Source) -> list[Chunk]:
        return [whole(source, at, at + 50) for at in range(0, len(source.text), 50)]

    def stream(self, reader: Any) -> Iterator[Chunk]:
        text = ""
        while len(text) < 50:
            text += reader.read(50 - len(text))
        yield Chunk(text, 0, 50)


@planted(7, "abc", "stream() of a reader that gives 1 character at a time gives the chunk 0 with metadata")
class StreamsOtherMetadata(Halves):
    def stream(self, reader: Any) -> Iterator[Chunk]:
        text = "".join(iter(lambda: reader.read(100), ""))
        yield Chunk(text, 0, len(text), metadata={"streamed": True})
