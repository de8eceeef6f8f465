"""Joined texts whose borders are known, made of a folder of documents of one subject each.

As in Choi's set (2000): the first so many sentences of ten documents, one after another; the classes `3-5`, `6-8`,
`9-11` and `3-11` say how many. Every sentence stands on its own, so that only words tell where a subject ends. Two
classes keep the paragraphs: `paragraphs`, 2 to 8 whole ones of each of ten documents, and `sections`, whole sections of
documents (at most 60 sentences). `page` is one page with its own sections in their order, which is the hardest: one
subject, divided. Neighbours come from different pages, save in `page`.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cantle_llm.lines import Line

__all__ = ["CLASSES", "SEGMENTS", "Case", "build", "documents", "joined"]

CLASSES = ("3-5", "6-8", "9-11", "3-11", "paragraphs", "sections", "page")
SEGMENTS = 10

Paragraphs = list[list[str]]  # sentences in paragraphs


@dataclass(frozen=True)
class Case:
    """A text, its lines (sentences), and the numbers of the lines that begin a segment, without 0."""

    name: str
    language: str
    text: str
    lines: tuple[Line, ...]
    borders: tuple[int, ...]


def _sentences(paragraph: str) -> list[str]:
    found = [part.strip() for part in re.split(r"(?<=[.!?:;。！？])[”\"’)]?\s+|(?<=[。！？])", paragraph)]
    return [part for part in found if len(part) > 1]


def documents(folder: Path, part: str) -> dict[str, dict[str, list[Paragraphs]]]:
    """By language and group, the sections of the `part` (`dev` or `test`): a group is in one part only."""
    found: dict[str, dict[str, list[Paragraphs]]] = {}
    for path in sorted(folder.glob("*/*.txt")):
        group = path.stem.partition("--")[0]
        book = re.sub(r"x\d+$", "", group)  # the stretches of a book or an address are all in one part
        if (hashlib.sha256(book.encode()).digest()[0] % 2 == 0) != (part == "dev"):
            continue
        paragraphs = [_sentences(paragraph) for paragraph in path.read_text(encoding="utf-8").split("\n\n")]
        found.setdefault(path.parent.name, {}).setdefault(group, []).append([p for p in paragraphs if p])
    return found


def joined(name: str, language: str, segments: Sequence[Paragraphs]) -> Case:
    """One text of the segments: sentences by blanks (none in Chinese and Japanese), paragraphs by blank lines."""
    blank = "" if language in ("zh", "ja") else " "
    parts: list[str] = []
    lines: list[Line] = []
    borders: list[int] = []
    at = 0
    for segment in segments:
        borders.append(len(lines))
        for paragraph in segment:
            for number, sentence in enumerate(paragraph):
                gap = blank if number else "\n\n"
                if parts:
                    parts.append(gap)
                    at += len(gap)
                lines.append(Line(at, at + len(sentence), "sentence", number == 0))
                parts.append(sentence)
                at += len(sentence)
    return Case(name, language, "".join(parts), tuple(lines), tuple(borders[1:]))


def _flat(paragraphs: Paragraphs) -> list[str]:
    return [sentence for paragraph in paragraphs for sentence in paragraph]


def _segment(rng: random.Random, size: str, section: Paragraphs) -> Paragraphs | None:
    """The piece of a section that a class takes; None where the section is too short."""
    if size == "sections":
        kept: Paragraphs = []
        for paragraph in section:
            if sum(map(len, kept)) + len(paragraph) <= 60:
                kept.append(paragraph)
        return kept if sum(map(len, kept)) >= 5 else None
    if size == "paragraphs":
        count = rng.randint(2, 8)
        return section[:count] if len(section) >= count else None
    low, high = map(int, size.split("-"))
    count = rng.randint(low, high)
    sentences = _flat(section)
    return [[sentence] for sentence in sentences[:count]] if len(sentences) >= count else None


def build(folder: Path, part: str, count: int = 40) -> dict[tuple[str, str], list[Case]]:
    """By language and class, `count` texts of a part of the folder; deterministic."""
    found: dict[tuple[str, str], list[Case]] = {}
    for language, groups in sorted(documents(folder, part).items()):
        for size in CLASSES:
            rng = random.Random(f"{part} {language} {size}")
            cases = found[language, size] = []
            if size == "page":
                pages = [(group, sections) for group, sections in sorted(groups.items()) if len(sections) >= 4]
                for group, sections in rng.sample(pages, min(count, len(pages))):
                    cases.append(joined(f"{language} {group}", language, sections[:SEGMENTS]))
                continue
            for number in range(count):
                segments: list[Paragraphs] = []
                used: set[str] = set()
                for _ in range(2000):
                    group = rng.choice(sorted(groups))
                    piece = _segment(rng, size, rng.choice(groups[group]))
                    if piece and group not in used:
                        used.add(group)
                        segments.append(piece)
                    if len(segments) == SEGMENTS:
                        cases.append(joined(f"{language} {size} {number}", language, segments))
                        break
        found = {key: cases for key, cases in found.items() if cases}
    return found
