"""What the contract kit takes for no breach: front matter that was read, a header that is named again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from cantle import Chunk, Chunks, MDocument, Source, Strategy
from cantle.errors import ContractError
from cantle.testing import check_document

FRONT = "---\na: b\n---\n"


@dataclass(frozen=True, kw_only=True)
class DropsTheStart(Strategy):
    """Leaves the first four characters out."""

    name: ClassVar[str] = "drops-the-start"
    drops: ClassVar[tuple[str, ...]] = ()

    def split(self, source: Source) -> Chunks:
        end = len(source.text)
        return Chunks(source, [Chunk(source.text[4:], 4, end)], dropped=[(0, 4, "front-matter")])


@dataclass(frozen=True, kw_only=True)
class NamesSpans(Strategy):
    """Two chunks, the second of two stretches."""

    name: ClassVar[str] = "names-spans"
    again: tuple[int, int] = (2, 4)

    def split(self, source: Source) -> Chunks:
        text, (a, b) = source.text, self.again
        second = Chunk(text[a:b] + text[6:], 6, len(text), spans=((a, b), (6, len(text))))
        return Chunks(source, [Chunk(text[:6], 0, 6), second])


def test_front_matter_that_was_read_is_no_loss() -> None:
    check_document("recursive", MDocument(FRONT + "Some text.", "markdown", body=len(FRONT)), max_size=5)
    with pytest.raises(ContractError, match="dropped for 'front-matter', which is no declared reason"):
        check_document(DropsTheStart(), MDocument("abcdefgh", "markdown"))


def test_what_stands_inside_the_chunk_before_may_be_named_again_but_not_its_end() -> None:
    check_document(NamesSpans(again=(2, 4)), "abcdefghij")
    with pytest.raises(ContractError, match="declares an overlap of 0 characters, but source 4:6 is in chunk 0 too"):
        check_document(NamesSpans(again=(4, 6)), "abcdefghij")
