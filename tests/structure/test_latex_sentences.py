"""LaTeX prose that is too long is cut between sentences, and not in formulas."""

from __future__ import annotations

from cantle import MDocument


def contents(text: str, **options: object) -> list[str]:
    chunks = MDocument.from_latex(text).chunk("structural-context", min_chunk_size=0, **options)
    return [chunk.content for chunk in chunks]


def test_wrapped_prose_is_cut_between_sentences() -> None:
    text = "\\section{A}\nThe range is the\nheight of high water. It is large\n"
    text += "at springs, e.g. at new\nMoon. It is small later."
    assert contents(text, max_size=66) == [
        "\\section{A}\nThe range is the\nheight of high water.",
        "It is large\nat springs, e.g. at new\nMoon. It is small later.",
    ]


def test_a_full_stop_in_a_formula_ends_no_sentence() -> None:
    text = "The height is $h = 3. X + 4. Y$ and so on for all. Then it falls."
    assert contents(text, max_size=55) == [
        "The height is $h = 3. X + 4. Y$ and so on for all.",
        "Then it falls.",
    ]


def test_overlap_is_whole_sentences() -> None:
    text = "It rises for\nsix hours. It stands. It falls\nfor six hours. It stands again."
    chunks = MDocument.from_latex(text).chunk("structural-context", max_size=50, overlap=12, min_chunk_size=0)
    assert [(chunk.content, chunk.overlap) for chunk in chunks] == [
        ("It rises for\nsix hours. It stands.", 0),
        ("It stands. It falls\nfor six hours.", 10),
        ("It stands again.", 0),
    ]
