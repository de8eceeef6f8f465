"""What topics are called: words that a reader sees, and that say something."""

from __future__ import annotations

import time

import pytest

from cantle import Source
from cantle_llm.lexical import segment
from cantle_llm.lexical.cleaning import cleaned
from cantle_llm.lexical.visible import Visible
from cantle_llm.lines import Line, lines_of

CATS = "The cat purred on its cushion. A cat likes warm cushions and milk. Every kitten follows the cat to the milk. "


def labels(text: str, kind: str = "text") -> list[str]:
    return [topic.label or "" for topic in segment(text, lines_of(Source(text, kind=kind)))]


def words(text: str, kind: str = "text") -> set[str]:
    return set(" ".join(labels(text, kind)).lower().replace(",", "").split())


@pytest.mark.parametrize(
    ("hidden", "kind"),
    [
        ("<style>\n.wide-table { color: red }\n.wide-table td { margin: 0 }\n</style>", "html"),
        ("<script>\nvar tracker = 1;\ntracker(tracker);\n</script>", "html"),
        ("<!--\nhidden remark\nhidden remark\n-->", "html"),
        ('<link rel="search"\n title="wide-table wide-table"\n href="wide-table.xml"/>\n', "html"),
        ("<!-- plugins: llm, plugins: llm -->\n\n", "markdown"),
        ("<style>\n.wide-table { color: red }\n.wide-table td { margin: 0 }\n</style>\n\n", "markdown"),
    ],
)
def test_what_no_reader_sees_is_in_no_label(hidden: str, kind: str) -> None:
    body = f"<p>{CATS}</p>" if kind == "html" else CATS
    assert labels(hidden * 3 + body, kind) == labels(body, kind)


def test_what_stands_hidden_above_the_first_heading_is_no_topic() -> None:
    text = "<!-- a remark\nof two lines -->\n\n# One\n\nText.\n\n# Two\n\nText.\n"
    assert labels(text, "markdown") == ["One", "Two"]
    found = segment(text, lines_of(Source(text, kind="markdown")))
    assert found[0].first == 0
    assert labels(text.replace("<!--", "").replace("-->", ""), "markdown")[1:] == ["One", "Two"]


def test_prose_about_scripts_is_seen() -> None:
    text = "A <script> tag begins a script. Kittens are loaded by it. Kittens purr. The </script> tag ends it."
    assert "kittens" in words(text)


def test_formulas_and_comments_of_latex_are_in_no_label() -> None:
    text = (
        "% Part: secret-part\n% Chapter: secret-part\n\\begin{thm}\\ollabel{thm:odd}\n"
        "A function $h(x) = \\umin{s}{T(d, undefined, s)}$ is computable. Such functions are computable on sets.\n"
        "\\[ f(x) = \\text{undefined} + \\text{undefined} \\]\n"
        "\\begin{equation}\nodd = odd + odd\n\\end{equation}\n"
        "Every set is enumerated by a computable function.\n\\end{thm}\n"
    )
    lines, at = [], 0
    for line in text.splitlines():
        lines.append(Line(at, at + len(line), "other"))
        at += len(line) + 1
    (topic,) = segment(text, lines)
    assert topic.label is not None
    assert "comput" in topic.label
    assert not [word for word in ("undefined", "odd", "secret", "umin", "thm", "=", "$") if word in topic.label]


def test_prices_are_no_formulas() -> None:
    assert {"kittens"} <= words("It is $5 for kittens. Kittens purr. Some pay $9 for kittens.")


def test_few_lines_of_another_kind_do_not_name_a_topic() -> None:
    text = CATS * 3
    lines = [Line(a, b, "other") for a, b in ((line.start, line.end) for line in lines_of(Source(text)))]
    more = "Zebra zebra zebra."
    found = segment(text + more, [*lines, Line(len(text), len(text) + len(more), "formula")])
    assert "cat" in (found[0].label or "")
    assert "ebra" not in (found[0].label or "")
    found = segment(text + more, [*lines, Line(len(text), len(text) + len(more), "sentence")])
    assert "cat" in (found[0].label or "")


@pytest.mark.parametrize(
    ("raw", "label"),
    [
        ('<h2>Hash algorithms<a class="headerlink" href="#h" title="Permalink">¶</a></h2>', "Hash algorithms"),
        ('<h2>Beta <a href="#b">#</a></h2>', "Beta"),
        ('<h2><a href="#b">#</a> Beta</h2>', "Beta"),
        ('<h2>Links<a href="#b">\u200b</a></h2>', "Links"),
        ("## Beta [¶](#beta)", "Beta"),
        ("## Beta [#](#beta)", "Beta"),
        ("## Beta [🔗](#beta)", "Beta"),
        ("<h2>C#</h2>", "C#"),
        ("<h2>§ 3 Duties</h2>", "§ 3 Duties"),
        ("## The ¶ sign", "The ¶ sign"),
        ("## The sign ¶", "The sign ¶"),
    ],
)
def test_links_to_a_heading_are_not_its_words(raw: str, label: str) -> None:
    assert cleaned(raw) == label


