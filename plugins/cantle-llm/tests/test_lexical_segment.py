"""Topical segmentation without a model: headings first, then the words."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Source
from cantle.errors import OptionError
from cantle_llm.lexical import Topic, segment
from cantle_llm.lexical.cohesion import divide
from cantle_llm.lines import Line, lines_of

SEED = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)
CATS = "The cat purred on its cushion. A cat likes warm cushions and milk. Every kitten follows the cat to the milk. "
STARS = (
    "A telescope shows distant stars. Astronomers point the telescope at a galaxy. The galaxy holds billions of stars. "
)
BREAD = "Knead the dough for the bread. The baker lets the dough rise. Bread from the oven smells of yeast and dough. "


def plain(text: str) -> list[Line]:
    """Sentences by their marks, paragraphs by blank lines; no headings."""
    found = []
    for paragraph in re.finditer(r"(?:.+\n?)+", text):
        opens = True
        for match in re.finditer(r"\S.*?(?:[.!?](?=\s)|$)", paragraph[0], re.MULTILINE):
            found.append(Line(paragraph.start() + match.start(), paragraph.start() + match.end(), "sentence", opens))
            opens = False
    return found


def topics(text: str, kind: str = "text") -> list[Topic]:
    return segment(text, lines_of(Source(text, kind=kind)))


def labels(text: str, kind: str = "text") -> list[str | None]:
    return [topic.label for topic in topics(text, kind)]


def is_tiled(found: list[Topic], count: int) -> bool:
    if not count:
        return not found
    return (
        found[0].first == 0
        and found[-1].last == count - 1
        and all(a.last + 1 == b.first for a, b in pairwise(found))
        and all(topic.first <= topic.last for topic in found)
    )


@pytest.mark.parametrize("cut", [plain, lambda text: lines_of(Source(text))], ids=["plain", "lines_of"])
def test_three_chapters_are_three_topics(cut) -> None:  # type: ignore[no-untyped-def]
    lines = cut(SEED)
    found = segment(SEED, lines)
    assert [topic.label for topic in found] == [
        "Chapter 1. The Beginning.",
        "Chapter 2. The Challenge.",
        "Chapter 3. The Resolution.",
    ]
    assert is_tiled(found, len(lines))
    assert [SEED[lines[topic.first].start :][:9] for topic in found] == ["Chapter 1", "Chapter 2", "Chapter 3"]


def test_chapters_under_single_line_breaks() -> None:
    assert labels(SEED.replace("\n\n", "\n")) == labels(SEED)
    book = (
        "Do livro.\nI\nDo titulo.\nUma noite destas, vindo da cidade para o Engenho Novo, encontrei um rapaz.\n"
        "II\nDo livro.\nAgora que expliquei o titulo, passo a escrever o livro, como ficou dito.\n"
        "III\nIa a entrar na sala de visitas, quando ouvi proferir o meu nome e escondi-me.\n"
    )
    assert labels(book) == ["livro", "I – Do titulo.", "II – Do livro.", "III"]
    assert labels(book.replace("\n", "\n\n"))[1:] == ["I – Do titulo.", "II – Do livro.", "III"]


def test_a_chapter_of_one_paragraph_is_divided_by_its_words() -> None:
    text = f"Chapter 1\n{CATS * 40}{STARS * 40}{BREAD * 40}\nChapter 2\nThe end is short."
    lines = lines_of(Source(text))
    found = segment(text, lines)
    assert len(found) > 3
    assert all(topic.first == 0 or lines[topic.first - 1].kind != "heading" for topic in found)
    assert {text[lines[topic.first].start :][:9] for topic in found} >= {STARS[:9], BREAD[:9], "Chapter 2"}


def test_no_lines_no_topics() -> None:
    assert segment("", []) == []


def test_markdown_sections() -> None:
    text = "# Guide\n\nHello there.\n\n## Install *it* {#install}\n\nRun it.\n\n## [Use](https://a.b/c)\n\nUse it.\n"
    assert labels(text, "markdown") == ["Guide", "Install it", "Use"]


def test_html_and_latex_headings_are_cleaned() -> None:
    text = "<h1 id='a'>One &amp; <em>all</em></h1><p>First words.</p><h1>Two</h1><p>Other words.</p>"
    assert labels(text, "html") == ["One & all", "Two"]
    text = "\\section{The \\emph{first}}\\label{a}\nFirst words.\n\n\\section{Second}\nOther words.\n"
    assert labels(text, "latex") == ["The first", "Second"]


def test_small_sections_stay_with_the_one_above() -> None:
    text = "## A\n\nText.\n\n### A1\n\nShort.\n\n### A2\n\nShort.\n\n## B\n\nText.\n"
    assert labels(text, "markdown") == ["A", "B"]


def test_long_sections_below_are_topics() -> None:
    text = f"## A\n\nText.\n\n### A1\n\n{CATS * 9}\n\n### A2\n\n{STARS * 9}\n\n## B\n\nText.\n"
    assert labels(text, "markdown") == ["A", "A1", "A2", "B"]


def test_a_heading_without_text_goes_with_the_next() -> None:
    text = "# Part I\n\n## Chapter 1\n\nText.\n\n# Part II\n\n## Chapter 2\n\nText.\n"
    assert labels(text, "markdown") == ["Part I", "Part II"]  # all of a part is short
    long = f"# Part I\n\n## Cats\n\n{CATS * 8}\n\n## Stars\n\n{STARS * 8}\n\n# Part II\n\n## Bread\n\n{BREAD * 20}\n"
    assert labels(long, "markdown") == ["Part I – Cats", "Stars", "Part II – Bread"]


def test_equal_headings_are_told_apart() -> None:
    text = f"# 1.0\n\nNew.\n\n## Fixes\n\n{CATS * 15}\n\n# 0.9\n\nOld.\n\n## Fixes\n\n{STARS * 15}\n"
    assert labels(text, "markdown") == ["1.0", "1.0 – Fixes", "0.9", "0.9 – Fixes"]


def test_many_tiny_sections_are_put_together() -> None:
    text = "".join(f"## Term {number}\n\nMeans something.\n\n" for number in range(60))
    found = labels(text, "markdown")
    assert len(found) < 10
    assert found[0] is not None
    assert found[0].startswith("Term 0 … Term ")


def test_long_sections_have_longer_topics_than_a_text_of_that_length() -> None:
    body = "\n\n".join([CATS * 6, STARS * 6, BREAD * 6] * 7)
    assert len(body) > 12_000
    alone, within = topics(body), topics(f"# One\n\n{body}\n\n# Two\n\nEnd.\n", "markdown")
    assert 2 < len(within) <= len(alone) / 2


def test_one_line_that_opens_is_no_paragraph() -> None:
    rng = random.Random(1)
    lines = [[rng.randrange(12) + 12 * (number >= 55)] for number in range(110)]
    assert divide(lines, [number in (0, 3) for number in range(110)]) == [55]
    assert divide(lines, [number in (0, 3, 50) for number in range(110)]) != [55]


def test_what_follows_a_heading_is_no_place_to_divide() -> None:
    rng = random.Random(1)
    nouns = (
        "lamp fork desk vase sofa bowl rug mug bed cup jar pan",
        "moon star sun comet orbit dust crater ring ray sky gas dawn",
    )
    body = " ".join(
        f"And then there was some more of the {rng.choice(nouns[half].split())} for all of them."
        for half in (0, 1)
        for _ in range(40)
    )
    text = f"CHAPTER I\n\nShort.\n\nCHAPTER II\n\nAs short.\n\nCHAPTER III\n\n{body}"
    lines = lines_of(Source(text))
    assert 80 < len(lines) < 100
    found = segment(text, lines)
    assert len(found) == 4
    assert found[3].first in range(40, 50)


def test_short_neighbours_go_together_and_longer_ones_do_not() -> None:
    for size, together in ((250, True), (320, False)):
        text = "".join(f"## Term {number}\n\n{'Means a thing. ' * 30}"[:size].strip() + "\n\n" for number in range(20))
        assert (len(labels(text, "markdown")) < 10) == together


def test_prose_after_the_last_heading_is_divided() -> None:
    text = f"CHAPTER I\n\nShort.\n\nCHAPTER II\n\nAs short.\n\nCHAPTER III\n\n{CATS}\n\n{STARS * 14}\n\n{BREAD * 16}"
    found = labels(text)
    assert found[:2] == ["CHAPTER I", "CHAPTER II"]
    assert len(found) > 3
    assert all((label or "").startswith("CHAPTER III: ") for label in found[2:])
    # Sections that are all as long are what the author made of them, and so are those of markup.
    even = "\n\n".join(f"CHAPTER {number}\n\n{STARS * 14}\n\n{BREAD * 16}" for number in ("I", "II", "III"))
    assert labels(even) == ["CHAPTER I", "CHAPTER II", "CHAPTER III"]
    assert labels(text.replace("CHAPTER I", "## CHAPTER I"), "markdown")[2:] == ["CHAPTER III"]


def test_a_long_section_is_divided_under_its_heading() -> None:
    parts = [part * 16 for part in (CATS, STARS, BREAD) * 4]
    text = "# Everything\n\n" + "\n\n".join(parts) + "\n\n# End\n\nThat was it.\n"
    found = topics(text, "markdown")
    assert len(found) > 4
    assert all((topic.label or "").startswith("Everything: ") for topic in found[:-1])
    assert found[-1].label == "End"


def test_words_divide_where_there_are_no_headings() -> None:
    text = CATS * 4 + STARS * 4 + BREAD * 4
    lines = plain(text)
    found = segment(text, lines)
    assert [topic.first for topic in found] == [0, 12, 24]
    assert ["cat" in (found[0].label or ""), "stars" in (found[1].label or ""), "dough" in (found[2].label or "")] == [
        True,
        True,
        True,
    ]


def test_topics_begin_with_paragraphs() -> None:
    text = "\n\n".join((CATS * 2 + STARS[:32], STARS * 2, BREAD * 2, BREAD))
    lines = plain(text)
    found = segment(text, lines)
    assert len(found) > 1
    assert all(lines[topic.first].opens for topic in found)


def test_a_table_is_not_cut() -> None:
    text = CATS * 3
    lines = [line._replace(kind="table", opens=number == 0) for number, line in enumerate(plain(text))]
    more = plain(STARS * 3)
    both = lines + [line._replace(start=line.start + len(text), end=line.end + len(text)) for line in more]
    found = segment(text + STARS * 3, both)
    assert [topic.first for topic in found if topic.first < len(lines)] == [0]


@pytest.mark.parametrize("kind", ["table", "code"])
def test_what_is_solid_is_not_cut_where_its_words_change(kind: str) -> None:
    head, rows, tail = CATS * 8, CATS * 16 + STARS * 16, BREAD * 16
    text = f"{head}\n\n{rows}\n\n{tail}"
    lines = plain(text)
    first, last = (
        next(i for i, line in enumerate(lines) if line.start >= at) for at in (len(head), len(text) - len(tail))
    )
    assert STARS[:9] in {text[lines[topic.first].start :][:9] for topic in segment(text, lines)}
    both = [line._replace(kind=kind) if first <= number < last else line for number, line in enumerate(lines)]
    found = segment(text, both)
    assert len(found) > 1
    assert not [topic for topic in found if first < topic.first < last]


def test_portuguese_words_and_stems() -> None:
    first = "O gato dorme na almofada. Os gatos bebem leite morno. A gata leva o leite aos gatinhos. "
    second = "O telescópio mostra estrelas distantes. Astrônomos observam as estrelas. A galáxia tem muitas estrelas. "
    text = first * 4 + second * 4
    found = segment(text, plain(text))
    assert [topic.first for topic in found] == [0, 12]
    assert "estrelas" in (found[1].label or "")
    phrases = [phrase.split() for phrase in (found[0].label or "").lower().split(", ")]
    edges = {word for phrase in phrases for word in (phrase[0], phrase[-1])}
    assert not edges & {"os", "as", "a", "o", "na", "aos"}


def test_language_may_be_given_and_must_be_known() -> None:
    text = CATS * 3 + STARS * 3
    assert segment(text, plain(text), language="en") == segment(text, plain(text))
    for lines in ([], plain(text)):
        with pytest.raises(OptionError, match="'xx'"):
            segment(text, lines, language="xx")


def test_chinese() -> None:
    first = "猫喜欢喝牛奶。小猫跟着大猫走。猫在垫子上睡觉。"
    second = "望远镜可以看到星系。天文学家观察恒星。星系里有许多恒星。"
    text = first * 6 + second * 6
    lines = [Line(match.start(), match.end()) for match in re.finditer("[^。]+。", text)]
    assert [topic.first for topic in segment(text, lines)] == [0, 18]


def test_a_label_is_one_short_line_of_the_text_or_none() -> None:
    text = "\n\n".join((CATS.replace(" ", "\n") * 3, STARS * 3, "1 2 3 4. " * 5, "?! " * 20))
    lines = plain(text)
    for topic in segment(text, lines):
        assert topic.label
        assert len(topic.label) <= 60
        assert "\n" not in topic.label
        assert all(phrase in " ".join(text.split()) for phrase in topic.label.rstrip("…").split(", "))
    assert segment("?! ?!", [Line(0, 5)]) == [Topic(0, 0, None)]


@settings(max_examples=60, deadline=None)
@given(
    st.text(
        alphabet=st.one_of(st.sampled_from("ab .\n#<>\\{}12IVX\0\ud800\ufeff\u202e猫あก"), st.characters()),
        max_size=400,
    )
)
def test_any_text_is_tiled_and_the_same_twice(text: str) -> None:
    for kind in ("text", "markdown", "html"):
        lines = lines_of(Source(text, kind=kind))
        found = segment(text, lines)
        assert is_tiled(found, len(lines))
        assert found == segment(text, lines)
        assert all(topic.label is None or (topic.label.strip() and len(topic.label) <= 120) for topic in found)


HOSTILE = {
    "no words": ". ",
    "one word": "a ",
    "headings": "## a\n",
    "deep headings": "# a\n## b\n### c\n#### d\n",
    "chapters": "Chapter 1\n\n",
    "titles": "Title here\n\nA longer paragraph of text is below it, really.\n\n",
    "open tags": "<a",
    "brackets": "[](",
    "underscores": "_a",
    "marks": "a\u0301\u0301\u0301",
    "sentences": "The cat sat on the mat.\n",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        lines, at, opens = [], 0, True
        for line in text.split("\n"):
            if line.strip():
                lines.append(Line(at, at + len(line), "heading" if line[0] == "#" else "sentence", opens))
            opens = not line
            at += len(line) + 1
        start = time.process_time()
        assert is_tiled(segment(text, lines), len(lines))
        return time.process_time() - start

    seconds(1000)
    # Squared time would be 16 times as long, and then more. Several tries: a busy machine is slow at times.
    assert any(seconds(80_000) < 20 * max(seconds(20_000), 0.02) for _ in range(4))


def test_the_same_for_any_order_of_hashes() -> None:
    script = (
        "from cantle_llm.lexical import segment; from cantle_llm.lines import lines_of; from cantle import Source\n"
        f"text = {(CATS * 3 + STARS * 3 + BREAD * 3)!r}\nprint(segment(text, lines_of(Source(text))))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
    assert "Topic(first=0" in answers.pop()


def test_heavy_packages_are_loaded_late() -> None:
    script = "import sys, cantle_llm.lexical\nprint(sorted({'numpy', 'snowballstemmer', 'regex'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("accident", ["D.", "Chapter 9", "IMPORTANT", "Milk and cushions"])
def test_one_accidental_heading_does_not_stop_the_words(accident: str) -> None:
    text = f"{CATS * 8}\n\n{accident}\n\n{CATS}\n\n{STARS * 8}\n\n{BREAD * 8}"
    lines = plain(text)
    starts = {text[lines[topic.first].start :][:10] for topic in segment(text, lines)}
    assert {STARS[:10], BREAD[:10]} <= starts
