"""The built-in documents of the contract kit: ordinary texts and hostile ones.

Three sets: `documents()` are short, each with one difficulty; `large()` hold up to a million
characters of what makes naive code quadratic, recursive or slow; `shapes()` are the latter as
functions of a size, for counting operations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from ..document import MDocument

__all__ = ["documents", "large", "shapes"]

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
FLAGS = "\U0001f1e7\U0001f1f7\U0001f1f5\U0001f1f9\U0001f1e9\U0001f1ea"
THAI = "\u0e01\u0e32\u0e23\u0e17\u0e33\u0e07\u0e32\u0e19\u0e19\u0e35\u0e49\u0e04\u0e37\u0e2d\u0e07\u0e32\u0e19"
CHINESE = "\u6f6e\u6c50\u8868\u4e09\u6708\u5370\u597d\u4e86\u3002\u6e2f\u53e3\u6ca1\u4eba\u770b\uff01\u662f\u5417\uff1f"
ARABIC = (
    "\u0645\u064e\u062f\u0651\u064c \u0648\u062c\u064e\u0632\u0631\u060c"
    " \u0639\u0644\u0649 \u0627\u0644\u0634\u0627\u0637\u0626\u061f "
)

PROSE = (
    "The tide tables were printed in March. Nobody in the harbour office read them, and so the first "
    "ferry left an hour late! Was that a surprise? Hardly.\n\n"
    "Mr. Alves, who had warned them twice (on the 3rd and on the 9th), wrote: \u201cYou will need 4.5 metres "
    "of water.\u201d He was right, e.g. about the sand bar; cf. p. 12.\n\n\n"
    "O relat\u00f3rio n\u00e3o foi lido. As mar\u00e9s s\u00e3o previs\u00edveis; as pessoas, nem tanto...\n"
)

MARKDOWN = (
    "# Manual\n\nIntroduction with *stress* and `code`.\n\n## Install\n\n1. Unpack\n2. Run\n   - as root\n   - or not\n"
    "\n"
    "```python\ndef f(x):\n\n    return x  # a comment\n```\n\n"
    "| key | value |\n|-----|------:|\n| one | 1 |\n| two | 2 |\n\n"
    '> A quote\n> of two lines\n\n### Deep\n\n[link](https://example.org/a_(b) "t") and ![image](x.png)\n\n'
    "Setext\n======\n\nLast.  \nLine\n\n***\n\n## Only a heading\n"
)

HTML = (
    "<!DOCTYPE html><html><head><title>T &amp; t</title><style>p{color:red}</style></head><body>"
    "<!-- a comment --><h1>Title</h1><p>One &lt;two&gt; &eacute;&#x301; <b>bo</b>ld.</p><ul><li>a<li>b</ul>"
    "<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table><pre>  x\n  y</pre>"
    "<script>if (a < b) { x = '</p>' }</script><h2>Next</h2>tail text</body></html>"
)

JSON = (
    '{"name": "caf\\u00e9", "size": [1, 2.50, -3e10, true, false, null], "nested": {"a": {"b": {"c": "deep"}}},\n'
    ' "empty": {}, "list": [], "": "empty key", "a/b~c": "pointer", "long": "' + "word " * 40 + '"}'
)

LATEX = (
    "\\documentclass{article}\n% a comment\n\\begin{document}\n\\section{One \\emph{two}}\nText with $x^2$ and 50\\% of"
    "\n"
    "it.\n\n\\begin{itemize}\n\\item a\n\\item b\n\\end{itemize}\n\\subsection{Sub}\n\\[ \\int_0^1 f \\]\n"
    "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\end{document}\n"
)

TEXTS: dict[str, str] = {
    "empty": "",
    "blank": " \t\n\u00a0\u2003\r\n\v\f\x1c\x85\u2028\ufeff ",
    "one character": "x",
    "prose": PROSE,
    "prose, CRLF": PROSE.replace("\n", "\r\n"),
    "prose, CR": PROSE.replace("\n", "\r"),
    "markdown": MARKDOWN,
    "html": HTML,
    "json": JSON,
    "latex": LATEX,
    "emoji families": f"A family {FAMILY}{FAMILY} and {FAMILY}, waving \U0001f44b\U0001f3fd\U0001f44b\U0001f3ff. " * 6,
    "flags": f"{FLAGS * 5} odd \U0001f1e7{FLAGS} text",
    "combining marks": "e\u0301a\u0300\u0323o\u0308\u0304 n\u0303ao \u0301after a space, \u00a0\u0308after a hard one. "
    * 6,
    "one huge cluster": "z" + "\u0301\u0316" * 60 + " y" + "\u0302" * 31 + " x" + "\u0302" * 32 + "end",
    "hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af " * 12,
    "indic": "\u0915\u094d\u0937\u093f \u0928\u092e\u0938\u094d\u0924\u0947 \u0b95\u0bcd\u0bb7\u0bbf " * 8,
    "thai without spaces": THAI * 8,
    "chinese without spaces": CHINESE * 12,
    "arabic": ARABIC * 8,
    "CRLF runs": "a\r\n\r\n\r\nb\r\r\nc\n\r\nd \r\n e" * 8,
    "lone surrogates": "low \udc80\udfff high \ud83d\ud800 end \ud83d" * 6,
    "surrogate pairs as two": "pair \ud83d\ude00\ud83d\ude00 and \ud83c\uddf5 odd \ude00\ud83d" * 6,
    "NUL and controls": "a\x00b\x01\x02\x7f\x80 c\x1b[31m\x00\x00 \x08" * 8,
    "byte order marks": "\ufefffirst \ufeff\ufeff middle\ufeff \ufeff\ntail\ufeff",
    "bidi controls": "safe \u202egnp.exe\u202c \u2066a\u2069 \u200f\u05d0\u200e " * 8,
    "zero width": "a\u200bb\u200cc\u200dd\u2060e\u00adf \u200b\u200b g\u034f " * 8,
    "replacement character": "kept \ufffd as it was \ufffd\ufffd. " * 6,
    "separators of all kinds": "a\u2028b\u2029c\x0bd\x0ce\x1cf\x1dg\x1eh\x85i\u3000j\u1680k\u180el " * 6,
    "long words": " ".join(c * n for c, n in zip("abcdefgh", (1, 5, 50, 300, 2, 900, 31, 33), strict=True)),
    "runs of newlines": "\n" * 300 + "a" + "\n" * 70 + "b" + "\n",
    "runs of spaces": " " * 300 + "a" + " " * 70 + "b" + " " * 9,
    "tabs and spaces": "\t \t- item\n\t\t \tdeep\n \t" * 10,
    "special tokens": "<|endoftext|> <|fim_prefix|>x<|fim_suffix|><|endofprompt|>" * 4 + "<|start|> <|endoftext",
    "unclosed fence": "# T\n\n```js\nlet a = 1;\n\n\n# not a heading\n" * 3 + "~~~\n````\n",
    "unclosed tags": "<div><p class='x <b>text <table><tr><td>cell <!-- open <i>" * 4,
    "unclosed brackets": '{"a": [1, {"b": "' + "[({" * 40 + '\\"' + " \\begin{a}$$\\[" * 20,
    "odd markdown": "#\n##\n####### seven\n=\n-\n|\n|-|\n>\n>>>\n- \n1.\n[a]: b\n***\n    code\n" * 4,
    "front matter": "---\ntitle: x\nlist: [a, b]\n---\n\nBody text.\n",
    "entities": "&amp; &lt;b&gt; &#x41; &#xD800; &#0; &nosuch; & &amp;amp; " * 8,
    "same line again": "All the same.\n" * 60,
    "punctuation": "....!!!???---,,,;;;:::((()))[[[]]]\"\"\"'''" * 6,
    "numbers": "3.14159 1,000,000.00 2024-02-29T23:59:60Z 0x1F +55 (11) 91234-5678 v1.2.3-rc.4 " * 6,
    "addresses": "https://example.org/a/b?c=d&e=f#g mail@example.org C:\\dir\\file.txt " * 6,
}
"""Short texts by what is difficult about them."""


def _nested_quotes(n: int) -> str:
    return "> " * (n // 2) + "end"


def _nested_json(n: int) -> str:
    return "[" * (n // 2) + "]" * (n // 2)


def _rising_backticks(n: int) -> str:
    runs: list[str] = []
    size = 0
    while size < n:
        runs.append("`" * (len(runs) + 1))
        size += len(runs) + 1
    return "a".join(runs)


def _fill(unit: str) -> Callable[[int], str]:
    return lambda n: unit * -(-n // len(unit))


SHAPES: dict[str, Callable[[int], str]] = {
    "prose": _fill(PROSE),
    "one word": _fill("abcdefghij"),
    "newlines": _fill("\n"),
    "spaces": _fill(" "),
    "words": _fill("word and more "),
    "one cluster": lambda n: "e" + "\u0301" * n,
    "flags without a space": _fill(FLAGS),
    "chinese without spaces": _fill("\u6f6e\u6c50\u8868\u4e09\u6708\u5370"),
    "CRLF": _fill("ab\r\n"),
    "lines of one letter": _fill("a\n"),
    "paragraphs of one letter": _fill("a\n\n"),
    "nested quotes": _nested_quotes,
    "nested JSON": _nested_json,
    "nested environments": _fill("\\begin{a}"),
    "unclosed fences": _fill("```\na\n~~~\n"),
    "unclosed tags": _fill("<div><b>"),
    "unclosed comments": _fill("<!-- "),
    "unclosed brackets": _fill("[a]("),
    "unclosed stress": _fill("**a _b "),
    "rising backticks": _rising_backticks,
    "headings": _fill("# a\n\nb\n\n"),
    "table rows": lambda n: "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * (n // 10),
    "sentences": _fill("So. It. Is! "),
    "special tokens": _fill("<|endoftext|>"),
}
"""Texts of about `n` characters, as functions of `n`."""

_LARGE = {
    "one word": 1_000_000,
    "newlines": 1_000_000,
    "prose": 300_000,
    "nested quotes": 400_000,
    "nested JSON": 40_000,
    "nested environments": 180_000,
    "one cluster": 100_000,
    "flags without a space": 60_000,
    "unclosed fences": 200_000,
    "unclosed tags": 200_000,
    "unclosed comments": 200_000,
}


@cache
def documents() -> tuple[MDocument, ...]:
    """The short documents; the `source` of each says what is difficult about it."""
    kinds = ("markdown", "html", "json", "latex")
    return tuple(MDocument(text, name if name in kinds else "text", {}, name) for name, text in TEXTS.items())


@cache
def large() -> tuple[MDocument, ...]:
    """Documents of 40,000 to 1,000,000 characters; the `source` of each says what it is."""
    return tuple(MDocument(SHAPES[name](size), "text", {}, f"{name}, large") for name, size in _LARGE.items())


def shapes() -> dict[str, Callable[[int], str]]:
    """Functions from a size (code points, about) to a text, by name."""
    return dict(SHAPES)
