"""How well sentence segmenters find the ends in the gold sentences beside this file.

`python tests/blocks/sentences/compare.py` writes two Markdown tables of F1 (the second on sentences whose errors were
not looked at while the rules were written), with `--all` also precision and recall. pysbd and nupunkt take part where
they are installed.

A gold file has one sentence a line and a blank line between paragraphs. The text is the sentences of a paragraph
joined by a blank, and paragraphs joined by a blank line. Ends of paragraphs are not counted: everybody finds them.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cantle.blocks.sentences import LANGUAGES, segmenter

HERE = Path(__file__).parent
SETS = {"gold": HERE, "held out": HERE / "held_out"}
Ends = Callable[[str], Iterable[int]]


class Gold(NamedTuple):
    """A text, the ends of the sentences in it, and the ends of its paragraphs."""

    text: str
    ends: set[int]
    paragraphs: set[int]


class Score(NamedTuple):
    precision: float
    recall: float
    f1: float


def gold(path: Path) -> Gold:
    text, ends, paragraphs = "", set(), set()
    for paragraph in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n", "", path.read_text(encoding="utf-8"))):
        sentences = paragraph.split("\n") if paragraph.strip() else []
        for sentence in filter(None, map(str.strip, sentences)):
            text += sentence
            ends.add(len(text))
            text += " "
        if sentences:
            paragraphs.add(len(text) - 1)
            text = text[:-1] + "\n\n"
    return Gold(text, ends - paragraphs, paragraphs)


def score(found: Iterable[int], wanted: Gold) -> Score:
    ends = set(found) - wanted.paragraphs
    right = len(ends & wanted.ends)
    precision, recall = right / max(len(ends), 1), right / len(wanted.ends)
    return Score(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def ours(kind: str, language: str | None) -> Ends:
    return lambda text: [end for _, end in segmenter(kind, language).on(text)]


def segmenters(language: str) -> Iterator[tuple[str, Ends]]:
    """The name and the function of every segmenter there is for a language."""
    yield "cantle, language given", ours("rules", language)
    yield 'cantle, "any"', ours("rules", "any")
    yield "cantle, None", ours("rules", None)
    if find_spec("nltk") and find_spec("punkt"):
        yield "cantle, punkt", ours("punkt", language)
        yield "NLTK Punkt", nltk(language)
    if find_spec("nupunkt"):
        yield "nupunkt", nupunkt
    if find_spec("pysbd"):
        import pysbd

        if language in pysbd.languages.LANGUAGE_CODES:
            yield "pysbd", pysbd_of(language)


def nltk(language: str) -> Ends:
    from cantle.blocks.sentences import punkt

    tokenizer = punkt._tokenizer(punkt._NAMES[language])
    return lambda text: [end for _, end in tokenizer.span_tokenize(text)]


def nupunkt(text: str) -> list[int]:
    import nupunkt

    return [start + len(text[start:end].rstrip()) for start, end in nupunkt.sent_spans(text)]


def pysbd_of(language: str) -> Ends:
    """pysbd, given a paragraph at a time: it does better that way."""
    import pysbd

    tool = pysbd.Segmenter(language=language, clean=False, char_span=True)

    def ends(text: str) -> Iterator[int]:
        for paragraph in re.finditer(r"\S(?:.|\n(?!\n))*", text):
            for span in tool.segment(paragraph[0]):
                yield paragraph.start() + span.start + len(span.sent.rstrip())

    return ends


def main(everything: bool) -> None:
    warnings.simplefilter("ignore")
    for title, folder in SETS.items():
        rows: dict[str, dict[str, Score]] = {}
        counts = []
        for language in LANGUAGES:
            wanted = gold(folder / f"{language}.txt")
            counts.append(f"{language} {len(wanted.ends) + len(wanted.paragraphs)}")
            for name, ends in segmenters(language):
                rows.setdefault(name, {})[language] = score(ends(wanted.text), wanted)
        print(f"{title}: sentences {', '.join(counts)}\n")
        print("| F1 | " + " | ".join(LANGUAGES) + " |")
        print("|---|" + "---:|" * len(LANGUAGES))
        for name, scores in rows.items():
            print(f"| {name} | " + " | ".join(shown(scores.get(lang), everything) for lang in LANGUAGES) + " |")
        print()


def shown(found: Score | None, everything: bool) -> str:
    if found is None:
        return "–"
    text = f"{100 * found.f1:.1f}"
    return f"{text} ({100 * found.precision:.1f}, {100 * found.recall:.1f})" if everything else text


if __name__ == "__main__":
    main("--all" in sys.argv[1:])
