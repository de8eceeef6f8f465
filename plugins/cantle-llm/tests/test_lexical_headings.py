"""What is taken for a heading, and what is not."""

from __future__ import annotations

import pytest

from cantle import Source
from cantle_llm.lexical.cleaning import cleaned, shortened
from cantle_llm.lexical.headings import headings
from cantle_llm.lines import Line, lines_of
from cantle_llm.lines.looks import LOOSE, SURE, WEAK, look

BODY = "This is a paragraph of running text that is longer than any of the headings are."


def found(*paragraphs: str) -> list[str]:
    """The headings among paragraphs of one line each, with a body of two lines after each."""
    lines, at, text = [], 0, ""
    for paragraph in paragraphs:
        for number, line in enumerate((paragraph, BODY, BODY)):
            lines.append(Line(at, at + len(line), "sentence", number < 2))
            gap = "\n\n" if number != 1 else "\n"
            text += line + gap
            at = len(text)
    return [heading.label for heading in headings(text, lines)]


@pytest.mark.parametrize(
    "line",
    [
        "Chapter 1. The Beginning.",
        "CHAPTER IV",
        "Chapter Two: The Road",
        "Capítulo 2",
        "Capítulo III – A denúncia",
        "ARTIGO 5º",
        "Art. 5º",
        "Artigo 1.º",
        "Seção 2. Dos direitos",
        "Cláusula Primeira",
        "TÍTULO II",
        "Chapitre 3",
        "Kapitel 4: Der Wald",
        "Capitolo 5",
        "Appendix A",
        "第三章 旅途",
    ],
)
def test_sure_ones(line: str) -> None:
    seen = look(line)
    assert seen is not None
    assert seen.strength == SURE
    assert found(line) == [line]


@pytest.mark.parametrize("line", ["3.1 Installation", "2. Test Harnesses", "XIV", "II.", "IV. O trem", "DOS DIREITOS"])
def test_weak_ones_need_a_second(line: str) -> None:
    seen = look(line)
    assert seen is not None
    assert seen.strength == WEAK
    assert found(line) == []
    assert found(line, "ANOTHER ONE") == [line, "ANOTHER ONE"]


def test_loose_ones_need_three_or_the_first_line() -> None:
    seen = look("Getting started")
    assert seen is not None
    assert seen.strength == LOOSE
    assert found("Some words, as they are.", "Getting started", "Other words, as they are.") == []
    titles = ["Getting started", "Going on", "Coming to the end"]
    assert found(*titles) == titles
    assert found("Getting started", "Other words, as they are.") == ["Getting started"]


@pytest.mark.parametrize(
    "line",
    [
        "Chapter 1 was the best of all.",
        "Section 3 of this act says nothing;",
        "D.",
        "1,000 people came.",
        "Yes, said the cat.",
        "part of the whole",
        "— Não.",
    ],
)
def test_running_text_is_none(line: str) -> None:
    assert look(line) is None
    assert found(line, "and so it goes.") == []


def test_what_the_lines_say_is_believed_where_markup_says_so() -> None:
    text = "# one thing\n\ntext here.\n\n# other thing.\n\ntext here."
    lines = [
        Line(0, 11, "heading", True, 1),
        Line(13, 23, "sentence", True),
        Line(25, 39, "heading", True, 1),
        Line(41, 51, "sentence", True),
    ]
    assert [heading.label for heading in headings(text, lines)] == ["one thing", "other thing."]


def test_a_number_takes_the_title_below_it() -> None:
    text = f"I\n\nDo titulo.\n\n{BODY}\n{BODY}\n\nII\n\n{BODY}\n{BODY}"
    lines, at = [], 0
    for paragraph in text.split("\n\n"):
        for number, line in enumerate(paragraph.split("\n")):
            start = text.index(line, at)
            at = start + len(line)
            lines.append(Line(start, at, "sentence", number == 0))
    assert [(h.first, h.last, h.label) for h in headings(text, lines)] == [(0, 1, "I – Do titulo."), (4, 4, "II")]


def test_a_sentence_below_a_number_is_no_title_for_a_line_end() -> None:
    text = f"I\n\nIt was late.\n{BODY}\n{BODY}\n\nII\n\nIt was early.\n{BODY}\n{BODY}"
    assert [h.label for h in headings(text, lines_of(Source(text)))] == ["I", "II"]
    text = text.replace("\n\n", "\n")
    assert [h.label for h in headings(text, lines_of(Source(text)))] == ["I – It was late.", "II – It was early."]


@pytest.mark.parametrize(
    ("raw", "label"),
    [
        ("## A `code` and **bold** title ##", "A code and bold title"),
        ("Title\n=====", "Title"),
        ("> # Quoted", "Quoted"),
        ("# C#", "C#"),
        ("## snake_case_name", "snake_case_name"),
        ("## Install { #install }", "Install"),
        ("## Um efeito {/*um-efeito*/}", "Um efeito"),
        ("## See [the docs](https://a.b/(c)) or ![x](y.png)", "See the docs or x"),
        ('<h2 class="a">A &lt;b&gt; c</h2>', "A <b> c"),
        ("\\section*{On $x^2$ and \\textbf{bold}}", "On x^2 and bold"),
        ("\\subsection[Short]{A longer one}\\label{sec:a}", "A longer one"),
        ("Capítulo  1\n O início", "Capítulo 1 O início"),
    ],
)
def test_labels_are_cleaned_of_markup(raw: str, label: str) -> None:
    assert cleaned(raw) == label


def test_long_labels_are_cut_at_a_word() -> None:
    assert shortened("one two three", 13) == "one two three"
    assert shortened("one two three", 12) == "one two…"
    assert shortened("a" * 50, 10) == "a" * 9 + "…"
    assert len(cleaned("# " + "word " * 100)) <= 120
