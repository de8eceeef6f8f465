"""Hypothesis strategies that make hard texts and documents, for tests of strategies and plugins.

Each function returns a strategy of `str`. They need the extra `testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import MissingDependencyError

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["html_documents", "json_documents", "latex_documents", "markdown_documents", "texts", "words"]

_PIECES = (
    " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x1c", "\x85", "\ufeff",
    "\u200b", "\u200d", "\u00ad", "\u2060", "\u0301", "\u20dd", "\u0302" * 31, "e\u0301", "\u0915\u094d\u0937",
    "\u1112\u1161\u11ab", "\U0001f468\u200d\U0001f469\u200d\U0001f466", "\U0001f44b\U0001f3fd", "\U0001f1e7\U0001f1f7",
    "\U0001f1e7", "\ud83d", "\ude00", "\ud83d\ude00", "\x00", "\x1b", "\u202e", "\u2069", "\ufffd", "\u6f6e\u6c50",
    "\u3002", "\u0e01\u0e32\u0e23", "\u05d0", ". ", "! ", "? ", "... ", ", ", "; ", "Mr. ", "e.g. ", "3.14", "1,000",
    "# ", "## ", "\n# a\n", "```", "\n```\n", "~~~", "> ", "- ", "1. ", "| a | b |\n", "|---|---|\n", "**", "_", "`",
    "[a](b)", "![", "---\n", "    ", "<div>", "</div>", "<!--", "-->", "<p class='", "&amp;", "&#x41;", "<", ">", "&",
    "{", "}", "[", "]", '"', ":", "\\", "\\u0041", "\\begin{a}", "\\end{a}", "\\section{x}", "$", "$$", "%",
    "<|endoftext|>",
)  # fmt: skip


def _st() -> Any:
    try:
        import hypothesis.strategies
    except ImportError:
        raise MissingDependencyError("cantle.testing's generators", "hypothesis", "cantle[testing]") from None
    return hypothesis.strategies


def words() -> SearchStrategy[str]:
    """Words of one to some 40 characters, of several scripts, some with combining marks or emoji."""
    st = _st()
    alphabets = (
        "abcdefgh",
        "ABCdef'-",
        "\u00e1\u00e9\u00e7\u00f5",
        "\u0430\u0431\u0432",
        "\u6f6e\u6c50\u8868",
        "0123456789",
        "e\u0301o\u0308",
    )
    plain = st.sampled_from(alphabets).flatmap(lambda a: st.text(alphabet=a, min_size=1, max_size=12))
    long = st.integers(13, 40).map(lambda n: "abcdefghij"[n % 10] * n)
    return st.one_of(plain, plain, long, st.sampled_from(_PIECES).filter(str.strip))  # type: ignore[no-any-return]


def texts(max_pieces: int = 40) -> SearchStrategy[str]:
    """Any text, with a liking for what breaks chunkers.

    Up to `max_pieces` pieces of words, white space of all kinds, clusters, lone surrogates, control
    characters and fragments of Markdown, HTML, JSON and LaTeX; and now and then arbitrary code points.
    """
    st = _st()
    any_text = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
    piece = st.one_of(st.sampled_from(_PIECES), st.sampled_from(_PIECES), words(), any_text)
    repeated = st.tuples(st.sampled_from(_PIECES), st.integers(2, 60)).map(lambda p: p[0] * p[1])
    pieces = st.lists(st.one_of(piece, piece, piece, repeated), max_size=max_pieces)
    return pieces.map("".join)  # type: ignore[no-any-return]


def _lines(max_words: int = 12) -> Any:
    st = _st()
    glue = st.sampled_from((" ", " ", " ", " ", ", ", ". ", "  "))
    pair = st.tuples(words(), glue).map("".join)
    return st.lists(pair, min_size=1, max_size=max_words).map(
        lambda ws: " ".join("".join(ws).split("\n")).strip() or "x"
    )


def markdown_documents(max_blocks: int = 12) -> SearchStrategy[str]:
    """Markdown: headings of both kinds, lists, tables, fences (some unclosed), quotes, HTML, front matter."""
    st = _st()
    line = _lines()
    lines = st.lists(line, min_size=1, max_size=4)
    fence = st.sampled_from(("```", "~~~", "````", "```python", "``` "))
    blocks = st.one_of(
        line,
        lines.map("\n".join),
        st.tuples(st.integers(1, 7), line).map(lambda p: "#" * p[0] + " " + p[1]),
        st.tuples(line, st.sampled_from("=-")).map(lambda p: f"{p[0]}\n{p[1] * 4}"),
        st.tuples(st.sampled_from(("-", "*", "+", "1.", "2)")), lines).map(
            lambda p: "\n".join(f"{p[0]} {x}" for x in p[1])
        ),
        st.tuples(st.integers(1, 4), lines).map(
            lambda p: "\n".join("  " * (p[0] * i) + "- " + x for i, x in enumerate(p[1]))
        ),
        st.tuples(fence, lines, st.booleans()).map(lambda p: "\n".join([p[0], *p[1], *([p[0][:3]] if p[2] else [])])),
        st.tuples(st.integers(1, 3), lines).map(lambda p: "\n".join("> " * p[0] + x for x in p[1])),
        st.tuples(line, lines).map(lambda p: f"| {p[0]} | b |\n|---|:-:|\n" + "\n".join(f"| {x} | 1 |" for x in p[1])),
        lines.map(lambda xs: "\n".join("    " + x for x in xs)),
        line.map(lambda x: f"<div>\n{x}\n</div>"),
        st.sampled_from(
            ("***", "---", "<!-- note -->", "[a]: https://example.org 'b'", "#", "##\tx", "$$\nx^2\n$$", "\\# no")
        ),
    )
    front = st.sampled_from(("", "", "", "---\ntitle: x\n---\n", "\ufeff", "\n\n"))
    ends = st.sampled_from(("\n", "\n", "\n", "\r\n", "\r"))
    gaps = st.sampled_from(("\n\n", "\n\n", "\n", "\n\n\n\n"))
    body = st.lists(st.tuples(blocks, gaps).map("".join), max_size=max_blocks).map("".join)
    return st.tuples(front, body, ends).map(lambda p: (p[0] + p[1]).replace("\n", p[2]))  # type: ignore[no-any-return]


def html_documents(max_elements: int = 12) -> SearchStrategy[str]:
    """HTML: nested blocks, tables, lists, entities, comments, scripts; some tags unclosed or misnested."""
    st = _st()
    line = _lines()
    raw = st.one_of(
        line,
        line,
        st.sampled_from(("&amp;", "&lt;x&gt;", "&eacute;", "&#128512;", "&#xD800;", "&nosuch;", "a &", "<", "\n  ")),
    )
    names = "p div section h1 h2 h3 h6 ul ol li b i span a pre code blockquote table tr td th article"
    tags = st.sampled_from(names.split(" "))
    attributes = st.sampled_from(("", "", " class='a b'", ' id="x"', " hidden", " data-x=<>", " style='display:none'"))

    def wrap(inner: Any) -> Any:
        closed = st.tuples(tags, attributes, st.lists(inner, max_size=4).map("".join)).map(
            lambda p: f"<{p[0]}{p[1]}>{p[2]}</{p[0]}>"
        )
        opened = st.tuples(tags, st.lists(inner, max_size=2).map("".join)).map(lambda p: f"<{p[0]}>{p[1]}")
        odd = st.sampled_from(
            (
                "<!-- c -->",
                "<!-- <p> ",
                "<script>if (a<b) x='</p>'</script>",
                "<style>p{}</style>",
                "<br>",
                "<hr/>",
                "</div>",
                "<img alt='i'>",
            )
        )
        return st.one_of(closed, closed, closed, opened, odd)

    element = st.recursive(raw, wrap, max_leaves=max_elements)
    body = st.lists(element, max_size=max_elements).map("".join)
    head = "<!DOCTYPE html>\n<html><head><title>t</title></head><body>\n"
    return st.one_of(body, body.map(lambda b: f"{head}{b}\n</body></html>"))  # type: ignore[no-any-return]


def json_documents(max_leaves: int = 25) -> SearchStrategy[str]:
    """JSON texts (RFC 8259): deep and wide, in several layouts, with empty keys, escapes and big numbers."""
    from json import dumps

    st = _st()
    strings = st.one_of(
        _lines(20), st.sampled_from(("", " ", "a/b~c", "\n", '"', "\\", "\u2028", "\ud800", "\U0001f600", "x" * 80))
    )
    numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
    leaf = st.one_of(strings, strings, numbers, st.booleans(), st.none())
    value = st.recursive(
        leaf,
        lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(strings, inner, max_size=6)),
        max_leaves=max_leaves,
    )
    layout = st.tuples(st.sampled_from((None, 0, 1, 2, "\t")), st.booleans(), st.sampled_from(("", "\n", " ", "\r\n")))

    def write(pair: tuple[Any, tuple[Any, bool, str]]) -> str:
        data, (indent, ascii_only, around) = pair
        return around + dumps(data, indent=indent, ensure_ascii=ascii_only) + around

    return st.tuples(value, layout).map(write)  # type: ignore[no-any-return]


def latex_documents(max_blocks: int = 12) -> SearchStrategy[str]:
    """LaTeX: sections, environments (some unclosed), formulas, comments, verbatim, escapes."""
    st = _st()
    line = _lines()
    name = st.sampled_from(("itemize", "equation", "figure", "verbatim", "tabular", "quote", "lstlisting"))
    section = st.sampled_from(("part", "chapter", "section", "subsection", "subsubsection", "section*", "paragraph"))
    block = st.one_of(
        line,
        line,
        st.tuples(section, line).map(lambda p: f"\\{p[0]}{{{p[1]}}}"),
        st.tuples(section, line, line).map(lambda p: f"\\{p[0]}[{p[1]}]{{\\emph{{{p[2]}}} x}}\\label{{s}}"),
        st.tuples(name, line, st.booleans()).map(
            lambda p: f"\\begin{{{p[0]}}}\n\\item {p[1]}\n" + (f"\\end{{{p[0]}}}" if p[2] else "")
        ),
        line.map(lambda x: f"\\[ {x} \\]"),
        line.map(lambda x: f"text % {x}\nmore"),
        st.sampled_from(
            (
                "$$x^2$$",
                "$a_1$",
                "\\\\",
                "50\\% of it",
                "\\verb|a%b|",
                "{unclosed",
                "}",
                "\\'e \\c{c} --- ``x''",
                "~",
                "\\input{a}",
                "$",
            )
        ),
    )
    body = st.lists(block, max_size=max_blocks).map("\n\n".join)
    whole = body.map(lambda b: f"\\documentclass{{article}}\n\\begin{{document}}\n{b}\n\\end{{document}}\n")
    return st.one_of(body, whole)  # type: ignore[no-any-return]