def test_titles_of_address_say_nothing() -> None:
    text = "Mr. Holmes met Sir John. Mrs. Hudson saw Mr. Holmes. Sir John asked Mr. Holmes. Sir John left, Sir. "
    found = words(text * 2)
    assert not found & {"mr", "mrs", "sir"}
    assert {"holmes", "john"} <= found
    text = "O senhor Dias falou. A senhora Glória ouviu o senhor Dias. O Dr. Dias e a Sra. Glória, senhor. "
    assert not words(text * 2) & {"senhor", "senhora", "sra"}


def test_stop_words_of_another_language_in_the_text_say_nothing() -> None:
    english = "The striker scored a goal for the team. The team plays football in the stadium on Sunday. "
    other = "Os jogadores jogam em campo, em casa e em Lisboa. Em campo, em casa, em Lisboa correm com os amigos. "
    text = english * 12 + other * 3
    phrases = [phrase.lower().split() for label in labels(text) for phrase in label.split(", ")]
    assert "football" in words(text)
    assert not {word for phrase in phrases for word in (phrase[0], phrase[-1])} & {"em", "com", "os", "the"}
    # One that is a word of the text's language too stays, where there is nothing else of the other.
    assert "war" in words("The war began. The war ended. After the war nobody spoke of the war.")


def test_pieces_of_json_are_no_label() -> None:
    assert labels('{"a": [1, 2, "x y z"], "b": 7}', "json") == ["x y z"]
    assert labels('{"a":1}', "json") == ["a"]
    assert labels('{"1": ["it is so"]}', "json") == ["it is so"]


def test_chinese_labels_are_words_and_not_pieces_of_them() -> None:
    text = "附录涵盖关键字。附录列出运算符。附录介绍工具。我们的附录有一个一个一个一个索引。"
    (label,) = labels(text)
    assert "附录" in label.split(", ")
    assert not [phrase for phrase in label.split(", ") if phrase[0] in "录的一" or phrase[-1] in "附的个"]
    mixed = "附录 A 涵盖关键字。附录 A 涵盖运算符。附录 A 涵盖工具。"
    assert all(phrase.isalpha() for phrase in labels(mixed)[0].split(", "))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("人工智能改变医院。人工智能改变学校。人工智能帮助农民。", "人工智能"),
        ("学习 编程。学习 编程。我们 学习 编程。", "学习, 编程"),
        ("大猫的新书。大猫的新书。大猫的新书。", "大猫, 新书"),
        ("Rust语言。Rust语言。Rust语言。", "语言, Rust"),
        ("北京天文台站开。北京天文台站关。苹果红。苹果绿。苹果甜。苹果大。", "苹果, 北京天文台站"),
    ],
    ids=["word of four characters", "blank between", "particle between", "other script", "longer ones come less often"],
)
def test_chinese_words_end_where_they_should(text: str, label: str) -> None:
    assert labels(text) == [label]


def test_formulas_are_not_read_where_there_are_words() -> None:
    text = "Kittens purr for kittens."
    more = "zebra zebra zebra zebra zebra zebra"
    lines = [Line(0, len(text), "other"), Line(len(text), len(text) + len(more), "formula")]
    assert [topic.label for topic in segment(text + more, lines)] == ["Kittens, purr"]
    assert [topic.label for topic in segment(text + more, lines[1:])] == ["zebra zebra zebra"]


def test_a_phrase_that_returns_is_taken_before_its_words() -> None:
    text = "The galactic core shines. Nobody saw the galactic core. The galactic core is far. A core cools. "
    assert labels(text)[0].split(", ")[0] == "galactic core"


@pytest.mark.parametrize(
    "piece", ["<!--", "<style>", "<script></style>", "\\[", "\\(", "$", "\\begin{equation}", "%", "\\ref[", "<"]
)
def test_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        text = "\\begin{a}" + piece * (size // len(piece))
        start = time.process_time()
        Visible(text).of(Line(0, len(text), "other"))
        return time.process_time() - start

    seconds(1000)
    assert any(seconds(160_000) < 10 * max(seconds(40_000), 0.02) for _ in range(4))
