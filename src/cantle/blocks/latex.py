"""Where a LaTeX document has its sections, and what of it belongs together.

One pass of one regular expression. TeX can give every character another meaning; read are the usual ones:
sectioning commands, environments, display maths, verbatim text and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["Latex", "Section", "formulas", "items", "scan"]

RANKS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
"""The sectioning commands of the standard classes, outermost first."""

VERBATIM = (
    "verbatim", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "alltt", "comment", "filecontents",
)  # fmt: skip
"""Environments whose content is not LaTeX; with `*` too."""

LONGEST_TITLE, DEEPEST_TITLE = 2000, 12
"""In code points and braces: a title that goes on for longer is taken for a forgotten brace."""

_COMMAND = re.compile(
    r"""
    \\(?: (?P<tag>begin|end) [ \t]* \{ (?P<name>[^{}\r\n\\]{1,100}) \}
      | (?P<section>part|chapter|(?:sub){0,2}section|(?:sub)?paragraph) (?![A-Za-z@])
      | (?P<math>[][])
      | verb (?![A-Za-z@]) \*? (?P<fence>[^\sA-Za-z*]) [^\r\n]{0,500}? (?P=fence)
      | \\ )
    """,
    re.VERBOSE,
)
_DOLLARS = re.compile(r"\$\$")
_COMMENT = re.compile(r"%")
# Three passes, since one that begins with several characters is several times slower than all three.
_BLANK_LINE = r"(?:\r\n?+|\n)[ \t]*+[\r\n]"
_PARAGRAPH = re.compile(_BLANK_LINE)
_BRACE = re.compile(rf"\\.|[{{}}]|%[^\r\n]*|{_BLANK_LINE}", re.DOTALL)
_OPTION = re.compile(r"\*?\s{0,20}(?:\[(?P<short>[^][{}\n]*(?:\{[^{}\n]*\}[^][{}\n]*)*)\]\s{0,20})?\{")
_ITEM = re.compile(r"\\item(?![A-Za-z@])")
_FORMULA = re.compile(rf"\\[()]|\\.|\$|%[^\r\n]*|{_BLANK_LINE}", re.DOTALL)
_LINE_END = re.compile(r"[\r\n]")


class Section(NamedTuple):
    """A sectioning command: its stretch up to the closing brace of the title, its rank, and where the title is."""

    start: int
    end: int
    rank: int
    title: tuple[int, int]


class Latex(NamedTuple):
    """What `scan` finds; all positions are code points of the text, ends exclusive.

    `body` is where `\\begin{document}` stands, 0 when there is none. `sections` ascend. `groups` are the stretches
    that belong together (environments, displays, `\\verb`, sectioning commands with their titles), by their starts,
    an outer one before those inside it; `blocks` are those among them that stand by themselves, environments and
    displays. `broken` tells what does not fit together, and where.
    """

    body: int
    sections: list[Section]
    groups: list[tuple[int, int]]
    blocks: list[tuple[int, int]]
    broken: list[tuple[int, str]]


def scan(text: str) -> Latex:
    """Read a document. Nothing is refused: what is not closed is taken as text and named in `broken`."""
    sections: list[Section] = []
    inline: list[tuple[int, int]] = []
    blocks: list[tuple[int, int]] = []
    broken: list[tuple[int, str]] = []
    opened: list[tuple[str, int]] = []  # environments and `\[`, innermost last
    unclosed: dict[str, int] = {}  # how many of a name are in `opened`
    endless: set[str] = set()  # verbatim environments that nothing closes any more
    body = skip = 0
    shown = -1  # where a `$$` is open
    for match in _tokens(text):
        start = match.start()
        if start < skip:
            continue
        kind = match.lastgroup
        if match.re is _COMMENT:
            line_end = _LINE_END.search(text, start)
            if line_end is None:
                break
            skip = line_end.start()
        elif match.re is _DOLLARS:
            if shown < 0:
                shown = start
            elif _PARAGRAPH.search(text, shown, start) is None:
                blocks.append((shown, match.end()))
                shown = -1
            else:  # TeX ends a formula at a blank line
                broken.append((shown, "$$ is not closed"))
                shown = start
        elif kind == "fence":
            inline.append(match.span())
            skip = match.end()
        elif kind == "name":
            name = match["name"]
            if match["tag"] == "begin":
                if name == "document":
                    body = body or start
                elif name.removesuffix("*") in VERBATIM:
                    found = -1 if name in endless else text.find(f"\\end{{{name}}}", match.end())
                    if found < 0:
                        endless.add(name)
                        broken.append((start, f"\\begin{{{name}}} is not closed"))
                    else:
                        skip = found + len(name) + 6
                        blocks.append((start, skip))
                else:
                    opened.append((name, start))
                    unclosed[name] = unclosed.get(name, 0) + 1
            elif unclosed.get(name):
                _close(name, match.end(), opened, unclosed, blocks, broken)
            elif name != "document":
                broken.append((start, f"\\end{{{name}}} closes nothing"))
        elif kind == "section":
            opening = _OPTION.match(text, match.end())
            if opening is None:  # the command is spoken of: \titleformat{\section}
                continue
            section = _section(text, match, opening.end())
            if section is None:
                broken.append((start, f"the title of {match[0]} is not closed"))
            else:
                sections.append(section)
                inline.append((start, section.end))
                skip = section.end
        elif kind is None:  # a line break
            continue
        elif match["math"] == "[":
            opened.append(("[", start))
            unclosed["["] = unclosed.get("[", 0) + 1
        elif unclosed.get("["):
            _close("[", match.end(), opened, unclosed, blocks, broken)
        else:
            broken.append((start, "\\] closes nothing"))
    broken += [(start, _unclosed(name)) for name, start in opened]
    if shown >= 0:
        broken.append((shown, "$$ is not closed"))
    broken.sort()
    return Latex(body, sections, _nested([*inline, *blocks]), blocks, broken)


def _tokens(text: str) -> Iterable[re.Match[str]]:
    """What matters to the structure, in order."""
    found = list(_COMMAND.finditer(text))
    others = [*_DOLLARS.finditer(text), *_COMMENT.finditer(text)]
    others = [match for match in others if not _is_escaped(text, match.start())]
    return sorted([*found, *others], key=lambda match: match.start()) if others else found


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _close(
    name: str,
    end: int,
    opened: list[tuple[str, int]],
    unclosed: dict[str, int],
    blocks: list[tuple[int, int]],
    broken: list[tuple[int, str]],
) -> None:
    """Close the innermost of that name; what was opened in it and not closed is broken."""
    while True:
        inner, start = opened.pop()
        unclosed[inner] -= 1
        if inner == name:
            blocks.append((start, end))
            return
        broken.append((start, _unclosed(inner)))


def _unclosed(name: str) -> str:
    return "\\[ is not closed" if name == "[" else f"\\begin{{{name}}} is not closed"


def _section(text: str, match: re.Match[str], begin: int) -> Section | None:
    """The sectioning command with its title, which goes from `begin` to the brace that closes it."""
    depth = 1
    for brace in _BRACE.finditer(text, begin, min(len(text), begin + LONGEST_TITLE)):
        what = brace[0]
        if what == "{":
            depth += 1
            if depth > DEEPEST_TITLE:
                break
        elif what == "}":
            depth -= 1
            if not depth:
                return Section(match.start(), brace.end(), RANKS[match["section"]], (begin, brace.start()))
        elif what[0] in "\r\n":  # a title has one paragraph
            break
    return None


def _nested(groups: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The groups in order, without those that reach over the end of one around them, as `$$` may."""
    result: list[tuple[int, int]] = []
    around: list[int] = []
    for start, end in sorted(groups, key=lambda group: (group[0], -group[1])):
        while around and around[-1] <= start:
            around.pop()
        if not around or end <= around[-1]:
            around.append(end)
            result.append((start, end))
    return result


def items(text: str, start: int, end: int) -> list[int]:
    """Where the items of lists begin in a stretch."""
    return [match.start() for match in _ITEM.finditer(text, start, end)]


def formulas(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The formulas within lines, `$...$` and `\\(...\\)`, of a stretch; one ends at a blank line at the latest."""
    opened, closer = -1, ""
    for match in _FORMULA.finditer(text, start, end):
        what = match[0]
        if opened < 0:
            if what in ("$", "\\("):
                opened, closer = match.start(), "$" if what == "$" else "\\)"
        elif what == closer:
            yield opened, match.end()
            opened = -1
        elif what[0] in "\r\n":
            opened = -1
